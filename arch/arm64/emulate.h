/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emulation of the A64 instructions that depend on their address, or on state
 * that a trap changes.  Pure code, see ../pure.h.  Memory accesses and what only
 * the processor can do go through the hooks below, which the user of this code
 * supplies.
 */
#ifndef LKP_ARM64_EMULATE_H
#define LKP_ARM64_EMULATE_H

#include "insn.h"

/**
 * struct emulate_regs - the registers an instruction works on
 *
 * Laid out as the beginning of the kernel's struct pt_regs of arm64, so that
 * the trap path needs no copy; arch/arm64/probe.c asserts that they agree.
 */
struct emulate_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 pstate;
};

#define EMULATE_PSTATE_DAIF	0x000003c0ull
#define EMULATE_PSTATE_BTYPE	0x00000c00ull
#define EMULATE_PSTATE_V	0x10000000ull
#define EMULATE_PSTATE_C	0x20000000ull
#define EMULATE_PSTATE_Z	0x40000000ull
#define EMULATE_PSTATE_N	0x80000000ull

/* PSTATE.BTYPE after an indirect branch */
#define EMULATE_BTYPE_BR_LINKER	0x00000400ull	/* through x16 or x17, or from unguarded text */
#define EMULATE_BTYPE_BLR	0x00000800ull
#define EMULATE_BTYPE_BR	0x00000c00ull

/**
 * enum emulate_guard - does an indirect branch leave its type in PSTATE.BTYPE
 * @EMULATE_NO_TYPES: no: this processor has no branch types
 * @EMULATE_OPEN: yes, and it is in text that requires no landing pads
 * @EMULATE_GUARDED: yes, and it is in text that requires them
 */
enum emulate_guard {
	EMULATE_NO_TYPES,
	EMULATE_OPEN,
	EMULATE_GUARDED,
};

/**
 * enum emulate_result - how an emulation ended
 * @EMULATE_DONE: registers are as after the instruction
 * @EMULATE_FAULT: the access or the authentication would fault; nothing has changed
 * @EMULATE_NONE: the instruction is not emulated; nothing has changed
 */
enum emulate_result {
	EMULATE_DONE,
	EMULATE_FAULT,
	EMULATE_NONE,
};

/*
 * Hooks, supplied by the user of this code.  They return false if the access
 * faults or the address is not signed correctly; nothing has changed then.
 */
bool emulate_load(u64 addr, void *val, unsigned int size);
bool emulate_load_vector(unsigned int reg, u64 addr, unsigned int size);
bool emulate_authenticate(u64 *addr, u64 modifier, bool key_b);
enum emulate_guard emulate_guard(u64 addr);

/**
 * emulate_insn() - emulate an instruction
 * @insn: decoded from the bytes at @regs->pc
 * @regs: the registers; on EMULATE_DONE @regs->pc is where execution continues
 *
 * A branch to an address that is not executable succeeds: the fault comes with
 * the next instruction, as it does without emulation.
 *
 * Context: any; takes no lock, calls nothing but the hooks.
 * Return: enum emulate_result.
 */
enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs);

#endif /* LKP_ARM64_EMULATE_H */
