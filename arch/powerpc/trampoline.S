/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trampolines that stubs and traps branch to.  They are entered with the TOC pointer
 * of the probed code, so C functions are called where they set up their own.
 */
#include <asm/asm-offsets.h>

#include "host_arch.h"

#define REGS	112	/* offset of struct pt_regs in a frame */
#define FRAME	(REGS + POWERPC_REGS_SIZE)

.macro SAVE_GENERAL base:req
	.set	.Lreg, 2
	.rept	30
	std	.Lreg, \base + 8 * .Lreg(1)
	.set	.Lreg, .Lreg + 1
	.endr
.endm

/* r13 belongs to the CPU, which may be another one by now. */
.macro RESTORE_GENERAL base:req
	.set	.Lreg, 2
	.rept	30
	.if .Lreg != 13
	ld	.Lreg, \base + 8 * .Lreg(1)
	.endif
	.set	.Lreg, .Lreg + 1
	.endr
.endm

/* A function expects its own address in r12. */
.macro CALL_C function:req
	bcl	20, 31, 1f
1:	mflr	12
	addis	12, 12, (\function - 1b)@ha
	addi	12, 12, (\function - 1b)@l
	mtctr	12
	bctrl
.endm

	.text
	.balign	8
/*
 * The return trampoline: a function has returned, to the stub that replaced its
 * return address.  The call in the stub has put the address after it into LR.
 */
	.globl	return_trampoline
	.type	return_trampoline, @function
return_trampoline:
	stdu	1, -FRAME(1)
	std	0, REGS + POWERPC_REGS_GPR(0)(1)
	SAVE_GENERAL REGS
	addi	0, 1, FRAME
	std	0, REGS + POWERPC_REGS_GPR(1)(1)
	mflr	0
	std	0, REGS + POWERPC_REGS_NIP(1)
	std	0, REGS + POWERPC_REGS_LINK(1)
	mfmsr	0
	std	0, REGS + POWERPC_REGS_MSR(1)
	mfctr	0
	std	0, REGS + POWERPC_REGS_CTR(1)
	mfxer	0
	std	0, REGS + POWERPC_REGS_XER(1)
	mfcr	0
	std	0, REGS + POWERPC_REGS_CCR(1)
	std	3, REGS + POWERPC_REGS_ORIG_R3(1)
	li	0, 0
	std	0, REGS + POWERPC_REGS_TRAP(1)
	std	0, REGS + POWERPC_REGS_RESULT(1)
	addi	3, 1, REGS
	CALL_C	powerpc_returned
	ld	0, REGS + POWERPC_REGS_NIP(1)
	mtlr	0
	ld	0, REGS + POWERPC_REGS_XER(1)
	mtxer	0
	ld	0, REGS + POWERPC_REGS_CCR(1)
	mtcr	0
	ld	0, REGS + POWERPC_REGS_GPR(0)(1)
	RESTORE_GENERAL REGS
	addi	1, 1, FRAME
	blr
	.size	return_trampoline, . - return_trampoline

/*
 * Returns for a function at whose entry the tracer has called us: see traced.c.  The tracer leaves
 * the return address in r0, and where its calls are out of line, not in LR.
 */
	.globl	powerpc_return
	.type	powerpc_return, @function
powerpc_return:
	mtlr	0
	blr
	.size	powerpc_return, . - powerpc_return

/*
 * A copy of this in reach is called at a site of the tracer.  LR is the address after
 * the site, and r0 holds the previous LR.  The probed function has no frame yet: it gets
 * one, and LR is saved in its caller's, so that backtraces name it.  The code after
 * the site does not rely on CTR, XER and the volatile parts of CR.  In real mode nothing
 * can be called, and the hit is only counted.
 */
	.balign	8
	.globl	powerpc_ftrace_entry
	.type	powerpc_ftrace_entry, @function
powerpc_ftrace_entry:
	std	0, POWERPC_FRAME_LR(1)
	stdu	1, -POWERPC_FRAME_HEAD(1)
	stdu	1, -FRAME(1)
	std	0, REGS + POWERPC_REGS_GPR(0)(1)
	std	0, REGS + POWERPC_REGS_LINK(1)
	SAVE_GENERAL REGS
	addi	5, 1, FRAME + POWERPC_FRAME_HEAD
	std	5, REGS + POWERPC_REGS_GPR(1)(1)
	mflr	4
	std	4, REGS + POWERPC_REGS_NIP(1)
	std	4, FRAME + POWERPC_FRAME_LR(1)
	mfctr	5
	std	5, REGS + POWERPC_REGS_CTR(1)
	mfxer	5
	std	5, REGS + POWERPC_REGS_XER(1)
	mfcr	5
	std	5, REGS + POWERPC_REGS_CCR(1)
	mfmsr	5
	std	5, REGS + POWERPC_REGS_MSR(1)
	andi.	5, 5, POWERPC_MSR_MAPPED
	cmpwi	5, POWERPC_MSR_MAPPED
	bne-	2f
	std	3, REGS + POWERPC_REGS_ORIG_R3(1)
	li	5, 0
	std	5, REGS + POWERPC_REGS_TRAP(1)
	std	5, REGS + POWERPC_REGS_RESULT(1)
	addi	3, 1, REGS
	.globl	powerpc_ftrace_load
powerpc_ftrace_load:
	/* loads r12 with the address of powerpc_ftrace_entered() */
	.fill	POWERPC_LOAD_WORDS, 4, POWERPC_TRAP
	mtctr	12
	bctrl
1:	ld	0, REGS + POWERPC_REGS_NIP(1)
	mtctr	0
	ld	0, REGS + POWERPC_REGS_LINK(1)
	mtlr	0
	RESTORE_GENERAL REGS
	addi	1, 1, FRAME + POWERPC_FRAME_HEAD
	bctr
	/* The trap counts the miss; not while it could not return. */
2:	ld	5, REGS + POWERPC_REGS_MSR(1)
	andi.	5, 5, POWERPC_MSR_RI
	beq	1b
	.long	POWERPC_TRAP_TRACED
	b	1b
	.globl	powerpc_ftrace_end
powerpc_ftrace_end:
	.size	powerpc_ftrace_entry, . - powerpc_ftrace_entry

/*
 * Runs a jprobe's function, in r12, in place of the probed one.  It gets a copy of the
 * stack arguments, as a callee may change them, and may save LR without overwriting what
 * the probed function has saved already.  The frame above is in the name of the probed function,
 * the address of which is in r11, for stack traces.
 */
#define JPROBE_FRAME	(POWERPC_FRAME_ARGS + POWERPC_JPROBE_STACK_ARGS)
#define JPROBE_ABOVE	(JPROBE_FRAME + POWERPC_FRAME_HEAD)

.macro JPROBE_FRAMES
	mflr	0
	std	0, POWERPC_FRAME_LR(1)
	stdu	1, -POWERPC_FRAME_HEAD(1)
	std	11, POWERPC_FRAME_LR(1)
	stdu	1, -JPROBE_FRAME(1)
.endm

	.globl	powerpc_jprobe_enter
	.type	powerpc_jprobe_enter, @function
powerpc_jprobe_enter:
	JPROBE_FRAMES
	.set	.Larg, POWERPC_FRAME_ARGS
	.rept	POWERPC_JPROBE_STACK_ARGS / 8
	ld	0, JPROBE_ABOVE + .Larg(1)
	std	0, .Larg(1)
	.set	.Larg, .Larg + 8
	.endr
	b	.Lenter
	.size	powerpc_jprobe_enter, . - powerpc_jprobe_enter

/* The same where the stack ends too soon for a copy. */
	.globl	powerpc_jprobe_enter_no_args
	.type	powerpc_jprobe_enter_no_args, @function
powerpc_jprobe_enter_no_args:
	JPROBE_FRAMES
.Lenter:
	mtctr	12
	bctrl
	.size	powerpc_jprobe_enter_no_args, . - powerpc_jprobe_enter_no_args

/* The end of a jprobe's function, by jprobe_return() or a return: the trap restores registers. */
	.globl	powerpc_jprobe_back
	.type	powerpc_jprobe_back, @function
powerpc_jprobe_back:
	.long	POWERPC_TRAP_JPROBE
	.size	powerpc_jprobe_back, . - powerpc_jprobe_back

/*
 * Where a hub returns to when a handler behind a jump or a copy has chosen where to go on, or the stack
 * pointer: the trap restores all registers.
 */
	.globl	powerpc_detour_left
	.type	powerpc_detour_left, @function
powerpc_detour_left:
	.long	POWERPC_TRAP_LEFT
	.size	powerpc_detour_left, . - powerpc_detour_left

/*
 * The hub, shared by detour buffers and stubs: see assembly.c.  A copy of this is in
 * their reach.  It returns to them, as any other branch from here would take a register.
 */
#define DETOUR_REGS	POWERPC_DETOUR_REGS
#define DETOUR(which)	(DETOUR_REGS + POWERPC_REGS_##which)

/* Where it returns to when a jprobe's function is to be entered from a detour. */
.macro JPROBE_JUMPED name:req, enter:req
	.globl	\name
	.type	\name, @function
\name:
	ld	0, DETOUR(LINK)(1)
	mtlr	0
	std	0, POWERPC_DETOUR_MARK_AT(1)	/* no mark */
	ld	0, DETOUR(GPR(0))(1)
	addi	1, 1, POWERPC_DETOUR_ROOM
	b	\enter
	.size	\name, . - \name
.endm

	JPROBE_JUMPED powerpc_jprobe_jumped, powerpc_jprobe_enter
	JPROBE_JUMPED powerpc_jprobe_jumped_no_args, powerpc_jprobe_enter_no_args

	.balign	8
	.globl	powerpc_hub
	.type	powerpc_hub, @function
powerpc_hub:
	SAVE_GENERAL DETOUR_REGS
	mflr	4
	std	4, POWERPC_DETOUR_BACK(1)
	lis	5, POWERPC_DETOUR_MARK >> 16
	ori	5, 5, POWERPC_DETOUR_MARK & 0xffff
	std	5, POWERPC_DETOUR_MARK_AT(1)
	addi	5, 1, POWERPC_DETOUR_ROOM
	std	5, DETOUR(GPR(1))(1)
	mfmsr	5
	std	5, DETOUR(MSR)(1)
	mfctr	5
	std	5, DETOUR(CTR)(1)
	mfxer	5
	std	5, DETOUR(XER)(1)
	mfcr	5
	std	5, DETOUR(CCR)(1)
	std	3, DETOUR(ORIG_R3)(1)
	li	5, 0
	std	5, DETOUR(TRAP)(1)
	std	5, DETOUR(RESULT)(1)
	ld	3, -POWERPC_DETOUR_BEFORE_BACK(4)
	addi	4, 1, DETOUR_REGS
	ld	5, DETOUR(MSR)(1)
	andi.	5, 5, POWERPC_MSR_MAPPED
	cmpwi	5, POWERPC_MSR_MAPPED
	bne-	2f
	.globl	powerpc_hub_load
powerpc_hub_load:
	/* loads r12 with the address of the function */
	.fill	POWERPC_LOAD_WORDS, 4, POWERPC_TRAP
	mtctr	12
	bctrl
1:	ld	5, POWERPC_DETOUR_BACK(1)
	mtlr	5
	ld	5, DETOUR(CTR)(1)
	mtctr	5
	ld	5, DETOUR(XER)(1)
	mtxer	5
	ld	5, DETOUR(CCR)(1)
	mtcr	5
	RESTORE_GENERAL DETOUR_REGS
	blr
	/*
	 * In real mode: only detours come here, as hits there run no guarded copy.  Nothing is read but
	 * this code, its detour's, and the stack: in a partition with hashed page tables other
	 * memory need not be in reach.  The trap is taken in this mode, too, and counts the miss, in the
	 * kernel's own mode; not while it could not return, as in an early machine check.
	 */
2:	ld	5, POWERPC_DETOUR_BACK(1)
	andi.	4, 5, POWERPC_DETOUR_LINKS
	beq	3f
	ld	5, -POWERPC_DETOUR_LINK_BEFORE_BACK(5)
	std	5, DETOUR(LINK)(1)
3:	ld	5, DETOUR(MSR)(1)
	andi.	5, 5, POWERPC_MSR_RI
	beq	1b
	.long	POWERPC_TRAP_REAL
	b	1b
	.globl	powerpc_hub_end
powerpc_hub_end:
	.size	powerpc_hub, . - powerpc_hub

/*
 * A copy of this in reach is called in place of functions of the kernel that follow stacks: see
 * traces.c.  In real mode, where our text can't be reached, it goes to them: the last word.
 */
	.balign	8
	.globl	powerpc_traces_jump
	.type	powerpc_traces_jump, @function
powerpc_traces_jump:
	mfmsr	0
	andi.	0, 0, POWERPC_MSR_MAPPED
	cmpwi	0, POWERPC_MSR_MAPPED
	bne-	1f
	.globl	powerpc_traces_load
powerpc_traces_load:
	/* loads r12 with the address of one of those below */
	.fill	POWERPC_LOAD_WORDS, 4, POWERPC_TRAP
	mtctr	12
	bctr
1:	.long	POWERPC_TRAP
	.globl	powerpc_traces_end
powerpc_traces_end:
	.size	powerpc_traces_jump, . - powerpc_traces_jump

/*
 * Where such copies jump to.  The caller does not expect another TOC pointer.  The frames are
 * those of code in a module's text, which walks that must be reliable ask for.
 */
.macro TRACES_CALL name:req, function:req
	.globl	\name
	.type	\name, @function
\name:
	mflr	0
	std	0, POWERPC_FRAME_LR(1)
	stdu	1, -POWERPC_FRAME_HEAD(1)
	std	2, POWERPC_FRAME_TOC(1)
	CALL_C	\function
	ld	2, POWERPC_FRAME_TOC(1)
	addi	1, 1, POWERPC_FRAME_HEAD
	ld	0, POWERPC_FRAME_LR(1)
	mtlr	0
	blr
	.size	\name, . - \name
.endm

	TRACES_CALL powerpc_traces_walk, powerpc_walk
	TRACES_CALL powerpc_traces_reliable, powerpc_walk_reliable
	TRACES_CALL powerpc_traces_profile, powerpc_profile
	TRACES_CALL powerpc_traces_wchan, powerpc_wchan
	TRACES_CALL powerpc_traces_answer, traces_return_address

/*
 * A copy of this in reach is called in place of kprobe_handler(): see trap.c.
 */
	.balign	8
	.globl	powerpc_trap_jump
	.type	powerpc_trap_jump, @function
powerpc_trap_jump:
	.globl	powerpc_trap_load
powerpc_trap_load:
	/* loads r12 with the address of powerpc_trap_entry() */
	.fill	POWERPC_LOAD_WORDS, 4, POWERPC_TRAP
	mtctr	12
	bctr
	.globl	powerpc_trap_end
powerpc_trap_end:
	.size	powerpc_trap_jump, . - powerpc_trap_jump

/*
 * Breakpoints that are not ours are passed on.  The built-in kprobes refuse that section: theirs
 * would trap on their way from here to their handler.  The function is called where its TOC pointer
 * is set up already.
 */
#define TRAP_REGS	POWERPC_FRAME_HEAD
#define TRAP_FRAME	(POWERPC_FRAME_HEAD + 16)

.macro TRAP_LEAVE
	addi	1, 1, TRAP_FRAME
	ld	0, POWERPC_FRAME_LR(1)
	mtlr	0
.endm

	.pushsection .kprobes.text, "ax"
	.balign	8
	.quad	.TOC. - powerpc_trap_entry
	.globl	powerpc_trap_entry
	.type	powerpc_trap_entry, @function
powerpc_trap_entry:
	mflr	0
	std	0, POWERPC_FRAME_LR(1)
	stdu	1, -TRAP_FRAME(1)
	std	2, POWERPC_FRAME_TOC(1)
	std	3, TRAP_REGS(1)
	ld	2, -8(12)
	add	2, 2, 12
	bl	powerpc_serve_trap
	ld	2, POWERPC_FRAME_TOC(1)
	cmpwi	3, 0
	beq-	1f
	TRAP_LEAVE
	blr
1:	ld	3, TRAP_REGS(1)
	TRAP_LEAVE
	b	import_kprobe_handler
	.size	powerpc_trap_entry, . - powerpc_trap_entry
	.popsection

/*
 * A copy of this is called in place of what an NMI calls: what that leaves behind of the CPU's data is what
 * it found.  Its segment is the kernel's own: none can be made here, as MSR[RI] is clear.  The C code is
 * called where its TOC pointer is set up already, as the kernel calls it.
 */
#define NMI_SAVED	POWERPC_FRAME_HEAD
#define NMI_FRAME	(POWERPC_FRAME_HEAD + 16)

	.balign	8
	.globl	powerpc_nmi
	.type	powerpc_nmi, @function
powerpc_nmi:
	mflr	0
	std	0, POWERPC_FRAME_LR(1)
	stdu	1, -NMI_FRAME(1)
	ld	0, PACA_EXIT_SAVE_R1(13)
	std	0, NMI_SAVED(1)
	.globl	powerpc_nmi_load
powerpc_nmi_load:
	/* loads r12 with the address of what the NMI calls */
	.fill	POWERPC_LOAD_WORDS, 4, POWERPC_TRAP
	mtctr	12
	bctrl
	ld	0, NMI_SAVED(1)
	std	0, PACA_EXIT_SAVE_R1(13)
	addi	1, 1, NMI_FRAME
	ld	0, POWERPC_FRAME_LR(1)
	mtlr	0
	blr
	.globl	powerpc_nmi_end
powerpc_nmi_end:
	.size	powerpc_nmi, . - powerpc_nmi

/* Never runs: a name for what is near, in stack traces. */
	.globl	powerpc_detour
	.type	powerpc_detour, @function
powerpc_detour:
	.long	POWERPC_TRAP
	.long	POWERPC_TRAP
	.size	powerpc_detour, . - powerpc_detour

	.section .text.lkp_return_stubs, "ax", @progbits
	.balign	8
	.globl	arch_return_stubs
	.type	arch_return_stubs, @object
arch_return_stubs:
	.rept	ARCH_NR_RETURN_STUBS
	bl	return_trampoline
	.long	POWERPC_TRAP
	.endr
	.size	arch_return_stubs, . - arch_return_stubs

	.section .note.GNU-stack, "", @progbits
