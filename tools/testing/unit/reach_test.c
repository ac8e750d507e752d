// SPDX-License-Identifier: GPL-2.0-only
/*
 * arch/x86/reach.c: every limit of a region by name, and what its copy looks like.
 * What copies do is reach_native_test.c's.
 */
#include "reach_test.h"

/* ---- the facts ---- */

#define MAX_FACTS	4

/* Offsets from TEXT. */
struct facts {
	unsigned int nr_targets, nr_fixups;
	int targets[MAX_FACTS], fixups[MAX_FACTS];
	int owned_from, owned_to;
	u64 asked_from, asked_to;
};

static bool has(const int *list, unsigned int nr, u64 addr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (TEXT + list[i] == addr)
			return true;
	return false;
}

static bool is_target(void *data, u64 addr)
{
	struct facts *facts = data;

	return has(facts->targets, facts->nr_targets, addr);
}

static bool has_fixup(void *data, u64 addr)
{
	struct facts *facts = data;

	return has(facts->fixups, facts->nr_fixups, addr);
}

static bool is_owned(void *data, u64 start, u64 end)
{
	struct facts *facts = data;

	facts->asked_from = start;
	facts->asked_to = end;
	return start < TEXT + facts->owned_to && end > TEXT + facts->owned_from;
}

/* What is asked of the next region; each test begins with none. */
static struct facts facts;
static struct reach_region region;

static enum reach_reason judge(const u8 *bytes, size_t avail)
{
	const struct reach_facts callbacks = { &facts, is_target, is_owned, has_fixup, NULL };

	return judge_exactly(reach_region, &region, bytes, avail, &callbacks);
}

static int no_facts(void **state)
{
	(void)state;
	memset(&facts, 0, sizeof(facts));
	return 0;
}

/* ---- how long a region is ---- */

static void one_long_instruction(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x48, 0x81, 0xec, 0, 1, 0, 0)), REACH_OK);
	assert_int_equal(region.nr, 1);
	assert_int_equal(region.length, 7);
	assert_true(region.flows_on);
}

static void ends_with_the_function(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x48, 0x89, 0xe5, 0x31, 0xc0)), REACH_OK);
	assert_int_equal(region.nr, 2);
	assert_int_equal(region.length, 5);
}

static void one_byte_too_short(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x31, 0xc0, 0x31, 0xc0)), REACH_END);
	assert_int_equal(region.at, 4);
	/* The last instruction is cut off. */
	assert_int_equal(judge(BYTES(0x31, 0xc0, 0xb8, 0, 0, 0)), REACH_END);
	assert_int_equal(region.at, 2);
	assert_int_equal(judge(BYTES(0x5b, 0x5d, 0xc3, 0xcc)), REACH_END);
	assert_int_equal(region.at, 3);
}

static void padding_int3_behind_a_return(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x5b, 0xc3, 0xcc, 0xcc, 0xcc)), REACH_OK);
	assert_int_equal(region.nr, 2);
	assert_int_equal(region.length, 2);
	assert_false(region.flows_on);
}

static void padding_nops_behind_a_return(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0xc3, 0x0f, 0x1f, 0x44, 0x00, 0x00)), REACH_OK);
	assert_int_equal(region.length, 1);
	/* The last may end behind the jump. */
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0x0f, 0x1f, 0x00)), REACH_OK);
}

static void padding_behind_jumps(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0xeb, 0x10, 0, 0, 0)), REACH_OK);
	assert_int_equal(judge(BYTES(0xff, 0xe0, 0xcc, 0xcc, 0xcc)), REACH_OK);
	assert_int_equal(judge(BYTES(0xc2, 0x08, 0x00, 0x90, 0x90)), REACH_OK);
	assert_int_equal(region.nr, 1);
}

/* There may be an unknown path to it. */
static void no_padding_behind_a_jump(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0xeb, 0x10, 0x31, 0xc0, 0xc3)), REACH_TARGET);
	assert_int_equal(region.at, 2);
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xc3)), REACH_TARGET);
	assert_int_equal(region.at, 4);
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xc3)), REACH_OK);
	assert_int_equal(judge(BYTES(0xc3, 0x06, 0x06, 0x06, 0x06)), REACH_TARGET);
	/* A nop that is cut off is none. */
	assert_int_equal(judge(BYTES(0xc3, 0x0f, 0x1f, 0x44, 0x00)), REACH_TARGET);
	/* pause is no nop. */
	assert_int_equal(judge(BYTES(0xc3, 0xf3, 0x90, 0xcc, 0xcc)), REACH_TARGET);
	/* Behind a conditional jump it is just the next instruction. */
	assert_int_equal(judge(BYTES(0x75, 0x10, 0x31, 0xc0, 0xc3)), REACH_OK);
	assert_int_equal(judge(BYTES(0x75, 0x10, 0x06, 0x06, 0x06)), REACH_UNDECODABLE);
	assert_int_equal(region.at, 2);
}

static void the_longest_region(void **state)
{
	static const u8 bytes[] = {
		0x90, 0x90, 0x90, 0x90, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		0x66, 0x2e, 0x0f, 0x1f, 0x44, 0x00, 0x00,
	};

	(void)state;
	assert_int_equal(judge(bytes, sizeof(bytes)), REACH_OK);
	assert_int_equal(region.nr, REACH_MAX_INSNS);
	assert_int_equal(region.length, REACH_MAX_LENGTH);
	assert_int_equal(judge(bytes, sizeof(bytes) - 1), REACH_END);
}

static void not_an_instruction(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x06, 0x90, 0x90, 0x90, 0x90)), REACH_UNDECODABLE);
	assert_int_equal(region.at, 0);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0x06)), REACH_UNDECODABLE);
	assert_int_equal(region.at, 4);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0x90, 0x06)), REACH_OK);
}

static void no_bytes_at_all(void **state)
{
	(void)state;
	assert_int_equal(judge((const u8 *)"", 0), REACH_END);
}

/* ---- targets ---- */

static void target_on_each_byte(void **state)
{
	int at;

	(void)state;
	facts.nr_targets = 1;
	for (at = -1; at < 8; at++) {
		facts.targets[0] = at;
		if (at >= 1 && at <= 4) {
			assert_int_equal(judge(BYTES(0x31, 0xc0, 0x48, 0x81, 0xec, 0, 1, 0, 0)),
					 REACH_TARGET);
			assert_int_equal(region.at, at);
		} else {
			assert_int_equal(judge(BYTES(0x31, 0xc0, 0x48, 0x81, 0xec, 0, 1, 0, 0)),
					 REACH_OK);
		}
	}
}

static void target_in_the_padding(void **state)
{
	(void)state;
	facts.nr_targets = 1;
	facts.targets[0] = 4;
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0x90, 0xc3)), REACH_TARGET);
	assert_int_equal(region.at, 4);
	facts.targets[0] = 5;
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0x90)), REACH_OK);
}

static void branch_into_its_own_region(void **state)
{
	(void)state;
	/* jne to the third byte, from the first and from the last */
	assert_int_equal(judge(BYTES(0x75, 0x01, 0x90, 0x90, 0x90)), REACH_TARGET);
	assert_int_equal(region.at, 0);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x75, 0xfd)), REACH_TARGET);
	assert_int_equal(region.at, 3);
	/* with 32 bits, unconditionally, jrcxz, loop, a call to the instruction before */
	assert_int_equal(judge(BYTES(0x90, 0x0f, 0x84, 0xfa, 0xff, 0xff, 0xff)), REACH_TARGET);
	assert_int_equal(judge(BYTES(0x90, 0xeb, 0x00, 0x90, 0x90)), REACH_TARGET);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0xe3, 0xfd)), REACH_TARGET);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0xe2, 0xfe)), REACH_TARGET);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0xe8, 0xfa, 0xff, 0xff, 0xff)), REACH_TARGET);
	/* into the dead bytes */
	assert_int_equal(judge(BYTES(0x74, 0x02, 0xeb, 0x10, 0x90, 0x90)), REACH_TARGET);
}

static void branch_just_outside_its_region(void **state)
{
	(void)state;
	/* to the first byte */
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x75, 0xfb)), REACH_OK);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0xe3, 0xfb)), REACH_OK);
	assert_int_equal(judge(BYTES(0xeb, 0xfe, 0x90, 0x90, 0x90)), REACH_OK);
	/* to the byte before, and the sixth */
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x75, 0xfa)), REACH_OK);
	assert_int_equal(judge(BYTES(0x75, 0x03, 0x90, 0x90, 0x90)), REACH_OK);
}

static void endbr_stays(void **state)
{
	(void)state;
	/* An indirect branch that arrives at a jump instead is a fault. */
	assert_int_equal(judge(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x90)), REACH_LANDING);
	assert_int_equal(judge(BYTES(0xf3, 0x0f, 0x1e, 0xfb, 0x90)), REACH_LANDING);
	assert_int_equal(judge(BYTES(0x90, 0xf3, 0x0f, 0x1e, 0xfa)), REACH_TARGET);
	assert_int_equal(region.at, 1);
	/* It names itself in what else would be padding, too; endbr32 as well. */
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xf3, 0x0f, 0x1e, 0xfa)),
			 REACH_TARGET);
	assert_int_equal(region.at, 4);
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xf3, 0x0f, 0x1e, 0xfb)), REACH_TARGET);
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xf3, 0x0f, 0x1e, 0xfa)),
			 REACH_OK);
}

/* ---- calls ---- */

static void call_must_end_at_or_behind_the_jump(void **state)
{
	(void)state;
	/* call *%rax that ends at 3, 4, 5, 6 */
	assert_int_equal(judge(BYTES(0x90, 0xff, 0xd0, 0x90, 0x90)), REACH_CALL);
	assert_int_equal(region.at, 1);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0xff, 0xd0, 0x90)), REACH_CALL);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0xff, 0xd0)), REACH_OK);
	assert_true(region.flows_on);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0xff, 0xd0)), REACH_OK);
	/* call rel32 has five bytes by itself */
	assert_int_equal(judge(BYTES(0xe8, 0, 1, 0, 0)), REACH_OK);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0xe8, 0, 1, 0, 0)), REACH_OK);
	assert_int_equal(region.length, 9);
}

static void calls_through_the_stack_pointer(void **state)
{
	(void)state;
	/* call *%rsp; *8(%rsp); *(%rsp,%rax) */
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0xff, 0xd4)), REACH_NO_COPY);
	assert_int_equal(region.at, 3);
	assert_int_equal(judge(BYTES(0x90, 0xff, 0x54, 0x24, 0x08)), REACH_NO_COPY);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0xff, 0x14, 0x04)), REACH_NO_COPY);
	/* But r12 has the same bits, in both places, and "no index" has those of RSP. */
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x41, 0xff, 0xd4)), REACH_OK);
	assert_int_equal(judge(BYTES(0x41, 0xff, 0x54, 0x24, 0x08)), REACH_OK);
	assert_int_equal(judge(BYTES(0xff, 0x14, 0x25, 0, 0, 0, 0)), REACH_OK);
	/* Jumps push nothing. */
	assert_int_equal(judge(BYTES(0x90, 0xff, 0x64, 0x24, 0x08)), REACH_OK);
	/* notrack is nothing, an operand size is odd. */
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x3e, 0xff, 0xd0)), REACH_OK);
	assert_int_equal(judge(BYTES(0x90, 0x66, 0x48, 0xff, 0xd0)), REACH_NO_COPY);
}

static void return_address_beyond_32_bits(void **state)
{
	const struct reach_facts callbacks = { &facts, is_target, is_owned, has_fixup, NULL };
	const u8 bytes[] = { 0xe8, 0, 1, 0, 0 };

	(void)state;
	assert_int_equal(reach_region(&region, bytes, 5, 0x7ffffffa, &callbacks), REACH_OK);
	assert_int_equal(reach_region(&region, bytes, 5, 0x7ffffffb, &callbacks), REACH_NO_COPY);
	assert_int_equal(reach_region(&region, bytes, 5, -0x80000005ul, &callbacks), REACH_OK);
	assert_int_equal(reach_region(&region, bytes, 5, -0x80000006ul, &callbacks), REACH_NO_COPY);
}

/* ---- what others know ---- */

static void fixup_of_each_instruction(void **state)
{
	int at;

	(void)state;
	facts.nr_fixups = 1;
	for (at = 0; at < 7; at++) {
		facts.fixups[0] = at;
		/* Instructions begin at 0, 2, 4 and, no more part of it, at 6. */
		assert_int_equal(judge(BYTES(0x8b, 0x00, 0x89, 0x02, 0x8b, 0x00, 0x89, 0x02)),
				 at == 0 || at == 2 || at == 4 ? REACH_FIXUP : REACH_OK);
	}
}

static void owned_bytes(void **state)
{
	(void)state;
	facts.owned_from = 6;
	facts.owned_to = 7;
	assert_int_equal(judge(BYTES(0x48, 0x81, 0xec, 0, 1, 0, 0)), REACH_OWNED);
	assert_int_equal(judge(BYTES(0x81, 0xec, 0, 1, 0, 0, 0x90)), REACH_OK);
	assert_true(facts.asked_from == TEXT && facts.asked_to == TEXT + 6);
	/* Padding counts up to the jump's end. */
	facts.owned_from = 4;
	facts.owned_to = 5;
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xcc)), REACH_OWNED);
	assert_true(facts.asked_from == TEXT && facts.asked_to == TEXT + 5);
	facts.owned_from = -4;
	facts.owned_to = 0;
	assert_int_equal(judge(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0xcc)), REACH_OK);
}

static void refused_instructions(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x0f, 0x0b, 0x90)), REACH_REFUSED);	/* ud2 */
	assert_int_equal(region.at, 2);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0xf4)), REACH_REFUSED);	/* hlt */
	assert_int_equal(judge(BYTES(0x90, 0xcc, 0x90, 0x90, 0x90)), REACH_REFUSED);
	/* add $1, %rax; sti; hlt: the jump back would take hlt's place behind sti */
	assert_int_equal(judge(BYTES(0x48, 0x83, 0xc0, 0x01, 0xfb, 0xf4)), REACH_REFUSED);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0xfb)), REACH_REFUSED);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0xfb, 0x90, 0x90, 0x90)), REACH_OK);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x66, 0xc3)), REACH_REFUSED);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0x90, 0x90, 0xf4)), REACH_OK);
}

static void flags_and_interrupts_are_copied(void **state)
{
	(void)state;
	assert_int_equal(judge(BYTES(0x9c, 0x58, 0xfa, 0x50, 0x9d)), REACH_OK);
	assert_int_equal(region.nr, 5);
	assert_int_equal(judge(BYTES(0x90, 0x90, 0x90, 0xfb, 0x90)), REACH_OK);
}

static void every_reason_has_its_text(void **state)
{
	unsigned int reason, other;

	(void)state;
	assert_null(reach_reason_text(REACH_OK));
	assert_null(reach_reason_text(REACH_NR_REASONS));
	for (reason = REACH_OK + 1; reason < REACH_NR_REASONS; reason++) {
		assert_non_null(reach_reason_text(reason));
		for (other = REACH_OK + 1; other < reason; other++)
			assert_string_not_equal(reach_reason_text(reason),
						reach_reason_text(other));
	}
}

/* ---- what copies look like ---- */

#define COPY_AT		(TEXT + 0x200000)

/* The copy of a region that there must be; returns its length. */
static unsigned int copy_to(u8 *dst, const u8 *bytes, size_t avail, u64 to)
{
	assert_int_equal(judge(bytes, avail), REACH_OK);
	return reach_copy(&region, dst, bytes, TEXT, to);
}

static void copies_out_of_reach(void **state)
{
	static const u64 far[] = { TEXT - 0x90000000ul, 0x10000000 };
	u8 dst[REACH_MAX_COPY];
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		/* jump back, jmp, jne, jrcxz, call, RIP-relative operands */
		assert_int_equal(copy_to(dst, BYTES(0xb8, 0, 0, 0, 0), far[i]), 0);
		assert_int_equal(copy_to(dst, BYTES(0xe9, 0, 0, 0, 0), far[i]), 0);
		assert_int_equal(copy_to(dst, BYTES(0x75, 0x10, 0xc3, 0xcc, 0xcc), far[i]), 0);
		assert_int_equal(copy_to(dst, BYTES(0xe3, 0x10, 0xc3, 0xcc, 0xcc), far[i]), 0);
		assert_int_equal(copy_to(dst, BYTES(0xe8, 0, 0, 0, 0), far[i]), 0);
		assert_int_equal(copy_to(dst, BYTES(0x48, 0x8b, 0x05, 0, 0, 0, 0, 0xc3), far[i]), 0);
		assert_int_equal(copy_to(dst, BYTES(0xff, 0x15, 0, 0, 0, 0), far[i]), 0);
		/* What knows no address goes anywhere. */
		assert_int_equal(copy_to(dst, BYTES(0x5b, 0x5d, 0xc3, 0xcc, 0xcc), far[i]), 3);
		/* What it pushes does not depend on where it is. */
		assert_int_equal(copy_to(dst, BYTES(0x90, 0x90, 0x90, 0xff, 0xd0), far[i]), 7);
	}
}

/* nop, push, jne, mov, and the jump back. */
static void where_copies_end(void **state)
{
	static const u8 bytes[] = { 0x90, 0x50, 0x75, 0x10, 0x89, 0xc3 };
	u8 dst[REACH_MAX_COPY], ends[REACH_MAX_INSNS];

	(void)state;
	assert_int_equal(judge(bytes, sizeof(bytes)), REACH_OK);
	assert_int_equal(reach_copy_ends(&region, dst, ends, bytes, TEXT, COPY_AT), 14);
	assert_int_equal(region.nr, 4);
	assert_memory_equal(ends, ((u8[]){ 0, 1, 7, 9 }), 4);
}

static void expect_copy(const u8 *bytes, size_t avail, const u8 *want, size_t len)
{
	u8 dst[REACH_MAX_COPY];

	assert_int_equal(copy_to(dst, bytes, avail, COPY_AT), len);
	assert_memory_equal(dst, want, len);
}

static void copies_byte_by_byte(void **state)
{
	(void)state;
	/* jne +0x10, at 0x12 from here: 0f 85, then back to 5; nops are dropped. */
	expect_copy(BYTES(0x75, 0x10, 0x90, 0x31, 0xc0),
		    BYTES(0x0f, 0x85, 0x0c, 0x00, 0xe0, 0xff, 0x31, 0xc0,
			  0xe9, 0xf8, 0xff, 0xdf, 0xff));
	/* But not one behind sti, which holds off interrupts until it has run. */
	expect_copy(BYTES(0xfb, 0x0f, 0x1f, 0x00, 0x90, 0xc3),
		    BYTES(0xfb, 0x90, 0xe9, 0xfe, 0xff, 0xdf, 0xff));
	/* jrcxz to the first byte; the address size stays. */
	expect_copy(BYTES(0x90, 0x90, 0x67, 0xe3, 0xfb),
		    BYTES(0x67, 0xe3, 0x02, 0xeb, 0x05, 0xe9, 0xf6, 0xff, 0xdf, 0xff,
			  0xe9, 0xf6, 0xff, 0xdf, 0xff));
	/* A call pushes TEXT + 5 and goes to TEXT + 0x105. */
	expect_copy(BYTES(0xe8, 0x00, 0x01, 0x00, 0x00),
		    BYTES(0x68, 0x05, 0x00, 0x00, 0x81, 0xe9, 0xfb, 0x00, 0xe0, 0xff));
	/* call *0x10(%rip) becomes push, jmp *. */
	expect_copy(BYTES(0xff, 0x15, 0x10, 0x00, 0x00, 0x00),
		    BYTES(0x68, 0x06, 0x00, 0x00, 0x81, 0xff, 0x25, 0x0b, 0x00, 0xe0, 0xff));
	/* call *0x20(%r12,%rax,8) */
	expect_copy(BYTES(0x41, 0xff, 0x54, 0xc4, 0x20),
		    BYTES(0x68, 0x05, 0x00, 0x00, 0x81, 0x41, 0xff, 0x64, 0xc4, 0x20));
	/* A return needs no jump behind it. */
	expect_copy(BYTES(0xeb, 0xfe, 0x90, 0x90, 0x90), BYTES(0xe9, 0xfb, 0xff, 0xdf, 0xff));
	expect_copy(BYTES(0x31, 0xc0, 0xc2, 0x08, 0x00), BYTES(0x31, 0xc0, 0xc2, 0x08, 0x00));
}

static void the_longest_copy(void **state)
{
	/* jrcxz, jrcxz, and 15 bytes of jrcxz */
	static const u8 bytes[] = {
		0xe3, 0x40, 0xe3, 0x40, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e,
		0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0xe3, 0x40,
	};
	u8 dst[REACH_MAX_COPY];

	(void)state;
	assert_in_range(copy_to(dst, bytes, sizeof(bytes), COPY_AT), 32, 45);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_long_instruction, no_facts),
		cmocka_unit_test_setup(ends_with_the_function, no_facts),
		cmocka_unit_test_setup(one_byte_too_short, no_facts),
		cmocka_unit_test_setup(padding_int3_behind_a_return, no_facts),
		cmocka_unit_test_setup(padding_nops_behind_a_return, no_facts),
		cmocka_unit_test_setup(padding_behind_jumps, no_facts),
		cmocka_unit_test_setup(no_padding_behind_a_jump, no_facts),
		cmocka_unit_test_setup(the_longest_region, no_facts),
		cmocka_unit_test_setup(not_an_instruction, no_facts),
		cmocka_unit_test_setup(no_bytes_at_all, no_facts),
		cmocka_unit_test_setup(target_on_each_byte, no_facts),
		cmocka_unit_test_setup(target_in_the_padding, no_facts),
		cmocka_unit_test_setup(branch_into_its_own_region, no_facts),
		cmocka_unit_test_setup(branch_just_outside_its_region, no_facts),
		cmocka_unit_test_setup(endbr_stays, no_facts),
		cmocka_unit_test_setup(call_must_end_at_or_behind_the_jump, no_facts),
		cmocka_unit_test_setup(calls_through_the_stack_pointer, no_facts),
		cmocka_unit_test_setup(return_address_beyond_32_bits, no_facts),
		cmocka_unit_test_setup(fixup_of_each_instruction, no_facts),
		cmocka_unit_test_setup(owned_bytes, no_facts),
		cmocka_unit_test_setup(refused_instructions, no_facts),
		cmocka_unit_test_setup(flags_and_interrupts_are_copied, no_facts),
		cmocka_unit_test(every_reason_has_its_text),
		cmocka_unit_test_setup(copies_out_of_reach, no_facts),
		cmocka_unit_test_setup(where_copies_end, no_facts),
		cmocka_unit_test_setup(copies_byte_by_byte, no_facts),
		cmocka_unit_test_setup(the_longest_copy, no_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
