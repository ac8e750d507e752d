// SPDX-License-Identifier: GPL-2.0-only
/*
 * An fprobe on the functions that match the parameter symbol=, except those that
 * match nosymbol=. Prints the first calls, with caller and duration, and totals
 * when it is unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>

#define PRINTED_CALLS	3

static char symbol[256] = "kernel_clone";
module_param_string(symbol, symbol, sizeof(symbol), 0400);
MODULE_PARM_DESC(symbol, "functions to probe: patterns with *, or names, separated by commas");

static char nosymbol[256];
module_param_string(nosymbol, nosymbol, sizeof(nosymbol), 0400);
MODULE_PARM_DESC(nosymbol, "functions to leave out");

/* Data that the entry handler stores for the exit handler. */
struct call {
	ktime_t entered;
};

static atomic64_t total_ns = ATOMIC64_INIT(0);
static atomic_long_t calls = ATOMIC_LONG_INIT(0);
static atomic_long_t returns = ATOMIC_LONG_INIT(0);

static int entry_handler(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *entry_data)
{
	struct call *call = entry_data;

	call->entered = ktime_get();
	if (atomic_long_inc_return(&calls) <= PRINTED_CALLS)
		pr_info("%ps called from %pS\n", (void *)entry_ip, (void *)ret_ip);
	return 0;
}

static void exit_handler(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *entry_data)
{
	struct call *call = entry_data;
	s64 ns = ktime_to_ns(ktime_sub(ktime_get(), call->entered));

	atomic64_add(ns, &total_ns);
	if (atomic_long_inc_return(&returns) <= PRINTED_CALLS)
		pr_info("%ps returned %ld after %lld ns\n", (void *)entry_ip,
			(long)regs_return_value(regs), ns);
}

static struct fprobe probe = {
	.entry_handler = entry_handler,
	.exit_handler = exit_handler,
	.entry_data_size = sizeof(struct call),
};

static int __init fprobe_example_init(void)
{
	int err = register_fprobe(&probe, symbol, *nosymbol ? nosymbol : NULL);

	if (err)
		pr_err("register_fprobe: error %d\n", err);
	else
		pr_info("planted fprobe at %s\n", symbol);
	return err;
}

static void __exit fprobe_example_exit(void)
{
	long nr;

	unregister_fprobe(&probe);
	nr = atomic_long_read(&returns);
	pr_info("%s: %ld calls, %ld returned, %lld ns on average, %lu missed\n", symbol,
		atomic_long_read(&calls), nr, nr ? div64_s64(atomic64_read(&total_ns), nr) : 0,
		probe.nmissed);
}

module_init(fprobe_example_init);
module_exit(fprobe_example_exit);
MODULE_DESCRIPTION("Example of an fprobe");
MODULE_LICENSE("GPL");
