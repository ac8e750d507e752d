/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions to probe, with a known first instruction and without a call site of
 * the function tracer.
 */
#include <linux/linkage.h>
#ifdef CONFIG_X86_64
#include <linux/objtool.h>
#define MOVE		movq	%rdi, %rax
#define LONG_MOVE	movq	$1, %rax
#define JUMP		jmp
#define ADD_ONE		leaq	1(%rax), %rax
#define START(name)	SYM_FUNC_START(name)
#define END(name)	SYM_FUNC_END(name)
#define RETURN		RET
#else
#define ANNOTATE_NOENDBR
#define MOVE		mov	x1, x0
#define LONG_MOVE	mov	x1, #1
#define JUMP		b
/* Without the landing pad at the start of functions. */
#define START(name)	SYM_CODE_START(name)
#define END(name)	SYM_CODE_END(name)
#define ADD_ONE		add	x1, x1, #1
#define RETURN		ret
#endif

#define FIELD_FUNCTIONS	128
#define FIELD_INSNS	64

	.text
/* No kprobes emulate a move between registers. */
START(bench_slot)
	MOVE
	RETURN
END(bench_slot)

/* The same, long enough for a jump: the built-in kprobes may optimise it. */
START(bench_long)
	LONG_MOVE
	MOVE
	MOVE
	RETURN
END(bench_long)

/* All kprobes emulate a jump. */
START(bench_emulated)
	JUMP	.Lend
.Lend:
	RETURN
END(bench_emulated)

/* Never called. In functions of moderate size: probing one reads it from its beginning. */
.macro FIELD_FUNCTION
bench_field_\@:
	.rept	FIELD_INSNS
	ADD_ONE
	.endr
.endm

START(bench_field)
SYM_INNER_LABEL(bench_field_insns, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	.rept	FIELD_FUNCTIONS
	FIELD_FUNCTION
	.endr
	RETURN
END(bench_field)

	.section .note.GNU-stack, "", @progbits
