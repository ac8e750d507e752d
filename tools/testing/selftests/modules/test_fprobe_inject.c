// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every step of registering or unregistering an fprobe that can fail is made to fail,
 * one after the other: the operation is undone, and the next attempt works.
 */
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/jiffies.h>

#include "fail_nth.h"
#include "ktap.h"

noinline __noclone long lkp_fpi_one(long a, long b);
noinline __noclone long lkp_fpi_one(long a, long b)
{
	barrier();
	return a + b;
}

noinline __noclone long lkp_fpi_two(long a, long b);
noinline __noclone long lkp_fpi_two(long a, long b)
{
	barrier();
	return a - b;
}

static int entries, exits;

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	entries++;
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	exits++;
}

static u8 original[2][16];

static void read_text(u8 (*text)[16])
{
	void *functions[] = { lkp_fpi_one, lkp_fpi_two };
	int i;

	for (i = 0; i < 2; i++) {
		/* objtool warns about constants close to a function's first byte. */
		OPTIMIZER_HIDE_VAR(functions[i]);
		memcpy(text[i], functions[i], 16);
	}
}

static bool text_becomes_original(void)
{
	unsigned long until = jiffies + 60 * HZ;
	u8 now[2][16];

	do {
		read_text(now);
		if (!memcmp(now, original, sizeof(now)))
			return true;
		msleep(20);
	} while (time_before(jiffies, until));
	return false;
}

static void expect_hits(struct ktap *t, int hits)
{
	entries = 0;
	exits = 0;
	EXPECT_EQ(t, lkp_fpi_one(40, 2), 42);
	EXPECT_EQ(t, lkp_fpi_two(44, 2), 42);
	EXPECT_EQ(t, entries, hits);
	EXPECT_EQ(t, exits, hits);
}

static struct fprobe both_handlers(void)
{
	return (struct fprobe){ .entry_handler = on_entry, .exit_handler = on_exit,
				.entry_data_size = 8 };
}

static int register_by(struct fprobe *fp, int way)
{
	unsigned long addrs[] = { (unsigned long)lkp_fpi_one, (unsigned long)lkp_fpi_two };

	switch (way) {
	case 0:
		return register_fprobe(fp, "lkp_fpi_*", NULL);
	case 1:
		return register_fprobe_ips(fp, addrs, 2);
	default:
		return register_fprobe_syms(fp, (const char *[]){ "lkp_fpi_one", "lkp_fpi_two" },
					    2);
	}
}

static void expect_works(struct ktap *t, int way)
{
	struct fprobe fp = both_handlers();

	if (!EXPECT_EQ(t, register_by(&fp, way), 0))
		return;
	expect_hits(t, 2);
	EXPECT_EQ(t, unregister_fprobe(&fp), 0);
	expect_hits(t, 0);
}

static void case_a_registration_fails_at_every_step(struct ktap *t)
{
	int way, step, err, failures;
	bool reached;

	read_text(original);
	if (!find_fail_nth(t))
		return;
	for (way = 0; way < 3; way++) {
		failures = 0;
		for (step = 1, reached = true; step < MAX_STEPS && reached; step++) {
			struct fprobe fp = both_handlers();

			fp.nmissed = 4;
			fail_step(step);
			err = register_by(&fp, way);
			reached = step_was_reached();
			failures += !!err;
			EXPECT_EQ(t, fp.nmissed, err ? 4 : 0);
			EXPECT(t, !err || err == -ENOMEM || err == -ENODEV || err == -ENOSPC);
			EXPECT_EQ(t, fprobe_is_registered(&fp), !err);
			expect_hits(t, err ? 0 : 2);
			if (!err)
				EXPECT_EQ(t, unregister_fprobe(&fp), 0);
			EXPECT(t, text_becomes_original());
			expect_hits(t, 0);
		}
		EXPECT(t, !reached);
		EXPECT(t, failures > 3);
		expect_works(t, way);
	}
}

static void case_taking_it_back_never_fails(struct ktap *t)
{
	bool reached = true;
	int step;

	read_text(original);
	if (!find_fail_nth(t))
		return;
	for (step = 1; step < MAX_STEPS && reached; step++) {
		struct fprobe fp = both_handlers();

		if (!EXPECT_EQ(t, register_by(&fp, 1), 0))
			return;
		fail_step(step);
		EXPECT_EQ(t, unregister_fprobe(&fp), 0);
		reached = step_was_reached();
		memset(&fp, 0x6b, sizeof(fp));
		expect_hits(t, 0);
		EXPECT(t, text_becomes_original());
		expect_works(t, 1);
	}
	EXPECT(t, !reached);
	/* To leave the tracer needs no memory.  Else a step was reached, and one more was not. */
	if (!IS_ENABLED(CONFIG_FUNCTION_TRACER))
		EXPECT(t, step > 2);
}

static const struct ktap_case cases[] = {
	CASE(a_registration_fails_at_every_step),
	CASE(taking_it_back_never_fails),
};
KTAP_MODULE(cases);
