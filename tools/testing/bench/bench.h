/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the benchmark.
 */
#ifndef BENCH_H
#define BENCH_H

/* Functions to probe, see targets.S; the traced ones have a call site of the tracer. */
void bench_slot(void);
void bench_long(void);
void bench_emulated(void);
void bench_traced(void);
void bench_traced_long(void);
extern char bench_field_insns[];

/* The place to probe for one of those: the built-in kprobes may have no jumps in modules. */
#ifdef CONFIG_PPC64
void *bench_address_of(void (*target)(void));
#else
#define bench_address_of(target)	((void *)(target))
#endif

/* bench_field_insns: instructions to put other probes on. */
#define BENCH_FIELD_INSNS	8192
#define BENCH_FIELD_INSN_SIZE	4

/* Of floor_target.S: a function with a breakpoint and without, and the breakpoint's place. */
void bench_trap(void);
void bench_no_trap(void);
extern char bench_trap_insn[];

#endif /* BENCH_H */
