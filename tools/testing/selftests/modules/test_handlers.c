// SPDX-License-Identifier: GPL-2.0-only
/*
 * What handlers see and may do, on instructions that are emulated, that run
 * from a slot, and at a call site of the function tracer.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "ktap.h"
#include "settled.h"
#include "target.h"

#define MANY	50

/* Each returns a + b. */
TARGET(slot_add, SLOT_ADD(slot_add));
TARGET(slot_load, SLOT_LOAD_ADD(slot_load));
TARGET(slot_push, SLOT_PUSH_ADD(slot_push));
TARGET(nop_add, NOP_ADD(nop_add));
TARGET(jmp_add, JMP_ADD(jmp_add));
TARGET(jcc_add, JCC_ADD(jcc_add));
TARGET(flags_add, FLAGS_ADD(flags_add));
TARGET(first_add, FIRST_ADD(first_add));

TARGET(multiply, MULTIPLY(multiply));

static const struct target * const targets[] = {
	&slot_add, &slot_load, &slot_push, &nop_add, &jmp_add, &jcc_add, &flags_add, &first_add,
};

#define for_each_target(target, i)						\
	for (i = 0; i < ARRAY_SIZE(targets) && (target = targets[i]); i++)

/* What the handlers of the last call saw; pre and post count the calls. */
static struct seen {
	int pre, post;
	unsigned long pre_ip, post_ip, a, b, result, post_flags, sp;
	bool irqs_were_on, may_sleep;
	struct kprobe *running;
} seen;

static int see(struct kprobe *p, struct pt_regs *regs)
{
	seen.pre++;
	seen.pre_ip = instruction_pointer(regs);
	seen.a = FIRST(regs);
	seen.b = SECOND(regs);
	seen.irqs_were_on |= !irqs_disabled();
	seen.may_sleep |= may_sleep_here();
	seen.running = kprobe_running();
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	seen.post++;
	seen.post_ip = instruction_pointer(regs);
	seen.post_flags = flags;
	seen.result = RESULT(regs);
	seen.sp = STACK(regs);
	seen.irqs_were_on |= !irqs_disabled();
	seen.may_sleep |= may_sleep_here();
	if (kprobe_running() != p)
		seen.running = NULL;
}

static bool plant(struct ktap *t, struct kprobe *p, const struct target *target)
{
	p->addr = target_at(target);
	p->flags = 0;
	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return false;
	settle(p);
	return true;
}

static void case_pre_handler_sees_ip_behind_the_breakpoint(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see };
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		EXPECT_EQ(t, target->fn(40, 2), 42);
		EXPECT_EQ(t, seen.pre, 1);
		EXPECT_EQ(t, seen.pre_ip, SEEN_AT(target_at(target)));
		unregister_kprobe(&p);
	}
}

static void case_pre_handler_sees_the_arguments(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see };
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		target->fn(40, 2);
		EXPECT_EQ(t, seen.a, 40);
		EXPECT_EQ(t, seen.b, 2);
		unregister_kprobe(&p);
	}
}

static int set_second_to_100(struct kprobe *p, struct pt_regs *regs)
{
	SECOND(regs) = 100;
	return 0;
}

static void case_pre_handler_may_change_registers(struct ktap *t)
{
	struct kprobe p = { .pre_handler = set_second_to_100 };

	if (!plant(t, &p, &slot_add))
		return;
	EXPECT_EQ(t, slot_add.fn(40, 2), 140);
	unregister_kprobe(&p);
	if (!plant(t, &p, &nop_add))
		return;
	EXPECT_EQ(t, nop_add.fn(40, 2), 140);
	unregister_kprobe(&p);
}

static int clear_zero_flag(struct kprobe *p, struct pt_regs *regs)
{
	clear_zero(regs);
	return 0;
}

static void case_pre_handler_decides_a_conditional_jump_by_flags(struct ktap *t)
{
	struct kprobe p = { .pre_handler = clear_zero_flag };

	if (!plant(t, &p, &jcc_add))
		return;
	EXPECT_EQ(t, jcc_add.fn(40, 2), 0);
	unregister_kprobe(&p);
	EXPECT_EQ(t, jcc_add.fn(40, 2), 42);
}

static int return_77(struct kprobe *p, struct pt_regs *regs)
{
	seen.pre++;
	return_with(regs, 77);
	return 1;
}

static void case_nonzero_pre_handler_returns_for_the_function(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77, .post_handler = see_after };
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		if (target == &slot_load)	/* its stack is not that of the call */
			continue;
		if (!plant(t, &p, target))
			return;
		EXPECT_EQ(t, target->fn(40, 2), 77);
		EXPECT_EQ(t, seen.pre, 1);
		EXPECT_EQ(t, seen.post, 0);
		unregister_kprobe(&p);
		EXPECT_EQ(t, target->fn(40, 2), 42);
	}
}

static int go_to_multiply(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)multiply.fn);
	return 1;
}

static void case_nonzero_pre_handler_goes_to_another_function(struct ktap *t)
{
	struct kprobe p = { .pre_handler = go_to_multiply, .post_handler = see_after };

	if (!plant(t, &p, &slot_add))
		return;
	EXPECT_EQ(t, slot_add.fn(40, 2), 80);
	EXPECT_EQ(t, seen.post, 0);
	unregister_kprobe(&p);
	if (!plant(t, &p, &nop_add))
		return;
	EXPECT_EQ(t, nop_add.fn(40, 2), 80);
	EXPECT_EQ(t, seen.post, 0);
	unregister_kprobe(&p);
}

/* The guard against recursion must not stay taken where a handler changed the path. */
static void case_after_a_changed_path_other_probes_work(struct ktap *t)
{
	struct kprobe away = { .pre_handler = return_77, .post_handler = see_after };
	struct kprobe p = { .pre_handler = see };

	if (!plant(t, &away, &slot_add))
		return;
	slot_add.fn(40, 2);
	unregister_kprobe(&away);
	EXPECT(t, !irqs_disabled());
	if (!plant(t, &p, &nop_add))
		return;
	nop_add.fn(40, 2);
	EXPECT_EQ(t, seen.pre, 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void case_post_handler_sees_next_ip(struct ktap *t)
{
	struct kprobe p = { .post_handler = see_after };
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		EXPECT_EQ(t, target->fn(40, 2), 42);
		EXPECT_EQ(t, seen.post, 1);
		EXPECT_EQ(t, seen.post_ip, (unsigned long)target_next(target));
		EXPECT_EQ(t, seen.post_flags, 0);
		unregister_kprobe(&p);
	}
}

static void case_post_handler_sees_the_effect(struct ktap *t)
{
	struct kprobe p = { .post_handler = see_after };

	if (!plant(t, &p, &slot_add))
		return;
	slot_add.fn(40, 2);
	EXPECT_EQ(t, seen.result, 42);
	unregister_kprobe(&p);
}

static unsigned long sp_before;

static int see_stack(struct kprobe *p, struct pt_regs *regs)
{
	sp_before = STACK(regs);
	return 0;
}

static void case_post_handler_sees_the_stack_pointer(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see_stack, .post_handler = see_after };

	if (!plant(t, &p, &slot_push))
		return;
	slot_push.fn(40, 2);
	EXPECT_EQ(t, seen.sp, sp_before - PUSH_SIZE);
	unregister_kprobe(&p);
	if (!plant(t, &p, &slot_add))
		return;
	slot_add.fn(40, 2);
	EXPECT_EQ(t, seen.sp, sp_before);
	unregister_kprobe(&p);
}

static void add_1000(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	RESULT(regs) += 1000;
}

static void case_post_handler_may_change_registers(struct ktap *t)
{
	struct kprobe p = { .post_handler = add_1000 };

	if (!plant(t, &p, &slot_add))
		return;
	EXPECT_EQ(t, slot_add.fn(40, 2), 1042);
	unregister_kprobe(&p);
	if (!plant(t, &p, &jmp_add))
		return;
	EXPECT_EQ(t, jmp_add.fn(40, 2), 1042);
	unregister_kprobe(&p);
}

static void case_handlers_run_with_interrupts_off(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see, .post_handler = see_after };
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		target->fn(40, 2);
		EXPECT_EQ(t, seen.pre + seen.post, 2);
		EXPECT(t, !seen.irqs_were_on);
		EXPECT(t, !seen.may_sleep);
		EXPECT(t, !irqs_disabled());
		unregister_kprobe(&p);
	}
}

static void case_interrupts_stay_off_where_they_were(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see, .post_handler = see_after };
	const struct target *target;
	unsigned long flags;
	unsigned int i;
	bool off;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		local_irq_save(flags);
		target->fn(40, 2);
		off = irqs_disabled();
		local_irq_restore(flags);
		EXPECT(t, off);
		EXPECT_EQ(t, seen.post, 1);
		unregister_kprobe(&p);
	}
}

static void case_kprobe_running_is_the_one_whose_handler_runs(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see, .post_handler = see_after };
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		target->fn(40, 2);
		EXPECT(t, seen.running == &p);
		unregister_kprobe(&p);
	}
	preempt_disable();
	EXPECT(t, !kprobe_running());
	preempt_enable();
}

static void case_without_handlers_the_instruction_just_runs(struct ktap *t)
{
	const struct target *target;
	struct kprobe p = { };
	unsigned int i;

	for_each_target(target, i) {
		if (!plant(t, &p, target))
			return;
		EXPECT_EQ(t, target->fn(40, 2), 42);
		EXPECT_EQ(t, p.nmissed, 0);
		unregister_kprobe(&p);
	}
}

/* ---- several at one address ---- */

static struct kprobe many[MANY];
static int order[2 * MANY], nr_order;

static void note(struct kprobe *p)
{
	if (nr_order < ARRAY_SIZE(order))
		order[nr_order++] = p - many;
}

static int note_pre(struct kprobe *p, struct pt_regs *regs)
{
	note(p);
	return 0;
}

static void note_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	note(p);
}

static unsigned int plant_many(struct ktap *t, const struct target *target, bool post)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		many[i] = (struct kprobe){ .addr = target_at(target), .pre_handler = note_pre };
		if (post)
			many[i].post_handler = note_post;
		if (!EXPECT_EQ(t, register_kprobe(&many[i]), 0))
			break;
	}
	settle(&many[0]);
	nr_order = 0;
	return i;
}

/* Those that are not registered any more are passed over. */
static void uproot(unsigned int nr)
{
	struct kprobe *list[MANY];
	unsigned int i;

	for (i = 0; i < nr; i++)
		list[i] = &many[i];
	unregister_kprobes(list, nr);
}

static void case_fifty_at_one_address_run_in_order_of_registration(struct ktap *t)
{
	const struct target *target;
	unsigned int i, j, nr;

	for_each_target(target, i) {
		nr = plant_many(t, target, true);
		EXPECT_EQ(t, target->fn(40, 2), 42);
		EXPECT_EQ(t, nr_order, 2 * MANY);
		for (j = 0; j < nr_order; j++)
			EXPECT_EQ(t, order[j], j % MANY);
		uproot(nr);
	}
}

static void case_a_disabled_one_among_others_is_passed_over(struct ktap *t)
{
	unsigned int nr = plant_many(t, &slot_add, false), j;

	EXPECT_EQ(t, disable_kprobe(&many[1]), 0);
	settle(&many[0]);
	slot_add.fn(40, 2);
	EXPECT_EQ(t, nr_order, MANY - 1);
	for (j = 0; j < nr_order; j++)
		EXPECT(t, order[j] != 1);
	EXPECT_EQ(t, enable_kprobe(&many[1]), 0);
	settle(&many[0]);
	nr_order = 0;
	slot_add.fn(40, 2);
	EXPECT_EQ(t, nr_order, MANY);
	EXPECT_EQ(t, order[1], 1);
	uproot(nr);
}

static void case_one_is_removed_while_others_live(struct ktap *t)
{
	unsigned int nr = plant_many(t, &nop_add, true);

	unregister_kprobe(&many[0]);
	unregister_kprobe(&many[7]);
	settle(&many[1]);
	EXPECT_EQ(t, nop_add.fn(40, 2), 42);
	EXPECT_EQ(t, nr_order, 2 * (MANY - 2));
	EXPECT_EQ(t, order[0], 1);
	EXPECT_EQ(t, order[6], 8);
	uproot(nr);
}

static void case_the_first_nonzero_stops_the_rest(struct ktap *t)
{
	unsigned int nr = plant_many(t, &slot_add, true);
	struct kprobe before = many[1];

	unregister_kprobe(&many[1]);
	many[1] = (struct kprobe){ .addr = before.addr, .pre_handler = return_77 };
	EXPECT_EQ(t, register_kprobe(&many[1]), 0);
	unregister_kprobe(&many[2]);
	many[2] = (struct kprobe){ .addr = before.addr, .pre_handler = note_pre };
	EXPECT_EQ(t, register_kprobe(&many[2]), 0);
	settle(&many[0]);
	seen = (struct seen){ };
	EXPECT_EQ(t, slot_add.fn(40, 2), 77);
	EXPECT_EQ(t, seen.pre, 1);
	EXPECT_EQ(t, nr_order, MANY - 2);
	uproot(nr);
	EXPECT_EQ(t, slot_add.fn(40, 2), 42);
}

static const struct ktap_case cases[] = {
	CASE(pre_handler_sees_ip_behind_the_breakpoint),
	CASE(pre_handler_sees_the_arguments),
	CASE(pre_handler_may_change_registers),
	CASE(pre_handler_decides_a_conditional_jump_by_flags),
	CASE(nonzero_pre_handler_returns_for_the_function),
	CASE(nonzero_pre_handler_goes_to_another_function),
	CASE(after_a_changed_path_other_probes_work),
	CASE(post_handler_sees_next_ip),
	CASE(post_handler_sees_the_effect),
	CASE(post_handler_sees_the_stack_pointer),
	CASE(post_handler_may_change_registers),
	CASE(handlers_run_with_interrupts_off),
	CASE(interrupts_stay_off_where_they_were),
	CASE(kprobe_running_is_the_one_whose_handler_runs),
	CASE(without_handlers_the_instruction_just_runs),
	CASE(fifty_at_one_address_run_in_order_of_registration),
	CASE(a_disabled_one_among_others_is_passed_over),
	CASE(one_is_removed_while_others_live),
	CASE(the_first_nonzero_stops_the_rest),
	CASE(where_there_should_be_jumps_there_were),
};
KTAP_MODULE(cases);
