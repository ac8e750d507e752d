/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exception does by itself before kernel code runs, for the ways into a
 * handler that are no exception: the table in arch/arch.h.  All of them call C at
 * once, so nothing of it is in assembly.
 *
 * arch_handlers_enter()	masks interrupts, for all of them
 * powerpc_keep_access()	access to user memory, for those that come amid a function:
 *				detours and stubs for post handlers
 */
#ifndef LKP_POWERPC_ENTRY_H
#define LKP_POWERPC_ENTRY_H

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <asm/reg.h>

/**
 * struct handler_context - what arch_handlers_leave() restores
 * @flags: the kernel's own interrupt mask
 * @amr: which user memory the probed code can access, see powerpc_keep_access()
 */
struct handler_context {
	unsigned long flags;
	unsigned long amr;
};

static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	raw_local_irq_save(ctx->flags);
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	raw_local_irq_restore(ctx->flags);
}

/* Not part of arch_handlers_enter(): it is a dozen instructions at each tracer's hit and return. */
static __always_inline void powerpc_keep_access(struct handler_context *ctx)
{
	ctx->amr = mfspr(SPRN_AMR);
}

/* User memory is as accessible as the probed code has made it, whatever handlers accessed. */
static __always_inline void powerpc_restore_access(const struct handler_context *ctx)
{
	if (likely(mfspr(SPRN_AMR) == ctx->amr))
		return;
	mtspr(SPRN_AMR, ctx->amr);
	isync();
}

#endif /* LKP_POWERPC_ENTRY_H */
