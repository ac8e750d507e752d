// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds where instructions begin.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>

#ifdef CONFIG_X86_64
#include "arch/x86/insn.h"
#endif
#ifdef CONFIG_ARM64
#include "arch/arm64/insn.h"
#endif
#ifdef CONFIG_PPC64
#include "arch/powerpc/insn.h"
#endif
#include "sweep.h"

/* There may be a megabyte of padding between sections of the kernel. */
#define LONGEST		0x10000

/**
 * symbol_extent() - where does the symbol begin and end that holds an address
 * @addr: an address in kernel text
 * @sym: filled in
 *
 * Return: false if no symbol holds it.
 */
bool symbol_extent(unsigned long addr, struct symbol_extent *sym)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset, size;
	char *plus;

	sprint_symbol(text, addr);
	plus = strrchr(text, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, &size) != 2)
		return false;
	sym->start = addr - offset;
	sym->end = sym->start + size;
	sym->padding = strstarts(text, "__pfx_");
	return true;
}

/**
 * is_filler() - is it padding between functions
 * @addr: an address in kernel text
 */
bool is_filler(unsigned long addr)
{
	return IS_ENABLED(CONFIG_X86_64) ? *(u8 *)addr == 0xcc : !*(u32 *)(addr & ~3ul);
}

/**
 * instruction_length() - how long is the instruction at an address
 * @addr: where it begins
 * @end: behind the last byte that may be read
 *
 * Return: its length; 0 if there is none.
 */
unsigned int instruction_length(unsigned long addr, unsigned long end)
{
	struct insn insn;

	if (addr >= end || insn_decode(&insn, (void *)addr, end - addr) != INSN_OK)
		return 0;
	return insn.length;
}

/**
 * boundary_before() - the first byte of the instruction that holds an address
 * @addr: an address in kernel text
 *
 * Return: its address; 0 if that is padding, or not code at all.
 */
unsigned long boundary_before(unsigned long addr)
{
	struct symbol_extent sym;
	unsigned long at;
	unsigned int length;

	if (is_filler(addr) || !symbol_extent(addr, &sym) || sym.padding ||
	    addr - sym.start > LONGEST)
		return 0;
	/* If all instructions are words, an undecodable one does not affect the next. */
	at = IS_ENABLED(CONFIG_X86_64) ? sym.start : addr & ~3ul;
	for (; at <= addr; at += length) {
		length = instruction_length(at, sym.end);
		if (!length)
			return 0;
		if (at + length > addr)
			return is_filler(at) ? 0 : at;
	}
	return 0;
}

/**
 * boundary_walk_begin() - begin to walk over all instructions
 * @walk: filled in
 * @start: the first one that begins here or behind is found first
 * @end: none is found here or behind
 */
void boundary_walk_begin(struct boundary_walk *walk, unsigned long start, unsigned long end)
{
	*walk = (struct boundary_walk){ .at = start, .end = end };
	/* Instructions are found from the beginning of a function only. */
	if (!symbol_extent(start, &walk->sym))
		return;
	walk->end = start;
	walk->at = walk->sym.start;
	while (boundary_walk_next(walk))
		;
	walk->end = end;
}

static unsigned int next_length(const struct boundary_walk *walk)
{
	if (walk->sym.padding || walk->at - walk->sym.start > LONGEST)
		return 0;
	return instruction_length(walk->at, walk->sym.end);
}

/* From a symbol that has ended, or can't be read any further, to the next. */
static bool next_symbol(struct boundary_walk *walk)
{
	unsigned long at = walk->sym.end;

	if (at >= walk->end || !symbol_extent(at, &walk->sym) || walk->sym.end <= at)
		return false;
	walk->at = at;
	return true;
}

/**
 * boundary_walk_next() - find the next instruction
 * @walk: from boundary_walk_begin()
 *
 * Return: where it begins; 0 if there is none any more.
 */
unsigned long boundary_walk_next(struct boundary_walk *walk)
{
	unsigned long at;
	unsigned int length;

	for (;;) {
		at = walk->at;
		length = next_length(walk);
		if (!length) {
			if (!next_symbol(walk))
				return 0;
			continue;
		}
		if (at >= walk->end)
			return 0;
		walk->at += length;
		if (!is_filler(at))
			return at;
	}
}
