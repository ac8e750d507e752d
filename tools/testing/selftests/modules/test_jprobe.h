/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of jprobes share: functions to probe, and jprobes that note their
 * arguments.  Each module has its own copy of both.
 */
#ifndef LKP_TEST_JPROBE_H
#define LKP_TEST_JPROBE_H

#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

static int calls;

/* ---- arguments ---- */

static long seen[16];

#define SEE(nr, arg)	(seen[nr] = (long)(arg))

/*
 * FUNCTION(nr, parameters, sum, see): a function that returns the sum of its
 * arguments, and a jprobe's function for it.
 */
#define FUNCTION(name, parameters, sum, see)					\
noinline __noclone long lkp_##name parameters;						\
noinline __noclone long lkp_##name parameters						\
{										\
	barrier();								\
	return sum;								\
}										\
static inline long see_##name parameters					\
{										\
	calls++;								\
	see;									\
	jprobe_return();							\
	return -1;								\
}

FUNCTION(args1, (long a), a, SEE(0, a))
FUNCTION(args2, (long a, long b), a + b, (SEE(0, a), SEE(1, b)))
FUNCTION(args6, (long a, long b, long c, long d, long e, long f), a + b + c + d + e + f,
	 (SEE(0, a), SEE(1, b), SEE(2, c), SEE(3, d), SEE(4, e), SEE(5, f)))
FUNCTION(args7, (long a, long b, long c, long d, long e, long f, char g),
	 a + b + c + d + e + f + g,
	 (SEE(0, a), SEE(1, b), SEE(2, c), SEE(3, d), SEE(4, e), SEE(5, f), SEE(6, g)))

static inline bool plant(struct ktap *t, struct jprobe *jp, void *fn, void *entry)
{
	*jp = (struct jprobe){ .kp.addr = fn, .entry = entry };
	calls = 0;
	memset(seen, 0, sizeof(seen));
	if (!EXPECT_EQ(t, register_jprobe(jp), 0))
		return false;
#ifdef SETTLED_H
	settle(&jp->kp);
#endif
	return true;
}

/* They leave every register and flag alone; the second needs a slot for a push. */
TARGET(asm_nothing, NOTHING(asm_nothing));
TARGET(asm_pushes, PUSHES(asm_pushes));

/* ---- other kinds of probes ---- */

static inline int nothing_on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	calls++;
	return 0;
}

static int post_calls;

static inline void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_calls++;
}

#endif /* LKP_TEST_JPROBE_H */
