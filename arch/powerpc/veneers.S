/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A veneer for each imported function: it loads an address that arch_bind_veneer()
 * writes when the module is loaded, and preserves our TOC pointer, which the
 * function replaces by its own.  A ninth argument is passed on.
 *
 * The built-in kprobes refuse that section: some are on the way of their traps, see trap.c.
 */
#include "host_arch.h"

#define FRAME	(POWERPC_FRAME_ARGS + 16)

#define IMPORT(name, need)		\
	.balign	8;			\
	.globl	import_##name;		\
	.type	import_##name, @function; \
import_##name:				\
	mflr	0;			\
	std	0, POWERPC_FRAME_LR(1);	\
	ld	0, POWERPC_FRAME_ARGS(1); \
	stdu	1, -FRAME(1);		\
	std	0, POWERPC_FRAME_ARGS(1); \
	std	2, 24(1);		\
	.fill	5, 4, POWERPC_TRAP;	\
	mtctr	12;			\
	bctrl;				\
	ld	2, 24(1);		\
	addi	1, 1, FRAME;		\
	ld	0, POWERPC_FRAME_LR(1);	\
	mtlr	0;			\
	blr;				\
	.size	import_##name, . - import_##name;

	.section .kprobes.text, "ax"
IMPORT(kallsyms_lookup_name, IMPORT_REQUIRED)
#include "../../host/imports.h"

	.section .note.GNU-stack, "", @progbits
