// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls on each CPU, marked for an emulator that lists the cache lines which each CPU reads and
 * writes in them: lines_plugin.c.
 *
 * The CPUs take turns, so that whatever one of them has left in a line the next one finds.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#include "bench_lines.h"
#include "marks.h"

#define TURNS		20
#define CALLS		10

static bool interrupts;
module_param(interrupts, bool, 0600);
MODULE_PARM_DESC(interrupts, "they are on around the calls");

/* Outside of what is marked nothing is called: the compiler has no reason to touch memory. */
static void call_marked(void (*called)(void))
{
	unsigned int i;

	MARK(MARK_BEGIN);
	for (i = 0; i < CALLS; i++)
		called();
	MARK(MARK_END);
}

static long take_turn(void *called)
{
	unsigned long flags;

	if (interrupts) {
		call_marked(called);
		return 0;
	}
	local_irq_save(flags);
	call_marked(called);
	local_irq_restore(flags);
	return 0;
}

static long warm_up(void *called)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		((void (*)(void))called)();
	return 0;
}

/**
 * bench_lines_case() - the next case begins
 */
void bench_lines_case(void)
{
	MARK(MARK_CASE);
}

/**
 * bench_lines() - call a function on each CPU, in turns
 * @called: the function
 *
 * Return: how often it was called.
 */
unsigned long bench_lines(void (*called)(void))
{
	unsigned long calls = 0;
	unsigned int turn;
	int cpu;

	for_each_online_cpu(cpu) {
		work_on_cpu(cpu, warm_up, called);
		calls += CALLS;
	}
	for (turn = 0; turn < TURNS; turn++) {
		for_each_online_cpu(cpu) {
			work_on_cpu(cpu, take_turn, called);
			calls += CALLS;
		}
	}
	return calls;
}
