/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detours: the code that the jumps of optimised probes lead to.
 */
#ifndef LKP_X86_DETOUR_H
#define LKP_X86_DETOUR_H

#include <linux/types.h>

#include "../../host/host.h"
#include "assembly.h"
#include "reach.h"

struct module;
struct pt_regs;
struct detour_site;
struct relay;

/* Where an instruction of the region begins, and where its copy does. */
struct copy_start {
	u8 original;
	u8 copy;
};

/**
 * struct copy_map - what is where in a detour
 * @starts: of all instructions but the first, and of what follows the region
 * @guarded: the offset of the guarded copy of the first one, with the post handlers behind it;
 *	0: there is none
 * @in_place: the offset of what runs it with the registers on the stack; 0: there is none
 */
struct copy_map {
	struct copy_start starts[REACH_MAX_INSNS];
	u16 guarded;
	u16 in_place;
};

/*
 * Offsets in a detour: where the map is, where hits are looked up, the end of the jump there to the
 * code that restores all registers, and where the jump in the text leads to.  What is looked up
 * comes before the entry, so that emit_gate() reaches it by rel8 with any number of handlers.
 */
#define DETOUR_MAP_AT		15
#define DETOUR_LOOK_UP_AT	(DETOUR_MAP_AT + (unsigned int)sizeof(struct copy_map))
#define DETOUR_RESTORE_FROM	(DETOUR_LOOK_UP_AT + 26)
#define DETOUR_ENTRY_AT		(DETOUR_RESTORE_FROM + X86_BRANCH32_SIZE)

/* In what emit_in_place() emits: the flags have been pushed, and popped again. */
#define DETOUR_PUSHED_AT	7
#define DETOUR_POPPED_AT	13

/**
 * struct detour - a detour
 * @owner: when it is freed
 * @code: the address of its code
 * @copies: the address of the copies of the overwritten instructions and the jump back
 * @addr: the address of the probe point that it was made for
 * @shut: the gate, see arch_shut_gate()
 * @region: bytes of the instructions that the jump overwrites
 * @covered: the original bytes under the jump
 * @jump: bytes of the jump
 * @relay: what a short jump leads to; else NULL
 *
 * There is one for each jump: where in @copies which instruction begins is in the code only.
 */
struct detour {
	struct host_owner owner;
	unsigned long code;
	unsigned long copies;
	unsigned long addr;
	u32 shut;
	u8 region;
	u8 covered[REACH_JUMP_SIZE];
	u8 jump;
	struct relay *relay;
};
static_assert(sizeof(struct detour) <= 64);

/* Of a detour that has been written. */
static inline const struct copy_map *x86_copy_map(unsigned long code)
{
	return (const struct copy_map *)(code + DETOUR_MAP_AT);
}

/**
 * struct x86_detour_places - addresses in x86_detour, in trampoline.S
 * @entered: a word has been pushed, as by a call
 * @saved: all is pushed
 * @pushed: one more word is
 * @called: as @saved; a return address behind it is as that of a called handler
 * @end: as much has been popped as is behind @called
 */
struct x86_detour_places {
	unsigned long entered;
	unsigned long saved;
	unsigned long pushed;
	unsigned long called;
	unsigned long end;
};

/* A short jump needs a relay. */
const char *arch_detour_lead(struct detour *detour, const struct detour_site *site);
void arch_detour_unlead(struct detour *detour);
#define arch_detour_lead	arch_detour_lead

extern const struct x86_detour_places x86_detour_places;

bool x86_targets_has(unsigned long addr);
const char *x86_targets_know(unsigned long addr, struct module *mod);
void x86_targets_forget(struct module *mod);
void x86_targets_exit(void);

#endif /* LKP_X86_DETOUR_H */
