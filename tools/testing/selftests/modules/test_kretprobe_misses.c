// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kretprobes: which calls are missed, and the sum of hits and misses, which equals the
 * number of calls.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "ktap.h"
#include "test_kretprobe.h"

/* ---- maxactive ---- */

static void case_maxactive_0_is_twice_the_cpus_and_at_least_10(struct ktap *t)
{
	int wanted = max_t(int, 10, 2 * num_possible_cpus());
	int maxactive;

	for (maxactive = 0; maxactive >= -5; maxactive -= 5) {
		struct kretprobe rp = probe_on(lkp_recurse);

		rp.maxactive = maxactive;
		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, rp.maxactive, wanted);
		EXPECT_EQ(t, lkp_recurse(wanted + 3, 0), (wanted + 3) * (wanted + 4) / 2);
		EXPECT_EQ(t, nr_notes, wanted);
		EXPECT_EQ(t, rp.nmissed, 3);
		unregister_kretprobe(&rp);
	}
}

static void case_maxactive_1_under_recursion_misses_all_but_the_first(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_recurse);
	int i;

	rp.maxactive = 1;
	if (!plant(t, &rp))
		return;
	for (i = 1; i <= 5; i++) {
		EXPECT_EQ(t, lkp_recurse(30, 0), 465);
		EXPECT_EQ(t, nr_notes, i);
		EXPECT_EQ(t, rp.nmissed, 29 * i);
		EXPECT_EQ(t, regs_return_value(&notes[i - 1].regs), 465);
	}
	unregister_kretprobe(&rp);
}

static void case_deep_recursion_is_followed_to_its_end(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_recurse);

	rp.maxactive = 100;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, lkp_recurse(100, 0), 5050);
	EXPECT_EQ(t, nr_notes, 100);
	EXPECT_EQ(t, rp.nmissed, 0);
	EXPECT_EQ(t, lkp_recurse(120, 0), 7260);
	EXPECT_EQ(t, nr_notes, 200);
	EXPECT_EQ(t, rp.nmissed, 20);
	unregister_kretprobe(&rp);
}

static void case_registering_starts_the_count_of_misses_anew(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_recurse);
	int i;

	rp.maxactive = 1;
	for (i = 0; i < 2; i++) {
		rp.kp.addr = (void *)lkp_recurse;
		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, lkp_recurse(10, 0), 55);
		EXPECT_EQ(t, rp.nmissed, 9);
		unregister_kretprobe(&rp);
		EXPECT_EQ(t, rp.nmissed, 9);
	}
}

/* ---- misses ---- */

static long (*called)(long a, long b);

static int call_from_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return called(40, 2) != 42;
}

static int call_from_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	called(40, 2);
	return 0;
}

static void case_calls_made_by_handlers_are_missed_and_counted(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = probe_on(lkp_inner), counted = probe_on((**f));

		called = (**f);
		rp.entry_handler = call_from_entry;
		rp.handler = call_from_return;
		if (!plant(t, &counted) || !plant(t, &rp))
			return;
		EXPECT_EQ(t, lkp_inner(40, 2), 38);
		EXPECT_EQ(t, nr_notes, 0);
		EXPECT_EQ(t, counted.nmissed, 2);
		EXPECT_EQ(t, counted.kp.nmissed, 2);
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 1);
		EXPECT_EQ(t, counted.nmissed, 2);
		EXPECT_EQ(t, rp.nmissed, 0);
		unregister_kretprobe(&rp);
		unregister_kretprobe(&counted);
	}
}

static void case_a_handler_that_calls_its_own_function_is_missed(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);

	called = lkp_traced_add;
	rp.handler = call_from_return;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, rp.nmissed, 1);
	unregister_kretprobe(&rp);
}

/* ---- counts ---- */

static atomic_long_t hits;

static int count_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&hits);
	return 0;
}

#define CALLS		2000
#define PER_CPU		3

/*
 * Now and then another task runs inside the function; at first for certain,
 * else one whose calls are quick enough makes them all before another's turn.
 */
noinline __noclone long lkp_yielding(long nr, long unused);
noinline __noclone long lkp_yielding(long nr, long unused)
{
	if (nr == 0)
		schedule_timeout_interruptible(1);
	else if (nr % 8 == 0)
		schedule();
	else
		barrier();
	return nr;
}

static atomic_t wrong_results;
static bool go;

static int caller(void *unused)
{
	long i;

	while (!READ_ONCE(go))
		schedule_timeout_interruptible(1);
	for (i = 0; i < CALLS; i++)
		if (lkp_yielding(i, 0) != i)
			atomic_inc(&wrong_results);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int start_callers(struct task_struct **tasks, int cpus)
{
	int cpu, i, nr = 0;

	for_each_online_cpu(cpu) {
		if (cpus-- == 0)
			break;
		for (i = 0; i < PER_CPU; i++) {
			tasks[nr] = kthread_create(caller, NULL, "lkp_caller");
			if (IS_ERR(tasks[nr]))
				return nr;
			kthread_bind(tasks[nr++], cpu);
		}
	}
	WRITE_ONCE(go, false);
	for (i = 0; i < nr; i++)
		wake_up_process(tasks[i]);
	msleep(20);
	WRITE_ONCE(go, true);
	return nr;
}

/* A thread that is stopped before it has begun never begins: wait for the end of all calls. */
static void expect_exact(struct ktap *t, int cpus, int maxactive)
{
	struct kretprobe rp = { .kp.addr = (void *)lkp_yielding, .handler = count_hit,
				.maxactive = maxactive };
	struct task_struct *tasks[4 * PER_CPU];
	int i, nr;

	atomic_long_set(&hits, 0);
	if (!plant(t, &rp))
		return;
	nr = start_callers(tasks, cpus);
	EXPECT_EQ(t, nr, cpus * PER_CPU);
	for (i = 0; i < 6000; i++) {
		if (atomic_long_read(&hits) + READ_ONCE(rp.nmissed) >= nr * CALLS)
			break;
		usleep_range(5000, 10000);
	}
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, atomic_long_read(&hits) + rp.nmissed, nr * CALLS);
	EXPECT_EQ(t, atomic_read(&wrong_results), 0);
	EXPECT(t, atomic_long_read(&hits) >= CALLS / 2);
	if (maxactive >= nr)
		EXPECT_EQ(t, rp.nmissed, 0);
	if (maxactive == 1)
		EXPECT(t, rp.nmissed > 0);
	seq_printf(t->m, "# %d CPUs, maxactive %d: %ld hits, %d missed\n", cpus, maxactive,
		   atomic_long_read(&hits), rp.nmissed);
}

static void case_hits_and_misses_are_the_calls_on_1_2_and_4_cpus(struct ktap *t)
{
	unsigned int cpus;

	for (cpus = 1; cpus <= 4 && cpus <= num_online_cpus(); cpus *= 2) {
		expect_exact(t, cpus, 1);
		expect_exact(t, cpus, 4);
		expect_exact(t, cpus, 50);
	}
}

static const struct ktap_case cases[] = {
	CASE(maxactive_0_is_twice_the_cpus_and_at_least_10),
	CASE(maxactive_1_under_recursion_misses_all_but_the_first),
	CASE(deep_recursion_is_followed_to_its_end),
	CASE(registering_starts_the_count_of_misses_anew),
	CASE(calls_made_by_handlers_are_missed_and_counted),
	CASE(a_handler_that_calls_its_own_function_is_missed),
	CASE(hits_and_misses_are_the_calls_on_1_2_and_4_cpus),
};
KTAP_MODULE(cases);
