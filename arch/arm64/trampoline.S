/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trampolines that stubs and handlers branch to.
 */
#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/sysreg.h>
#include "entry.h"
#include "host_arch.h"

/* The kernel has given new names to these. */
#ifndef PT_REGS_SIZE
#define PT_REGS_SIZE	S_FRAME_SIZE
#endif
#ifndef ARM64_HAS_GIC_PRIO_MASKING
#define ARM64_HAS_GIC_PRIO_MASKING	ARM64_HAS_IRQ_PRIO_MASKING
#endif
#ifndef S_PMR
#define S_PMR	S_PMR_SAVE
#endif

#define FRAME	PT_REGS_SIZE

/* Its size among the registers, too. */
#ifdef LKP_HAVE_REGS_PMR32
#define PMR(n)	w##n
#else
#define PMR(n)	x##n
#endif

/* Becomes \branch when the module is loaded, if pseudo-NMIs are in use. */
.macro UNLESS_PMR insn:req, branch:req
#ifdef CONFIG_ARM64_PSEUDO_NMI
	alternative_insn "\insn", "\branch", ARM64_HAS_GIC_PRIO_MASKING
#else
	\insn
#endif
.endm

/* Calls where a function may return with user memory open, or with an addr_limit: see entry.h. */
.macro IF_USER_OPEN function:req
#ifdef LKP_HAVE_ADDR_LIMIT
	bl	\function
#elif defined(CONFIG_ARM64_SW_TTBR0_PAN)
alternative_if_not ARM64_HAS_PAN
	bl	\function
alternative_else_nop_endif
#endif
.endm

/*
 * Used once each, where a function returns.  The previous masks have been saved with the other
 * registers at sp, but for PMR: see arm64_return_masks.
 */
.macro HANDLERS_ENTER
	UNLESS_PMR "msr daifset, #3", "b .Lpmr_enter"
.Lpmr_entered:
	IF_USER_OPEN .Lshut_user
.endm

/* Also restores the flags. */
.macro HANDLERS_LEAVE
	IF_USER_OPEN .Lreopen_user
	ldr	x2, [sp, #S_PSTATE]
	msr	nzcv, x2
	UNLESS_PMR "msr daif, x2", "b .Lpmr_leave"
.Lpmr_left:
.endm

/* x2 to x29 of struct pt_regs at sp. */
.macro SAVE_GENERAL
	stp	x2, x3, [sp, #S_X2]
	stp	x4, x5, [sp, #S_X4]
	stp	x6, x7, [sp, #S_X6]
	stp	x8, x9, [sp, #S_X8]
	stp	x10, x11, [sp, #S_X10]
	stp	x12, x13, [sp, #S_X12]
	stp	x14, x15, [sp, #S_X14]
	stp	x16, x17, [sp, #S_X16]
	stp	x18, x19, [sp, #S_X18]
	stp	x20, x21, [sp, #S_X20]
	stp	x22, x23, [sp, #S_X22]
	stp	x24, x25, [sp, #S_X24]
	stp	x26, x27, [sp, #S_X26]
	stp	x28, x29, [sp, #S_X28]
.endm

/* x2 to x27 */
.macro RESTORE_GENERAL
	ldp	x2, x3, [sp, #S_X2]
	ldp	x4, x5, [sp, #S_X4]
	ldp	x6, x7, [sp, #S_X6]
	ldp	x8, x9, [sp, #S_X8]
	ldp	x10, x11, [sp, #S_X10]
	ldp	x12, x13, [sp, #S_X12]
	ldp	x14, x15, [sp, #S_X14]
	ldp	x16, x17, [sp, #S_X16]
	ldp	x18, x19, [sp, #S_X18]
	ldp	x20, x21, [sp, #S_X20]
	ldp	x22, x23, [sp, #S_X22]
	ldp	x24, x25, [sp, #S_X24]
	ldp	x26, x27, [sp, #S_X26]
.endm

	.text
/* Called by HANDLERS_ENTER and HANDLERS_LEAVE. */
.Lshut_user:
	mov	x0, sp
	b	arm64_shut_user
.Lreopen_user:
	mov	x0, sp
	b	arm64_reopen_user

/*
 * The return trampoline: a function has returned, to the stub that replaced its
 * return address.  The call in the stub tells which stub it was.  Returns to the address
 * that return_hooks_run() chose, with the link register as a return leaves it.
 *
 * A stack trace finds the caller by the record, or before it is there and after it by x30: the stub,
 * behind the first instruction, and in the end the address.  See traces.c.
 */
SYM_CODE_START(return_trampoline)
	sub	x30, x30, #ARCH_RETURN_STUB_SIZE
	stp	x0, x1, [sp, #-FRAME]!
	SAVE_GENERAL
	add	x1, sp, #FRAME
	stp	x30, x1, [sp, #S_LR]		/* and sp */
	mrs	x2, nzcv
	mrs	x3, daif
	orr	x2, x2, x3
	mrs	x3, CurrentEL			/* the level, where pstate has it */
	orr	x2, x2, x3
	orr	x2, x2, #1
	stp	x30, x2, [sp, #S_PC]		/* and pstate */
	stp	x29, x30, [sp, #S_STACKFRAME]
	add	x29, sp, #S_STACKFRAME
.Lrecorded:
	HANDLERS_ENTER
	mov	x0, sp
	bl	return_hooks_run
	HANDLERS_LEAVE
	RESTORE_GENERAL
	ldr	x30, [sp, #S_LR]
	ldp	x28, x29, [sp, #S_X28]
.Lrestored:
	ldp	x0, x1, [sp], #FRAME
	ret
SYM_CODE_END(return_trampoline)

/* Returns for a function at whose entry the tracer has called us: see traced.c. */
SYM_CODE_START(arm64_return)
	bti	c
	ret
SYM_CODE_END(arm64_return)
.Lreturn_end:

#ifdef CONFIG_ARM64_PSEUDO_NMI
/*
 * What HANDLERS_ENTER and HANDLERS_LEAVE branch to with pseudo-NMIs: struct pt_regs is at sp.  To
 * who follows the stack it is ordinary code, as the trampoline's frame record is there throughout.
 */
SYM_CODE_START_LOCAL(arm64_return_masks)
.Lpmr_enter:
	msr	daifset, #3
	mrs_s	x2, SYS_ICC_PMR_EL1
	mov	x3, #ARM64_PMR_MASKED
	msr_s	SYS_ICC_PMR_EL1, x3
	str	PMR(2), [sp, #S_PMR]
	b	.Lpmr_entered
.Lpmr_leave:
	ldr	PMR(3), [sp, #S_PMR]
	msr_s	SYS_ICC_PMR_EL1, x3
	mrs_s	x4, SYS_ICC_CTLR_EL1
	tbz	x4, #6, 1f			/* PMHE: the distributor looks at PMR, too */
	dsb	sy
1:	msr	daif, x2
	b	.Lpmr_left
SYM_CODE_END(arm64_return_masks)
#endif

/* struct arm64_return_places: labels that are symbols would be names in stack traces. */
	.pushsection .rodata, "a"
	.balign	8
SYM_DATA(arm64_return_places, .quad return_trampoline, .Lrecorded, .Lrestored, .Lreturn_end)
	.popsection

/* Never runs: a name for detours and slots, in stack traces. */
SYM_CODE_START(arm64_detour)
	brk	#ARM64_IMM_EMPTY
	brk	#ARM64_IMM_EMPTY
SYM_CODE_END(arm64_detour)

/*
 * Runs a jprobe's function in place of the probed one, on its stack.  It gets a copy
 * of the stack arguments, as a callee may change them, unless the stack ends too soon
 * for a copy.  Before that come frame records, for stack traces: the one that the probed function
 * would make, and one that names it.
 */
SYM_CODE_START(arm64_jprobe_enter)
	bti	j
	sub	sp, sp, #96
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x29, x30, [sp, #80]
	add	x29, sp, #80
	bl	arm64_jprobe_begin
	mov	x16, x0
	mov	x17, x1
	ldp	x0, x1, [sp]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x29, x30, [sp, #80]
	add	sp, sp, #96
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	and	x10, x17, #~ARM64_JPROBE_HAS_STACK_ARGS
	stp	x29, x10, [sp, #-16]!
	mov	x29, sp
	tbz	x17, #0, 1f
	.rept	ARM64_JPROBE_STACK_ARGS / 16
	ldp	x10, x11, [sp, #ARM64_JPROBE_STACK_ARGS - 16 + 32]
	stp	x10, x11, [sp, #-16]!
	.endr
1:	adr_l	x30, arm64_jprobe_back
	br	x16
SYM_CODE_END(arm64_jprobe_enter)

/*
 * A jprobe's function has ended, by jprobe_return() or by returning: its frames are no
 * longer needed.  Post handlers may follow: to their stack traces the registers have a frame record.
 */
SYM_CODE_START(arm64_jprobe_back)
	bl	arm64_jprobe_place
	sub	sp, x0, #FRAME
	stp	x1, xzr, [sp, #S_STACKFRAME]
	add	x29, sp, #S_STACKFRAME
	mov	x0, sp
	bl	arm64_jprobe_end
	b	arm64_resume
SYM_CODE_END(arm64_jprobe_back)

/*
 * Goes on as the registers at sp say, by an exception return, which takes pc and pstate at once.  All
 * exceptions are masked from the write of the two until then: one that came would write its own there.
 * Firmware's events (SDEI) keep them, as the kernel's own returns are like that.  As in these, sp is what
 * it was, whatever is in the registers.  The built-in kprobes refuse this section.
 */
	.pushsection .kprobes.text, "ax"
SYM_CODE_START(arm64_resume)
	bti	c
	msr	daifset, #0xf
	mov	x0, sp
	bl	arm64_resume_state
	ldr	x1, [sp, #S_PC]
	msr	elr_el1, x1
	msr	spsr_el1, x0
	RESTORE_GENERAL
	ldr	x30, [sp, #S_LR]
	ldp	x28, x29, [sp, #S_X28]
	ldp	x0, x1, [sp], #FRAME
	eret
	dsb	nsh			/* no speculation behind it */
	isb
SYM_CODE_END(arm64_resume)
	.popsection

/*
 * Called in place of what the kernel calls for a breakpoint: see trap.c.  Those that are not ours
 * are passed on by a branch, as that may never return.  The built-in kprobes refuse this section:
 * theirs would trap on their way from here to their handler.
 */
#ifdef LKP_HAVE_BREAK_HOOK
#define ESR	w1		/* far, esr, regs */
#define PASS_ON	import_do_debug_exception
#else
#define ESR	w0		/* esr, regs */
#define PASS_ON	import_do_el1_brk64
#endif

	.pushsection .kprobes.text, "ax"
SYM_CODE_START(arm64_breakpoint)
	bti	c
	mov	w16, #(ARM64_BRK_SYNDROME & 0xffff)
	movk	w16, #(ARM64_BRK_SYNDROME >> 16), lsl #16
	eor	w16, w16, ESR
	tst	w16, #(0xffffffff & ~ARM64_IMM_MASK)
	b.ne	PASS_ON
	b	arm64_serve_brk
SYM_CODE_END(arm64_breakpoint)
	.popsection

	.section .text.lkp_return_stubs, "ax", @progbits
	.balign ARCH_RETURN_STUB_SIZE
	.globl arch_return_stubs
	.type arch_return_stubs, @object
arch_return_stubs:
	.rept ARCH_NR_RETURN_STUBS
	nop					/* see arch_return_stub_for() */
	bl	return_trampoline
	.endr
	.size arch_return_stubs, . - arch_return_stubs

/* What the kernel puts behind that, its veneers for our calls, has this name in stack traces. */
	.type arm64_veneers, @function
arm64_veneers:

	.section .note.GNU-stack, "", @progbits
