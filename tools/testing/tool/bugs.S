/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes, as points.S: a table of BUG sites as newer kernels have it, whose
 * entries name the format of a message.
 */
	.macro	bug addr
	.pushsection __bug_table, "aw"
	.long	\addr - .
	.long	0, 0
	.short	17, 1
	.popsection
	.endm

	.text
	.globl	first
first:					/* trap: can't run out of line */
	xorl	%eax, %eax
at_first_here:				/* refused: WARN */
	ud2
	bug	at_first_here
	ret

	.globl	second
second:					/* jump */
	movl	$1, %ecx
at_second_here:				/* refused: WARN */
	ud2
	bug	at_second_here
	ret

	.globl	third
third:					/* jump */
	movl	$1, %ecx
at_third_here:				/* refused: WARN */
	ud2
	bug	at_third_here
	ret

	.section .note.GNU-stack, "", @progbits
