// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verdicts and copies of arch/powerpc/reach.c: a named case for each situation.
 * reach_native_test.c runs the copies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../../arch/powerpc/reach.h"

#define ADDR	0xc000000000100000ull
#define DETOURS	0xc000000001200000ull
#define SIZE	0x10000ull
#define TO	(DETOURS + 0x100)

#define WORD_TRAP	0x7fe00008u

static u64 owned, fixed_up;

static bool is_owned(void *data, u64 start, u64 end)
{
	(void)data;
	return owned >= start && owned < end;
}

static bool has_fixup(void *data, u64 addr)
{
	(void)data;
	return addr == fixed_up;
}

static const struct reach_facts facts = {
	.is_owned = is_owned, .has_fixup = has_fixup,
	.detours = DETOURS, .detours_end = DETOURS + SIZE,
};

static struct reach_region judge_at(u64 addr, u32 first, u32 second, enum reach_reason expected)
{
	const u32 words[2] = { first, second };
	struct reach_region region;

	assert_int_equal(reach_region(&region, (const u8 *)words, sizeof(words), addr, &facts),
			 expected);
	assert_int_equal(region.reason, expected);
	return region;
}

static struct reach_region judge(u32 word, enum reach_reason expected)
{
	return judge_at(ADDR, word, 0x60000000, expected);
}

/* Does a copy consist of these words and no more? */
static void assert_copy(const struct reach_region *region, u64 to, const u32 *words,
			unsigned int nr)
{
	u32 copy[REACH_MAX_COPY / 4 + 1] = { 0 };
	unsigned int i, length = reach_copy(region, (u8 *)copy, ADDR, to);

	assert_int_equal(length, 4 * nr);
	assert_in_range(length, INSN_SIZE, reach_copy_size(region, ADDR));
	for (i = 0; i < nr; i++)
		assert_int_equal(copy[i], words[i]);
	assert_int_equal(copy[nr], 0);
}

/* The branch at TO + 4 * @index to @target. */
static u32 branch(unsigned int index, u64 target)
{
	return 0x48000000 | ((u32)(target - (TO + 4 * index)) & 0x03fffffc);
}

#define WORDS(...)	(const u32[]){ __VA_ARGS__ }, \
			sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32)

/* ---- verdicts ---- */

static void one_word_is_all_it_takes(void **state)
{
	struct reach_region region = judge(0x38630001, REACH_OK);

	(void)state;
	assert_int_equal(region.length, 4);
	assert_int_equal(region.nr, 1);
	assert_true(region.flows_on);
	assert_false(region.links);
}

static void a_prefixed_one_has_two_words_of_which_one_goes(void **state)
{
	struct reach_region region = judge_at(ADDR, 0x06000000, 0x38630001, REACH_OK);

	(void)state;
	assert_int_equal(region.length, 8);
	assert_int_equal(region.nr, 1);
}

static void a_prefixed_one_across_a_line_cannot_be(void **state)
{
	(void)state;
	judge_at(ADDR + 60, 0x06000000, 0x38630001, REACH_UNDECODABLE);
}

static void data_and_ends_are_told(void **state)
{
	const u32 prefix = 0x06000000;
	struct reach_region region;

	(void)state;
	judge(0x00000000, REACH_UNDECODABLE);
	assert_int_equal(reach_region(&region, (const u8 *)&prefix, 4, ADDR, &facts), REACH_END);
}

static void what_cannot_be_probed_cannot_be_copied(void **state)
{
	(void)state;
	judge(WORD_TRAP, REACH_REFUSED);
	judge(0x7c600164, REACH_REFUSED);	/* mtmsrd */
	judge(0x7c601828, REACH_REFUSED);	/* lwarx */
}

static void an_exception_table_entry_keeps_the_trap(void **state)
{
	(void)state;
	fixed_up = ADDR;
	judge(0xe8630000, REACH_FIXUP);
	fixed_up = 0;
	judge(0xe8630000, REACH_OK);
}

static void what_others_own_is_left_alone(void **state)
{
	(void)state;
	owned = ADDR + 4;
	judge(0x38630001, REACH_OK);
	judge_at(ADDR, 0x06000000, 0x38630001, REACH_OWNED);
	owned = 0;
}

static void blrl_has_no_copy(void **state)
{
	(void)state;
	judge(0x4e800021, REACH_NO_COPY);
	judge(0x4d820021, REACH_NO_COPY);
	judge(0x4e800020, REACH_OK);
}

static void detours_must_be_near(void **state)
{
	struct reach_facts none = facts;
	const u32 word = 0x38630001;
	struct reach_region region;

	(void)state;
	judge_at(DETOURS - REACH_JUMP_RANGE, word, 0, REACH_FAR);
	judge_at(DETOURS - REACH_JUMP_RANGE + 4, word, 0, REACH_OK);
	judge_at(DETOURS + SIZE + REACH_JUMP_RANGE, word, 0, REACH_FAR);
	judge_at(DETOURS + SIZE + REACH_JUMP_RANGE - 4, word, 0, REACH_OK);
	judge_at(0xc008000000000000, word, 0, REACH_FAR);	/* a module's */
	none.detours_end = none.detours;
	assert_int_equal(reach_region(&region, (const u8 *)&word, 4, ADDR, &none), REACH_FAR);
}

static void each_reason_has_a_sentence_of_its_own(void **state)
{
	unsigned int a, b;

	(void)state;
	assert_null(reach_reason_text(REACH_OK));
	for (a = REACH_OK + 1; a < REACH_NR_REASONS; a++)
		for (b = REACH_OK + 1; b < a; b++)
			assert_string_not_equal(reach_reason_text(a), reach_reason_text(b));
	assert_null(reach_reason_text(REACH_NR_REASONS));
}

/* ---- copies ---- */

static void a_copy_goes_on_behind_the_region(void **state)
{
	struct reach_region region = judge(0x38630001, REACH_OK);

	(void)state;
	assert_copy(&region, TO, WORDS(0x38630001, branch(1, ADDR + 4)));
}

static void a_nop_needs_none(void **state)
{
	struct reach_region region = judge(0x60000000, REACH_OK);

	(void)state;
	assert_copy(&region, TO, WORDS(branch(0, ADDR + 4)));
}

static void a_branch_goes_where_it_went(void **state)
{
	struct reach_region region = judge(0x48000040, REACH_OK);

	(void)state;
	assert_false(region.flows_on);
	assert_copy(&region, TO, WORDS(branch(0, ADDR + 0x40)));
	region = judge(0x48000102, REACH_OK);	/* ba */
	assert_copy(&region, TO, WORDS(0x48000102));
}

static void a_call_is_a_branch_with_lr_set_before(void **state)
{
	struct reach_region region = judge(0x48000041, REACH_OK);	/* bl */

	(void)state;
	assert_true(region.links);
	assert_copy(&region, TO, WORDS(branch(0, ADDR + 0x40)));
	region = judge(0x4e800421, REACH_OK);				/* bctrl */
	assert_true(region.links);
	assert_false(region.flows_on);
	assert_copy(&region, TO, WORDS(0x4e800420));
	region = judge(0x48000103, REACH_OK);				/* bla */
	assert_true(region.links);
	assert_copy(&region, TO, WORDS(0x48000102));
}

static void a_conditional_branch_goes_over_the_way_on(void **state)
{
	struct reach_region region = judge(0x41820040, REACH_OK);	/* beq */

	(void)state;
	assert_true(region.flows_on);
	assert_copy(&region, TO, WORDS(0x41820008, branch(1, ADDR + 4), branch(2, ADDR + 0x40)));
	region = judge(0x4200fff0, REACH_OK);				/* bdnz */
	assert_copy(&region, TO, WORDS(0x42000008, branch(1, ADDR + 4), branch(2, ADDR - 0x10)));
	region = judge(0x41820103, REACH_OK);				/* beqla */
	assert_true(region.links);
	assert_copy(&region, TO, WORDS(0x41820008, branch(1, ADDR + 4), 0x48000102));
}

/* How code finds out where it is: bcl 20,31,.+4 */
static void a_branch_that_is_always_taken_is_plain(void **state)
{
	struct reach_region region = judge(0x429f0005, REACH_OK);

	(void)state;
	assert_false(region.flows_on);
	assert_true(region.links);
	assert_copy(&region, TO, WORDS(branch(0, ADDR + 4)));
}

static void returns_are_themselves(void **state)
{
	struct reach_region region = judge(0x4e800020, REACH_OK);

	(void)state;
	assert_false(region.flows_on);
	assert_copy(&region, TO, WORDS(0x4e800020));
	region = judge(0x4d820020, REACH_OK);	/* beqlr */
	assert_true(region.flows_on);
	assert_copy(&region, TO, WORDS(0x4d820020, branch(1, ADDR + 4)));
}

static void addresses_become_numbers(void **state)
{
	struct reach_region region = judge(0x4c600004, REACH_OK);	/* lnia r3 */

	(void)state;
	/* lis, ori, sldi, oris, ori */
	assert_copy(&region, TO, WORDS(0x3c60c000, 0x60630000, 0x786307c6, 0x64630010, 0x60630004,
				       branch(5, ADDR + 4)));
	region = judge_at(ADDR, 0x06100000, 0x38001234, REACH_OK);	/* pla r0 */
	assert_copy(&region, TO, WORDS(0x3c00c000, 0x60000000, 0x780007c6, 0x64000010, 0x60001234,
				       branch(5, ADDR + 8)));
}

static void a_prefixed_copy_does_not_cross_a_line(void **state)
{
	struct reach_region region = judge_at(ADDR, 0x06000000, 0x38630001, REACH_OK);

	(void)state;
	assert_copy(&region, TO, WORDS(0x06000000, 0x38630001, branch(2, ADDR + 8)));
	assert_copy(&region, TO + 60,
		    WORDS(0x60000000, 0x06000000, 0x38630001, branch(15 + 3, ADDR + 8)));
}

static void a_relative_load_keeps_its_target(void **state)
{
	struct reach_region region = judge_at(ADDR, 0x04100000, 0xe4600010, REACH_OK);
	u32 copy[REACH_MAX_COPY / 4];
	struct insn insn;

	(void)state;
	assert_int_equal(reach_copy(&region, (u8 *)copy, ADDR, TO + 60), 16);
	assert_int_equal(reach_copy_size(&region, ADDR), 16);
	assert_int_equal(copy[0], 0x60000000);
	assert_int_equal(insn_decode(&insn, copy + 1, 8), INSN_OK);
	assert_int_equal(insn.class, INSN_LOAD_PC);
	assert_true(TO + 64 + (u64)insn.imm == ADDR + 16);
}

static void a_target_out_of_reach_has_no_copy(void **state)
{
	/* Back as far as it goes: from a detour that is 17 MB ahead it is too far. */
	struct reach_region region = judge(0x4a000000, REACH_OK);
	u8 copy[REACH_MAX_COPY];

	(void)state;
	assert_int_equal(reach_copy(&region, copy, ADDR, TO), 0);
	region = judge(0x38630001, REACH_OK);
	assert_int_equal(reach_copy(&region, copy, ADDR, ADDR + 0x10000000), 0);
	assert_false(reach_branch(copy, ADDR, ADDR + 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_word_is_all_it_takes),
		cmocka_unit_test(a_prefixed_one_has_two_words_of_which_one_goes),
		cmocka_unit_test(a_prefixed_one_across_a_line_cannot_be),
		cmocka_unit_test(data_and_ends_are_told),
		cmocka_unit_test(what_cannot_be_probed_cannot_be_copied),
		cmocka_unit_test(an_exception_table_entry_keeps_the_trap),
		cmocka_unit_test(what_others_own_is_left_alone),
		cmocka_unit_test(blrl_has_no_copy),
		cmocka_unit_test(detours_must_be_near),
		cmocka_unit_test(each_reason_has_a_sentence_of_its_own),
		cmocka_unit_test(a_copy_goes_on_behind_the_region),
		cmocka_unit_test(a_nop_needs_none),
		cmocka_unit_test(a_branch_goes_where_it_went),
		cmocka_unit_test(a_call_is_a_branch_with_lr_set_before),
		cmocka_unit_test(a_conditional_branch_goes_over_the_way_on),
		cmocka_unit_test(a_branch_that_is_always_taken_is_plain),
		cmocka_unit_test(returns_are_themselves),
		cmocka_unit_test(addresses_become_numbers),
		cmocka_unit_test(a_prefixed_copy_does_not_cross_a_line),
		cmocka_unit_test(a_relative_load_keeps_its_target),
		cmocka_unit_test(a_target_out_of_reach_has_no_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
