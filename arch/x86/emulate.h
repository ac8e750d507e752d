/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The effects of the x86-64 control-flow instructions on a register file.  Pure
 * code, see ../pure.h: memory is accessed through the hooks below, which the
 * program that links this supplies.
 */
#ifndef LKP_X86_EMULATE_H
#define LKP_X86_EMULATE_H

#include "insn.h"

/**
 * struct emulate_regs - the registers an instruction works on
 *
 * Laid out as the kernel's struct pt_regs of x86-64, so that the trap path
 * needs no copy; arch/x86/probe.c asserts that they agree.
 */
struct emulate_regs {
	u64 r15, r14, r13, r12, bp, bx;
	u64 r11, r10, r9, r8, ax, cx, dx, si, di;
	u64 orig_ax;
	u64 ip, cs, flags, sp, ss;
};

#define EMULATE_FLAG_CF	0x0001ul
#define EMULATE_FLAG_PF	0x0004ul
#define EMULATE_FLAG_ZF	0x0040ul
#define EMULATE_FLAG_SF	0x0080ul
#define EMULATE_FLAG_TF	0x0100ul
#define EMULATE_FLAG_IF	0x0200ul
#define EMULATE_FLAG_OF	0x0800ul
#define EMULATE_FLAG_RF	0x10000ul

/**
 * enum emulate_result - how an emulation ended
 * @EMULATE_DONE: registers and memory are as after the instruction
 * @EMULATE_FAULT: it would fault on memory, or branch to an address that is not
 *	canonical; nothing has changed
 * @EMULATE_NONE: the table has no such instruction; nothing has changed
 */
enum emulate_result {
	EMULATE_DONE,
	EMULATE_FAULT,
	EMULATE_NONE,
};

/*
 * Hooks, supplied by the program that links this.  They return false if the access
 * faults (or is not canonical), and then have changed nothing.
 */
bool emulate_load(u64 addr, void *val, unsigned int size);
bool emulate_store(u64 addr, const void *val, unsigned int size);
u64 emulate_segment_base(enum insn_segment segment);

/* The processor's, of linear addresses: 48 or 57. */
unsigned int emulate_address_bits(void);

/**
 * emulate_insn() - emulate an instruction
 * @insn: decoded from the bytes at @regs->ip
 * @regs: the registers; on EMULATE_DONE @regs->ip is the address to resume at
 *
 * The privilege level is taken to be 0.  An emulated sti opens no interrupt
 * shadow: an interrupt may arrive before the instruction that follows it.
 *
 * Context: any; takes no lock, calls nothing but the hooks.
 * Return: enum emulate_result.
 */
enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs);

/**
 * emulate_address() - the linear address of an instruction's memory operand
 * @insn: with INSN_HAS_MEM, not of a vector SIB form
 * @regs: with ip the address of the instruction
 */
u64 emulate_address(const struct insn *insn, const struct emulate_regs *regs);

/*
 * The table of emulated instructions has a row for each form, so that tests can
 * measure which rows they have run.
 */
unsigned int emulate_nr_rows(void);
const char *emulate_row_name(unsigned int row);

/**
 * emulate_row() - the row that emulates an instruction
 * @insn: from insn_decode()
 *
 * Return: an index below emulate_nr_rows(), or -1.
 */
int emulate_row(const struct insn *insn);

#endif /* LKP_X86_EMULATE_H */
