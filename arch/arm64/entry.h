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
 * Where functions begin and end PAN is set: no kernel calls one with it cleared, but one that has an
 * addr_limit (LKP_HAVE_ADDR_LIMIT) does on a CPU that has PAN and not UAO, and where PAN is done by
 * TTBR0 all do: __arch_copy_from_user() and its like are called with user memory open, and so is the
 * firmware (EFI) in the second case.  There a handler that reads user memory would shut it for what
 * was interrupted.  The tracer has no sites in such functions, but they return.
 *
 * An addr_limit says up to where the task may access memory by user pointers.  It is KERNEL_DS in
 * kernel threads and behind set_fs(), with UAO set.  The kernel's entry sets it to USER_DS, the
 * processor clears UAO, and the return from the exception restores both.
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

#ifdef LKP_HAVE_ADDR_LIMIT
#define ARM64_USER_LIMIT	USER_DS

static __always_inline bool arm64_has_uao(void)
{
	return IS_ENABLED(CONFIG_ARM64_UAO) && cpus_have_const_cap(ARM64_HAS_UAO);
}

/* addr_limit of the code that registers belong to. */
static __always_inline u64 arm64_limit(const struct pt_regs *regs)
{
	return regs->orig_addr_limit;
}

static __always_inline void arm64_set_limit(struct pt_regs *regs, u64 limit)
{
	regs->orig_addr_limit = limit;
}

/* Where functions begin and end UAO is set if this is KERNEL_DS. */
static __always_inline u64 arm64_uao_with(u64 limit)
{
	return arm64_has_uao() && limit == KERNEL_DS ? PSR_UAO_BIT : 0;
}

/* Returns what it was. */
static __always_inline u64 arm64_limit_enter(void)
{
	u64 limit = current_thread_info()->addr_limit;

	current_thread_info()->addr_limit = ARM64_USER_LIMIT;
	if (arm64_has_uao())
		asm volatile(SET_PSTATE_UAO(0) : : : "memory");
	return limit;
}

static __always_inline void arm64_limit_leave(u64 limit)
{
	current_thread_info()->addr_limit = limit;
	if (arm64_uao_with(limit))
		asm volatile(SET_PSTATE_UAO(1) : : : "memory");
}
#else
#define ARM64_USER_LIMIT	0

static __always_inline bool arm64_has_uao(void)
{
	return false;
}

static __always_inline u64 arm64_limit(const struct pt_regs *regs)
{
	return 0;
}

static __always_inline void arm64_set_limit(struct pt_regs *regs, u64 limit)
{
}

static __always_inline u64 arm64_uao_with(u64 limit)
{
	return 0;
}

static __always_inline u64 arm64_limit_enter(void)
{
	return 0;
}

static __always_inline void arm64_limit_leave(u64 limit)
{
}
#endif

/**
 * struct handler_context - what arch_handlers_leave() restores
 * @flags: the interrupt state, as raw_irqs_disabled_flags() takes it: PMR, with pseudo-NMIs
 * @daif: the processor's interrupt masks
 * @limit: addr_limit, where there is one
 * @open: user memory was open, by TTBR0
 */
struct handler_context {
	unsigned long flags;
	unsigned long daif;
	u64 limit;
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
	ctx->limit = arm64_limit_enter();
	ctx->open = arm64_shut_ttbr0();
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	if (ctx->open)
		uaccess_ttbr0_enable();
	arm64_limit_leave(ctx->limit);
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
