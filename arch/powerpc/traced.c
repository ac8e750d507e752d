// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer, by the kernel's own trampoline.
 */
#include <linux/irqflags.h>
#include <asm/cputable.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"

/* A call at a site can't reach code of ours. */
unsigned long arch_ftrace_trampoline(void)
{
	return 0;
}

unsigned long arch_traced_stub(unsigned int nr, void *data)
{
	return 0;
}

static unsigned long way_out(void)
{
	if (cpu_has_feature(CPU_FTR_HVMODE))
		return (unsigned long)powerpc_leave_tracer_hv;
	return (unsigned long)powerpc_leave_tracer;
}

/* Where the site goes on, as things stand: several of us may be called there. */
static unsigned long resume_of(const struct pt_regs *regs)
{
	return regs->nip == way_out() ? regs->gpr[11] : regs->nip;
}

static void leave_to(struct pt_regs *regs, unsigned long nip)
{
	regs->nip = nip;
	if (!IS_ENABLED(CONFIG_PREEMPTION))
		return;
	regs->gpr[11] = nip;
	regs->nip = way_out();
}

/*
 * The trampoline fills in no more than it restores.  Somebody who was called
 * before may have redirected the function: it stays so.
 */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = resume_of(regs), flags;
	enum dispatched dispatched;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->trap = 0;
	dispatched = dispatch_ftrace(site, regs, nip);
	leave_to(regs, likely(dispatched == DISPATCHED) ? nip : regs->nip);
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		raw_local_irq_restore(flags);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = resume_of(regs), flags;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->trap = 0;
	fprobe_hit(data, site, regs);
	leave_to(regs, nip);
	raw_local_irq_restore(flags);
}
