/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a case: void diff_run(unsigned long code, u64 sp_offset).
 *
 * The case has a stack of its own, a window further down on this one, so that
 * it can be interrupted like any code.  The stack pointer is not part of
 * diff_in, but at sp_offset into the window.  Neither is x16, by which the case
 * is come to, nor x18 where the kernel keeps it for itself.  The case ends by a
 * branch to diff_end.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>
#include "differential.h"

#define GAP	128
#define SAVED	112

	.text
	.globl diff_run
	.type diff_run, %function
diff_run:
	hint	#34
	stp	x29, x30, [sp, #-SAVED]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mrs	x2, daif
	str	x2, [sp, #96]
	mov	x2, sp
	str_l	x2, diff_saved_sp, x3
	mov	x16, x0

	/* Nothing may be pushed over the window while it is filled from above. */
	sub	x2, x2, #(GAP + 8 * STACK_WORDS)
	and	x2, x2, #~63
	str_l	x2, diff_window, x3
	mov	sp, x2
	add	x1, x2, x1
	adr_l	x3, diff_stack
	mov	x4, #(STACK_WORDS / 2)
1:	ldp	x5, x6, [x3], #16
	stp	x5, x6, [x2], #16
	subs	x4, x4, #1
	b.ne	1b
	mov	sp, x1

	adr_l	x0, diff_in
	ldp	x1, x2, [x0, #SPECIALS_OFFSET]
	msr	daif, x2
	msr	nzcv, x1
	ldp	x2, x3, [x0, #16]
	ldp	x4, x5, [x0, #32]
	ldp	x6, x7, [x0, #48]
	ldp	x8, x9, [x0, #64]
	ldp	x10, x11, [x0, #80]
	ldp	x12, x13, [x0, #96]
	ldp	x14, x15, [x0, #112]
	ldr	x17, [x0, #136]
#ifndef CONFIG_SHADOW_CALL_STACK
	ldr	x18, [x0, #144]
#endif
	ldp	x19, x20, [x0, #152]
	ldp	x21, x22, [x0, #168]
	ldp	x23, x24, [x0, #184]
	ldp	x25, x26, [x0, #200]
	ldp	x27, x28, [x0, #216]
	ldp	x29, x30, [x0, #232]
	ldp	x0, x1, [x0]
	br	x16

	/* The stack below the stack pointer is unused: save two registers there. */
	.globl diff_end
diff_end:
	stp	x0, x1, [sp, #-16]!
	adr_l	x0, diff_out
	stp	x2, x3, [x0, #16]
	stp	x4, x5, [x0, #32]
	stp	x6, x7, [x0, #48]
	stp	x8, x9, [x0, #64]
	stp	x10, x11, [x0, #80]
	stp	x12, x13, [x0, #96]
	stp	x14, x15, [x0, #112]
	stp	x16, x17, [x0, #128]
#ifndef CONFIG_SHADOW_CALL_STACK
	str	x18, [x0, #144]
#endif
	stp	x19, x20, [x0, #152]
	stp	x21, x22, [x0, #168]
	stp	x23, x24, [x0, #184]
	stp	x25, x26, [x0, #200]
	stp	x27, x28, [x0, #216]
	stp	x29, x30, [x0, #232]
	mrs	x1, nzcv
	mrs	x2, daif
	stp	x1, x2, [x0, #SPECIALS_OFFSET]
	msr	daifset, #0xf
	ldp	x1, x2, [sp], #16
	stp	x1, x2, [x0]
	mov	x1, sp
	str	x1, [x0, #8 * NR_SP]

	ldr_l	x1, diff_window
	adr_l	x2, diff_stack
	mov	x4, #(STACK_WORDS / 2)
1:	ldp	x5, x6, [x1], #16
	stp	x5, x6, [x2], #16
	subs	x4, x4, #1
	b.ne	1b
	ldr_l	x1, diff_saved_sp
	mov	sp, x1
	ldr	x2, [sp, #96]
	msr	daif, x2
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #SAVED
	ret
	.size diff_run, . - diff_run

	.data
	.balign 64
	.globl diff_in, diff_out, diff_data, diff_stack, diff_window
diff_in:	.fill NR_GPRS + NR_SPECIALS, 8, 0
diff_out:	.fill NR_GPRS + NR_SPECIALS, 8, 0
diff_window:	.quad 0
diff_saved_sp:	.quad 0
	.balign 64
	.fill 64, 1, 0
diff_data:	.fill DATA_WORDS, 8, 0
	.fill 64, 1, 0
diff_stack:	.fill STACK_WORDS, 8, 0

	.section .note.GNU-stack, "", %progbits
