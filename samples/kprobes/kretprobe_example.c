// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kretprobe on the function that the parameter func= names.  Prints duration
 * and return value of the first calls, and totals when it is unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

#define PRINTED_CALLS	3

static char func[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function whose calls are timed");

/* Data that the entry handler stores for the handler. */
struct call {
	ktime_t entered;
};

static atomic64_t total_ns = ATOMIC64_INIT(0);
static atomic_long_t calls = ATOMIC_LONG_INIT(0);

/* Kernel threads have no mm: their calls are not followed. */
static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	if (!current->mm)
		return 1;
	call->entered = ktime_get();
	return 0;
}
NOKPROBE_SYMBOL(entry_handler);

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	s64 ns = ktime_to_ns(ktime_sub(ktime_get(), call->entered));

	atomic64_add(ns, &total_ns);
	if (atomic_long_inc_return(&calls) <= PRINTED_CALLS)
		pr_info("%s returned %ld after %lld ns, to %pS\n", func,
			(long)regs_return_value(regs), ns, (void *)get_kretprobe_retaddr(ri));
	return 0;
}
NOKPROBE_SYMBOL(ret_handler);

static struct kretprobe rp = {
	.handler = ret_handler,
	.entry_handler = entry_handler,
	.data_size = sizeof(struct call),
	.maxactive = 20,
};

static int __init kretprobe_example_init(void)
{
	int err;

	rp.kp.symbol_name = func;
	err = register_kretprobe(&rp);
	if (err) {
		pr_err("register_kretprobe: %s (error %d)\n", kprobe_refusal(&rp.kp), err);
		return err;
	}
	pr_info("planted return probe at %pS\n", rp.kp.addr);
	return 0;
}

static void __exit kretprobe_example_exit(void)
{
	long nr;

	unregister_kretprobe(&rp);
	nr = atomic_long_read(&calls);
	pr_info("%s: %ld calls, %lld ns on average, %d missed\n", func, nr,
		nr ? atomic64_read(&total_ns) / nr : 0, rp.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_DESCRIPTION("Example of a kretprobe");
MODULE_LICENSE("GPL");
