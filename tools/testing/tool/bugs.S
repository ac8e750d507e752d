/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes, as points.S: a table of BUG sites as newer kernels have it, whose
 * entries name the format of a message.
 */
	.macro	bug addr, flags=1
	.pushsection __bug_table, "aw"
	.long	\addr - .
	.long	0, 0
	.short	17, \flags
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

	/* With arguments a warning hands its entry over, and the address in that means nothing. */
	.globl	fourth
fourth:					/* jump */
	leaq	fifth(%rip), %rdi
at_fourth_here:				/* jump */
	movl	$2, %esi
	bug	at_fourth_here, 0x911
	ret

	.globl	fifth
fifth:					/* jump */
	leaq	fourth(%rip), %rdi
at_fifth_here:				/* jump */
	movl	$2, %esi
	bug	at_fifth_here, 0x913
	ret

	.globl	sixth
sixth:					/* jump */
	movl	$1, %ecx
at_sixth_here:				/* refused: WARN */
	ud2
	bug	at_sixth_here, 0x90f
	ret

	.section .note.GNU-stack, "", @progbits
