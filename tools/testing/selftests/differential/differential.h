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

/*
 * What a case needs of one of the first 16 registers, which the architecture
 * names NR_...; the rest is random.  To point into the data: at 8 bytes'
 * alignment, amid it.
 */
#define DATA(reg)	(_AC(1, ULL) << NR_##reg)
/* To be small: 0 to 7. */
#define SMALL(reg)	(_AC(1, ULL) << (16 + NR_##reg))
/* To point into the stack, above its pointer. */
#define STACK(reg)	(_AC(1, ULL) << (32 + NR_##reg))
/* What lies on the stack is pointers into the stack. */
#define STACK_POINTERS	(_AC(1, ULL) << 48)
/* It lowers the stack pointer and writes nothing there. */
#define HOLE		(_AC(1, ULL) << 49)
/* What the architecture has besides: 0 to 13. */
#define NEED_ARCH(nr)	(_AC(1, ULL) << (50 + (nr)))

#ifdef CONFIG_X86_64
#include "differential_x86.h"
#endif
#ifdef CONFIG_ARM64
#include "differential_arm64.h"
#endif
#ifdef CONFIG_PPC64
#include "differential_powerpc.h"
#endif

#ifndef __ASSEMBLY__

#include <linux/ptrace.h>
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
 * @gpr: by number, NR_SP among them
 * @special: the architecture's others, by name SPECIAL_...
 */
struct diff_regs {
	u64 gpr[NR_GPRS];
	u64 special[NR_SPECIALS];
};

extern const struct diff_case diff_cases[], diff_cases_end[];
/* x86 only: the cases from here on need per-CPU data at a low offset. */
extern const struct diff_case diff_cases_low_percpu[];
extern struct diff_regs diff_in, diff_out;
extern u64 diff_data[DATA_WORDS];
extern u64 diff_stack[STACK_WORDS];	/* in: what it is to hold; out: what it held */
extern u64 diff_window;			/* out: where it was */

/* The runner: from diff_in, diff_data and diff_stack to diff_out and those. */
void diff_run(unsigned long code, u64 sp_offset);

/* The common part's: a random number, and one of those that matter more often. */
u64 diff_random(void);
u64 diff_random_value(void);

/*
 * The architecture's, beside the emulator's table, emulate_nr_rows() and so on.
 *
 * diff_prepare() completes a state, of which diff_in.gpr and diff_stack are
 * there, by what a case needs.  diff_begin_run() and diff_end_run() are around a run,
 * with preemption disabled; what they find may go into diff_out.
 * diff_post_saw() tells whether a post handler was shown this register file.
 */
void diff_prepare(u64 need);
void diff_begin_run(u64 need);
void diff_end_run(u64 need);
bool diff_post_saw(const struct pt_regs *seen, const struct diff_regs *regs);

/* And where it is not all: how many cases, which of them and which rows a processor can run. */
unsigned int diff_nr_cases(void);
bool diff_case_runs(u64 need);
bool diff_row_runs(unsigned int row);

#endif /* __ASSEMBLY__ */

#endif /* LKP_DIFFERENTIAL_H */
