/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detour buffers: the targets of optimised probes' branches.
 */
#ifndef LKP_POWERPC_DETOUR_H
#define LKP_POWERPC_DETOUR_H

#include <linux/kprobes.h>
#include <linux/types.h>

#include "../../host/host.h"
#include "assembly.h"

#define ARCH_TRAP_WORD		POWERPC_TRAP

/* With more handlers than this, every hit is looked up. */
#define DETOUR_MAX_HANDLERS	8

/**
 * struct detour_call - a handler that a detour buffer calls
 * @p: its kprobe, which the client may have cleared
 * @handler: as it was when the detour buffer was made
 */
struct detour_call {
	struct kprobe *p;
	kprobe_pre_handler_t handler;
};

/**
 * struct detour - a detour buffer
 * @owner: when it is freed
 * @addr: address of the probe point that it was made for
 * @links: the instruction sets LR to the address after it
 * @shut: the gate, see arch_shut_gate()
 * @code: its address
 * @nr: number of handlers
 * @calls: the handlers, in order
 * @pt: the point, of a hit that holds the guard
 * @has_post: post handlers follow
 * @copy: the address of the copy of the instruction
 * @exit: the address of what leads to @exit_to; 0: there is none
 * @exit_to: where hits with post handlers go on
 */
struct detour {
	struct host_owner owner;
	unsigned long addr;
	bool links;
	u32 shut;
	unsigned long code;
	unsigned int nr;
	struct detour_call calls[DETOUR_MAX_HANDLERS];
	struct probe_point *pt;
	bool has_post;
	unsigned long copy;
	unsigned long exit;
	unsigned long exit_to;
};

/* The entry is behind the pointer, and the address for LR. */
static inline unsigned long arch_detour_entry(const struct detour *detour)
{
	return detour->code + (detour->links ? ASSEMBLY_LINK_SIZE : 0) + ASSEMBLY_ENTRY;
}

void powerpc_detour_area(unsigned long near, struct host_area *area);
asmlinkage void powerpc_detour_hit(struct detour *detour, struct pt_regs *regs);

#endif /* LKP_POWERPC_DETOUR_H */
