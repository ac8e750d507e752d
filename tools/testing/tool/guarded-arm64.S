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
