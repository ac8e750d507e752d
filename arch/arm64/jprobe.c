// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entering and leaving a jprobe's function: see trampoline.S and ../jprobe.h.
 */
#include <linux/percpu.h>
#include <linux/irqflags.h>
#include <asm/cpufeature.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../jprobe.h"

/* The return from the trap leaves user memory shut, by a bit of the processor or of the kernel. */
static u64 shut_user(void)
{
	return system_uses_hw_pan() || system_uses_ttbr0_pan() ? PSR_PAN_BIT : 0;
}

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	jprobe_begin(pt, regs, entry);
	regs->pc = (unsigned long)arm64_jprobe_enter;
	regs->pstate = (regs->pstate & ~(u64)(PSR_BTYPE_MASK | PSR_UAO_BIT)) | ARM64_IRQ_BITS |
		       shut_user();
	arm64_set_pmr(regs, ARM64_PMR_MASKED);
	arm64_set_limit(regs, ARM64_USER_LIMIT);
}

/**
 * arm64_jprobe_begin() - a jprobe's function is about to be called
 *
 * Context: called by arm64_jprobe_enter(), interrupts off.
 */
asmlinkage struct arm64_jprobe arm64_jprobe_begin(void)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	handlers_enter();
	return (struct arm64_jprobe){
		.entry = state->entry,
		.probed = state->point->addr |
			  (jprobe_has_stack_args(state->regs.sp) ? ARM64_JPROBE_HAS_STACK_ARGS : 0),
	};
}

/**
 * arm64_jprobe_place() - a jprobe's function has ended: where the probed one goes on
 *
 * Context: called by arm64_jprobe_back(), interrupts off; what follows uses the stack below that.
 */
asmlinkage struct arm64_jprobe_place arm64_jprobe_place(void)
{
	const struct pt_regs *regs = &raw_cpu_ptr(&jprobe_state)->regs;

	host_frames_abandoned(current_stack_pointer, regs->sp);
	return (struct arm64_jprobe_place){ .sp = regs->sp, .fp = regs->regs[29] };
}

/**
 * arm64_jprobe_end() - resume the probed function after a jprobe's function
 * @regs: filled with the registers that the probed function resumes with
 *
 * Context: called by arm64_jprobe_back(), interrupts off.
 */
asmlinkage void arm64_jprobe_end(struct pt_regs *regs)
{
	const struct pt_regs *saved = &raw_cpu_ptr(&jprobe_state)->regs;

	regs->user_regs = saved->user_regs;
	arm64_set_pmr(regs, arm64_pmr(saved));
	arm64_set_limit(regs, arm64_limit(saved));
	arm64_set_record(regs, saved->pc);
	dispatch_resume(jprobe_end(), regs);
}
