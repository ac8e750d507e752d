// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kretprobes: registration, what handlers see and may do, and the sum of hits and
 * misses, which equals the number of calls.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "ktap.h"
#include "target.h"

/* ---- the probed functions ---- */

noinline __noclone long lkp_traced_add(long a, long b);
noinline __noclone long lkp_traced_add(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(asm_add, FIRST_ADD(asm_add));

/* Begins with an instruction that needs a slot, and that pushes. */
TARGET(asm_push, PUSH_FIRST_ADD(asm_push));

/* The sum of depth and all below it. */
noinline __noclone long lkp_recurse(long depth, long unused);
noinline __noclone long lkp_recurse(long depth, long unused)
{
	long below = depth > 1 ? lkp_recurse(depth - 1, unused) : 0;

	barrier();
	return below + depth;
}

noinline __noclone long lkp_inner(long a, long b);
noinline __noclone long lkp_inner(long a, long b)
{
	barrier();
	return a - b;
}

noinline __noclone long lkp_outer(long a, long b);
noinline __noclone long lkp_outer(long a, long b)
{
	long sum = lkp_inner(a, b);

	barrier();
	return sum + 2 * b;
}

/* One at a call site of the tracer, where there is one, and two by trap. */
static long (*const traced)(long a, long b) = lkp_traced_add;
static long (*const *const functions[])(long a, long b) = {
	&traced, &asm_add.fn, &asm_push.fn,
};

#define for_each_function(f)							\
	for ((f) = functions; (f) < functions + ARRAY_SIZE(functions); (f)++)

/* ---- a handler that takes notes ---- */

struct note {
	struct kretprobe *rp;
	struct task_struct *task;
	unsigned long ret_addr;
	unsigned long ip;
	struct kprobe *running;
	struct pt_regs regs;
	long data;
};

#define MAX_NOTES	64

static struct note notes[MAX_NOTES];
static int nr_notes, entries;
static struct pt_regs entry_regs;

static int take_note(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct note *note = &notes[nr_notes++ % MAX_NOTES];

	note->rp = get_kretprobe(ri);
	note->task = ri->task;
	note->ret_addr = get_kretprobe_retaddr(ri);
	note->ip = instruction_pointer(regs);
	note->running = kprobe_running();
	note->regs = *regs;
	if (note->rp->data_size >= sizeof(long))
		note->data = *(long *)ri->data;
	return 0;
}

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	entries++;
	entry_regs = *regs;
	if (get_kretprobe(ri)->data_size >= sizeof(long))
		*(long *)ri->data = FIRST(regs);
	return 0;
}

static struct kretprobe probe_on(void *fn)
{
	return (struct kretprobe){ .kp.addr = fn, .handler = take_note };
}

static bool plant(struct ktap *t, struct kretprobe *rp)
{
	nr_notes = 0;
	entries = 0;
	return EXPECT_EQ(t, register_kretprobe(rp), 0);
}

/* ---- what handlers see and may do ---- */

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

/* ---- registration ---- */

static void expect_refused(struct ktap *t, struct kretprobe *rp, int err)
{
	EXPECT_EQ(t, register_kretprobe(rp), err);
	EXPECT(t, kprobe_refusal(&rp->kp));
	EXPECT_EQ(t, lkp_traced_add(40, 2), 42);
}

static void case_without_any_handler_is_einval(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);

	rp.handler = NULL;
	expect_refused(t, &rp, -EINVAL);
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
	rp[3].kp.addr = (void *)notes;
	EXPECT_EQ(t, register_kretprobes(rps, NR), -EINVAL);
	EXPECT(t, rp[0].kp.addr == (void *)lkp_traced_add);
	if (!EXPECT_EQ(t, register_kretprobes(rps, 3), 0))
		return;
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
	CASE(the_handler_sees_the_return_value),
	CASE(the_handler_may_change_the_return_value),
	CASE(an_instance_names_probe_task_and_caller),
	CASE(the_entry_handler_knows_the_caller_too),
	CASE(registers_of_the_entry_are_the_calls),
	CASE(a_call_that_the_entry_handler_declines_is_left_alone),
	CASE(an_entry_handler_alone_is_enough),
	CASE(data_is_carried_from_entry_to_return),
	CASE(data_of_every_size_is_each_calls_own),
	CASE(without_any_handler_is_einval),
	CASE(a_huge_data_size_is_e2big),
	CASE(a_huge_maxactive_is_einval),
	CASE(not_at_an_entry_is_einval),
	CASE(bad_addresses_are_refused_as_for_a_kprobe),
	CASE(the_same_one_twice_is_einval_and_it_goes_on),
	CASE(the_same_one_twice_in_an_array_is_einval),
	CASE(one_can_be_registered_again),
	CASE(by_symbol_name),
	CASE(maxactive_0_is_twice_the_cpus_and_at_least_10),
	CASE(maxactive_1_under_recursion_misses_all_but_the_first),
	CASE(deep_recursion_is_followed_to_its_end),
	CASE(registering_starts_the_count_of_misses_anew),
	CASE(a_disabled_one_sees_nothing),
	CASE(disabled_at_registration),
	CASE(of_several_the_last_registered_returns_first),
	CASE(each_of_several_sees_what_the_one_before_it_changed),
	CASE(nested_functions_each_with_their_own),
	CASE(beside_kprobes_and_a_jprobe),
	CASE(calls_made_by_handlers_are_missed_and_counted),
	CASE(a_handler_that_calls_its_own_function_is_missed),
	CASE(an_array_is_registered_and_unregistered),
	CASE(a_bad_one_in_an_array_takes_the_others_back),
	CASE(those_taken_back_can_be_registered_as_they_are),
	CASE(unregistering_a_wrong_one_clears_its_addr),
	CASE(one_that_is_twice_in_an_array_is_unregistered_once),
	CASE(hits_and_misses_are_the_calls_on_1_2_and_4_cpus),
};
KTAP_MODULE(cases);
