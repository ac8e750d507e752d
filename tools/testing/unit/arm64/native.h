/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a few instructions on the processor (or in QEMU), from a given register
 * state, to compare their effects with the emulation's.
 */
#ifndef LKP_UNIT_ARM64_NATIVE_H
#define LKP_UNIT_ARM64_NATIVE_H

#include "../../../../arch/arm64/emulate.h"

/*
 * Memory for them, full of breakpoints that are all different: execution ends at
 * any of them, and each loaded value identifies its place.
 */
#define NATIVE_BASE	0x4000000000ull
#define NATIVE_SIZE	0x400000ull
#define NATIVE_MIDDLE	(NATIVE_BASE + NATIVE_SIZE / 2)

struct native_state {
	struct emulate_regs regs;
	u8 vector[32][16];
};

/* With @guarded in pages that demand landings of indirect branches. */
bool native_init(bool guarded);

/* The word that is in the memory at an address unless it is overwritten. */
u32 native_word(u64 addr);

/**
 * native_run() - run instructions until a breakpoint
 * @words: the instructions, put at @at for the time being
 * @nr: how many
 * @at: where, in the memory
 * @state: loaded before, from regs.pc on; what was found at the breakpoint, behind
 *
 * Return: false if it ended in anything but a breakpoint of the memory.
 */
bool native_run(const u32 *words, unsigned int nr, u64 at, struct native_state *state);

#endif /* LKP_UNIT_ARM64_NATIVE_H */
