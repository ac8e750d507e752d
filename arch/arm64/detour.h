/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detour buffers: the targets of optimised probes' branches.
 */
#ifndef LKP_ARM64_DETOUR_H
#define LKP_ARM64_DETOUR_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "../../host/host.h"
#include "assembly.h"

#define ARCH_TRAP_WORD		ARM64_BRK(ARM64_IMM_POINT)

/* With more handlers than this, every hit is looked up. */
#define DETOUR_MAX_HANDLERS	ASSEMBLY_MAX_HANDLERS

/**
 * struct detour - a detour buffer
 * @owner: when it is freed
 * @code: its address
 * @addr: address of the probe point that it was made for
 * @guard: the gate, see arch_shut_gate(): which per-CPU word must be NULL for handlers to be
 *	called, the guard or one that never is.  A hit loads it together with @addr.
 */
struct detour {
	struct host_owner owner;
	unsigned long code;
	unsigned long addr;
	unsigned long guard;
};
static_assert(offsetof(struct detour, guard) == offsetof(struct detour, addr) + 8);

void arm64_detour_shut(struct detour *detour);

#define arch_detour_shut	arm64_detour_shut

static inline unsigned long arch_detour_entry(const struct detour *detour)
{
	return detour->code + ASSEMBLY_ENTRY;
}

#endif /* LKP_ARM64_DETOUR_H */
