/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fixed.c wants of an architecture on which a breakpoint and a jump are one
 * word each, in place of a whole instruction or of its prefix.
 *
 * In its detour.h, beside what detour.h wants:
 *
 * ARCH_TRAP_WORD	the breakpoint of a probe point
 * struct detour	with
 *	gate		the address of the word in it that shuts it
 * unsigned long arch_detour_entry(const struct detour *detour);
 *	where the jump leads
 *
 * and reach_branch().
 */
#ifndef LKP_ARCH_FIXED_H
#define LKP_ARCH_FIXED_H

#include "detour.h"

/**
 * arch_gate_word() - what shuts the gate of a detour buffer
 * @detour: the detour
 *
 * Context: any.
 */
u32 arch_gate_word(const struct detour *detour);

#endif /* LKP_ARCH_FIXED_H */
