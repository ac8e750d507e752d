/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions that do nothing, by which lines_plugin.c knows what is measured.  The number of a
 * mark is part of the instruction.
 */
#ifndef BENCH_MARKS_H
#define BENCH_MARKS_H

#define MARK_CASE	1	/* the next case begins */
#define MARK_BEGIN	2	/* what this CPU reads and writes from here on counts */
#define MARK_END	3	/* and from here on no more */

#define MARK_X86	0x00841f0f	/* nopl NUMBER(%rax,%rax), with a number of four bytes */
#define MARK_X86_NUMBER	0x4c4b5000
#define MARK_ARM64	0xd289891f	/* mov xzr, #0x4c48 */
#define MARK_ARM64_UNIT	0x20
#define MARK_POWERPC	0x3d604c48	/* lis r11, 0x4c48 */

#ifdef __KERNEL__
#if defined(CONFIG_X86_64)
#define MARK(nr)	asm volatile(".long %c0, %c1" \
				     : : "i" (MARK_X86), "i" (MARK_X86_NUMBER + (nr)) : "memory")
#elif defined(CONFIG_ARM64)
#define MARK(nr)	asm volatile(".inst %c0" \
				     : : "i" (MARK_ARM64 + (nr) * MARK_ARM64_UNIT) : "memory")
#else
#define MARK(nr)	asm volatile(".long %c0" \
				     : : "i" (MARK_POWERPC + (nr)) : "r11", "memory")
#endif
#endif /* __KERNEL__ */

#endif /* BENCH_MARKS_H */
