// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers that change where execution goes on, at traps and at jumps: also to within the bytes
 * that a jump overwrites.  And post_handlers, which see and may do behind a jump what they do in a
 * trap.  What is no different on other processors is in test_opt_served.c.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "optimize.h"

#define CALLS	10

/* Of each the first instructions are shorter than a jump. */
TARGET(pair, PAIR_ADD(pair));
TARGET(inner, PAIR_ADD(inner));
/* At offsets 1, 2 and 3 from the probe are instructions, too. */
TARGET(steps,
       AT(steps) "push %rsi\n"
       NEXT(steps) "push %rdi\n"
       "pop %rax\n"
       "pop %rcx\n"
       "add %rcx, %rax\n");
/* Above the word that is added is another one. */
TARGET(stack,
       "push %rbp\n"
       "mov %rsp, %rbp\n"
       "push %rsi\n"
       "push $1000\n"
       AT(stack) "mov %rdi, %rax\n"
       NEXT(stack) "add (%rsp), %rax\n"
       "mov %rbp, %rsp\n"
       "pop %rbp\n");
/* The difference of two numbers that are the same; carried over is what a handler has set. */
TARGET(carry,
       AT(carry) "cmp %rdi, %rdi\n"
       NEXT(carry) "sbb %rax, %rax\n"
       "nop\n");
/* It reads a register that the ABI preserves, and the carry. */
TARGET(adds,
       "push %rbx\n"
       "mov %rdi, %rax\n"
       "xor %ebx, %ebx\n"
       AT(adds) "adc %rbx, %rax\n"
       NEXT(adds) "add %rsi, %rax\n"
       "pop %rbx\n");
/* Its first instruction goes elsewhere, and there are five bytes of it. */
TARGET(far_jump,
       "lea (%rdi, %rsi), %rax\n"
       "test %rax, %rax\n"
       "js 2f\n"
       AT(far_jump) "jmp 1f\n"
       "2: xor %eax, %eax\n"
       ".fill 200, 1, 0x90\n"
       "1:\n" NEXT(far_jump) "nop\n");
TARGET(returns,
       "lea (%rdi, %rsi), %rax\n"
       "nop\n"
       AT(returns) NEXT(returns));
TARGET(calls_inner,
       "push %rbx\n"
       AT(calls_inner) "call inner_fn\n"
       NEXT(calls_inner) "pop %rbx\n");

/* There is a branch to its second byte, so it stays a trap, also where a short jump would do. */
TARGET(trapped,
       AT(trapped) "cwtl\n"
       "1:\n" NEXT(trapped) "lea (%rdi, %rsi), %rax\n"
       "test %rax, %rax\n"
       "js 1b\n");
/* What is probed is emulated. */
TARGET(emulated, NOP_ADD(emulated));
TARGET(load, LOAD(load));

static int hits, posts;
static unsigned long post_ip, post_sp, pre_sp;

static int see(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	pre_sp = regs->sp;
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	post_ip = regs->ip;
	post_sp = regs->sp;
}

/* All is as it was behind it. */
static void expect_call(struct ktap *t, const struct target *target, long result, int nr_hits,
			int nr_posts)
{
	int count = preempt_count();

	hits = posts = 0;
	EXPECT_EQ(t, target->fn(40, 2), result);
	EXPECT_EQ(t, hits, nr_hits);
	EXPECT_EQ(t, posts, nr_posts);
	EXPECT_EQ(t, preempt_count(), count);
	EXPECT(t, !irqs_disabled());
	preempt_disable();
	EXPECT(t, !kprobe_running());
	preempt_enable();
}

/* By a trap, and then by a jump. */
static void expect_both_ways(struct ktap *t, struct kprobe *p, const struct target *target,
			     long result, int nr_hits, int nr_posts)
{
	p->addr = target_at(target);
	p->flags = 0;
	EXPECT_EQ(t, turn_optimization(false), 0);
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	EXPECT(t, is_trap(p));
	expect_call(t, target, result, nr_hits, nr_posts);
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, is_jump(p));
	expect_call(t, target, result, nr_hits, nr_posts);
	EXPECT_EQ(t, p->nmissed, 0);
	unregister_kprobe(p);
	EXPECT_EQ(t, target->fn(40, 2), target == &carry ? 0 : 42);
}

/* ---- pre_handlers ---- */

static int return_77(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return_with(regs, 77);
	return 1;
}

static void case_a_handler_returns_for_the_function(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77 };

	expect_both_ways(t, &p, &pair, 77, 1, 0);
	p.post_handler = see_after;
	expect_both_ways(t, &p, &pair, 77, 1, 0);
}

/* To where there is nothing but the jump's displacement. */
static int skip_it(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->ax = 140;
	regs->ip = (unsigned long)target_next(&pair);
	return 1;
}

static void case_a_handler_goes_on_within_the_bytes_of_the_jump(struct ktap *t)
{
	struct kprobe p = { .pre_handler = skip_it };

	expect_both_ways(t, &p, &pair, 142, 1, 0);
	p.post_handler = see_after;
	expect_both_ways(t, &p, &pair, 142, 1, 0);
}

static int drop_a_word(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->sp += 8;
	return 0;
}

static void case_a_handler_changes_the_stack_pointer(struct ktap *t)
{
	struct kprobe p = { .pre_handler = drop_a_word }, plain = { .pre_handler = see };

	/* Its other word would be added. */
	EXPECT_EQ(t, stack.fn(40, 2), 1040);
	p.addr = target_at(&stack);
	EXPECT_EQ(t, turn_optimization(false), 0);
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_call(t, &stack, 42, 1, 0);
	EXPECT_EQ(t, turn_optimization(true), 0);
	EXPECT(t, is_jump(&p));
	expect_call(t, &stack, 42, 1, 0);
	unregister_kprobe(&p);
	plain.addr = target_at(&stack);
	if (!EXPECT_EQ(t, register_kprobe(&plain), 0))
		return;
	EXPECT(t, becomes_jump(&plain));
	expect_call(t, &stack, 1040, 1, 0);
	unregister_kprobe(&plain);
}

/* What the probed call does. */
static int call_instead(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = (unsigned long)target_next(&calls_inner);
	regs->ip = (unsigned long)inner.fn;
	return 1;
}

/* What the probed push does. */
static int push_instead(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = regs->si;
	regs->ip = (unsigned long)target_next(&steps);
	return 1;
}

/* What that and the next one do. */
static int push_both_instead(struct kprobe *p, struct pt_regs *regs)
{
	push_instead(p, regs);
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = regs->di;
	regs->ip++;
	return 1;
}

static int leave_a_word_free(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->sp -= sizeof(long);
	return 0;
}

/* Behind the call, which was below that. */
static void take_the_word_back(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	unsigned long *sp = (unsigned long *)regs->sp;

	posts++;
	sp[1] = sp[0];
	regs->sp += sizeof(long);
}

static void case_a_handler_writes_words_below_the_stack_pointer(struct ktap *t)
{
	struct kprobe push = { .pre_handler = push_both_instead };
	struct kprobe call = {
		.pre_handler = leave_a_word_free,
		.post_handler = take_the_word_back,
	};

	expect_both_ways(t, &push, &steps, 42, 1, 0);
	push.post_handler = see_after;
	expect_both_ways(t, &push, &steps, 42, 1, 0);
	expect_both_ways(t, &call, &calls_inner, 42, 1, 1);
}

static void case_a_handler_writes_the_word_below_the_stack_pointer(struct ktap *t)
{
	struct kprobe call = { .pre_handler = call_instead };
	struct kprobe push = { .pre_handler = push_instead };

	expect_both_ways(t, &call, &calls_inner, 42, 1, 0);
	call.post_handler = see_after;
	expect_both_ways(t, &call, &calls_inner, 42, 1, 0);
	expect_both_ways(t, &push, &steps, 42, 1, 0);
}

/* ---- post_handlers ---- */

static void case_a_post_handler_sees_what_is_next(struct ktap *t)
{
	static const struct target * const targets[] = {
		&pair, &steps, &far_jump, &calls_inner,
	};
	struct kprobe p = { .pre_handler = see, .post_handler = see_after };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		expect_both_ways(t, &p, targets[i], 42, 1, 1);
		EXPECT_EQ(t, post_ip, targets[i] == &calls_inner ? (unsigned long)inner.fn :
					       (unsigned long)target_next(targets[i]));
		EXPECT_EQ(t, pre_sp - post_sp,
			  targets[i] == &steps || targets[i] == &calls_inner ? 8 : 0);
	}
	expect_both_ways(t, &p, &returns, 42, 1, 1);
	/* With return thunks it is a jump to one. */
	EXPECT_EQ(t, post_sp - pre_sp, IS_JUMP(target_unit(&returns)) ? 0 : 8);
}

static void set_carry(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	regs->flags |= X86_EFLAGS_CF;
}

static void case_a_post_handler_changes_flags(struct ktap *t)
{
	struct kprobe p = { .post_handler = set_carry };

	expect_both_ways(t, &p, &carry, -1, 0, 1);
}

static int give_100_and_carry(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->bx = 100;
	regs->flags |= X86_EFLAGS_CF;
	return 0;
}

static bool irqs_seen_on;

static void add_1000(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	irqs_seen_on = regs->flags & X86_EFLAGS_IF && irqs_disabled();
	if (regs->ax == 141 && regs->bx == 100 && !(regs->flags & X86_EFLAGS_CF))
		regs->ax += 1000;
}

static void case_the_instruction_takes_what_a_pre_handler_has_set(struct ktap *t)
{
	struct kprobe p = { .pre_handler = give_100_and_carry, .post_handler = add_1000 };

	expect_both_ways(t, &p, &adds, 1143, 1, 1);
	EXPECT(t, irqs_seen_on);
}

/* Past the next two instructions, to the fourth within five bytes: the word is what was pushed. */
static void go_to_the_fourth(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	regs->ax = 140;
	regs->ip = (unsigned long)p->addr + 3;
}

static void case_a_post_handler_goes_on_within_the_bytes_of_the_jump(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see, .post_handler = go_to_the_fourth };

	expect_both_ways(t, &p, &steps, 142, 1, 1);
}

static void return_88(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	return_with(regs, 88);
}

static void case_a_post_handler_returns_for_the_function(struct ktap *t)
{
	struct kprobe p = { .post_handler = return_88 };

	expect_both_ways(t, &p, &pair, 88, 0, 1);
	expect_both_ways(t, &p, &far_jump, 88, 0, 1);
}

/* ---- those that lead to what another one's jump has overwritten ---- */

static int others;

static int see_other(struct kprobe *p, struct pt_regs *regs)
{
	others++;
	return 0;
}

/* From @target to behind the first instruction of pair: while there is a trap, and a jump. */
static void expect_led_there(struct ktap *t, struct kprobe *p, const struct target *target, long a)
{
	struct kprobe other = { .addr = target_at(&pair), .pre_handler = see_other };
	int jump;

	p->addr = target_at(target);
	p->flags = 0;
	others = 0;
	EXPECT_EQ(t, turn_optimization(false), 0);
	if (!EXPECT_EQ(t, register_kprobe(&other), 0) || !EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	for (jump = 0; jump < 2; jump++) {
		EXPECT_EQ(t, turn_optimization(jump), 0);
		EXPECT(t, jump ? is_jump(&other) : is_trap(&other));
		EXPECT(t, target != &trapped || is_trap(p));
		hits = posts = 0;
		EXPECT_EQ(t, target->fn(a, 2), 142);
		/* The compiler may know the function, which changes neither. */
		barrier();
		EXPECT_EQ(t, hits + posts, 1);
		EXPECT(t, !irqs_disabled());
	}
	EXPECT_EQ(t, others, 0);
	EXPECT_EQ(t, p->nmissed, 0);
	unregister_kprobe(p);
	unregister_kprobe(&other);
}

static void skip_it_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	regs->ax = 140;
	regs->ip = (unsigned long)target_next(&pair);
}

static int skip_it_at_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	skip_it_after(p, regs, 0);
	return 1;
}

noinline __noclone long lkp_paths_sum(long a, long b);
noinline __noclone long lkp_paths_sum(long a, long b)
{
	barrier();
	return a + b;
}

static const struct target traced = { .fn = lkp_paths_sum };

static void case_a_handler_goes_on_within_the_bytes_of_another_jump(struct ktap *t)
{
	struct kprobe p = { .pre_handler = skip_it };

	expect_led_there(t, &p, &inner, 40);
	expect_led_there(t, &p, &trapped, 40);
	expect_led_there(t, &p, &emulated, 40);
	expect_led_there(t, &p, &traced, 40);
	p.post_handler = see_after;
	expect_led_there(t, &p, &inner, 40);
	expect_led_there(t, &p, &trapped, 40);
	expect_led_there(t, &p, &traced, 40);
}

static void case_a_post_handler_goes_on_within_the_bytes_of_another_jump(struct ktap *t)
{
	struct kprobe p = { .post_handler = skip_it_after };

	expect_led_there(t, &p, &inner, 40);
	expect_led_there(t, &p, &trapped, 40);
	expect_led_there(t, &p, &emulated, 40);
}

static int load_bad(struct kprobe *p, struct pt_regs *regs)
{
	if (load.fn(UNMAPPED, 2) == 142)
		skip_it(p, regs);
	/* Counted is the fault alone. */
	hits = 0;
	return 1;
}

static void case_a_fault_handler_goes_on_within_the_bytes_of_another_jump(struct ktap *t)
{
	struct kprobe p = { .fault_handler = skip_it_at_fault };

	expect_led_there(t, &p, &load, UNMAPPED);
	/* The handler's own fault. */
	p.pre_handler = load_bad;
	expect_led_there(t, &p, &inner, 40);
}

/* ---- one that comes to a jump without it, and goes ---- */

static void case_it_is_called_from_its_registration_on(struct ktap *t)
{
	struct kprobe plain = { .addr = target_at(&pair), .pre_handler = see };
	struct kprobe p = { .addr = target_at(&pair), .post_handler = see_after };
	unsigned int i;

	if (!EXPECT_EQ(t, register_kprobe(&plain), 0) || !EXPECT(t, becomes_jump(&plain)))
		return;
	expect_call(t, &pair, 42, 1, 0);
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	/* While it is a trap, and has a detour already, and when it is a jump. */
	for (i = 0; i < CALLS || !is_jump(&plain); i++) {
		expect_call(t, &pair, 42, 1, 1);
		msleep(20);
		if (!EXPECT(t, i < 3000))
			break;
	}
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	expect_call(t, &pair, 42, 1, 0);
	EXPECT(t, becomes_jump(&plain));
	expect_call(t, &pair, 42, 1, 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	expect_call(t, &pair, 42, 1, 1);
	EXPECT(t, becomes_jump(&plain));
	expect_call(t, &pair, 42, 1, 1);
	unregister_kprobe(&p);
	expect_call(t, &pair, 42, 1, 0);
	EXPECT_EQ(t, plain.nmissed, 0);
	unregister_kprobe(&plain);
}

static const struct ktap_case cases[] = {
	CASE(a_handler_returns_for_the_function),
	CASE(a_handler_goes_on_within_the_bytes_of_the_jump),
	CASE(a_handler_changes_the_stack_pointer),
	CASE(a_handler_writes_the_word_below_the_stack_pointer),
	CASE(a_handler_writes_words_below_the_stack_pointer),
	CASE(a_post_handler_sees_what_is_next),
	CASE(a_post_handler_changes_flags),
	CASE(the_instruction_takes_what_a_pre_handler_has_set),
	CASE(a_post_handler_goes_on_within_the_bytes_of_the_jump),
	CASE(a_post_handler_returns_for_the_function),
	CASE(a_handler_goes_on_within_the_bytes_of_another_jump),
	CASE(a_post_handler_goes_on_within_the_bytes_of_another_jump),
	CASE(a_fault_handler_goes_on_within_the_bytes_of_another_jump),
	CASE(it_is_called_from_its_registration_on),
};
KTAP_MODULE(cases);
