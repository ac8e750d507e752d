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

#ifdef __ASSEMBLY__

#include <asm/alternative.h>
#include <asm/cpucaps.h>

/* Calls where user memory is opened by TTBR0. */
.macro BY_TTBR0 function:req
#ifdef CONFIG_ARM64_SW_TTBR0_PAN
alternative_if_not ARM64_HAS_PAN
	bl	\function
alternative_else_nop_endif
#endif
.endm

/* All registers have been saved at sp, with the previous masks. */
.macro HANDLERS_ENTER
	msr	daifset, #3

	BY_TTBR0 .Lshut_user
.endm

/* Loads a register with the saved masks. */
.macro HANDLERS_LEAVE pstate:req
	BY_TTBR0 .Lreopen_user
	ldr	\pstate, [sp, #S_PSTATE]
	msr	daif, \pstate
.endm

#else /* !__ASSEMBLY__ */

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/linkage.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/mmu.h>
#include <asm/sysreg.h>

struct pt_regs;

/**
 * struct handler_context - what arch_handlers_leave() restores
 * @flags: the processor's interrupt masks
 * @open: user memory was open, by TTBR0
 */
struct handler_context {
	unsigned long flags;
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
	ctx->flags = read_sysreg(daif);
	raw_local_irq_disable();
	ctx->open = arm64_shut_ttbr0();
}

static __always_inline void arch_handlers_leave(const struct handler_context *ctx)
{
	if (ctx->open)
		uaccess_ttbr0_enable();
	/* The guard is dropped before, on this CPU: writing the mask does not tell the compiler. */
	barrier();
	write_sysreg(ctx->flags, daif);
}

asmlinkage void arm64_shut_user(struct pt_regs *regs);
asmlinkage void arm64_reopen_user(const struct pt_regs *regs);

#endif /* __ASSEMBLY__ */

#endif /* LKP_ARM64_ENTRY_H */
