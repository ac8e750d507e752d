// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer: by trampolines of our own, see
 * trampoline.S, or by the kernel's where others are interested in the site, too.
 */
#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"

/* What each stub tells fprobe_hit(). */
void *x86_traced_data[ARCH_NR_TRACED_STUBS];

unsigned long arch_ftrace_trampoline(unsigned int way)
{
	unsigned long at = (unsigned long)x86_ftrace_entry;

	OPTIMIZER_HIDE_VAR(at);
	return at;
}

unsigned long arch_traced_stub(unsigned int nr, void *data)
{
	unsigned long at = (unsigned long)x86_traced_stubs;

	OPTIMIZER_HIDE_VAR(at);
	WRITE_ONCE(x86_traced_data[nr], data);
	return at + nr * X86_TRACED_STUB_SIZE;
}

/*
 * The tracer goes on at regs->ip but keeps the stack pointer.  A handler that
 * has popped something, to return for the function, gets what it asked for by
 * way of a return: what it popped is free to hold where that goes.
 */
static noinline void pop_by_return(struct pt_regs *regs, unsigned long sp)
{
	unsigned long *target = (unsigned long *)regs->sp - 1;
	unsigned long stub = (unsigned long)x86_return;

	if (target > (unsigned long *)sp) {
		*(unsigned long *)sp = (unsigned long)target;
		stub = (unsigned long)x86_pop_sp_and_return;
	}
	*target = regs->ip;
	regs->ip = stub;
}

/*
 * Where the trampolines return to: the place of ss is that of the call's return
 * address.  All of it, as newer kernels call only the selector ss.
 */
static __always_inline void go_on_at(struct pt_regs *regs, unsigned long ip)
{
	*(unsigned long *)&regs->ss = ip;
}

/**
 * x86_ftrace_entered() - the trampoline of the probes has been called at a site
 * @regs: registers there, ip behind the site, on the stack below where sp points
 *
 * Context: any, with interrupts off; the trampoline restores them from @regs.
 */
asmlinkage void x86_ftrace_entered(struct pt_regs *regs)
{
	unsigned long sp = (unsigned long)(regs + 1), ip = regs->ip;

	if (likely(dispatch_ftrace(ip - ARCH_FTRACE_SITE_SIZE, regs, ip) == DISPATCHED)) {
		go_on_at(regs, ip);
		return;
	}
	if (regs->sp > sp)
		pop_by_return(regs, sp);
	go_on_at(regs, regs->ip);
}

/* Somebody who was called before may have redirected the function: it stays so. */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs)
{
	unsigned long sp = regs->sp, ip = regs->ip;
	struct handler_context ctx;
	enum dispatched dispatched;

	arch_handlers_enter(&ctx);
	dispatched = dispatch_ftrace(site, regs, ip);
	if (likely(dispatched == DISPATCHED))
		regs->ip = ip;
	else if (regs->sp > sp)
		pop_by_return(regs, sp);
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long ip = regs->ip;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	fprobe_hit(data, site, regs);
	arch_handlers_leave(&ctx);
	regs->ip = ip;
}
