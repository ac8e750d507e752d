/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Native runs of code with registers of the caller's choice, on ppc64le or in
 * QEMU's user mode.
 *
 * A run is two signals: one whose handler loads the registers, and SIGTRAP,
 * SIGSEGV or SIGILL from wherever the code went, whose handler saves them. No
 * register between the two is ours, so the handlers use only static memory.
 */
#ifndef LKP_UNIT_POWERPC_NATIVE_H
#define LKP_UNIT_POWERPC_NATIVE_H

#include "../../../../arch/powerpc/emulate.h"

/* An area full of traps, for code, and one for data, within 34 bits of it. */
#define NATIVE_CODE		0x500000000ull
#define NATIVE_CODE_SIZE	0x40000ull
#define NATIVE_DATA		(NATIVE_CODE + 0x10000000ull)
#define NATIVE_DATA_SIZE	0x10000ull

/* Where what is run begins, or up to 256 words behind. */
#define NATIVE_CODE_MIDDLE	(NATIVE_CODE + NATIVE_CODE_SIZE / 2)

extern u64 native_seed;
u64 native_random(void);

/* Aborts if there is no memory where it must be. */
void native_init(void);

/* Code, of whole words; erased it is traps again. */
void native_write(u64 addr, const void *bytes, unsigned int size);
void native_erase(u64 addr, unsigned int size);

/**
 * native_run() - run from @regs->nip until something stops it
 * @regs: changed to what they are then, but for those that code can't change
 *
 * Return: the signal that stopped it.
 */
int native_run(struct emulate_regs *regs);

/**
 * native_choose_words() - an instruction of those that are emulated, with random operands
 * @words: room for two
 * @nip: where it will be; it often reaches the data from there
 *
 * Return: how many words it has.  Not all are valid.
 */
unsigned int native_choose_words(u32 *words, u64 nip);

/* Random registers, with somewhere to go in LR and CTR, and nip in the middle of the code. */
void native_choose_registers(struct emulate_regs *regs);

#endif /* LKP_UNIT_POWERPC_NATIVE_H */
