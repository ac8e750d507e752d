// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer, by the kernel's own trampoline.
 */
#include <linux/irqflags.h>

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

/*
 * The trampoline fills in no more than it restores.  Somebody who was called
 * before may have redirected the function: it stays so.
 */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = regs->nip, flags;
	enum dispatched dispatched;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->trap = 0;
	dispatched = dispatch_ftrace(site, regs, nip);
	if (likely(dispatched == DISPATCHED))
		regs->nip = nip;
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		raw_local_irq_restore(flags);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = regs->nip, flags;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->trap = 0;
	fprobe_hit(data, site, regs);
	raw_local_irq_restore(flags);
	regs->nip = nip;
}
