/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/linkage.h>

	.text
/* A function with a permanent breakpoint. */
SYM_FUNC_START(bench_trap)
SYM_INNER_LABEL(bench_trap_insn, SYM_L_GLOBAL)
	int3
	nop
	RET
SYM_FUNC_END(bench_trap)

/* The same without the breakpoint. */
SYM_FUNC_START(bench_no_trap)
	nop
	RET
SYM_FUNC_END(bench_no_trap)

	.section .note.GNU-stack, "", @progbits
