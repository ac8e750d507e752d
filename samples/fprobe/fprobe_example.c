// SPDX-License-Identifier: GPL-2.0-only
/*
 * An fprobe on the functions that match the parameter symbol=, except those that
 * match nosymbol=. Prints the first calls, with caller and duration, and totals
 * when it is unloaded.
 *
 * The functions may be any that can be probed, so its handlers keep to the rules for
 * that: a clock that never waits, no lock, and an irq_work that prints for them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/fprobe.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#define PRINTED_CALLS	3

static char symbol[256] = "kernel_clone";
module_param_string(symbol, symbol, sizeof(symbol), 0400);
MODULE_PARM_DESC(symbol, "functions to probe: patterns with *, or names, separated by commas");

static char nosymbol[256];
module_param_string(nosymbol, nosymbol, sizeof(nosymbol), 0400);
MODULE_PARM_DESC(nosymbol, "functions to leave out");

/* Data that the entry handler stores for the exit handler. */
struct call {
	u64 entered;
};

/* One of the first calls; each is printed once. */
struct seen {
	struct irq_work print;
	unsigned long ip;
	unsigned long ret_ip;
	unsigned long value;
	s64 ns;
};

static struct seen first_entered[PRINTED_CALLS], first_returned[PRINTED_CALLS];
static atomic64_t total_ns = ATOMIC64_INIT(0);
static atomic_long_t calls = ATOMIC_LONG_INIT(0);
static atomic_long_t returns = ATOMIC_LONG_INIT(0);

static void print_entered(struct irq_work *work)
{
	const struct seen *seen = container_of(work, struct seen, print);

	pr_info("%ps called from %pS\n", (void *)seen->ip, (void *)seen->ret_ip);
}

static void print_returned(struct irq_work *work)
{
	const struct seen *seen = container_of(work, struct seen, print);

	pr_info("%ps returned %ld after %lld ns\n", (void *)seen->ip, (long)seen->value,
		seen->ns);
}

/* A CPU that goes, or falls asleep with the machine, would forget an irq_work. */
static bool can_print(void)
{
	return cpu_active(raw_smp_processor_id()) && system_state != SYSTEM_SUSPEND;
}

static int entry_handler(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *entry_data)
{
	struct call *call = entry_data;
	long nr = atomic_long_fetch_inc(&calls);

	call->entered = ktime_get_mono_fast_ns();
	if (nr < PRINTED_CALLS && can_print()) {
		first_entered[nr].ip = entry_ip;
		first_entered[nr].ret_ip = ret_ip;
		irq_work_queue(&first_entered[nr].print);
	}
	return 0;
}

static void exit_handler(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *entry_data)
{
	struct call *call = entry_data;
	s64 ns = ktime_get_mono_fast_ns() - call->entered;
	long nr = atomic_long_fetch_inc(&returns);

	atomic64_add(ns, &total_ns);
	if (nr < PRINTED_CALLS && can_print()) {
		first_returned[nr].ip = entry_ip;
		first_returned[nr].value = regs_return_value(regs);
		first_returned[nr].ns = ns;
		irq_work_queue(&first_returned[nr].print);
	}
}

static struct fprobe probe = {
	.entry_handler = entry_handler,
	.exit_handler = exit_handler,
	.entry_data_size = sizeof(struct call),
};

/* Once the handlers have ended: their irq_works must not outlive this module. */
static void end_prints(void)
{
	unsigned int i;

	for (i = 0; i < PRINTED_CALLS; i++) {
		irq_work_sync(&first_entered[i].print);
		irq_work_sync(&first_returned[i].print);
	}
}

static int __init fprobe_example_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < PRINTED_CALLS; i++) {
		init_irq_work(&first_entered[i].print, print_entered);
		init_irq_work(&first_returned[i].print, print_returned);
	}
	err = register_fprobe(&probe, symbol, *nosymbol ? nosymbol : NULL);
	if (err) {
		end_prints();
		pr_err("register_fprobe: error %d\n", err);
		return err;
	}
	pr_info("planted fprobe at %s\n", symbol);
	return 0;
}

static void __exit fprobe_example_exit(void)
{
	long nr;

	unregister_fprobe(&probe);
	end_prints();
	nr = atomic_long_read(&returns);
	pr_info("%s: %ld calls, %ld returned, %lld ns on average, %lu missed\n", symbol,
		atomic_long_read(&calls), nr, nr ? div64_s64(atomic64_read(&total_ns), nr) : 0,
		probe.nmissed);
}

module_init(fprobe_example_init);
module_exit(fprobe_example_exit);
MODULE_DESCRIPTION("Example of an fprobe");
MODULE_LICENSE("GPL");
