// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rate of calls on 1, 2, ... CPUs at once, without a probe and with one,
 * alternately: so a busy machine affects all measurements alike.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "bench.h"
#include "bench_scaling.h"

#define CHUNK	200

static unsigned int rounds = 5;
module_param(rounds, uint, 0400);
MODULE_PARM_DESC(rounds, "how often each scaling measurement is made");

static unsigned int window_ms = 200;
module_param(window_ms, uint, 0400);
MODULE_PARM_DESC(window_ms, "how long one scaling measurement takes");

struct caller {
	struct task_struct *task;
	void (*target)(void);
	unsigned long calls;
} ____cacheline_aligned_in_smp;

static const struct subject {
	const char *name;
	void (*target)(void);
	int (*plant)(void (*target)(void));
	void (*uproot)(void);
} subjects[] = {
	{ "none", bench_slot, NULL, NULL },
	{ "int3-slot", bench_slot, bench_plant_kprobe, bench_uproot_kprobe },
	{ "kretprobe-int3", bench_slot, bench_plant_return, bench_uproot_return },
	{ "ftrace", bench_traced, bench_plant_kprobe, bench_uproot_kprobe },
	{ "kretprobe-ftrace", bench_traced, bench_plant_return, bench_uproot_return },
};

static int call_on(void *data)
{
	struct caller *caller = data;
	unsigned long calls = 0;
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < CHUNK; i++)
			caller->target();
		calls += CHUNK;
		WRITE_ONCE(caller->calls, calls);
		cond_resched();
	}
	return 0;
}

static unsigned int start_callers(struct caller *callers, unsigned int nr, void (*target)(void))
{
	unsigned int cpu = cpumask_first(cpu_online_mask), i;

	for (i = 0; i < nr; i++) {
		struct task_struct *task;

		callers[i] = (struct caller){ .target = target };
		task = kthread_create(call_on, &callers[i], "bench/%u", i);
		if (IS_ERR(task))
			break;
		callers[i].task = task;
		kthread_bind(task, cpu);
		cpu = cpumask_next(cpu, cpu_online_mask);
	}
	return i;
}

static unsigned long sum_calls(struct caller *callers, unsigned int nr)
{
	unsigned long sum = 0;

	while (nr--)
		sum += READ_ONCE(callers[nr].calls);
	return sum;
}

/* The threads may not be running yet: begin to count a little later. */
static int time_calls(struct seq_file *m, const struct subject *s, struct caller *callers,
		      unsigned int nr)
{
	unsigned int started = start_callers(callers, nr, s->target), i;
	unsigned long calls;
	u64 ns;

	for (i = 0; i < started; i++)
		wake_up_process(callers[i].task);
	msleep(20);
	ns = ktime_get_ns();
	calls = sum_calls(callers, started);
	msleep(window_ms);
	calls = sum_calls(callers, started) - calls;
	ns = ktime_get_ns() - ns;
	for (i = 0; i < started; i++)
		kthread_stop(callers[i].task);
	if (started == nr)
		seq_printf(m, "%s %u %lu %llu\n", s->name, nr, calls, ns);
	return started == nr ? 0 : -ENOMEM;
}

static int time_subject(struct seq_file *m, const struct subject *s, struct caller *callers)
{
	unsigned int nr;
	int err = s->plant ? s->plant(s->target) : 0;

	if (err) {
		seq_printf(m, "%s error %d\n", s->name, err);
		return 0;
	}
	for (nr = 1; nr <= num_online_cpus() && !err; nr *= 2)
		err = time_calls(m, s, callers, nr);
	if (s->uproot)
		s->uproot();
	return err;
}

/**
 * bench_scaling() - measure
 * @m: gets a line for each measurement: what, CPUs, calls, nanoseconds
 *
 * Return: 0 or -ENOMEM.
 */
int bench_scaling(struct seq_file *m)
{
	struct caller *callers = kcalloc(num_online_cpus(), sizeof(*callers), GFP_KERNEL);
	unsigned int round, i;
	int err = 0;

	if (!callers)
		return -ENOMEM;
	for (round = 0; round < rounds && !err; round++)
		for (i = 0; i < ARRAY_SIZE(subjects) && !err; i++)
			err = time_subject(m, &subjects[i], callers);
	kfree(callers);
	return err;
}
