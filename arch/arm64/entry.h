/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exception does before kernel code runs, for the paths to a handler
 * that are not exceptions: see the table in arch/arch.h.  There are three
 * implementations, for C, assembly and assembled words.  They must be changed
 * together.
 *
 * C		arch_handlers_enter(), arch_handlers_leave()
 * trampoline.S	HANDLERS_ENTER, HANDLERS_LEAVE
 * assembly.c	emit_handlers_enter(), emit_handlers_leave()
 */
#ifndef LKP_ARM64_ENTRY_H
#define LKP_ARM64_ENTRY_H

#ifdef __ASSEMBLY__

/*
 * Used where a function returns: user access is disabled there.  The previous
 * masks have been saved with the other registers.
 */
.macro HANDLERS_ENTER
	msr	daifset, #3
.endm

/* pstate: a register that holds the saved masks */
.macro HANDLERS_LEAVE pstate:req
	msr	daif, \pstate
.endm

#else /* !__ASSEMBLY__ */

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <asm/sysreg.h>

/**
 * struct handler_context - what arch_handlers_leave() restores
 * @flags: the processor's interrupt masks
 */
struct handler_context {
	unsigned long flags;
};

static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	ctx->flags = read_sysreg(daif);
	raw_local_irq_disable();
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	/* The guard is dropped before, on this CPU: writing the mask does not tell the compiler. */
	barrier();
	write_sysreg(ctx->flags, daif);
}

#endif /* __ASSEMBLY__ */

#endif /* LKP_ARM64_ENTRY_H */
