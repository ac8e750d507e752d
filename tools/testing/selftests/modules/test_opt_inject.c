// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every step from trap to jump and back that can fail is made to fail, one after the
 * other: probes are still hit, once each, and the next attempt works.
 */
#include <linux/kprobes.h>

#include "fail_nth.h"
#include "optimize.h"

TARGET(pair, PAIR_ADD(pair));

#ifdef CONFIG_X86_64
/* A branch leads to right behind two bytes, within SAVED_TEXT; and there is padding for a relay. */
TARGET(cramped,
       "mov $2, %ecx\n"
       AT(cramped) "xor %edx, %edx\n"
       "1:\n" NEXT(cramped) "lea (%rdi, %rsi), %rax\n"
       "dec %ecx\n"
       "jnz 1b\n"
       "jmp 2f\n"
       NOP9
       "2:\n");
#endif

static const struct target *probed = &pair;

static struct saved_text original;
static int hits, other_hits, posts;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int count_other(struct kprobe *p, struct pt_regs *regs)
{
	other_hits++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

static void call(struct ktap *t)
{
	hits = 0;
	other_hits = 0;
	posts = 0;
	EXPECT_EQ(t, probed->fn(40, 2), 42);
}

/* Behind fail_step(PLENTY). */
#define PLENTY		1000000

static int steps_used(void)
{
	return PLENTY - xchg(fail_nth, 0);
}

static bool text_becomes_original(void)
{
	unsigned long until = jiffies + PATIENCE;

	while (!text_is(probed, &original) && time_before(jiffies, until))
		msleep(20);
	return text_is(probed, &original);
}

static bool begin(struct ktap *t, struct kprobe *p)
{
	original = text_of(probed);
	*p = (struct kprobe){ .addr = target_at(probed), .pre_handler = count };
	return find_fail_nth(t) && EXPECT_EQ(t, register_kprobe(p), 0) &&
	       EXPECT(t, becomes_jump(p));
}

static void end(struct ktap *t, struct kprobe *p)
{
	unregister_kprobe(p);
	EXPECT(t, text_becomes_original());
	call(t);
	EXPECT_EQ(t, hits, 0);
}

/* ---- to a jump ---- */

static void case_becoming_a_jump_fails_at_every_step(struct ktap *t)
{
	int step, late = 0;
	struct kprobe p;
	bool reached = true;

	if (!begin(t, &p))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		EXPECT_EQ(t, turn_optimization(false), 0);
		fail_step(step);
		EXPECT_EQ(t, turn_optimization(true), 0);
		reached = step_was_reached();
		late += !is_jump(&p);
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT(t, becomes_jump(&p));
		call(t);
		EXPECT_EQ(t, hits, 1);
	}
	EXPECT(t, !reached);
	EXPECT(t, late > 0);
	end(t, &p);
}

static void case_a_probe_fails_to_become_a_jump_and_goes(struct ktap *t)
{
	int step, late = 0;
	struct kprobe p;
	bool reached = true;

	if (!begin(t, &p))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		EXPECT_EQ(t, turn_optimization(false), 0);
		fail_step(step);
		EXPECT_EQ(t, turn_optimization(true), 0);
		reached = step_was_reached();
		late += !is_jump(&p);
		end(t, &p);
		if (!begin(t, &p))
			return;
	}
	EXPECT(t, !reached);
	EXPECT(t, late > 0);
	end(t, &p);
}

/* ---- and back ---- */

static void case_turning_off_fails_at_every_step(struct ktap *t)
{
	bool reached = true;
	struct kprobe p;
	int step, err, failures = 0;

	if (!begin(t, &p))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		fail_step(step);
		err = turn_optimization(false);
		reached = step_was_reached();
		failures += err != 0;
		call(t);
		EXPECT_EQ(t, hits, 1);
		/* Again, and now it works. */
		EXPECT_EQ(t, turn_optimization(false), 0);
		EXPECT(t, is_trap(&p));
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT_EQ(t, turn_optimization(true), 0);
		EXPECT(t, becomes_jump(&p));
	}
	EXPECT(t, !reached);
	EXPECT(t, failures > 0);
	end(t, &p);
}

/*
 * What a point was once given for its handlers stays with it: each step has a new one.
 * Returns how many steps made the registration fail: others have a second way.
 */
static int attach_failing(struct ktap *t, struct kprobe *q)
{
	int step, err, failures = 0;
	bool reached = true;
	struct kprobe p;

	for (step = 1; step < MAX_STEPS && reached; step++) {
		if (!begin(t, &p))
			return failures;
		q->flags = 0;
		fail_step(step);
		err = register_kprobe(q);
		reached = step_was_reached();
		failures += err != 0;
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT_EQ(t, other_hits, !err);
		EXPECT_EQ(t, posts, !err && q->post_handler);
		if (!err)
			unregister_kprobe(q);
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT_EQ(t, other_hits + posts, 0);
		EXPECT(t, becomes_jump(&p));
		end(t, &p);
	}
	EXPECT(t, !reached);
	/* A step was reached, and the one after the last was not. */
	EXPECT(t, step > 2);
	return failures;
}

static void case_a_second_probe_fails_at_every_step(struct ktap *t)
{
	struct kprobe q = { .addr = target_at(&pair), .pre_handler = count_other,
			    .post_handler = count_post };

	attach_failing(t, &q);
}

static void case_a_neighbour_fails_at_every_step(struct ktap *t)
{
	struct kprobe q = { .addr = target_next(&pair), .pre_handler = count_other };

	EXPECT(t, attach_failing(t, &q) > 0);
}

static void case_disabling_a_jump_fails_at_every_step(struct ktap *t)
{
	bool reached = true;
	struct kprobe p;
	int step, err, failures = 0;

	if (!begin(t, &p))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		fail_step(step);
		err = disable_kprobe(&p);
		reached = step_was_reached();
		failures += err != 0;
		EXPECT_EQ(t, kprobe_disabled(&p), !err);
		/* Half-way back it is a trap, and is not called a jump. */
		EXPECT(t, !kprobe_optimized(&p) || IS_JUMP(unit_at(p.addr)));
		call(t);
		EXPECT_EQ(t, hits, err != 0);
		EXPECT_EQ(t, disable_kprobe(&p), 0);
		EXPECT(t, text_is(&pair, &original));
		call(t);
		EXPECT_EQ(t, hits, 0);
		EXPECT_EQ(t, enable_kprobe(&p), 0);
		EXPECT(t, becomes_jump(&p));
	}
	EXPECT(t, !reached);
	EXPECT(t, failures > 0);
	end(t, &p);
}

/* Does the optimiser do anything in the end?  Behind fail_step(PLENTY). */
static bool is_tried_again(void)
{
	unsigned long until = jiffies + PATIENCE;

	while (READ_ONCE(*fail_nth) == PLENTY && time_before(jiffies, until))
		msleep(20);
	return steps_used() > 0;
}

/* A jump that can't be removed at once looks up who is enabled, and is made anew. */
static void case_disabling_one_of_two_at_a_jump(struct ktap *t)
{
	bool reached = true;
	struct kprobe p, q;
	int step;

	if (!begin(t, &p))
		return;
	q = (struct kprobe){ .addr = target_at(&pair), .pre_handler = count_other };
	if (!EXPECT_EQ(t, register_kprobe(&q), 0))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		EXPECT(t, becomes_jump(&q));
		fail_step(step);
		EXPECT_EQ(t, disable_kprobe(&q), 0);
		/* From now on steps are counted. */
		reached = xchg(fail_nth, PLENTY) <= 0;
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT_EQ(t, other_hits, 0);
		EXPECT(t, is_tried_again());
		EXPECT(t, becomes_jump(&p));
		EXPECT_EQ(t, enable_kprobe(&q), 0);
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT_EQ(t, other_hits, 1);
	}
	EXPECT(t, !reached);
	unregister_kprobe(&q);
	end(t, &p);
}

/* Unregistering cannot fail: the jump that is left calls no handler, and is removed later. */
static void case_unregistering_a_jump_when_every_step_fails(struct ktap *t)
{
	bool reached = true;
	struct kprobe p;
	int step, left = 0;

	for (step = 1; step < MAX_STEPS && reached; step++) {
		if (!begin(t, &p))
			return;
		fail_step(step);
		unregister_kprobe(&p);
		reached = step_was_reached();
		memset(&p, 0x6b, sizeof(p));
		left += !text_is(probed, &original);
		call(t);
		EXPECT_EQ(t, hits, 0);
		EXPECT(t, text_becomes_original());
		call(t);
		EXPECT_EQ(t, hits, 0);
	}
	EXPECT(t, !reached);
	EXPECT(t, left > 0);
}

/* The jump that was left is taken over, and a neighbour can be placed. */
static void case_registering_where_a_jump_was_left(struct ktap *t)
{
	bool reached = true;
	struct saved_text text;
	struct kprobe p, q;
	int step, err, left = 0;

	for (step = 1; step < MAX_STEPS && reached; step++) {
		if (!begin(t, &p))
			return;
		text = original;
		q = (struct kprobe){ .addr = target_next(&pair), .pre_handler = count_other };
		fail_step(step);
		unregister_kprobe(&p);
		reached = step_was_reached();
		left += !text_is(probed, &original);
		/* Refused as long as the jump is there, if it is. */
		err = register_kprobe(&q);
		EXPECT(t, !err || err == -EBUSY);
		call(t);
		EXPECT_EQ(t, other_hits, !err);
		EXPECT_EQ(t, hits, 0);
		if (!err)
			unregister_kprobe(&q);
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		call(t);
		EXPECT_EQ(t, hits, 1);
		EXPECT(t, becomes_jump(&p));
		original = text;
		end(t, &p);
	}
	EXPECT(t, !reached);
	EXPECT(t, left > 0);
}

/* ---- short jumps ---- */

static void with_a_short_jump(struct ktap *t, void (*run)(struct ktap *t))
{
#ifdef CONFIG_X86_64
	probed = &cramped;
	run(t);
	probed = &pair;
#else
	t->skip = "there are none";
#endif
}

static void case_becoming_a_short_jump_fails_at_every_step(struct ktap *t)
{
	with_a_short_jump(t, case_becoming_a_jump_fails_at_every_step);
}

static void case_a_probe_fails_to_become_a_short_jump_and_goes(struct ktap *t)
{
	with_a_short_jump(t, case_a_probe_fails_to_become_a_jump_and_goes);
}

static void case_turning_off_a_short_jump_fails_at_every_step(struct ktap *t)
{
	with_a_short_jump(t, case_turning_off_fails_at_every_step);
}

static void case_unregistering_a_short_jump_when_every_step_fails(struct ktap *t)
{
	with_a_short_jump(t, case_unregistering_a_jump_when_every_step_fails);
}

/* ---- more pages than are written at a time ---- */

#define NR_WIDE		140
#define WIDE_TEXT	16

/* Functions that add, each on a page of its own. */
asm(".pushsection .text\n"
    ".macro wide\n"
    ".balign 1 << " __stringify(PAGE_SHIFT) ", 0xcc\n"
    ASM_TYPE("wide_\\@")
    ".type wide_\\@, @function\n"
    "wide_\\@:\n"
    ASM_LANDING
    JUST_ADD "nop\nnop\n"
    ASM_RETURN
    ".size wide_\\@, . - wide_\\@\n"
    ".endm\n"
    ".balign 1 << " __stringify(PAGE_SHIFT) ", 0xcc\n"
    "wide_first:\n"
    ".rept 140\n"
    "wide\n"
    ".endr\n"
    ".popsection\n"
    ".pushsection .rodata\n"
    ".balign 8\n"
    "wide_start: .quad wide_first + " __stringify(ASM_TYPE_SIZE) "\n"
    ".popsection\n");
#define WIDE_START(name)	extern const unsigned long name
WIDE_START(wide_start);

static struct kprobe wide[NR_WIDE], *wide_pointers[NR_WIDE];
static u8 wide_original[NR_WIDE][WIDE_TEXT];

static void *wide_fn(unsigned int i)
{
	return (void *)(wide_start + i * PAGE_SIZE);
}

/* On x86-64 that is behind the landing by itself. */
static void *wide_at(unsigned int i)
{
	return wide_fn(i) + (IS_ENABLED(CONFIG_ARM64) ? 4 : 0);
}

static void init_wide(void)
{
	unsigned int i;

	for (i = 0; i < NR_WIDE; i++) {
		wide[i] = (struct kprobe){ .addr = wide_at(i), .pre_handler = count };
		wide_pointers[i] = &wide[i];
		memcpy(wide_original[i], wide_fn(i), WIDE_TEXT);
	}
}

static bool wide_is_original(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_WIDE; i++)
		nr += !memcmp(wide_original[i], wide_fn(i), WIDE_TEXT);
	return nr == NR_WIDE;
}

static bool wide_becomes_original(void)
{
	unsigned long until = jiffies + PATIENCE;

	while (!wide_is_original() && time_before(jiffies, until))
		msleep(20);
	return wide_is_original();
}

static void expect_wide_hits(struct ktap *t, int nr)
{
	long (*fn)(long a, long b);
	unsigned int i;

	hits = 0;
	for (i = 0; i < NR_WIDE; i++) {
		fn = wide_fn(i);
		EXPECT_EQ(t, fn(40, 2), 42);
	}
	EXPECT_EQ(t, hits, nr);
}

static unsigned int count_wide_jumps(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_WIDE; i++)
		nr += is_jump(&wide[i]);
	return nr;
}

/* Before its last steps, which write text, are those that make the points. */
#define LAST_STEPS	12

static void case_an_array_on_many_pages_fails_at_the_last_steps(struct ktap *t)
{
	int step, steps = 0, err, i, failures = 0;

	if (!find_fail_nth(t))
		return;
	/* The first time more is found out, and kept. */
	for (i = 0; i < 2; i++) {
		init_wide();
		fail_step(PLENTY);
		EXPECT_EQ(t, register_kprobes(wide_pointers, NR_WIDE), 0);
		steps = steps_used();
		seq_printf(t->m, "# registering takes %d steps\n", steps);
		unregister_kprobes(wide_pointers, NR_WIDE);
	}
	for (step = steps - LAST_STEPS; step <= steps; step++) {
		init_wide();
		fail_step(step);
		err = register_kprobes(wide_pointers, NR_WIDE);
		fail_step(0);
		failures += err != 0;
		expect_wide_hits(t, err ? 0 : NR_WIDE);
		if (!err)
			unregister_kprobes(wide_pointers, NR_WIDE);
		EXPECT(t, wide_becomes_original());
	}
	EXPECT(t, failures > 1);
}

/* From traps to jumps; the first time memory for the detours is needed, too. */
static int steps_to_wide_jumps(struct ktap *t)
{
	int steps;

	EXPECT_EQ(t, turn_optimization(false), 0);
	fail_step(PLENTY);
	EXPECT_EQ(t, turn_optimization(true), 0);
	steps = steps_used();
	EXPECT_EQ(t, count_wide_jumps(), NR_WIDE);
	EXPECT_EQ(t, turn_optimization(false), 0);
	return steps;
}

static void case_jumps_on_many_pages_fail_at_the_last_steps(struct ktap *t)
{
	int back, late = 0;

	if (!find_fail_nth(t))
		return;
	init_wide();
	EXPECT_EQ(t, turn_optimization(false), 0);
	if (!EXPECT_EQ(t, register_kprobes(wide_pointers, NR_WIDE), 0))
		return;
	for (back = 2 * LAST_STEPS; back >= 0; back--) {
		fail_step(steps_to_wide_jumps(t) - back);
		EXPECT_EQ(t, turn_optimization(true), 0);
		fail_step(0);
		late += count_wide_jumps() < NR_WIDE;
		expect_wide_hits(t, NR_WIDE);
		msleep(back & 1 ? 1500 : 0);
		expect_wide_hits(t, NR_WIDE);
	}
	EXPECT(t, late > 1);
	unregister_kprobes(wide_pointers, NR_WIDE);
	EXPECT(t, wide_becomes_original());
	expect_wide_hits(t, 0);
}

static void case_jumps_on_many_pages_end_at_every_failing_step(struct ktap *t)
{
	bool reached = true;
	int step, left = 0;

	if (!find_fail_nth(t))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		init_wide();
		if (!EXPECT_EQ(t, register_kprobes(wide_pointers, NR_WIDE), 0))
			return;
		EXPECT_EQ(t, turn_optimization(false), 0);
		EXPECT_EQ(t, turn_optimization(true), 0);
		EXPECT_EQ(t, count_wide_jumps(), NR_WIDE);
		fail_step(step);
		unregister_kprobes(wide_pointers, NR_WIDE);
		reached = step_was_reached();
		left += !wide_is_original();
		expect_wide_hits(t, 0);
		EXPECT(t, wide_becomes_original());
		expect_wide_hits(t, 0);
	}
	EXPECT(t, !reached);
	EXPECT(t, left > 1);
}

static const struct ktap_case cases[] = {
	CASE(becoming_a_jump_fails_at_every_step),
	CASE(a_probe_fails_to_become_a_jump_and_goes),
	CASE(turning_off_fails_at_every_step),
	CASE(a_second_probe_fails_at_every_step),
	CASE(a_neighbour_fails_at_every_step),
	CASE(disabling_a_jump_fails_at_every_step),
	CASE(disabling_one_of_two_at_a_jump),
	CASE(unregistering_a_jump_when_every_step_fails),
	CASE(registering_where_a_jump_was_left),
	CASE(becoming_a_short_jump_fails_at_every_step),
	CASE(a_probe_fails_to_become_a_short_jump_and_goes),
	CASE(turning_off_a_short_jump_fails_at_every_step),
	CASE(unregistering_a_short_jump_when_every_step_fails),
	CASE(an_array_on_many_pages_fails_at_the_last_steps),
	CASE(jumps_on_many_pages_fail_at_the_last_steps),
	CASE(jumps_on_many_pages_end_at_every_failing_step),
};
KTAP_MODULE(cases);
