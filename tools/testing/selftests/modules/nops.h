/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of instructions to probe in test_nops, and their size.
 */
#ifndef TEST_NOPS_H
#define TEST_NOPS_H

#define NOPS	2000

#ifdef CONFIG_X86_64
#define NOP_SIZE	1
#else
#define NOP_SIZE	4
#endif

#endif
