/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions to probe whose first instruction is known, and that the function
 * tracer does not know of.  A function in a module can't be among those that the
 * kernel's kprobes make a jump of: bench_long() is in targets_powerpc.c.
 */
#define FIELD_FUNCTIONS	128
#define FIELD_INSNS	64

	.text
/* Nobody emulates a look at the time base. */
	.globl	bench_slot
	.type	bench_slot, @function
bench_slot:
	mftb	3
	blr
	.size	bench_slot, . - bench_slot

/* Everybody emulates a branch. */
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
