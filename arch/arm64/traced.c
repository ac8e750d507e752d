// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer, by its own trampolines: it can lead
 * its sites to no others that are as far away as a module may be.
 */
#include <linux/irqflags.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"

unsigned long arch_ftrace_trampoline(unsigned int way)
{
	return 0;
}

unsigned long arch_traced_stub(unsigned int nr, void *data)
{
	return 0;
}

/* The tracer does not save the processor's state, as functions need not keep it. */
static __always_inline void add_state(struct pt_regs *regs, unsigned long flags)
{
	regs->pstate = (flags & (PSR_D_BIT | PSR_A_BIT | ARM64_IRQ_BITS)) |
		       read_sysreg(CurrentEL) | 1;
}

/* Somebody who was called before may have redirected the function: it stays so. */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs)
{
	unsigned long flags = read_sysreg(daif), pc = regs->pc;
	enum dispatched dispatched;

	raw_local_irq_disable();
	add_state(regs, flags);
	dispatched = dispatch_ftrace(site, regs, pc);
	if (likely(dispatched == DISPATCHED))
		regs->pc = pc;
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		write_sysreg(flags, daif);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long flags = read_sysreg(daif), pc = regs->pc;

	raw_local_irq_disable();
	add_state(regs, flags);
	fprobe_hit(data, site, regs);
	write_sysreg(flags, daif);
	regs->pc = pc;
}
