// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of every kind that count by themselves what the file "profile" is to say of them.
 */
#include <linux/cpumask.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "target.h"

#define DEPTH	3

static int calls;
module_param(calls, int, 0400);

/* ---- what is probed ---- */

TARGET(lkp_plain, SLOT_ADD(lkp_plain));
TARGET(lkp_posted, SLOT_ADD(lkp_posted));
TARGET(lkp_empty, SLOT_ADD(lkp_empty));

#define PROBED(name)								\
noinline __noclone long name(long a);						\
noinline __noclone long name(long a)						\
{										\
	barrier();								\
	return a + 1;								\
}

PROBED(lkp_entered)
PROBED(lkp_jprobed)
PROBED(lkp_shared)
PROBED(lkp_nesting)
PROBED(lkp_nested)

/* The sum of depth and all below it. */
#define RECURSES(name)								\
noinline __noclone long name(long depth);					\
noinline __noclone long name(long depth)					\
{										\
	long below = depth > 1 ? name(depth - 1) : 0;				\
										\
	barrier();								\
	return below + depth;							\
}

RECURSES(lkp_returned)
RECURSES(lkp_followed)

/* ---- probes ---- */

static atomic_long_t plain, posted, emptied, entered, jprobed, first, second, nested, returned,
		     followed;

#define COUNTS(counter)								\
static int count_##counter(struct kprobe *p, struct pt_regs *regs)		\
{										\
	atomic_long_inc(&(counter));						\
	return 0;								\
}

COUNTS(plain)
COUNTS(entered)
COUNTS(first)
COUNTS(second)
COUNTS(nested)

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_long_inc(p->pre_handler ? &posted : &emptied);
}

static int no_handler(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* What is probed there is missed. */
static int nest(struct kprobe *p, struct pt_regs *regs)
{
	lkp_nested(1);
	atomic_long_inc(&nested);
	return 0;
}

static long see_call(long a)
{
	atomic_long_inc(&jprobed);
	jprobe_return();
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&returned);
	return 0;
}

static int count_followed(struct fprobe *fp, unsigned long entry, unsigned long ret,
			  struct pt_regs *regs, void *data)
{
	atomic_long_inc(&followed);
	return 0;
}

static void see_exit(struct fprobe *fp, unsigned long entry, unsigned long ret,
		     struct pt_regs *regs, void *data)
{
}

static struct kprobe kps[] = {
	{ .symbol_name = "lkp_plain_fn", .pre_handler = count_plain },
	{ .symbol_name = "lkp_posted_fn", .pre_handler = no_handler, .post_handler = count_post },
	{ .symbol_name = "lkp_empty_fn", .post_handler = count_post },
	{ .symbol_name = "lkp_entered", .pre_handler = count_entered },
	{ .symbol_name = "lkp_shared", .pre_handler = count_first },
	{ .symbol_name = "lkp_shared", .pre_handler = count_second },
	{ .symbol_name = "lkp_shared", .pre_handler = count_nested, .flags = KPROBE_FLAG_DISABLED },
	{ .symbol_name = "lkp_nesting", .pre_handler = nest },
	{ .symbol_name = "lkp_nested", .pre_handler = count_nested },
};

static atomic_long_t *const counters[] = {
	&plain, &posted, &emptied, &entered, &first, &second, NULL, &nested, NULL,
};

static struct jprobe jp = { .kp.symbol_name = "lkp_jprobed", .entry = see_call };
static struct kretprobe rp = {
	.kp.symbol_name = "lkp_returned", .handler = count_return, .maxactive = 1,
};
static struct fprobe fp = {
	.entry_handler = count_followed, .exit_handler = see_exit, .nr_maxactive = 1,
	.entry_data_size = 8,
};

/* ---- calls, on all CPUs at the same time ---- */

static void call_all(struct work_struct *work)
{
	int i;

	for (i = 0; i < calls; i++) {
		WARN_ON_ONCE(lkp_plain.fn(40, 2) != 42 || lkp_posted.fn(40, 2) != 42 ||
			     lkp_empty.fn(40, 2) != 42 || lkp_entered(1) != 2 ||
			     lkp_jprobed(1) != 2 || lkp_shared(1) != 2 || lkp_nesting(1) != 2 ||
			     lkp_returned(DEPTH) != 6 || lkp_followed(DEPTH) != 6);
	}
}

static DEFINE_PER_CPU(struct work_struct, works);

static int set_calls(const char *val, const struct kernel_param *param)
{
	int cpu, err = kstrtoint(val, 0, &calls);

	if (err)
		return err;
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(&works, cpu), call_all);
		schedule_work_on(cpu, per_cpu_ptr(&works, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&works, cpu));
	return 0;
}

static const struct kernel_param_ops call_ops = { .set = set_calls };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "written: each CPU calls every function so many times");

/* ---- what they have counted since ---- */

static unsigned long missed_before[ARRAY_SIZE(kps)], returns_missed, followed_missed;

static int forget(const char *val, const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kps); i++) {
		missed_before[i] = kps[i].nmissed;
		if (counters[i])
			atomic_long_set(counters[i], 0);
	}
	returns_missed = rp.nmissed;
	followed_missed = fp.nmissed;
	atomic_long_set(&jprobed, 0);
	atomic_long_set(&returned, 0);
	atomic_long_set(&followed, 0);
	return 0;
}

static const struct kernel_param_ops forget_ops = { .set = forget };
module_param_cb(forget, &forget_ops, NULL, 0200);
MODULE_PARM_DESC(forget, "written: count from zero");

static int line(char *to, char kind, const char *name, unsigned long offset, long hits, long misses)
{
	return sprintf(to, "%c test_profile:%s+0x%lx %ld %ld\n", kind, name, offset, hits, misses);
}

static unsigned long entry_offset(const struct kprobe *p, long (*fn)(long a))
{
	return (unsigned long)p->addr - (unsigned long)dereference_function_descriptor(fn);
}

static int get_counts(char *to, const struct kernel_param *param)
{
	static long (*const functions[])(long) = {
		NULL, NULL, NULL, lkp_entered, lkp_shared, lkp_shared, lkp_shared, lkp_nesting,
		lkp_nested,
	};
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(kps); i++)
		len += line(to + len, 'k', kps[i].symbol_name,
			    functions[i] ? entry_offset(&kps[i], functions[i]) : kps[i].offset,
			    counters[i] ? atomic_long_read(counters[i]) : 0,
			    kps[i].nmissed - missed_before[i]);
	len += line(to + len, 'j', "lkp_jprobed", entry_offset(&jp.kp, lkp_jprobed),
		    atomic_long_read(&jprobed), jp.kp.nmissed);
	len += line(to + len, 'r', "lkp_returned", entry_offset(&rp.kp, lkp_returned),
		    atomic_long_read(&returned), rp.nmissed - returns_missed);
	return len + sprintf(to + len, "f test_profile:lkp_followed %ld %ld\n",
			     atomic_long_read(&followed), fp.nmissed - followed_missed);
}

static const struct kernel_param_ops counts_ops = { .get = get_counts };
module_param_cb(counts, &counts_ops, NULL, 0400);
MODULE_PARM_DESC(counts, "lines as in the file, but for the offset of the fprobe");

/* ---- all of them come and go ---- */

static int plant_kprobes(void)
{
	static struct kprobe *pointers[ARRAY_SIZE(kps)];
	unsigned int i;

	kps[0].offset = lkp_plain.at;
	kps[1].offset = lkp_posted.at;
	kps[2].offset = lkp_empty.at;
	for (i = 0; i < ARRAY_SIZE(kps); i++)
		pointers[i] = &kps[i];
	return register_kprobes(pointers, ARRAY_SIZE(kps));
}

static void pull_kprobes(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kps); i++)
		unregister_kprobe(&kps[i]);
}

static int __init profile_init(void)
{
	static const char *name = "lkp_followed";
	int err = plant_kprobes();

	if (err)
		return err;
	err = register_jprobe(&jp);
	if (err)
		goto no_jprobe;
	err = register_kretprobe(&rp);
	if (err)
		goto no_kretprobe;
	err = register_fprobe_syms(&fp, &name, 1);
	if (!err)
		return 0;
	unregister_kretprobe(&rp);
no_kretprobe:
	unregister_jprobe(&jp);
no_jprobe:
	pull_kprobes();
	return err;
}
module_init(profile_init);

static void __exit profile_exit(void)
{
	unregister_fprobe(&fp);
	unregister_kretprobe(&rp);
	unregister_jprobe(&jp);
	pull_kprobes();
}
module_exit(profile_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
