/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LKP_SWEEP_H
#define LKP_SWEEP_H

#include <linux/types.h>

/**
 * struct symbol_extent - the symbol around an address, as the kernel prints it
 * @start: its first byte
 * @end: behind its last byte
 * @padding: it has the nops that the compiler leaves before a function for calls to be patched in
 */
struct symbol_extent {
	unsigned long start;
	unsigned long end;
	bool padding;
};

/**
 * struct boundary_walk - a walk over all instructions of a stretch of text
 * @at: the next one, or where to look for it
 * @end: behind the last byte
 * @sym: the symbol that @at is in
 */
struct boundary_walk {
	unsigned long at;
	unsigned long end;
	struct symbol_extent sym;
};

void boundary_walk_begin(struct boundary_walk *walk, unsigned long start, unsigned long end);
unsigned long boundary_walk_next(struct boundary_walk *walk);
bool is_filler(unsigned long addr);
bool symbol_extent(unsigned long addr, struct symbol_extent *sym);
unsigned long boundary_before(unsigned long addr);
unsigned int instruction_length(unsigned long addr, unsigned long end);

#endif /* LKP_SWEEP_H */
