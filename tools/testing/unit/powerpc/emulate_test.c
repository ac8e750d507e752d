// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/powerpc/emulate.c: a named case for each situation.
 * native_test.c compares it with a processor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../../../arch/powerpc/emulate.h"

#define NIP	0xc000000000101000ull
#define DATA	0xc000000000201000ull

/* The one double word of memory there is. */
static u64 memory;
static unsigned int row_runs[64];

static bool is_memory(u64 addr, unsigned int size)
{
	return addr >= DATA && addr + size <= DATA + sizeof(memory);
}

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	if (!is_memory(addr, size))
		return false;
	memcpy(val, (u8 *)&memory + (addr - DATA), size);
	return true;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	if (!is_memory(addr, size))
		return false;
	memcpy((u8 *)&memory + (addr - DATA), val, size);
	return true;
}

static struct emulate_regs some_regs(void)
{
	struct emulate_regs regs = {
		.nip = NIP, .msr = 0x8000000000009033, .ctr = 5, .link = 0xc000000000abcdec,
		.xer = 0x20000000, .ccr = 0x24842482, .softe = 1, .trap = 0x700,
	};
	unsigned int i;

	for (i = 0; i < 32; i++)
		regs.gpr[i] = 0x1111111111111111ull * (i & 15) + i;
	return regs;
}

static enum emulate_result emulate_words(u32 first, u32 second, struct emulate_regs *regs)
{
	u32 words[2] = { first, second };
	enum emulate_result result;
	struct insn insn;

	assert_int_equal(insn_decode(&insn, words, sizeof(words)), INSN_OK);
	result = emulate_insn(&insn, regs);
	if (result == EMULATE_DONE)
		row_runs[emulate_row(&insn)]++;
	return result;
}

static void emulate(u32 word, struct emulate_regs *regs)
{
	assert_int_equal(emulate_words(word, 0, regs), EMULATE_DONE);
}

static void emulate2(u32 prefix, u32 suffix, struct emulate_regs *regs)
{
	assert_int_equal(emulate_words(prefix, suffix, regs), EMULATE_DONE);
}

static void assert_regs(const struct emulate_regs *regs, const struct emulate_regs *expected)
{
	assert_memory_equal(regs, expected, sizeof(*regs));
}

/* Nothing but these three changes. */
static void assert_branched(u32 word, const struct emulate_regs *before, u64 nip, u64 ctr, u64 link)
{
	struct emulate_regs regs = *before, expected = *before;

	emulate(word, &regs);
	expected.nip = nip;
	expected.ctr = ctr;
	expected.link = link;
	assert_regs(&regs, &expected);
}

/* ---- branches ---- */

static void b_goes_there_and_bl_remembers(void **state)
{
	struct emulate_regs regs = some_regs();

	(void)state;
	assert_branched(0x48000100, &regs, NIP + 0x100, regs.ctr, regs.link);
	assert_branched(0x4bffff00, &regs, NIP - 0x100, regs.ctr, regs.link);
	assert_branched(0x48000101, &regs, NIP + 0x100, regs.ctr, NIP + 4);
	assert_branched(0x48000102, &regs, 0x100, regs.ctr, regs.link);
	assert_branched(0x4bffff03, &regs, 0xffffffffffffff00, regs.ctr, NIP + 4);
}

static void bc_looks_at_the_bit_from_the_left(void **state)
{
	struct emulate_regs regs = some_regs();
	unsigned int bi;

	(void)state;
	for (bi = 0; bi < 32; bi++) {
		regs.ccr = 0x80000000u >> bi;
		assert_branched(0x41800040 | bi << 16, &regs, NIP + 0x40, regs.ctr, regs.link);
		assert_branched(0x40800040 | bi << 16, &regs, NIP + 4, regs.ctr, regs.link);
		regs.ccr = ~regs.ccr & 0xffffffff;
		assert_branched(0x41800040 | bi << 16, &regs, NIP + 4, regs.ctr, regs.link);
		assert_branched(0x40800040 | bi << 16, &regs, NIP + 0x40, regs.ctr, regs.link);
	}
}

static void bdnz_and_bdz_count_all_64_bits(void **state)
{
	struct emulate_regs regs = some_regs();

	(void)state;
	regs.ctr = 1;
	assert_branched(0x42000040, &regs, NIP + 4, 0, regs.link);
	assert_branched(0x42400040, &regs, NIP + 0x40, 0, regs.link);
	regs.ctr = 0;
	assert_branched(0x42000040, &regs, NIP + 0x40, ~0ull, regs.link);
	assert_branched(0x42400040, &regs, NIP + 4, ~0ull, regs.link);
	regs.ctr = 0x100000001;
	assert_branched(0x42000040, &regs, NIP + 0x40, 0x100000000, regs.link);
	assert_branched(0x42400040, &regs, NIP + 4, 0x100000000, regs.link);
}

/* The counter and the condition must both hold, and the counter counts in any case. */
static void bc_with_counter_and_condition(void **state)
{
	struct emulate_regs regs = some_regs();

	(void)state;
	regs.ccr = 0x20000000;	/* eq of cr0 */
	assert_branched(0x41020040, &regs, NIP + 0x40, 4, regs.link);	/* bdnzt eq */
	assert_branched(0x40020040, &regs, NIP + 4, 4, regs.link);	/* bdnzf eq */
	assert_branched(0x41420040, &regs, NIP + 4, 4, regs.link);	/* bdzt eq */
	assert_branched(0x40420040, &regs, NIP + 4, 4, regs.link);	/* bdzf eq */
	regs.ctr = 1;
	assert_branched(0x41020040, &regs, NIP + 4, 0, regs.link);
	assert_branched(0x41420040, &regs, NIP + 0x40, 0, regs.link);
	regs.ccr = 0;
	assert_branched(0x40420040, &regs, NIP + 0x40, 0, regs.link);
}

static void hints_change_nothing(void **state)
{
	struct emulate_regs regs = some_regs();
	static const u8 hinted[] = { 12, 14, 15 };
	unsigned int i;

	(void)state;
	regs.ccr = 0x20000000;
	for (i = 0; i < sizeof(hinted); i++)
		assert_branched(0x40020040 | hinted[i] << 21, &regs, NIP + 0x40, 5, regs.link);
	assert_branched(0x42800040, &regs, NIP + 0x40, 5, regs.link);
}

static void lr_is_set_even_if_the_branch_is_not_taken(void **state)
{
	struct emulate_regs regs = some_regs();

	(void)state;
	regs.ccr = 0;
	assert_branched(0x41820041, &regs, NIP + 4, regs.ctr, NIP + 4);	/* beql */
	assert_branched(0x4d820021, &regs, NIP + 4, regs.ctr, NIP + 4);	/* beqlrl */
	assert_branched(0x4d820421, &regs, NIP + 4, regs.ctr, NIP + 4);	/* beqctrl */
}

static void blrl_goes_to_the_old_lr(void **state)
{
	struct emulate_regs regs = some_regs();

	(void)state;
	assert_branched(0x4e800021, &regs, 0xc000000000abcdec, regs.ctr, NIP + 4);
}

static void the_low_bits_of_lr_and_ctr_do_not_count(void **state)
{
	struct emulate_regs regs = some_regs();

	(void)state;
	regs.link |= 3;
	regs.ctr = 0xc000000000123457;
	assert_branched(0x4e800020, &regs, 0xc000000000abcdec, regs.ctr, regs.link);
	assert_branched(0x4e800420, &regs, 0xc000000000123454, regs.ctr, regs.link);
	assert_branched(0x4e800421, &regs, 0xc000000000123454, regs.ctr, NIP + 4);
}

static void every_bclr_and_bcctr(void **state)
{
	static const u8 bo[] = { 0, 2, 4, 8, 10, 12, 16, 18, 20 };
	struct emulate_regs regs = some_regs();
	unsigned int i;

	(void)state;
	regs.ccr = 0x20000000;
	for (i = 0; i < sizeof(bo); i++) {
		bool counts = !(bo[i] & 4);
		bool counter = !counts || !(bo[i] & 2);
		bool condition = bo[i] & 16 || bo[i] & 8;
		bool taken = counter && condition;

		assert_branched(0x40020040 | bo[i] << 21, &regs, taken ? NIP + 0x40 : NIP + 4,
				regs.ctr - counts, regs.link);
		assert_branched(0x4c020020 | bo[i] << 21, &regs, taken ? regs.link : NIP + 4,
				regs.ctr - counts, regs.link);
		if (!counts)
			assert_branched(0x4c020420 | bo[i] << 21, &regs,
					taken ? regs.ctr & ~3ull : NIP + 4, regs.ctr, regs.link);
	}
}

/* ---- registers ---- */

static void nops_are_passed(void **state)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	(void)state;
	emulate(0x60000000, &regs);
	expected.nip += 4;
	assert_regs(&regs, &expected);
	emulate2(0x07000000, 0, &regs);
	expected.nip += 8;
	assert_regs(&regs, &expected);
}

static void moves_of_lr_and_ctr(void **state)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	(void)state;
	emulate(0x7fe802a6, &regs);	/* mflr r31 */
	expected.gpr[31] = expected.link;
	emulate(0x7c0902a6, &regs);	/* mfctr r0 */
	expected.gpr[0] = expected.ctr;
	emulate(0x7d8903a6, &regs);	/* mtctr r12 */
	expected.ctr = expected.gpr[12];
	emulate(0x7c2803a6, &regs);	/* mtlr r1 */
	expected.link = expected.gpr[1];
	expected.nip += 16;
	assert_regs(&regs, &expected);
}

static void addpcis_adds_to_the_next_address(void **state)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	(void)state;
	emulate(0x4c600004, &regs);	/* lnia r3 */
	expected.gpr[3] = NIP + 4;
	expected.nip += 4;
	assert_regs(&regs, &expected);
	emulate(0x4c7dffc5, &regs);
	assert_true(regs.gpr[3] == NIP + 8 - 0x50000);
}

static void paddi_adds_to_its_own_address(void **state)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	(void)state;
	emulate2(0x06100000, 0x38600010, &regs);
	expected.gpr[3] = NIP + 16;
	expected.nip += 8;
	assert_regs(&regs, &expected);
}

/* ---- memory ---- */

static void assert_loads(u32 prefix, u32 suffix, unsigned int offset, u64 val)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	memory = 0x8182838485868788;
	emulate2(prefix | 0x10, suffix | 3 << 21 | offset, &regs);
	expected.gpr[3] = val;
	expected.nip += 8;
	assert_regs(&regs, &expected);
}

static void loads_extend_as_they_should(void **state)
{
	(void)state;
	assert_loads(0x06100000, 0x88000000, 1, 0x87);
	assert_loads(0x06100000, 0xa0000000, 2, 0x8586);
	assert_loads(0x06100000, 0xa8000000, 2, 0xffffffffffff8586);
	assert_loads(0x06100000, 0x80000000, 4, 0x81828384);
	assert_loads(0x04100000, 0xa4000000, 4, 0xffffffff81828384);
	assert_loads(0x04100000, 0xe4000000, 0, 0x8182838485868788);
}

static void assert_stores(u32 prefix, u32 suffix, u64 val)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	memory = 0;
	regs.gpr[3] = 0x8182838485868788;
	expected.gpr[3] = regs.gpr[3];
	emulate2(prefix | 0x10, suffix | 3 << 21, &regs);
	expected.nip += 8;
	assert_regs(&regs, &expected);
	assert_true(memory == val);
}

static void stores_write_their_size(void **state)
{
	(void)state;
	assert_stores(0x06100000, 0x98000000, 0x88);
	assert_stores(0x06100000, 0xb0000000, 0x8788);
	assert_stores(0x06100000, 0x90000000, 0x85868788);
	assert_stores(0x04100000, 0xf4000000, 0x8182838485868788);
}

static void a_fault_changes_nothing(void **state)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	(void)state;
	assert_int_equal(emulate_words(0x04100000, 0xe4600000, &regs), EMULATE_FAULT);
	assert_regs(&regs, &expected);
	assert_int_equal(emulate_words(0x06100000, 0x90600000, &regs), EMULATE_FAULT);
	assert_regs(&regs, &expected);
}

static void others_are_not_emulated(void **state)
{
	struct emulate_regs regs = some_regs(), expected = regs;

	(void)state;
	assert_int_equal(emulate_words(0x38630001, 0, &regs), EMULATE_NONE);	/* addi */
	assert_int_equal(emulate_words(0x7fe00008, 0, &regs), EMULATE_NONE);	/* trap */
	assert_int_equal(emulate_words(0x4c400420, 0, &regs), EMULATE_NONE);	/* bcctr, odd */
	assert_int_equal(emulate_words(0x4e800460, 0, &regs), EMULATE_NONE);	/* btar */
	assert_int_equal(emulate_words(0x04000000, 0xe4630000, &regs), EMULATE_NONE);
	assert_int_equal(emulate_words(0x06100000, 0xc8200000, &regs), EMULATE_NONE);
	assert_regs(&regs, &expected);
}

/* Must be the last one. */
static void every_row_was_run(void **state)
{
	unsigned int i, missing = 0;

	(void)state;
	assert_in_range(emulate_nr_rows(), 1, 64);
	for (i = 0; i < emulate_nr_rows(); i++) {
		assert_non_null(emulate_row_name(i));
		if (!row_runs[i]) {
			fprintf(stderr, "# row never run: %s\n", emulate_row_name(i));
			missing++;
		}
	}
	assert_int_equal(missing, 0);
	assert_string_equal(emulate_row_name(emulate_nr_rows()), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(b_goes_there_and_bl_remembers),
		cmocka_unit_test(bc_looks_at_the_bit_from_the_left),
		cmocka_unit_test(bdnz_and_bdz_count_all_64_bits),
		cmocka_unit_test(bc_with_counter_and_condition),
		cmocka_unit_test(hints_change_nothing),
		cmocka_unit_test(lr_is_set_even_if_the_branch_is_not_taken),
		cmocka_unit_test(blrl_goes_to_the_old_lr),
		cmocka_unit_test(the_low_bits_of_lr_and_ctr_do_not_count),
		cmocka_unit_test(every_bclr_and_bcctr),
		cmocka_unit_test(nops_are_passed),
		cmocka_unit_test(moves_of_lr_and_ctr),
		cmocka_unit_test(addpcis_adds_to_the_next_address),
		cmocka_unit_test(paddi_adds_to_its_own_address),
		cmocka_unit_test(loads_extend_as_they_should),
		cmocka_unit_test(stores_write_their_size),
		cmocka_unit_test(a_fault_changes_nothing),
		cmocka_unit_test(others_are_not_emulated),
		cmocka_unit_test(every_row_was_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
