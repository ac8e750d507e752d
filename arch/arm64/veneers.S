/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A veneer for each imported function: room for a branch over any distance, which
 * arch_bind_veneer() writes when the module is loaded.  Until then it is a return.
 * Veneers are only called directly, so they need no landing pad.
 *
 * The built-in kprobes refuse that section: some are on the way of their traps, see trap.c.
 */
#include <linux/linkage.h>

#define IMPORT(name, need)		\
SYM_CODE_START(import_##name);		\
	ret;				\
	nop;				\
	nop;				\
SYM_CODE_END(import_##name);

	.section .kprobes.text, "ax"
IMPORT(kallsyms_lookup_name, IMPORT_REQUIRED)
#include "../../host/imports.h"

	.section .note.GNU-stack, "", @progbits
