/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same cases for traps and for jumps: what handlers see and may do does not depend on which of
 * both a probe is.  With jumps=0, as at first, probes are hit as they are behind their
 * registration, so by traps; with jumps=1 when the optimiser has made a jump of what can be one.
 */
#ifndef SETTLED_H
#define SETTLED_H

#include <linux/kprobes.h>
#include <linux/moduleparam.h>

#include "ktap.h"

static bool jumps;
module_param(jumps, bool, 0644);
MODULE_PARM_DESC(jumps, "hit probes when they have become jumps");

static unsigned int nr_jumps;

/* Behind each registration. */
static inline void settle(const struct kprobe *p)
{
	if (!jumps)
		return;
	wait_for_kprobe_optimizer();
	nr_jumps += kprobe_optimized(p);
}

/* For the end of the table of cases. */
static void case_where_there_should_be_jumps_there_were(struct ktap *t)
{
	if (!jumps)
		t->skip = "hit by traps";
	else
		seq_printf(t->m, "# %u probes were jumps\n", nr_jumps);
	/* Elsewhere most cases need a trap, as they have a post_handler. */
	if (jumps && IS_ENABLED(CONFIG_X86_64))
		EXPECT(t, nr_jumps > 0);
}

#endif /* SETTLED_H */
