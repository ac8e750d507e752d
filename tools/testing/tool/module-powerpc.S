/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes in a module, as points-powerpc.S: there is memory for
 * detours near it.
 */
	.abiversion 2

	.text
	.globl	near
near:					/* jump */
	addi	3, 3, 1
at_near_return:				/* jump */
	blr

	.globl	traced
traced:					/* ftrace: call site */
	mflr	0
at_traced_site:				/* ftrace: call site */
	bl	_mcount
at_traced_reserve:			/* refused: load-reserve, whose reservation */
	ldarx	4, 0, 3
	stdcx.	4, 0, 3
	blr
	.pushsection __mcount_loc, "a"
	.quad	at_traced_site
	.popsection

	.section .note.GNU-stack, "", @progbits
