// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jprobes: registration, and which calls are hits: nested ones, and those on several
 * CPUs while a jprobe is registered and unregistered.
 */
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/string.h>

#include "ktap.h"
#include "target.h"
#include "test_jprobe.h"

/* ---- registration ---- */

static void case_a_second_one_on_a_function_is_eexist(struct ktap *t)
{
	struct jprobe jp, other = { .kp.addr = (void *)lkp_args2, .entry = see_args2 };

	if (!plant(t, &jp, lkp_args2, see_args2))
		return;
	EXPECT_EQ(t, register_jprobe(&other), -EEXIST);
	EXPECT(t, kprobe_refusal(&other.kp));
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
	other.kp.addr = (void *)lkp_args2;
	EXPECT_EQ(t, register_jprobe(&other), 0);
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 2);
	unregister_jprobe(&other);
}

static void case_the_same_one_twice_is_einval(struct ktap *t)
{
	struct jprobe jp, *both[] = { &jp, &jp };

	if (!plant(t, &jp, lkp_args2, see_args2))
		return;
	EXPECT_EQ(t, register_jprobe(&jp), -EINVAL);
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
	jp = (struct jprobe){ .kp.addr = (void *)lkp_args2, .entry = see_args2 };
	EXPECT_EQ(t, register_jprobes(both, 2), -EINVAL);
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 1);
}

/* Its client has forgotten to unregister it; what others do at the function repairs its kprobe. */
static void case_a_cleared_one_is_not_entered(struct ktap *t)
{
	struct kprobe other = { .addr = (void *)lkp_args2 };
	struct jprobe jp;

	if (!plant(t, &jp, lkp_args2, see_args2))
		return;
	memset(&jp, 0, sizeof(jp));
	if (EXPECT_EQ(t, register_kprobe(&other), 0)) {
		EXPECT_EQ(t, lkp_args2(1, 2), 3);
		EXPECT_EQ(t, calls, 0);
		unregister_kprobe(&other);
	}
	unregister_jprobe(&jp);
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
}

static void case_wrong_ones_are_einval(struct ktap *t)
{
	struct jprobe no_entry = { .kp.addr = (void *)lkp_args2 };
	struct jprobe not_at_entry = { .kp.addr = target_next(&asm_nothing), .entry = see_args2 };
	struct jprobe data = { .kp.addr = (void *)seen, .entry = see_args2 };
	struct jprobe nowhere = { .entry = see_args2 };
	struct jprobe unknown = { .kp.symbol_name = "no such function", .entry = see_args2 };

	EXPECT_EQ(t, register_jprobe(NULL), -EINVAL);
	EXPECT_EQ(t, register_jprobe(&no_entry), -EINVAL);
	EXPECT_EQ(t, register_jprobe(&not_at_entry), -EINVAL);
	EXPECT_EQ(t, register_jprobe(&data), -EINVAL);
	EXPECT_EQ(t, register_jprobe(&nowhere), -EINVAL);
	EXPECT_EQ(t, register_jprobe(&unknown), -ENOENT);
}

static void case_disabled_and_enabled(struct ktap *t)
{
	void *fns[] = { lkp_args2, asm_pushes.fn };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		long (*fn)(long a, long b) = fns[i];
		struct jprobe jp = { .kp.addr = fns[i], .kp.flags = KPROBE_FLAG_DISABLED,
				     .entry = see_args2 };

		calls = 0;
		if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
			return;
		fn(1, 2);
		EXPECT_EQ(t, calls, 0);
		EXPECT_EQ(t, enable_jprobe(&jp), 0);
		fn(1, 2);
		EXPECT_EQ(t, calls, 1);
		EXPECT_EQ(t, disable_jprobe(&jp), 0);
		fn(1, 2);
		EXPECT_EQ(t, calls, 1);
		unregister_jprobe(&jp);
		EXPECT_EQ(t, enable_jprobe(&jp), -EINVAL);
		EXPECT_EQ(t, disable_jprobe(NULL), -EINVAL);
	}
}

#define NR	3

static struct jprobe array[NR], *pointers[NR];

static void fill_array(void)
{
	void *fns[] = { lkp_args1, lkp_args2, lkp_args6 };
	void *entries[] = { see_args1, see_args2, see_args6 };
	int i;

	for (i = 0; i < NR; i++) {
		array[i] = (struct jprobe){ .kp.addr = fns[i], .entry = entries[i] };
		pointers[i] = &array[i];
	}
	calls = 0;
}

/* The compiler sees no write to calls. */
static int calls_of_all(void)
{
	WRITE_ONCE(calls, 0);
	lkp_args1(1);
	lkp_args2(1, 2);
	lkp_args6(1, 2, 3, 4, 5, 6);
	return READ_ONCE(calls);
}

static void case_arrays_and_their_rollback(struct ktap *t)
{
	int bad;

	for (bad = 0; bad < NR; bad++) {
		fill_array();
		array[bad].kp.addr = (void *)seen;
		array[0].kp.nmissed = 3;
		EXPECT_EQ(t, register_jprobes(pointers, NR), -EINVAL);
		EXPECT_EQ(t, array[0].kp.nmissed, 3);
		EXPECT_EQ(t, calls_of_all(), 0);
		fill_array();
		array[bad].entry = NULL;
		EXPECT_EQ(t, register_jprobes(pointers, NR), -EINVAL);
		EXPECT_EQ(t, calls_of_all(), 0);
		fill_array();
		pointers[bad] = NULL;
		EXPECT_EQ(t, register_jprobes(pointers, NR), -EINVAL);
		EXPECT_EQ(t, calls_of_all(), 0);
	}
	fill_array();
	EXPECT_EQ(t, register_jprobes(pointers, 0), -EINVAL);
	EXPECT_EQ(t, register_jprobes(pointers, -1), -EINVAL);
	EXPECT_EQ(t, register_jprobes(NULL, 1), -EINVAL);
	EXPECT_EQ(t, register_jprobes(pointers, 2), 0);
	EXPECT_EQ(t, calls_of_all(), 2);
	unregister_jprobes(pointers, NR);
	EXPECT_EQ(t, calls_of_all(), 0);
	EXPECT(t, array[0].kp.addr && array[1].kp.addr);
	EXPECT(t, !array[2].kp.addr);
	unregister_jprobes(NULL, 1);
	unregister_jprobes(pointers, 0);
}

/* ---- nested hits ---- */

static long call_itself(long a, long b)
{
	calls++;
	seen[0] = lkp_args2(20, 22);
	jprobe_return();
	return 0;
}

static void case_a_nested_hit_is_missed_and_counted(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_args2, call_itself))
		return;
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 1);
	EXPECT_EQ(t, seen[0], 42);
	EXPECT_EQ(t, jp.kp.nmissed, 1);
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, jp.kp.nmissed, 2);
	unregister_jprobe(&jp);
}

static long call_another(long a, long b)
{
	calls++;
	seen[0] = asm_pushes.fn(1, 2);
	seen[1] = lkp_args1(7);
	jprobe_return();
	return 0;
}

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	calls += 100;
	return 0;
}

static void case_probes_that_the_handler_hits_are_missed_and_counted(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)asm_pushes.fn, .pre_handler = count_pre,
			    .post_handler = after };
	struct kretprobe rp = { .kp.addr = (void *)lkp_args1, .handler = nothing_on_return };
	struct jprobe jp;

	post_calls = 0;
	if (!plant(t, &jp, lkp_args2, call_another) || !EXPECT_EQ(t, register_kprobe(&p), 0) ||
	    !EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 1);
	EXPECT_EQ(t, post_calls, 0);
	EXPECT_EQ(t, seen[1], 7);
	EXPECT_EQ(t, p.nmissed, 1);
	EXPECT_EQ(t, rp.nmissed, 1);
	unregister_jprobe(&jp);
	unregister_kprobe(&p);
	unregister_kretprobe(&rp);
}

/* A pre_handler that chooses another path keeps the jprobe's function from running. */
static int go_elsewhere(struct kprobe *p, struct pt_regs *regs)
{
	return_with(regs, 4711);
	return 1;
}

static void case_a_kprobe_that_goes_elsewhere_comes_before_it(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)asm_pushes.fn, .pre_handler = go_elsewhere };
	struct jprobe jp;

	if (!plant(t, &jp, asm_pushes.fn, see_args2) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, asm_pushes.fn(1, 2), 4711);
	EXPECT_EQ(t, calls, 0);
	unregister_kprobe(&p);
	asm_pushes.fn(1, 2);
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
}

/* ---- while it runs on several CPUs ---- */

static atomic_long_t hits, wrong;

static long count_hits(long a, long b, long c, long d, long e, long f, char g)
{
	atomic_long_inc(&hits);
	if (a != 1 || g != 7)
		atomic_long_inc(&wrong);
	jprobe_return();
	return 0;
}

static atomic_long_t made;

static int call_until_stopped(void *unused)
{
	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 100; i++) {
			atomic_long_inc(&made);
			if (lkp_args7(1, 2, 3, 4, 5, 6, 7) != 28)
				atomic_long_inc(&wrong);
		}
		schedule_timeout_interruptible(1);
	}
	return 0;
}

#define THREADS	4

static int start_threads(struct task_struct **tasks)
{
	int nr;

	for (nr = 0; nr < THREADS; nr++) {
		tasks[nr] = kthread_run(call_until_stopped, NULL, "lkp_jprobe");
		if (IS_ERR(tasks[nr]))
			break;
	}
	return nr;
}

static void case_unregistered_while_it_runs(struct ktap *t)
{
	struct task_struct *tasks[THREADS];
	int nr = start_threads(tasks), i;
	struct jprobe jp;
	long before;

	EXPECT_EQ(t, nr, THREADS);
	atomic_long_set(&wrong, 0);
	for (i = 0; i < 20; i++) {
		if (!plant(t, &jp, lkp_args7, count_hits))
			break;
		before = atomic_long_read(&hits);
		while (atomic_long_read(&hits) < before + 100)
			schedule_timeout_interruptible(1);
		unregister_jprobe(&jp);
		before = atomic_long_read(&hits);
		schedule_timeout_interruptible(1);
		EXPECT_EQ(t, atomic_long_read(&hits), before);
		EXPECT_EQ(t, jp.kp.nmissed, 0);
	}
	while (nr--)
		kthread_stop(tasks[nr]);
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
}

static void case_every_call_is_a_hit_or_missed_on_all_cpus(struct ktap *t)
{
	struct task_struct *tasks[THREADS];
	struct jprobe jp;
	int nr;

	atomic_long_set(&hits, 0);
	atomic_long_set(&made, 0);
	if (!plant(t, &jp, lkp_args7, count_hits))
		return;
	nr = start_threads(tasks);
	while (atomic_long_read(&made) < 5000)
		schedule_timeout_interruptible(1);
	while (nr--)
		kthread_stop(tasks[nr]);
	unregister_jprobe(&jp);
	EXPECT_EQ(t, atomic_long_read(&hits) + jp.kp.nmissed, atomic_long_read(&made));
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
}

static const struct ktap_case cases[] = {
	CASE(a_second_one_on_a_function_is_eexist),
	CASE(the_same_one_twice_is_einval),
	CASE(a_cleared_one_is_not_entered),
	CASE(wrong_ones_are_einval),
	CASE(disabled_and_enabled),
	CASE(arrays_and_their_rollback),
	CASE(a_nested_hit_is_missed_and_counted),
	CASE(probes_that_the_handler_hits_are_missed_and_counted),
	CASE(a_kprobe_that_goes_elsewhere_comes_before_it),
	CASE(unregistered_while_it_runs),
	CASE(every_call_is_a_hit_or_missed_on_all_cpus),
};
KTAP_MODULE(cases);
