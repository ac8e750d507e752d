// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer: by trampolines of our own, see
 * trampoline.S, or by the kernel's if the site has other users, too.
 */
#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"

/* The first argument of fprobe_hit(), for each stub. */
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
 * The tracer resumes at regs->ip but does not change the stack pointer.  For a handler that has
 * popped the return address, to return for the function, return instructions do it: the last of
 * the words that were popped holds the address to go on at, those before it the address of a
 * return instruction.
 *
 * So there is a return address where the stack pointer was, as at any function's entry: the
 * graph tracer replaces it.
 */
static noinline void pop_by_return(struct pt_regs *regs, unsigned long sp)
{
	unsigned long *last = (unsigned long *)regs->sp - 1, *word;

	for (word = (unsigned long *)sp; word < last; word++)
		*word = (unsigned long)x86_return;
	*last = regs->ip;
	regs->ip = (unsigned long)x86_return;
}

/*
 * Sets the address that the trampolines return to: the call's return address is in
 * the place of ss.  Writes all 64 bits, as in newer kernels ss is only the selector.
 */
static __always_inline void set_return_address(struct pt_regs *regs, unsigned long ip)
{
	*(unsigned long *)&regs->ss = ip;
}

/**
 * x86_ftrace_entered() - serve a hit at a site; called by the trampoline of the probes
 * @regs: registers at the site, with ip behind it; on the stack, directly below the
 *	address in sp
 *
 * Context: any, with interrupts off; the trampoline restores the flags from @regs.
 */
asmlinkage void x86_ftrace_entered(struct pt_regs *regs)
{
	unsigned long sp = (unsigned long)(regs + 1), ip = regs->ip;

	if (likely(dispatch_ftrace(ip - ARCH_FTRACE_SITE_SIZE, regs, ip) == DISPATCHED)) {
		set_return_address(regs, ip);
		return;
	}
	if (regs->sp > sp)
		pop_by_return(regs, sp);
	set_return_address(regs, regs->ip);
}

/*
 * An earlier ftrace callback may have redirected the function: this keeps its regs->ip.  Later
 * ones find the stack pointer as it was.
 */
void arch_ftrace_hit(const struct ftrace_ops *ops, unsigned long site, struct pt_regs *regs)
{
	unsigned long sp = regs->sp, ip = regs->ip;
	struct handler_context ctx;
	enum dispatched dispatched;

	arch_handlers_enter(&ctx);
	dispatched = dispatch_ftrace_shared(ops, site, regs, ip);
	if (likely(dispatched == DISPATCHED))
		regs->ip = ip;
	else if (regs->sp > sp)
		pop_by_return(regs, sp);
	regs->sp = sp;
	/* After HANDED_ON, interrupts stay off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long sp = regs->sp, ip = regs->ip;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	fprobe_hit(data, site, regs);
	arch_handlers_leave(&ctx);
	regs->sp = sp;
	regs->ip = ip;
}
