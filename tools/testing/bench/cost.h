/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the cost of calls.
 */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/stacktrace.h>
#include <linux/types.h>

#ifdef CONFIG_X86_64
#include <asm/msr.h>

/* If time is counted in instructions, each one also increments the time-stamp counter. */
static inline u64 bench_counter(void)
{
	return rdtsc_ordered();
}
#endif

#ifdef CONFIG_PPC64
#include <linux/timekeeping.h>

/* Nanoseconds: one per instruction. */
static inline u64 bench_counter(void)
{
	return ktime_get_mono_fast_ns();
}
#endif

#ifdef CONFIG_ARM64
#include <asm/arch_timer.h>
#include <asm/timex.h>

/* Nanoseconds, one per instruction, from a coarser counter. */
static inline u64 bench_counter(void)
{
	return __arch_counter_get_cntvct() * (1000000000 / arch_timer_get_cntfrq());
}
#endif

/* The number of calls in one measurement. */
#define BENCH_CALLS	1000

/**
 * bench_cost() - call a function BENCH_CALLS times
 * @fn: the function
 *
 * Nothing else runs on the CPU meanwhile.
 *
 * Return: the number of instructions, if time is counted in them.
 */
static noinline u64 bench_cost(void (*fn)(void))
{
	unsigned long flags;
	unsigned int i;
	u64 start, end;

	local_irq_save(flags);
	start = bench_counter();
	for (i = 0; i < BENCH_CALLS; i++)
		fn();
	end = bench_counter();
	local_irq_restore(flags);
	return end - start;
}

/* To be called by bench_cost(). */
static __maybe_unused void bench_stack_trace(void)
{
	static unsigned long at[64];

	stack_trace_save(at, ARRAY_SIZE(at), 0);
}

#endif /* BENCH_COST_H */
