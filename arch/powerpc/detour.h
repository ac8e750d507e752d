/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detours: where the branches of optimised probes lead.
 */
#ifndef LKP_POWERPC_DETOUR_H
#define LKP_POWERPC_DETOUR_H

#include <linux/types.h>

#include "../../host/host.h"

struct kprobe;
struct pt_regs;

/* More handlers than this are looked up. */
#define POWERPC_MAX_HANDLERS	8

/**
 * struct powerpc_detour - a detour
 * @gate: the word before it that, if not 0, has all hits looked up by dispatch_jump()
 * @addr: of the probe point that it was made for
 * @code: where it is
 * @entry: where in it the branch leads
 * @links: the instruction sets LR to what follows it
 * @nr: how many handlers there are
 * @probes: whose, in order
 *
 * Tasks may be in a detour long after its point has been freed: it is freed
 * together with the code.
 */
struct powerpc_detour {
	const u32 *gate;
	unsigned long addr;
	unsigned long code;
	unsigned long entry;
	bool links;
	unsigned int nr;
	struct kprobe *probes[POWERPC_MAX_HANDLERS];
};

void powerpc_detour_area(unsigned long near, struct host_area *area);
asmlinkage void powerpc_detour_hit(struct powerpc_detour *detour, struct pt_regs *regs);

#endif /* LKP_POWERPC_DETOUR_H */
