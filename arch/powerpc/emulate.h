/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emulation of the instructions of 64-bit Power that depend on their address, and
 * of moves from and to LR and CTR.  Pure code, see ../pure.h.  Memory accesses go
 * through the hooks below, which the user of this code supplies.
 */
#ifndef LKP_POWERPC_EMULATE_H
#define LKP_POWERPC_EMULATE_H

#include "insn.h"

/**
 * struct emulate_regs - the registers an instruction works on
 *
 * Laid out as the kernel's struct pt_regs of ppc64, so that the trap path
 * needs no copy; arch/powerpc/probe.c asserts that they agree.
 */
struct emulate_regs {
	u64 gpr[32];
	u64 nip, msr, orig_gpr3, ctr, link, xer, ccr, softe;
	u64 trap, dar, dsisr, result;
};

/**
 * enum emulate_result - how an emulation ended
 * @EMULATE_DONE: registers and memory are as after the instruction
 * @EMULATE_FAULT: the access would fault; nothing has changed
 * @EMULATE_NONE: the instruction is not in the table; nothing has changed
 */
enum emulate_result {
	EMULATE_DONE,
	EMULATE_FAULT,
	EMULATE_NONE,
};

/*
 * Hooks, supplied by the user of this code.  They return false if the access
 * faults; nothing has changed then.
 */
bool emulate_load(u64 addr, void *val, unsigned int size);
bool emulate_store(u64 addr, const void *val, unsigned int size);

/**
 * emulate_insn() - emulate an instruction
 * @insn: decoded from the bytes at @regs->nip
 * @regs: the registers; on EMULATE_DONE @regs->nip is where execution continues
 *
 * The processor is assumed to run little-endian 64-bit code.  A branch to an
 * address that is not executable succeeds: the fault comes with the next instruction,
 * as it does without emulation.
 *
 * The caller must announce a changed nip to the kernel by regs_set_return_ip().
 *
 * Context: any; takes no lock, calls nothing but the hooks.
 * Return: enum emulate_result.
 */
enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs);

/*
 * The table of emulated forms, one row each, so that tests can measure which rows
 * they ran.
 */
unsigned int emulate_nr_rows(void);
const char *emulate_row_name(unsigned int row);

/**
 * emulate_row() - find the row for an instruction
 * @insn: from insn_decode()
 *
 * Return: an index below emulate_nr_rows(), or -1.
 */
int emulate_row(const struct insn *insn);

#endif /* LKP_POWERPC_EMULATE_H */
