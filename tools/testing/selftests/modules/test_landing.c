// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function as FineIBT of Linux 6.15 to 6.17 leaves it: direct calls run a cmc that indirect ones have run as
 * the end of a jump before the function, so that these come in behind it.
 */
#include <linux/kprobes.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

TARGET_IN(shared,
	  ".balign 16\n"
	  ".type shared_fn, @function\n"
	  "shared_fn:\n"
	  "cmc\n"
	  ".Lshared_behind:\n"
	  "nopl	(%rax)\n"
	  AT(shared)
	  "leaq	(%rdi, %rsi), %rax\n"
	  NEXT(shared)
	  "addq	$0, %rax\n"
	  ASM_RETURN
	  ".size shared_fn, . - shared_fn\n");

TARGET_IN(indirect,
	  ".type indirect_fn, @function\n"
	  "indirect_fn:\n"
	  AT(indirect)
	  "jmp	.Lshared_behind\n"
	  NEXT(indirect)
	  ".size indirect_fn, . - indirect_fn\n");

static int nr_hits;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static void expect_hits(struct ktap *t)
{
	nr_hits = 0;
	EXPECT_EQ(t, shared.fn(40, 2), 42);
	EXPECT_EQ(t, nr_hits, 1);
	EXPECT_EQ(t, indirect.fn(40, 2), 42);
	EXPECT_EQ(t, nr_hits, 2);
}

static void expect_both(struct ktap *t, struct kprobe *p)
{
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	EXPECT(t, p->addr == target_at(&shared));
	expect_hits(t);
	EXPECT(t, becomes_jump(p));
	expect_hits(t);
	unregister_kprobe(p);
}

static void case_both_ways_in_are_seen(struct ktap *t)
{
	struct kprobe named = { .symbol_name = "shared_fn", .pre_handler = count_hit };
	struct kprobe addressed = { .addr = (void *)shared.fn, .pre_handler = count_hit };

	expect_both(t, &named);
	expect_both(t, &addressed);
}

static const struct ktap_case cases[] = {
	CASE(both_ways_in_are_seen),
};
KTAP_MODULE(cases);
