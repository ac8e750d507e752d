/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

unsigned long bench_lines(void (*called)(void));
void bench_lines_case(void);

#endif /* BENCH_LINES_H */
