/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A running kernel, with thunks for indirect branches that it has made outside of its text and that
 * no symbol names.  What the tool must say of each point stands in the line with its label, as in
 * points.S.  Where there are such thunks, indirect branches and returns are not copied.
 */
	.macro function name
	.p2align 4, 0xcc
	.globl \name
\name:
	.endm

	.text
	.globl _stext
_stext:
	ud2

function tail_call			/* jump */
	movq	8(%rdi), %rax
	jmp	outside_rax

function tail_call_upper		/* jump */
	movq	8(%rdi), %r11
	jmp	outside_r11

	/* Into a table of offsets from an address in itself. */
function computed			/* trap: as far as is known */
	leaq	at_computed_base(%rip), %rax
	movslq	(%rdi,%rsi,4), %rcx
	addq	%rcx, %rax
	jmp	outside_rax
at_computed_base:			/* trap: as far as is known */
	movl	$1, %ecx
	ret

	/* By a thunk for a register with a longer encoding, which the last byte of memory ends. */
function computed_upper			/* trap: as far as is known */
	leaq	at_computed_upper_base(%rip), %r11
	movslq	(%rdi,%rsi,4), %rcx
	addq	%rcx, %r11
	jmp	outside_r11
at_computed_upper_base:			/* trap: as far as is known */
	movl	$1, %ecx
	ret

function returns			/* trap: mitigation of ITS */
	nop
	nop
	ret

function branches			/* trap: mitigation of ITS */
	nop
	jmp	*%rax

	/* No thunk: neither it nor what reads a word of memory leads to a sum. */
function leaves				/* jump */
	leaq	at_leaves_base(%rip), %rax
	movslq	(%rdi,%rsi,4), %rcx
	jmp	outside_code
at_leaves_base:			/* trap: mitigation of ITS */
	nop
	ret

function leaves_by_word			/* jump */
	leaq	at_word_base(%rip), %rax
	movslq	(%rdi,%rsi,4), %rcx
	jmp	outside_word
at_word_base:			/* trap: mitigation of ITS */
	nop
	ret

	/* What cannot be read is no thunk. */
function leaves_for_nowhere		/* jump */
	leaq	at_nowhere_base(%rip), %rax
	movslq	(%rdi,%rsi,4), %rcx
	jmp	outside_nowhere
at_nowhere_base:		/* trap: mitigation of ITS */
	nop
	ret
	.p2align 4, 0xcc
	.globl _etext
_etext:

	.section .outside, "ax"
outside_rax:
	jmp	*%rax
	.byte	0xcc
outside_code:
	incl	%eax
	jmp	*%rax
outside_word:
	jmp	*(%rax)
	.byte	0xcc
outside_r11:
	jmp	*%r11
outside_nowhere:
	.section .note.GNU-stack, "", @progbits
