/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mainline's test of kprobes takes of KUnit, for kernels that are built without it.  The
 * cases run when the module's file in debugfs is read: selftests/modules/ktap.h.
 */
#ifndef LKP_KUNIT_TEST_H
#define LKP_KUNIT_TEST_H

#include <linux/stacktrace.h>
#include <linux/static_call.h>
#include "ktap.h"

/*
 * Not exported to modules: its address is given by who has read /proc/kallsyms.  The kernel never
 * calls it by a pointer, so it may have sealed the entry against that (it has no hash of kCFI, and
 * no endbr64): the call has to be a direct one.
 */
static unsigned long stack_trace_save_regs_at;
module_param_named(stack_trace_save_regs, stack_trace_save_regs_at, ulong, 0600);
DEFINE_STATIC_CALL_NULL(save_regs, stack_trace_save_regs);
#define stack_trace_save_regs(...)	static_call(save_regs)(__VA_ARGS__)

struct kunit {
	struct ktap ktap;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char name[256];
	int (*init)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(function)	{ .run_case = function, .name = #function }

#define KUNIT_SAYS(test, what)	EXPECT(&(test)->ktap, what)

#define KUNIT_EXPECT_EQ(test, left, right)	KUNIT_SAYS(test, (left) == (right))
#define KUNIT_EXPECT_NE(test, left, right)	KUNIT_SAYS(test, (left) != (right))
#define KUNIT_EXPECT_FALSE(test, what)		KUNIT_SAYS(test, !(what))

/* Only in functions that return nothing, as a case does. */
#define KUNIT_ASSERT_EQ(test, left, right)					\
do {										\
	if (!KUNIT_EXPECT_EQ(test, left, right))				\
		return;								\
} while (0)

#define KUNIT_ASSERT_NE(test, left, right)					\
do {										\
	if (!KUNIT_EXPECT_NE(test, left, right))				\
		return;								\
} while (0)

static inline bool kunit_run(struct seq_file *m, const struct kunit_suite *suite,
			     const struct kunit_case *c)
{
	struct kunit test = { .ktap.m = m };

	if (suite->init && suite->init(&test))
		return ktap_fail(&test.ktap, __LINE__, "no init");
	c->run_case(&test);
	return !test.ktap.failed;
}

static inline void kunit_run_all(struct seq_file *m, const struct kunit_suite *suite)
{
	const struct kunit_case *c;
	unsigned int nr = 0;

	for (c = suite->test_cases; c->run_case; c++)
		seq_printf(m, "%sok %u - %s\n", kunit_run(m, suite, c) ? "" : "not ", ++nr, c->name);
	seq_printf(m, "1..%u\n", nr);
}

#define kunit_test_suites(suite)						\
static int ktap_show(struct seq_file *m, void *unused)				\
{										\
	if (!stack_trace_save_regs_at)						\
		return -EINVAL;							\
	static_call_update(save_regs,						\
			   (typeof(&stack_trace_save_regs))stack_trace_save_regs_at);	\
	kunit_run_all(m, suite);						\
	return 0;								\
}										\
KTAP_FILE(ktap_show)

#endif /* LKP_KUNIT_TEST_H */
