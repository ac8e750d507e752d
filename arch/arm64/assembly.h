/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assembling code that saves registers as a trap does, and calls C.
 */
#ifndef LKP_ARM64_ASSEMBLY_H
#define LKP_ARM64_ASSEMBLY_H

#include <linux/types.h>

#include "reach.h"

/* A detour for so many handlers is the longest that is assembled. */
#define ASSEMBLY_MAX_HANDLERS	8
#define ASSEMBLY_MAX_LITERALS	(5 + 2 * ASSEMBLY_MAX_HANDLERS)
#define ASSEMBLY_MAX_WORDS	(72 + 5 * ASSEMBLY_MAX_HANDLERS + REACH_MAX_COPY / INSN_SIZE +	\
				 2 * ASSEMBLY_MAX_LITERALS)

#define STACK	31

/**
 * struct assembly - code that is being assembled, for an address
 * @words: the code
 * @nr: how many words there are so far
 * @literals: what goes behind it
 * @used_by: the words that load them
 * @nr_literals: how many
 * @addr: where it will run
 * @failed: it was too long, or something is out of reach
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

void emit(struct assembly *a, u32 word);
unsigned long here(const struct assembly *a);
u32 assembly_branch(unsigned long from, unsigned long target, bool *failed);

void emit_ldr(struct assembly *a, unsigned int rt, unsigned int rn, unsigned int offset);
void emit_str(struct assembly *a, unsigned int rt, unsigned int rn);
void emit_add(struct assembly *a, unsigned int rd, unsigned int rn, unsigned int value);

/* Loads a literal; emit_literals() puts them behind the code. */
void emit_literal(struct assembly *a, unsigned int rt, u64 value);
void emit_literals(struct assembly *a);

/* Calls a function of ours; x8 is lost. */
void emit_call(struct assembly *a, unsigned long function);

/*
 * All registers to a struct pt_regs on the stack, with this for pc, and interrupts
 * off; and back from there, all but pc and sp.
 */
void emit_save(struct assembly *a, unsigned long addr);
void emit_restore(struct assembly *a);

int assembly_write(const struct assembly *a);

#endif /* LKP_ARM64_ASSEMBLY_H */
