/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A veneer for each imported function: space for a jump, which arch_bind_veneer()
 * writes when the module is loaded.  It is a return before that, so that objtool
 * knows that calls of it return.  The address is taken to write there, never to call it.
 *
 * The built-in kprobes refuse that section: some are on the way of their traps, see arch/trap.h.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>

#define IMPORT(name, need)		\
SYM_FUNC_START(import_##name);		\
	ANNOTATE_NOENDBR;		\
	RET;				\
	.fill 5, 1, 0xcc;		\
SYM_FUNC_END(import_##name);

	.section .kprobes.text, "ax"
IMPORT(kallsyms_lookup_name, IMPORT_REQUIRED)
#include "../../host/imports.h"

	.section .note.GNU-stack, "", @progbits
