/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_SCALING_H
#define BENCH_SCALING_H

struct seq_file;

int bench_scaling(struct seq_file *m);

/* Of bench_main.c: one probe that only counts, on a function. */
int bench_plant_return(void (*target)(void));
void bench_uproot_return(void);
int bench_plant_kprobe(void (*target)(void));
void bench_uproot_kprobe(void);

#endif /* BENCH_SCALING_H */
