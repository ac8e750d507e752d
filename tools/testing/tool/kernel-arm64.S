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
function traced				/* trap: patched or read by others */
	nop
at_traced_site:				/* ftrace: tracer */
	nop
at_traced_behind:			/* jump */
	stp	x29, x30, [sp, #-16]!
	ret

function untraced			/* jump */
	nop
	ret

	.section .init.data, "aw"
	.globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
	.quad	traced
__stop_mcount_loc:
