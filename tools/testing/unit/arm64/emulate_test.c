// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/arm64/emulate.c: a named case for each situation that
 * user mode can't run, or where nothing may change. The rest is native_test.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../../arch/arm64/emulate.h"

#define PC		0xffff800008123458ull
#define LITERAL		(PC + 8)
#define STACK		0xffff80000a003ff0ull

/* What the hooks are to answer. */
static bool faults, unsigned_target;
static enum emulate_guard guard;

/* What they were asked. */
static u64 loaded_from, vector_value, modifier_used;
static unsigned int vector_loaded;
static bool key_b_used;

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	const u64 value = 0x11223344fedcba98ull;

	if (faults)
		return false;
	loaded_from = addr;
	memcpy(val, &value, size);
	return true;
}

bool emulate_load_vector(unsigned int reg, u64 addr, unsigned int size)
{
	if (faults)
		return false;
	loaded_from = addr;
	vector_loaded = reg;
	vector_value = size;
	return true;
}

bool emulate_authenticate(u64 *addr, u64 modifier, bool key_b)
{
	if (unsigned_target)
		return false;
	modifier_used = modifier;
	key_b_used = key_b;
	*addr |= 0xff00000000000000ull;
	return true;
}

enum emulate_guard emulate_guard(u64 addr)
{
	assert_true(addr == PC);
	return guard;
}

static struct emulate_regs some_regs(void)
{
	struct emulate_regs regs = { .sp = STACK, .pc = PC,
				     .pstate = EMULATE_PSTATE_C | EMULATE_PSTATE_BTYPE | 0x85 };
	unsigned int i;

	for (i = 0; i < 31; i++)
		regs.regs[i] = 0x00ff800000000000ull + i * 0x1000;
	faults = unsigned_target = false;
	guard = EMULATE_NO_TYPES;
	return regs;
}

static enum emulate_result run(u32 word, struct emulate_regs *regs)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	struct insn insn;

	assert_int_equal(insn_decode(&insn, bytes, sizeof(bytes)), INSN_OK);
	return emulate_insn(&insn, regs);
}

/* What is left must be as it was, but for the branch type. */
static void assert_changed(const struct emulate_regs *regs, u64 pc, int reg, u64 value)
{
	struct emulate_regs want = some_regs();

	want.pc = pc;
	want.pstate &= ~EMULATE_PSTATE_BTYPE;
	if (reg >= 0)
		want.regs[reg] = value;
	assert_memory_equal(regs, &want, sizeof(want));
}

static void assert_run(u32 word, u64 pc, int reg, u64 value)
{
	struct emulate_regs regs = some_regs();

	assert_int_equal(run(word, &regs), EMULATE_DONE);
	assert_changed(&regs, pc, reg, value);
}

/* ---- cases ---- */

static void landings_clear_the_branch_type(void **state)
{
	(void)state;
	assert_run(0xd503245f, PC + 4, -1, 0);	/* bti c */
	assert_run(0xd503201f, PC + 4, -1, 0);	/* nop */
}

static void register_31_takes_no_result(void **state)
{
	(void)state;
	assert_run(0x1000005f, PC + 4, -1, 0);	/* adr xzr, . + 8 */
	assert_run(0x9000001f, PC + 4, -1, 0);	/* adrp xzr, . */
	assert_run(0x5800005f, PC + 4, -1, 0);	/* ldr xzr, . + 8 */
	assert_run(0xd53b423f, PC + 4, -1, 0);	/* mrs xzr, daif */
}

static void register_31_reads_as_zero(void **state)
{
	(void)state;
	assert_run(0xb400005f, PC + 8, -1, 0);	/* cbz xzr, . + 8 */
	assert_run(0x3500005f, PC + 4, -1, 0);	/* cbnz wzr, . + 8 */
	assert_run(0x3600005f, PC + 8, -1, 0);	/* tbz wzr, #0, . + 8 */
	assert_run(0xd61f03e0, 0, -1, 0);	/* br xzr */
}

/* Of x1 with x2, or with an immediate: does the branch to . + 16 go there? */
static bool goes(u32 word, u64 left, u64 right)
{
	struct emulate_regs regs = some_regs();

	regs.regs[1] = left;
	regs.regs[2] = right;
	assert_int_equal(run(word | 4 << 5 | 1, &regs), EMULATE_DONE);
	assert_true(regs.regs[1] == left && regs.regs[2] == right);
	assert_true(regs.pc == PC + 16 || regs.pc == PC + 4);
	return regs.pc == PC + 16;
}

#define CB(condition)		(0xf4020000 | (condition) << 21)
#define CB_NARROW(condition)	(0x74020000 | (condition) << 21)
#define CBB(condition)		(0x74028000 | (condition) << 21)
#define CBH(condition)		(0x7402c000 | (condition) << 21)
#define CB_IMM(condition, imm)	(0xf5000000 | (condition) << 21 | (imm) << 15)

/* Greater, greater or equal, higher, higher or same, equal, not equal. */
static void registers_are_compared_as_the_condition_says(void **state)
{
	static const struct {
		u64 left, right;
		bool goes[8];
	} cases[] = {
		{ 5, 5, { 0, 1, 0, 1, 0, 0, 1, 0 } },
		{ 6, 5, { 1, 1, 1, 1, 0, 0, 0, 1 } },
		{ 5, 6, { 0, 0, 0, 0, 0, 0, 0, 1 } },
		{ -1ull, 5, { 0, 0, 1, 1, 0, 0, 0, 1 } },
		{ 5, -1ull, { 1, 1, 0, 0, 0, 0, 0, 1 } },
	};
	unsigned int i, condition;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (condition = 0; condition < 8; condition++)
			if (condition != 4 && condition != 5)
				assert_int_equal(goes(CB(condition), cases[i].left, cases[i].right),
						 cases[i].goes[condition]);
}

/* Greater, less, higher, lower, equal, not equal. */
static void immediates_are_compared_as_the_condition_says(void **state)
{
	static const struct {
		u64 left;
		bool goes[8];
	} cases[] = {
		{ 40, { 0, 0, 0, 0, 0, 0, 1, 0 } },
		{ 41, { 1, 0, 1, 0, 0, 0, 0, 1 } },
		{ 39, { 0, 1, 0, 1, 0, 0, 0, 1 } },
		{ -1ull, { 0, 1, 1, 0, 0, 0, 0, 1 } },
	};
	unsigned int i, condition;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (condition = 0; condition < 8; condition++)
			if (condition != 4 && condition != 5)
				assert_int_equal(goes(CB_IMM(condition, 40), cases[i].left, 0),
						 cases[i].goes[condition]);
}

static void no_more_is_compared_than_the_width(void **state)
{
	(void)state;
	assert_true(goes(CBB(6), 0x1234, 0x5634));
	assert_false(goes(CBH(6), 0x1234, 0x5634));
	assert_true(goes(CBH(6), 0x11234, 0x51234));
	assert_false(goes(CB_NARROW(6), 0x11234, 0x51234));
	assert_true(goes(CB_NARROW(6), 0x1000011234, 0x5000011234));
	/* The sign of a byte: 0x80 is less than 0x7f, and higher. */
	assert_false(goes(CBB(0), 0x80, 0x7f));
	assert_true(goes(CBB(2), 0x80, 0x7f));
	assert_true(goes(CBH(0), 0x80, 0x7f));
	/* With the zero register. */
	assert_true(goes(0xf41f0000 | 6 << 21, 0, 7));
}

static void literals_are_extended(void **state)
{
	(void)state;
	assert_run(0x18000043, PC + 4, 3, 0xfedcba98);
	assert_run(0x98000043, PC + 4, 3, 0xfffffffffedcba98ull);
	assert_run(0x58000043, PC + 4, 3, 0x11223344fedcba98ull);
	assert_true(loaded_from == LITERAL);
}

static void vector_literals_are_the_processors(void **state)
{
	(void)state;
	assert_run(0x9c000047, PC + 4, -1, 0);	/* ldr q7, . + 8 */
	assert_int_equal(vector_loaded, 7);
	assert_int_equal(vector_value, 16);
	assert_true(loaded_from == LITERAL);
}

static void prefetches_load_nothing(void **state)
{
	(void)state;
	loaded_from = 0;
	assert_run(0xd8000040, PC + 4, -1, 0);
	assert_true(loaded_from == 0);
}

static void a_fault_changes_nothing(void **state)
{
	static const u32 words[] = { 0x18000043, 0x58000043, 0x98000043, 0x1c000043, 0x9c000043 };
	struct emulate_regs regs = some_regs(), before = regs;
	unsigned int i;

	(void)state;
	faults = true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(run(words[i], &regs), EMULATE_FAULT);
		assert_memory_equal(&regs, &before, sizeof(regs));
	}
}

static void a_wrong_signature_changes_nothing(void **state)
{
	/* braa x3, x4; blraaz x3; retab */
	static const u32 words[] = { 0xd71f0864, 0xd63f087f, 0xd65f0fff };
	struct emulate_regs regs = some_regs(), before = regs;
	unsigned int i;

	(void)state;
	unsigned_target = true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(run(words[i], &regs), EMULATE_FAULT);
		assert_memory_equal(&regs, &before, sizeof(regs));
	}
}

static void targets_are_authenticated(void **state)
{
	const u64 x3 = 0xffff800000003000ull, x30 = 0xffff80000001e000ull;

	(void)state;
	assert_run(0xd71f0864, x3, -1, 0);	/* braa x3, x4 */
	assert_true(modifier_used == 0x00ff800000004000ull && !key_b_used);
	assert_run(0xd71f0c7f, x3, -1, 0);	/* brab x3, sp */
	assert_true(modifier_used == STACK && key_b_used);
	assert_run(0xd61f087f, x3, -1, 0);	/* braaz x3 */
	assert_true(modifier_used == 0 && !key_b_used);
	assert_run(0xd65f0fff, x30, -1, 0);	/* retab */
	assert_true(modifier_used == STACK && key_b_used);
	assert_run(0xd63f087f, x3, 30, PC + 4);	/* blraaz x3 */
}

/* The target is read before the return address is written. */
static void blr_through_the_link_register(void **state)
{
	(void)state;
	assert_run(0xd63f03c0, 0x00ff80000001e000ull, 30, PC + 4);
}

static void assert_branch_type(u32 word, enum emulate_guard with, u64 type)
{
	struct emulate_regs regs = some_regs();

	guard = with;
	assert_int_equal(run(word, &regs), EMULATE_DONE);
	assert_true((regs.pstate & EMULATE_PSTATE_BTYPE) == type);
}

static void indirect_branches_leave_their_type(void **state)
{
	(void)state;
	assert_branch_type(0xd61f0060, EMULATE_NO_TYPES, 0);
	assert_branch_type(0xd61f0060, EMULATE_OPEN, EMULATE_BTYPE_BR_LINKER);
	assert_branch_type(0xd61f0060, EMULATE_GUARDED, EMULATE_BTYPE_BR);
	assert_branch_type(0xd61f0200, EMULATE_GUARDED, EMULATE_BTYPE_BR_LINKER);
	assert_branch_type(0xd61f0220, EMULATE_GUARDED, EMULATE_BTYPE_BR_LINKER);
	assert_branch_type(0xd63f0060, EMULATE_NO_TYPES, 0);
	assert_branch_type(0xd63f0060, EMULATE_GUARDED, EMULATE_BTYPE_BLR);
	assert_branch_type(0xd65f03c0, EMULATE_GUARDED, 0);
}

static void assert_masks(u32 word, u64 x3, u64 masks)
{
	struct emulate_regs regs = some_regs(), want;

	regs.regs[3] = x3;
	want = regs;
	want.pc = PC + 4;
	want.pstate = (want.pstate & ~(EMULATE_PSTATE_BTYPE | EMULATE_PSTATE_DAIF)) | masks;
	assert_int_equal(run(word, &regs), EMULATE_DONE);
	assert_memory_equal(&regs, &want, sizeof(want));
}

/* The masks are D, A, I, F from bit 9 down to bit 6; they are I alone at first. */
static void interrupt_masks_change_and_nothing_else(void **state)
{
	(void)state;
	assert_masks(0xd51b4223, ~0ull, 0x3c0);		/* msr daif, x3 */
	assert_masks(0xd51b4223, 0x140, 0x140);
	assert_masks(0xd51b423f, ~0ull, 0);		/* msr daif, xzr */
	assert_masks(0xd50348df, 0, 0x280);		/* msr daifset, #8 */
	assert_masks(0xd50342ff, 0, 0);			/* msr daifclr, #2 */
	assert_masks(0xd50344ff, 0, 0x80);		/* msr daifclr, #4 */
	assert_run(0xd53b4223, PC + 4, 3, 0x80);	/* mrs x3, daif */
}

static void others_are_not_emulated(void **state)
{
	static const u32 words[] = { 0x91000420, 0xf9400020, 0xd4200000, 0xd503233f };
	struct emulate_regs regs = some_regs(), before = regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(run(words[i], &regs), EMULATE_NONE);
		assert_memory_equal(&regs, &before, sizeof(regs));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(landings_clear_the_branch_type),
		cmocka_unit_test(register_31_takes_no_result),
		cmocka_unit_test(register_31_reads_as_zero),
		cmocka_unit_test(registers_are_compared_as_the_condition_says),
		cmocka_unit_test(immediates_are_compared_as_the_condition_says),
		cmocka_unit_test(no_more_is_compared_than_the_width),
		cmocka_unit_test(literals_are_extended),
		cmocka_unit_test(vector_literals_are_the_processors),
		cmocka_unit_test(prefetches_load_nothing),
		cmocka_unit_test(a_fault_changes_nothing),
		cmocka_unit_test(a_wrong_signature_changes_nothing),
		cmocka_unit_test(targets_are_authenticated),
		cmocka_unit_test(blr_through_the_link_register),
		cmocka_unit_test(indirect_branches_leave_their_type),
		cmocka_unit_test(interrupt_masks_change_and_nothing_else),
		cmocka_unit_test(others_are_not_emulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
