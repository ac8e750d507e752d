/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In the assembly of test_landing.c: adds, in a function that is entered behind its first instruction, as
 * indirect calls come in, or at it.
 */
#ifndef LANDING_H
#define LANDING_H

long lkp_either(long a, long b, long indirectly);

#endif /* LANDING_H */
