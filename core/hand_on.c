// SPDX-License-Identifier: GPL-2.0-only
/*
 * A handler that goes on in code of its own, as the function of a jprobe does, and how its hit ends.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "../host/tracing.h"
#include "hit.h"

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
	guard_wait_for_current(hit);
	barrier();
	WRITE_ONCE(hit->handed_on, true);
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

/* Not inline: the other way needs no registers to be saved. */
static noinline void resume_slowly(struct hit_state *hit, struct probe_point *pt,
				   struct pt_regs *regs)
{
	bool waits = false;

	if (pt->mechanism == POINT_FTRACE) {
		arch_ftrace_after(regs, hit->resume);
		hit_run_post(hit, pt, regs);
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
