// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of arch/arm64/insn.c: a named case for each situation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../../arch/arm64/insn.h"

#define IP	0xffff800008123458ull

/* Decode from a buffer of its own, of which AddressSanitizer sees both ends. */
static enum insn_status decode_bytes(struct insn *insn, u32 word, size_t len)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	u8 *copy = malloc(len + !len);
	enum insn_status status;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	status = insn_decode(insn, len ? copy : copy + 1, len);
	free(copy);
	return status;
}

static struct insn decode_ok(u32 word)
{
	struct insn insn;

	assert_int_equal(decode_bytes(&insn, word, 4), INSN_OK);
	assert_int_equal(insn.length, INSN_SIZE);
	assert_int_equal(insn.word, word);
	return insn;
}

static void assert_invalid(u32 word)
{
	struct insn insn, zero;

	memset(&insn, 0xff, sizeof(insn));
	memset(&zero, 0, sizeof(zero));
	assert_int_equal(decode_bytes(&insn, word, 4), INSN_INVALID);
	assert_memory_equal(&insn, &zero, sizeof(insn));
}

static struct insn assert_class(enum insn_class class, u32 word)
{
	struct insn insn = decode_ok(word);

	assert_string_equal(insn_class_name(insn.class), insn_class_name(class));
	assert_int_equal(insn.refuse, INSN_REFUSE_NONE);
	assert_null(insn_refusal(&insn));
	return insn;
}

static void assert_refused(enum insn_refuse why, u32 word)
{
	struct insn insn = decode_ok(word);

	assert_int_equal(insn.class, INSN_REFUSED);
	assert_int_equal(insn.refuse, why);
	assert_non_null(insn_refusal(&insn));
}

static void assert_target(u64 target, enum insn_class class, u32 word)
{
	struct insn insn = assert_class(class, word);

	assert_true(insn_is_relative(&insn));
	assert_true(insn_target(&insn, IP) == target);
	assert_int_equal(insn_is_direct_branch(&insn),
			 class != INSN_ADR && class != INSN_ADRP && class != INSN_LDR_LITERAL);
}

/* ---- the interface ---- */

static void less_than_four_bytes_are_truncated(void **state)
{
	struct insn insn, zero;
	size_t len;

	(void)state;
	memset(&zero, 0, sizeof(zero));
	for (len = 0; len < 4; len++) {
		assert_int_equal(decode_bytes(&insn, 0xd503201f, len), INSN_TRUNCATED);
		assert_memory_equal(&insn, &zero, sizeof(insn));
	}
}

static void names_out_of_range_are_safe(void **state)
{
	struct insn insn = { .refuse = INSN_NR_REFUSES };
	unsigned int i;

	(void)state;
	assert_string_equal(insn_class_name(INSN_NR_CLASSES), "?");
	assert_null(insn_refusal(&insn));
	for (i = 0; i < INSN_NR_CLASSES; i++)
		assert_string_not_equal(insn_class_name(i), "?");
	for (insn.refuse = 1; insn.refuse < INSN_NR_REFUSES; insn.refuse++)
		assert_non_null(insn_refusal(&insn));
}

/* ---- operands ---- */

static void adr_has_its_low_bits_apart(void **state)
{
	(void)state;
	assert_target(IP + 1, INSN_ADR, 0x30000000);
	assert_target(IP + 4, INSN_ADR, 0x10000020);
	assert_target(IP - 1, INSN_ADR, 0x70ffffe0);
	assert_target(IP - 0x100000, INSN_ADR, 0x10800000);
	assert_int_equal(decode_ok(0x1000001f).rd, INSN_REG_31);
}

static void adrp_counts_pages_from_its_own(void **state)
{
	(void)state;
	assert_target(IP & ~0xfffull, INSN_ADRP, 0x90000000);
	assert_target((IP & ~0xfffull) + 0x1000, INSN_ADRP, 0xb0000003);
	assert_target((IP & ~0xfffull) - 0x1000, INSN_ADRP, 0xf0ffffe3);
	assert_target((IP & ~0xfffull) - 0x100000000, INSN_ADRP, 0x90800000);
	assert_int_equal(decode_ok(0x90000003).rd, 3);
}

static void branches_reach_as_far_as_their_bits(void **state)
{
	(void)state;
	assert_target(IP + 0x7fffffc, INSN_B, 0x15ffffff);
	assert_target(IP - 0x8000000, INSN_B, 0x16000000);
	assert_target(IP - 4, INSN_BL, 0x97ffffff);
	assert_target(IP + 0xffffc, INSN_BCOND, 0x547fffe0);
	assert_target(IP - 0x100000, INSN_CBZ, 0xb4800000);
	assert_target(IP + 0x7ffc, INSN_TBZ, 0x3603ffe0);
	assert_target(IP - 0x8000, INSN_TBZ, 0xb7840000);
}

static void conditions_are_kept(void **state)
{
	unsigned int condition;

	(void)state;
	for (condition = 0; condition < 16; condition++) {
		assert_int_equal(assert_class(INSN_BCOND, 0x54000040 | condition).condition,
				 condition);
		/* bc.cond */
		assert_int_equal(assert_class(INSN_BCOND, 0x54000050 | condition).condition,
				 condition);
	}
}

static void compared_registers_have_a_width(void **state)
{
	(void)state;
	assert_int_equal(decode_ok(0x34000045).flags & (INSN_WIDE | INSN_NEGATED), 0);
	assert_int_equal(decode_ok(0xb4000045).flags & (INSN_WIDE | INSN_NEGATED), INSN_WIDE);
	assert_int_equal(decode_ok(0xb5000045).flags & (INSN_WIDE | INSN_NEGATED),
			 INSN_WIDE | INSN_NEGATED);
	assert_int_equal(decode_ok(0xb4000045).rd, 5);
}

static void tested_bits_go_up_to_63(void **state)
{
	(void)state;
	assert_int_equal(decode_ok(0x36000041).bit, 0);
	assert_int_equal(decode_ok(0x36f80041).bit, 31);
	assert_int_equal(decode_ok(0xb6000041).bit, 32);
	assert_int_equal(decode_ok(0xb7f80041).bit, 63);
	assert_int_equal(decode_ok(0xb7f80041).flags & INSN_NEGATED, INSN_NEGATED);
}

static void literals_have_sizes(void **state)
{
	static const struct {
		u32 word;
		u8 size;
		u16 flags;
	} cases[] = {
		{ 0x18000041, 4, 0 }, { 0x58000041, 8, 0 }, { 0x98000041, 4, INSN_SIGNED },
		{ 0x1c000041, 4, INSN_VECTOR }, { 0x5c000041, 8, INSN_VECTOR },
		{ 0x9c000041, 16, INSN_VECTOR },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn insn = assert_class(INSN_LDR_LITERAL, cases[i].word);

		assert_int_equal(insn.size, cases[i].size);
		assert_int_equal(insn.flags, cases[i].flags);
		assert_true(insn_may_fault(&insn));
		assert_target(IP + 8, INSN_LDR_LITERAL, cases[i].word);
	}
	/* prfm never faults; the fourth of the vector registers is none */
	assert_int_equal(assert_class(INSN_LDR_LITERAL, 0xd8000041).flags,
			 INSN_PREFETCH | INSN_STEADY);
	assert_invalid(0xdc000041);
}

static void indirect_branches_name_their_registers(void **state)
{
	struct insn insn;

	(void)state;
	assert_int_equal(assert_class(INSN_BR, 0xd61f0220).rn, 17);
	assert_int_equal(assert_class(INSN_BLR, 0xd63f0060).rn, 3);
	assert_int_equal(assert_class(INSN_RET, 0xd65f03c0).rn, 30);
	/* braa x1, sp */
	insn = assert_class(INSN_BR, 0xd71f083f);
	assert_int_equal(insn.rn, 1);
	assert_int_equal(insn.rm, INSN_REG_31);
	assert_int_equal(insn.flags, INSN_AUTH);
	/* blrabz x2 */
	insn = assert_class(INSN_BLR, 0xd63f0c5f);
	assert_int_equal(insn.rn, 2);
	assert_int_equal(insn.flags, INSN_AUTH | INSN_NO_MODIFIER | INSN_KEY_B);
	/* retab */
	insn = assert_class(INSN_RET, 0xd65f0fff);
	assert_int_equal(insn.rn, 30);
	assert_int_equal(insn.rm, INSN_REG_31);
	assert_int_equal(insn.flags, INSN_AUTH | INSN_KEY_B);
}

/* ---- hints ---- */

static void landings_are_known_as_such(void **state)
{
	(void)state;
	/* bti, bti c, bti j, bti jc; paciasp, pacibsp */
	assert_int_equal(assert_class(INSN_NOP, 0xd503241f).flags & INSN_LANDING, INSN_LANDING);
	assert_int_equal(assert_class(INSN_NOP, 0xd503245f).flags & INSN_LANDING, INSN_LANDING);
	assert_int_equal(assert_class(INSN_NOP, 0xd503249f).flags & INSN_LANDING, INSN_LANDING);
	assert_int_equal(assert_class(INSN_NOP, 0xd50324df).flags & INSN_LANDING, INSN_LANDING);
	assert_int_equal(assert_class(INSN_SLOT, 0xd503233f).flags & INSN_LANDING, INSN_LANDING);
	assert_int_equal(assert_class(INSN_SLOT, 0xd503237f).flags & INSN_LANDING, INSN_LANDING);
	/* nop, paciaz, autiasp are none */
	assert_int_equal(assert_class(INSN_NOP, 0xd503201f).flags & INSN_LANDING, 0);
	assert_int_equal(assert_class(INSN_SLOT, 0xd503231f).flags & INSN_LANDING, 0);
	assert_int_equal(assert_class(INSN_SLOT, 0xd50323bf).flags & INSN_LANDING, 0);
}

static void waiting_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_WAIT, 0xd503205f);
	assert_refused(INSN_REFUSE_WAIT, 0xd503207f);
	assert_refused(INSN_REFUSE_WAIT, 0xd5031005);
	assert_refused(INSN_REFUSE_WAIT, 0xd5031025);
}

/* What a processor takes for nothing today may be something tomorrow. */
static void every_other_hint_goes_to_the_slot(void **state)
{
	unsigned int hint;

	(void)state;
	for (hint = 0; hint < 128; hint++)
		if (hint && hint != 2 && hint != 3 && hint != 39 && (hint & ~6u) != 32)
			assert_class(INSN_SLOT, 0xd503201f | hint << 5);
	assert_refused(INSN_REFUSE_OWN_ADDRESS, 0xd50324ff);
}

/* ---- system ---- */

static void interrupt_masks_are_emulated(void **state)
{
	(void)state;
	assert_int_equal(assert_class(INSN_MRS_DAIF, 0xd53b4223).rd, 3);
	assert_int_equal(assert_class(INSN_MSR_DAIF, 0xd51b4224).rd, 4);
	assert_int_equal(assert_class(INSN_DAIFSET, 0xd50342df).imm, 2);
	assert_int_equal(assert_class(INSN_DAIFCLR, 0xd5034fff).imm, 15);
}

static void what_a_trap_overwrites_cannot_be_read(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd5384000);	/* spsr_el1 */
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd5384020);	/* elr_el1 */
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd5385200);	/* esr_el1 */
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd5386000);	/* far_el1 */
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd53c4020);	/* elr_el2 */
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd508779f);	/* gcspushx */
	assert_refused(INSN_REFUSE_TRAP_STATE, 0xd50877bf);	/* gcspopcx */
	/* gcspopx has what it needs on the stack */
	assert_class(INSN_SLOT, 0xd50877df);
	/* elr_el12 is a guest's; sp_el0, tpidr_el1, cntvct_el0 */
	assert_class(INSN_SLOT, 0xd53d4020);
	assert_class(INSN_SLOT, 0xd5384100);
	assert_class(INSN_SLOT, 0xd538d080);
	assert_class(INSN_SLOT, 0xd53be040);
}

static void system_registers_cannot_be_written(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd5184100);	/* sp_el0 */
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd5182000);	/* ttbr0_el1 */
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd518d080);	/* tpidr_el1 */
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd500419f);	/* pan */
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd50040bf);	/* spsel */
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd503477f);	/* smstart */
	/* nzcv, fpcr, fpsr, tpidr_el0, tpidrro_el0 are but registers */
	assert_class(INSN_SLOT, 0xd51b4200);
	assert_class(INSN_SLOT, 0xd51b4400);
	assert_class(INSN_SLOT, 0xd51b4420);
	assert_class(INSN_SLOT, 0xd51bd040);
	assert_class(INSN_SLOT, 0xd51bd060);
}

static void barriers_and_maintenance_go_to_the_slot(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, 0xd5033f5f);	/* clrex */
	assert_class(INSN_SLOT, 0xd5033b9f);	/* dsb ish */
	assert_class(INSN_SLOT, 0xd5033bbf);	/* dmb ish */
	assert_class(INSN_SLOT, 0xd5033fdf);	/* isb */
	assert_class(INSN_SLOT, 0xd50330ff);	/* sb */
	assert_class(INSN_SLOT, 0xd5087620);	/* dc ivac */
	assert_class(INSN_SLOT, 0xd508831f);	/* tlbi vmalle1is */
}

static void exceptions_are_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_CALL_UP, 0xd4000001);
	assert_refused(INSN_REFUSE_CALL_UP, 0xd4000002);
	assert_refused(INSN_REFUSE_CALL_UP, 0xd4000003);
	assert_refused(INSN_REFUSE_BREAKPOINT, 0xd4210000);
	assert_refused(INSN_REFUSE_DEBUG, 0xd4400000);
	assert_refused(INSN_REFUSE_DEBUG, 0xd4a00001);
	assert_refused(INSN_REFUSE_DEBUG, 0xd6bf03e0);
	assert_refused(INSN_REFUSE_ERET, 0xd69f03e0);
	assert_refused(INSN_REFUSE_ERET, 0xd69f0bff);
	assert_refused(INSN_REFUSE_UNDEFINED, 0x00000000);
	assert_refused(INSN_REFUSE_TRANSACTION, 0xd5233060);
	assert_refused(INSN_REFUSE_TRANSACTION, 0xd503307f);
}

/* ---- memory ---- */

static void assert_each_may_fault(const u32 *words, unsigned int nr)
{
	while (nr--) {
		struct insn insn = assert_class(INSN_SLOT, *words++);

		assert_true(insn_may_fault(&insn));
	}
}

static void accesses_may_fault(void **state)
{
	static const u32 words[] = {
		0xf9400020,	/* ldr x0, [x1] */
		0xa9bf7bfd,	/* stp x29, x30, [sp, #-16]! */
		0x38401c20,	/* ldrb w0, [x1, #1]! */
		0xf8626820,	/* ldr x0, [x1, x2] */
		0xf8400820,	/* ldtr x0, [x1] */
		0xf9800020,	/* prfm pldl1keep, [x1] */
		0x88dffc20,	/* ldar w0, [x1] */
		0xb8200041,	/* ldadd w0, w1, [x2] */
		0xc8a07c41,	/* cas x0, x1, [x2] */
		0x38bfc020,	/* ldaprb w0, [x1] */
		0xf8200420,	/* ldraa x0, [x1] */
		0xd9200820,	/* stg x0, [x1] */
		0xad400020,	/* ldp q0, q0, [x1] */
		0x4c407020,	/* ld1 {v0.16b}, [x1] */
	};

	(void)state;
	assert_each_may_fault(words, sizeof(words) / sizeof(words[0]));
}

static void computing_never_faults(void **state)
{
	static const u32 words[] = {
		0x91000420, 0x92400020, 0xd2800020, 0xd3400020, 0x93c20820, 0x8b020020,
		0xaa0203e0, 0x9a020020, 0xfa400820, 0x9a820020, 0x9ac20820, 0xdac01020,
		0x9b027c20, 0x1ac24020,
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct insn insn = assert_class(INSN_SLOT, words[i]);

		assert_false(insn_may_fault(&insn));
	}
}

static void exclusives_are_refused(void **state)
{
	static const u32 loads[] = { 0x085f7c20, 0x885ffc20, 0xc87f0820 };
	static const u32 stores[] = { 0x08027c20, 0x8802fc20, 0xc8220c20 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_refused(INSN_REFUSE_EXCLUSIVE, loads[i]);
		assert_int_equal(decode_ok(loads[i]).flags, INSN_MONITOR_SET);
		assert_refused(INSN_REFUSE_EXCLUSIVE, stores[i]);
		assert_int_equal(decode_ok(stores[i]).flags, INSN_MONITOR_USE);
	}
}

static void only_the_first_of_a_copy_is_probed(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, 0x1d010440);			/* cpyp */
	assert_refused(INSN_REFUSE_COPY_SEQUENCE, 0x1d410440);	/* cpym */
	assert_refused(INSN_REFUSE_COPY_SEQUENCE, 0x1d810440);	/* cpye */
	assert_class(INSN_SLOT, 0x19c10440);			/* setp */
	assert_refused(INSN_REFUSE_COPY_SEQUENCE, 0x19c14440);	/* setm */
	assert_refused(INSN_REFUSE_COPY_SEQUENCE, 0x19c18440);	/* sete */
	assert_class(INSN_SLOT, 0x1ddf0041);			/* setgop */
	assert_refused(INSN_REFUSE_COPY_SEQUENCE, 0x1ddf4041);	/* setgom */
	assert_refused(INSN_REFUSE_COPY_SEQUENCE, 0x1ddf8041);	/* setgoe */
}

/* ---- what is unknown ---- */

static void unallocated_words_are_invalid(void **state)
{
	static const u32 words[] = {
		0x02000000, 0x06000000,		/* groups that are empty */
		0x12007c00, 0x9240fc00,		/* a bitmask of ones alone */
		0x12400000,			/* 64 bits of a 32-bit register */
		0x52c00000,			/* a move of the third half */
		0x32800000,			/* the second opc of moves */
		0x13408000, 0x13800000 | 0x8000, /* shifts by more than there is */
		0x0bc00000,			/* add, rotated */
		0x8b201400,			/* an extension by more than four bits */
		0xb8c00000 | 0x40000000,	/* a prefetch that loads */
		0xd61f0001, 0xd65f03c1,		/* a branch with an operand too many */
		0xd5200000,			/* mrs without a register */
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_invalid(words[i]);
}

/* They depend on their own address: in a slot they would do something else. */
static void signing_with_an_address_is_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_SIGNED_RETURN, 0x5500001f);	/* retaasppc */
	assert_refused(INSN_REFUSE_SIGNED_RETURN, 0x5520001f);	/* retabsppc */
	assert_refused(INSN_REFUSE_SIGNED_RETURN, 0xd65f0be3);	/* retaasppcr x3 */
	assert_refused(INSN_REFUSE_SIGNED_ADDRESS, 0xf380001f);	/* autiasppc */
	assert_refused(INSN_REFUSE_SIGNED_ADDRESS, 0xf3a0003f);	/* autibsppc */
	assert_refused(INSN_REFUSE_SIGNED_ADDRESS, 0xdac1a3fe);	/* paciasppc */
	assert_refused(INSN_REFUSE_SIGNED_ADDRESS, 0xdac1a7fe);	/* pacibsppc */
	assert_refused(INSN_REFUSE_SIGNED_ADDRESS, 0xdac183fe);	/* pacnbiasppc */
	/* pacia171615 and autiasppcr x3 have it in a register */
	assert_class(INSN_SLOT, 0xdac18bfe);
	assert_class(INSN_SLOT, 0xdac1907e);
}

static void comparing_branches_have_operands(void **state)
{
	struct insn insn;

	(void)state;
	/* cbbhs w10, w30, . - 932 */
	insn = assert_class(INSN_CB, 0x747ea2ea);
	assert_int_equal(insn.rd, 10);
	assert_int_equal(insn.rm, 30);
	assert_int_equal(insn.size, 1);
	assert_int_equal(insn.condition, 2);
	assert_target(IP - 932, INSN_CB, 0x747ea2ea);
	/* cbhi w21, #36, . + 584; cblo x15, #56, . - 500 */
	insn = assert_class(INSN_CB, 0x75521255);
	assert_int_equal(insn.bit, 36);
	assert_int_equal(insn.size, 4);
	assert_int_equal(insn.condition, 8);
	assert_int_equal(insn.flags, INSN_STEADY | INSN_IMMEDIATE);
	assert_target(IP + 584, INSN_CB, 0x75521255);
	insn = assert_class(INSN_CB, 0xf57c306f);
	assert_int_equal(insn.size, 8);
	assert_int_equal(insn.condition, 3);
	/* cbhgt: two bytes; cbbgt has none of eight, and two conditions are missing */
	assert_int_equal(assert_class(INSN_CB, 0x7400c000).size, 2);
	assert_invalid(0xf4008000);
	assert_invalid(0x74800000);
	assert_invalid(0x75a00000);
}

static void access_without_privilege_goes_to_the_slot(void **state)
{
	static const u32 words[] = {
		0xe9660c62,	/* ldtp x2, x3, [x3, #-416] */
		0xedb856a9,	/* sttp q9, q21, [x21, #-256]! */
		0x59ed17e3,	/* ldtclral x13, x3, [sp] */
		0x19208441,	/* swpt w0, w1, [x2] */
		0xc9c0fc41,	/* casalt x0, x1, [x2] */
		0x49807c40,	/* caspt x0, x1, x0, x1, [x2] */
	};

	(void)state;
	assert_each_may_fault(words, sizeof(words) / sizeof(words[0]));
}

static void context_changes_are_refused(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_CONTEXT, 0xd4e00000);	/* tenter */
	assert_refused(INSN_REFUSE_CONTEXT, 0xd6ff03e0);	/* texit */
	assert_refused(INSN_REFUSE_CONTEXT, 0xd5800000);	/* tchangef */
	assert_refused(INSN_REFUSE_CONTEXT, 0xd5940000);	/* tchangeb */
}

static void registers_of_128_bits_can_be_read(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, 0xd5787400);				/* mrrs par_el1 */
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, 0xd5587400);	/* msrr par_el1 */
	assert_class(INSN_SLOT, 0xd5488720);				/* tlbip vae1is */
}

static void the_vector_space_is_not_looked_up(void **state)
{
	(void)state;
	assert_int_equal(assert_class(INSN_SLOT, 0x1e602820).flags, INSN_UNCHECKED); /* fadd */
	assert_int_equal(assert_class(INSN_SLOT, 0x04200000).flags, INSN_UNCHECKED); /* SVE */
	assert_int_equal(assert_class(INSN_SLOT, 0xc0080000).flags, INSN_UNCHECKED); /* SME */
}

/* ---- exclusive sequences ---- */

#define LDXR	0x885f7c20
#define STXR	0x88027c20
#define NOP	0xd503201f
#define NR_WORDS 80

static bool in_exclusive(const u32 *words, size_t nr, size_t at)
{
	u8 bytes[NR_WORDS * 4];
	size_t i;

	for (i = 0; i < nr * 4; i++)
		bytes[i] = words[i / 4] >> i % 4 * 8;
	return insn_in_exclusive(bytes, nr * 4, at * 4);
}

static void between_load_and_store_is_exclusive(void **state)
{
	static const u32 words[] = { NOP, LDXR, NOP, NOP, STXR, NOP, LDXR, STXR, NOP };
	static const bool between[] = { 0, 0, 1, 1, 1, 0, 0, 1, 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(between); i++)
		assert_int_equal(in_exclusive(words, sizeof(words) / 4, i), between[i]);
}

/* Of FEAT_LSUI. */
static void between_those_without_privilege_is_exclusive(void **state)
{
	static const u32 words[] = { NOP, 0x895f7c41, NOP, 0x89007c41, NOP };	/* ldtxr, sttxr */
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++)
		assert_int_equal(in_exclusive(words, 5, i), i == 2 || i == 3);
	assert_refused(INSN_REFUSE_EXCLUSIVE, 0xc95ffc41);	/* ldatxr */
	assert_refused(INSN_REFUSE_EXCLUSIVE, 0xc900fc41);	/* stltxr */
}

/* uaccess_ttbr0_enable() and then uaccess_ttbr0_disable(), of Linux 6.1. */
static void between_both_writes_the_address_space_is_switched(void **state)
{
	static const u32 words[] = {
		0xd5382021, 0xb3400001, 0xd5182021, 0xd5033fdf, NOP, 0xd5182000, 0xd5033fdf,
		0xd5382021, 0xd1400420, 0xd5182000, 0xd5033fdf, 0xd5182021, 0xd5033fdf,
	};
	u8 bytes[sizeof(words)];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = words[i / 4] >> i % 4 * 8;
	for (i = 0; i < sizeof(words) / 4; i++)
		assert_int_equal(insn_in_switch(bytes, sizeof(bytes), i * 4), i >= 3 && i <= 5);
	assert_false(insn_in_switch(bytes, 5 * 4, 4 * 4));
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, words[2]);
	assert_refused(INSN_REFUSE_SYSTEM_REGISTER, words[5]);
}

static bool ends_in_type(const u32 *words, size_t nr)
{
	u8 bytes[NR_WORDS * 4];
	size_t i;

	for (i = 0; i < nr * 4; i++)
		bytes[i] = words[i / 4] >> i % 4 * 8;
	return insn_ends_in_type(bytes, nr * 4);
}

#define RET	0xd65f03c0
#define LDP	0xa8c17bfd	/* ldp x29, x30, [sp], #16 */
#define B	0x17ffff00
#define BL	0x97ffff00
#define BRK	0xd4210000

/* Types that look like a call, an exclusive load, a return, and like no instruction. */
static void a_type_is_told_from_the_end_of_a_function(void **state)
{
	static const u32 types[] = { BL, LDXR, RET, 0x12345678, 0xffffffff, 0 };
	static const u32 ends[] = { RET, B, BL, BRK, 0xd61f0100, 0xd63f0100, 0, 0xd69f03e0 };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < sizeof(types) / 4; i++) {
		for (j = 0; j < sizeof(ends) / 4; j++) {
			assert_true(ends_in_type((u32[]){ LDP, ends[j], types[i] }, 3));
			assert_true(ends_in_type((u32[]){ LDP, ends[j], NOP, NOP, types[i] }, 5));
			assert_true(ends_in_type((u32[]){ ends[j], types[i] }, 2));
		}
		assert_false(ends_in_type((u32[]){ RET, LDP, types[i] }, 3));
		assert_false(ends_in_type((u32[]){ types[i] }, 1));
	}
	assert_false(ends_in_type((u32[]){ LDP, RET, NOP, NOP }, 4));
	assert_false(ends_in_type((u32[]){ BL, LDP, RET }, 3));
}

/*
 * What clang 16 makes of nine functions with -fsanitize=kcfi.  Some end in calls that do not return,
 * in a branch, in a breakpoint.  The last but one is static, and has no type.
 */
static void types_of_a_compiler_are_found(void **state)
{
	static const u32 words[] = {
		0x7c42cdda, 0xd503233f, 0xa9be7bfd, 0xf9000bf3, 0x910003fd, 0xaa0103f3, 0x94000000, 0x8b20c260,
		0xf9400bf3, 0xa8c27bfd, 0xd50323bf, 0xd65f03c0, 0x7c42cdda, 0xd503245f, 0xeb01001f, 0x5400006b,
		0x9b007c20, 0xd65f03c0, 0xd503233f, 0xa9bf7bfd, 0x910003fd, 0x52800020, 0x94000000, 0x019c0cac,
		0xd503233f, 0xa9bf7bfd, 0x910003fd, 0x94000000, 0x00050794, 0xd503245f, 0x11000400, 0x14000000,
		0x6144b4a7, 0xd503233f, 0xa9bf7bfd, 0x910003fd, 0xaa0003e8, 0x2a0103e0, 0xb85fc110, 0x7280f291,
		0x72a000b1, 0x6b11021f, 0x54000040, 0xd4304500, 0xd63f0100, 0x11000400, 0xa8c17bfd, 0xd50323bf,
		0xd65f03c0, 0x00050794, 0xd503233f, 0xa9bf7bfd, 0x910003fd, 0x94000000, 0x71001c1f, 0x54ffffc1,
		0xd4200020, 0x00050794, 0xd503233f, 0xa9be7bfd, 0xa9014ff4, 0x910003fd, 0x2a0003f3, 0x94000009,
		0x2a0003f4, 0x11000a60, 0x94000006, 0x0b140000, 0xa9414ff4, 0xa8c27bfd, 0xd50323bf, 0xd65f03c0,
		0xd503233f, 0xa9bf7bfd, 0x910003fd, 0x94000000, 0x0b000400, 0xa8c17bfd, 0xd50323bf, 0xd65f03c0,
		0x77332687, 0xd503245f, 0xaa1f03e0, 0xd65f03c0,
	};
	static const struct {
		unsigned int start;
		bool typed;		/* the next function is */
	} functions[] = {
		{ 0x04, true }, { 0x34, true }, { 0x60, true }, { 0x74, true }, { 0x84, true },
		{ 0xc8, true }, { 0xe8, false }, { 0x120, true }, { 0x144, false },
	};
	unsigned int i, end;

	(void)state;
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		end = i + 1 < sizeof(functions) / sizeof(*functions) ? functions[i + 1].start :
								       sizeof(words);
		assert_int_equal(ends_in_type(words + functions[i].start / 4,
					      (end - functions[i].start) / 4), functions[i].typed);
	}
}

/* paciasp behind pacm, and an addition behind movprfx. */
static void a_prefix_is_not_taken_from_what_it_belongs_to(void **state)
{
	static const u32 words[] = {
		NOP, 0xd50324ff, 0xd503233f, NOP, 0x0420bc20, 0x04800020, 0x04102020, 0x04800020,
	};
	static const bool after[] = { 0, 0, 1, 0, 0, 1, 0, 1, 0 };
	u8 bytes[sizeof(words)];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = words[i / 4] >> i % 4 * 8;
	for (i = 0; i < sizeof(after) - 1; i++)
		assert_int_equal(insn_after_prefix(bytes, sizeof(bytes), i * 4), after[i]);
	assert_refused(INSN_REFUSE_PREFIX, words[4]);
	assert_refused(INSN_REFUSE_PREFIX, words[6]);
}

#define TEXT_AT	0xffff800008010000ull

static u32 text_word(void *data, u64 addr)
{
	return ((const u32 *)data)[(addr - TEXT_AT) / 4];
}

/* Which words of a function are data: a bit each.  The text is that of several functions. */
static u32 data_in(const u32 *words, unsigned int nr, unsigned int from, unsigned int to)
{
	const struct insn_text text = {
		.word = text_word, .data = (void *)words,
		.start = TEXT_AT, .end = TEXT_AT + 4 * nr,
		.function = TEXT_AT + 4 * from, .function_end = TEXT_AT + 4 * to,
	};
	unsigned int i;
	u32 found = 0;

	for (i = from; i < to; i++)
		found |= (u32)insn_is_data(&text, TEXT_AT + 4 * i) << i;
	return found;
}

/* As sha256_block_data_order() has them; one of the constants is a branch. */
static void a_table_behind_a_function_is_data(void **state)
{
	u32 words[] = {
		NOP, 0x100000be, 0xb4000040, 0xd65f03c0, NOP, 0xd65f03c0,	/* adr x30; cbz; ret; ret */
		0x428a2f98, 0x71374491, 0x14292967, 0x27b70a85, 0x748f82ee,
	};

	(void)state;
	assert_int_equal(data_in(words, 11, 0, 11), 0x7c0);
	words[2] = 0xb4000080;		/* cbz to the table: what is there is run */
	assert_int_equal(data_in(words, 11, 0, 11), 0);
	words[2] = 0xd61f0200;		/* br x16, maybe to there */
	assert_int_equal(data_in(words, 11, 0, 11), 0);
	words[2] = words[1] = NOP;	/* nobody knows the address */
	assert_int_equal(data_in(words, 11, 0, 11), 0);
}

/* As in aes-neonbs-core.S, where each has a symbol of its own; and behind a function. */
static void what_an_instruction_loads_is_data(void **state)
{
	u32 words[] = {
		0x0f03070b, 0x05090d01,
		0x5cffffc0, 0x18000061, NOP, 0xd65f03c0, 0x71374491, NOP,	/* ldr d0; ldr w1; ret */
	};

	(void)state;
	assert_int_equal(data_in(words, 8, 0, 2), 0x3);
	assert_int_equal(data_in(words, 8, 2, 8), 0x40);
	words[3] = 0xd8000060;		/* prfm loads nothing */
	assert_int_equal(data_in(words, 8, 2, 8), 0);
	words[3] = 0x98000061;		/* ldrsw */
	assert_int_equal(data_in(words, 8, 2, 8), 0x40);
	words[4] = 0xb4000040;		/* cbz to there */
	assert_int_equal(data_in(words, 8, 2, 8), 0);
	words[1] = 0xd65f03c0;		/* a function that ends */
	assert_int_equal(data_in(words, 8, 0, 2), 0);
}

/* Of a function behind: where the kernel is makes its first half a load, or a branch to the third word. */
static void a_pointer_to_a_tracer_is_no_instruction(void **state)
{
	u32 words[] = {
		NOP, 0xd65f03c0, 0x71374491, NOP, 0x18ffffc1, 0xffff8000, NOP, 0xd65f03c0,
	};

	(void)state;
	assert_true(insn_is_pointer(TEXT_AT + 16, words[5]));
	assert_false(insn_is_pointer(TEXT_AT + 12, words[5]));
	assert_false(insn_is_pointer(TEXT_AT + 16, NOP));
	assert_int_equal(data_in(words, 8, 0, 6), 0);
	words[5] = NOP;			/* ldr w1 */
	assert_int_equal(data_in(words, 8, 0, 6), 0x4);
	words[3] = 0x18ffffe1;
	words[4] = 0x17fffffe;		/* b to there */
	assert_int_equal(data_in(words, 8, 0, 6), 0);
	words[5] = 0xfff08000;
	assert_int_equal(data_in(words, 8, 0, 6), 0x4);
}

/* What would be a pointer is the end of the flow, and a mask. */
static void a_mask_behind_an_end_is_data(void **state)
{
	static const u32 words[] = {
		0xb4000040, 0xd65f03c0, 0x18000060, NOP, 0xd65f03c0, 0xffff1234,	/* cbz; ret; ldr w0 */
	};

	(void)state;
	assert_int_equal(data_in(words, 6, 0, 6), 0x20);
}

static void a_load_alone_reserves_nothing(void **state)
{
	static const u32 words[] = { LDXR, NOP, NOP, LDXR, NOP, STXR };

	(void)state;
	assert_false(in_exclusive(words, 6, 1));
	assert_false(in_exclusive(words, 3, 1));
	assert_true(in_exclusive(words, 6, 4));
}

static void too_far_apart_is_no_sequence(void **state)
{
	u32 words[NR_WORDS];
	unsigned int i;

	(void)state;
	for (i = 0; i < NR_WORDS; i++)
		words[i] = NOP;
	words[0] = LDXR;
	words[33] = STXR;
	assert_true(in_exclusive(words, NR_WORDS, 32));
	assert_false(in_exclusive(words, NR_WORDS, 33));
	assert_true(in_exclusive(words, NR_WORDS, 2));
	assert_false(in_exclusive(words, NR_WORDS, 1));
}

#define WFE	0xd503205f
#define CBNZ	0x35000042

/* A poll for a value, as the kernel's __cmpwait() does it: a write ends the wait. */
static void between_load_and_wait_is_no_jump(void **state)
{
	static const u32 words[] = { NOP, WFE, LDXR, NOP, CBNZ, WFE, NOP, LDXR, STXR, WFE };
	static const bool between[] = { 0, 0, 0, 1, 1, 1, 0, 0, 0, 0 };
	u8 bytes[sizeof(words)];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = words[i / 4] >> i % 4 * 8;
	for (i = 0; i < sizeof(between); i++)
		assert_int_equal(insn_before_wait(bytes, sizeof(bytes), i * 4), between[i]);
}

/* sevl; mov; wfe; mov: a handler that waits itself would take the event. */
static void an_event_is_left_for_a_wait(void **state)
{
	const u32 words[] = { 0xaa0103e0, 0xd50320bf, 0xaa0103e0, 0xd503205f, 0xaa0103e0 };
	const bool between[] = { false, true, true, true, false };
	unsigned int i;
	u8 bytes[sizeof(words)];

	(void)state;
	memcpy(bytes, words, sizeof(words));
	for (i = 0; i < sizeof(words) / 4; i++)
		assert_int_equal(insn_before_wait(bytes, sizeof(bytes), i * 4), between[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(less_than_four_bytes_are_truncated),
		cmocka_unit_test(names_out_of_range_are_safe),
		cmocka_unit_test(adr_has_its_low_bits_apart),
		cmocka_unit_test(adrp_counts_pages_from_its_own),
		cmocka_unit_test(branches_reach_as_far_as_their_bits),
		cmocka_unit_test(conditions_are_kept),
		cmocka_unit_test(compared_registers_have_a_width),
		cmocka_unit_test(tested_bits_go_up_to_63),
		cmocka_unit_test(literals_have_sizes),
		cmocka_unit_test(indirect_branches_name_their_registers),
		cmocka_unit_test(landings_are_known_as_such),
		cmocka_unit_test(waiting_is_refused),
		cmocka_unit_test(every_other_hint_goes_to_the_slot),
		cmocka_unit_test(interrupt_masks_are_emulated),
		cmocka_unit_test(what_a_trap_overwrites_cannot_be_read),
		cmocka_unit_test(system_registers_cannot_be_written),
		cmocka_unit_test(barriers_and_maintenance_go_to_the_slot),
		cmocka_unit_test(exceptions_are_refused),
		cmocka_unit_test(an_event_is_left_for_a_wait),
		cmocka_unit_test(accesses_may_fault),
		cmocka_unit_test(computing_never_faults),
		cmocka_unit_test(exclusives_are_refused),
		cmocka_unit_test(only_the_first_of_a_copy_is_probed),
		cmocka_unit_test(unallocated_words_are_invalid),
		cmocka_unit_test(signing_with_an_address_is_refused),
		cmocka_unit_test(comparing_branches_have_operands),
		cmocka_unit_test(access_without_privilege_goes_to_the_slot),
		cmocka_unit_test(context_changes_are_refused),
		cmocka_unit_test(registers_of_128_bits_can_be_read),
		cmocka_unit_test(the_vector_space_is_not_looked_up),
		cmocka_unit_test(between_load_and_store_is_exclusive),
		cmocka_unit_test(between_those_without_privilege_is_exclusive),
		cmocka_unit_test(between_both_writes_the_address_space_is_switched),
		cmocka_unit_test(a_type_is_told_from_the_end_of_a_function),
		cmocka_unit_test(types_of_a_compiler_are_found),
		cmocka_unit_test(a_prefix_is_not_taken_from_what_it_belongs_to),
		cmocka_unit_test(between_load_and_wait_is_no_jump),
		cmocka_unit_test(a_table_behind_a_function_is_data),
		cmocka_unit_test(what_an_instruction_loads_is_data),
		cmocka_unit_test(a_pointer_to_a_tracer_is_no_instruction),
		cmocka_unit_test(a_mask_behind_an_end_is_data),
		cmocka_unit_test(a_load_alone_reserves_nothing),
		cmocka_unit_test(too_far_apart_is_no_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
