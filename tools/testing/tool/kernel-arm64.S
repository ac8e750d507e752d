/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As points-arm64.S: linked as a kernel that runs where it likes, so that the
 * addresses it keeps are in its relocations.
 */
	.macro function name
	.p2align 4
	.globl \name
\name:
	.endm

	.text
function traced				/* jump */
	nop
at_traced_site:				/* ftrace: tracer */
	nop
at_traced_behind:			/* jump */
	stp	x29, x30, [sp, #-16]!
	ret

function untraced			/* jump */
	nop
	ret

/* Assembly has landing pads also where gcc has built the kernel, whose text is never guarded. */
function lands				/* jump */
	hint	#34
	ret

	.section .rodata, "a"
	.asciz	"Linux version 6.1.0 (somebody) (gcc 12.2.0) #1"
	.zero	256

	.section .init.data, "aw"
	.globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
	.quad	traced
__stop_mcount_loc:
