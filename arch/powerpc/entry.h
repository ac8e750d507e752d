/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exception does before kernel code runs, for the paths to a handler that
 * are not exceptions: see the table in arch/arch.h.  All of them call C at once, so
 * none of this is in assembly.
 *
 * arch_handlers_enter()	masks interrupts, on all paths
 * powerpc_keep_access()	saves the access to user memory, on the paths that start in
 *				the middle of a function: detours and post handler stubs
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

/* Not part of arch_handlers_enter(): that saves a dozen instructions per tracer hit and return. */
static __always_inline void powerpc_keep_access(struct handler_context *ctx)
{
	ctx->amr = mfspr(SPRN_AMR);
}

/* Restores the probed code's access to user memory, which handlers may have changed. */
static __always_inline void powerpc_restore_access(const struct handler_context *ctx)
{
	if (likely(mfspr(SPRN_AMR) == ctx->amr))
		return;
	mtspr(SPRN_AMR, ctx->amr);
	isync();
}

#endif /* LKP_POWERPC_ENTRY_H */
