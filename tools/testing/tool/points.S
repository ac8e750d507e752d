/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes, with the tables that a module has.  What it must
 * say of each stands in the line with its label.  A symbol begins a function:
 * test-tool takes away those that begin with at_.  There is no padding of five bytes, which a short
 * jump would find a relay in.
 */
	.macro function name
	.globl \name
\name:
	.endm

	.text
function plain				/* jump */
	movl	$1, %eax
	.byte	0xc3, 0xcc, 0xcc

function branched			/* trap: middle of a jump */
	xorl	%eax, %eax
at_branched_second:			/* trap: middle of a jump */
	incl	%eax
at_branched_to:				/* jump */
	decl	%edi
	jne	at_branched_to
	ret
	int3

function faults				/* trap: exception table */
	xorl	%eax, %eax
at_faults_here:				/* trap: exception table */
	movl	(%rdi), %eax
	nop
	nop
at_faults_fixed_before:			/* trap: middle of a jump */
	nop
at_faults_fixed:			/* jump */
	movl	$1, %ecx
	ret
	.pushsection __ex_table, "a"
	.long at_faults_here - .
	.long at_faults_fixed - .
	.long 0
	.popsection

function labelled			/* trap: patched or read by others */
	xorl	%eax, %eax
at_labelled_here:			/* refused: jump label */
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	xorl	%eax, %eax
at_labelled_before:			/* trap: middle of a jump */
	nop
at_labelled_target:			/* jump */
	movl	$1, %ecx
	ret
	.pushsection __jump_table, "a"
	.long at_labelled_here - .
	.long at_labelled_target - .
	.quad 0
	.popsection

function calls_static			/* trap: patched or read by others */
	xorl	%eax, %eax
at_calls_static_here:			/* refused: static call */
	call	plain
at_calls_static_behind:			/* jump */
	movl	$1, %ecx
	ret
	.pushsection .static_call_sites, "a"
	.long at_calls_static_here - .
	.long 0
	.popsection

function traced				/* ftrace: tracer */
	call	__fentry__
at_traced_behind:			/* jump */
	movl	$1, %ecx
	jmp	__x86_return_thunk
	.pushsection __mcount_loc, "a"
	.quad traced
	.popsection

function landed				/* ftrace: tracer */
	endbr64
at_landed_site:				/* ftrace: tracer */
	call	__fentry__
	movl	$1, %ecx
	ret
	.pushsection __mcount_loc, "a"
	.quad at_landed_site
	.popsection

/* A probe on the entry is on ud2, behind the landing pad. */
function lands				/* refused: WARN */
	endbr64
at_lands_behind:			/* refused: WARN */
	ud2
	.pushsection __bug_table, "aw"
	.long at_lands_behind - .
#ifdef BUGS_HAVE_FORMATS
	.long 0
#endif
	.long 0, 0
	.popsection

function warns				/* trap: can't run out of line */
	xorl	%eax, %eax
at_warns_here:				/* refused: WARN */
	ud2
at_warns_behind:			/* jump */
	movl	$1, %ecx
	ret
	.pushsection __bug_table, "aw"
	.long at_warns_here - .
#ifdef BUGS_HAVE_FORMATS
	.long 0
#endif
	.long 0, 0
	.popsection

function in_data			/* trap: middle of a jump */
	nop
	nop
at_in_data_here:			/* jump */
	movl	$1, %ecx
	ret
	.pushsection .rodata, "a"
	.balign 8
	.quad at_in_data_here
	.popsection

function in_executable_data		/* trap: middle of a jump */
	nop
	nop
at_in_executable_data_here:		/* jump */
	movl	$1, %ecx
	ret
	.pushsection .data_marked, "awx"
	.balign 8
	.quad at_in_executable_data_here
	.popsection

function returns			/* jump */
	popq	%rbx
at_returns_here:			/* jump */
	jmp	__x86_return_thunk
	.pushsection .return_sites, "a"
	.long at_returns_here - .
	.popsection

function tail_call			/* jump */
	movq	8(%rdi), %rax
	jmp	__x86_indirect_thunk_rax

	/* Into a table of offsets from an address in itself. */
function computed			/* trap: as far as is known */
	leaq	at_computed_base(%rip), %rax
	movslq	(%rdi,%rsi,4), %rcx
	addq	%rcx, %rax
	jmp	__x86_indirect_thunk_rax
at_computed_base:			/* trap: as far as is known */
	movl	$1, %ecx
	ret

	/* Into another function, at an address that is computed from one inside of it. */
function computer			/* jump */
	leaq	at_added_base(%rip), %rax
	addq	%rcx, %rax
	jmp	__x86_indirect_thunk_rax

function added				/* trap: as far as is known */
	movl	$1, %ecx
at_added_base:				/* trap: as far as is known */
	movl	$1, %ecx
	ret

	/* From another function into the middle of one. */
function visited			/* trap: middle of a jump */
	nop
	nop
at_visited_here:			/* jump */
	movl	$1, %ecx
	ret

function visitor			/* jump */
	jmp	at_visited_here
	.byte	0xcc, 0xcc, 0xcc

	.section .noinstr.text, "ax"
function never				/* refused: traps are not allowed */
	movl	$1, %ecx
	ret
