/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many instructions there are to be probed in test_nops, and of what size.
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
