/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As points-arm64.S: a module whose text is guarded, as its landings tell.
 */
	.arch armv8.5-a

	.text
	.globl guarded
guarded:				/* trap: may not land on a branch */
	bti	c
at_guarded_signed:			/* trap: may not land on a branch */
	paciasp
at_guarded_plain:			/* jump */
	add	x0, x0, #1
at_guarded_authenticated:		/* jump */
	autiasp
	ret

/* The word before it, which the tracer reads from Linux 6.2 on, is what the table has. */
	.p2align 4
at_landed_word:				/* refused: padding */
	nop
	nop
	.globl landed
landed:					/* trap: may not land on a branch */
	bti	c
at_landed_first:			/* jump */
	nop
at_landed_site:				/* ftrace: tracer */
	nop
at_landed_behind:			/* jump */
	ret
	.pushsection __patchable_function_entries, "a"
	.quad at_landed_word
	.popsection
