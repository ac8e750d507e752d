// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entering and leaving a jprobe's function, see trampoline.S and ../jprobe.h.
 */
#include <linux/percpu.h>
#include <linux/irqflags.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../jprobe.h"
#include "entry.h"

static_assert(offsetof(struct jprobe_state, regs.bp) == X86_JPROBE_STATE_BP);

DEFINE_PER_CPU(void *, x86_jprobe_entry);
DEFINE_PER_CPU(unsigned long, x86_jprobe_probed);	/* as a return address to the instruction */

/* The registers, if a detour has them on the stack, above the function; NULL: see jprobe_state. */
DEFINE_PER_CPU(struct pt_regs *, x86_jprobe_frame);

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	raise_preempt_count();	/* until dispatch_resume() */
	jprobe_begin(pt, regs, entry);
	raw_cpu_write(x86_jprobe_frame, NULL);
	raw_cpu_write(x86_jprobe_entry, entry);
	raw_cpu_write(x86_jprobe_probed, pt->addr + 1);
	regs->ip = jprobe_has_stack_args(regs->sp) ? (unsigned long)x86_jprobe_enter :
						     (unsigned long)x86_jprobe_enter_no_args;
	/* As C code expects it, and as it will be in x86_jprobe_back(). */
	regs->flags &= ~(X86_EFLAGS_IF | X86_EFLAGS_DF);
}

/* Are the stack arguments where x86_detour_jprobe copies them from? */
static __always_inline bool is_plain_call(const struct pt_regs *regs)
{
	unsigned long behind = (unsigned long)(regs + 1) + X86_GAP + sizeof(long);

	return regs->sp == behind && jprobe_has_stack_args(behind);
}

/* Not inline: the other way calls nothing. */
static noinline void jumped_slowly(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	/* A client may have cleared what it has not unregistered, and its links. */
	if (!entry) {
		arch_execute(pt, regs, false);
		lower_preempt_count();
		dispatch_done();
		return;
	}
	dispatch_hand_on();
	lower_preempt_count();
	arch_enter_jprobe(pt, regs, entry);
}

/**
 * x86_jprobe_jumped() - a detour has taken the guard for a jprobe
 * @p: the jprobe's kprobe, which its client may have cleared
 * @regs: registers at the jump
 * @pt: the point
 *
 * Context: interrupts off, the preemption count raised, until dispatch_resume().
 * Return: the function to enter below @regs, behind dispatch_hand_on(); NULL: go on as they say
 */
asmlinkage void *x86_jprobe_jumped(struct kprobe *p, struct pt_regs *regs, struct probe_point *pt)
{
	void *entry = READ_ONCE(container_of(p, struct jprobe, kp)->entry);

	if (unlikely(!entry || !is_plain_call(regs))) {
		jumped_slowly(pt, regs, entry);
		return NULL;
	}
	raw_cpu_write(jprobe_state.point, pt);
	raw_cpu_write(x86_jprobe_frame, regs);
	return entry;
}

/**
 * x86_jprobe_end() - the function that was entered from a detour has ended
 * @regs: changed to those with which the probed function resumes
 * @from: where the stack pointer was
 */
asmlinkage void x86_jprobe_end(struct pt_regs *regs, unsigned long from)
{
	host_frames_abandoned(from, (unsigned long)regs);
	dispatch_resume(jprobe_end(), regs);
}

#ifdef CONFIG_TRACE_IRQFLAGS
asmlinkage void x86_jprobe_irqs_off(void)
{
	assert_irqs_masked();
	tell_irqs_off();
}
#endif

/**
 * x86_jprobe_restore() - restore the registers after a jprobe's function
 * @regs: filled with the registers with which the probed function resumes
 */
asmlinkage void x86_jprobe_restore(struct pt_regs *regs)
{
	*regs = raw_cpu_ptr(&jprobe_state)->regs;
	host_frames_abandoned((unsigned long)regs, regs->sp);
	dispatch_resume(jprobe_end(), regs);
}
