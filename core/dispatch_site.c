// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at sites of the function tracer, as far as dispatch_ftrace() does not serve them inline.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "../host/tracing.h"
#include "hit.h"
#include "profile.h"

/* A handler that redirects has replaced arguments, too. */
static void pre_or_undo(struct hit_state *hit, struct kprobe *p, struct pt_regs *regs)
{
	struct probe_counts __percpu *counts = READ_ONCE(p->counts);
	struct pt_regs before = *regs;

	if (!hit_run_counted(hit, p, counts, regs))
		return;
	*regs = before;
	counts_retract(counts);
	hit_tell_missed(p);
}

/*
 * At a site where somebody else decides where the function goes on, a probe whose handler
 * always redirects misses the hit.  One that redirects all the same is undone and has missed it.
 */
static void run_pre_undone(struct hit_state *hit, struct probe_point *pt, struct pt_regs *regs)
{
	struct kprobe *p;

	if (hit_calls_nobody(pt))
		return;
	for_each_hit_kprobe(p, pt) {
		if (kprobe_disabled(p))
			continue;
		if (hit_kind_of(p)->redirects)
			hit_miss(p);
		else if (hit_kind_of(p)->goes_on)
			hit_run_counted(hit, p, READ_ONCE(p->counts), regs);
		else
			pre_or_undo(hit, p, regs);
	}
}

/**
 * dispatch_ftrace_left() - a pre handler at a site of the tracer has redirected
 * @regs: as it left them
 * @resume: where the tracer would have gone on
 *
 * Context: the guard is held, interrupts off.
 */
noinline enum dispatched dispatch_ftrace_left(struct pt_regs *regs, unsigned long resume)
{
	struct hit_state *hit = this_hit();

	/* Code that is handed on to calls handlers_enter() itself; dispatch_resume() undoes it. */
	handlers_leave(arch_irq_state(regs));
	if (hit->handed_on) {
		hit->resume = resume;
		return HANDED_ON;
	}
	arch_leave_jumps(regs);
	guard_drop(hit);
	return DISPATCHED_ELSEWHERE;
}

/**
 * dispatch_ftrace_post() - serve a hit at a site of the tracer whose only kprobe has a post_handler
 * @p: the kprobe
 * @site: the address of the site
 * @regs: registers at the call
 * @resume: where the tracer goes on
 *
 * Context: interrupts off, the guard is free.
 */
enum dispatched dispatch_ftrace_post(struct kprobe *p, unsigned long site, struct pt_regs *regs,
				     unsigned long resume)
{
	return dispatch_ftrace_solo_post(p, site, regs, resume);
}

/**
 * dispatch_ftrace_slowly() - serve a hit at a site of the function tracer
 * @pt: what table_peek() has found
 * @site: the address of the site
 * @regs: registers at the call
 * @resume: where the tracer goes on
 * @kept: no handler can change that
 *
 * Context: interrupts off.
 */
enum dispatched dispatch_ftrace_slowly(struct probe_point *pt, unsigned long site,
				       struct pt_regs *regs, unsigned long resume, bool kept)
{
	struct hit_state *hit = this_hit();

	assert_irqs_masked();
	if (unlikely(pt->addr != site)) {
		pt = table_find(site);
		if (!pt)
			return DISPATCHED;	/* Races with disarming. */
	}
	if (unlikely(!guard_take(hit))) {
		hit_count_missed(pt);
		return DISPATCHED;
	}
	handlers_enter();
	arch_ftrace_before(regs, site);
	if (kept)
		run_pre_undone(hit, pt, regs);
	else if (READ_ONCE(pt->apart) ? hit_run_pre(hit, pt, regs, true, true) :
					hit_run_pre(hit, pt, regs, true, false))
		return dispatch_ftrace_left(regs, resume);
	arch_ftrace_after(regs, resume);
	if (READ_ONCE(pt->has_post))
		hit_run_post(hit, pt, regs);
	handlers_leave(arch_irq_state(regs));
	guard_drop(hit);
	return DISPATCHED;
}

/**
 * dispatch_ftrace_shared() - serve a hit at a site of the tracer that has other users, too
 * @ops: whose callback has been called
 * @site: its address
 * @regs: registers at the call
 * @resume: where the tracer goes on
 *
 * If somebody else has the last word about that, no handler redirects.
 *
 * Context: as dispatch_ftrace().
 */
enum dispatched dispatch_ftrace_shared(const struct ftrace_ops *ops, unsigned long site,
				       struct pt_regs *regs, unsigned long resume)
{
	if (unlikely(arch_ftrace_is_kept(regs) || host_ftrace_overridden(ops, site)))
		return dispatch_ftrace_slowly(table_peek(site), site, regs, resume, true);
	return dispatch_ftrace(site, regs, resume);
}
