// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every step of making more stubs of returns is made to fail, one after the other: the probe is
 * refused, and the next attempt works.
 */
#include <linux/kprobes.h>
#include <linux/string.h>

#include "fail_nth.h"
#include "ktap.h"

noinline __noclone long lkp_stub_target(long a);
noinline __noclone long lkp_stub_target(long a)
{
	barrier();
	return a + 2;
}

static int hits;

static int count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(hits, hits + 1);
	return 0;
}

static void expect_hits(struct ktap *t, int wanted)
{
	WRITE_ONCE(hits, 0);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT_EQ(t, READ_ONCE(hits), wanted);
}

/* Was it refused for want of stubs? */
static bool is_starved(const struct kretprobe *rp)
{
	const char *why = kprobe_refusal(&rp->kp);

	return why && strstr(why, "no executable memory in reach");
}

/* With the stubs come many steps: one for each piece of them that is written. */
static void case_more_stubs_fail_at_every_step(struct ktap *t)
{
	unsigned int starved = 0;
	bool reached = true;
	int step, err;

	if (!find_fail_nth(t))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		struct kretprobe rp = {
			.kp.addr = (void *)lkp_stub_target, .handler = count,
		};

		fail_step(step);
		err = register_kretprobe(&rp);
		reached = step_was_reached();
		EXPECT(t, !err || err == -ENOMEM);
		starved += err && is_starved(&rp);
		expect_hits(t, !err);
		if (!err)
			unregister_kretprobe(&rp);
	}
	EXPECT(t, !reached);
	/* The map, the owners, the memory, its protection and the pieces of at least a page each. */
	EXPECT(t, starved > 20);
}

static void case_then_they_are_there(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (void *)lkp_stub_target, .handler = count };

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	expect_hits(t, 1);
	unregister_kretprobe(&rp);
	expect_hits(t, 0);
}

static const struct ktap_case cases[] = {
	CASE(more_stubs_fail_at_every_step),
	CASE(then_they_are_there),
};
KTAP_MODULE(cases);
