/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slots of the module's own text, and an exception table entry for each
 * copy in them.  The entries begin on the last byte of a copy, where no
 * instruction ever begins: they mean nothing until host/slots.c moves them.
 */
#include <linux/linkage.h>
#include <asm/asm-extable.h>
#include "host_arch.h"

	.section .text.lkp_slots, "ax", @progbits
	.balign ARCH_SLOT_SIZE
	.globl arch_slots
	.type arch_slots, @object
arch_slots:
	.rept ARCH_NR_SLOTS * ARCH_SLOT_SIZE / 4
	brk	#ARM64_IMM_EMPTY
	.endr
	.size arch_slots, . - arch_slots

	.section __ex_table, "a"
	.balign 4
	.set .Lidle, ARCH_SLOT_COPY_SIZE - 1
	.rept ARCH_NR_SLOTS * ARCH_SLOT_COPIES
	.long (arch_slots + .Lidle) - .
	.long (arch_slots + .Lidle) - .
	.short EX_TYPE_NONE
	.short 0
	.set .Lidle, .Lidle + ARCH_SLOT_COPY_SIZE
	.endr

	.section .note.GNU-stack, "", @progbits
