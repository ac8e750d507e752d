/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detours: where the jumps of optimised probes lead.
 */
#ifndef LKP_X86_DETOUR_H
#define LKP_X86_DETOUR_H

#include <linux/types.h>

#include "reach.h"

struct module;
struct pt_regs;

/**
 * struct x86_detour - a detour
 * @code: where it is
 * @gate: the byte in it that, rewritten, has all hits looked up by dispatch_jump()
 * @copies: what does what the overwritten instructions did, and goes on behind them
 * @addr: of the probe point that it was made for
 * @region: how many bytes the jump makes nobody run
 * @covered: the original bytes under the jump
 *
 * Tasks may be in a detour long after its point has been freed: it is freed
 * together with the code.
 */
struct x86_detour {
	unsigned long code;
	unsigned long gate;
	unsigned long copies;
	unsigned long addr;
	u8 region;
	u8 covered[REACH_JUMP_SIZE];
};

bool x86_targets_has(unsigned long addr);
const char *x86_targets_know(unsigned long addr, struct module *mod);
void x86_targets_forget(struct module *mod);
void x86_targets_exit(void);

asmlinkage void x86_detour_look_up(struct x86_detour *detour, struct pt_regs *regs);

#endif /* LKP_X86_DETOUR_H */
