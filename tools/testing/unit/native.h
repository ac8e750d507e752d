/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs one instruction on the processor itself, from a given register state,
 * to compare what it does with what the emulation does.
 */
#ifndef LKP_UNIT_NATIVE_H
#define LKP_UNIT_NATIVE_H

#include "../../../arch/x86/emulate.h"

/*
 * Memory for it, in the low 2 GB so that 32-bit addresses reach it: code, and
 * data that the instruction may use.
 */
#define NATIVE_BASE	0x10000000ul
#define NATIVE_CODE	NATIVE_BASE
#define NATIVE_CODE_SIZE 0x2000ul
#define NATIVE_DATA	(NATIVE_BASE + NATIVE_CODE_SIZE)
#define NATIVE_DATA_SIZE 0x2000ul
#define NATIVE_STACK	(NATIVE_DATA + NATIVE_DATA_SIZE / 2)

/* Where the instruction is put, and where a branch of it may go. */
#define NATIVE_INSN	(NATIVE_CODE + 0x1000)
#define NATIVE_NEAR	(NATIVE_INSN + 0x40)
#define NATIVE_FAR	(NATIVE_INSN + 0x800)

bool native_init(void);

/*
 * Runs the @len bytes at @insn at NATIVE_INSN.  On return @regs holds the
 * registers after it, and regs->ip where execution went on: behind the
 * instruction, NATIVE_NEAR or NATIVE_FAR.
 */
void native_run(const u8 *insn, unsigned int len, struct emulate_regs *regs);

/* The base of gs while instructions run natively: small, so that gs:(%rsp) is a valid operand. */
#define NATIVE_GS_BASE	0x340ul

/* In assembly, for native.c only. */
void native_enter(void);
void native_leave(void);

#endif /* LKP_UNIT_NATIVE_H */
