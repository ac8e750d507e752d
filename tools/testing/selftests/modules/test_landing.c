// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function as FineIBT of Linux 6.15 to 6.17 leaves it: direct calls run a cmc that indirect ones have run as
 * the end of a jump before the function, so that these come in behind it.
 */
#include <linux/kprobes.h>

#include "ktap.h"
#include "landing.h"
#include "optimize.h"
#include "target.h"

/* For objtool it is one function, and for who looks for symbols two. */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".globl lkp_either\n"
    ".type lkp_either, @function\n"
    "lkp_either:\n"
    ASM_LANDING
    "testq	%rdx, %rdx\n"
    "jne	.Lbehind\n"
    "lkp_shared:\n"
    "cmc\n"
    ".Lbehind:\n"
    "nopl	(%rax)\n"
    "leaq	(%rdi, %rsi), %rax\n"
    "addq	$0, %rax\n"
    ASM_RETURN
    ".size lkp_either, . - lkp_either\n"
    ".popsection\n");

/* What is not to be written to: cmc and a nop. */
#define FIRST_BYTES	0x001f0ff5

static int nr_hits;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static void expect_hits(struct ktap *t)
{
	nr_hits = 0;
	EXPECT_EQ(t, lkp_either(40, 2, false), 42);
	EXPECT_EQ(t, nr_hits, 1);
	EXPECT_EQ(t, lkp_either(40, 2, true), 42);
	EXPECT_EQ(t, nr_hits, 2);
}

/* Returns where the function begins. */
static void *expect_both(struct ktap *t, struct kprobe *p)
{
	const u32 *first;

	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return NULL;
	first = (const u32 *)p->addr - 1;
	EXPECT_EQ(t, READ_ONCE(*first), FIRST_BYTES);
	expect_hits(t);
	EXPECT(t, becomes_jump(p));
	EXPECT_EQ(t, READ_ONCE(*first), FIRST_BYTES);
	expect_hits(t);
	unregister_kprobe(p);
	return (void *)first;
}

static void case_both_ways_in_are_seen(struct ktap *t)
{
	struct kprobe named = { .symbol_name = "lkp_shared", .pre_handler = count_hit };
	struct kprobe addressed = { .pre_handler = count_hit };

	addressed.addr = expect_both(t, &named);
	if (addressed.addr)
		expect_both(t, &addressed);
}

static const struct ktap_case cases[] = {
	CASE(both_ways_in_are_seen),
};
KTAP_MODULE(cases);
