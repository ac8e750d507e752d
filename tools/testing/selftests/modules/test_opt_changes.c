// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jumps while other probes are registered and unregistered.
 */
#include <linux/kprobes.h>
#include <linux/kthread.h>

#include "optimize.h"

#define CALLS	10
#define MANY	20	/* more than a detour calls by itself */

/* NEXT is within the bytes of a jump at AT, and can itself be a jump. */
TARGET(pair, PAIR_ADD(pair));

static int order[4 * MANY * CALLS], nr_order;
static int hits[MANY], posts[MANY];
static struct kprobe probes[MANY];

static int note(struct kprobe *p, struct pt_regs *regs)
{
	hits[p - probes]++;
	if (nr_order < ARRAY_SIZE(order))
		order[nr_order++] = p - probes;
	return 0;
}

static void note_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts[p - probes]++;
}

static int never_asked(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static void init_probes(const struct target *target)
{
	unsigned int i;

	memset(probes, 0, sizeof(probes));
	for (i = 0; i < MANY; i++) {
		probes[i].addr = target_at(target);
		probes[i].pre_handler = note;
	}
}

static void forget_hits(void)
{
	memset(hits, 0, sizeof(hits));
	memset(posts, 0, sizeof(posts));
	nr_order = 0;
}

static void call(struct ktap *t, const struct target *target)
{
	int i;

	forget_hits();
	for (i = 0; i < CALLS; i++)
		EXPECT_EQ(t, target->fn(40, 2), 42);
}

static bool plant(struct ktap *t, unsigned int nr)
{
	return EXPECT_EQ(t, register_kprobe(&probes[nr]), 0);
}

static bool plant_jump(struct ktap *t, unsigned int nr)
{
	return plant(t, nr) && EXPECT(t, becomes_jump(&probes[nr]));
}

static void uproot(unsigned int nr)
{
	while (nr--)
		unregister_kprobe(&probes[nr]);
}

/* Each of the first so many, once for each call. */
static void expect_hits(struct ktap *t, const struct target *target, unsigned int nr)
{
	unsigned int i;

	call(t, target);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(t, hits[i], CALLS);
		EXPECT_EQ(t, probes[i].nmissed, 0);
	}
}

static void expect_order(struct ktap *t, unsigned int nr)
{
	unsigned int i;

	EXPECT_EQ(t, nr_order, nr * CALLS);
	for (i = 0; i < nr_order; i++)
		EXPECT_EQ(t, order[i], i % nr);
}

/* ---- several at one address ---- */

static void case_a_second_probe_is_called_after_the_first(struct ktap *t)
{
	init_probes(&pair);
	if (!plant_jump(t, 0) || !plant(t, 1))
		return;
	expect_hits(t, &pair, 2);
	expect_order(t, 2);
	EXPECT(t, becomes_jump(&probes[0]));
	EXPECT(t, is_jump(&probes[1]));
	expect_hits(t, &pair, 2);
	expect_order(t, 2);
	unregister_kprobe(&probes[0]);
	call(t, &pair);
	EXPECT_EQ(t, hits[0], 0);
	EXPECT_EQ(t, hits[1], CALLS);
	EXPECT(t, becomes_jump(&probes[1]));
	call(t, &pair);
	EXPECT_EQ(t, hits[0], 0);
	EXPECT_EQ(t, hits[1], CALLS);
	unregister_kprobe(&probes[1]);
}

static void case_many_are_called_in_order_of_registration(struct ktap *t)
{
	unsigned int nr;

	init_probes(&pair);
	for (nr = 0; nr < MANY; nr++)
		if (!plant(t, nr))
			break;
	EXPECT(t, becomes_jump(&probes[0]));
	for (; nr > 1; nr--) {
		if (nr == 8 || nr == 9)
			EXPECT(t, becomes_jump(&probes[0]));
		expect_hits(t, &pair, nr);
		expect_order(t, nr);
		unregister_kprobe(&probes[nr - 1]);
	}
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
}

/* At once it is a trap, which calls both; some time later what it can be. */
static void expect_served_while_attached(struct ktap *t)
{
	if (!plant_jump(t, 0) || !plant(t, 1))
		return;
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	EXPECT_EQ(t, posts[1], probes[1].post_handler ? CALLS : 0);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 2);
	EXPECT_EQ(t, posts[1], probes[1].post_handler ? CALLS : 0);
	unregister_kprobe(&probes[1]);
	expect_hits(t, &pair, 1);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	EXPECT_EQ(t, hits[1] + posts[1], 0);
	unregister_kprobe(&probes[0]);
}

static void case_one_with_a_post_handler_comes_and_goes(struct ktap *t)
{
	init_probes(&pair);
	probes[1].post_handler = note_post;
	expect_served_while_attached(t);
}

static atomic_t calls_by_others;

static int keep_calling(void *unused)
{
	while (!kthread_should_stop()) {
		pair.fn(40, 2);
		atomic_inc(&calls_by_others);
		/* For an emulator whose CPUs take turns. */
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static void wait_for_calls_behind(int before)
{
	while (atomic_read(&calls_by_others) < before + CALLS)
		msleep(20);
}

static void add_under_hits(struct ktap *t, unsigned int nr)
{
	struct task_struct *task = kthread_run(keep_calling, NULL, "lkp_calls");
	int before = atomic_read(&calls_by_others);

	if (!EXPECT(t, !IS_ERR(task)))
		return;
	wait_for_calls_behind(before);
	plant(t, nr);
	wait_for_calls_behind(atomic_read(&calls_by_others));
	kthread_stop(task);
}

/* While the jump is being taken back its hits run both handlers of the new probe, or none. */
static void case_one_with_a_post_handler_comes_under_hits(struct ktap *t)
{
	unsigned int round;

	init_probes(&pair);
	probes[1].post_handler = note_post;
	for (round = 0; round < CALLS; round++) {
		if (!plant_jump(t, 0))
			return;
		forget_hits();
		add_under_hits(t, 1);
		EXPECT_EQ(t, hits[1], posts[1]);
		EXPECT(t, hits[1] > 0);
		uproot(2);
	}
}

static void case_one_with_a_fault_handler_comes_and_goes(struct ktap *t)
{
	init_probes(&pair);
	probes[1].fault_handler = never_asked;
	expect_served_while_attached(t);
}

static long on_call(long a, long b)
{
	hits[1] += a == 40 && b == 2;
	jprobe_return();
	return 0;
}

static void case_a_jprobe_comes_and_goes(struct ktap *t)
{
	struct jprobe jp = { .kp.addr = (void *)pair.fn, .entry = on_call };

	init_probes(&pair);
	probes[0].addr = (void *)pair.fn;
	if (!plant_jump(t, 0) || !EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	EXPECT(t, becomes_jump(&jp.kp));
	expect_hits(t, &pair, 2);
	unregister_jprobe(&jp);
	expect_hits(t, &pair, 1);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	EXPECT_EQ(t, hits[1], 0);
	unregister_kprobe(&probes[0]);
}

/* Its second handler does not matter while it is disabled. */
static void case_a_disabled_one_with_a_post_handler_keeps_no_one(struct ktap *t)
{
	init_probes(&pair);
	probes[1].post_handler = note_post;
	if (!plant_jump(t, 0) || !plant(t, 1))
		return;
	EXPECT_EQ(t, disable_kprobe(&probes[1]), 0);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	EXPECT_EQ(t, posts[1], 0);
	EXPECT_EQ(t, enable_kprobe(&probes[1]), 0);
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	EXPECT_EQ(t, posts[1], CALLS);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 2);
	EXPECT_EQ(t, posts[1], CALLS);
	uproot(2);
}

/* ---- clients that change handlers of registered probes ---- */

/* How many slots each detour was to have, since the first one. */
static unsigned long asked_for[4];
static int nr_asked_for;
static bool watching;
static struct task_struct *registers;

/* While a detour is made: how large it will be is known, and nothing of it has been written. */
static int set_handlers(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long slots = regs_get_kernel_argument(regs, 3);
	unsigned int i;

	/* Who registers gets a slot for the trap; detours are made by the optimiser's worker. */
	if (!READ_ONCE(watching) || current == registers)
		return 0;
	for (i = 0; !nr_asked_for && i < 8; i++)
		WRITE_ONCE(probes[i].pre_handler, note);
	if (nr_asked_for < ARRAY_SIZE(asked_for))
		asked_for[nr_asked_for++] = slots;
	return 0;
}

static void expect_room_for_handlers(struct ktap *t)
{
	/* Otherwise the code of a detour calls each of them. */
	bool in_a_list = IS_ENABLED(CONFIG_PPC64) || IS_ENABLED(CONFIG_TRACE_IRQFLAGS);
	unsigned int i;

	for (i = 0; i < 8; i++)
		if (!plant(t, i))
			break;
	EXPECT(t, becomes_jump(&probes[0]));
	WRITE_ONCE(watching, false);
	EXPECT_EQ(t, nr_asked_for, in_a_list ? 1 : 2);
	EXPECT(t, in_a_list || asked_for[1] > asked_for[0]);
	expect_hits(t, &pair, i);
	uproot(i);
}

/* In memory for fewer it would overwrite what is behind. */
static void case_handlers_are_set_while_a_detour_is_made(struct ktap *t)
{
	struct kprobe between = { .symbol_name = "bitmap_find_next_zero_area_off",
				  .pre_handler = set_handlers };
	unsigned int i;

	init_probes(&pair);
	for (i = 0; i < MANY; i++)
		probes[i].pre_handler = NULL;
	nr_asked_for = 0;
	if (!EXPECT_EQ(t, register_kprobe(&between), 0))
		return;
	wait_for_kprobe_optimizer();
	registers = current;
	WRITE_ONCE(watching, true);
	expect_room_for_handlers(t);
	unregister_kprobe(&between);
}

/* ---- disabled ones ---- */

static void case_one_of_two_is_disabled_and_enabled(struct ktap *t)
{
	init_probes(&pair);
	if (!plant(t, 0) || !plant(t, 1))
		return;
	EXPECT(t, becomes_jump(&probes[0]));
	EXPECT_EQ(t, disable_kprobe(&probes[0]), 0);
	call(t, &pair);
	EXPECT_EQ(t, hits[0], 0);
	EXPECT_EQ(t, hits[1], CALLS);
	EXPECT(t, becomes_jump(&probes[1]));
	call(t, &pair);
	EXPECT_EQ(t, hits[0], 0);
	EXPECT_EQ(t, hits[1], CALLS);
	EXPECT_EQ(t, enable_kprobe(&probes[0]), 0);
	expect_hits(t, &pair, 2);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 2);
	expect_order(t, 2);
	uproot(2);
}

static void case_when_all_are_disabled_the_text_is_original(struct ktap *t)
{
	struct saved_text before = text_of(&pair);

	init_probes(&pair);
	if (!plant(t, 0) || !plant(t, 1))
		return;
	EXPECT(t, becomes_jump(&probes[0]));
	EXPECT_EQ(t, disable_kprobe(&probes[0]), 0);
	EXPECT_EQ(t, disable_kprobe(&probes[1]), 0);
	EXPECT(t, text_is(&pair, &before));
	EXPECT(t, !kprobe_optimized(&probes[0]));
	msleep(A_WHILE_MS);
	EXPECT(t, text_is(&pair, &before));
	call(t, &pair);
	EXPECT_EQ(t, nr_order, 0);
	EXPECT_EQ(t, enable_kprobe(&probes[1]), 0);
	EXPECT(t, becomes_jump(&probes[1]));
	call(t, &pair);
	EXPECT_EQ(t, hits[1], CALLS);
	EXPECT_EQ(t, hits[0], 0);
	uproot(2);
	EXPECT(t, text_is(&pair, &before));
}

static void case_disabled_as_a_jump_and_at_once_enabled(struct ktap *t)
{
	unsigned int i;

	init_probes(&pair);
	if (!plant_jump(t, 0))
		return;
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(t, disable_kprobe(&probes[0]), 0);
		call(t, &pair);
		EXPECT_EQ(t, hits[0], 0);
		EXPECT_EQ(t, enable_kprobe(&probes[0]), 0);
		expect_hits(t, &pair, 1);
	}
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
}

static void case_one_registered_disabled_changes_nothing_until_enabled(struct ktap *t)
{
	struct saved_text before = text_of(&pair);

	init_probes(&pair);
	probes[0].flags = KPROBE_FLAG_DISABLED;
	if (!plant(t, 0))
		return;
	msleep(A_WHILE_MS);
	EXPECT(t, text_is(&pair, &before));
	EXPECT_EQ(t, enable_kprobe(&probes[0]), 0);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
	EXPECT(t, text_is(&pair, &before));
}

/* ---- neighbours ---- */

static void init_neighbours(void)
{
	init_probes(&pair);
	probes[1].addr = target_next(&pair);
}

/* If a jump is as long as every instruction, probes do not overlap. */
static bool have_neighbours(struct ktap *t)
{
	init_neighbours();
	if (sizeof(text_unit) < JUMP_SIZE)
		return true;
	t->skip = "a jump covers but one instruction";
	return false;
}

static void case_side_by_side_they_are_jumps(struct ktap *t)
{
	struct saved_text before = text_of(&pair);

	init_neighbours();
	if (sizeof(text_unit) < JUMP_SIZE) {
		t->skip = "a jump covers its neighbour";
		return;
	}
	if (!plant_jump(t, 0) || !plant_jump(t, 1))
		return;
	EXPECT(t, is_jump(&probes[0]));
	expect_hits(t, &pair, 2);
	expect_order(t, 2);
	unregister_kprobe(&probes[1]);
	EXPECT(t, is_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
	EXPECT(t, text_is(&pair, &before));
}

static void case_a_neighbour_within_makes_it_a_trap_at_once(struct ktap *t)
{
	struct saved_text before = text_of(&pair);

	if (!have_neighbours(t))
		return;
	if (!plant_jump(t, 0) || !plant(t, 1))
		return;
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	expect_order(t, 2);
	/* The neighbour has none. */
	EXPECT(t, becomes_jump(&probes[1]));
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	unregister_kprobe(&probes[1]);
	expect_hits(t, &pair, 1);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
	EXPECT(t, text_is(&pair, &before));
}

static void case_a_neighbour_before_a_jump_stays_a_trap(struct ktap *t)
{
	struct saved_text before = text_of(&pair);

	if (!have_neighbours(t))
		return;
	if (!plant_jump(t, 1) || !plant(t, 0))
		return;
	EXPECT(t, is_jump(&probes[1]));
	expect_hits(t, &pair, 2);
	EXPECT(t, stays_trap(&probes[0]));
	EXPECT(t, is_jump(&probes[1]));
	unregister_kprobe(&probes[0]);
	EXPECT(t, is_jump(&probes[1]));
	call(t, &pair);
	EXPECT_EQ(t, hits[1], CALLS);
	unregister_kprobe(&probes[1]);
	EXPECT(t, text_is(&pair, &before));
}

static void case_a_disabled_neighbour_keeps_no_one(struct ktap *t)
{
	if (!have_neighbours(t))
		return;
	probes[1].flags = KPROBE_FLAG_DISABLED;
	if (!plant_jump(t, 0) || !plant(t, 1))
		return;
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	EXPECT_EQ(t, hits[1], 0);
	EXPECT_EQ(t, enable_kprobe(&probes[1]), 0);
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	EXPECT_EQ(t, disable_kprobe(&probes[1]), 0);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	EXPECT_EQ(t, hits[1], 0);
	uproot(2);
}

static void case_neighbours_come_and_go_together(struct ktap *t)
{
	struct saved_text before = text_of(&pair);
	struct kprobe *both[] = { &probes[0], &probes[1] };

	if (!have_neighbours(t))
		return;
	if (!EXPECT_EQ(t, register_kprobes(both, 2), 0))
		return;
	EXPECT(t, becomes_jump(&probes[1]));
	EXPECT(t, is_trap(&probes[0]));
	expect_hits(t, &pair, 2);
	unregister_kprobes(both, 2);
	EXPECT(t, text_is(&pair, &before));
	both[0] = &probes[1];
	both[1] = &probes[0];
	if (!EXPECT_EQ(t, register_kprobes(both, 2), 0))
		return;
	expect_hits(t, &pair, 2);
	unregister_kprobes(both, 2);
	EXPECT(t, text_is(&pair, &before));
}

#ifdef CONFIG_X86_64

/* ---- boundaries under a jump ---- */

static void case_amid_an_instruction_under_a_jump_is_eilseq(struct ktap *t)
{
	unsigned int i;

	init_probes(&pair);
	if (!plant_jump(t, 0))
		return;
	for (i = 1; i < JUMP_SIZE + 1; i++) {
		if (i == 3)
			continue;
		probes[1] = (struct kprobe){ .addr = probes[0].addr + i, .pre_handler = note };
		EXPECT_EQ(t, register_kprobe(&probes[1]), -EILSEQ);
		EXPECT(t, is_jump(&probes[0]));
	}
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
}

static void case_behind_a_jump_boundaries_are_known(struct ktap *t)
{
	init_probes(&pair);
	probes[1].addr = probes[0].addr + 6;
	if (!plant_jump(t, 0) || !plant(t, 1))
		return;
	EXPECT(t, is_jump(&probes[0]));
	EXPECT(t, becomes_jump(&probes[1]));
	expect_hits(t, &pair, 2);
	expect_order(t, 2);
	probes[2].addr = probes[0].addr + 7;
	EXPECT_EQ(t, register_kprobe(&probes[2]), -EILSEQ);
	uproot(2);
}

#endif /* CONFIG_X86_64 */

/* ---- registering and unregistering ---- */

static void case_unregistered_before_it_is_a_jump(struct ktap *t)
{
	struct saved_text before = text_of(&pair);
	unsigned int ms;

	for (ms = 0; ms < 150; ms += 7) {
		init_probes(&pair);
		if (!plant(t, 0))
			return;
		if (ms)
			msleep(ms);
		expect_hits(t, &pair, 1);
		unregister_kprobe(&probes[0]);
		EXPECT(t, text_is(&pair, &before));
		call(t, &pair);
		EXPECT_EQ(t, nr_order, 0);
	}
	msleep(A_WHILE_MS);
	EXPECT(t, text_is(&pair, &before));
}

static void case_registered_again_it_becomes_a_jump_again(struct ktap *t)
{
	struct saved_text before = text_of(&pair);
	unsigned int i;

	init_probes(&pair);
	for (i = 0; i < 5; i++) {
		if (!plant_jump(t, 0))
			return;
		expect_hits(t, &pair, 1);
		unregister_kprobe(&probes[0]);
		EXPECT(t, text_is(&pair, &before));
		call(t, &pair);
		EXPECT_EQ(t, nr_order, 0);
	}
}

static void case_the_memory_of_a_probe_that_was_a_jump_is_free(struct ktap *t)
{
	init_probes(&pair);
	if (!plant_jump(t, 0))
		return;
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
	memset(probes, 0x6b, sizeof(probes));
	call(t, &pair);
	EXPECT_EQ(t, nr_order, 0);
}

/* ---- a batch ---- */

/* Every call of it is a function of its own, with its own point. */
#define SOME(nr)	SOME_TARGET(some_##nr)
#define SOME_TARGET(name)							\
TARGET(name, SHORT_ADD(name))
SOME(0); SOME(1); SOME(2); SOME(3); SOME(4); SOME(5); SOME(6); SOME(7); SOME(8); SOME(9);
SOME(10); SOME(11); SOME(12); SOME(13); SOME(14); SOME(15); SOME(16); SOME(17); SOME(18);
SOME(19);

static const struct target * const some[MANY] = {
	&some_0, &some_1, &some_2, &some_3, &some_4, &some_5, &some_6, &some_7, &some_8, &some_9,
	&some_10, &some_11, &some_12, &some_13, &some_14, &some_15, &some_16, &some_17, &some_18,
	&some_19,
};

static void expect_batch(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		EXPECT(t, becomes_jump(&probes[i]));
	forget_hits();
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(t, some[i]->fn(40, 2), 42);
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(t, hits[i], 1);
}

static void case_a_batch_becomes_jumps_and_goes(struct ktap *t)
{
	struct kprobe *pointers[MANY];
	struct saved_text before[MANY];
	unsigned int i;

	init_probes(&pair);
	for (i = 0; i < MANY; i++) {
		before[i] = text_of(some[i]);
		probes[i].addr = target_at(some[i]);
		pointers[i] = &probes[i];
	}
	if (!EXPECT_EQ(t, register_kprobes(pointers, MANY), 0))
		return;
	expect_batch(t);
	/* Some of them, then all at once. */
	unregister_kprobes(pointers + 5, 5);
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(t, text_is(some[i], &before[i]), i >= 5 && i < 10);
	EXPECT_EQ(t, register_kprobes(pointers + 5, 5), 0);
	expect_batch(t);
	unregister_kprobes(pointers, MANY);
	for (i = 0; i < MANY; i++)
		EXPECT(t, text_is(some[i], &before[i]));
}

static void case_a_batch_that_fails_leaves_jumps_alone(struct ktap *t)
{
	struct kprobe bad = { .symbol_name = "no_such_function", .pre_handler = note };
	struct kprobe *pointers[] = { &probes[1], &probes[2], &bad };

	init_neighbours();
	probes[2].addr = target_at(&pair);
	if (!plant_jump(t, 0))
		return;
	EXPECT_EQ(t, register_kprobes(pointers, 3), -ENOENT);
	expect_hits(t, &pair, 1);
	EXPECT_EQ(t, hits[1] + hits[2], 0);
	EXPECT(t, becomes_jump(&probes[0]));
	expect_hits(t, &pair, 1);
	unregister_kprobe(&probes[0]);
}

static const struct ktap_case cases[] = {
	CASE(a_second_probe_is_called_after_the_first),
	CASE(many_are_called_in_order_of_registration),
	CASE(one_with_a_post_handler_comes_and_goes),
	CASE(one_with_a_post_handler_comes_under_hits),
	CASE(one_with_a_fault_handler_comes_and_goes),
	CASE(a_jprobe_comes_and_goes),
	CASE(a_disabled_one_with_a_post_handler_keeps_no_one),
	CASE(handlers_are_set_while_a_detour_is_made),
	CASE(one_of_two_is_disabled_and_enabled),
	CASE(when_all_are_disabled_the_text_is_original),
	CASE(disabled_as_a_jump_and_at_once_enabled),
	CASE(one_registered_disabled_changes_nothing_until_enabled),
	CASE(side_by_side_they_are_jumps),
	CASE(a_neighbour_within_makes_it_a_trap_at_once),
	CASE(a_neighbour_before_a_jump_stays_a_trap),
	CASE(a_disabled_neighbour_keeps_no_one),
	CASE(neighbours_come_and_go_together),
	CASE(unregistered_before_it_is_a_jump),
	CASE(registered_again_it_becomes_a_jump_again),
	CASE(the_memory_of_a_probe_that_was_a_jump_is_free),
	CASE(a_batch_becomes_jumps_and_goes),
	CASE(a_batch_that_fails_leaves_jumps_alone),
#ifdef CONFIG_X86_64
	CASE(amid_an_instruction_under_a_jump_is_eilseq),
	CASE(behind_a_jump_boundaries_are_known),
#endif
};
KTAP_MODULE(cases);
