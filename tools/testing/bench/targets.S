/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions to probe whose first instruction is known, and that the function
 * tracer does not know of.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>

#define FIELD_FUNCTIONS	128
#define FIELD_INSNS	64

	.text
/* Nobody emulates a move between registers. */
SYM_FUNC_START(bench_slot)
	movq	%rdi, %rax
	RET
SYM_FUNC_END(bench_slot)

/* The same, with room for a jump in its place: the kernel's kprobes may make it one. */
SYM_FUNC_START(bench_long)
	movq	$1, %rax
	movq	%rdi, %rax
	movq	%rdi, %rax
	RET
SYM_FUNC_END(bench_long)

/* Everybody emulates a jump. */
SYM_FUNC_START(bench_emulated)
	jmp	.Lend
.Lend:
	RET
SYM_FUNC_END(bench_emulated)

/* Never called. In functions of moderate size: probing one reads it from its beginning. */
.macro FIELD_FUNCTION
bench_field_\@:
	.rept	FIELD_INSNS
	leaq	1(%rax), %rax
	.endr
.endm

SYM_FUNC_START(bench_field)
SYM_INNER_LABEL(bench_field_insns, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	.rept	FIELD_FUNCTIONS
	FIELD_FUNCTION
	.endr
	RET
SYM_FUNC_END(bench_field)

	.section .note.GNU-stack, "", @progbits
