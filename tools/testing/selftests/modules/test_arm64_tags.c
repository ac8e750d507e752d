// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that runs without checks of memory tags (PSTATE.TCO), as the kernel's own accesses to what
 * may fault do: behind handlers they are off again, even if a handler has accessed such memory
 * itself, which leaves them on.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

#define TCO_REGISTER	sys_reg(3, 3, 4, 2, 7)

TARGET(slot, SLOT_ADD(slot));

static int hits;

static bool is_off(void)
{
	return read_sysreg_s(TCO_REGISTER) & PSR_TCO_BIT;
}

static void access_memory(void)
{
	hits++;
	write_sysreg_s(0, TCO_REGISTER);
}

static int access_before(struct kprobe *p, struct pt_regs *regs)
{
	access_memory();
	return 0;
}

static void access_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	access_memory();
}

static long elsewhere(long a, long b)
{
	return a + b;
}

static void go_elsewhere(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	access_memory();
	instruction_pointer_set(regs, (unsigned long)elsewhere);
}

static void expect_kept(struct ktap *t, u64 tco, int wanted)
{
	unsigned long flags;
	bool after;
	long sum;

	hits = 0;
	local_irq_save(flags);
	write_sysreg_s(tco, TCO_REGISTER);
	sum = slot.fn(40, 2);
	after = is_off();
	write_sysreg_s(0, TCO_REGISTER);
	local_irq_restore(flags);
	EXPECT_EQ(t, sum, 42);
	EXPECT_EQ(t, hits, wanted);
	EXPECT_EQ(t, after, !!tco);
}

static void expect_both(struct ktap *t, struct kprobe p, bool jump, int wanted)
{
	p.addr = target_at(&slot);
	if (!EXPECT(t, system_supports_mte()) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (!jump || EXPECT(t, becomes_jump(&p))) {
		expect_kept(t, 0, wanted);
		expect_kept(t, PSR_TCO_BIT, wanted);
	}
	unregister_kprobe(&p);
}

static void case_behind_a_trap(struct ktap *t)
{
	expect_both(t, (struct kprobe){ .pre_handler = access_before }, false, 1);
}

static void case_behind_a_post_handler(struct ktap *t)
{
	expect_both(t, (struct kprobe){ .pre_handler = access_before,
					.post_handler = access_behind }, false, 2);
}

static void case_where_a_post_handler_goes(struct ktap *t)
{
	expect_both(t, (struct kprobe){ .post_handler = go_elsewhere }, false, 1);
}

static void case_behind_a_jump(struct ktap *t)
{
	expect_both(t, (struct kprobe){ .pre_handler = access_before }, true, 1);
}

static const struct ktap_case cases[] = {
	CASE(behind_a_trap),
	CASE(behind_a_post_handler),
	CASE(where_a_post_handler_goes),
	CASE(behind_a_jump),
};
KTAP_MODULE(cases);
