// SPDX-License-Identifier: GPL-2.0-only
/*
 * A notifier of the highest priority in the chain that is called for each trap. It counts its
 * calls. On x86-64 it serves a breakpoint of its own, which a write to a parameter runs; and calls
 * a function as the kernel's entry does for a program's breakpoint; and watches text.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/processor.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/static_call.h>
#include <linux/string.h>
#ifdef CONFIG_X86_64
#include <asm/processor-flags.h>
#include <asm/segment.h>
#include <asm/trapnr.h>
#endif

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

/* Where an emulator lets its CPUs take turns, one that never pauses keeps the others waiting. */
static int run_traps(const char *val, const struct kernel_param *kp)
{
	unsigned int i, nr;
	int err = kstrtouint(val, 0, &nr);

	for (i = 0; i < nr && !err; i++) {
		trap();
		cpu_relax();
	}
	return err;
}

static const struct kernel_param_ops traps_ops = { .set = run_traps };
module_param_cb(traps, &traps_ops, NULL, 0200);
MODULE_PARM_DESC(traps, "runs so many breakpoints of its own");

static int no_handler(struct pt_regs *regs)
{
	return 0;
}

static int no_notifier(enum die_val event, const char *what, struct pt_regs *regs, long err,
		       int trap, int sig)
{
	return NOTIFY_DONE;
}

/*
 * Either is what our module has in the place of a call of that name.  The kernel may have taken the
 * landing pad of a function away (IBT), and its type (kCFI): so it is called directly, as there.
 */
DEFINE_STATIC_CALL(handler_call, no_handler);
DEFINE_STATIC_CALL(notify_call, no_notifier);

static bool call(unsigned long fn, bool is_handler, struct pt_regs *regs)
{
	unsigned long flags;
	bool served;

	/* Clients are built as for a kernel with kprobes, so the configuration does not tell. */
	if (is_handler)
		static_call_update(handler_call, (typeof(&no_handler))fn);
	else
		static_call_update(notify_call, (typeof(&no_notifier))fn);
	local_irq_save(flags);
	if (is_handler)
		served = static_call(handler_call)(regs);
	else
		served = static_call(notify_call)(DIE_INT3, "int3", regs, 0, X86_TRAP_BP,
						  SIGTRAP) == NOTIFY_STOP;
	local_irq_restore(flags);
	return served;
}

static int run_program(const char *val, const struct kernel_param *kp)
{
	struct pt_regs regs = { .cs = __USER_CS, .ss = __USER_DS, .flags = X86_EFLAGS_FIXED };
	int is_handler;
	unsigned long fn;

	if (sscanf(val, "%li %d %li", &fn, &is_handler, &regs.ip) != 3)
		return -EINVAL;
	return call(fn, is_handler, &regs) ? -EBUSY : 0;
}

static const struct kernel_param_ops program_ops = { .set = run_program };
module_param_cb(program, &program_ops, NULL, 0200);
MODULE_PARM_DESC(program, "the address of the function; 1 if it stands for kprobe_int3_handler(), 0 for notify_die(); and where the program's breakpoint ends");

/* ---- text that must not change ---- */

static unsigned long watched;
static struct task_struct *watcher;

static unsigned int changes;
module_param(changes, uint, 0444);
MODULE_PARM_DESC(changes, "how often the text was seen changed");

static unsigned int looks;
module_param(looks, uint, 0444);
MODULE_PARM_DESC(looks, "how often it was looked at, in thousands");

static int watch(void *unused)
{
	u32 first, now;
	unsigned int i;

	memcpy(&first, (void *)watched, sizeof(first));
	while (!kthread_should_stop()) {
		for (i = 0; i < 1000; i++) {
			memcpy(&now, (void *)watched, sizeof(now));
			changes += now != first;
			barrier();
		}
		looks++;
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static void watch_nothing(void)
{
	if (watcher)
		kthread_stop(watcher);
	watcher = NULL;
}

static int set_watched(const char *val, const struct kernel_param *kp)
{
	unsigned long addr;
	int err = kstrtoul(val, 0, &addr);

	if (err)
		return err;
	watch_nothing();
	if (!addr)
		return 0;
	changes = 0;
	looks = 0;
	watched = addr;
	watcher = kthread_run(watch, NULL, "lkp_watch");
	err = PTR_ERR_OR_ZERO(watcher);
	if (err)
		watcher = NULL;
	return err;
}

static const struct kernel_param_ops watched_ops = { .set = set_watched };
module_param_cb(watched, &watched_ops, NULL, 0200);
MODULE_PARM_DESC(watched, "the address of four bytes of text that are looked at all the time; or 0");

#else

static void watch_nothing(void)
{
}

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
	watch_nothing();
	unregister_die_notifier(&notifier);
}
module_exit(test_notifier_exit);

MODULE_DESCRIPTION("Test: a notifier for traps");
MODULE_LICENSE("GPL");
