/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions to probe, with a known first instruction and without a call site of
 * the function tracer.  The built-in kprobes have no jumps in modules: bench_long()
 * is in targets_powerpc.c.
 */
#define FIELD_FUNCTIONS	128
#define FIELD_INSNS	64

	.text
/* No kprobes emulate a read of the time base. */
	.globl	bench_slot
	.type	bench_slot, @function
bench_slot:
	mftb	3
	blr
	.size	bench_slot, . - bench_slot

/* All kprobes emulate a branch. */
	.globl	bench_emulated
	.type	bench_emulated, @function
bench_emulated:
	b	.Lend
.Lend:
	blr
	.size	bench_emulated, . - bench_emulated

/* Never called. In functions of moderate size: probing one reads it from its beginning. */
.macro FIELD_FUNCTION
bench_field_\@:
	.rept	FIELD_INSNS
	addi	3, 3, 1
	.endr
.endm

	.globl	bench_field_insns
	.type	bench_field_insns, @function
bench_field_insns:
	.rept	FIELD_FUNCTIONS
	FIELD_FUNCTION
	.endr
	blr
	.size	bench_field_insns, . - bench_field_insns

	.section .note.GNU-stack, "", @progbits
