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

#define PAN_REGISTER	sys_reg(3, 0, 4, 2, 3)

/* Sets PAN, as an exception does.  Returns its bit if it was set. */
static __always_inline u64 set_pan(void)
{
	u64 pan = read_sysreg_s(PAN_REGISTER) & PSR_PAN_BIT;

	asm volatile(SET_PSTATE_PAN(1) : : : "memory");
	return pan;
}

/**
 * arm64_shut_user() - shut user memory, as an exception and the kernel's entry do
 * @regs: in pstate the bit of PAN is set if it was shut, by PAN, or by TTBR0 as by that entry
 *
 * Context: a function has returned, interrupts off.
 */
asmlinkage void arm64_shut_user(struct pt_regs *regs)
{
	u64 limit = arm64_limit_enter();

	arm64_set_limit(regs, limit);
	regs->pstate |= arm64_uao_with(limit);
	if (system_uses_hw_pan())
		regs->pstate |= set_pan();
	else if (!arm64_shut_ttbr0())
		regs->pstate |= PSR_PAN_BIT;
}

/**
 * arm64_reopen_user() - undo arm64_shut_user()
 * @regs: from there
 *
 * Context: as arm64_shut_user().
 */
asmlinkage void arm64_reopen_user(const struct pt_regs *regs)
{
	arm64_limit_leave(arm64_limit(regs));
	if (regs->pstate & PSR_PAN_BIT)
		return;
	if (system_uses_hw_pan())
		asm volatile(SET_PSTATE_PAN(0) : : : "memory");
	else
		uaccess_ttbr0_enable();
}

/* The tracer does not save pstate, as functions need not preserve it, nor PMR and addr_limit. */
static __always_inline void add_state(struct pt_regs *regs, const struct handler_context *ctx)
{
	regs->pstate = (ctx->daif & (PSR_D_BIT | PSR_A_BIT | ARM64_IRQ_BITS)) |
		       read_sysreg(CurrentEL) | 1 | arm64_uao_with(ctx->limit);
	arm64_set_pmr(regs, ctx->flags);
	arm64_set_limit(regs, ctx->limit);
}

/*
 * A handler that returns for the function takes the return address out of the link register.
 * A tracer that is called after us may replace it there and count on the return, the graph
 * tracer does.  So the return itself is made behind all of them.
 */
static void return_late(struct pt_regs *regs)
{
	if (regs->pc == regs->regs[ARM64_LINK_REGISTER])
		regs->pc = (unsigned long)arm64_return;
}

/* A callback that ran before may have redirected the function: its pc is kept. */
void arch_ftrace_hit(const struct ftrace_ops *ops, unsigned long site, struct pt_regs *regs)
{
	unsigned long pc = regs->pc;
	enum dispatched dispatched;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	add_state(regs, &ctx);
	dispatched = dispatch_ftrace_shared(ops, site, regs, pc);
	if (likely(dispatched == DISPATCHED))
		regs->pc = pc;
	else if (dispatched == DISPATCHED_ELSEWHERE)
		return_late(regs);
	/* After a hand-on interrupts stay off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long pc = regs->pc;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	add_state(regs, &ctx);
	fprobe_hit(data, site, regs);
	arch_handlers_leave(&ctx);
	regs->pc = pc;
}
