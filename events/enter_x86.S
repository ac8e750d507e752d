/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enters a function whose address is known only now, and which may have no landing pad for indirect
 * branches (IBT): by a return, which needs none.
 */
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

	.text
/* unsigned long lookup_enter(const char *name, unsigned long function): in place of its caller's call. */
SYM_FUNC_START(lookup_enter)
	pushq	%rsi
	/* For who unwinds, we are at the function, which will return to our caller. */
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(lookup_enter)

	.section .note.GNU-stack, "", @progbits
