// SPDX-License-Identifier: GPL-2.0-only
/*
 * Short jumps: probes at instructions of two bytes with a branch target right behind them.  What
 * they lead to is in padding, which gets its own bytes back.
 */
#include <linux/hw_breakpoint.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

/* All padding is our own. */
#define TARGET_ALIGN	"2"
#include "optimize.h"

ALONE(relays_before);
TARGET(relay_nops, CRAMPED_ADD(relay_nops, NOP9));
ALONE(relays_between);
TARGET(relay_traps, CRAMPED_ADD(relay_traps, ".fill 9, 1, 0xcc\n"));
ALONE(relays_between_again);
/*
 * The probed instruction has three bytes: the jump leaves the last of them, a lock prefix, to who
 * takes that for an instruction.
 */
TARGET(relay_three,
       "mov $2, %ecx\n"
       "mov %rdi, %rax\n"
       "jmp 2f\n"
       NOP9
       "2:\n" AT(relay_three) "add %rsi, %rax\n"
       "1:\n" NEXT(relay_three) "xor %edx, %edx\n"
       "dec %ecx\n"
       "jnz 1b\n"
       NO_PREFIX);
ALONE(relays_after_three);
/* Four instructions with a target right behind each, and three cells. */
TARGET(relay_four,
       "jmp 2f\n"
       NOP5 NOP5 NOP5
       "2:\n" AT(relay_four) "xor %edx, %edx\n"
       "1:\n" NEXT(relay_four) "xor %ecx, %ecx\n"
       "2: xor %edx, %edx\n"
       "3: xor %ecx, %ecx\n"
       "4: lea (%rdi, %rsi), %rax\n"
       "dec %ecx\n"
       "jns 1b\n"
       "jns 2b\n"
       "jns 3b\n"
       "jns 4b\n");
ALONE(relays_behind);

#define NR_FOUR		4
#define CELLS		3

/* From a function's beginning on: all of the longest, and a part of what is behind the others. */
#define WHOLE	64

static u8 before[WHOLE];
static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void save(const struct target *target)
{
	memcpy(before, target->fn, WHOLE);
}

static bool is_as_before(const struct target *target)
{
	wait_for_kprobe_optimizer();
	return !memcmp(before, target->fn, WHOLE);
}

static struct kprobe probe_at(const struct target *target, unsigned int more)
{
	return (struct kprobe){ .addr = target_at(target) + more, .pre_handler = count };
}

/* How many times is a probed function hit that is called once? */
static int hits_of(struct ktap *t, const struct target *target)
{
	hits = 0;
	EXPECT_EQ(t, target->fn(40, 2), 42);
	return hits;
}

static bool is_short_jump(const struct kprobe *p)
{
	return kprobe_optimized(p) && unit_at(p->addr) == 0xeb;
}

static void try_one(struct ktap *t, const struct target *target)
{
	struct kprobe p = probe_at(target, 0);

	save(target);
	EXPECT_EQ(t, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	/* What is behind the two bytes is as it was. */
	EXPECT(t, !memcmp(target_at(target) + 2, before + target->at + 2,
			  WHOLE - target->at - 2));
	EXPECT_EQ(t, hits_of(t, target), 1);
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(target));
	EXPECT_EQ(t, hits_of(t, target), 0);
}

static void case_nops_behind_a_jump_have_a_relay(struct ktap *t)
{
	try_one(t, &relay_nops);
}

static void case_traps_behind_a_jump_have_a_relay(struct ktap *t)
{
	try_one(t, &relay_traps);
}

static void case_it_goes_and_comes(struct ktap *t)
{
	struct kprobe p = probe_at(&relay_nops, 0);
	unsigned int i;

	save(&relay_nops);
	EXPECT_EQ(t, register_kprobe(&p), 0);
	for (i = 0; i < 20; i++) {
		wait_for_kprobe_optimizer();
		EXPECT(t, is_short_jump(&p));
		EXPECT_EQ(t, disable_kprobe(&p), 0);
		EXPECT_EQ(t, hits_of(t, &relay_nops), 0);
		/* The cell that it had may still be in use: there is one only. */
		EXPECT_EQ(t, enable_kprobe(&p), 0);
		EXPECT_EQ(t, hits_of(t, &relay_nops), 1);
	}
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(&relay_nops));
}

static void case_a_post_handler_and_a_second_probe(struct ktap *t)
{
	struct kprobe p = probe_at(&relay_nops, 0), q = probe_at(&relay_nops, 2);

	save(&relay_nops);
	EXPECT_EQ(t, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	/* Where the branch leads. */
	EXPECT_EQ(t, register_kprobe(&q), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	EXPECT_EQ(t, hits_of(t, &relay_nops), 3);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(&relay_nops));
}

/* Who walks through the function meanwhile finds its own instructions. */
static void case_instructions_are_found_behind_a_jump(struct ktap *t)
{
	struct kprobe p = probe_at(&relay_three, 0), q;
	unsigned int at;

	save(&relay_three);
	EXPECT_EQ(t, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	for (at = 1; at <= 9; at++) {
		q = probe_at(&relay_three, at);
		/* add: 3, xor: 2, dec: 2, jnz: 2. */
		EXPECT_EQ(t, register_kprobe(&q), at % 2 && at != 1 ? 0 : -EILSEQ);
		unregister_kprobe(&q);
	}
	EXPECT_EQ(t, hits_of(t, &relay_three), 1);
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(&relay_three));
}

static unsigned int nr_jumps(const struct kprobe *probes)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_FOUR; i++)
		nr += is_short_jump(&probes[i]);
	return nr;
}

static void case_several_share_padding_until_it_is_used_up(struct ktap *t)
{
	struct kprobe probes[NR_FOUR];
	struct kprobe *fourth = NULL;
	unsigned int i;

	save(&relay_four);
	for (i = 0; i < NR_FOUR; i++) {
		probes[i] = probe_at(&relay_four, 2 * i);
		EXPECT_EQ(t, register_kprobe(&probes[i]), 0);
	}
	wait_for_kprobe_optimizer();
	EXPECT_EQ(t, nr_jumps(probes), CELLS);
	EXPECT_EQ(t, hits_of(t, &relay_four), NR_FOUR);
	for (i = 0; i < NR_FOUR; i++)
		if (!is_short_jump(&probes[i]))
			fourth = &probes[i];
	if (EXPECT(t, fourth)) {
		/* What one gives back another gets. */
		unregister_kprobe(&probes[fourth == &probes[0]]);
		EXPECT(t, becomes_jump(fourth));
		EXPECT_EQ(t, hits_of(t, &relay_four), NR_FOUR - 1);
		EXPECT_EQ(t, register_kprobe(&probes[fourth == &probes[0]]), 0);
	}
	for (i = 0; i < NR_FOUR; i++)
		unregister_kprobe(&probes[i]);
	EXPECT(t, is_as_before(&relay_four));
	EXPECT_EQ(t, hits_of(t, &relay_four), 0);
}

/* Those who probe every instruction come to padding, too. */
static void case_a_probe_in_the_padding_of_a_jump(struct ktap *t)
{
	struct kprobe p = probe_at(&relay_nops, 0), q = probe_at(&relay_nops, 0);
	u8 *nop = (u8 *)target_at(&relay_nops) - 9;

	save(&relay_nops);
	q.addr = (kprobe_opcode_t *)nop;
	EXPECT_EQ(t, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	EXPECT(t, *nop != before[nop - (u8 *)relay_nops.fn]);
	EXPECT_EQ(t, register_kprobe(&q), 0);
	EXPECT(t, is_trap(&p));
	wait_for_kprobe_optimizer();
	EXPECT(t, is_trap(&p));
	EXPECT(t, !memcmp(nop + 5, before + (nop + 5 - (u8 *)relay_nops.fn), 4));
	EXPECT_EQ(t, hits_of(t, &relay_nops), 1);
	unregister_kprobe(&q);
	EXPECT(t, becomes_jump(&p));
	EXPECT(t, is_short_jump(&p));
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(&relay_nops));
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/* What a CPU is found in that a debug register has stopped at a relay. */
static struct {
	unsigned int times;
	unsigned long ip;
	unsigned long trace[32];
	unsigned int nr;
} stopped;

static void on_relay(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	stopped.times++;
	stopped.ip = regs->ip;
	stopped.nr = stack_trace_save(stopped.trace, ARRAY_SIZE(stopped.trace), 0);
}

/* Behind the relay a trace ends, or goes on with whoever called the probed function. */
static void check_trace(struct ktap *t, unsigned long relay)
{
	unsigned int i;

	for (i = 0; i < stopped.nr; i++)
		if (stopped.trace[i] == relay && i + 1 < stopped.nr)
			EXPECT(t, within_module(stopped.trace[i + 1], THIS_MODULE));
}

static void case_a_cpu_at_a_relay(struct ktap *t)
{
	struct kprobe p = probe_at(&relay_nops, 0);
	struct perf_event * __percpu *watch;
	struct perf_event_attr attr;
	char name[KSYM_SYMBOL_LEN];
	unsigned long relay;

	save(&relay_nops);
	EXPECT_EQ(t, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	relay = (unsigned long)p.addr + 2 + *((s8 *)p.addr + 1);
	hw_breakpoint_init(&attr);
	attr.bp_addr = relay;
	attr.bp_len = sizeof(long);
	attr.bp_type = HW_BREAKPOINT_X;
	memset(&stopped, 0, sizeof(stopped));
	watch = register_wide_hw_breakpoint(&attr, on_relay, NULL);
	if (IS_ERR((void __force *)watch)) {
		t->skip = "no breakpoints by debug registers";
	} else {
		EXPECT_EQ(t, hits_of(t, &relay_nops), 1);
		EXPECT_EQ(t, stopped.times, 1);
		EXPECT_EQ(t, stopped.ip, relay);
		sprint_symbol(name, stopped.ip);
		EXPECT(t, !strncmp(name, "relay_nops_fn+", 14));
		check_trace(t, relay);
		unregister_wide_hw_breakpoint(watch);
	}
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(&relay_nops));
}
#else
static void case_a_cpu_at_a_relay(struct ktap *t)
{
	t->skip = "no breakpoints by debug registers";
}
#endif

static void case_turned_off_and_on(struct ktap *t)
{
	struct kprobe p = probe_at(&relay_traps, 0);

	save(&relay_traps);
	EXPECT_EQ(t, register_kprobe(&p), 0);
	wait_for_kprobe_optimizer();
	EXPECT(t, is_short_jump(&p));
	EXPECT_EQ(t, turn_optimization(false), 0);
	EXPECT(t, is_trap(&p));
	EXPECT_EQ(t, hits_of(t, &relay_traps), 1);
	unregister_kprobe(&p);
	EXPECT(t, is_as_before(&relay_traps));
	EXPECT_EQ(t, turn_optimization(true), 0);
}

static const struct ktap_case cases[] = {
	CASE(nops_behind_a_jump_have_a_relay),
	CASE(traps_behind_a_jump_have_a_relay),
	CASE(it_goes_and_comes),
	CASE(a_post_handler_and_a_second_probe),
	CASE(instructions_are_found_behind_a_jump),
	CASE(several_share_padding_until_it_is_used_up),
	CASE(a_probe_in_the_padding_of_a_jump),
	CASE(a_cpu_at_a_relay),
	CASE(turned_off_and_on),
};
KTAP_MODULE(cases);
