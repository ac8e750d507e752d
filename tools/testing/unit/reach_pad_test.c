// SPDX-License-Identifier: GPL-2.0-only
/*
 * arch/x86/reach_pad.c: which padding never runs, how it is divided, and what is in it; and
 * regions of a short jump, which leads there.
 */
#include "reach_test.h"

#define MAX_PADS	16
#define NONE		(-1)

/* Offsets from TEXT. */
static int target, owned;
static bool targets_all;
static struct reach_pad pads[MAX_PADS];
static unsigned int nr_pads, stop_after;

static bool is_target(void *data, u64 addr)
{
	(void)data;
	return targets_all || (target != NONE && addr == TEXT + target);
}

static bool is_owned(void *data, u64 start, u64 end)
{
	(void)data;
	return owned != NONE && start <= TEXT + owned && end > TEXT + owned;
}

static bool has_fixup(void *data, u64 addr)
{
	(void)data;
	(void)addr;
	return false;
}

static const struct reach_facts facts = { NULL, is_target, is_owned, has_fixup, NULL };

static bool take(void *data, const struct reach_pad *pad)
{
	(void)data;
	assert_in_range(nr_pads, 0, MAX_PADS - 1);
	assert_in_range(pad->length, REACH_RELAY_SIZE, REACH_PAD_MAX);
	pads[nr_pads++] = *pad;
	return nr_pads < stop_after;
}

static unsigned int find_between(const u8 *bytes, size_t size, u64 from, u64 to)
{
	/* A copy of exactly that size: the sanitizer detects reads behind it. */
	u8 *exact = malloc(size);

	assert_non_null(exact);
	memcpy(exact, bytes, size);
	nr_pads = 0;
	reach_pads(&facts, exact, size, TEXT, from, to, take, NULL);
	free(exact);
	return nr_pads;
}

static unsigned int find(const u8 *bytes, size_t size)
{
	return find_between(bytes, size, TEXT - 1000, TEXT + 1000);
}

static int no_facts(void **state)
{
	(void)state;
	target = NONE;
	owned = NONE;
	targets_all = false;
	stop_after = MAX_PADS;
	return 0;
}

#define NOP5	0x0f, 0x1f, 0x44, 0x00, 0x00
#define NOP9	0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
#define TRAPS5	0xcc, 0xcc, 0xcc, 0xcc, 0xcc

static void expect_pad(unsigned int i, unsigned int at, unsigned int length)
{
	assert_in_range(i + 1, 1, nr_pads);
	assert_int_equal(pads[i].addr, TEXT + at);
	assert_int_equal(pads[i].length, length);
}

/* ---- what is padding ---- */

static void behind_what_ends_the_flow(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP5)), 1);
	expect_pad(0, 2, 5);
	assert_int_equal(find(BYTES(0xe9, 0, 1, 0, 0, TRAPS5)), 1);
	expect_pad(0, 5, 5);
	assert_int_equal(find(BYTES(0xc3, NOP9)), 1);
	expect_pad(0, 1, 9);
	assert_int_equal(find(BYTES(0x5d, 0xff, 0xe0, NOP5)), 1);
	expect_pad(0, 3, 5);
}

static void execution_passes_other_padding(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0x90, NOP9, NOP9)), 0);
	assert_int_equal(find(BYTES(0x75, 0x10, NOP9)), 0);
	assert_int_equal(find(BYTES(0xe8, 0, 1, 0, 0, NOP9)), 0);
	/* Behind ud2 a warning goes on. */
	assert_int_equal(find(BYTES(0x0f, 0x0b, NOP9)), 0);
	/* A function's beginning is where callers come. */
	assert_int_equal(find(BYTES(NOP9, 0xc3)), 0);
	assert_int_equal(find(BYTES(TRAPS5, 0xc3)), 0);
}

static void too_short(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0xeb, 0x10, 0xcc, 0xcc, 0xcc, 0xcc)), 0);
	assert_int_equal(find(BYTES(0xeb, 0x10, 0xcc, 0x0f, 0x1f, 0x00)), 0);
	assert_int_equal(find(BYTES(0xeb, 0x10, 0xcc, 0xcc, 0x0f, 0x1f, 0x00)), 1);
}

/* Processors may go on behind these speculatively. */
static void first_int3_behind_a_return_stays(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0xc3, TRAPS5)), 0);
	assert_int_equal(find(BYTES(0xc3, TRAPS5, 0xcc)), 1);
	expect_pad(0, 2, 5);
	assert_int_equal(find(BYTES(0xff, 0xe0, TRAPS5, 0xcc)), 1);
	expect_pad(0, 3, 5);
}

static void not_padding(void **state)
{
	(void)state;
	/* zeros, pause, endbr64 */
	assert_int_equal(find(BYTES(0xeb, 0x10, 0, 0, 0, 0, 0, 0)), 0);
	target = 7;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP5, 0xf3, 0x90, NOP5)), 1);
	expect_pad(0, 2, 5);
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP5, 0xf3, 0x0f, 0x1e, 0xfa, NOP5)), 1);
	/* a hash before a function */
	target = NONE;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP5, 0xb8, 1, 2, 3, 4)), 0);
}

static void code_behind_it_must_be_explained(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP9, 0x31, 0xc0, 0xc3)), 0);
	target = 11;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP9, 0x31, 0xc0, 0xc3)), 1);
	expect_pad(0, 2, 9);
}

static void target_on_each_byte(void **state)
{
	(void)state;
	/* What is behind a target runs, be it padding. */
	for (target = 2; target <= 14; target++)
		assert_int_equal(find(BYTES(0xeb, 0x10, NOP5, NOP5, 0x90, 0xc3)),
				 target == 7 || target == 12 || target == 13);
	for (target = 3; target <= 10; target++)
		assert_int_equal(find(BYTES(0xeb, 0x10, NOP9)), 0);
	targets_all = true;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP9)), 0);
}

static void owned_bytes(void **state)
{
	(void)state;
	/* A jump that may become a nop; and padding that is patched. */
	for (owned = 0; owned < 12; owned++)
		assert_int_equal(find(BYTES(0x90, 0xeb, 0x10, NOP9)), owned == 0);
	/* Of two, the other. */
	owned = 5;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP9, NOP9)), 1);
	expect_pad(0, 11, 9);
}

static void what_cannot_be_decoded_ends_it(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0x06, 0xeb, 0x10, NOP9)), 0);
	target = 11;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP9, 0x06, 0xeb, 0x10, NOP9)), 1);
	/* A nop that is cut off. */
	target = NONE;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP5, 0x0f, 0x1f)), 0);
	assert_int_equal(find((const u8 *)"", 0), 0);
}

/* ---- how it is divided ---- */

static void divided_between_instructions(void **state)
{
	(void)state;
	assert_int_equal(find(BYTES(0xeb, 0x10, NOP9, NOP5, NOP9, 0x90)), 2);
	expect_pad(0, 2, 14);
	assert_int_equal(reach_pad_cells(&pads[0]), 2);
	assert_int_equal(reach_pad_cell(&pads[0], 1), TEXT + 7);
	expect_pad(1, 16, 10);
	assert_memory_equal(pads[1].bytes, ((u8[]){ NOP9, 0x90 }), 10);
	assert_int_equal(find(BYTES(0xeb, 0x10, TRAPS5, TRAPS5, TRAPS5, TRAPS5)), 1);
	expect_pad(0, 2, 16);
	assert_int_equal(reach_pad_cells(&pads[0]), 3);
}

static void only_those_in_reach(void **state)
{
	static const u8 bytes[] = { 0xeb, 0x10, NOP9, NOP9, NOP9 };

	(void)state;
	assert_int_equal(find_between(bytes, sizeof(bytes), TEXT, TEXT + 2), 0);
	assert_int_equal(find_between(bytes, sizeof(bytes), TEXT, TEXT + 3), 1);
	assert_int_equal(find_between(bytes, sizeof(bytes), TEXT + 11, TEXT + 20), 1);
	expect_pad(0, 11, 9);
	assert_int_equal(find_between(bytes, sizeof(bytes), TEXT + 10, TEXT + 21), 3);
	stop_after = 2;
	assert_int_equal(find(bytes, sizeof(bytes)), 2);
}

static bool stray(void *data, const u8 *bytes, size_t avail, u64 addr)
{
	(void)data;
	(void)addr;
	return avail && bytes[0] == 0xcc;
}

/* A breakpoint over the first byte of 89 c3, mov %eax, %ebx: what seems to return does not. */
static void nothing_behind_a_stray_trap(void **state)
{
	static const u8 bytes[] = { 0x90, 0xcc, 0xc3, NOP9 };
	const struct reach_facts asking = { NULL, is_target, is_owned, has_fixup, stray };

	(void)state;
	assert_int_equal(find(bytes, sizeof(bytes)), 1);
	nr_pads = 0;
	reach_pads(&asking, bytes, sizeof(bytes), TEXT, TEXT, TEXT + sizeof(bytes), take, NULL);
	assert_int_equal(nr_pads, 0);
}

/* From its hash on one would get to what seems to be a ret with a nop, in movabs $imm,%rax. */
static void behind_a_check_that_is_off(void **state)
{
	static const u8 bytes[] = { 0xeb, 0x0c, 0xa3, 0x36, 0xa8, 0x54, 0x45, 0x03, 0x53, 0xf1, 0x74, 0x02,
				    0x0f, 0x0b, 0x48, 0xb8, 0xc3, NOP9 };

	(void)state;
	assert_int_equal(find(bytes, sizeof(bytes)), 0);
}

/* What is before an instruction that is no padding does not matter. */
static void from_an_instruction_on(void **state)
{
	static const u8 bytes[] = { 0x31, 0xc0, 0xc3, NOP9, 0x31, 0xc0, 0x75, 0xf0, 0xc3, NOP9 };

	(void)state;
	target = 12;
	assert_int_equal(find(bytes, sizeof(bytes)), 2);
	expect_pad(0, 3, 9);
	expect_pad(1, 17, 9);
	assert_false(reach_may_be_pad(bytes + 12, sizeof(bytes) - 12));
	nr_pads = 0;
	reach_pads(&facts, bytes + 12, sizeof(bytes) - 12, TEXT + 12, TEXT, TEXT + 100, take, NULL);
	assert_int_equal(nr_pads, 1);
	expect_pad(0, 17, 9);
	/* All of it is behind what matters. */
	nr_pads = 0;
	reach_pads(&facts, bytes + 12, sizeof(bytes) - 12, TEXT + 12, TEXT, TEXT + 12, take, NULL);
	reach_pads(&facts, bytes + 12, sizeof(bytes) - 12, TEXT + 12, TEXT, TEXT, take, NULL);
	assert_int_equal(nr_pads, 0);
}

static void what_may_be_a_piece(void **state)
{
	(void)state;
	assert_true(reach_may_be_pad(BYTES(NOP9)));
	assert_true(reach_may_be_pad(BYTES(0xcc, 0xc3)));
	/* An endbr; what is cut off; what is no instruction. */
	assert_true(reach_may_be_pad(BYTES(0xf3, 0x0f, 0x1e, 0xfa)));
	assert_true(reach_may_be_pad(BYTES(0x0f, 0x1f, 0x44)));
	assert_true(reach_may_be_pad(BYTES(0x06, 0x90)));
	assert_false(reach_may_be_pad(BYTES(0xc3)));
	assert_false(reach_may_be_pad(BYTES(0x75, 0x10)));
}

static void reach_of_a_short_jump(void **state)
{
	const u64 from = TEXT + 0x1000;

	(void)state;
	assert_true(reach_short_reaches(from, from + 129));
	assert_false(reach_short_reaches(from, from + 130));
	assert_true(reach_short_reaches(from, from - 126));
	assert_false(reach_short_reaches(from, from - 127));
	assert_true(reach_short_reaches(from, reach_pads_from(from)));
	assert_false(reach_short_reaches(from, reach_pads_to(from)));
	/* Not where one of them would be overwritten. */
	assert_true(reach_short_reaches(from, from + REACH_SHORT_SIZE));
	assert_false(reach_short_reaches(from, from + 1));
	assert_false(reach_short_reaches(from, from));
	assert_false(reach_short_reaches(from, from - REACH_RELAY_SIZE + 1));
	assert_true(reach_short_reaches(from, from - REACH_RELAY_SIZE));
}

/* ---- what is in it ---- */

static void expect_fill(const u8 *bytes, size_t length, unsigned int used, const u8 *want)
{
	struct reach_pad pad = { TEXT, length, { 0 } };
	u8 to[REACH_PAD_MAX + 1];

	memcpy(pad.bytes, bytes, length);
	to[length] = 0x55;
	reach_pad_fill(&pad, used, to);
	assert_memory_equal(to, want, length);
	assert_int_equal(to[length], 0x55);
}

static void fill(void **state)
{
	static const u8 nops[] = { NOP9, NOP5 }, traps[] = { TRAPS5, TRAPS5, 0xcc };

	(void)state;
	expect_fill(nops, sizeof(nops), 0, nops);
	expect_fill(nops, sizeof(nops), 1,
		    (u8[]){ 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, NOP5 });
	/* The second one has a byte of the second nop. */
	expect_fill(nops, sizeof(nops), 2,
		    (u8[]){ 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
			    0x90, 0x90, 0x90, 0x90, 0x90 });
	/* Behind the last one there is no cell. */
	expect_fill(nops, sizeof(nops), 4, nops);
	expect_fill(traps, sizeof(traps), 3, traps);
}

/* ---- regions of a short jump ---- */

static struct reach_region region;

static enum reach_reason judge_short(const u8 *bytes, size_t avail)
{
	return judge_exactly(reach_short_region, &region, bytes, avail, &facts);
}

static void short_region_of_one_instruction(void **state)
{
	(void)state;
	assert_int_equal(judge_short(BYTES(0x31, 0xc0)), REACH_OK);
	assert_int_equal(region.length, 2);
	assert_int_equal(judge_short(BYTES(0x48, 0x89, 0xe5, 0x06)), REACH_OK);
	assert_int_equal(region.length, 3);
	assert_int_equal(region.nr, 1);
	assert_int_equal(judge_short(BYTES(0x5b)), REACH_END);
}

static void short_region_of_two_instructions(void **state)
{
	(void)state;
	assert_int_equal(judge_short(BYTES(0x55, 0x48, 0x89, 0xe5)), REACH_OK);
	assert_int_equal(region.length, 4);
	assert_int_equal(region.nr, 2);
	assert_int_equal(judge_short(BYTES(0xc3, 0xcc)), REACH_OK);
	assert_int_equal(judge_short(BYTES(0xc3, 0x31, 0xc0)), REACH_TARGET);
}

static void short_region_and_targets(void **state)
{
	(void)state;
	for (target = -1; target < 6; target++)
		assert_int_equal(judge_short(BYTES(0x31, 0xc0, 0x31, 0xdb, 0xc3)),
				 target == 1 ? REACH_TARGET : REACH_OK);
	target = NONE;
	/* A branch to what is right behind it, or further. */
	assert_int_equal(judge_short(BYTES(0x75, 0x00)), REACH_OK);
	assert_int_equal(judge_short(BYTES(0x75, 0x01)), REACH_OK);
	assert_int_equal(judge_short(BYTES(0x75, 0xff)), REACH_TARGET);
	assert_int_equal(judge_short(BYTES(0xff, 0xd0)), REACH_OK);	/* call *%rax */
	assert_int_equal(judge_short(BYTES(0xff, 0xd4)), REACH_NO_COPY);
	assert_int_equal(judge_short(BYTES(0x90, 0xfb)), REACH_REFUSED);
	owned = 2;
	assert_int_equal(judge_short(BYTES(0x31, 0xc0, 0x90)), REACH_OK);
	assert_int_equal(judge_short(BYTES(0x48, 0x31, 0xc0)), REACH_OWNED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(behind_what_ends_the_flow, no_facts),
		cmocka_unit_test_setup(execution_passes_other_padding, no_facts),
		cmocka_unit_test_setup(too_short, no_facts),
		cmocka_unit_test_setup(first_int3_behind_a_return_stays, no_facts),
		cmocka_unit_test_setup(not_padding, no_facts),
		cmocka_unit_test_setup(code_behind_it_must_be_explained, no_facts),
		cmocka_unit_test_setup(target_on_each_byte, no_facts),
		cmocka_unit_test_setup(owned_bytes, no_facts),
		cmocka_unit_test_setup(what_cannot_be_decoded_ends_it, no_facts),
		cmocka_unit_test_setup(divided_between_instructions, no_facts),
		cmocka_unit_test_setup(only_those_in_reach, no_facts),
		cmocka_unit_test_setup(from_an_instruction_on, no_facts),
		cmocka_unit_test_setup(what_may_be_a_piece, no_facts),
		cmocka_unit_test_setup(reach_of_a_short_jump, no_facts),
		cmocka_unit_test_setup(nothing_behind_a_stray_trap, no_facts),
		cmocka_unit_test_setup(behind_a_check_that_is_off, no_facts),
		cmocka_unit_test_setup(fill, no_facts),
		cmocka_unit_test_setup(short_region_of_one_instruction, no_facts),
		cmocka_unit_test_setup(short_region_of_two_instructions, no_facts),
		cmocka_unit_test_setup(short_region_and_targets, no_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
