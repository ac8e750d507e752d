/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exception does before kernel code runs, for the paths to a handler that
 * are not exceptions: see the table in arch/arch.h.  All of them call C at once, so
 * none of this is in assembly.
 *
 * arch_handlers_enter()	saves the access to user memory, and masks interrupts
 * powerpc_keep_access()	does only the first: for post handler stubs, which begin with
 *				interrupts masked
 *
 * Functions that copy to and from user memory are called and return while it is open to them.
 * A handler that accesses user memory closes it behind itself.
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

static __always_inline void powerpc_keep_access(struct handler_context *ctx)
{
	ctx->amr = mfspr(SPRN_AMR);
}

/* Restores the probed code's access to user memory, which handlers may have changed. */
static __always_inline void powerpc_restore_access(const struct handler_context *ctx)
{
	if (likely(mfspr(SPRN_AMR) == ctx->amr))
		return;
	isync();
	mtspr(SPRN_AMR, ctx->amr);
	isync();
}

static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	powerpc_keep_access(ctx);
	raw_local_irq_save(ctx->flags);
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	powerpc_restore_access(ctx);
	raw_local_irq_restore(ctx->flags);
}

#endif /* LKP_POWERPC_ENTRY_H */
