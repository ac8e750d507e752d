/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the instructions of 64-bit Power that depend on where they are do to a
 * register file, and moves of the registers that branches use.  Pure code, see
 * ../pure.h: memory is reached through the hooks below, which the program that
 * links this supplies.
 */
#ifndef LKP_POWERPC_EMULATE_H
#define LKP_POWERPC_EMULATE_H

#include "insn.h"

/**
 * struct emulate_regs - the registers an instruction works on
 *
 * Laid out as the kernel's struct pt_regs of ppc64, so that the trap path
 * needs no copy; whoever uses it so asserts that they agree.
 */
struct emulate_regs {
	u64 gpr[32];
	u64 nip, msr, orig_gpr3, ctr, link, xer, ccr, softe;
	u64 trap, dar, dsisr, result;
};

/**
 * enum emulate_result - how an emulation ended
 * @EMULATE_DONE: registers and memory are as after the instruction
 * @EMULATE_FAULT: it would fault on memory; nothing has changed
 * @EMULATE_NONE: not an instruction of the table; nothing has changed
 */
enum emulate_result {
	EMULATE_DONE,
	EMULATE_FAULT,
	EMULATE_NONE,
};

/*
 * Hooks, supplied by whoever links this.  They return false if the access
 * faults, and then have changed nothing.
 */
bool emulate_load(u64 addr, void *val, unsigned int size);
bool emulate_store(u64 addr, const void *val, unsigned int size);

/**
 * emulate_insn() - do what an instruction does
 * @insn: decoded from the bytes at @regs->nip
 * @regs: the registers; on EMULATE_DONE @regs->nip is where execution goes on
 *
 * The processor is taken to run little-endian code of 64 bits.  A branch to an
 * address where nothing is faults there, after it, and so does the emulated
 * one: when execution goes on.
 *
 * The kernel has to be told of a changed nip by regs_set_return_ip().
 *
 * Context: any; takes no lock, calls nothing but the hooks.
 * Return: enum emulate_result.
 */
enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs);

/*
 * The table of what is emulated, a row for each form, so that tests can
 * measure which rows they ran.
 */
unsigned int emulate_nr_rows(void);
const char *emulate_row_name(unsigned int row);

/**
 * emulate_row() - the row that serves an instruction
 * @insn: from insn_decode()
 *
 * Return: an index below emulate_nr_rows(), or -1.
 */
int emulate_row(const struct insn *insn);

#endif /* LKP_POWERPC_EMULATE_H */
