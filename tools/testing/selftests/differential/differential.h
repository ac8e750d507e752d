/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A case: one instruction, what is run before and after it, and what the
 * registers must hold.  Read by the assembler too.
 */
#ifndef LKP_DIFFERENTIAL_H
#define LKP_DIFFERENTIAL_H

#include <linux/const.h>

/* Quadwords of memory that the instructions work on. */
#define DATA_WORDS	64
#define STACK_WORDS	128

/* What a case needs of a register, by the register's number; the rest is random. */
#define NR_RAX	0
#define NR_RCX	1
#define NR_RDX	2
#define NR_RBX	3
#define NR_RSP	4
#define NR_RBP	5
#define NR_RSI	6
#define NR_RDI	7

/* To point into the data: at 8 bytes' alignment, amid it. */
#define DATA(reg)	(_AC(1, ULL) << NR_##reg)
/* To be small: 0 to 7. */
#define SMALL(reg)	(_AC(1, ULL) << (16 + NR_##reg))
/* To point into the stack, above its pointer. */
#define STACK(reg)	(_AC(1, ULL) << (32 + NR_##reg))
/* What lies on the stack is flags for popf, or pointers into the stack. */
#define STACK_FLAGS	(_AC(1, ULL) << 48)
#define STACK_POINTERS	(_AC(1, ULL) << 49)
/* For a division: rdx is 0, rax positive, no divisor is 0. */
#define DIVIDE		(_AC(1, ULL) << 50)
/* It uses the vector registers. */
#define FPU		(_AC(1, ULL) << 51)
/* It lowers the stack pointer and writes nothing there. */
#define HOLE		(_AC(1, ULL) << 52)

#define RSP_OFFSET	(8 * NR_RSP)
#define FLAGS_OFFSET	(8 * 16)

#ifndef __ASSEMBLY__

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct diff_case - one case, as the assembler lays it out
 * @name: what it is
 * @code: where it begins
 * @need: DATA(), SMALL(), ...
 * @insn: the instruction that is compared, from @code
 * @after: behind it, from @code
 * @tail: where what follows it ends, from @code
 *
 * An address in data is one that code may be come to: more than one would keep
 * probes from becoming jumps.
 */
struct diff_case {
	const char *name;
	unsigned long code;
	u64 need;
	unsigned long insn;
	unsigned long after;
	unsigned long tail;
};

/**
 * struct diff_regs - a register file
 * @gpr: by number
 * @flags: rflags
 */
struct diff_regs {
	u64 gpr[16];
	u64 flags;
};

extern const struct diff_case diff_cases[], diff_cases_end[];
extern struct diff_regs diff_in, diff_out;
extern u64 diff_data[DATA_WORDS];
extern u64 diff_stack[STACK_WORDS];	/* in: what it is to hold; out: what it held */
extern u64 diff_window;			/* out: where it was */

DECLARE_PER_CPU_ALIGNED(u64, diff_percpu[4]);

void diff_run(unsigned long code, u64 sp_offset);

#endif /* __ASSEMBLY__ */

#endif /* LKP_DIFFERENTIAL_H */
