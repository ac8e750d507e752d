/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slots of the module's own text, and an exception table entry for each
 * copy in them.  The entries begin on the last byte of a copy, where no
 * instruction ever begins: they mean nothing until host/slots.c moves them.
 *
 * Included by each architecture's slot_area.S, which brings
 *
 * SLOT_AREA_FILL	the slots, full of traps
 * SLOT_AREA_TYPE	what an exception table entry holds behind its two offsets,
 *			empty if that is all
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
