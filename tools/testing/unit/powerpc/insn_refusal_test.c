// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of arch/powerpc/insn.c: what it refuses, for itself or for what is around
 * it.
 */
#include "insn_test.h"

/* ---- refusals ---- */

static void traps_are_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_BREAKPOINT, 0x7fe00008);	/* trap */
	assert_refused(INSN_REFUSE_BREAKPOINT, 0x0b030000);	/* tdnei r3,0: WARN_ON() */
	assert_refused(INSN_REFUSE_BREAKPOINT, 0x0fe00000);	/* twui r0,0 */
	assert_refused(INSN_REFUSE_BREAKPOINT, 0x7c801888);	/* td */
}

static void what_enters_or_leaves_the_kernel_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_SYSCALL, 0x44000002);	/* sc */
	assert_refused(INSN_REFUSE_SYSCALL, 0x44000022);	/* sc 1 */
	assert_refused(INSN_REFUSE_SYSCALL, 0x44000001);	/* scv 0 */
	assert_refused(INSN_REFUSE_RETURN, 0x4c000024);		/* rfid */
	assert_refused(INSN_REFUSE_RETURN, 0x4c000224);		/* hrfid */
	assert_refused(INSN_REFUSE_RETURN, 0x4c0000a4);		/* rfscv */
	assert_refused(INSN_REFUSE_RETURN, 0x4c000124);		/* rfebb */
}

static void writes_of_the_msr_are_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_MSR, 0x7c600164);	/* mtmsrd r3 */
	assert_refused(INSN_REFUSE_MSR, 0x7c610164);	/* mtmsrd r3,1 */
	assert_refused(INSN_REFUSE_MSR, 0x7c600124);	/* mtmsr r3 */
	assert_class(INSN_SLOT, 0x7c6000a6);		/* mfmsr r3 */
}

static void what_a_trap_overwrites_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_SAVED, 0x7c7a03a6);	/* mtsrr0 r3 */
	assert_refused(INSN_REFUSE_SAVED, 0x7c7b03a6);	/* mtsrr1 r3 */
	assert_refused(INSN_REFUSE_SAVED, 0x7c7a02a6);	/* mfsrr0 r3 */
	assert_refused(INSN_REFUSE_SAVED, 0x7c7a4ba6);	/* mthsrr0 r3 */
	assert_refused(INSN_REFUSE_SAVED, 0x7c7b4aa6);	/* mfhsrr1 r3 */
	assert_refused(INSN_REFUSE_SAVED, 0x7c7243a6);	/* mtsprg 2,r3: entries keep r13 there */
	assert_refused(INSN_REFUSE_SAVED, 0x7c714ba6);	/* mtspr HSPRG1,r3: and there */
	assert_class(INSN_SLOT, 0x7c7342a6);		/* mfsprg r3,3 */
}

static void reservations_are_refused_at_both_ends(void **state)
{
	static const u32 loads[] = {
		0x7c601828, 0x7c601829, 0x7c601868, 0x7c6018e8, 0x7c6018a8, 0x7c801a28,
	};
	static const u32 stores[] = { 0x7c60192d, 0x7c60156d, 0x7c6015ad, 0x7c6019ad, 0x7c80196d };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		assert_refused(INSN_REFUSE_RESERVE, loads[i]);
		assert_true(decode(loads[i]).flags & INSN_LARX);
	}
	for (i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		assert_refused(INSN_REFUSE_CONDITIONAL, stores[i]);
		assert_true(decode(stores[i]).flags & INSN_STCX);
	}
}

static void what_stops_the_processor_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_HALT, 0x4c0002e4);	/* stop */
	assert_refused(INSN_REFUSE_HALT, 0x7c00003c);	/* wait */
	assert_refused(INSN_REFUSE_HALT, 0x00000200);	/* attn */
}

static void transactions_are_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_TRANSACTION, 0x7c00051d);	/* tbegin. */
	assert_refused(INSN_REFUSE_TRANSACTION, 0x7c00055d);	/* tend. */
	assert_refused(INSN_REFUSE_TRANSACTION, 0x7c00075d);	/* treclaim. */
	assert_refused(INSN_REFUSE_TRANSACTION, 0x7c0007dd);	/* trechkpt. */
	assert_class(INSN_SLOT, 0x7c00059c);			/* tcheck */
}

static void a_branch_by_tar_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_TAR, 0x4e800460);	/* btar */
	assert_refused(INSN_REFUSE_TAR, 0x4e800461);
}

static void each_refusal_has_a_sentence_of_its_own(void **state)
{
	struct insn a = { .class = INSN_REFUSED }, b = a;

	(void)state;
	for (a.refuse = 1; a.refuse < INSN_NR_REFUSES; a.refuse++) {
		assert_non_null(insn_refusal(&a));
		for (b.refuse = 1; b.refuse < a.refuse; b.refuse++)
			assert_string_not_equal(insn_refusal(&a), insn_refusal(&b));
	}
	assert_null(insn_refusal(&a));
}

/* ---- reservations ---- */

#define LARX	0x7c601828
#define STCX	0x7c60192d
#define ADDI	0x38630001

static bool in_reservation(const u32 *words, unsigned int nr, unsigned int at)
{
	return insn_in_reservation((const u8 *)words, 4 * nr, 4 * at);
}

static void between_a_pair_is_in_it(void **state)
{
	const u32 words[] = { ADDI, LARX, ADDI, 0x40820008, STCX, 0x40a2fff0, ADDI };

	(void)state;
	assert_false(in_reservation(words, 7, 0));
	assert_false(in_reservation(words, 7, 1));	/* refused for what it is */
	assert_true(in_reservation(words, 7, 2));
	assert_true(in_reservation(words, 7, 3));
	assert_false(in_reservation(words, 7, 4));	/* so is this */
	assert_false(in_reservation(words, 7, 5));
	assert_false(in_reservation(words, 7, 6));
}

static void one_without_the_other_is_no_pair(void **state)
{
	const u32 lone_load[] = { LARX, ADDI, ADDI }, lone_store[] = { ADDI, STCX, ADDI };
	const u32 two_loads[] = { LARX, ADDI, LARX, ADDI, STCX };

	(void)state;
	assert_false(in_reservation(lone_load, 3, 1));
	assert_false(in_reservation(lone_store, 3, 0));
	assert_false(in_reservation(lone_store, 3, 2));
	assert_false(in_reservation(two_loads, 5, 1));
	assert_true(in_reservation(two_loads, 5, 3));
}

static void a_pair_with_two_stores_lasts_to_the_second(void **state)
{
	const u32 words[] = { LARX, ADDI, STCX, ADDI, STCX, ADDI };

	(void)state;
	assert_true(in_reservation(words, 6, 1));
	assert_true(in_reservation(words, 6, 3));
	assert_false(in_reservation(words, 6, 5));
}

static void a_pair_is_not_looked_for_far_away(void **state)
{
	u32 words[INSN_MAX_RESERVATION + 2];
	unsigned int i;

	(void)state;
	for (i = 0; i < INSN_MAX_RESERVATION + 2; i++)
		words[i] = ADDI;
	words[0] = LARX;
	words[INSN_MAX_RESERVATION - 1] = STCX;
	assert_true(in_reservation(words, INSN_MAX_RESERVATION + 2, 1));
	assert_true(in_reservation(words, INSN_MAX_RESERVATION + 2, INSN_MAX_RESERVATION - 2));
	words[INSN_MAX_RESERVATION - 1] = ADDI;
	words[INSN_MAX_RESERVATION] = STCX;
	assert_false(in_reservation(words, INSN_MAX_RESERVATION + 2, 1));
	assert_false(in_reservation(words, INSN_MAX_RESERVATION + 2, INSN_MAX_RESERVATION - 1));
}

static void a_pair_may_be_cut_off_by_the_functions_end(void **state)
{
	const u32 words[] = { LARX, ADDI, STCX };

	(void)state;
	assert_false(insn_in_reservation((const u8 *)words, 8, 4));
	assert_true(insn_in_reservation((const u8 *)words, 12, 4));
	assert_false(insn_in_reservation((const u8 *)words, 11, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traps_are_refused),
		cmocka_unit_test(what_enters_or_leaves_the_kernel_is_refused),
		cmocka_unit_test(writes_of_the_msr_are_refused),
		cmocka_unit_test(what_a_trap_overwrites_is_refused),
		cmocka_unit_test(reservations_are_refused_at_both_ends),
		cmocka_unit_test(what_stops_the_processor_is_refused),
		cmocka_unit_test(transactions_are_refused),
		cmocka_unit_test(a_branch_by_tar_is_refused),
		cmocka_unit_test(each_refusal_has_a_sentence_of_its_own),
		cmocka_unit_test(between_a_pair_is_in_it),
		cmocka_unit_test(one_without_the_other_is_no_pair),
		cmocka_unit_test(a_pair_with_two_stores_lasts_to_the_second),
		cmocka_unit_test(a_pair_is_not_looked_for_far_away),
		cmocka_unit_test(a_pair_may_be_cut_off_by_the_functions_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
