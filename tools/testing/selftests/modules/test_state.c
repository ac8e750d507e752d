// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disabling and enabling, missed hits, and arrays of kprobes.
 */
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

TARGET(one, SLOT_ADD(one));
TARGET(two, ADD_NOP(two));
TARGET(three, MOVE_ADD(three));

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

/* A trap, or a jump if there was time to become one. */
static bool is_probed(const struct target *target)
{
	return IS_TRAP(target_unit(target)) || IS_JUMP(target_unit(target));
}

static int hits_of(const struct target *target)
{
	hits = 0;
	target->fn(40, 2);
	return hits;
}

static struct kprobe probe_on(const struct target *target)
{
	return (struct kprobe){ .addr = target_at(target), .pre_handler = count };
}

/* ---- disabling and enabling ---- */

static void case_disabled_means_not_called(struct ktap *t)
{
	struct kprobe p = probe_on(&one);

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, hits_of(&one), 1);
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	EXPECT(t, kprobe_disabled(&p));
	EXPECT_EQ(t, hits_of(&one), 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT(t, !kprobe_disabled(&p));
	EXPECT_EQ(t, hits_of(&one), 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void case_the_original_byte_is_back_when_disabled(struct ktap *t)
{
	struct kprobe p = probe_on(&one);
	text_unit unit = target_unit(&one);

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT(t, is_probed(&one));
	EXPECT_EQ(t, p.opcode, unit);
	disable_kprobe(&p);
	EXPECT_EQ(t, target_unit(&one), unit);
	enable_kprobe(&p);
	EXPECT(t, is_probed(&one));
	unregister_kprobe(&p);
	EXPECT_EQ(t, target_unit(&one), unit);
}

static void case_the_byte_stays_while_another_is_enabled(struct ktap *t)
{
	struct kprobe p = probe_on(&one), q = p;
	text_unit unit = target_unit(&one);

	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&q), 0))
		return;
	disable_kprobe(&p);
	EXPECT(t, is_probed(&one));
	EXPECT_EQ(t, hits_of(&one), 1);
	disable_kprobe(&q);
	EXPECT_EQ(t, target_unit(&one), unit);
	unregister_kprobe(&q);
	enable_kprobe(&p);
	EXPECT_EQ(t, hits_of(&one), 1);
	unregister_kprobe(&p);
	EXPECT_EQ(t, target_unit(&one), unit);
}

static void case_the_last_enabled_one_leaves_and_disabled_ones_stay(struct ktap *t)
{
	struct kprobe p = probe_on(&one), q = p;
	text_unit unit = target_unit(&one);

	q.flags = KPROBE_FLAG_DISABLED;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&q), 0))
		return;
	unregister_kprobe(&p);
	EXPECT_EQ(t, target_unit(&one), unit);
	EXPECT_EQ(t, hits_of(&one), 0);
	EXPECT_EQ(t, enable_kprobe(&q), 0);
	EXPECT_EQ(t, hits_of(&one), 1);
	unregister_kprobe(&q);
}

static void case_twice_is_no_error(struct ktap *t)
{
	struct kprobe p = probe_on(&one);

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	EXPECT_EQ(t, hits_of(&one), 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT_EQ(t, hits_of(&one), 1);
	unregister_kprobe(&p);
}

static void case_one_that_is_not_registered_is_einval(struct ktap *t)
{
	struct kprobe p = probe_on(&one), other = p, empty = { };

	EXPECT_EQ(t, disable_kprobe(&p), -EINVAL);
	EXPECT_EQ(t, enable_kprobe(&p), -EINVAL);
	EXPECT_EQ(t, disable_kprobe(&empty), -EINVAL);
	EXPECT_EQ(t, enable_kprobe(&empty), -EINVAL);
	EXPECT_EQ(t, disable_kprobe(NULL), -EINVAL);
	EXPECT_EQ(t, enable_kprobe(NULL), -EINVAL);
	if (!EXPECT_EQ(t, register_kprobe(&other), 0))
		return;
	EXPECT_EQ(t, disable_kprobe(&p), -EINVAL);
	EXPECT_EQ(t, enable_kprobe(&p), -EINVAL);
	EXPECT_EQ(t, hits_of(&one), 1);
	unregister_kprobe(&other);
	EXPECT_EQ(t, disable_kprobe(&other), -EINVAL);
	EXPECT_EQ(t, enable_kprobe(&other), -EINVAL);
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits += 100;
}

static void case_a_post_handler_is_disabled_too(struct ktap *t)
{
	struct kprobe p = probe_on(&one), q = p;

	q.post_handler = post;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&q), 0))
		return;
	EXPECT_EQ(t, hits_of(&one), 102);
	disable_kprobe(&q);
	EXPECT_EQ(t, hits_of(&one), 1);
	enable_kprobe(&q);
	EXPECT_EQ(t, hits_of(&one), 102);
	unregister_kprobe(&p);
	EXPECT_EQ(t, hits_of(&one), 101);
	unregister_kprobe(&q);
}

/* ---- a kretprobe, while a call is inside ---- */

struct change {
	int (*first)(struct kretprobe *rp);
	int (*then)(struct kretprobe *rp);
	struct kretprobe *rp;
};

/* Process context: it may register and unregister probes. */
static noinline __noclone int lkp_changes_its_probe(const struct change *change)
{
	int err = change->first(change->rp);

	return err ?: change->then ? change->then(change->rp) : 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int returns_of(const struct change *change)
{
	int (*fn)(const struct change *change) = lkp_changes_its_probe;

	OPTIMIZER_HIDE_VAR(fn);
	hits = 0;
	return fn(change) ?: hits;
}

static void case_a_kretprobe_that_is_disabled_sees_no_return_of_a_call_inside(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (void *)lkp_changes_its_probe,
				.handler = count_return };

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT_EQ(t, returns_of(&(struct change){ disable_kretprobe, NULL, &rp }), 0);
	EXPECT_EQ(t, returns_of(&(struct change){ enable_kretprobe, NULL, &rp }), 0);
	EXPECT_EQ(t, returns_of(&(struct change){ enable_kretprobe, NULL, &rp }), 1);
	EXPECT_EQ(t, returns_of(&(struct change){ disable_kretprobe, enable_kretprobe, &rp }), 1);
	EXPECT_EQ(t, rp.nmissed, 0);
	unregister_kretprobe(&rp);
}

/* ---- missed hits ---- */

static const struct target *called;

static int call_it(struct kprobe *p, struct pt_regs *regs)
{
	return called->fn(40, 2) != 42;
}

static void call_it_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	called->fn(40, 2);
}

static void case_a_handlers_own_hits_are_missed_and_counted(struct ktap *t)
{
	static const struct target * const inner[] = { &two, &three };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(inner); i++) {
		struct kprobe p = { .addr = target_at(&one), .pre_handler = call_it };
		struct kprobe q = probe_on(inner[i]);

		q.post_handler = post;
		called = inner[i];
		if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&q), 0))
			return;
		for (j = 1; j <= 3; j++) {
			EXPECT_EQ(t, hits_of(&one), 0);
			EXPECT_EQ(t, q.nmissed, j);
		}
		EXPECT_EQ(t, hits_of(inner[i]), 101);
		EXPECT_EQ(t, q.nmissed, 3);
		EXPECT_EQ(t, p.nmissed, 0);
		unregister_kprobe(&p);
		unregister_kprobe(&q);
	}
}

static void case_a_post_handlers_own_hits_are_missed_and_counted(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&one), .post_handler = call_it_after };
	struct kprobe q = probe_on(&two);

	called = &two;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&q), 0))
		return;
	EXPECT_EQ(t, hits_of(&one), 0);
	EXPECT_EQ(t, q.nmissed, 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
	unregister_kprobe(&q);
}

static void case_a_handler_that_hits_its_own_probe(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&one), .pre_handler = call_it };

	called = &one;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, one.fn(40, 2), 42);
	EXPECT_EQ(t, p.nmissed, 1);
	unregister_kprobe(&p);
}

static void case_each_enabled_one_at_the_address_is_counted(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&one), .pre_handler = call_it };
	struct kprobe a = probe_on(&two), b = a, off = a;

	off.flags = KPROBE_FLAG_DISABLED;
	called = &two;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&a), 0) ||
	    !EXPECT_EQ(t, register_kprobe(&b), 0) || !EXPECT_EQ(t, register_kprobe(&off), 0))
		return;
	one.fn(40, 2);
	EXPECT_EQ(t, a.nmissed, 1);
	EXPECT_EQ(t, b.nmissed, 1);
	EXPECT_EQ(t, off.nmissed, 0);
	unregister_kprobe(&a);
	unregister_kprobe(&b);
	unregister_kprobe(&off);
	unregister_kprobe(&p);
}

/* ---- arrays ---- */

#define NR	3

static struct kprobe array[NR];
static struct kprobe *pointers[NR] = { &array[0], &array[1], &array[2] };

static void fill_array(void)
{
	array[0] = probe_on(&one);
	array[1] = (struct kprobe){
		.symbol_name = "test_state:two_fn", .offset = two.at, .pre_handler = count,
	};
	array[2] = probe_on(&three);
}

static int hits_of_all(void)
{
	hits = 0;
	one.fn(40, 2);
	two.fn(40, 2);
	three.fn(40, 2);
	return hits;
}

static void case_an_array_is_registered_and_unregistered(struct ktap *t)
{
	fill_array();
	if (!EXPECT_EQ(t, register_kprobes(pointers, NR), 0))
		return;
	EXPECT_EQ(t, hits_of_all(), NR);
	EXPECT(t, array[1].addr == target_at(&two));
	unregister_kprobes(pointers, NR);
	EXPECT_EQ(t, hits_of_all(), 0);
}

static void case_a_bad_nth_takes_back_those_before_it(struct ktap *t)
{
	unsigned int bad;

	for (bad = 0; bad < NR; bad++) {
		fill_array();
		array[bad] = (struct kprobe){ .symbol_name = "no_such_function" };
		EXPECT_EQ(t, register_kprobes(pointers, NR), -ENOENT);
		EXPECT(t, kprobe_refusal(&array[bad]));
		EXPECT_EQ(t, hits_of_all(), 0);
		EXPECT(t, bad == 0 || array[0].addr == target_at(&one));
		EXPECT(t, bad == 1 || !array[1].addr);
		EXPECT(t, bad == 2 || array[2].addr == target_at(&three));
		EXPECT(t, !get_kprobe(target_at(&one)));
		EXPECT(t, !get_kprobe(target_at(&two)));
		EXPECT(t, !get_kprobe(target_at(&three)));
	}
}

static void case_the_errno_is_that_of_the_nth(struct ktap *t)
{
	fill_array();
	array[1] = (struct kprobe){ .addr = target_at(&one) + 1 };
	EXPECT_EQ(t, register_kprobes(pointers, NR), -EILSEQ);
	fill_array();
	array[2] = (struct kprobe){ .addr = (void *)0x1000 };
	EXPECT_EQ(t, register_kprobes(pointers, NR), -EINVAL);
	EXPECT_EQ(t, hits_of_all(), 0);
}

static void case_the_same_one_twice_in_an_array_is_einval(struct ktap *t)
{
	struct kprobe *twice[] = { &array[0], &array[1], &array[0] };

	fill_array();
	EXPECT_EQ(t, register_kprobes(twice, 3), -EINVAL);
	EXPECT_EQ(t, hits_of_all(), 0);
	EXPECT(t, array[0].addr == target_at(&one));
	EXPECT(t, !array[1].addr);
}

static void case_several_for_one_address_in_an_array(struct ktap *t)
{
	fill_array();
	array[1] = probe_on(&one);
	if (!EXPECT_EQ(t, register_kprobes(pointers, NR), 0))
		return;
	EXPECT_EQ(t, hits_of_all(), NR);
	unregister_kprobes(pointers, NR);
	EXPECT_EQ(t, hits_of_all(), 0);
}

static void case_a_wrong_one_among_those_unregistered(struct ktap *t)
{
	struct kprobe stranger = probe_on(&two);
	struct kprobe *some[] = { &array[0], &stranger, &array[2] };

	fill_array();
	if (!EXPECT_EQ(t, register_kprobes(pointers, NR), 0))
		return;
	unregister_kprobes(some, 3);
	EXPECT(t, !stranger.addr);
	EXPECT_EQ(t, hits_of_all(), 1);
	unregister_kprobe(&array[1]);
	EXPECT_EQ(t, hits_of_all(), 0);
}

static void case_unregistering_a_stranger_clears_its_addr(struct ktap *t)
{
	struct kprobe stranger = probe_on(&two);

	unregister_kprobe(&stranger);
	EXPECT(t, !stranger.addr);
	unregister_kprobe(&stranger);
	EXPECT(t, !stranger.addr);
}

static void case_unregistering_twice_is_harmless(struct ktap *t)
{
	struct kprobe p = probe_on(&two), q = p;

	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_kprobe(&q), 0))
		return;
	unregister_kprobe(&p);
	unregister_kprobe(&p);
	EXPECT(t, !p.addr);
	EXPECT_EQ(t, hits_of(&two), 1);
	unregister_kprobe(&q);
}

static void case_an_empty_array(struct ktap *t)
{
	fill_array();
	EXPECT_EQ(t, register_kprobes(pointers, 0), -EINVAL);
	EXPECT_EQ(t, register_kprobes(pointers, -1), -EINVAL);
	EXPECT_EQ(t, register_kprobes(NULL, NR), -EINVAL);
	EXPECT_EQ(t, hits_of_all(), 0);
	if (!EXPECT_EQ(t, register_kprobes(pointers, NR), 0))
		return;
	unregister_kprobes(pointers, 0);
	unregister_kprobes(pointers, -1);
	unregister_kprobes(NULL, NR);
	EXPECT_EQ(t, hits_of_all(), NR);
	unregister_kprobes(pointers, NR);
}

static const struct ktap_case cases[] = {
	CASE(disabled_means_not_called),
	CASE(the_original_byte_is_back_when_disabled),
	CASE(the_byte_stays_while_another_is_enabled),
	CASE(the_last_enabled_one_leaves_and_disabled_ones_stay),
	CASE(twice_is_no_error),
	CASE(one_that_is_not_registered_is_einval),
	CASE(a_post_handler_is_disabled_too),
	CASE(a_kretprobe_that_is_disabled_sees_no_return_of_a_call_inside),
	CASE(a_handlers_own_hits_are_missed_and_counted),
	CASE(a_post_handlers_own_hits_are_missed_and_counted),
	CASE(a_handler_that_hits_its_own_probe),
	CASE(each_enabled_one_at_the_address_is_counted),
	CASE(an_array_is_registered_and_unregistered),
	CASE(a_bad_nth_takes_back_those_before_it),
	CASE(the_errno_is_that_of_the_nth),
	CASE(the_same_one_twice_in_an_array_is_einval),
	CASE(several_for_one_address_in_an_array),
	CASE(a_wrong_one_among_those_unregistered),
	CASE(unregistering_a_stranger_clears_its_addr),
	CASE(unregistering_twice_is_harmless),
	CASE(an_empty_array),
};
KTAP_MODULE(cases);
