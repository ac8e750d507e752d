/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detours: where the branches of optimised probes lead.
 */
#ifndef LKP_ARM64_DETOUR_H
#define LKP_ARM64_DETOUR_H

#include <linux/types.h>

#include "assembly.h"

#define ARCH_TRAP_WORD		ARM64_BRK(ARM64_IMM_POINT)

/* More handlers than this are looked up. */
#define DETOUR_MAX_HANDLERS	ASSEMBLY_MAX_HANDLERS

/**
 * struct detour - a detour
 * @code: where it is, and entered
 * @addr: of the probe point that it was made for
 * @gate: the word in it that, rewritten, has all hits looked up by dispatch_jump()
 * @look_up: where that leads
 */
struct detour {
	unsigned long code;
	unsigned long addr;
	unsigned long gate;
	unsigned long look_up;
};

static inline unsigned long arch_detour_entry(const struct detour *detour)
{
	return detour->code;
}

#endif /* LKP_ARM64_DETOUR_H */
