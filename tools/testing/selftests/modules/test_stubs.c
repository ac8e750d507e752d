// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes for which the stubs in kprobes.ko's own text do not suffice: test_stub_fillers.ko
 * has all of those.
 */
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ktap.h"

/* As many stubs as are in kprobes.ko's text, and as there may be. */
#define OWN_STUBS	32768
#define MAX_STUBS	(1 << 20)

#define NR_FILLERS	(OWN_STUBS / KRETPROBE_MAX_ACTIVE)
#define NR_MOST		(MAX_STUBS / KRETPROBE_MAX_ACTIVE)

static unsigned long returns_to;
static int hits;

noinline __noclone long lkp_stub_target(long a);
noinline __noclone long lkp_stub_target(long a)
{
	returns_to = (unsigned long)__builtin_extract_return_addr(__builtin_return_address(0));
	barrier();
	return a + 2;
}

noinline __noclone long lkp_stub_deep(long depth);
noinline __noclone long lkp_stub_deep(long depth)
{
	long below = depth ? lkp_stub_deep(depth - 1) : 0;

	barrier();
	return below + 1;
}

static int count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(hits, hits + 1);
	return 0;
}

static struct kretprobe probe_on(void *fn, int maxactive)
{
	return (struct kretprobe){
		.kp.addr = fn, .handler = count, .maxactive = maxactive,
	};
}

/* ---- cases ---- */

static bool is_added_stub(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", (void *)addr);
	return is_kretprobe_trampoline(addr) && !strstarts(name, "arch_return_stubs");
}

static void case_a_call_returns_to_a_stub_that_was_added(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_stub_target, 0);

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	WRITE_ONCE(hits, 0);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT_EQ(t, READ_ONCE(hits), 1);
	EXPECT(t, is_added_stub(returns_to));
	EXPECT(t, !is_kretprobe_trampoline((unsigned long)lkp_stub_target));
	disable_kretprobe(&rp);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT_EQ(t, READ_ONCE(hits), 1);
	EXPECT(t, !is_kretprobe_trampoline(returns_to));
	enable_kretprobe(&rp);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT_EQ(t, READ_ONCE(hits), 2);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT(t, !is_kretprobe_trampoline(returns_to));
}

#define NR_USERS	6

/* Each stub stands for the next one. */
static void case_several_follow_one_call(struct ktap *t)
{
	static struct kretprobe rps[NR_USERS];
	unsigned int i, nr = 0;

	for (; nr < NR_USERS; nr++) {
		rps[nr] = probe_on(lkp_stub_deep, 30);
		if (!EXPECT_EQ(t, register_kretprobe(&rps[nr]), 0))
			break;
	}
	WRITE_ONCE(hits, 0);
	EXPECT_EQ(t, lkp_stub_deep(19), 20);
	EXPECT_EQ(t, READ_ONCE(hits), 20 * nr);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(t, rps[i].nmissed, 0);
		unregister_kretprobe(&rps[i]);
	}
}

/* All together have a limit, which the file status tells when it was met. */
static void case_a_million_and_no_more(struct ktap *t)
{
	struct kretprobe *rps = kcalloc(NR_MOST + 1, sizeof(*rps), GFP_KERNEL);
	unsigned int nr = 0;
	int err = 0;

	if (!EXPECT(t, rps))
		return;
	while (nr <= NR_MOST && !err) {
		rps[nr] = probe_on(lkp_stub_target, KRETPROBE_MAX_ACTIVE);
		err = register_kretprobe(&rps[nr]);
		nr += !err;
	}
	EXPECT_EQ(t, err, -ENOSPC);
	EXPECT_EQ(t, nr, NR_MOST - NR_FILLERS);
	WRITE_ONCE(hits, 0);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT_EQ(t, READ_ONCE(hits), nr);
	while (nr--)
		unregister_kretprobe(&rps[nr]);
	WRITE_ONCE(hits, 0);
	EXPECT_EQ(t, lkp_stub_target(40), 42);
	EXPECT_EQ(t, READ_ONCE(hits), 0);
	kfree(rps);
}

static const struct ktap_case cases[] = {
	CASE(a_call_returns_to_a_stub_that_was_added),
	CASE(several_follow_one_call),
	CASE(a_million_and_no_more),
};
KTAP_MODULE(cases);
