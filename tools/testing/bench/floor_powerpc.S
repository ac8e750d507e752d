/* SPDX-License-Identifier: GPL-2.0-only */
	.text
/* A function with a permanent breakpoint. */
	.globl	bench_trap, bench_trap_insn
	.type	bench_trap, @function
bench_trap:
bench_trap_insn:
	trap
	nop
	blr
	.size	bench_trap, . - bench_trap

/* The same without the breakpoint. */
	.globl	bench_no_trap
	.type	bench_no_trap, @function
bench_no_trap:
	nop
	blr
	.size	bench_no_trap, . - bench_no_trap

	.section .note.GNU-stack, "", @progbits
