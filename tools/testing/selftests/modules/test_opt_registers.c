// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers and flags in a function with a jump, and in its caller: the same as
 * without a probe, or the values that a handler has written.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "optimize.h"
#include "registers.h"

TARGET(nothing, NOTHING(nothing));
TARGET(pushes, PUSHES(pushes));
TARGET(jumps, JUMPS(jumps));
TARGET(sum, SLOT_ADD(sum));
TARGET(caller, CALLS_TO(caller, lkp_opt_called));

static const struct target * const untouching[] = { &nothing, &pushes, &jumps };

static int hits, returns;
static unsigned long seen_at, seen_sp;
static bool irqs_were_on;

noinline __noclone __used long lkp_opt_called(long a, long b);
noinline __noclone __used long lkp_opt_called(long a, long b)
{
	barrier();
	return a + b;
}

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	seen_at = instruction_pointer(regs);
	seen_sp = STACK(regs);
	irqs_were_on |= !irqs_disabled();
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return 0;
}

static int second_is_100(struct kprobe *p, struct pt_regs *regs)
{
	SECOND(regs) = 100;
	return 0;
}

static bool plant(struct ktap *t, struct kprobe *p)
{
	hits = returns = 0;
	irqs_were_on = false;
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return false;
	if (EXPECT(t, becomes_jump(p)))
		return true;
	unregister_kprobe(p);
	return false;
}

static void expect_untouched(struct ktap *t, const struct target *target, u64 flags)
{
	struct registers in, out = { };
	int i;

	for (i = 0; i < FLAGS; i++)
		in.reg[i] = 0x0123456789abcdefull * (i + 1) ^ flags;
	in.reg[FLAGS] = flags | FLAGS_ALWAYS;
	lkp_call_with(target->fn, &in, &out);
	for (i = 0; i < FLAGS; i++)
		if (i != NOT_TRIED && !EXPECT_EQ(t, out.reg[i], in.reg[i]))
			seq_printf(t->m, "# register %d\n", i);
	EXPECT_EQ(t, out.reg[FLAGS] & FLAGS_TRIED, flags & FLAGS_TRIED);
}

static void expect_all_untouched(struct ktap *t, const struct target *target)
{
	static const u64 flags[] = FLAGS_SETS;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		expect_untouched(t, target, flags[i]);
}

static void case_registers_and_flags_are_as_without_a_probe(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(untouching); i++) {
		struct kprobe p = { .addr = target_at(untouching[i]), .pre_handler = count };

		if (!plant(t, &p))
			return;
		expect_all_untouched(t, untouching[i]);
		EXPECT_EQ(t, hits, 8);
		EXPECT_EQ(t, seen_at, SEEN_AT(p.addr));
		EXPECT(t, !irqs_were_on);
		EXPECT(t, is_jump(&p));
		unregister_kprobe(&p);
	}
}

static void case_registers_with_a_kretprobe_whose_entry_is_a_jump(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(untouching); i++) {
		struct kretprobe rp = { .kp.addr = (void *)untouching[i]->fn,
					.handler = count_return };

		returns = 0;
		if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
			return;
		if (EXPECT(t, becomes_jump(&rp.kp)))
			expect_all_untouched(t, untouching[i]);
		EXPECT_EQ(t, returns, 8);
		EXPECT_EQ(t, rp.nmissed, 0);
		unregister_kretprobe(&rp);
	}
}

static void case_a_handler_may_change_registers(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&sum), .pre_handler = second_is_100 };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, sum.fn(40, 2), 140);
	unregister_kprobe(&p);
	EXPECT_EQ(t, sum.fn(40, 2), 42);
}

/* A function that a copied call calls returns to behind the original call. */
static void case_a_call_is_done_elsewhere_and_returns_here(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&caller), .pre_handler = count };
	struct kprobe behind = { .addr = target_next(&caller), .pre_handler = count };

	if (!plant(t, &p) || !plant(t, &behind))
		return;
	EXPECT_EQ(t, caller.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 2);
	unregister_kprobe(&p);
	unregister_kprobe(&behind);
	EXPECT_EQ(t, caller.fn(40, 2), 42);
}

static void case_interrupts_stay_off_where_they_were(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&sum), .pre_handler = count };
	unsigned long flags;
	bool off;

	if (!plant(t, &p))
		return;
	local_irq_save(flags);
	EXPECT_EQ(t, sum.fn(40, 2), 42);
	off = irqs_disabled();
	local_irq_restore(flags);
	EXPECT(t, off);
	EXPECT_EQ(t, sum.fn(40, 2), 42);
	EXPECT(t, !irqs_disabled());
	EXPECT_EQ(t, hits, 2);
	unregister_kprobe(&p);
}

static const struct ktap_case cases[] = {
	CASE(registers_and_flags_are_as_without_a_probe),
	CASE(registers_with_a_kretprobe_whose_entry_is_a_jump),
	CASE(a_handler_may_change_registers),
	CASE(a_call_is_done_elsewhere_and_returns_here),
	CASE(interrupts_stay_off_where_they_were),
};
KTAP_MODULE(cases);
