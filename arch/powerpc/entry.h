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
 *
 * arch_handlers_leave()	undoes both
 */
#ifndef LKP_POWERPC_ENTRY_H
#define LKP_POWERPC_ENTRY_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <asm/kup.h>
#include <asm/mmu.h>
#include <asm/ptrace.h>
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

/* As an exception does, for a jprobe: what a handler has left of it is not that of the probed code. */
static __always_inline void powerpc_note_access(struct pt_regs *regs, const struct handler_context *ctx)
{
#ifdef CONFIG_PPC_PKEY
	regs->amr = ctx->amr;
#endif
}

static __always_inline void powerpc_set_access(unsigned long amr)
{
	isync();
	mtspr(SPRN_AMR, amr);
	isync();
}

/* Restores the probed code's access to user memory, which handlers may have changed. */
static __always_inline void powerpc_restore_access(const struct handler_context *ctx)
{
	if (unlikely(mfspr(SPRN_AMR) != ctx->amr))
		powerpc_set_access(ctx->amr);
}

/* Older kernels have another name for it. */
#ifdef MMU_FTR_BOOK3S_KUAP
#define POWERPC_FTR_KUAP	MMU_FTR_BOOK3S_KUAP
#else
#define POWERPC_FTR_KUAP	MMU_FTR_KUAP
#endif

/*
 * Does the kernel keep user memory shut, and is it open to the probed code, which can be
 * interrupted?  The bits that are not set in the constant are at its top.  Turned to the bottom it
 * fits into the instruction that compares.
 */
static __always_inline bool powerpc_interrupts_open(const struct handler_context *ctx)
{
	long turned = rol64(ctx->amr, 8);

	OPTIMIZER_HIDE_VAR(turned);
	return turned != (long)rol64(AMR_KUAP_BLOCKED, 8) && !raw_irqs_disabled_flags(ctx->flags) &&
	       mmu_has_feature(POWERPC_FTR_KUAP);
}

static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	powerpc_keep_access(ctx);
	raw_local_irq_save(ctx->flags);
}

/*
 * Unmasking interrupts serves those that came meanwhile, and calls the scheduler.  AMR is neither
 * saved nor shut for them there, nor does a switch of tasks save it: only an exception does both.
 * So it is shut before, and opened behind that.  From there on an interrupt that finds it open
 * is an ordinary one.  In between this task may be preempted and moved to another CPU: what it
 * opens then is that CPU's AMR, for itself.
 */
static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	if (unlikely(powerpc_interrupts_open(ctx))) {
		powerpc_set_access(AMR_KUAP_BLOCKED);
		raw_local_irq_restore(ctx->flags);
		powerpc_set_access(ctx->amr);
		return;
	}
	powerpc_restore_access(ctx);
	raw_local_irq_restore(ctx->flags);
}

#endif /* LKP_POWERPC_ENTRY_H */
