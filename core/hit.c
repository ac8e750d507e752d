// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is called at a hit, who misses it, and where that is counted.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>

#include "hit.h"
#include "profile.h"

void hit_tell_missed(struct kprobe *p)
{
	atomic_long_inc((atomic_long_t *)&p->nmissed);
	if (hit_kind_of(p)->missed)
		hit_kind_of(p)->missed(p);
}

void hit_miss(struct kprobe *p)
{
	counts_miss(READ_ONCE(p->counts));
	hit_tell_missed(p);
}

void hit_count_missed(struct probe_point *pt)
{
	struct kprobe *p;

	if (hit_calls_nobody(pt))
		return;
	for_each_hit_kprobe(p, pt)
		if (!kprobe_disabled(p))
			hit_miss(p);
}

/* Runs the pre_handler, if there is one; returns true if it has chosen another path. */
bool hit_run_counted(struct hit_state *hit, struct kprobe *p,
		     struct probe_counts __percpu *counts, struct pt_regs *regs)
{
	kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);
	bool left;

	counts_hit(counts);
	if (!pre_handler)
		return false;
	hit->counts = counts;
	hit_begin_handler(hit, p);
	left = pre_handler(p, regs);
	hit->counts = NULL;
	return left;
}

/**
 * dispatch_count_as_miss() - the running pre_handler can't do what it is for
 *
 * Counters may have come or gone since the hit began: those are meant that it was counted by.
 *
 * Context: a pre_handler.
 */
void dispatch_count_as_miss(void)
{
	counts_retract(raw_cpu_read(hit_state.counts));
}
