// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes that become jumps: what changes then, and what must not.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "optimize.h"

#define CALLS	10

/* Each returns a + b, and its point can become a jump. */
TARGET(two_insns, PAIR_ADD(two_insns));
TARGET(one_insn, BIG_ADD(one_insn));
TARGET(stack_insns, STACK_ADD(stack_insns));
TARGET(five_insns, SINGLES_ADD(five_insns));
TARGET(relative, RELATIVE_ADD(relative));
TARGET(branch, LONG_JCC_ADD(branch));
TARGET(branch_behind, BEFORE_JCC_ADD(branch_behind));
TARGET(last_insns, NOP_LAST_ADD(last_insns));

asm(".pushsection .text\n"
    ASM_TYPE("helper_add")
    ".type helper_add, @function\n"
    "helper_add:\n"
    ASM_LANDING
    JUST_ADD
    ASM_RETURN
    ".size helper_add, . - helper_add\n"
    ".popsection\n");
TARGET(call_insn, CALLS_TO(call_insn, helper_add));

#ifdef CONFIG_X86_64

/* Its AT() is so many bytes before the end of a page: only there is a jump on two of them. */
#define STRADDLE(name, before)							\
TARGET_IN(name,									\
    ".balign 4096, 0xcc\n"							\
    ".skip 4096 - 16 - " __stringify(ASM_TYPE_SIZE) " - " #before ", 0xcc\n"	\
    ASM_TYPE(#name "_fn")							\
    ".type " #name "_fn, @function\n"						\
    #name "_fn:\n"								\
    ASM_LANDING									\
    ".skip 16 - (. - " #name "_fn), 0x90\n"					\
    AT(name) "mov %rdi, %rax\n"							\
    NEXT(name) "add %rsi, %rax\n"						\
    "nop\n"									\
    ASM_RET									\
    ".size " #name "_fn, . - " #name "_fn\n")

STRADDLE(straddle_1, 1);
STRADDLE(straddle_2, 2);
STRADDLE(straddle_3, 3);
STRADDLE(straddle_4, 4);
STRADDLE(straddle_5, 5);

#endif

static const struct target * const targets[] = {
#ifdef CONFIG_X86_64
	&straddle_1, &straddle_2, &straddle_3, &straddle_4, &straddle_5,
#endif
	&two_insns, &one_insn, &stack_insns, &five_insns, &relative, &branch, &branch_behind,
	&last_insns, &call_insn,
};

#define for_each_target(target, i)						\
	for (i = 0; i < ARRAY_SIZE(targets) && (target = targets[i]); i++)

static struct seen {
	int hits;
	struct pt_regs regs;
	bool irqs_were_on, may_sleep;
	struct kprobe *running;
} seen;

static int see(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	seen.regs = *regs;
	seen.irqs_were_on |= !irqs_disabled();
	seen.may_sleep |= may_sleep_here();
	seen.running = kprobe_running();
	return 0;
}

static struct kprobe probe_on(const struct target *target)
{
	return (struct kprobe){ .addr = target_at(target), .pre_handler = see };
}

static bool plant(struct ktap *t, struct kprobe *p)
{
	seen = (struct seen){ };
	return EXPECT_EQ(t, register_kprobe(p), 0);
}

static bool plant_jump(struct ktap *t, struct kprobe *p)
{
	return plant(t, p) && EXPECT(t, becomes_jump(p));
}

static void call_often(struct ktap *t, const struct target *target)
{
	int i;

	for (i = 0; i < CALLS; i++)
		EXPECT_EQ(t, target->fn(40, 2), 42);
}

/* ---- it becomes one ---- */

static bool leads_out(const struct kprobe *p)
{
	return !within_module(jump_target(p->addr), THIS_MODULE);
}

static void case_a_trap_becomes_a_jump(struct ktap *t)
{
	const struct target *target;
	struct saved_text before;
	unsigned int i;

	for_each_target(target, i) {
		struct kprobe p = probe_on(target);

		before = text_of(target);
		if (!plant(t, &p))
			return;
		EXPECT(t, IS_TRAP(target_unit(target)) || IS_JUMP(target_unit(target)));
		EXPECT(t, becomes_jump(&p));
		EXPECT(t, leads_out(&p));
		unregister_kprobe(&p);
		EXPECT(t, text_is(target, &before));
		EXPECT(t, !kprobe_optimized(&p));
	}
}

#define NR_TARGETS	ARRAY_SIZE(targets)

/* The edits of all of them are written together. */
static void case_all_become_jumps_and_go_at_once(struct ktap *t)
{
	static struct kprobe p[NR_TARGETS], *pointers[NR_TARGETS];
	static struct saved_text before[NR_TARGETS];
	unsigned int i;

	for (i = 0; i < NR_TARGETS; i++) {
		p[i] = probe_on(targets[i]);
		pointers[i] = &p[i];
		memcpy(&before[i], target_at(targets[i]), sizeof(before[i]));
	}
	if (!EXPECT_EQ(t, register_kprobes(pointers, NR_TARGETS), 0))
		return;
	seen = (struct seen){ };
	for (i = 0; i < NR_TARGETS; i++) {
		EXPECT(t, becomes_jump(&p[i]));
		EXPECT_EQ(t, targets[i]->fn(40, 2), 42);
	}
	EXPECT_EQ(t, seen.hits, NR_TARGETS);
	unregister_kprobes(pointers, NR_TARGETS);
	for (i = 0; i < NR_TARGETS; i++) {
		EXPECT(t, !memcmp(&before[i], target_at(targets[i]), sizeof(before[i])));
		EXPECT_EQ(t, targets[i]->fn(40, 2), 42);
	}
}

static void case_every_hit_is_counted_before_and_after(struct ktap *t)
{
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		struct kprobe p = probe_on(target);

		if (!plant(t, &p))
			return;
		call_often(t, target);
		EXPECT_EQ(t, seen.hits, CALLS);
		EXPECT(t, becomes_jump(&p));
		call_often(t, target);
		EXPECT_EQ(t, seen.hits, 2 * CALLS);
		EXPECT_EQ(t, p.nmissed, 0);
		unregister_kprobe(&p);
		call_often(t, target);
		EXPECT_EQ(t, seen.hits, 2 * CALLS);
	}
}

static void case_the_opcode_stays_the_original(struct ktap *t)
{
	struct kprobe p = probe_on(&two_insns);
	text_unit original = target_unit(&two_insns);

	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, p.opcode, original);
	unregister_kprobe(&p);
}

/* ---- what the handler sees ---- */

static void case_a_handler_sees_ip_and_arguments(struct ktap *t)
{
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		struct kprobe p = probe_on(target);

		if (!plant_jump(t, &p))
			return;
		target->fn(40, 2);
		EXPECT_EQ(t, instruction_pointer(&seen.regs), SEEN_AT(p.addr));
		EXPECT_EQ(t, FIRST(&seen.regs), 40);
		EXPECT_EQ(t, SECOND(&seen.regs), 2);
		EXPECT(t, !seen.irqs_were_on);
		EXPECT(t, !seen.may_sleep);
		EXPECT(t, seen.running == &p);
		EXPECT(t, !irqs_disabled());
		unregister_kprobe(&p);
		preempt_disable();
		EXPECT(t, !kprobe_running());
		preempt_enable();
	}
}

/* The same call again and again, so that the same registers are to be seen. */
static noinline void hit_from_one_place(const struct target *target)
{
	unsigned long flags;

	local_irq_save(flags);
	settle_flags();
	target->fn(40, 2);
	local_irq_restore(flags);
}

static void expect_same_regs(struct ktap *t, const struct pt_regs *got,
			     const struct pt_regs *want)
{
	const u64 is[] = KEPT_REGISTERS(got), was[] = KEPT_REGISTERS(want);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(is); i++)
		EXPECT_EQ(t, is[i], was[i]);
}

static void case_registers_look_as_at_a_trap(struct ktap *t)
{
	struct pt_regs regs[2];
	const struct target *target;
	unsigned int i, pass;

	for_each_target(target, i) {
		struct kprobe p = probe_on(target);

		if (!plant(t, &p))
			return;
		for (pass = 0; pass < 2; pass++) {
			hit_from_one_place(target);
			regs[pass] = seen.regs;
			EXPECT(t, becomes_jump(&p));
		}
		expect_same_regs(t, &regs[1], &regs[0]);
		unregister_kprobe(&p);
	}
}

static void case_without_a_handler_the_instructions_just_run(struct ktap *t)
{
	const struct target *target;
	unsigned int i;

	for_each_target(target, i) {
		struct kprobe p = { .addr = target_at(target) };

		if (!plant_jump(t, &p))
			return;
		call_often(t, target);
		EXPECT_EQ(t, p.nmissed, 0);
		unregister_kprobe(&p);
	}
}

/* ---- what the handler does ---- */

/* Every register that a function must keep is used and restored by itself. */
TARGET(all_registers, ALL_REGISTERS(all_registers));

static unsigned int nr_set;

static int set_all_registers(struct kprobe *p, struct pt_regs *regs)
{
	void *reg[] = REGISTER_POINTERS(regs);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg); i++)
		*(u64 *)reg[i] = 1ULL << (2 * i);
	nr_set = i;
	return 0;
}

static void case_registers_that_a_handler_sets_arrive(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&all_registers), .pre_handler = set_all_registers };

	EXPECT_EQ(t, all_registers.fn(40, 2), 42);
	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, all_registers.fn(40, 2), ((1UL << 2 * nr_set) - 1) / 3);
	unregister_kprobe(&p);
	EXPECT_EQ(t, all_registers.fn(40, 2), 42);
}

static int clear_zero_flag(struct kprobe *p, struct pt_regs *regs)
{
	clear_zero(regs);
	return 0;
}

static void case_flags_that_a_handler_sets_decide_branches(struct ktap *t)
{
	const struct target * const branches[] = { &branch, &branch_behind };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		struct kprobe p = { .addr = target_at(branches[i]),
				    .pre_handler = clear_zero_flag };

		if (!plant_jump(t, &p))
			return;
		EXPECT_EQ(t, branches[i]->fn(40, 2), 0);
		unregister_kprobe(&p);
		EXPECT_EQ(t, branches[i]->fn(40, 2), 42);
	}
}

static int return_77(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	return_with(regs, 77);
	return 1;
}

static void case_another_path_is_taken_by_a_jump_as_by_a_trap(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&two_insns), .pre_handler = return_77 };

	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, two_insns.fn(40, 2), 77);
	EXPECT_EQ(t, seen.hits, 1);
	EXPECT_EQ(t, turn_optimization(false), 0);
	EXPECT(t, is_trap(&p));
	EXPECT_EQ(t, two_insns.fn(40, 2), 77);
	EXPECT_EQ(t, seen.hits, 2);
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, is_jump(&p));
	EXPECT_EQ(t, two_insns.fn(40, 2), 77);
	EXPECT_EQ(t, seen.hits, 3);
	unregister_kprobe(&p);
}

/* ---- the switch ---- */

static void case_nothing_becomes_a_jump_while_optimisation_is_off(struct ktap *t)
{
	struct kprobe p = probe_on(&two_insns), q = probe_on(&one_insn);

	if (!plant_jump(t, &q))
		return;
	EXPECT_EQ(t, turn_optimization(false), 0);
	EXPECT(t, is_trap(&q));
	if (!plant(t, &p))
		return;
	EXPECT(t, stays_trap(&p));
	EXPECT(t, is_trap(&q));
	call_often(t, &two_insns);
	call_often(t, &one_insn);
	EXPECT_EQ(t, seen.hits, 2 * CALLS);
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, is_jump(&p));
	EXPECT(t, is_jump(&q));
	call_often(t, &two_insns);
	EXPECT_EQ(t, seen.hits, 3 * CALLS);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

static void case_unregistered_while_optimisation_is_off(struct ktap *t)
{
	struct saved_text before = text_of(&two_insns);
	struct kprobe p = probe_on(&two_insns);

	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, turn_optimization(false), 0);
	unregister_kprobe(&p);
	EXPECT(t, text_is(&two_insns, &before));
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, text_is(&two_insns, &before));
}

static const struct ktap_case cases[] = {
	CASE(a_trap_becomes_a_jump),
	CASE(all_become_jumps_and_go_at_once),
	CASE(every_hit_is_counted_before_and_after),
	CASE(the_opcode_stays_the_original),
	CASE(a_handler_sees_ip_and_arguments),
	CASE(registers_look_as_at_a_trap),
	CASE(without_a_handler_the_instructions_just_run),
	CASE(registers_that_a_handler_sets_arrive),
	CASE(flags_that_a_handler_sets_decide_branches),
	CASE(another_path_is_taken_by_a_jump_as_by_a_trap),
	CASE(nothing_becomes_a_jump_while_optimisation_is_off),
	CASE(unregistered_while_optimisation_is_off),
};
KTAP_MODULE(cases);
