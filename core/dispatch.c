// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits by traps and jumps. Everything here runs in the context of the probed code.  It does not sleep,
 * allocate or take a lock, and calls nothing outside this module until the guard
 * is held.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>

#include "hit.h"

/* Continues a hit after all pre handlers have run. */
static __always_inline void go_on(struct hit_state *hit, struct probe_point *pt,
				  struct pt_regs *regs, bool with_post)
{
	if (!with_post) {
		arch_execute(pt, regs, false);
		guard_drop(hit);
	} else if (!hit_with_post(hit, pt, regs)) {
		guard_drop(hit);
	}
}

/* A probe of our own, on the path that faults take.  Its handler runs even if the guard is held. */
static void hit_internal(struct probe_point *pt, struct pt_regs *regs)
{
	struct kprobe *p = list_first_or_null_rcu(&pt->probes, struct kprobe, list);

	if (!p || kprobe_disabled(p) || !p->pre_handler(p, regs))
		arch_execute(pt, regs, false);
}

static __always_inline void serve_trap(struct hit_state *hit, struct probe_point *pt,
				       struct pt_regs *regs, bool counted)
{
	bool with_post = READ_ONCE(pt->has_post);

	if (!hit_run_pre(hit, pt, regs, with_post, counted)) {
		go_on(hit, pt, regs, with_post);
		return;
	}
	arch_leave_jumps(regs);
	arch_redirected(regs);
	dispatch_leave();
}

static noinline void hit_apart(struct hit_state *hit, struct probe_point *pt, struct pt_regs *regs)
{
	if (pt->internal) {
		hit_internal(pt, regs);
	} else if (!guard_take(hit)) {
		hit_count_missed(pt);
		arch_execute(pt, regs, false);
	} else {
		serve_trap(hit, pt, regs, true);
	}
}

/**
 * dispatch_trap() - a breakpoint was hit
 * @pt: the point there
 * @regs: registers at the trap
 *
 * Context: any, with interrupts off; NMI too.
 */
void dispatch_trap(struct probe_point *pt, struct pt_regs *regs)
{
	struct hit_state *hit = this_hit();

	assert_irqs_masked();
	trap_enter();
	dispatch_note_leaver(pt);
	if (unlikely(READ_ONCE(pt->apart))) {
		hit_apart(hit, pt, regs);
	} else if (unlikely(!guard_take(hit))) {
		hit_count_missed(pt);
		arch_execute(pt, regs, false);
	} else {
		serve_trap(hit, pt, regs, false);
	}
	trap_leave();
}

/**
 * dispatch_miss() - a hit in a state in which no handler may run
 * @pt: the point; its instruction is run by the caller
 *
 * Context: any, with interrupts off; NMI too.
 */
void dispatch_miss(struct probe_point *pt)
{
	assert_irqs_masked();
	hit_count_missed(pt);
}

/* At a trap the kernel has done most of what handlers_enter() does. */
static __always_inline void run_post_and_drop(struct hit_state *hit, struct probe_point *pt,
					      struct pt_regs *regs, bool in_trap)
{
	if (in_trap)
		trap_enter();
	else
		handlers_enter();
	hit_run_post(hit, pt, regs);
	if (in_trap)
		trap_leave();
	else
		handlers_leave(arch_irq_state(regs));
	guard_drop(hit);
}

/**
 * dispatch_post_guarded() - the copy of a guarded instruction has run in its slot
 * @pt: the point it belongs to
 * @regs: registers behind the instruction
 * @in_trap: by a trap, not by a stub
 *
 * Context: that of the probed code, but with interrupts off; the guard has been held
 * since the pre handlers.
 */
void dispatch_post_guarded(struct probe_point *pt, struct pt_regs *regs, bool in_trap)
{
	struct hit_state *hit = this_hit();

	assert_irqs_masked();
	WRITE_ONCE(hit->waiting, NULL);
	arch_set_irq_state(regs, hit->irqs);
	run_post_and_drop(hit, pt, regs, in_trap);
}

/*
 * A handler behind a jump has redirected, and all but the guard is as it was before.  Where a hit
 * is handed on to, there is no jump.
 */
static void leave_jump(struct pt_regs *regs)
{
	struct hit_state *hit = this_hit();

	if (hit->handed_on)
		return;
	arch_leave_jumps(regs);
	guard_drop(hit);
}

/* As serve_trap().  Returns true if execution goes on as @regs say. */
static bool serve_jump(struct hit_state *hit, struct probe_point *pt, struct pt_regs *regs)
{
	bool with_post = READ_ONCE(pt->has_post), waits = false;

	if (hit_run_pre(hit, pt, regs, with_post, true)) {
		/* Code that is handed on to is told again; dispatch_resume() undoes that. */
		handlers_leave(arch_irq_state(regs));
		leave_jump(regs);
		return true;
	}
	if (with_post)
		waits = hit_with_post(hit, pt, regs);
	handlers_leave(arch_irq_state(regs));
	if (!waits)
		guard_drop(hit);
	return with_post;
}

/**
 * dispatch_jump() - serve a hit that a detour could not serve by itself
 * @pt: the point that it belongs to
 * @regs: registers at the jump
 *
 * Either the guard is held, or the handlers have to be looked up.
 *
 * Context: any, with interrupts off.
 * Return: true if execution goes on as @regs say, and not in the detour's copies.
 */
bool dispatch_jump(struct probe_point *pt, struct pt_regs *regs)
{
	struct hit_state *hit = this_hit();

	assert_irqs_masked();
	if (!guard_take(hit)) {
		hit_count_missed(pt);
		return false;
	}
	handlers_enter();
	return serve_jump(hit, pt, regs);
}

/**
 * dispatch_jump_left() - a detour has called a pre_handler, which has chosen another path
 * @pt: the point
 * @regs: as it left them; execution goes on as they say
 *
 * Context: the detour has taken the guard and raised the preemption count; interrupts off.
 */
asmlinkage void dispatch_jump_left(struct probe_point *pt, struct pt_regs *regs)
{
	lower_preempt_count();
	leave_jump(regs);
}

/**
 * dispatch_jump_post() - a detour has called the pre_handlers, and there may be post handlers
 * @pt: the point
 * @regs: as they left them; changed to those with which execution goes on
 *
 * The guard may still be free, if no probe there has a pre_handler.
 *
 * Context: as dispatch_jump_left().
 */
asmlinkage void dispatch_jump_post(struct probe_point *pt, struct pt_regs *regs)
{
	struct hit_state *hit = this_hit();
	bool waits;

	WRITE_ONCE(hit->running, GUARD_HELD);
	waits = hit_with_post(hit, pt, regs);
	lower_preempt_count();
	if (!waits)
		guard_drop(hit);
}

/**
 * dispatch_post() - the copy of an instruction has run in its slot
 * @pt: the point it belongs to
 * @regs: registers behind the instruction
 * @in_trap: by a trap, not by a stub
 *
 * Context: that of the probed code, but with interrupts off.
 */
void dispatch_post(struct probe_point *pt, struct pt_regs *regs, bool in_trap)
{
	struct hit_state *hit = this_hit();

	assert_irqs_masked();
	if (guard_take(hit))
		run_post_and_drop(hit, pt, regs, in_trap);
	else
		hit_count_missed(pt);
}
