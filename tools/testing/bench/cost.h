/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting what calls cost.
 */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <linux/irqflags.h>
#include <linux/types.h>

/* What is counted: instructions, where time is counted in them. */
#ifdef CONFIG_X86_64
#include <asm/msr.h>
#define bench_clock()	rdtsc_ordered()
#else
#include <linux/timekeeping.h>
#define bench_clock()	ktime_get_mono_fast_ns()
#endif

/* Calls that one measurement consists of. */
#define BENCH_CALLS	1000

/**
 * bench_cost() - call a function BENCH_CALLS times
 * @fn: the function
 *
 * Where time is counted in instructions so is the clock, by one each. Nothing
 * else runs on the CPU meanwhile.
 *
 * Return: what the clock has advanced by.
 */
static noinline u64 bench_cost(void (*fn)(void))
{
	unsigned long flags;
	unsigned int i;
	u64 start, end;

	local_irq_save(flags);
	start = bench_clock();
	for (i = 0; i < BENCH_CALLS; i++)
		fn();
	end = bench_clock();
	local_irq_restore(flags);
	return end - start;
}

#endif /* BENCH_COST_H */
