// SPDX-License-Identifier: GPL-2.0-only
/*
 * A notifier of the highest priority in the chain that is called for each trap. It counts its
 * calls. On x86-64 it serves a breakpoint of its own, which a write to a parameter runs.
 */
#include <linux/atomic.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>

static atomic_t called;
module_param_named(called, called.counter, int, 0444);
MODULE_PARM_DESC(called, "how often it was called");

#ifdef CONFIG_X86_64

static unsigned long behind_trap;

static noinline void trap(void)
{
	asm volatile("leaq 1f(%%rip), %%rax\n\tmovq %%rax, %0\n\tint3\n1:"
		     : "=m" (behind_trap) : : "rax", "memory");
}

static bool is_own_trap(unsigned long event, const struct die_args *args)
{
	return event == DIE_INT3 && args->regs->ip == READ_ONCE(behind_trap);
}

static int run_traps(const char *val, const struct kernel_param *kp)
{
	unsigned int i, nr;
	int err = kstrtouint(val, 0, &nr);

	for (i = 0; i < nr && !err; i++)
		trap();
	return err;
}

static const struct kernel_param_ops traps_ops = { .set = run_traps };
module_param_cb(traps, &traps_ops, NULL, 0200);
MODULE_PARM_DESC(traps, "runs so many breakpoints of its own");

#else

static bool is_own_trap(unsigned long event, const struct die_args *args)
{
	return false;
}

#endif

int lkp_notified(struct notifier_block *nb, unsigned long event, void *data);

notrace noinline int lkp_notified(struct notifier_block *nb, unsigned long event, void *data)
{
	atomic_inc(&called);
	return is_own_trap(event, data) ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = lkp_notified,
	.priority = INT_MAX,
};

static int __init test_notifier_init(void)
{
	return register_die_notifier(&notifier);
}
module_init(test_notifier_init);

static void __exit test_notifier_exit(void)
{
	unregister_die_notifier(&notifier);
}
module_exit(test_notifier_exit);

MODULE_DESCRIPTION("Test: a notifier for traps");
MODULE_LICENSE("GPL");
