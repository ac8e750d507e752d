// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long do the calls of a function take?  Counts them by powers of two, and shows
 * the counts in /sys/kernel/debug/time_histogram.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>

#define ROWS	40

static char func[KSYM_NAME_LEN] = "vfs_read";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function whose calls are timed");

/* Row n has the calls that took less than 2^n ns.  Each CPU has its own, so no CPU waits. */
static DEFINE_PER_CPU(unsigned long [ROWS], calls);

/* The instance of a call has room for the time of its entry. */
static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(u64 *)ri->data = ktime_get_mono_fast_ns();
	return 0;
}
NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	u64 ns = ktime_get_mono_fast_ns() - *(u64 *)ri->data;

	this_cpu_inc(calls[min(fls64(ns), ROWS - 1)]);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

static struct kretprobe rp = {
	.kp.symbol_name = func,
	.entry_handler = on_entry,
	.handler = on_return,
	.data_size = sizeof(u64),
	/* Many tasks may sleep in the function at once. */
	.maxactive = 256,
};

static int histogram_show(struct seq_file *m, void *unused)
{
	unsigned long sum;
	int row, cpu;

	for (row = 0; row < ROWS; row++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu(calls, cpu)[row]);
		if (sum)
			seq_printf(m, "less than %13llu ns: %lu\n", 1ULL << row, sum);
	}
	seq_printf(m, "missed: %d\n", rp.nmissed);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(histogram);

static struct dentry *file;

static int __init time_histogram_init(void)
{
	int err = register_kretprobe(&rp);

	if (err) {
		pr_err("%s: %s (error %d)\n", func, kprobe_refusal(&rp.kp), err);
		return err;
	}
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &histogram_fops);
	return 0;
}

static void __exit time_histogram_exit(void)
{
	debugfs_remove(file);
	unregister_kretprobe(&rp);
}

module_init(time_histogram_init);
module_exit(time_histogram_exit);
MODULE_DESCRIPTION("Counts the calls of a function by how long they take");
MODULE_LICENSE("GPL");
