/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slots in the module's own text, and an exception table entry for each copy in
 * them.  An unused entry points at the last byte of a copy, where no instruction ever
 * begins, so it has no effect until host/slot_fixups.c moves it.
 *
 * Included by each architecture's slot_area.S, which defines
 *
 * SLOT_AREA_FILL	the slots, full of traps
 * SLOT_AREA_TYPE	the fields of an exception table entry behind its two
 *			offsets; empty if there are none
 */

	.section .text.lkp_slots, "ax", @progbits
	.balign ARCH_SLOT_SIZE
	.globl arch_slots
	.type arch_slots, @object
arch_slots:
	SLOT_AREA_FILL
	.size arch_slots, . - arch_slots

	.section __ex_table, "a"
	.balign 4
	.set .Lidle, ARCH_SLOT_COPY_SIZE - 1
	.rept ARCH_NR_SLOTS * ARCH_SLOT_COPIES
	.long (arch_slots + .Lidle) - .
	.long (arch_slots + .Lidle) - .
	SLOT_AREA_TYPE
	.set .Lidle, .Lidle + ARCH_SLOT_COPY_SIZE
	.endr

	.section .note.GNU-stack, "", @progbits
