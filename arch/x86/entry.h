/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exception does by itself before kernel code runs, for the ways into a
 * handler that are no exception: the table in arch/arch.h.  It stands here three
 * times, since it is needed in C, in assembly and in assembled bytes; who changes
 * one changes the other two.
 *
 * C		arch_handlers_enter(), arch_handlers_leave()
 * trampoline.S	HANDLERS_ENTER; popf or iret restores the flags
 * detour.c	emit_handlers_enter(); popf restores the flags
 */
#ifndef LKP_X86_ENTRY_H
#define LKP_X86_ENTRY_H

#ifdef __ASSEMBLY__

#include <asm/smap.h>

/*
 * Expects the flags to be saved already.  Amid a function the direction flag may
 * be set, too; "at_call", at its entry and at its end, the ABI has it clear.
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
 * @flags: what interrupts were
 */
struct handler_context {
	unsigned long flags;
};

/*
 * Called by the kernel's own trampolines: they are at functions' entries, where the
 * direction flag is clear.  The alignment check flag is left as it is.
 */
static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	raw_local_irq_save(ctx->flags);
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	raw_local_irq_restore(ctx->flags);
}

/* HANDLERS_ENTER as bytes; the last one only where the processor has SMAP. */
#define X86_CLI		0xfa
#define X86_CLD		0xfc
#define X86_CLAC	0x0f, 0x01, 0xca

#endif /* __ASSEMBLY__ */

#endif /* LKP_X86_ENTRY_H */
