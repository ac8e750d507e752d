// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer, through its own trampolines: other
 * trampolines may be out of its reach, as modules may be far away.
 */
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

/* The tracer does not save pstate, as functions need not preserve it. */
static __always_inline void add_state(struct pt_regs *regs, unsigned long flags)
{
	regs->pstate = (flags & (PSR_D_BIT | PSR_A_BIT | ARM64_IRQ_BITS)) |
		       read_sysreg(CurrentEL) | 1;
}

/* A callback that ran before may have redirected the function: its pc is kept. */
void arch_ftrace_hit(const struct ftrace_ops *ops, unsigned long site, struct pt_regs *regs)
{
	unsigned long pc = regs->pc;
	enum dispatched dispatched;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	add_state(regs, ctx.flags);
	dispatched = dispatch_ftrace_shared(ops, site, regs, pc);
	if (likely(dispatched == DISPATCHED))
		regs->pc = pc;
	/* After a hand-on interrupts stay off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long pc = regs->pc;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	add_state(regs, ctx.flags);
	fprobe_hit(data, site, regs);
	arch_handlers_leave(&ctx);
	regs->pc = pc;
}
