// SPDX-License-Identifier: GPL-2.0-only
/*
 * An fprobe on functions that a script chooses. Its counters are module parameters.
 */
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "target.h"

static char *filter = "*";
module_param(filter, charp, 0400);

static char *notfilter;
module_param(notfilter, charp, 0400);

static int maxactive;
module_param(maxactive, int, 0400);

static bool forget;
module_param(forget, bool, 0600);
MODULE_PARM_DESC(forget, "unload without unregistering it");

static unsigned long watch;
module_param(watch, ulong, 0600);
MODULE_PARM_DESC(watch, "the address of a function whose calls are counted");

/* The exit handler checks the data that the entry handler stored. */
struct mark {
	struct task_struct *task;
	unsigned long entry_ip;
	unsigned long sp;
};

static DEFINE_PER_CPU(unsigned long, entries);
static DEFINE_PER_CPU(unsigned long, exits);
static DEFINE_PER_CPU(unsigned long, watched);
static unsigned long strange, late, early;
static long ns_in, ns_out;
static bool planted;

module_param(strange, ulong, 0400);
module_param(late, ulong, 0400);
module_param(early, ulong, 0400);
MODULE_PARM_DESC(early, "calls seen when it had just been registered");
module_param(ns_in, long, 0400);
module_param(ns_out, long, 0400);

/* With all functions probed these would be, too: each of their own hits would be missed. */
static notrace int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			    struct pt_regs *regs, void *data)
{
	struct mark *mark = data;

	mark->task = current;
	mark->entry_ip = entry_ip;
	mark->sp = STACK(regs);
	this_cpu_inc(entries);
	/* Before the place of the probe there may be a landing pad, or the tracer's other instructions. */
	if (entry_ip - READ_ONCE(watch) <= 16)
		this_cpu_inc(watched);
	return 0;
}

static notrace void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			    struct pt_regs *regs, void *data)
{
	struct mark *mark = data;

	if (mark->task != current || mark->entry_ip != entry_ip ||
	    mark->sp + RETURN_POPS != STACK(regs) || instruction_pointer(regs) != ret_ip)
		strange++;
	if (!READ_ONCE(planted))
		late++;
	this_cpu_inc(exits);
}

static unsigned long sum_of(const unsigned long __percpu *what)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(what, cpu);
	return sum;
}

static struct fprobe fp;

static int plant(void)
{
	unsigned long seen = sum_of(&entries);
	ktime_t before = ktime_get();
	int err;

	fp = (struct fprobe){ .entry_handler = on_entry, .exit_handler = on_exit,
			      .entry_data_size = sizeof(struct mark), .nr_maxactive = maxactive };
	planted = true;
	err = register_fprobe(&fp, filter, notfilter);
	early = sum_of(&entries) - seen;
	planted = !err;
	ns_in = ktime_to_ns(ktime_sub(ktime_get(), before));
	return err;
}

static void uproot(void)
{
	ktime_t before = ktime_get();

	unregister_fprobe(&fp);
	WRITE_ONCE(planted, false);
	ns_out = ktime_to_ns(ktime_sub(ktime_get(), before));
}

static int set_planted(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (err || want == planted)
		return err;
	if (want)
		return plant();
	uproot();
	return 0;
}

static int get_planted(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", planted);
}

static int print_sum(char *buffer, const unsigned long __percpu *what)
{
	return sysfs_emit(buffer, "%lu\n", sum_of(what));
}

static int get_entries(char *buffer, const struct kernel_param *param)
{
	return print_sum(buffer, &entries);
}

static int get_exits(char *buffer, const struct kernel_param *param)
{
	return print_sum(buffer, &exits);
}

static int get_watched(char *buffer, const struct kernel_param *param)
{
	return print_sum(buffer, &watched);
}

static int get_missed(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lu\n", READ_ONCE(fp.nmissed));
}

static const struct kernel_param_ops planted_ops = { .set = set_planted, .get = get_planted };
static const struct kernel_param_ops entries_ops = { .get = get_entries };
static const struct kernel_param_ops exits_ops = { .get = get_exits };
static const struct kernel_param_ops watched_ops = { .get = get_watched };
static const struct kernel_param_ops missed_ops = { .get = get_missed };
module_param_cb(planted, &planted_ops, NULL, 0600);
module_param_cb(entries, &entries_ops, NULL, 0400);
module_param_cb(exits, &exits_ops, NULL, 0400);
module_param_cb(watched, &watched_ops, NULL, 0400);
module_param_cb(missed, &missed_ops, NULL, 0400);

static int __init many_init(void)
{
	return plant();
}
module_init(many_init);

static void __exit many_exit(void)
{
	if (planted && !forget)
		uproot();
}
module_exit(many_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
