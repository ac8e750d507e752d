/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all ways of serving a hit have in common: the guard, the handlers, what is counted.
 * In a header, as the ways that matter have no call that they can do without.
 */
#ifndef LKP_HIT_H
#define LKP_HIT_H

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core.h"
#include "dispatch.h"

/* Hidden from the compiler, which would add the variable's part and the CPU's again and again. */
static __always_inline struct hit_state *this_hit(void)
{
	struct hit_state *hit = raw_cpu_ptr(&hit_state);

	OPTIMIZER_HIDE_VAR(hit);
	return hit;
}

/* ---- guard.c ---- */

bool guard_take_over(struct hit_state *hit);

/* An NMI may ask in between: that there is somebody is said when all is said of it. */
static inline void guard_wait_for_current(struct hit_state *hit)
{
	hit->waiting_since = current->start_boottime;
	hit->waiting_pid = current->pid;
	barrier();
	WRITE_ONCE(hit->waiting, current);
}

/*
 * A guarded instruction runs with interrupts off, so its task keeps the CPU until it
 * is done.  If another task finds the guard held, the instruction has faulted and
 * killed its task, which will never drop the guard.  The other task may live in the
 * memory of the dead one, even with its number, but began later.  Where the clock is so
 * coarse that two lives in one memory begin at one time, their numbers differ.
 */
static inline bool guard_is_stale(const struct hit_state *hit)
{
	const struct task_struct *waiting = READ_ONCE(hit->waiting);

	return waiting && (waiting != current || hit->waiting_since != current->start_boottime ||
			   hit->waiting_pid != current->pid);
}

/* ---- hit.c ---- */

void hit_tell_missed(struct kprobe *p);
void hit_miss(struct kprobe *p);
void hit_count_missed(struct probe_point *pt);
bool hit_run_counted(struct hit_state *hit, struct kprobe *p,
		     struct probe_counts __percpu *counts, struct pt_regs *regs);

static __always_inline bool guard_take(struct hit_state *hit)
{
	if (unlikely(READ_ONCE(hit->running)) && !guard_take_over(hit))
		return false;
	WRITE_ONCE(hit->running, GUARD_HELD);
	barrier();
	return true;
}

static __always_inline void guard_drop(struct hit_state *hit)
{
	barrier();
	WRITE_ONCE(hit->running, NULL);
}

/* A client may have cleared what is registered. */
static __always_inline const struct probe_kind *hit_kind_of(const struct kprobe *p)
{
	static const struct probe_kind none;

	return READ_ONCE(p->kind) ?: &none;
}

/*
 * While all probes are off a point may still be armed: it could not be disarmed.  Asked where a
 * point is apart, as it is then, and where little is added to what is done already.
 */
static __always_inline bool hit_calls_nobody(const struct probe_point *pt)
{
	return unlikely(READ_ONCE(kprobes_all_disarmed)) && !pt->internal;
}

static __always_inline unsigned int hit_nmis_now(void)
{
	return preempt_count() & NMI_MASK;
}

/* Of kprobes that may have a fault_handler: such a point is apart, and a jump's gate shut. */
static __always_inline void hit_begin_handler(struct hit_state *hit, struct kprobe *p)
{
	WRITE_ONCE(hit->nmis, hit_nmis_now());
	WRITE_ONCE(hit->running, p);
}

/*
 * Returns true if a handler has chosen another path.  Where no post handler is going to run,
 * a probe that has one misses the hit as a whole.  So does one with a fault_handler, if not @counted.
 */
static __always_inline bool hit_run_pre(struct hit_state *hit, struct probe_point *pt,
					struct pt_regs *regs, bool with_post, bool counted)
{
	struct kprobe *p;

	if (counted && hit_calls_nobody(pt))
		return false;
	for_each_hit_kprobe(p, pt) {
		kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);

		if (kprobe_disabled(p))
			continue;
		/* It has joined since this hit began, for which its point is not apart. */
		if ((!with_post && p->post_handler) || (!counted && p->fault_handler)) {
			hit_miss(p);
		} else if (counted) {
			if (hit_run_counted(hit, p, READ_ONCE(p->counts), regs))
				return true;
		} else if (pre_handler) {
			WRITE_ONCE(hit->running, p);
			if (pre_handler(p, regs))
				return true;
		}
	}
	return false;
}

static __always_inline void hit_run_post(struct hit_state *hit, struct probe_point *pt,
					 struct pt_regs *regs)
{
	struct kprobe *p = READ_ONCE(pt->solo_post);

	if (likely(p)) {
		WRITE_ONCE(hit->running, p);
		dispatch_solo_post(p, regs);
		return;
	}
	for_each_hit_kprobe(p, pt) {
		kprobe_post_handler_t post_handler = READ_ONCE(p->post_handler);

		if (!post_handler || kprobe_disabled(p) || hit_calls_nobody(pt))
			continue;
		hit_begin_handler(hit, p);
		post_handler(p, regs, 0);
	}
}

/* Returns true if the guard stays held until dispatch_post(). */
static __always_inline bool hit_with_post(struct hit_state *hit, struct probe_point *pt,
					  struct pt_regs *regs)
{
	unsigned long irqs = arch_irq_state(regs), next;

	switch (arch_execute(pt, regs, true)) {
	case ARCH_EXECUTED:
		next = instruction_pointer(regs);
		hit_run_post(hit, pt, regs);
		dispatch_post_done(pt, regs, next);
		return false;
	case ARCH_IN_SLOT_GUARDED:
		dispatch_wait(irqs);
		return true;
	default:
		return false;
	}
}

#endif /* LKP_HIT_H */
