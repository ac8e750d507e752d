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
 *
 * Where functions begin and end PAN is set: no kernel calls one with it cleared.  But where PAN is
 * done by TTBR0 the kernel calls functions with user memory open, such as __arch_copy_from_user()
 * and the firmware's (EFI).  There a handler that reads user memory would shut it for what was
 * interrupted.
 */
#ifndef LKP_ARM64_ENTRY_H
#define LKP_ARM64_ENTRY_H

#include <asm/ptrace.h>

/*
 * With pseudo-NMIs the kernel masks interrupts by PMR, a priority, which those NMIs are above of,
 * instead of DAIF.  An exception masks both in DAIF; then the kernel's entry saves PMR and sets it
 * to this, by which irqs_disabled() is true.  So it is here: no NMI comes while a handler runs.
 */
#define ARM64_PMR_MASKED	(GIC_PRIO_IRQON | GIC_PRIO_PSR_I_SET)

#ifndef __ASSEMBLY__

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/linkage.h>
#include <linux/uaccess.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/mmu.h>
#include <asm/sysreg.h>

#if defined(LKP_HAVE_REGS_PMR) || defined(LKP_HAVE_REGS_PMR32)
#define pmr_save	pmr
#endif

#ifndef TTBR_ASID_MASK
#define TTBR_ASID_MASK	TTBRx_EL1_ASID_MASK
#endif

/* PMR of the code that registers belong to; the kernel saves it only if it masks by it. */
static __always_inline u64 arm64_pmr(const struct pt_regs *regs)
{
	return system_uses_irq_prio_masking() ? regs->pmr_save : 0;
}

static __always_inline void arm64_set_pmr(struct pt_regs *regs, u64 pmr)
{
	if (system_uses_irq_prio_masking())
		regs->pmr_save = pmr;
}

/**
 * struct handler_context - what arch_handlers_leave() restores
 * @flags: the interrupt state, as raw_irqs_disabled_flags() takes it: PMR, with pseudo-NMIs
 * @daif: the processor's interrupt masks
 * @open: user memory was open, by TTBR0
 */
struct handler_context {
	unsigned long flags;
	unsigned long daif;
	bool open;
};

/* Shuts user memory, as the kernel's entry does.  Returns whether it was open. */
static __always_inline bool arm64_shut_ttbr0(void)
{
	return system_uses_ttbr0_pan() && read_sysreg(ttbr0_el1) & TTBR_ASID_MASK &&
	       uaccess_ttbr0_disable();
}

static __always_inline void arch_handlers_enter(struct handler_context *ctx)
{
	ctx->daif = read_sysreg(daif);
	ctx->flags = ctx->daif;
	asm volatile("msr daifset, #3" : : : "memory");
	if (system_uses_irq_prio_masking()) {
		ctx->flags = read_sysreg_s(SYS_ICC_PMR_EL1);
		write_sysreg_s(ARM64_PMR_MASKED, SYS_ICC_PMR_EL1);
		barrier();
	}
	ctx->open = arm64_shut_ttbr0();
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	if (ctx->open)
		uaccess_ttbr0_enable();
	/* The guard is dropped before, on this CPU: writing the mask does not tell the compiler. */
	barrier();
	if (system_uses_irq_prio_masking()) {
		write_sysreg_s(ctx->flags, SYS_ICC_PMR_EL1);
		pmr_sync();
	}
	write_sysreg(ctx->daif, daif);
}

asmlinkage void arm64_shut_user(struct pt_regs *regs);
asmlinkage void arm64_reopen_user(const struct pt_regs *regs);

#endif /* !__ASSEMBLY__ */

#endif /* LKP_ARM64_ENTRY_H */
