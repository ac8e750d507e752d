// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of arch/powerpc/insn.c: a named case for each situation.
 */
#include "insn_test.h"

/* ---- words ---- */

static void words_are_little_endian(void **state)
{
	const u8 bytes[] = { 0xa6, 0x02, 0x08, 0x7c };	/* mflr r0 */
	struct insn insn;

	(void)state;
	assert_int_equal(insn_decode(&insn, bytes, 4), INSN_OK);
	assert_int_equal(insn.word, 0x7c0802a6);
	assert_int_equal(insn.class, INSN_MFLR);
}

static void zeros_and_opcodes_without_a_meaning_are_data(void **state)
{
	(void)state;
	assert_invalid(0x00000000);
	assert_invalid(0x14000000);	/* opcode 5 */
	assert_invalid(0x24000000);	/* opcode 9 */
	assert_invalid(0x58000000);	/* opcode 22 */
}

static void reserved_bits_make_it_data(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, 0x7c0004ac);	/* sync */
	assert_invalid(0x7c0024ac);
	assert_class(INSN_SLOT, 0x7c630034);	/* cntlzw r3,r3 */
	assert_invalid(0x7c630834);
	assert_class(INSN_SLOT, 0x2c030000);	/* cmpwi r3,0 */
	assert_invalid(0x2c430000);
}

static void what_only_works_on_registers_cannot_fault(void **state)
{
	static const u32 steady[] = {
		0x38600001,	/* li r3,1 */
		0x7c7f1b78,	/* mr r31,r3 */
		0x7c632214,	/* add r3,r3,r4 */
		0x2c030000,	/* cmpwi r3,0 */
		0x78630020,	/* clrldi r3,r3,32 */
		0x5463103a,	/* slwi r3,r3,2 */
		0x7c6323d6,	/* divw r3,r3,r4 */
		0x7d800026,	/* mfcr r12 */
		0x7c0004ac,	/* sync */
		0x7c6000a6,	/* mfmsr r3 */
		0x7c6102a6,	/* mfxer r3 */
		0x4cc63182,	/* crclr 6 */
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(steady) / sizeof(steady[0]); i++) {
		struct insn insn = decode(steady[i]);

		assert_class_of(&insn, INSN_SLOT);
		assert_false(insn_may_fault(&insn));
	}
}

static void what_accesses_memory_may_fault(void **state)
{
	static const u32 faulting[] = {
		0xe8610010,	/* ld r3,16(r1) */
		0xf821ff91,	/* stdu r1,-112(r1) */
		0x7c63202e,	/* lwzx r3,r3,r4 */
		0x80630000,	/* lwz r3,0(r3) */
		0x98630000,	/* stb r3,0(r3) */
		0xb9c10000,	/* lmw r14,0(r1) */
		0x7c001fec,	/* dcbz 0,r3 */
		0xc8230000,	/* lfd f1,0(r3) */
		0x7c0018ce,	/* lvx v0,0,r3 */
		0x7c001e98,	/* lxvd2x vs0,0,r3 */
		0x10000484,	/* vor v0,v0,v0 */
		0x7c7302a6,	/* mfdar r3 */
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(faulting) / sizeof(faulting[0]); i++) {
		struct insn insn = decode(faulting[i]);

		assert_class_of(&insn, INSN_SLOT);
		assert_true(insn_may_fault(&insn));
	}
}

static void ori_0_0_0_is_the_nop(void **state)
{
	(void)state;
	assert_class(INSN_NOP, 0x60000000);
	assert_class(INSN_SLOT, 0x60000001);
	assert_class(INSN_SLOT, 0x60210000);	/* ori r1,r1,0: thread priority */
	assert_class(INSN_SLOT, 0x7c210b78);	/* or r1,r1,r1: so, too */
	assert_class(INSN_SLOT, 0x63ff0000);	/* ori r31,r31,0: a speculation barrier */
	assert_class(INSN_SLOT, 0x68000000);	/* xnop */
}

static void update_forms_need_a_register_to_update(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, 0x84830004);	/* lwzu r4,4(r3) */
	assert_invalid(0x84800004);		/* lwzu r4,4(0) */
	assert_invalid(0x84630004);		/* lwzu r3,4(r3) */
	assert_class(INSN_SLOT, 0x94630004);	/* stwu r3,4(r3) */
	assert_invalid(0x94600004);
	assert_invalid(0xe8630009);		/* ldu r3,8(r3) */
	assert_invalid(0x7c63206e);		/* lwzux r3,r3,r4 */
	assert_class(INSN_SLOT, 0xc4230004);	/* lfsu f1,4(r3): f3 would not be r3 */
	assert_class(INSN_SLOT, 0xc4630004);
}

static void several_registers_do_not_include_the_base(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, 0xb9c10000);	/* lmw r14,0(r1) */
	assert_invalid(0xb9d00000);		/* lmw r14,0(r16) */
	assert_class(INSN_SLOT, 0x7ca324aa);	/* lswi r5,r3,4 */
	assert_invalid(0x7c6324aa);		/* lswi r3,r3,4 */
	assert_invalid(0x7fe02caa);	/* lswi r31,0,5: r31, r0 */
	assert_class(INSN_SLOT, 0xe0830000);	/* lq r4,0(r3) */
	assert_invalid(0xe0840000);		/* lq r4,0(r4) */
	assert_invalid(0xe0a30000);		/* lq r5,0(r3) */
}

/* ---- branches ---- */

static void assert_branch(u32 word, enum insn_class class, u8 flags, s64 imm)
{
	struct insn insn = decode(word);

	assert_class_of(&insn, class);
	assert_int_equal(insn.flags, flags | INSN_STEADY);
	assert_true(insn.imm == imm);
}

static void i_form_in_all_four_ways(void **state)
{
	(void)state;
	assert_branch(0x48000010, INSN_BRANCH, 0, 16);
	assert_branch(0x4bfffff1, INSN_BRANCH, INSN_LINK, -16);
	assert_branch(0x49fffffc, INSN_BRANCH, 0, 0x1fffffc);
	assert_branch(0x4a000000, INSN_BRANCH, 0, -0x2000000);
	assert_branch(0x48000102, INSN_BRANCH, INSN_ABSOLUTE, 0x100);
	assert_branch(0x4bffff03, INSN_BRANCH, INSN_ABSOLUTE | INSN_LINK, -0x100);
}

static void b_form_in_all_four_ways(void **state)
{
	(void)state;
	assert_branch(0x41820010, INSN_BRANCH_COND, 0, 16);
	assert_branch(0x4182fff1, INSN_BRANCH_COND, INSN_LINK, -16);
	assert_branch(0x41827ffe, INSN_BRANCH_COND, INSN_ABSOLUTE, 0x7ffc);
	assert_branch(0x41828003, INSN_BRANCH_COND, INSN_ABSOLUTE | INSN_LINK, -0x8000);
}

static void targets_are_relative_or_not(void **state)
{
	struct insn insn = decode(0x4bfffff0);

	(void)state;
	assert_true(insn_branch_target(&insn, 0xc000000000001000) == 0xc000000000000ff0);
	insn = decode(0x4bffff02);
	assert_true(insn_branch_target(&insn, 0xc000000000001000) == 0xffffffffffffff00);
}

static void bo_and_bi_are_told(void **state)
{
	struct insn insn = decode(0x409e0008);	/* bne cr7 */

	(void)state;
	assert_int_equal(insn.rt, INSN_BO_KEEP_CTR);
	assert_int_equal(insn.ra, 30);
	assert_false(insn_is_always(&insn));
	insn = decode(0x4e800020);		/* blr */
	assert_class_of(&insn, INSN_BRANCH_LR);
	assert_true(insn_is_always(&insn));
	assert_int_equal(insn.flags, INSN_STEADY);
	insn = decode(0x4e800421);		/* bctrl */
	assert_class_of(&insn, INSN_BRANCH_CTR);
	assert_int_equal(insn.flags, INSN_STEADY | INSN_LINK);
	insn = decode(0x42000008);		/* bdnz */
	assert_false(insn_is_always(&insn));
}

static void reserved_values_of_bo_are_data(void **state)
{
	static const u8 valid[] = { 0, 2, 4, 6, 7, 8, 10, 12, 14, 15, 16, 18, 20, 24, 25, 26, 27 };
	unsigned int bo, i = 0;

	(void)state;
	for (bo = 0; bo < 32; bo++) {
		if (i < sizeof(valid) && valid[i] == bo) {
			assert_class(INSN_BRANCH_COND, 0x40000008 | bo << 21);
			assert_class(INSN_BRANCH_LR, 0x4c000020 | bo << 21);
			i++;
		} else {
			assert_invalid(0x40000008 | bo << 21);
			assert_invalid(0x4c000020 | bo << 21);
		}
	}
}

/* Found in the stock kernel: 278 in a row, against a leak of branch predictors. */
static void bcctr_that_decrements_ctr_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_FLUSH, 0x4c400420);
	assert_refused(INSN_REFUSE_FLUSH, 0x4e000421);
	assert_class(INSN_BRANCH_CTR, 0x4d820420);	/* beqctr */
}

static void each_class_has_a_name_of_its_own(void **state)
{
	unsigned int a, b;

	(void)state;
	for (a = 0; a < INSN_NR_CLASSES; a++)
		for (b = 0; b < a; b++)
			assert_string_not_equal(insn_class_name(a), insn_class_name(b));
	assert_string_equal(insn_class_name(INSN_NR_CLASSES), "?");
}

/* ---- moves and addpcis ---- */

static void moves_of_lr_and_ctr_are_emulated(void **state)
{
	struct insn insn = decode(0x7fe802a6);	/* mflr r31 */

	(void)state;
	assert_class_of(&insn, INSN_MFLR);
	assert_int_equal(insn.rt, 31);
	assert_class(INSN_MTLR, 0x7c0803a6);
	assert_class(INSN_MFCTR, 0x7c6902a6);
	assert_class(INSN_MTCTR, 0x7d8903a6);
	assert_class(INSN_SLOT, 0x7c7f32a6);	/* another one */
}

static void addpcis_has_its_number_in_three_pieces(void **state)
{
	(void)state;
	assert_true(decode(0x4c600004).imm == 0);
	assert_true(decode(0x4c7fffc5).imm == -0x10000);
	assert_true(decode(0x4c7dffc5).imm == -5 * 0x10000);
	assert_true(decode(0x4c600005).imm == 0x10000);		/* the lowest bit */
	assert_true(decode(0x4c610004).imm == 0x20000);		/* five more */
	assert_true(decode(0x4c600044).imm == 0x400000);	/* the rest */
	assert_int_equal(decode(0x4c600004).rt, 3);
	assert_int_equal(decode(0x4c600004).class, INSN_ADDPCIS);
}

/* ---- prefixed instructions ---- */

static void a_prefix_alone_is_cut_off(void **state)
{
	u32 prefix = 0x06000000;
	struct insn insn;

	(void)state;
	assert_true(insn_is_prefix(prefix));
	assert_true(insn_is_prefix(0x07ffffff));
	assert_false(insn_is_prefix(0x08000000));
	assert_false(insn_is_prefix(0x03ffffff));
	assert_int_equal(insn_decode(&insn, &prefix, 4), INSN_TRUNCATED);
	assert_int_equal(insn_decode(&insn, &prefix, 7), INSN_TRUNCATED);
}

static void displacements_of_34_bits(void **state)
{
	struct insn insn = decode2(0x0603ffff, 0x3864fc18);	/* paddi r3,r4,-1000 */

	(void)state;
	assert_class_of(&insn, INSN_SLOT);
	assert_false(insn_may_fault(&insn));
	assert_true(insn.imm == -1000);
	insn = decode2(0x0601ffff, 0x3864ffff);
	assert_true(insn.imm == 0x1ffffffffll);
	insn = decode2(0x06020000, 0x38640000);
	assert_true(insn.imm == -0x200000000ll);
}

static void relative_to_its_address(void **state)
{
	(void)state;
	assert_class2(INSN_PADDI_PC, 0x06100000, 0x38600000);	/* pla r3 */
	assert_class2(INSN_LOAD_PC, 0x06100000, 0x80600000);	/* plwz */
	assert_class2(INSN_LOAD_PC, 0x06100000, 0x88600000);	/* plbz */
	assert_class2(INSN_LOAD_PC, 0x06100000, 0xa0600000);	/* plhz */
	assert_class2(INSN_LOAD_PC, 0x06100000, 0xa8600000);	/* plha */
	assert_class2(INSN_LOAD_PC, 0x04100000, 0xa4600000);	/* plwa */
	assert_class2(INSN_LOAD_PC, 0x04100000, 0xe4600000);	/* pld */
	assert_class2(INSN_STORE_PC, 0x06100000, 0x90600000);	/* pstw */
	assert_class2(INSN_STORE_PC, 0x06100000, 0x98600000);	/* pstb */
	assert_class2(INSN_STORE_PC, 0x06100000, 0xb0600000);	/* psth */
	assert_class2(INSN_STORE_PC, 0x04100000, 0xf4600000);	/* pstd */
	assert_class2(INSN_SLOT, 0x04000000, 0xe4630000);	/* pld r3,0(r3) */
	assert_true(decode2(0x04100000, 0xe4600000).flags & INSN_PC_RELATIVE);
	assert_false(decode2(0x04000000, 0xe4600000).flags & INSN_PC_RELATIVE);
}

static void relative_and_a_base_is_no_form(void **state)
{
	(void)state;
	assert_invalid2(0x04100000, 0xe4630000);
	assert_invalid2(0x06100000, 0x38630000);
}

static void vectors_relative_to_their_address_are_refused(void **state)
{
	(void)state;
	assert_refused2(INSN_REFUSE_PC_VECTOR, 0x06100000, 0xc8200000);	/* plfd */
	assert_refused2(INSN_REFUSE_PC_VECTOR, 0x04100000, 0xcc400000);	/* plxv */
	assert_refused2(INSN_REFUSE_PC_VECTOR, 0x04100000, 0xe0800000);	/* plq */
	assert_class2(INSN_SLOT, 0x06000000, 0xc8230000);
	assert_class2(INSN_SLOT, 0x04000000, 0xcc430000);
	assert_class2(INSN_SLOT, 0x05000000, 0x80060000);	/* xxspltiw */
}

static void pnop_is_two_words_of_nothing(void **state)
{
	(void)state;
	assert_class2(INSN_NOP, 0x07000000, 0x00000000);
	assert_invalid2(0x07000000, 0x48000000);
}

static void a_prefix_of_no_kind_is_data(void **state)
{
	(void)state;
	assert_invalid2(0x06000000, 0x7c0802a6);
	assert_invalid2(0x06200000, 0x38600000);
	assert_invalid2(0x05000000, 0x38600000);
}

static void a_line_of_64_bytes_is_not_crossed(void **state)
{
	struct insn prefixed = decode2(0x06000000, 0x38600000), plain = decode(0x60000000);

	(void)state;
	assert_true(insn_crosses_line(&prefixed, 0xc00000000000103c));
	assert_false(insn_crosses_line(&prefixed, 0xc000000000001038));
	assert_false(insn_crosses_line(&prefixed, 0xc000000000001040));
	assert_false(insn_crosses_line(&plain, 0xc00000000000103c));
}

/* ---- the tables ---- */

static u32 some_bits(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 32;
}

/* Words of a row: each is an instruction of that name, or breaks what the row asks of operands. */
static unsigned int valid_words(const struct insn_row *row, u64 *state)
{
	unsigned int i, valid = 0;

	for (i = 0; i < 200; i++) {
		u32 word = row->match | (some_bits(state) & row->fields);
		struct insn insn;

		if (insn_decode(&insn, &word, 4) != INSN_OK) {
			assert_int_not_equal(row->check, INSN_CHECK_NONE);
			continue;
		}
		assert_string_equal(insn_name(&insn), row->name);
		assert_int_equal(insn.class == INSN_REFUSED, insn_refusal(&insn) != NULL);
		valid++;
	}
	return valid;
}

static void no_row_hides_another(void **state)
{
	const struct insn_row *row;
	unsigned int op, rows = 0;
	u64 bits = 1;

	(void)state;
	for (op = 0; op < 64; op++) {
		for (row = insn_rows[op]; row && row->match; row++) {
			assert_int_equal(row->match >> 26, op);
			assert_int_equal(row->match & row->fields, 0);
			assert_int_not_equal(valid_words(row, &bits), 0);
			rows++;
		}
	}
	assert_in_range(rows, 900, 2000);
}

static void no_prefixed_row_hides_another(void **state)
{
	const struct insn_prefixed_row *row;
	u64 bits = 1;

	(void)state;
	for (row = insn_prefixed_rows; row->prefix; row++) {
		unsigned int i, valid = 0;

		assert_int_equal(row->prefix & row->prefix_fields, 0);
		assert_int_equal(row->suffix.match & row->suffix.fields, 0);
		for (i = 0; i < 200; i++) {
			u32 words[2] = {
				row->prefix | (some_bits(&bits) & row->prefix_fields & ~F_R),
				row->suffix.match | (some_bits(&bits) & row->suffix.fields),
			};
			struct insn insn;

			if (insn_decode(&insn, words, 8) != INSN_OK)
				continue;
			assert_string_equal(insn_name(&insn), row->suffix.name);
			valid++;
		}
		assert_int_not_equal(valid, 0);
	}
}

/* ---- tables ---- */

static void the_distances_of_a_switch_are_its_table(void **state)
{
	static const u32 text[] = {
		0x7c0903a6,	/* mtctr r0 */
		0x4e800420,	/* bctr */
		0x00000700, 0xffffff38, 0xfe000000, 0x01fffffc, 0xffffeb48,
		0x02000000,	/* too far to be one */
		0xfffff038,
		0xfc3f7828,	/* fsub f1,f31,f15 */
	};
	const unsigned int branch = 1, far = 7, alone = 8, behind = 9;
	const u8 *bytes = (const u8 *)text;
	unsigned int i;

	(void)state;
	assert_int_equal(decode(text[3]).class, INSN_SLOT);
	for (i = branch + 1; i < far; i++)
		assert_int_equal(insn_table_begin(bytes, 4 * i), 4 * (branch + 1));
	assert_int_equal(insn_table_begin(bytes, 4 * alone), 4 * alone);
	assert_int_equal(insn_table_begin(bytes, 4 * branch), 0);
	assert_int_equal(insn_table_begin(bytes, 4 * far), 0);
	assert_int_equal(insn_table_begin(bytes, 4 * behind), 0);
	assert_int_equal(insn_table_begin(bytes + 4 * alone, 0), 0);
	for (i = 0; i < sizeof(text) / sizeof(*text); i++)
		assert_int_equal(insn_jumps_by_table(bytes + 4 * i), i == branch);
}

/* ---- relocation ---- */

#define FROM	0xc000000000100000ull

static u32 relocate(u32 word, u64 to, enum insn_status expected)
{
	struct insn insn = decode(word);
	u32 copy = 0xdeadbeef;

	assert_int_equal(insn_relocate(&insn, &copy, &word, FROM, to), expected);
	return copy;
}

static void branches_keep_their_target(void **state)
{
	(void)state;
	assert_int_equal(relocate(0x48000010, FROM - 0x100, INSN_OK), 0x48000110);
	assert_int_equal(relocate(0x48000011, FROM + 0x20, INSN_OK), 0x4bfffff1);
	assert_int_equal(relocate(0x41820010, FROM - 0x100, INSN_OK), 0x41820110);
	assert_int_equal(relocate(0x48000102, FROM - 0x100, INSN_OK), 0x48000102);
	assert_int_equal(relocate(0x41820102, FROM + 0x4000000, INSN_OK), 0x41820102);
}

static void branches_out_of_reach_are_not_written(void **state)
{
	(void)state;
	assert_int_equal(relocate(0x48000000, FROM - 0x1fffffc, INSN_OK), 0x49fffffc);
	assert_int_equal(relocate(0x48000000, FROM - 0x2000000, INSN_OUT_OF_RANGE), 0xdeadbeef);
	assert_int_equal(relocate(0x48000000, FROM + 0x2000000, INSN_OK), 0x4a000000);
	assert_int_equal(relocate(0x48000000, FROM + 0x2000004, INSN_OUT_OF_RANGE), 0xdeadbeef);
	assert_int_equal(relocate(0x41820000, FROM - 0x7ffc, INSN_OK), 0x41827ffc);
	assert_int_equal(relocate(0x41820000, FROM - 0x8000, INSN_OUT_OF_RANGE), 0xdeadbeef);
}

static void others_are_copied_as_they_are(void **state)
{
	(void)state;
	assert_int_equal(relocate(0xe8610010, 0, INSN_OK), 0xe8610010);
	assert_int_equal(relocate(0x4e800020, 0, INSN_OK), 0x4e800020);
	assert_int_equal(relocate(0x4c600004, 0, INSN_INVALID), 0xdeadbeef);	/* addpcis */
}

static void prefixed_ones_keep_their_target(void **state)
{
	const u32 words[2] = { 0x06100000, 0x38600010 };	/* pla r3,.+16 */
	struct insn insn = decode2(words[0], words[1]), copied;
	u32 copy[2] = { 0 };

	(void)state;
	assert_int_equal(insn_relocate(&insn, copy, words, FROM, FROM + 0x12345678), INSN_OK);
	copied = decode2(copy[0], copy[1]);
	assert_true(copied.imm == 0x10 - 0x12345678);
	assert_int_equal(copied.class, INSN_PADDI_PC);
	assert_int_equal(copied.rt, 3);
	assert_int_equal(insn_relocate(&insn, copy, words, FROM, FROM + 0x200000040),
			 INSN_OUT_OF_RANGE);
	assert_int_equal(insn_relocate(&insn, copy, words, FROM, FROM + 0x3c), INSN_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_little_endian),
		cmocka_unit_test(zeros_and_opcodes_without_a_meaning_are_data),
		cmocka_unit_test(reserved_bits_make_it_data),
		cmocka_unit_test(what_only_works_on_registers_cannot_fault),
		cmocka_unit_test(what_accesses_memory_may_fault),
		cmocka_unit_test(ori_0_0_0_is_the_nop),
		cmocka_unit_test(update_forms_need_a_register_to_update),
		cmocka_unit_test(several_registers_do_not_include_the_base),
		cmocka_unit_test(i_form_in_all_four_ways),
		cmocka_unit_test(b_form_in_all_four_ways),
		cmocka_unit_test(targets_are_relative_or_not),
		cmocka_unit_test(bo_and_bi_are_told),
		cmocka_unit_test(reserved_values_of_bo_are_data),
		cmocka_unit_test(bcctr_that_decrements_ctr_is_refused),
		cmocka_unit_test(each_class_has_a_name_of_its_own),
		cmocka_unit_test(moves_of_lr_and_ctr_are_emulated),
		cmocka_unit_test(addpcis_has_its_number_in_three_pieces),
		cmocka_unit_test(a_prefix_alone_is_cut_off),
		cmocka_unit_test(displacements_of_34_bits),
		cmocka_unit_test(relative_to_its_address),
		cmocka_unit_test(relative_and_a_base_is_no_form),
		cmocka_unit_test(vectors_relative_to_their_address_are_refused),
		cmocka_unit_test(pnop_is_two_words_of_nothing),
		cmocka_unit_test(a_prefix_of_no_kind_is_data),
		cmocka_unit_test(a_line_of_64_bytes_is_not_crossed),
		cmocka_unit_test(no_row_hides_another),
		cmocka_unit_test(no_prefixed_row_hides_another),
		cmocka_unit_test(the_distances_of_a_switch_are_its_table),
		cmocka_unit_test(branches_keep_their_target),
		cmocka_unit_test(branches_out_of_reach_are_not_written),
		cmocka_unit_test(others_are_copied_as_they_are),
		cmocka_unit_test(prefixed_ones_keep_their_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
