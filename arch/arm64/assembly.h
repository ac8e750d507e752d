/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assembles code that saves all registers, as a trap does, and calls C.
 */
#ifndef LKP_ARM64_ASSEMBLY_H
#define LKP_ARM64_ASSEMBLY_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "reach.h"

/* The longest code is a detour buffer for this many handlers. */
#define ASSEMBLY_MAX_HANDLERS	8
#define ASSEMBLY_MAX_LITERALS	(10 + 2 * ASSEMBLY_MAX_HANDLERS)
#define ASSEMBLY_MAX_WORDS	(108 + 6 * ASSEMBLY_MAX_HANDLERS + REACH_MAX_COPY / INSN_SIZE +	\
				 2 * ASSEMBLY_MAX_LITERALS)

#define STACK	31

/*
 * Such code begins with data: the address of the probed code that it stands for in stack traces,
 * see traces.c.  The entry is behind that.
 */
#define ASSEMBLY_ENTRY	8

static inline unsigned long assembly_stands_for(unsigned long code)
{
	return READ_ONCE(*(unsigned long *)code);
}

/**
 * struct assembly - code that is being assembled
 * @words: the code
 * @nr: number of words so far
 * @literals: constants that follow the code
 * @used_by: for each literal, the index of the word that loads it
 * @nr_literals: number of literals
 * @addr: the address at which the code will be
 * @failed: the code is too long, or a branch target is out of reach
 */
struct assembly {
	u32 words[ASSEMBLY_MAX_WORDS];
	unsigned int nr;
	u64 literals[ASSEMBLY_MAX_LITERALS];
	unsigned int used_by[ASSEMBLY_MAX_LITERALS];
	unsigned int nr_literals;
	unsigned long addr;
	bool failed;
};

/* In bytes. */
static inline unsigned int assembly_size(const struct assembly *a)
{
	return a->nr * INSN_SIZE;
}

void emit(struct assembly *a, u32 word);
unsigned long here(const struct assembly *a);
u32 assembly_branch(unsigned long from, unsigned long target, bool *failed);

void emit_ldr(struct assembly *a, unsigned int rt, unsigned int rn, unsigned int offset);
void emit_ldp(struct assembly *a, unsigned int rt, unsigned int rt2, unsigned int rn,
	      unsigned int offset);
void emit_add(struct assembly *a, unsigned int rd, unsigned int rn, unsigned int value);

/* Loads a literal; emit_literals() puts all literals after the code. */
void emit_literal(struct assembly *a, unsigned int rt, u64 value);
void emit_literals(struct assembly *a);

/* Calls a C function; clobbers x8. */
void emit_call(struct assembly *a, unsigned long function);

/* Begins the code, which stands for @addr. */
void assembly_begin(struct assembly *a, unsigned long addr);

/*
 * emit_save() saves all registers but pc and pstate to a struct pt_regs on the stack, and masks
 * interrupts.  emit_save_pc() saves these two, with x2 as pc; x3 is pstate.  emit_restore()
 * restores all but pc, with sp as it was.  What arm64_resume() needs is complete.
 */
void emit_save(struct assembly *a);
void emit_save_pc(struct assembly *a);
void emit_restore(struct assembly *a);

/* Makes a frame record of the probed code in these registers, with x2 as the address. */
void emit_record(struct assembly *a);

int assembly_write(const struct assembly *a);

#endif /* LKP_ARM64_ASSEMBLY_H */
