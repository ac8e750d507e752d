// SPDX-License-Identifier: GPL-2.0-only
/*
 * What handlers see and do behind a jump is what they see and do in a trap: each case is run both
 * ways, with all kinds of probed instructions, and with interrupts on and off.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "optimize.h"

#define MANY	12	/* more than a detour calls by itself */

TARGET(slot, SLOT_ADD(slot));
TARGET(loads, SLOT_LOAD_ADD(loads));
TARGET(pushes, SLOT_PUSH_ADD(pushes));
TARGET(nothing, NOP_ADD(nothing));
TARGET(branch, JMP_ADD(branch));
TARGET(condition, JCC_ADD(condition));
TARGET(flags_read, FLAGS_ADD(flags_read));
TARGET(relative, RELATIVE_ADD(relative));
TARGET(stack, STACK_ADD(stack));
TARGET(big, BIG_ADD(big));
TARGET(branches, BRANCHES_ADD(branches));
TARGET(framed, FRAME_ADD(framed));
TARGET(pair, PAIR_ADD(pair));
TARGET(inner, PAIR_ADD(inner));
TARGET(calls, CALLS_TO(calls, inner_fn));
TARGET(everything, ALL_REGISTERS(everything));

/* @plain: it has no stack in use at the probe, so execution may go on elsewhere. */
static const struct subject {
	const char *name;
	const struct target *target;
	bool plain;
} subjects[] = {
	{ "slot", &slot, true },
	{ "loads", &loads },
	{ "pushes", &pushes },
	{ "nothing", &nothing, true },
	{ "branch", &branch, true },
	{ "condition", &condition, true },
	{ "flags_read", &flags_read },
	{ "relative", &relative },
	{ "stack", &stack },
	{ "big", &big, true },
	{ "branches", &branches },
	{ "framed", &framed },
	{ "pair", &pair, true },
	{ "calls", &calls },
	{ "everything", &everything },
};

/**
 * struct seen - what a call was like
 * @result: what the function returned
 * @hits: calls of pre_handlers
 * @posts: of post_handlers
 * @pre: registers that the last of the first has seen
 * @post: the same of the second
 * @irqs: were interrupts on, to the handlers and behind the call
 * @count: by how much the call has changed the preemption count
 * @busy: a probe is still thought to run
 */
struct seen {
	long result;
	int hits, posts;
	unsigned long pre[16], post[16];
	bool irqs[4];
	int count;
	bool busy;
};

static struct seen now;

/* No word of this module is an address amid its functions: on x86-64 that might be a branch's target. */
static void keep(unsigned long *kept, const struct pt_regs *regs)
{
	const unsigned long registers[] = KEPT_REGISTERS(regs);
	unsigned int i;

	static_assert(ARRAY_SIZE(registers) <= 16);
	for (i = 0; i < ARRAY_SIZE(registers); i++)
		kept[i] = ~registers[i];
}

static int see(struct kprobe *p, struct pt_regs *regs)
{
	now.hits++;
	keep(now.pre, regs);
	now.irqs[0] = IRQS_ON(regs);
	now.irqs[1] |= !irqs_disabled();
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	now.posts++;
	keep(now.post, regs);
	now.irqs[2] = IRQS_ON(regs);
	now.irqs[1] |= !irqs_disabled();
}

static struct seen call(const struct target *target)
{
	int count = preempt_count();

	now = (struct seen){ };
	settle_flags();
	now.result = target->fn(40, 2);
	barrier();
	now.irqs[3] = !irqs_disabled();
	now.count = preempt_count() - count;
	preempt_disable();
	now.busy = kprobe_running();
	preempt_enable();
	return now;
}

static struct seen call_with_irqs_off(const struct target *target)
{
	struct seen seen;
	unsigned long flags;

	local_irq_save(flags);
	seen = call(target);
	local_irq_restore(flags);
	return seen;
}

static void expect_alike(struct ktap *t, const struct seen *trap, const struct seen *jump)
{
	EXPECT_EQ(t, jump->result, trap->result);
	EXPECT_EQ(t, jump->hits, trap->hits);
	EXPECT_EQ(t, jump->posts, trap->posts);
	EXPECT(t, !memcmp(jump->pre, trap->pre, sizeof(trap->pre)));
	EXPECT(t, !memcmp(jump->post, trap->post, sizeof(trap->post)));
	EXPECT(t, !memcmp(jump->irqs, trap->irqs, sizeof(trap->irqs)));
	EXPECT(t, !jump->irqs[1]);
	EXPECT_EQ(t, jump->count, 0);
	EXPECT_EQ(t, trap->count, 0);
	EXPECT(t, !jump->busy && !trap->busy);
}

/* As many hits and calls of post_handlers as said, both ways.  Returns what the calls come to. */
static long expect_both_ways(struct ktap *t, struct kprobe *p, const struct subject *subject,
			     int nr_hits, int nr_posts)
{
	struct seen trap, jump, quiet, quiet_jump;

	p->addr = target_at(subject->target);
	p->flags = 0;
	EXPECT_EQ(t, turn_optimization(false), 0);
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return -1;
	EXPECT(t, is_trap(p));
	trap = call(subject->target);
	quiet = call_with_irqs_off(subject->target);
	EXPECT_EQ(t, turn_optimization(true), 0);
	if (!EXPECT(t, is_jump(p)))
		pr_notice("%s is no jump\n", subject->name);
	jump = call(subject->target);
	quiet_jump = call_with_irqs_off(subject->target);
	expect_alike(t, &trap, &jump);
	expect_alike(t, &quiet, &quiet_jump);
	EXPECT(t, jump.irqs[3] && !quiet_jump.irqs[3]);
	EXPECT_EQ(t, jump.hits, nr_hits);
	EXPECT_EQ(t, jump.posts, nr_posts);
	EXPECT_EQ(t, p->nmissed, 0);
	unregister_kprobe(p);
	return jump.result;
}

static void case_handlers_see_the_same(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see, .post_handler = see_after };
	unsigned int i;
	long plain;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		plain = subjects[i].target->fn(40, 2);
		EXPECT_EQ(t, expect_both_ways(t, &p, &subjects[i], 1, 1), plain);
	}
}

static void case_a_post_handler_alone_is_called(struct ktap *t)
{
	struct kprobe p = { .post_handler = see_after };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		expect_both_ways(t, &p, &subjects[i], 0, 1);
}

/* ---- other paths ---- */

static int go_to_inner(struct kprobe *p, struct pt_regs *regs)
{
	see(p, regs);
	FIRST(regs) = 100;
	SECOND(regs) = 11;
	instruction_pointer_set(regs, (unsigned long)inner.fn);
	return 1;
}

static void go_to_inner_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	int hits = now.hits;

	see_after(p, regs, flags);
	go_to_inner(p, regs);
	now.hits = hits;
}

static void case_a_pre_handler_goes_on_elsewhere(struct ktap *t)
{
	struct kprobe p = { .pre_handler = go_to_inner };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (!subjects[i].plain)
			continue;
		p.post_handler = NULL;
		EXPECT_EQ(t, expect_both_ways(t, &p, &subjects[i], 1, 0), 111);
		p.post_handler = see_after;
		EXPECT_EQ(t, expect_both_ways(t, &p, &subjects[i], 1, 0), 111);
	}
}

static void case_a_post_handler_goes_on_elsewhere(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see, .post_handler = go_to_inner_after };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (subjects[i].plain)
			EXPECT_EQ(t, expect_both_ways(t, &p, &subjects[i], 1, 1), 111);
}

static int again_once(struct kprobe *p, struct pt_regs *regs)
{
	see(p, regs);
	if (now.hits > 1)
		return 0;
	instruction_pointer_set(regs, (unsigned long)p->addr);
	return 1;
}

static void case_a_pre_handler_has_the_probe_hit_again(struct ktap *t)
{
	struct kprobe p = { .pre_handler = again_once };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		p.post_handler = NULL;
		expect_both_ways(t, &p, &subjects[i], 2, 0);
		p.post_handler = see_after;
		expect_both_ways(t, &p, &subjects[i], 2, 1);
	}
}

/* What it returns decides. */
static int go_to_inner_in_vain(struct kprobe *p, struct pt_regs *regs)
{
	see(p, regs);
	instruction_pointer_set(regs, (unsigned long)inner.fn);
	return 0;
}

static void case_a_pre_handler_that_returns_0_changes_no_path(struct ktap *t)
{
	struct kprobe p = { .pre_handler = go_to_inner_in_vain };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		p.post_handler = NULL;
		expect_both_ways(t, &p, &subjects[i], 1, 0);
		p.post_handler = see_after;
		expect_both_ways(t, &p, &subjects[i], 1, 1);
	}
}

/* ---- registers ---- */

static int give_100(struct kprobe *p, struct pt_regs *regs)
{
	see(p, regs);
	FIRST(regs) = 100;
	return 0;
}

static void add_1000(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	see_after(p, regs, flags);
	RESULT(regs) += 1000;
}

static void case_registers_go_from_handler_to_instruction_to_handler(struct ktap *t)
{
	struct kprobe p = { .pre_handler = give_100, .post_handler = add_1000 };
	static const struct subject subject = { "pair", &pair };

	EXPECT_EQ(t, expect_both_ways(t, &p, &subject, 1, 1), 1102);
}

/* On arm64 they can't move the stack, in a trap neither. */
#ifdef GROWN_STACK
TARGET(grown, GROWN_STACK(grown));

static int shrink(struct kprobe *p, struct pt_regs *regs)
{
	see(p, regs);
	STACK(regs) += 64;
	return 0;
}

static void shrink_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	see_after(p, regs, flags);
	STACK(regs) += 64;
}

static void case_handlers_move_the_stack_pointer(struct ktap *t)
{
	static const struct subject subject = { "grown", &grown };
	struct kprobe p = { .pre_handler = see };

	EXPECT_EQ(t, expect_both_ways(t, &p, &subject, 1, 0), 64);
	p.pre_handler = shrink;
	EXPECT_EQ(t, expect_both_ways(t, &p, &subject, 1, 0), 0);
	p.post_handler = see_after;
	EXPECT_EQ(t, expect_both_ways(t, &p, &subject, 1, 1), 0);
	p.pre_handler = see;
	p.post_handler = shrink_after;
	EXPECT_EQ(t, expect_both_ways(t, &p, &subject, 1, 1), 0);
}
#endif

/* ---- several ---- */

static struct kprobe many[MANY];
static int order[4 * MANY], nr_order;
static unsigned int without;	/* the number of the one that has no post_handler */

static int note(struct kprobe *p, struct pt_regs *regs)
{
	if (nr_order < ARRAY_SIZE(order))
		order[nr_order++] = p - many;
	return 0;
}

static void note_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	note(p, regs);
}

/* All the pre_handlers, and then all the post_handlers; one has none. */
static void expect_order(struct ktap *t, unsigned int nr)
{
	unsigned int i;

	nr_order = 0;
	EXPECT_EQ(t, pair.fn(40, 2), 42);
	EXPECT_EQ(t, nr_order, 2 * nr - (without < nr));
	for (i = 0; i < nr_order; i++)
		EXPECT_EQ(t, order[i], i < nr ? i : i - nr < without ? i - nr : i - nr + 1);
}

/* All are looked up at first, then fewer are called by the detour. */
static void expect_many_in_order(struct ktap *t)
{
	bool jumps = true;
	unsigned int nr;

	memset(many, 0, sizeof(many));
	for (nr = 0; nr < MANY; nr++) {
		many[nr].addr = target_at(&pair);
		many[nr].pre_handler = note;
		many[nr].post_handler = nr == without ? NULL : note_after;
		if (!EXPECT_EQ(t, register_kprobe(&many[nr]), 0))
			break;
	}
	for (; nr; nr--) {
		if (jumps)
			jumps = EXPECT(t, becomes_jump(&many[0]));
		expect_order(t, nr);
		unregister_kprobe(&many[nr - 1]);
	}
}

/* The first eight, which a detour calls by itself, with one that has none, and with none. */
static void case_many_run_in_order_of_registration(struct ktap *t)
{
	without = 1;
	expect_many_in_order(t);
	without = 9;
	expect_many_in_order(t);
}

static void case_one_that_goes_elsewhere_keeps_the_later_ones_from_this_hit(struct ktap *t)
{
	struct kprobe first = { .addr = target_at(&pair), .pre_handler = see };
	struct kprobe away = { .addr = target_at(&pair), .pre_handler = go_to_inner };
	struct kprobe last = { .addr = target_at(&pair), .pre_handler = see };

	if (!EXPECT_EQ(t, register_kprobe(&first), 0) ||
	    !EXPECT_EQ(t, register_kprobe(&away), 0) || !EXPECT_EQ(t, register_kprobe(&last), 0))
		return;
	EXPECT(t, becomes_jump(&first));
	call(&pair);
	EXPECT_EQ(t, now.result, 111);
	EXPECT_EQ(t, now.hits, 2);
	unregister_kprobe(&away);
	EXPECT(t, becomes_jump(&first));
	call(&pair);
	EXPECT_EQ(t, now.result, 42);
	EXPECT_EQ(t, now.hits, 2);
	unregister_kprobe(&first);
	unregister_kprobe(&last);
}

static long inner_result;

static void call_inner(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	see_after(p, regs, flags);
	inner_result = inner.fn(30, 3);
}

static void case_a_jump_within_a_post_handler_of_a_jump_is_missed(struct ktap *t)
{
	struct kprobe within = { .addr = target_at(&inner), .pre_handler = see,
				 .post_handler = note_after };
	struct kprobe p = { .post_handler = call_inner };
	unsigned int i, missed = 0;

	if (!EXPECT_EQ(t, register_kprobe(&within), 0))
		return;
	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (subjects[i].target == &calls)
			continue;
		expect_both_ways(t, &p, &subjects[i], 0, 1);
		missed += 4;
		EXPECT_EQ(t, inner_result, 33);
		EXPECT_EQ(t, within.nmissed, missed);
	}
	EXPECT(t, is_jump(&within));
	/* Later hits are not. */
	now = (struct seen){ };
	nr_order = 0;
	EXPECT_EQ(t, inner.fn(30, 3), 33);
	EXPECT_EQ(t, now.hits, 1);
	EXPECT_EQ(t, nr_order, 1);
	EXPECT_EQ(t, within.nmissed, missed);
	unregister_kprobe(&within);
}

/* ---- jprobes ---- */

static int entered;
static long first_argument, second_argument;
static bool entered_with_irqs;

static long on_call(long a, long b)
{
	entered++;
	first_argument = a;
	second_argument = b;
	entered_with_irqs |= !irqs_disabled();
	if (a == 40)
		jprobe_return();
	return 0;
}

/* Through one that is entered, and at its end with a kprobe's handlers, or without. */
static void expect_entered_both_ways(struct ktap *t, struct kprobe *beside)
{
	struct jprobe jp = { .kp.addr = (void *)pair.fn, .entry = on_call };
	struct seen trap, jump, quiet, quiet_jump;

	entered = 0;
	entered_with_irqs = false;
	EXPECT_EQ(t, turn_optimization(false), 0);
	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	EXPECT(t, is_trap(&jp.kp));
	trap = call(&pair);
	quiet = call_with_irqs_off(&pair);
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, is_jump(&jp.kp));
	jump = call(&pair);
	quiet_jump = call_with_irqs_off(&pair);
	expect_alike(t, &trap, &jump);
	expect_alike(t, &quiet, &quiet_jump);
	EXPECT_EQ(t, jump.result, 42);
	EXPECT_EQ(t, jump.hits, !!beside);
	EXPECT_EQ(t, jump.posts, beside && beside->post_handler);
	EXPECT_EQ(t, entered, 4);
	EXPECT_EQ(t, first_argument, 40);
	EXPECT_EQ(t, second_argument, 2);
	EXPECT(t, !entered_with_irqs);
	EXPECT_EQ(t, pair.fn(30, 3), 33);
	EXPECT_EQ(t, entered, 5);
	EXPECT_EQ(t, jp.kp.nmissed, 0);
	unregister_jprobe(&jp);
}

static void case_a_jprobe_is_entered_and_ends(struct ktap *t)
{
	expect_entered_both_ways(t, NULL);
}

static void case_a_jprobe_is_entered_behind_a_pre_handler(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)pair.fn, .pre_handler = see };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_entered_both_ways(t, &p);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void case_a_jprobe_ends_before_a_post_handler(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)pair.fn, .pre_handler = see, .post_handler = see_after };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_entered_both_ways(t, &p);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static const struct ktap_case cases[] = {
	CASE(handlers_see_the_same),
	CASE(a_post_handler_alone_is_called),
	CASE(a_pre_handler_goes_on_elsewhere),
	CASE(a_post_handler_goes_on_elsewhere),
	CASE(a_pre_handler_has_the_probe_hit_again),
	CASE(a_pre_handler_that_returns_0_changes_no_path),
	CASE(registers_go_from_handler_to_instruction_to_handler),
#ifdef GROWN_STACK
	CASE(handlers_move_the_stack_pointer),
#endif
	CASE(many_run_in_order_of_registration),
	CASE(one_that_goes_elsewhere_keeps_the_later_ones_from_this_hit),
	CASE(a_jump_within_a_post_handler_of_a_jump_is_missed),
	CASE(a_jprobe_is_entered_and_ends),
	CASE(a_jprobe_is_entered_behind_a_pre_handler),
	CASE(a_jprobe_ends_before_a_post_handler),
};
KTAP_MODULE(cases);
