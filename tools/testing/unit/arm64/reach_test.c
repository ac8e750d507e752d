// SPDX-License-Identifier: GPL-2.0-only
/*
 * arch/arm64/reach.c: every verdict by name, what copies look like, and how
 * far they reach. What they do is native_test.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../../arch/arm64/reach.h"

/* Where the code is said to be, and a copy of it: 96 MB before. */
#define TEXT	0xffff800008100120ull
#define DETOUR	(TEXT - 0x6000000)
#define MB	0x100000ll

#define NOP	0xd503201f
#define PACIASP	0xd503233f

static bool owned, fixed;
static u64 asked_from, asked_to;

static bool is_owned(void *data, u64 start, u64 end)
{
	(void)data;
	asked_from = start;
	asked_to = end;
	return owned;
}

static bool has_fixup(void *data, u64 addr)
{
	(void)data;
	return fixed && addr == TEXT;
}

static bool waiting;

static bool waits(void *data, u64 addr)
{
	(void)data;
	return waiting && addr == TEXT;
}

static struct reach_region region;

static enum reach_reason judge_guarded(u32 word, bool guarded)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	const struct reach_facts facts = { NULL, is_owned, has_fixup, guarded, waits };
	enum reach_reason reason = reach_region(&region, bytes, sizeof(bytes), TEXT, &facts);

	assert_int_equal(region.reason, reason);
	assert_int_equal(region.at, 0);
	assert_true((reason == REACH_OK) == !reach_reason_text(reason));
	return reason;
}

static enum reach_reason judge(u32 word)
{
	return judge_guarded(word, false);
}

static int reset(void **state)
{
	(void)state;
	owned = fixed = false;
	return 0;
}

/* ---- verdicts ---- */

static void one_instruction_is_overwritten(void **state)
{
	(void)state;
	assert_int_equal(judge(0x91000420), REACH_OK);
	assert_int_equal(region.nr, 1);
	assert_int_equal(region.length, 4);
	assert_true(region.flows_on);
	assert_true(asked_from == TEXT && asked_to == TEXT + 4);
}

static void a_function_may_end_too_soon(void **state)
{
	const u8 bytes[3] = { 0x1f, 0x20, 0x03 };
	const struct reach_facts facts = { NULL, is_owned, has_fixup, false, waits };

	(void)state;
	assert_int_equal(reach_region(&region, bytes, 3, TEXT, &facts), REACH_END);
}

static void verdicts_have_reasons(void **state)
{
	(void)state;
	assert_int_equal(judge(0x02000000), REACH_UNDECODABLE);
	assert_int_equal(judge(0xd4210000), REACH_REFUSED);
	assert_int_equal(judge(0x885f7c20), REACH_REFUSED);
	owned = true;
	assert_int_equal(judge(NOP), REACH_OWNED);
	owned = false;
	fixed = true;
	assert_int_equal(judge(0xf8400820), REACH_FIXUP);
	assert_null(reach_reason_text(REACH_NR_REASONS));
}

static void landings_stay_where_text_is_guarded(void **state)
{
	static const u32 landings[] = { 0xd503241f, 0xd503245f, 0xd503249f, 0xd50324df,
					PACIASP, 0xd503237f };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(landings) / sizeof(landings[0]); i++) {
		assert_int_equal(judge_guarded(landings[i], true), REACH_LANDING);
		assert_int_equal(judge_guarded(landings[i], false), REACH_OK);
	}
	assert_int_equal(judge_guarded(NOP, true), REACH_OK);
	assert_int_equal(judge_guarded(0xd50323bf, true), REACH_OK);	/* autiasp */
}

static void some_have_no_copy(void **state)
{
	static const u32 words[] = {
		0xd63f03c0,	/* blr x30 */
		0xd73f0bc0,	/* blraa x30, x0 */
		0xd73f081e,	/* blraa x0, x30 */
		0x5800005f,	/* ldr xzr, . + 8 */
		0x1c000040,	/* ldr s0, . + 8 */
		0x9c000040,	/* ldr q0, . + 8 */
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(judge(words[i]), REACH_NO_COPY);
	assert_int_equal(judge(0xd63f03a0), REACH_OK);	/* blr x29 */
	assert_int_equal(judge(0xd63f0bdf), REACH_NO_COPY); /* blraaz x30 */
	assert_int_equal(judge(0xd71f081e), REACH_OK);	/* braa x0, x30 */
}

/* ---- copies ---- */

/* What a copy is to consist of; the last word is 0. */
static void assert_copy(u32 word, const u32 *want)
{
	u8 bytes[REACH_MAX_COPY];
	unsigned int size, i, nr = 0;

	while (want[nr])
		nr++;
	assert_int_equal(judge(word), REACH_OK);
	memset(bytes, 0xff, sizeof(bytes));
	size = reach_copy(&region, bytes, TEXT, DETOUR);
	assert_int_equal(size, nr * 4);
	for (i = 0; i < nr; i++)
		assert_int_equal(bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16 |
				 (u32)bytes[4 * i + 3] << 24, want[i]);
}

#define COPY(word, ...)	assert_copy(word, (const u32[]){ __VA_ARGS__, 0 })

/* b from the word of the copy to so many bytes behind TEXT. */
#define B(nr, behind)	(0x14000000 | (0x6000000 + (behind) - 4 * (nr)) >> 2)

static void plain_ones_are_as_they_were(void **state)
{
	(void)state;
	COPY(0x91000420, 0x91000420, B(1, 4));
	COPY(0xa9bf7bfd, 0xa9bf7bfd, B(1, 4));
	COPY(PACIASP, PACIASP, B(1, 4));
	COPY(0xd53b4223, 0xd53b4223, B(1, 4));
	COPY(NOP, B(0, 4));
	COPY(0xd8000040, B(0, 4));	/* prfm */
}

/* Behind the load that comes before the copy, early Cortex-A53 can't do these. */
static void a_multiply_accumulate_follows_no_load(void **state)
{
	(void)state;
	COPY(0x9b020c20, NOP, 0x9b020c20, B(2, 4));	/* madd x0, x1, x2, x3 */
	COPY(0x9b028c20, NOP, 0x9b028c20, B(2, 4));	/* msub */
	COPY(0x9ba20c20, NOP, 0x9ba20c20, B(2, 4));	/* umaddl */
	COPY(0x9b027c20, 0x9b027c20, B(1, 4));		/* mul */
	COPY(0x9b427c20, 0x9b427c20, B(1, 4));		/* smulh */
	COPY(0x1b020c20, 0x1b020c20, B(1, 4));		/* madd w0, w1, w2, w3 */
}

/* 0x6000 pages on; TEXT + 8 is 0x128 in its page. */
static void addresses_are_computed(void **state)
{
	(void)state;
	COPY(0x10000043, 0x90030003, 0x9104a063, B(2, 4));	/* adr x3, . + 8 */
	COPY(0x90000003, 0x90030003, B(1, 4));			/* adrp x3, . */
	COPY(0x1000005f, B(0, 4));				/* adr xzr, . + 8 */
	COPY(0x58000043, 0x90030003, 0x9104a063, 0xf9400063, B(3, 4));
	COPY(0x18000043, 0x90030003, 0x9104a063, 0xb9400063, B(3, 4));
	COPY(0x98000043, 0x90030003, 0x9104a063, 0xb9800063, B(3, 4));
}

static void branches_go_where_they_went(void **state)
{
	(void)state;
	COPY(0x14000002, B(0, 8));
	/* cbgt x1, x2, . + 0x20; cblo w1, #40, . + 0x20 */
	COPY(0xf4020101, 0xf4020041, B(1, 4), B(2, 0x20));
	COPY(0x75740101, 0x75740041, B(1, 4), B(2, 0x20));
	COPY(0x54000101, 0x54000041, B(1, 4), B(2, 0x20));	/* b.ne . + 0x20 */
	COPY(0xb5ffffe3, 0xb5000043, B(1, 4), B(2, -4));	/* cbnz x3, . - 4 */
	COPY(0x37080103, 0x37080043, B(1, 4), B(2, 0x20));	/* tbnz w3, #1, . + 0x20 */
	COPY(0xd61f0060, 0xd61f0060);
	COPY(0xd65f0bff, 0xd65f0bff);
}

static void calls_return_to_where_they_were(void **state)
{
	(void)state;
	/* bl . + 0x40: x30 = TEXT + 4 */
	COPY(0x94000010, 0x9003001e, 0x910493de, B(2, 0x40));
	COPY(0xd63f0060, 0x9003001e, 0x910493de, 0xd61f0060);
	COPY(0xd73f0864, 0x9003001e, 0x910493de, 0xd71f0864);
	COPY(0xd63f087f, 0x9003001e, 0x910493de, 0xd61f087f);
}

/* ---- how far ---- */

static bool reaches(u32 word, u64 to)
{
	u8 bytes[REACH_MAX_COPY];

	assert_int_equal(judge(word), REACH_OK);
	return reach_copy(&region, bytes, TEXT, to);
}

static void the_way_back_is_as_long_as_a_branch(void **state)
{
	(void)state;
	assert_true(reaches(NOP, TEXT + 4 + 128 * MB));
	assert_false(reaches(NOP, TEXT + 4 + 128 * MB + 4));
	assert_true(reaches(NOP, TEXT + 4 - 128 * MB + 4));
	assert_false(reaches(NOP, TEXT + 4 - 128 * MB));
	/* the way back is from the second word */
	assert_true(reaches(0x91000420, TEXT - 128 * MB + 4));
	assert_false(reaches(0x91000420, TEXT - 128 * MB));
}

static void a_target_may_be_farther_away_than_the_point(void **state)
{
	(void)state;
	/* b . + 64 MB, b . - 64 MB */
	assert_true(reaches(0x15000000, TEXT - 64 * MB + 4));
	assert_false(reaches(0x15000000, TEXT - 64 * MB));
	assert_true(reaches(0x17000000, TEXT + 64 * MB));
	assert_false(reaches(0x17000000, TEXT + 64 * MB + 4));
	/* adr does not care, it has no branch but the way back */
	assert_true(reaches(0x10000043, TEXT + 100 * MB));
}

static void branches_are_of_whole_words(void **state)
{
	u8 bytes[4] = { 0 };

	(void)state;
	assert_false(reach_branch(bytes, TEXT, TEXT + 2));
	assert_int_equal(bytes[3], 0);
	assert_true(reach_branch(bytes, TEXT, TEXT - 4));
	assert_int_equal(bytes[3], 0x17);
	assert_int_equal(bytes[0], 0xff);
}

static void before_a_wait_it_stays_a_trap(void **state)
{
	(void)state;
	waiting = true;
	assert_int_equal(judge(0x4a020000), REACH_WAIT);	/* eor w0, w0, w2 */
	waiting = false;
	assert_int_equal(judge(0x4a020000), REACH_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_instruction_is_overwritten, reset),
		cmocka_unit_test_setup(a_function_may_end_too_soon, reset),
		cmocka_unit_test_setup(verdicts_have_reasons, reset),
		cmocka_unit_test_setup(landings_stay_where_text_is_guarded, reset),
		cmocka_unit_test_setup(some_have_no_copy, reset),
		cmocka_unit_test_setup(before_a_wait_it_stays_a_trap, reset),
		cmocka_unit_test_setup(plain_ones_are_as_they_were, reset),
		cmocka_unit_test_setup(a_multiply_accumulate_follows_no_load, reset),
		cmocka_unit_test_setup(addresses_are_computed, reset),
		cmocka_unit_test_setup(branches_go_where_they_went, reset),
		cmocka_unit_test_setup(calls_return_to_where_they_were, reset),
		cmocka_unit_test_setup(the_way_back_is_as_long_as_a_branch, reset),
		cmocka_unit_test_setup(a_target_may_be_farther_away_than_the_point, reset),
		cmocka_unit_test_setup(branches_are_of_whole_words, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
