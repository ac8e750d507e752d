// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every step that can fail is made to fail, one after the other: the operation is
 * undone, and the next attempt works.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mm.h>

#include "fail_nth.h"
#include "ktap.h"
#include "target.h"

TARGET(slot_add, SLOT_ADD(slot_add));
TARGET(nop_add, ADD_NOP(nop_add));

/* Its copy needs entries in the exception table. */
TARGET(fixed_add, FIXED_LOAD_ADD(fixed_add));

noinline long lkp_test_entry(long a, long b);
noinline long lkp_test_entry(long a, long b)
{
	barrier();
	return a + b;
}

static long call_entry(long a, long b)
{
	return lkp_test_entry(a, b);
}

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

/*
 * struct kind - a kprobe whose registration takes other steps
 * @model: it
 * @target: what it is on; NULL: the entry of a C function
 */
static const struct kind {
	struct kprobe model;
	const struct target *target;
} kinds[] = {
	{ { .pre_handler = count }, &slot_add },
	{ { .pre_handler = count }, &nop_add },
	{ { .pre_handler = count }, &fixed_add },
	{ { .pre_handler = count }, NULL },
	{ { .pre_handler = count, .fault_handler = fault }, &slot_add },
};

#define for_each_kind(kind)							\
	for (kind = kinds; kind < kinds + ARRAY_SIZE(kinds); kind++)

static struct kprobe probe_of(const struct kind *kind)
{
	struct kprobe p = kind->model;

	if (kind->target)
		p.addr = target_at(kind->target);
	else
		p.symbol_name = "lkp_test_entry";
	return p;
}

static int hits_of(struct ktap *t, const struct kind *kind)
{
	hits = 0;
	EXPECT_EQ(t, kind->target ? kind->target->fn(40, 2) : call_entry(40, 2), 42);
	return hits;
}

/* ---- the text that probes change ---- */

static u8 original[4][16];

static void read_text(u8 (*text)[16])
{
	memcpy(text[0], slot_add.fn, 16);
	memcpy(text[1], nop_add.fn, 16);
	memcpy(text[2], fixed_add.fn, 16);
	memcpy(text[3], lkp_test_entry, 16);
}

static bool text_is_original(void)
{
	u8 now[4][16];

	read_text(now);
	return !memcmp(now, original, sizeof(now));
}

static bool text_becomes_original(void)
{
	unsigned long until = jiffies + 60 * HZ;

	while (!text_is_original() && time_before(jiffies, until))
		msleep(20);
	return text_is_original();
}

static bool begin(struct ktap *t)
{
	read_text(original);
	return find_fail_nth(t);
}

/* ---- cases ---- */

static void expect_works(struct ktap *t, const struct kind *kind)
{
	struct kprobe p = probe_of(kind);

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, hits_of(t, kind), 1);
	unregister_kprobe(&p);
	EXPECT_EQ(t, hits_of(t, kind), 0);
}

static void expect_as_given(struct ktap *t, const struct kprobe *p, const struct kind *kind)
{
	struct kprobe given = probe_of(kind);

	EXPECT(t, p->addr == given.addr);
	EXPECT_EQ(t, p->flags, 0);
	EXPECT(t, kprobe_refusal(p));
	EXPECT(t, !get_kprobe(p->addr));
}

static void case_a_registration_fails_at_every_step(struct ktap *t)
{
	const struct kind *kind;
	bool reached = true;
	int step, err, failures;

	if (!begin(t))
		return;
	for_each_kind(kind) {
		failures = 0;
		for (step = 1, reached = true; step < MAX_STEPS && reached; step++) {
			struct kprobe p = probe_of(kind);

			fail_step(step);
			err = register_kprobe(&p);
			reached = step_was_reached();
			if (err) {
				failures++;
				/* Where fault handlers need stubs of returns they may lack those. */
				EXPECT(t, err == -ENOMEM || (err == -ENOSPC && p.fault_handler));
				expect_as_given(t, &p, kind);
				EXPECT_EQ(t, hits_of(t, kind), 0);
			} else {
				EXPECT_EQ(t, hits_of(t, kind), 1);
				unregister_kprobe(&p);
			}
			EXPECT(t, text_becomes_original());
			expect_works(t, kind);
		}
		EXPECT(t, !reached);
		EXPECT(t, failures > 0);
	}
}

static void case_an_array_fails_at_every_step(struct ktap *t)
{
	struct kprobe p[ARRAY_SIZE(kinds)];
	struct kprobe *pointers[ARRAY_SIZE(kinds)];
	unsigned int i, nr = ARRAY_SIZE(kinds);
	bool reached = true;
	int step, err, failures = 0;

	if (!begin(t))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		for (i = 0; i < nr; i++) {
			p[i] = probe_of(&kinds[i]);
			pointers[i] = &p[i];
		}
		fail_step(step);
		err = register_kprobes(pointers, nr);
		reached = step_was_reached();
		failures += err != 0;
		for (i = 0; i < nr; i++)
			EXPECT_EQ(t, hits_of(t, &kinds[i]) > 0, !err);
		for (i = 0; err && i < nr; i++)
			EXPECT(t, p[i].addr == probe_of(&kinds[i]).addr);
		if (!err)
			unregister_kprobes(pointers, nr);
		EXPECT(t, text_becomes_original());
	}
	EXPECT(t, !reached);
	EXPECT(t, failures > 0);
	for (i = 0; i < nr; i++)
		expect_works(t, &kinds[i]);
}

static void case_enabling_fails_at_every_step(struct ktap *t)
{
	const struct kind *kind;
	bool reached = true;
	int step, err, failures = 0;

	if (!begin(t))
		return;
	for_each_kind(kind) {
		struct kprobe p = probe_of(kind);

		p.flags = KPROBE_FLAG_DISABLED;
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		for (step = 1, reached = true; step < MAX_STEPS && reached; step++) {
			fail_step(step);
			err = enable_kprobe(&p);
			reached = step_was_reached();
			failures += err != 0;
			EXPECT_EQ(t, kprobe_disabled(&p), err != 0);
			EXPECT_EQ(t, hits_of(t, kind), err == 0);
			EXPECT_EQ(t, enable_kprobe(&p), 0);
			EXPECT_EQ(t, hits_of(t, kind), 1);
			EXPECT_EQ(t, disable_kprobe(&p), 0);
		}
		EXPECT(t, !reached);
		unregister_kprobe(&p);
		EXPECT(t, text_becomes_original());
	}
	EXPECT(t, failures > 0);
}

static void case_disabling_fails_at_every_step(struct ktap *t)
{
	const struct kind *kind;
	bool reached = true;
	int step, err, failures = 0;

	if (!begin(t))
		return;
	for_each_kind(kind) {
		struct kprobe p = probe_of(kind);

		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		for (step = 1, reached = true; step < MAX_STEPS && reached; step++) {
			fail_step(step);
			err = disable_kprobe(&p);
			reached = step_was_reached();
			failures += err != 0;
			EXPECT_EQ(t, kprobe_disabled(&p), err == 0);
			EXPECT_EQ(t, hits_of(t, kind), err != 0);
			EXPECT_EQ(t, disable_kprobe(&p), 0);
			EXPECT_EQ(t, hits_of(t, kind), 0);
			EXPECT_EQ(t, enable_kprobe(&p), 0);
		}
		EXPECT(t, !reached);
		unregister_kprobe(&p);
		EXPECT(t, text_becomes_original());
	}
	EXPECT(t, failures > 0);
}

/* Unregistering cannot fail: the trap stays, safely, and is removed later. */
static void case_unregistering_when_every_step_fails(struct ktap *t)
{
	const struct kind *kind;
	bool reached = true;
	int step, left = 0;

	if (!begin(t))
		return;
	for_each_kind(kind) {
		for (step = 1, reached = true; step < MAX_STEPS && reached; step++) {
			struct kprobe p = probe_of(kind);

			if (!EXPECT_EQ(t, register_kprobe(&p), 0))
				return;
			fail_step(step);
			unregister_kprobe(&p);
			reached = step_was_reached();
			memset(&p, 0x6b, sizeof(p));
			left += !text_is_original();
			EXPECT_EQ(t, hits_of(t, kind), 0);
			EXPECT(t, text_becomes_original());
			EXPECT_EQ(t, hits_of(t, kind), 0);
		}
		EXPECT(t, !reached);
		expect_works(t, kind);
	}
	EXPECT(t, left > 0);
}

/* The next kprobe there takes over the trap that was left. */
static void case_registering_where_unregistering_failed(struct ktap *t)
{
	const struct kind *kind;
	bool reached = true;
	int step, left = 0;

	if (!begin(t))
		return;
	for_each_kind(kind) {
		for (step = 1, reached = true; step < MAX_STEPS && reached; step++) {
			struct kprobe p = probe_of(kind);

			if (!EXPECT_EQ(t, register_kprobe(&p), 0))
				return;
			fail_step(step);
			unregister_kprobe(&p);
			reached = step_was_reached();
			left += !text_is_original();
			expect_works(t, kind);
			EXPECT(t, text_becomes_original());
		}
		EXPECT(t, !reached);
	}
	EXPECT(t, left > 0);
}

/* A trap that nobody has enabled any more is removed, though its point has a probe. */
static void unregister_beside_a_disabled_one(struct ktap *t, const struct kind *kind, int *left)
{
	struct kprobe idle = probe_of(kind), p;
	bool reached = true;
	int step;

	idle.flags = KPROBE_FLAG_DISABLED;
	if (!EXPECT_EQ(t, register_kprobe(&idle), 0))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		p = probe_of(kind);
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			break;
		fail_step(step);
		unregister_kprobe(&p);
		reached = step_was_reached();
		*left += !text_is_original();
		EXPECT_EQ(t, hits_of(t, kind), 0);
		if (!EXPECT(t, text_becomes_original()))
			break;
		EXPECT_EQ(t, enable_kprobe(&idle), 0);
		EXPECT_EQ(t, hits_of(t, kind), 1);
		EXPECT_EQ(t, disable_kprobe(&idle), 0);
	}
	EXPECT(t, !reached);
	unregister_kprobe(&idle);
	EXPECT(t, text_becomes_original());
}

static void case_unregistering_beside_a_disabled_one_when_every_step_fails(struct ktap *t)
{
	const struct kind *kind;
	int left = 0;

	if (!begin(t))
		return;
	for_each_kind(kind)
		unregister_beside_a_disabled_one(t, kind, &left);
	EXPECT(t, left > 0);
}

/* Who waits until text stays finds no such trap either. */
static void case_waiting_where_a_disabled_one_has_a_trap_left(struct ktap *t)
{
	struct kprobe idle = probe_of(kinds), p = probe_of(kinds);

	if (!begin(t))
		return;
	idle.flags = KPROBE_FLAG_DISABLED;
	if (!EXPECT_EQ(t, register_kprobe(&idle), 0) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	fail_step(1);
	unregister_kprobe(&p);
	EXPECT(t, step_was_reached());
	wait_for_kprobe_optimizer();
	EXPECT(t, text_is_original());
	unregister_kprobe(&idle);
	EXPECT(t, text_becomes_original());
}

static const struct ktap_case cases[] = {
	CASE(a_registration_fails_at_every_step),
	CASE(an_array_fails_at_every_step),
	CASE(enabling_fails_at_every_step),
	CASE(disabling_fails_at_every_step),
	CASE(unregistering_when_every_step_fails),
	CASE(registering_where_unregistering_failed),
	CASE(unregistering_beside_a_disabled_one_when_every_step_fails),
	CASE(waiting_where_a_disabled_one_has_a_trap_left),
};
KTAP_MODULE(cases);
