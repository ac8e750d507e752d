// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entering and leaving a jprobe's function, see trampoline.S and ../jprobe.h.
 */
#include <linux/percpu.h>
#include <linux/irqflags.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../jprobe.h"

static_assert(offsetof(struct jprobe_state, regs.bp) == X86_JPROBE_STATE_BP);

DEFINE_PER_CPU(void *, x86_jprobe_entry);
DEFINE_PER_CPU(unsigned long, x86_jprobe_probed);	/* as a return address to the instruction */

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	raise_preempt_count();	/* until dispatch_resume() */
	jprobe_begin(pt, regs, entry);
	raw_cpu_write(x86_jprobe_entry, entry);
	raw_cpu_write(x86_jprobe_probed, pt->addr + 1);
	regs->ip = jprobe_has_stack_args(regs->sp) ? (unsigned long)x86_jprobe_enter :
						     (unsigned long)x86_jprobe_enter_no_args;
	/* As C code expects it, and as it will be in x86_jprobe_back(). */
	regs->flags &= ~(X86_EFLAGS_IF | X86_EFLAGS_DF);
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
