/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detours: where the branches of optimised probes lead.
 */
#ifndef LKP_POWERPC_DETOUR_H
#define LKP_POWERPC_DETOUR_H

#include <linux/types.h>

#include "../../host/host.h"
#include "assembly.h"

#define ARCH_TRAP_WORD		POWERPC_TRAP

struct kprobe;
struct pt_regs;

/* More handlers than this are looked up. */
#define DETOUR_MAX_HANDLERS	8

/**
 * struct detour - a detour
 * @gate: the word before it that, if not 0, has all hits looked up by dispatch_jump()
 * @addr: of the probe point that it was made for
 * @code: where it is
 * @links: the instruction sets LR to what follows it
 * @nr: how many handlers there are
 * @probes: whose, in order
 */
struct detour {
	const u32 *gate;
	unsigned long addr;
	unsigned long code;
	bool links;
	unsigned int nr;
	struct kprobe *probes[DETOUR_MAX_HANDLERS];
};

/* Behind the pointer and the gate. */
static inline unsigned long arch_detour_entry(const struct detour *detour)
{
	return detour->code + ASSEMBLY_ENTRY;
}

void powerpc_detour_area(unsigned long near, struct host_area *area);
asmlinkage void powerpc_detour_hit(struct detour *detour, struct pt_regs *regs);

#endif /* LKP_POWERPC_DETOUR_H */
