/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the benchmark share.
 */
#ifndef BENCH_H
#define BENCH_H

/* Functions to probe, see targets.S; bench_traced() is a call site of the tracer. */
void bench_slot(void);
void bench_long(void);
void bench_emulated(void);
void bench_traced(void);
extern char bench_field_insns[];

/* Where a probe goes, for one of those: where the kernel has jumps may not be in a module. */
#ifdef CONFIG_PPC64
void *bench_address_of(void (*target)(void));
#else
#define bench_address_of(target)	((void *)(target))
#endif

/* bench_field_insns: instructions to put other probes on. */
#define BENCH_FIELD_INSNS	8192
#define BENCH_FIELD_INSN_SIZE	4

/* Of floor_target.S: the same with and without a breakpoint, and where it is. */
void bench_trap(void);
void bench_no_trap(void);
extern char bench_trap_insn[];

#endif /* BENCH_H */
