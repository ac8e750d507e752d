/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes in a module, as points-powerpc.S: no branch goes from
 * there to where detours can be.
 */
	.abiversion 2

	.text
	.globl	far
far:					/* trap: no memory for a detour */
	addi	3, 3, 1
at_far_return:				/* trap: no memory for a detour */
	blr

	.globl	traced
traced:					/* trap: no memory for a detour */
	mflr	0
at_traced_site:				/* ftrace: call site */
	bl	_mcount
at_traced_reserve:			/* can't be probed: reserves */
	ldarx	4, 0, 3
	stdcx.	4, 0, 3
	blr
	.pushsection __mcount_loc, "a"
	.quad	at_traced_site
	.popsection

	.section .note.GNU-stack, "", @progbits
