/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many instructions there are to be probed in test_nops, a byte each.
 */
#ifndef TEST_NOPS_H
#define TEST_NOPS_H

#define NOPS	2000

#endif
