// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kretprobes: what handlers see and may do, several on one function, and other kinds
 * of probes beside them.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "ktap.h"
#include "target.h"
#include "test_kretprobe.h"

/* ---- what handlers see and may do ---- */

static struct pt_regs entry_regs;

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	entries++;
	entry_regs = *regs;
	if (get_kretprobe(ri)->data_size >= sizeof(long))
		*(long *)ri->data = FIRST(regs);
	return 0;
}

static void case_the_handler_sees_the_return_value(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = probe_on((**f));

		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 1);
		EXPECT_EQ(t, regs_return_value(&notes[0].regs), 42);
		unregister_kretprobe(&rp);
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 1);
		EXPECT_EQ(t, rp.nmissed, 0);
	}
}

static int change_value(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	RETURNED(regs) *= 2;
	return 0;
}

static void case_the_handler_may_change_the_return_value(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = probe_on((**f));

		rp.handler = change_value;
		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, (**f)(40, 2), 84);
		EXPECT_EQ(t, (**f)(20, 1), 42);
		unregister_kretprobe(&rp);
		EXPECT_EQ(t, (**f)(40, 2), 42);
	}
}

static void case_an_instance_names_probe_task_and_caller(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = probe_on((**f));
		unsigned long here = (unsigned long)case_an_instance_names_probe_task_and_caller;

		if (!plant(t, &rp))
			return;
		(**f)(40, 2);
		EXPECT(t, notes[0].rp == &rp);
		EXPECT(t, notes[0].task == current);
		EXPECT(t, notes[0].running == &rp.kp);
		EXPECT(t, !kprobe_running());
		EXPECT(t, notes[0].ret_addr - here < 1024);
		EXPECT_EQ(t, notes[0].of_node, notes[0].ret_addr);
		EXPECT_EQ(t, notes[0].as_pointer, notes[0].ret_addr);
		EXPECT_EQ(t, notes[0].ip, notes[0].ret_addr);
		unregister_kretprobe(&rp);
	}
}

static unsigned long caller_seen;

static int see_caller(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	caller_seen = get_kretprobe_retaddr(ri);
	return 0;
}

static void case_the_entry_handler_knows_the_caller_too(struct ktap *t)
{
	long (*const *const *f)(long a, long b);
	unsigned long here = (unsigned long)case_the_entry_handler_knows_the_caller_too;

	for_each_function(f) {
		struct kretprobe rp = probe_on((**f)), other = rp;

		rp.entry_handler = other.entry_handler = see_caller;
		if (!plant(t, &rp) || !plant(t, &other))
			return;
		caller_seen = 0;
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT(t, caller_seen - here < 1024);
		unregister_kretprobe(&rp);
		unregister_kretprobe(&other);
	}
}

static void case_registers_of_the_entry_are_the_calls(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = probe_on((**f));

		rp.entry_handler = note_entry;
		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, (**f)(4711, -2), 4709);
		EXPECT_EQ(t, entries, 1);
		EXPECT_EQ(t, FIRST(&entry_regs), 4711);
		EXPECT_EQ(t, SECOND(&entry_regs), -2);
		EXPECT(t, instruction_pointer(&entry_regs) - (unsigned long)(**f) < 16);
		/* The caller gets its stack back as the call left it. */
		EXPECT_EQ(t, STACK(&notes[0].regs), STACK(&entry_regs) + RETURN_POPS);
		unregister_kretprobe(&rp);
	}
}

static int leave_odd_alone(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	entries++;
	return FIRST(regs) & 1;
}

static void case_a_call_that_the_entry_handler_declines_is_left_alone(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);
	int i;

	rp.entry_handler = leave_odd_alone;
	rp.maxactive = 1;
	if (!plant(t, &rp))
		return;
	for (i = 0; i < 10; i++)
		EXPECT_EQ(t, lkp_traced_add(i, 1), i + 1);
	EXPECT_EQ(t, entries, 10);
	EXPECT_EQ(t, nr_notes, 5);
	EXPECT_EQ(t, rp.nmissed, 0);
	unregister_kretprobe(&rp);
}

static void case_an_entry_handler_alone_is_enough(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);

	rp.handler = NULL;
	rp.entry_handler = note_entry;
	rp.maxactive = 1;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
	EXPECT_EQ(t, entries, 2);
	EXPECT_EQ(t, rp.nmissed, 0);
	unregister_kretprobe(&rp);
}

static void case_data_is_carried_from_entry_to_return(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_recurse);
	int i;

	rp.entry_handler = note_entry;
	rp.data_size = sizeof(long);
	rp.maxactive = 20;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, lkp_recurse(20, 0), 210);
	EXPECT_EQ(t, nr_notes, 20);
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(t, notes[i].data, i + 1);
		EXPECT_EQ(t, regs_return_value(&notes[i].regs), (i + 1) * (i + 2) / 2);
	}
	unregister_kretprobe(&rp);
}

static int fill_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	memset(ri->data, FIRST(regs), get_kretprobe(ri)->data_size);
	return 0;
}

static int check_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	size_t i, size = get_kretprobe(ri)->data_size;
	u8 depth = ri->data[0];

	for (i = 0; i < size; i++)
		nr_notes += (u8)ri->data[i] != depth;
	entries++;
	return 0;
}

static void case_data_of_every_size_is_each_calls_own(struct ktap *t)
{
	static const size_t sizes[] = { 1, 7, 64, 1000, KRETPROBE_MAX_DATA_SIZE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kretprobe rp = probe_on(lkp_recurse);

		rp.entry_handler = fill_data;
		rp.handler = check_data;
		rp.data_size = sizes[i];
		if (!plant(t, &rp))
			return;
		EXPECT_EQ(t, lkp_recurse(10, 0), 55);
		EXPECT_EQ(t, nr_notes, 0);
		EXPECT_EQ(t, entries, 10);
		unregister_kretprobe(&rp);
	}
}

/* ---- several on one function, and other kinds ---- */

static void case_of_several_the_last_registered_returns_first(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp[3] = { probe_on((**f)), probe_on((**f)), probe_on((**f)) };
		int i;

		for (i = 0; i < 3; i++)
			if (!plant(t, &rp[i]))
				return;
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 3);
		for (i = 0; i < 3; i++) {
			EXPECT(t, notes[i].rp == &rp[2 - i]);
			EXPECT_EQ(t, notes[i].ret_addr, notes[0].ret_addr);
			EXPECT_EQ(t, notes[i].ip, notes[0].ret_addr);
			EXPECT(t, notes[i].running == &rp[2 - i].kp);
		}
		unregister_kretprobe(&rp[1]);
		nr_notes = 0;
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, nr_notes, 2);
		EXPECT(t, notes[0].rp == &rp[2] && notes[1].rp == &rp[0]);
		unregister_kretprobe(&rp[0]);
		unregister_kretprobe(&rp[2]);
	}
}

static void case_each_of_several_sees_what_the_one_before_it_changed(struct ktap *t)
{
	struct kretprobe watch = probe_on(lkp_traced_add), change = watch;

	change.handler = change_value;
	if (!plant(t, &watch) || !plant(t, &change))
		return;
	EXPECT_EQ(t, lkp_traced_add(40, 2), 84);
	EXPECT_EQ(t, regs_return_value(&notes[0].regs), 84);
	unregister_kretprobe(&watch);
	unregister_kretprobe(&change);
}

static void case_nested_functions_each_with_their_own(struct ktap *t)
{
	struct kretprobe outer = probe_on(lkp_outer), inner = probe_on(lkp_inner);
	unsigned long from = (unsigned long)lkp_outer;

	if (!plant(t, &outer) || !plant(t, &inner))
		return;
	EXPECT_EQ(t, lkp_outer(40, 2), 42);
	EXPECT_EQ(t, nr_notes, 2);
	EXPECT(t, notes[0].rp == &inner);
	EXPECT_EQ(t, regs_return_value(&notes[0].regs), 38);
	EXPECT(t, notes[0].ret_addr - from < 256);
	EXPECT(t, notes[1].rp == &outer);
	EXPECT_EQ(t, regs_return_value(&notes[1].regs), 42);
	unregister_kretprobe(&outer);
	unregister_kretprobe(&inner);
}

static int pres, posts;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

static int jprobe_calls;
static long jprobe_sum;

static long jprobe_entry(long a, long b)
{
	jprobe_calls++;
	jprobe_sum = a + b;
	jprobe_return();
	return 0;
}

static void case_beside_kprobes_and_a_jprobe(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kprobe p = { .addr = (void *)(**f), .pre_handler = count_pre };
		struct kprobe q = { .addr = (void *)(**f), .pre_handler = count_pre,
				    .post_handler = count_post };
		struct jprobe jp = { .kp.addr = (void *)(**f), .entry = jprobe_entry };
		struct kretprobe rp = probe_on((**f)), rq = rp;

		pres = posts = jprobe_calls = 0;
		jprobe_sum = 0;
		if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !plant(t, &rp) ||
		    !EXPECT_EQ(t, register_jprobe(&jp), 0) ||
		    !EXPECT_EQ(t, register_kprobe(&q), 0) || !plant(t, &rq))
			return;
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, pres, 2);
		EXPECT_EQ(t, posts, 1);
		EXPECT_EQ(t, jprobe_calls, 1);
		EXPECT_EQ(t, jprobe_sum, 42);
		EXPECT_EQ(t, nr_notes, 2);
		EXPECT(t, notes[0].rp == &rq && notes[1].rp == &rp);
		EXPECT(t, !kprobe_running());
		unregister_kprobe(&p);
		unregister_kretprobe(&rp);
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, pres, 3);
		EXPECT_EQ(t, posts, 2);
		EXPECT_EQ(t, jprobe_calls, 2);
		EXPECT_EQ(t, nr_notes, 3);
		unregister_jprobe(&jp);
		EXPECT_EQ(t, (**f)(40, 2), 42);
		EXPECT_EQ(t, jprobe_calls, 2);
		EXPECT_EQ(t, nr_notes, 4);
		unregister_kretprobe(&rq);
		unregister_kprobe(&q);
		EXPECT_EQ(t, p.nmissed + q.nmissed + jp.kp.nmissed + rp.nmissed + rq.nmissed, 0);
	}
}

static const struct ktap_case cases[] = {
	CASE(the_handler_sees_the_return_value),
	CASE(the_handler_may_change_the_return_value),
	CASE(an_instance_names_probe_task_and_caller),
	CASE(the_entry_handler_knows_the_caller_too),
	CASE(registers_of_the_entry_are_the_calls),
	CASE(a_call_that_the_entry_handler_declines_is_left_alone),
	CASE(an_entry_handler_alone_is_enough),
	CASE(data_is_carried_from_entry_to_return),
	CASE(data_of_every_size_is_each_calls_own),
	CASE(of_several_the_last_registered_returns_first),
	CASE(each_of_several_sees_what_the_one_before_it_changed),
	CASE(nested_functions_each_with_their_own),
	CASE(beside_kprobes_and_a_jprobe),
};
KTAP_MODULE(cases);
