// SPDX-License-Identifier: GPL-2.0-only
/*
 * The copy of a call, in a detour buffer, has the same target as the call.  So the
 * buffer must be near the target, too: near all of a large module, whose veneers are
 * at its end, and near the kernel, if the module calls it without veneers.  If there
 * is no such memory, the probe stays a trap, and that is not retried.
 */
#include <linux/kprobes.h>
#include <linux/stringify.h>

#include "optimize.h"

#define CALLS(name, to)								\
	"stp x29, x30, [sp, #-16]!\n"						\
	"mov x29, sp\n"								\
	AT(name) "bl " to "\n"							\
	NEXT(name) "ldp x29, x30, [sp], #16\n"

/* As far as a branch can lead, either way; never called. */
#define LEADS(name, distance)							\
	AT(name) "b . + " __stringify(distance) "\n"				\
	NEXT(name) "mov x0, #0\n"

TARGET(before, CALLS(before, "lkp_far_sum"));
TARGET(kernel_before, CALLS(kernel_before, "int_sqrt"));
asm(".pushsection .text\n"
    ".fill 0x100000 / 4, 4, 0xd503201f\n"
    ".popsection\n");
TARGET(after, CALLS(after, "lkp_far_sum"));
TARGET(kernel_after, CALLS(kernel_after, "int_sqrt"));
TARGET(lkp_up, LEADS(lkp_up, 0x7fffffc));
TARGET(lkp_down, LEADS(lkp_down, -0x8000000));
asm(".pushsection .text\n"
    ".type lkp_far_sum, @function\n"
    "lkp_far_sum:\n"
    ASM_LANDING
    "add x0, x0, x1\n"
    ASM_RETURN
    ".size lkp_far_sum, . - lkp_far_sum\n"
    ".popsection\n");

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void expect_jump(struct ktap *t, const struct target *target, long a, long b, long sum)
{
	struct kprobe p = { .addr = target_at(target), .pre_handler = count };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT(t, becomes_jump(&p));
	EXPECT_EQ(t, target->fn(a, b), sum);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static void case_calls_within_a_large_module_become_jumps(struct ktap *t)
{
	expect_jump(t, &before, 40, 2, 42);
	expect_jump(t, &after, 40, 2, 42);
}

static void case_calls_of_the_kernel_become_jumps(struct ktap *t)
{
	expect_jump(t, &kernel_before, 144, 0, 12);
	expect_jump(t, &kernel_after, 144, 0, 12);
}

static const struct ktap_case cases[] = {
	CASE(calls_within_a_large_module_become_jumps),
	CASE(calls_of_the_kernel_become_jumps),
};
KTAP_MODULE(cases);
