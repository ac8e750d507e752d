// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits.  Everything here runs in the context of the probed code.  It does not sleep,
 * allocate or take a lock, and calls nothing outside this module until the guard
 * is held.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "../host/tracing.h"
#include "core.h"
#include "dispatch.h"
#include "profile.h"

DEFINE_PER_CPU(struct hit_state, hit_state);

/* Hidden from the compiler, which would add the variable's part and the CPU's again and again. */
static __always_inline struct hit_state *this_hit(void)
{
	struct hit_state *hit = raw_cpu_ptr(&hit_state);

	OPTIMIZER_HIDE_VAR(hit);
	return hit;
}

/**
 * kprobe_running() - the kprobe whose handler is running on this CPU
 *
 * Context: any, with preemption off for the answer to mean anything.
 * Return: the kprobe; NULL if no handler is running.
 */
struct kprobe *kprobe_running(void)
{
	struct kprobe *p = raw_cpu_read(hit_state.running);

	return p == GUARD_HELD ? NULL : p;
}
EXPORT_SYMBOL_GPL(kprobe_running);

/* An NMI may ask in between: that there is somebody is said when all is said of it. */
static void wait_for_current(struct hit_state *hit)
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
static bool guard_is_stale(const struct hit_state *hit)
{
	const struct task_struct *waiting = READ_ONCE(hit->waiting);

	return waiting && (waiting != current || hit->waiting_since != current->start_boottime ||
			   hit->waiting_pid != current->pid);
}

/* It is held.  Returns false if the one who holds it is going to drop it. */
static noinline bool guard_take_over(struct hit_state *hit)
{
	if (!guard_is_stale(hit))
		return false;
	WRITE_ONCE(hit->handed_on, false);
	WRITE_ONCE(hit->waiting, NULL);
	return true;
}

static __always_inline bool guard_take(struct hit_state *hit)
{
	if (unlikely(READ_ONCE(hit->running)) && !guard_take_over(hit))
		return false;
	WRITE_ONCE(hit->running, GUARD_HELD);
	barrier();
	return true;
}

static void guard_drop(struct hit_state *hit)
{
	barrier();
	WRITE_ONCE(hit->running, NULL);
}

/**
 * dispatch_leave() - end a hit that a pre handler has redirected, unless it is handed on
 *
 * Context: the guard is held, interrupts off.
 */
void dispatch_leave(void)
{
	struct hit_state *hit = this_hit();

	if (!hit->handed_on)
		guard_drop(hit);
}

/**
 * dispatch_hand_on() - the running handler continues in code of its own
 *
 * The guard stays held until dispatch_resume(); interrupts stay off until then.  That code
 * need not return from the functions that it has called.  So the graph tracer, which expects
 * each function that it has seen to return, and in order, must see none of them: it would send
 * the task from a later return to where one of these was called.  The kernel's return probes can't
 * be told beforehand: dispatch_resume() makes them forget these calls.
 *
 * Context: a pre_handler, which then returns non-zero.
 */
asmlinkage void dispatch_hand_on(void)
{
	struct hit_state *hit = this_hit();

	pause_graph_tracing();
	host_calls_note(&hit->calls);
	wait_for_current(hit);
	barrier();
	WRITE_ONCE(hit->handed_on, true);
}

/**
 * dispatch_wait() - the guarded instruction of a hit runs in its slot when the trap returns
 * @irqs: the interrupt state before it, see arch_irq_state()
 *
 * The guard stays held until dispatch_post_guarded().
 *
 * Context: the guard is held, interrupts off.
 */
void dispatch_wait(unsigned long irqs)
{
	struct hit_state *hit = this_hit();

	WRITE_ONCE(hit->running, GUARD_HELD);
	hit->irqs = irqs;
	wait_for_current(hit);
}

/**
 * dispatch_is_handed_on() - does the current task run code that a hit was handed on to
 *
 * Context: any, with interrupts off.
 */
bool dispatch_is_handed_on(void)
{
	const struct hit_state *hit = this_hit();

	return READ_ONCE(hit->handed_on) && !guard_is_stale(hit);
}

/* A client may have cleared what is registered. */
static const struct probe_kind *kind_of(const struct kprobe *p)
{
	static const struct probe_kind none;

	return READ_ONCE(p->kind) ?: &none;
}

static void tell_missed(struct kprobe *p)
{
	atomic_long_inc((atomic_long_t *)&p->nmissed);
	if (kind_of(p)->missed)
		kind_of(p)->missed(p);
}

static void miss(struct kprobe *p)
{
	counts_miss(READ_ONCE(p->counts));
	tell_missed(p);
}

/*
 * While all probes are off a point may still be armed: it could not be disarmed.  Asked where a
 * point is apart, as it is then, and where little is added to what is done already.
 */
static __always_inline bool calls_nobody(const struct probe_point *pt)
{
	return unlikely(READ_ONCE(kprobes_all_disarmed)) && !pt->internal;
}

static void count_missed(struct probe_point *pt)
{
	struct kprobe *p;

	if (calls_nobody(pt))
		return;
	for_each_hit_kprobe(p, pt)
		if (!kprobe_disabled(p))
			miss(p);
}

static __always_inline unsigned int nmis_now(void)
{
	return preempt_count() & NMI_MASK;
}

/* Of kprobes that may have a fault_handler: such a point is apart, and a jump's gate shut. */
static __always_inline void begin_handler(struct hit_state *hit, struct kprobe *p)
{
	WRITE_ONCE(hit->nmis, nmis_now());
	WRITE_ONCE(hit->running, p);
}

/* Runs the pre_handler, if there is one; returns true if it has chosen another path. */
static bool run_counted(struct hit_state *hit, struct kprobe *p,
			struct probe_counts __percpu *counts, struct pt_regs *regs)
{
	kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);
	bool left;

	counts_hit(counts);
	if (!pre_handler)
		return false;
	hit->counts = counts;
	begin_handler(hit, p);
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

/*
 * Returns true if a handler has chosen another path.  Where no post handler is going to run,
 * a probe that has one misses the hit as a whole.  So does one with a fault_handler, if not @counted.
 */
static __always_inline bool run_pre(struct hit_state *hit, struct probe_point *pt,
				    struct pt_regs *regs, bool with_post, bool counted)
{
	struct kprobe *p;

	if (counted && calls_nobody(pt))
		return false;
	for_each_hit_kprobe(p, pt) {
		kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);

		if (kprobe_disabled(p))
			continue;
		/* It has joined since this hit began, for which its point is not apart. */
		if ((!with_post && p->post_handler) || (!counted && p->fault_handler)) {
			miss(p);
		} else if (counted) {
			if (run_counted(hit, p, READ_ONCE(p->counts), regs))
				return true;
		} else if (pre_handler) {
			WRITE_ONCE(hit->running, p);
			if (pre_handler(p, regs))
				return true;
		}
	}
	return false;
}

/* A handler that redirects has replaced arguments, too. */
static void pre_or_undo(struct hit_state *hit, struct kprobe *p, struct pt_regs *regs)
{
	struct probe_counts __percpu *counts = READ_ONCE(p->counts);
	struct pt_regs before = *regs;

	if (!run_counted(hit, p, counts, regs))
		return;
	*regs = before;
	counts_retract(counts);
	tell_missed(p);
}

/*
 * Where no post handler runs in a detour, and where handlers go is ignored: a probe that needs one
 * of these may have been added since the jump was taken, and misses this hit as a whole.
 */
static void run_pre_in_detour(struct hit_state *hit, struct probe_point *pt,
			      struct pt_regs *regs)
{
	struct kprobe *p;

	if (calls_nobody(pt))
		return;
	for_each_hit_kprobe(p, pt) {
		if (kprobe_disabled(p))
			continue;
		if (kind_of(p)->redirects || p->post_handler)
			miss(p);
		else
			run_counted(hit, p, READ_ONCE(p->counts), regs);
	}
}

/*
 * At a site where somebody else decides where the function goes on, a probe whose handler
 * always redirects misses the hit.  One that redirects all the same is undone and has missed it.
 */
static void run_pre_undone(struct hit_state *hit, struct probe_point *pt, struct pt_regs *regs)
{
	struct kprobe *p;

	if (calls_nobody(pt))
		return;
	for_each_hit_kprobe(p, pt) {
		if (kprobe_disabled(p))
			continue;
		if (kind_of(p)->redirects)
			miss(p);
		else if (kind_of(p)->goes_on)
			run_counted(hit, p, READ_ONCE(p->counts), regs);
		else
			pre_or_undo(hit, p, regs);
	}
}

static __always_inline void run_post(struct hit_state *hit, struct probe_point *pt,
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

		if (!post_handler || kprobe_disabled(p) || calls_nobody(pt))
			continue;
		begin_handler(hit, p);
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
		run_post(hit, pt, regs);
		dispatch_post_done(pt, regs, next);
		return false;
	case ARCH_IN_SLOT_GUARDED:
		dispatch_wait(irqs);
		return true;
	default:
		return false;
	}
}

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

	if (!run_pre(hit, pt, regs, with_post, counted)) {
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
		count_missed(pt);
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
		count_missed(pt);
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
	count_missed(pt);
}

/* At a trap the kernel has done most of what handlers_enter() does. */
static __always_inline void run_post_and_drop(struct hit_state *hit, struct probe_point *pt,
					      struct pt_regs *regs, bool in_trap)
{
	if (in_trap)
		trap_enter();
	else
		handlers_enter();
	run_post(hit, pt, regs);
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

	if (run_pre(hit, pt, regs, with_post, true)) {
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
 * Return: true if execution goes on as @regs say, and not in the detour's copies: only with
 * ARCH_DETOUR_SERVES_ALL.
 */
bool dispatch_jump(struct probe_point *pt, struct pt_regs *regs)
{
	struct hit_state *hit = this_hit();

	assert_irqs_masked();
	if (!guard_take(hit)) {
		count_missed(pt);
		return false;
	}
	handlers_enter();
	if (ARCH_DETOUR_SERVES_ALL)
		return serve_jump(hit, pt, regs);
	run_pre_in_detour(hit, pt, regs);
	handlers_leave(arch_irq_state(regs));
	guard_drop(hit);
	return false;
}

#if ARCH_DETOUR_SERVES_ALL
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
#endif

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
		count_missed(pt);
}

/**
 * dispatch_take() - take the guard, for dispatch_done()
 *
 * Context: interrupts off.
 * Return: false if it is held.
 */
bool dispatch_take(void)
{
	return guard_take(raw_cpu_ptr(&hit_state));
}

/**
 * dispatch_guard() - keep hits and interrupts off this CPU
 * @ctx: for dispatch_unguard()
 *
 * For code that is no hit, but works on the same data as hits.
 *
 * Context: any.
 * Return: false if the guard was held already.
 */
bool dispatch_guard(struct handler_context *ctx)
{
	bool taken;

	arch_handlers_enter(ctx);
	taken = guard_take(raw_cpu_ptr(&hit_state));
	if (taken)
		handlers_enter();
	return taken;
}

/**
 * dispatch_unguard() - undo dispatch_guard()
 * @taken: what dispatch_guard() returned
 * @ctx: what it stored
 *
 * Context: as dispatch_guard() left it.
 */
void dispatch_unguard(bool taken, const struct handler_context *ctx)
{
	if (taken) {
		handlers_leave(ctx->flags);
		guard_drop(raw_cpu_ptr(&hit_state));
	}
	arch_handlers_leave(ctx);
}

/**
 * dispatch_running() - set what kprobe_running() returns
 * @p: the kprobe whose handler is about to run
 *
 * Context: the guard is held, interrupts off.
 */
void dispatch_running(struct kprobe *p)
{
	raw_cpu_write(hit_state.running, p);
}

/**
 * dispatch_faulted() - is it the running handler that has faulted, and no NMI on top of it
 * @in_trap: the caller is in a trap that the fault has led to
 *
 * Context: kprobe_running() is a kprobe with a fault_handler.
 */
bool dispatch_faulted(bool in_trap)
{
	return nmis_now() - (in_trap ? ARCH_TRAP_NMIS : 0) == raw_cpu_read(hit_state.nmis);
}

/**
 * dispatch_guarded_irqs() - the interrupt state before a guarded instruction
 *
 * Context: the instruction has faulted on this CPU.
 * Return: as arch_irq_state() gives it.
 */
unsigned long dispatch_guarded_irqs(void)
{
	return raw_cpu_read(hit_state.irqs);
}

/**
 * dispatch_abandon() - a guarded instruction has faulted and will not be run again
 *
 * Context: the CPU that it was to run on, interrupts off.
 */
void dispatch_abandon(void)
{
	struct hit_state *hit = this_hit();

	WRITE_ONCE(hit->waiting, NULL);
	guard_drop(hit);
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
		count_missed(pt);
		return DISPATCHED;
	}
	handlers_enter();
	arch_ftrace_before(regs, site);
	if (kept)
		run_pre_undone(hit, pt, regs);
	else if (READ_ONCE(pt->apart) ? run_pre(hit, pt, regs, true, true) :
					run_pre(hit, pt, regs, true, false))
		return dispatch_ftrace_left(regs, resume);
	arch_ftrace_after(regs, resume);
	if (READ_ONCE(pt->has_post))
		run_post(hit, pt, regs);
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

/* Not inline: the other way needs no registers to be saved. */
static noinline void resume_slowly(struct hit_state *hit, struct probe_point *pt,
				   struct pt_regs *regs)
{
	bool waits = false;

	if (pt->mechanism == POINT_FTRACE) {
		arch_ftrace_after(regs, hit->resume);
		run_post(hit, pt, regs);
	} else if (READ_ONCE(pt->has_post)) {
		waits = hit_with_post(hit, pt, regs);
	} else {
		arch_execute(pt, regs, false);
	}
	handlers_leave(arch_irq_state(regs));
	if (!waits)
		guard_drop(hit);
}

static __always_inline void take_back(struct hit_state *hit)
{
	unpause_graph_tracing();
	WRITE_ONCE(hit->handed_on, false);
	WRITE_ONCE(hit->waiting, NULL);
}

/* Some called functions will never return. */
static noinline void take_back_calls(struct hit_state *hit, struct probe_point *pt,
				     struct pt_regs *regs)
{
	host_calls_abandon(&hit->calls, arch_return_slot(regs));
	take_back(hit);
	resume_slowly(hit, pt, regs);
}

/**
 * dispatch_resume() - end a hit that a handler has handed on
 * @pt: the point that was hit
 * @regs: as the handlers saw them; changed to those behind the instruction
 *
 * Context: as dispatch_hand_on() left it, interrupts off.
 */
void dispatch_resume(struct probe_point *pt, struct pt_regs *regs)
{
	struct hit_state *hit = this_hit();
	unsigned long resume;

	assert_irqs_masked();
	if (unlikely(!host_calls_are(&hit->calls))) {
		take_back_calls(hit, pt, regs);
		return;
	}
	take_back(hit);
	resume = READ_ONCE(pt->arch.resume);
	if (pt->mechanism == POINT_FTRACE || READ_ONCE(pt->has_post) || !resume) {
		resume_slowly(hit, pt, regs);
		return;
	}
	arch_go_on_at(regs, resume);
	handlers_leave(arch_irq_state(regs));
	guard_drop(hit);
}
