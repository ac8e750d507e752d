/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes in a kernel so large that no branch goes from its text to
 * where detours can be: test-tool puts its read-only data too far away.
 */
	.abiversion 2

	.text
	.globl	far
far:					/* trap: no memory for a detour */
	addi	3, 3, 1
at_far_return:				/* trap: no memory for a detour */
	blr

	.section .rodata, "a"
	.quad	0

	.section .init.text, "ax"
	.globl __init_begin
__init_begin:
	nop
	.section .note.GNU-stack, "", @progbits
