// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kretprobe on the function that the parameter func= names.  Prints duration
 * and return value of the first calls, and totals when it is unloaded.
 *
 * The function may be any that can be probed, so its handlers keep to the rules for
 * that: a clock that never waits, no lock, and an irq_work that prints for them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#define PRINTED_CALLS	3

static char func[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function whose calls are timed");

/* Data that the entry handler stores for the handler. */
struct call {
	u64 entered;
};

/* One of the first calls; each is printed once. */
static struct seen {
	struct irq_work print;
	unsigned long value;
	unsigned long ret_addr;
	s64 ns;
} seen[PRINTED_CALLS];

static atomic64_t total_ns = ATOMIC64_INIT(0);
static atomic_long_t calls = ATOMIC_LONG_INIT(0);

static void print_seen(struct irq_work *work)
{
	const struct seen *call = container_of(work, struct seen, print);

	pr_info("%s returned %ld after %lld ns, to %pS\n", func, (long)call->value, call->ns,
		(void *)call->ret_addr);
}

/* A CPU that goes, or falls asleep with the machine, would forget an irq_work. */
static bool can_print(void)
{
	return cpu_active(raw_smp_processor_id()) && system_state != SYSTEM_SUSPEND;
}

/* Kernel threads have no mm: their calls are not followed. */
static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	if (!current->mm)
		return 1;
	call->entered = ktime_get_mono_fast_ns();
	return 0;
}
NOKPROBE_SYMBOL(entry_handler);

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	s64 ns = ktime_get_mono_fast_ns() - call->entered;
	long nr = atomic_long_fetch_inc(&calls);

	atomic64_add(ns, &total_ns);
	if (nr < PRINTED_CALLS && can_print()) {
		seen[nr].value = regs_return_value(regs);
		seen[nr].ret_addr = get_kretprobe_retaddr(ri);
		seen[nr].ns = ns;
		irq_work_queue(&seen[nr].print);
	}
	return 0;
}
NOKPROBE_SYMBOL(ret_handler);

static struct kretprobe rp = {
	.handler = ret_handler,
	.entry_handler = entry_handler,
	.data_size = sizeof(struct call),
	.maxactive = 20,
};

/* Once the handlers have ended: their irq_works must not outlive this module. */
static void end_prints(void)
{
	unsigned int i;

	for (i = 0; i < PRINTED_CALLS; i++)
		irq_work_sync(&seen[i].print);
}

static int __init kretprobe_example_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < PRINTED_CALLS; i++)
		init_irq_work(&seen[i].print, print_seen);
	rp.kp.symbol_name = func;
	err = register_kretprobe(&rp);
	if (err) {
		end_prints();
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
	end_prints();
	nr = atomic_long_read(&calls);
	pr_info("%s: %ld calls, %lld ns on average, %d missed\n", func, nr,
		nr ? atomic64_read(&total_ns) / nr : 0, rp.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_DESCRIPTION("Example of a kretprobe");
MODULE_LICENSE("GPL");
