/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Test cases in a kernel module, which print KTAP.
 *
 * A case is a function case_WHAT_IT_SHOWS(struct ktap *t) with EXPECTs in it.
 * KTAP_MODULE() with a table of cases defines the module.  The cases run when the
 * debugfs file with the module's name is read, which returns the results.
 * run_cases in lib/ktap.sh reads it.
 */
#ifndef KTAP_H
#define KTAP_H

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>

#include "older.h"

/* Enough for the whole output of a module: seq_file must not start again. */
#define KTAP_OUTPUT	(256 * 1024)

/**
 * struct ktap - a case that is running
 * @m: where its output goes
 * @failed: an EXPECT did not hold
 * @skip: why it can't run here, or NULL
 */
struct ktap {
	struct seq_file *m;
	bool failed;
	const char *skip;
};

struct ktap_case {
	const char *name;
	void (*run)(struct ktap *t);
};

#define CASE(what)	{ #what, case_##what }

/* A kernel without preemption has no preemption count to check. */
static inline bool may_sleep_here(void)
{
	return !irqs_disabled() && (!IS_ENABLED(CONFIG_PREEMPT_COUNT) || preemptible());
}

static inline bool ktap_fail(struct ktap *t, int line, const char *what)
{
	t->failed = true;
	seq_printf(t->m, "# line %d: %s\n", line, what);
	return false;
}

/* Each returns whether it holds, so that a case can end early. */
#define EXPECT(t, what) ({							\
	bool __holds = (what);							\
										\
	if (!__holds)								\
		ktap_fail(t, __LINE__, "not so: " #what);			\
	__holds;								\
})

#define EXPECT_EQ(t, got, want) ({						\
	long __got = (long)(got), __want = (long)(want);			\
										\
	if (__got != __want)							\
		seq_printf((t)->m, "# got %ld (0x%lx), wanted %ld (0x%lx)\n",	\
			   __got, __got, __want, __want);			\
	__got == __want ? true :						\
			  ktap_fail(t, __LINE__, #got " is not " #want);	\
})

static inline void ktap_run_one(struct seq_file *m, unsigned int nr, const struct ktap_case *c)
{
	struct ktap t = { .m = m };

	pr_info("%s: %s\n", KBUILD_MODNAME, c->name);
	c->run(&t);
	seq_printf(m, "%sok %u - %s", t.failed ? "not " : "", nr, c->name);
	if (t.skip && !t.failed)
		seq_printf(m, " # SKIP %s", t.skip);
	seq_putc(m, '\n');
}

#define KTAP_MODULE(cases)							\
static int ktap_show(struct seq_file *m, void *unused)				\
{										\
	unsigned int i;								\
										\
	seq_printf(m, "1..%zu\n", ARRAY_SIZE(cases));				\
	for (i = 0; i < ARRAY_SIZE(cases); i++)					\
		ktap_run_one(m, i + 1, &(cases)[i]);				\
	return 0;								\
}										\
KTAP_FILE(ktap_show);								\
MODULE_DESCRIPTION("Test of loadable kprobes");					\
MODULE_LICENSE("GPL")

/* The module's file in debugfs, and what calls show() when it is read. */
#define KTAP_FILE(show)								\
static int ktap_open(struct inode *inode, struct file *file)			\
{										\
	return single_open_size(file, show, NULL, KTAP_OUTPUT);		\
}										\
										\
static const struct file_operations ktap_fops = {				\
	.owner = THIS_MODULE,							\
	.open = ktap_open,							\
	.read = seq_read,							\
	.llseek = seq_lseek,							\
	.release = single_release,						\
};										\
										\
static struct dentry *ktap_file;						\
										\
static int __init ktap_init(void)						\
{										\
	ktap_file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL,	\
					&ktap_fops);				\
	return 0;								\
}										\
module_init(ktap_init);								\
										\
static void __exit ktap_exit(void)						\
{										\
	debugfs_remove(ktap_file);						\
}										\
module_exit(ktap_exit)

#endif /* KTAP_H */
