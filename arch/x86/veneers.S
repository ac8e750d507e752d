/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A veneer for each imported function: space for a jump, which arch_bind_veneer()
 * writes when the module is loaded.  It is a return before that, so that objtool
 * knows that calls of it return.
 */
#include <linux/linkage.h>

#define IMPORT(name, need)		\
SYM_FUNC_START(import_##name);		\
	RET;				\
	.fill 5, 1, 0xcc;		\
SYM_FUNC_END(import_##name);

	.text
IMPORT(kallsyms_lookup_name, IMPORT_REQUIRED)
#include "../../host/imports.h"

	.section .note.GNU-stack, "", @progbits
