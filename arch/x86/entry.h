/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exception does by itself before kernel code runs, for the ways into a
 * handler that are no exception: see the table in arch/arch.h.  There are three
 * versions, for C, assembly and assembled bytes.  Change all three together.
 *
 * C		arch_handlers_enter(), arch_handlers_leave()
 * trampoline.S	HANDLERS_ENTER; popf or iret restores the flags
 * detour.c	emit_handlers_enter(); popf restores the flags
 */
#ifndef LKP_X86_ENTRY_H
#define LKP_X86_ENTRY_H

/*
 * Bytes between the registers and the stack of the probed code, besides the word that is pushed
 * first: together six words, as the kernel's entry of a breakpoint leaves.  A handler may write
 * there, as to emulate a call, and what is emulated, behind a handler that has lowered sp.
 */
#define X86_GAP		40

#ifdef __ASSEMBLY__

#include <asm/smap.h>

/*
 * Expects the flags to be saved already.  In the middle of a function the direction
 * flag may be set; "at_call", at its entry or return, the ABI requires it clear.
 */
.macro HANDLERS_ENTER where
	cli
	.ifb \where
	cld
	.endif
	ASM_CLAC
.endm

#else /* !__ASSEMBLY__ */

#include <linux/compiler.h>
#include <linux/irqflags.h>

/**
 * struct handler_context - what arch_handlers_leave() restores
 * @flags: the flags, with the previous interrupt state
 */
struct handler_context {
	unsigned long flags;
};

/*
 * Used behind the kernel's own trampolines.  These run at function entries, where the
 * direction flag is clear.  The alignment check flag is not changed.
 */
static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	raw_local_irq_save(ctx->flags);
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	raw_local_irq_restore(ctx->flags);
}

/* HANDLERS_ENTER as bytes; X86_CLAC only if the processor has SMAP. */
#define X86_CLI		0xfa
#define X86_CLD		0xfc
#define X86_CLAC	0x0f, 0x01, 0xca

#endif /* __ASSEMBLY__ */

#endif /* LKP_X86_ENTRY_H */
