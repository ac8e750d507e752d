/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a case: void diff_run(unsigned long code, u64 sp_offset).
 *
 * The case has a stack of its own, a window further down on this one, so that
 * it can be interrupted like any code.  The stack pointer is not part of
 * diff_in, but at sp_offset into the window.  The case ends by a branch to
 * diff_end.  Since LR and CTR are part of the state it is entered through TAR,
 * which is its task's and gets back what it was.
 */
#include <asm/ppc_asm.h>
#include "differential.h"

/* What interrupts leave alone below the stack pointer, and more. */
#define GAP		512

/* Below the frame's top are r14 to r31. */
#define FRAME		192
#define SAVED_TAR	32
#define SPR_TAR		815

	.machine power8
	.section .text

/* Uses LR: nothing says where the TOC is. */
.macro ADDRESS reg, symbol
	bcl	20, 31, .Lhere\@
.Lhere\@:
	mflr	\reg
	addis	\reg, \reg, (\symbol - .Lhere\@)@ha
	addi	\reg, \reg, (\symbol - .Lhere\@)@l
.endm

.macro NONVOLATILES op
	.irp reg, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op	\reg, FRAME - 8 * (32 - \reg)(1)
	.endr
.endm

	.globl diff_run
	.type diff_run, @function
diff_run:
	mflr	0
	std	0, 16(1)
	mfcr	0
	std	0, 8(1)
	stdu	1, -FRAME(1)
	NONVOLATILES std
	std	2, 24(1)
	mfspr	5, SPR_TAR
	std	5, SAVED_TAR(1)
	ADDRESS	6, diff_saved_sp
	std	1, 0(6)

	/* Nothing may be pushed over the window while it is filled. */
	addi	7, 1, -GAP - 8 * STACK_WORDS
	clrrdi	7, 7, 7
	ADDRESS	6, diff_window
	std	7, 0(6)
	mr	1, 7
	ADDRESS	6, diff_stack
	addi	8, 7, -8
	bl	diff_copy_window

	add	1, 7, 4
	mtspr	SPR_TAR, 3
	ADDRESS	6, diff_in
	std	1, 8 * NR_SP(6)
	ld	5, SPECIAL_OFFSET(SPECIAL_CR)(6)
	mtcr	5
	ld	5, SPECIAL_OFFSET(SPECIAL_XER)(6)
	mtxer	5
	ld	5, SPECIAL_OFFSET(SPECIAL_CTR)(6)
	mtctr	5
	ld	5, SPECIAL_OFFSET(SPECIAL_LR)(6)
	mtlr	5
	.irp reg, 0,2,3,4,5,7,8,9,10,11,12,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,6
	ld	\reg, 8 * \reg(6)
	.endr
	bctar	20, 0, 0
	.size diff_run, . - diff_run

	.globl diff_end
	.type diff_end, @function
diff_end:
	/* What is below the stack pointer is not compared, and interrupts leave it alone. */
	std	3, -16(1)
	mflr	3
	std	3, -24(1)
	ADDRESS	3, diff_out
	.irp reg, 0,1,2,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	std	\reg, 8 * \reg(3)
	.endr
	ld	4, -16(1)
	std	4, 8 * 3(3)
	ld	4, -24(1)
	std	4, SPECIAL_OFFSET(SPECIAL_LR)(3)
	mfcr	4
	std	4, SPECIAL_OFFSET(SPECIAL_CR)(3)
	mfxer	4
	std	4, SPECIAL_OFFSET(SPECIAL_XER)(3)
	mfctr	4
	std	4, SPECIAL_OFFSET(SPECIAL_CTR)(3)

	ADDRESS	6, diff_window
	ld	6, 0(6)
	mr	1, 6
	ADDRESS	8, diff_stack
	addi	8, 8, -8
	bl	diff_copy_window

	ADDRESS	6, diff_saved_sp
	ld	1, 0(6)
	ld	5, SAVED_TAR(1)
	mtspr	SPR_TAR, 5
	ld	2, 24(1)
	NONVOLATILES ld
	addi	1, 1, FRAME
	ld	0, 8(1)
	mtcr	0
	ld	0, 16(1)
	mtlr	0
	blr
	.size diff_end, . - diff_end

/* From r6 to what is behind r8. */
	.type diff_copy_window, @function
diff_copy_window:
	li	9, STACK_WORDS
	mtctr	9
	addi	6, 6, -8
1:	ldu	9, 8(6)
	stdu	9, 8(8)
	bdnz	1b
	blr
	.size diff_copy_window, . - diff_copy_window

	.data
	.balign 128
	.globl diff_in, diff_out, diff_data, diff_stack, diff_window
diff_in:	.fill NR_GPRS + NR_SPECIALS, 8, 0
diff_out:	.fill NR_GPRS + NR_SPECIALS, 8, 0
diff_window:	.quad 0
diff_saved_sp:	.quad 0
	.balign 128
	.fill 128, 1, 0
diff_data:	.fill DATA_WORDS, 8, 0
	.fill 128, 1, 0
diff_stack:	.fill STACK_WORDS, 8, 0

	.section .note.GNU-stack, "", @progbits
