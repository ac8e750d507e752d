// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds where instructions begin.
 */
#include <linux/types.h>

#ifdef CONFIG_X86_64
#include "arch/x86/insn.h"
#endif
#ifdef CONFIG_ARM64
#include "arch/arm64/insn.h"
#endif
#ifdef CONFIG_PPC64
#include "arch/powerpc/insn.h"
#endif
#include "batch_insn.h"

/* There may be a megabyte of padding between sections of the kernel. */
#define LONGEST		0x10000

/* The padding between functions. */
static bool is_padding(unsigned long addr)
{
#ifdef CONFIG_X86_64
	return *(u8 *)addr == 0xcc;
#else
	return !*(u32 *)(addr & ~3ul);
#endif
}

/**
 * batch_insn_before() - the first byte of the instruction that holds an address
 * @addr: an address in kernel text
 * @start: where its function begins
 * @size: how long that is
 *
 * Return: its address; 0 if that is padding, or not code at all.
 */
unsigned long batch_insn_before(unsigned long addr, unsigned long start, unsigned long size)
{
	unsigned long at = start;
	struct insn insn;

	if (is_padding(addr) || size > LONGEST)
		return 0;
	for (;;) {
		if (insn_decode(&insn, (void *)at, start + size - at) != INSN_OK)
			return 0;
		if (at + insn.length > addr)
			return is_padding(at) ? 0 : at;
		at += insn.length;
	}
}
