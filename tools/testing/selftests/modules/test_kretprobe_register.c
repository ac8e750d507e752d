// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kretprobes: registration, of one and of arrays, and disabling.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>

#include "ktap.h"
#include "target.h"
#include "test_kretprobe.h"

/* ---- registration ---- */

static void expect_refused(struct ktap *t, struct kretprobe *rp, int err)
{
	EXPECT_EQ(t, register_kretprobe(rp), err);
	EXPECT(t, kprobe_refusal(&rp->kp));
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
}

/* As in mainline. */
static void case_without_any_handler_it_is_taken(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);
	int i;

	rp.handler = NULL;
	rp.maxactive = 1;
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, disable_kretprobe(&rp), 0);
	EXPECT_EQ(t, enable_kretprobe(&rp), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, rp.nmissed, 0);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
}

static void case_none_is_einval(struct ktap *t)
{
	EXPECT_EQ(t, register_kretprobe(NULL), -EINVAL);
}

static void case_a_huge_data_size_is_e2big(struct ktap *t)
{
	static const size_t sizes[] = { KRETPROBE_MAX_DATA_SIZE + 1, INT_MAX, SIZE_MAX - 8,
					SIZE_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kretprobe rp = probe_on(lkp_traced_add);

		rp.data_size = sizes[i];
		expect_refused(t, &rp, -E2BIG);
	}
}

static void case_a_huge_maxactive_is_einval(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);

	rp.maxactive = KRETPROBE_MAX_ACTIVE + 1;
	expect_refused(t, &rp, -EINVAL);
	rp.maxactive = INT_MAX;
	expect_refused(t, &rp, -EINVAL);
}

static void case_not_at_an_entry_is_einval(struct ktap *t)
{
	struct kretprobe rp = probe_on(target_next(&asm_add));
	struct kretprobe by_name = { .kp.symbol_name = "vprintk", .kp.offset = 5,
				     .handler = take_note };

	expect_refused(t, &rp, -EINVAL);
	EXPECT(t, register_kretprobe(&by_name) < 0);
}

static void case_bad_addresses_are_refused_as_for_a_kprobe(struct ktap *t)
{
	struct kretprobe none = { .handler = take_note };
	struct kretprobe both = { .kp.symbol_name = "vprintk", .kp.addr = (void *)vprintk,
				  .handler = take_note };
	struct kretprobe unknown = { .kp.symbol_name = "no such function",
				     .handler = take_note };
	struct kretprobe data = probe_on(notes);

	expect_refused(t, &none, -EINVAL);
	expect_refused(t, &both, -EINVAL);
	expect_refused(t, &unknown, -ENOENT);
	expect_refused(t, &data, -EINVAL);
}

static void case_the_same_one_twice_is_einval_and_it_goes_on(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);

	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, register_kretprobe(&rp), -EINVAL);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
}

/* As by a client that clears its structs; meanwhile nothing is called, and the optimiser does nothing. */
static void case_registered_and_overwritten_is_einval(struct ktap *t)
{
	const struct kretprobe anew = { .kp.symbol_name = "lkp_traced_add", .handler = take_note };
	struct kretprobe rp = anew;

	if (!plant(t, &rp))
		return;
	wait_for_kprobe_optimizer();
	rp = anew;
	EXPECT_EQ(t, register_kretprobe(&rp), -EINVAL);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
	wait_for_kprobe_optimizer();
	rp = anew;
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
	EXPECT(t, !rp.hook);
}

static void case_the_same_one_twice_in_an_array_is_einval(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);
	struct kretprobe *rps[] = { &rp, &rp };

	EXPECT_EQ(t, register_kretprobes(rps, 2), -EINVAL);
	nr_notes = 0;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 0);
	rp.kp.addr = (void *)lkp_traced_add;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
	unregister_kretprobe(&rp);
}

/* So many are not compared each to each. */
#define LARGE	1500

static void case_the_same_one_twice_in_a_large_array_is_einval(struct ktap *t)
{
	struct kretprobe *rp = kvcalloc(LARGE, sizeof(*rp), GFP_KERNEL);
	struct kretprobe **rps = kvcalloc(LARGE, sizeof(*rps), GFP_KERNEL);
	unsigned int i;

	if (EXPECT(t, rp && rps)) {
		for (i = 0; i < LARGE; i++) {
			rp[i] = probe_on(lkp_traced_add);
			rp[i].maxactive = 1;
			rps[i] = &rp[i];
		}
		rps[LARGE - 1] = &rp[LARGE / 2];
		EXPECT_EQ(t, register_kretprobes(rps, LARGE), -EINVAL);
		EXPECT(t, kprobe_refusal(&rp[LARGE / 2].kp));
		EXPECT(t, !kprobe_refusal(&rp[0].kp));
		EXPECT_EQ(t, register_kretprobes(rps, LARGE - 1), 0);
		unregister_kretprobes(rps, LARGE - 1);
	}
	kvfree(rps);
	kvfree(rp);
}

/* Calls that are followed must not come to handlers that may be gone. */
static void case_one_without_its_addr_is_unregistered(struct ktap *t)
{
	struct kretprobe rp;

	rp = probe_on(lkp_traced_add);
	if (!plant(t, &rp))
		return;
	rp.kp.addr = NULL;
	unregister_kretprobe(&rp);
	EXPECT(t, !rp.hook);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 0);
}

static void case_one_can_be_registered_again(struct ktap *t)
{
	struct kretprobe rp = probe_on(asm_add.fn);
	int i;

	for (i = 0; i < 3; i++) {
		rp.kp.addr = (void *)asm_add.fn;
		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, asm_add.fn(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 1);
		unregister_kretprobe(&rp);
	}
}

static void case_by_symbol_name(struct ktap *t)
{
	struct kretprobe rp = { .kp.symbol_name = "lkp_traced_add", .handler = take_note };

	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
	unregister_kretprobe(&rp);
}

/* ---- disabling ---- */

static void case_a_disabled_one_sees_nothing(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = probe_on((**f));

		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, disable_kretprobe(&rp), 0);
		EXPECT(t, kprobe_disabled(&rp.kp));
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 0);
		EXPECT_EQ(t, enable_kretprobe(&rp), 0);
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 1);
		EXPECT_EQ(t, rp.nmissed, 0);
		unregister_kretprobe(&rp);
		EXPECT_EQ(t, enable_kretprobe(&rp), -EINVAL);
		EXPECT_EQ(t, disable_kretprobe(&rp), -EINVAL);
	}
}

static void case_disabled_at_registration(struct ktap *t)
{
	struct kretprobe rp = probe_on(asm_add.fn);

	rp.kp.flags = KPROBE_FLAG_DISABLED;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, asm_add.fn(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 0);
	EXPECT_EQ(t, enable_kretprobe(&rp), 0);
	EXPECT_EQ(t, asm_add.fn(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 1);
	unregister_kretprobe(&rp);
}

/* ---- arrays ---- */

#define NR	4

static long (*const array_of[NR])(long a, long b) = {
	lkp_traced_add, lkp_inner, lkp_outer, lkp_recurse,
};

static void fill_array(struct kretprobe *rp, struct kretprobe **rps)
{
	int i;

	for (i = 0; i < NR; i++) {
		rp[i] = probe_on(array_of[i]);
		rps[i] = &rp[i];
	}
}

static int notes_of_all(void)
{
	int i;

	nr_notes = 0;
	for (i = 0; i < NR; i++)
		array_of[i](1, 1);
	return nr_notes;
}

static void case_an_array_is_registered_and_unregistered(struct ktap *t)
{
	struct kretprobe rp[NR], *rps[NR];

	fill_array(rp, rps);
	if (!EXPECT_EQ(t, register_kretprobes(rps, NR), 0))
		return;
	EXPECT_EQ(t, notes_of_all(), NR + 1);
	unregister_kretprobes(rps, NR);
	EXPECT_EQ(t, notes_of_all(), 0);
	EXPECT_EQ(t, register_kretprobes(rps, 0), -EINVAL);
	EXPECT_EQ(t, register_kretprobes(rps, -1), -EINVAL);
	EXPECT_EQ(t, register_kretprobes(NULL, 1), -EINVAL);
	unregister_kretprobes(NULL, 1);
	unregister_kretprobes(rps, 0);
	unregister_kretprobes(rps, -1);
}

/* One that the kretprobes refuse, one that the kprobes refuse, and none. */
static void spoil(struct kretprobe **rps, int bad, int how)
{
	if (how == 0)
		rps[bad]->data_size = KRETPROBE_MAX_DATA_SIZE + 1;
	else if (how == 1)
		rps[bad]->kp.addr = (void *)notes;
	else
		rps[bad] = NULL;
}

static void case_a_bad_one_in_an_array_takes_the_others_back(struct ktap *t)
{
	static const int errors[] = { -E2BIG, -EINVAL, -EINVAL };
	struct kretprobe rp[NR], *rps[NR];
	int bad, how;

	for (bad = 0; bad < NR; bad++) {
		for (how = 0; how < 3; how++) {
			fill_array(rp, rps);
			spoil(rps, bad, how);
			EXPECT_EQ(t, register_kretprobes(rps, NR), errors[how]);
			EXPECT_EQ(t, notes_of_all(), 0);
			fill_array(rp, rps);
			if (!EXPECT_EQ(t, register_kretprobes(rps, NR), 0))
				return;
			EXPECT_EQ(t, notes_of_all(), NR + 1);
			unregister_kretprobes(rps, NR);
		}
	}
}

static void case_those_taken_back_can_be_registered_as_they_are(struct ktap *t)
{
	struct kretprobe rp[NR], *rps[NR];

	fill_array(rp, rps);
	rp[0].maxactive = 0;
	rp[0].nmissed = 5;
	rp[0].kp.nmissed = 6;
	rp[3].kp.addr = (void *)notes;
	EXPECT_EQ(t, register_kretprobes(rps, NR), -EINVAL);
	EXPECT(t, rp[0].kp.addr == (void *)lkp_traced_add);
	EXPECT_EQ(t, rp[0].maxactive, 0);
	EXPECT_EQ(t, rp[0].nmissed, 5);
	EXPECT_EQ(t, rp[0].kp.nmissed, 6);
	if (!EXPECT_EQ(t, register_kretprobes(rps, 3), 0))
		return;
	EXPECT(t, rp[0].maxactive > 0);
	EXPECT_EQ(t, rp[0].nmissed, 0);
	EXPECT_EQ(t, notes_of_all(), 4);
	unregister_kretprobes(rps, 3);
	EXPECT_EQ(t, notes_of_all(), 0);
}

static void case_unregistering_a_wrong_one_clears_its_addr(struct ktap *t)
{
	struct kretprobe rp[NR], *rps[NR];

	fill_array(rp, rps);
	if (!EXPECT_EQ(t, register_kretprobes(rps, 2), 0))
		return;
	unregister_kretprobes(rps, NR);
	EXPECT(t, rp[0].kp.addr);
	EXPECT(t, rp[1].kp.addr);
	EXPECT(t, !rp[2].kp.addr);
	EXPECT(t, !rp[3].kp.addr);
	EXPECT_EQ(t, notes_of_all(), 0);
	unregister_kretprobe(&rp[0]);
	EXPECT(t, !rp[0].kp.addr);
}

static void case_one_that_is_twice_in_an_array_is_unregistered_once(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);
	struct kretprobe *rps[] = { &rp, &rp };

	if (!plant(t, &rp))
		return;
	unregister_kretprobes(rps, 2);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 0);
	/* Its instances have been freed with it. */
	EXPECT(t, !rp.hook);
}

/* ---- by several tasks ---- */

/*
 * Those that are never asleep pause: where an emulator lets its CPUs take turns, one that does not
 * keeps the others waiting until its turn ends.
 */

/* The tracer waits for all tasks in each round, which takes it half a second. */
static const struct place {
	long (*const *fn)(long a, long b);
	unsigned int rounds;
} places[] = { { &traced, 3 }, { &asm_add.fn, 15 } };

#define for_each_place(place)							\
	for ((place) = places; (place) < places + ARRAY_SIZE(places); (place)++)

#define PATIENCE	(60 * HZ)

static struct kretprobe contested;
static atomic_t owners, owned, together, arrived;

/* One that is stopped before it has begun never begins. */
static void wait_for_both(void)
{
	unsigned long until = jiffies + PATIENCE;

	while (atomic_read(&arrived) < 2 && time_before(jiffies, until))
		usleep_range(500, 1000);
}

static int contend(void *data)
{
	const struct place *place = data;
	unsigned int i;

	atomic_inc(&arrived);
	for (i = 0; i < place->rounds; i++) {
		if (register_kretprobe(&contested)) {
			cpu_relax();
			cond_resched();
			continue;
		}
		if (atomic_inc_return(&owners) > 1)
			atomic_inc(&together);
		atomic_inc(&owned);
		(*place->fn)(40, 2);
		atomic_dec(&owners);
		unregister_kretprobe(&contested);
	}
	/* Who stops it wakes it up. */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void register_by_two(struct ktap *t, const struct place *place)
{
	struct task_struct *tasks[2];
	unsigned int i;

	contested = probe_on(*place->fn);
	nr_notes = 0;
	atomic_set(&owned, 0);
	atomic_set(&together, 0);
	atomic_set(&arrived, 0);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = kthread_run(contend, (void *)place, "lkp_contend/%u", i);
	wait_for_both();
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		if (!EXPECT(t, !IS_ERR(tasks[i])))
			continue;
		kthread_stop(tasks[i]);
	}
	EXPECT_EQ(t, atomic_read(&together), 0);
	EXPECT(t, atomic_read(&owned) > 0);
	EXPECT_EQ(t, nr_notes, atomic_read(&owned));
	EXPECT_EQ(t, contested.nmissed, 0);
	EXPECT_EQ(t, (*place->fn)(40, 2), 42);
}

/* Who is refused leaves the other's as it is. */
static void case_two_tasks_register_the_same_one(struct ktap *t)
{
	const struct place *place;

	for_each_place(place)
		register_by_two(t, place);
}

static atomic_t calls_before, calls_after;
static bool gone;

static int note_if_gone(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(READ_ONCE(gone) ? &calls_after : &calls_before);
	return 0;
}

static int call_all_the_time(void *data)
{
	const struct place *place = data;

	while (!kthread_should_stop()) {
		(*place->fn)(40, 2);
		cpu_relax();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Whoever returns first says so. */
static int take_back(void *unused)
{
	unsigned long until = jiffies + PATIENCE;

	atomic_inc(&arrived);
	while (atomic_read(&arrived) < 2 && time_before(jiffies, until)) {
		cpu_relax();
		cond_resched_tasks_rcu_qs();
	}
	unregister_kretprobe(&contested);
	WRITE_ONCE(gone, true);
	/* Who stops it wakes it up. */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void take_back_by_two(struct ktap *t, const struct place *place)
{
	struct task_struct *tasks[2];
	unsigned int i;

	WRITE_ONCE(gone, false);
	atomic_set(&arrived, 0);
	contested = probe_on(*place->fn);
	contested.handler = note_if_gone;
	contested.entry_handler = note_if_gone;
	if (!EXPECT_EQ(t, register_kretprobe(&contested), 0))
		return;
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = kthread_run(take_back, NULL, "lkp_take_back/%u", i);
	wait_for_both();
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		if (EXPECT(t, !IS_ERR(tasks[i])))
			kthread_stop(tasks[i]);
	EXPECT(t, !contested.hook);
	EXPECT(t, !contested.kp.addr);
}

static void unregister_by_two(struct ktap *t, const struct place *place)
{
	struct task_struct *caller = kthread_run(call_all_the_time, (void *)place, "lkp_caller");
	unsigned int i;

	if (!EXPECT(t, !IS_ERR(caller)))
		return;
	atomic_set(&calls_before, 0);
	atomic_set(&calls_after, 0);
	for (i = 0; i < place->rounds; i++)
		take_back_by_two(t, place);
	kthread_stop(caller);
	EXPECT(t, atomic_read(&calls_before) > 0);
	EXPECT_EQ(t, atomic_read(&calls_after), 0);
}

static void case_two_tasks_unregister_the_same_one(struct ktap *t)
{
	const struct place *place;

	for_each_place(place)
		unregister_by_two(t, place);
}

static const struct ktap_case cases[] = {
	CASE(without_any_handler_it_is_taken),
	CASE(none_is_einval),
	CASE(a_huge_data_size_is_e2big),
	CASE(a_huge_maxactive_is_einval),
	CASE(not_at_an_entry_is_einval),
	CASE(bad_addresses_are_refused_as_for_a_kprobe),
	CASE(the_same_one_twice_is_einval_and_it_goes_on),
	CASE(registered_and_overwritten_is_einval),
	CASE(the_same_one_twice_in_an_array_is_einval),
	CASE(the_same_one_twice_in_a_large_array_is_einval),
	CASE(one_without_its_addr_is_unregistered),
	CASE(one_can_be_registered_again),
	CASE(by_symbol_name),
	CASE(a_disabled_one_sees_nothing),
	CASE(disabled_at_registration),
	CASE(an_array_is_registered_and_unregistered),
	CASE(a_bad_one_in_an_array_takes_the_others_back),
	CASE(those_taken_back_can_be_registered_as_they_are),
	CASE(unregistering_a_wrong_one_clears_its_addr),
	CASE(one_that_is_twice_in_an_array_is_unregistered_once),
	CASE(two_tasks_register_the_same_one),
	CASE(two_tasks_unregister_the_same_one),
};
KTAP_MODULE(cases);
