// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes of others wait for calls in a jprobe's function that never return.  Who registers
 * them is told the names of the functions here.
 */
#include <linux/kprobes.h>

#include "ktap.h"
#include "test_jprobe.h"

/* More than a return probe has instances. */
#define ROUNDS	2000

noinline __noclone void lkp_leaves(long a);
noinline __noclone void lkp_leaves(long a)
{
	calls += a;
	jprobe_return();
	barrier();
}

noinline __noclone long lkp_entered(long a, long b);
noinline __noclone long lkp_entered(long a, long b)
{
	lkp_leaves(a);
	return -1;
}

/* It ends by returning. */
noinline __noclone long lkp_entered_to_return(long a, long b);
noinline __noclone long lkp_entered_to_return(long a, long b)
{
	calls += a;
	barrier();
	return -1;
}

noinline __noclone long lkp_calls_it(long a, long b);
noinline __noclone long lkp_calls_it(long a, long b)
{
	long sum = lkp_args2(a, b);

	barrier();
	return sum + 1;
}

static void expect_returns(struct ktap *t, void *entry)
{
	struct jprobe jp;
	int i, wrong = 0;

	if (!plant(t, &jp, lkp_args2, entry))
		return;
	for (i = 0; i < ROUNDS; i++)
		wrong += lkp_calls_it(1, i) != i + 2;
	EXPECT_EQ(t, wrong, 0);
	EXPECT_EQ(t, calls, ROUNDS);
	EXPECT_EQ(t, jp.kp.nmissed, 0);
	unregister_jprobe(&jp);
	EXPECT_EQ(t, lkp_calls_it(1, 2), 4);
}

static void case_calls_around_one_that_is_left_return(struct ktap *t)
{
	expect_returns(t, lkp_entered);
}

static void case_calls_around_one_that_returns_return(struct ktap *t)
{
	expect_returns(t, lkp_entered_to_return);
}

static const struct ktap_case cases[] = {
	CASE(calls_around_one_that_is_left_return),
	CASE(calls_around_one_that_returns_return),
};
KTAP_MODULE(cases);
