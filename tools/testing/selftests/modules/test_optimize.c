// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes that become jumps: what is different then, and what must not be.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "optimize.h"

#define CALLS	10

/* Each returns a + b, and its point can become a jump. */
TARGET(two_insns,
       AT(two_insns) "mov %rdi, %rax\n"
       NEXT(two_insns) "add %rsi, %rax\n"
       "nop\n");
TARGET(one_insn,
       AT(one_insn) "movabs $0x1122334455667788, %rcx\n"
       NEXT(one_insn) "lea (%rdi, %rsi), %rax\n");
TARGET(stack_insns,
       AT(stack_insns) "push %rsi\n"
       NEXT(stack_insns) "pop %rax\n"
       "add %rdi, %rax\n"
       "nop\n");
TARGET(five_insns,
       "lea (%rdi, %rsi), %rax\n"
       AT(five_insns) "nop\n"
       NEXT(five_insns) "cmc\n"
       "nop\n"
       "clc\n"
       "nop\n"
       "nop\n");
TARGET(relative,
       "lea (%rdi, %rsi), %rax\n"
       AT(relative) "mov .Lrelative_word(%rip), %rcx\n"
       NEXT(relative) "sub $12345, %rcx\n"
       "add %rcx, %rax\n"
       ".pushsection .rodata\n"
       ".Lrelative_word: .quad 12345\n"
       ".popsection\n");
TARGET(branch,
       "lea (%rdi, %rsi), %rax\n"
       "cmp %rax, %rax\n"
       AT(branch) "je 1f\n"
       "xor %rax, %rax\n"
       "1:\n" NEXT(branch) "nop\n");
TARGET(branch_behind,
       "lea (%rdi, %rsi), %rax\n"
       "cmp %rax, %rax\n"
       AT(branch_behind) "mov %rax, %rcx\n"
       NEXT(branch_behind) "je 1f\n"
       "xor %eax, %eax\n"
       "1: nop\n");
TARGET(last_insns,
       "nop\n"
       AT(last_insns) "lea (%rdi, %rsi), %rax\n"
       NEXT(last_insns) "");

asm(".pushsection .text\n"
    ".type helper_add, @function\n"
    "helper_add:\n"
    ASM_ENDBR
    "lea (%rdi, %rsi), %rax\n"
    ASM_RET
    ".size helper_add, . - helper_add\n"
    ".popsection\n");
TARGET(call_insn,
       "push %rbx\n"
       AT(call_insn) "call helper_add\n"
       NEXT(call_insn) "pop %rbx\n");

/* Its AT() is so many bytes before the end of a page. */
#define STRADDLE(name, before)							\
TARGET_IN(name,									\
    ".balign 4096, 0xcc\n"							\
    ".skip 4096 - 16 - " #before ", 0xcc\n"					\
    ".type " #name "_fn, @function\n"						\
    #name "_fn:\n"								\
    ASM_ENDBR									\
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

static const struct target * const targets[] = {
	&straddle_1, &straddle_2, &straddle_3, &straddle_4, &straddle_5, &two_insns, &one_insn, &stack_insns, &five_insns, &relative, &branch, &branch_behind,
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
	s32 distance;
	unsigned long to;

	memcpy(&distance, (u8 *)p->addr + 1, sizeof(distance));
	to = (unsigned long)p->addr + JUMP_SIZE + distance;
	return !within_module(to, THIS_MODULE);
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
	struct kprobe p[NR_TARGETS], *pointers[NR_TARGETS];
	struct saved_text before[NR_TARGETS];
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
	u8 byte = target_unit(&two_insns);

	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, p.opcode, byte);
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
		EXPECT_EQ(t, seen.regs.ip, (unsigned long)p.addr + 1);
		EXPECT_EQ(t, seen.regs.di, 40);
		EXPECT_EQ(t, seen.regs.si, 2);
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
	target->fn(40, 2);
	local_irq_restore(flags);
}

static void expect_same_regs(struct ktap *t, const struct pt_regs *got,
			     const struct pt_regs *want)
{
	EXPECT_EQ(t, got->ip, want->ip);
	EXPECT_EQ(t, got->sp, want->sp);
	EXPECT_EQ(t, got->bp, want->bp);
	EXPECT_EQ(t, got->di, want->di);
	EXPECT_EQ(t, got->cs, want->cs);
	EXPECT_EQ(t, got->ss, want->ss);
	EXPECT_EQ(t, got->flags, want->flags);
	EXPECT_EQ(t, got->orig_ax, want->orig_ax);
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
TARGET(all_registers,
       "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
       "xor %eax, %eax; xor %ebx, %ebx; xor %ecx, %ecx; xor %edx, %edx\n"
       "xor %ebp, %ebp; xor %r8d, %r8d; xor %r9d, %r9d; xor %r10d, %r10d\n"
       "xor %r11d, %r11d; xor %r12d, %r12d; xor %r13d, %r13d; xor %r14d, %r14d\n"
       "xor %r15d, %r15d\n"
       AT(all_registers) "mov %rdi, %rdi\n"
       NEXT(all_registers) "mov %rsi, %rsi\n"
       "add %rbx, %rax; add %rcx, %rax; add %rdx, %rax; add %rbp, %rax\n"
       "add %r8, %rax; add %r9, %rax; add %r10, %rax; add %r11, %rax\n"
       "add %r12, %rax; add %r13, %rax; add %r14, %rax; add %r15, %rax\n"
       "add %rdi, %rax; add %rsi, %rax\n"
       "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n");

static int set_all_registers(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long *reg[] = {
		&regs->ax, &regs->bx, &regs->cx, &regs->dx, &regs->bp, &regs->si, &regs->di,
		&regs->r8, &regs->r9, &regs->r10, &regs->r11, &regs->r12, &regs->r13,
		&regs->r14, &regs->r15,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reg); i++)
		*reg[i] = 1UL << (2 * i);
	return 0;
}

static void case_registers_that_a_handler_sets_arrive(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&all_registers), .pre_handler = set_all_registers };

	EXPECT_EQ(t, all_registers.fn(40, 2), 42);
	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, all_registers.fn(40, 2), ((1UL << 30) - 1) / 3);
	unregister_kprobe(&p);
	EXPECT_EQ(t, all_registers.fn(40, 2), 42);
}

static int clear_zero_flag(struct kprobe *p, struct pt_regs *regs)
{
	regs->flags &= ~X86_EFLAGS_ZF;
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
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += 8;
	regs->ax = 77;
	return 1;
}

/* Documented: who wants to change the path turns optimisation off. */
static void case_another_path_is_ignored_until_optimisation_is_off(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&two_insns), .pre_handler = return_77 };

	if (!plant_jump(t, &p))
		return;
	EXPECT_EQ(t, two_insns.fn(40, 2), 42);
	EXPECT_EQ(t, seen.hits, 1);
	EXPECT_EQ(t, turn_optimization(false), 0);
	EXPECT(t, is_trap(&p));
	EXPECT_EQ(t, two_insns.fn(40, 2), 77);
	EXPECT_EQ(t, seen.hits, 2);
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, is_jump(&p));
	EXPECT_EQ(t, two_insns.fn(40, 2), 42);
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
	CASE(another_path_is_ignored_until_optimisation_is_off),
	CASE(nothing_becomes_a_jump_while_optimisation_is_off),
	CASE(unregistered_while_optimisation_is_off),
};
KTAP_MODULE(cases);
