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

/* More handlers than this are looked up. */
#define DETOUR_MAX_HANDLERS	8

/* What a detour takes at the most. */
#define DETOUR_FIXED_SIZE	160
#define DETOUR_HANDLER_SIZE	27
#define DETOUR_MAX		(DETOUR_FIXED_SIZE + REACH_MAX_COPY +	\
				 DETOUR_MAX_HANDLERS * DETOUR_HANDLER_SIZE)

/**
 * struct assembly - code that is being assembled, for an address
 * @bytes: the code
 * @nr: how many bytes there are so far
 * @addr: where it will run
 * @failed: it was too long, or something is out of reach
 */
struct assembly {
	u8 bytes[DETOUR_MAX];
	unsigned int nr;
	unsigned long addr;
	bool failed;
};

/**
 * struct detour - a detour
 * @code: where it is
 * @gate: the byte in it that, rewritten, has all hits looked up by dispatch_jump()
 * @copies: what does what the overwritten instructions did, and goes on behind them
 * @addr: of the probe point that it was made for
 * @region: how many bytes the jump makes nobody run
 * @covered: the original bytes under the jump
 */
struct detour {
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

#endif /* LKP_X86_DETOUR_H */
