/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hits and misses of a probe, counted while an operator wants to know them.
 *
 * What has no counters costs nothing: while nobody counts, the ways that most hits take do not
 * look for any.  While somebody does, every hit goes the way of those that are looked up, which
 * counts: a point has no solo then, and detours have their gates shut.
 */
#ifndef LKP_PROFILE_H
#define LKP_PROFILE_H

#include <linux/atomic.h>
#include <linux/percpu.h>

/**
 * struct probe_counts - of one probe on one CPU
 * @hits: only who holds the guard writes it
 * @misses: anybody may, an NMI too
 */
struct probe_counts {
	unsigned long hits;
	atomic_long_t misses;
};

/**
 * struct probe_sum - of one probe on all CPUs
 * @hits: how often its handlers were called
 * @misses: how often they should have been
 */
struct probe_sum {
	unsigned long hits;
	unsigned long misses;
};

extern bool profile_on;		/* guarded by kprobe_mutex */

struct probe_counts __percpu *counts_new(unsigned int nr);
struct probe_sum counts_sum(struct probe_counts __percpu *counts);

/* All in the context of handlers, and with counters or NULL. */

/* The guard is held: nobody else writes here.  Who sums up reads meanwhile. */
static __always_inline void counts_add_hits(struct probe_counts __percpu *counts, long more)
{
	struct probe_counts *here = raw_cpu_ptr(counts);

	WRITE_ONCE(here->hits, here->hits + more);
}

/* The guard is held. */
static __always_inline void counts_hit(struct probe_counts __percpu *counts)
{
	if (counts)
		counts_add_hits(counts, 1);
}

static __always_inline void counts_miss(struct probe_counts __percpu *counts)
{
	if (counts)
		atomic_long_inc(&raw_cpu_ptr(counts)->misses);
}

/* What these have counted as a hit is a miss after all.  The guard has been held since. */
static __always_inline void counts_retract(struct probe_counts __percpu *counts)
{
	if (!counts)
		return;
	counts_add_hits(counts, -1);
	counts_miss(counts);
}

#endif /* LKP_PROFILE_H */
