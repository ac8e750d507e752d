// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entering and leaving a jprobe's function: see trampoline.S and ../jprobe.h.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <asm/reg.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../jprobe.h"

/* The access to user memory of the probed function: what the jprobe's function has left is not that. */
static void put_back_access(struct pt_regs *regs)
{
#ifdef CONFIG_PPC_PKEY
	regs->amr = raw_cpu_ptr(&jprobe_state)->regs.amr;
#endif
}

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	handlers_enter();
	jprobe_begin(pt, regs, entry);
	regs->gpr[11] = pt->addr;
	regs->gpr[12] = (unsigned long)entry;
	regs->softe |= IRQS_DISABLED;
	powerpc_resume_at(regs, jprobe_has_stack_args(regs->gpr[1]) ?
			  (unsigned long)powerpc_jprobe_enter :
			  (unsigned long)powerpc_jprobe_enter_no_args);
}

/**
 * powerpc_put_back() - make an exception return with other registers
 * @regs: its registers
 * @saved: the other registers
 *
 * The remaining fields of @regs belong to the exception, and are kept: in @saved they are
 * not filled in if no exception has saved it.
 *
 * Context: the exception.
 */
void powerpc_put_back(struct pt_regs *regs, const struct pt_regs *saved)
{
	memcpy(regs->gpr, saved->gpr, sizeof(regs->gpr));
	regs->nip = saved->nip;
	regs->ctr = saved->ctr;
	regs->link = saved->link;
	regs->xer = saved->xer;
	regs->ccr = saved->ccr;
	arch_set_irq_state(regs, saved->softe);
}

/**
 * powerpc_jprobe_end() - a jprobe's function has ended
 * @regs: at the trap after it; filled with what the probed function resumes with
 *
 * Context: trap, interrupts off.
 */
void powerpc_jprobe_end(struct pt_regs *regs)
{
	unsigned long from = regs->gpr[1];

	powerpc_put_back(regs, &raw_cpu_ptr(&jprobe_state)->regs);
	put_back_access(regs);
	host_frames_abandoned(from, regs->gpr[1]);
	dispatch_resume(jprobe_end(), regs);
	powerpc_resume_at(regs, regs->nip);
}
