/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fixed.c requires of an architecture on which a breakpoint and a jump are one
 * word each and replace a whole instruction or its prefix.
 *
 * In its detour.h, in addition to what detour.h requires:
 *
 * ARCH_TRAP_WORD	the breakpoint of a probe point
 * unsigned long arch_detour_entry(const struct detour *detour);
 *	where the jump leads
 *
 * and reach_branch().
 */
#ifndef LKP_ARCH_FIXED_H
#define LKP_ARCH_FIXED_H

#include "detour.h"

#endif /* LKP_ARCH_FIXED_H */
