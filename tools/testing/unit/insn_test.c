// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of arch/x86/insn.c, a named case for each situation: lengths, fields, and
 * what is no instruction.
 */
#include "insn_test.h"

static void assert_imm(s64 imm, unsigned int offset, unsigned int size, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn.imm_offset, offset);
	assert_int_equal(insn.imm_size, size);
	assert_true(insn.imm == imm);
}

static void assert_disp(s64 disp, unsigned int offset, unsigned int size,
			const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn.disp_offset, offset);
	assert_int_equal(insn.disp_size, size);
	assert_true(insn.disp == disp);
}

/* Lengths and fields */

static void operand_size_decides_the_immediate(void **state)
{
	(void)state;
	/* add $imm,%eax; with 66; with REX.W; with both */
	assert_imm(0x11223344, 1, 4, BYTES(0x05, 0x44, 0x33, 0x22, 0x11));
	assert_imm(0x1122, 2, 2, BYTES(0x66, 0x05, 0x22, 0x11));
	assert_imm(-1, 2, 4, BYTES(0x48, 0x05, 0xff, 0xff, 0xff, 0xff));
	assert_imm(0x11223344, 3, 4, BYTES(0x66, 0x48, 0x05, 0x44, 0x33, 0x22, 0x11));
	/* mov $imm,%rax and %eax and %ax and %al */
	assert_imm(0x1122334455667788, 2, 8,
		   BYTES(0x48, 0xb8, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11));
	assert_imm((s32)0x80000000, 1, 4, BYTES(0xb8, 0x00, 0x00, 0x00, 0x80));
	assert_imm((s16)0x8000, 2, 2, BYTES(0x66, 0xb8, 0x00, 0x80));
	assert_imm(-128, 1, 1, BYTES(0xb0, 0x80));
	/* push $imm16, push $imm32, push $imm8 */
	assert_imm(0x1234, 2, 2, BYTES(0x66, 0x68, 0x34, 0x12));
	assert_imm(0x1234, 1, 4, BYTES(0x68, 0x34, 0x12, 0x00, 0x00));
	assert_imm(-2, 1, 1, BYTES(0x6a, 0xfe));
	/* imul $imm16,(%rax),%cx; imul $imm8 */
	assert_imm(0x7fff, 3, 2, BYTES(0x66, 0x69, 0x08, 0xff, 0x7f));
	assert_imm(-1, 2, 1, BYTES(0x6b, 0x08, 0xff));
}

static void test_group_3_alone_has_an_immediate(void **state)
{
	(void)state;
	/* testb /0, /1; testl /0; testw /1 */
	assert_imm(5, 2, 1, BYTES(0xf6, 0xc0, 0x05));
	assert_imm(5, 2, 1, BYTES(0xf6, 0xc8, 0x05));
	assert_imm(0x01020304, 2, 4, BYTES(0xf7, 0xc0, 0x04, 0x03, 0x02, 0x01));
	assert_imm(0x0102, 3, 2, BYTES(0x66, 0xf7, 0xc8, 0x02, 0x01));
	/* not, neg, mul, imul, div, idiv */
	assert_imm(0, 0, 0, BYTES(0xf7, 0xd0));
	assert_imm(0, 0, 0, BYTES(0xf7, 0xd8));
	assert_imm(0, 0, 0, BYTES(0xf6, 0xe0));
	assert_imm(0, 0, 0, BYTES(0xf6, 0xe8));
	assert_imm(0, 0, 0, BYTES(0xf7, 0xf0));
	assert_imm(0, 0, 0, BYTES(0xf7, 0xf8));
}

static void enter_has_two_immediates(void **state)
{
	(void)state;
	/* enter $0x1234,$0x56 */
	assert_imm(0x561234, 1, 3, BYTES(0xc8, 0x34, 0x12, 0x56));
}

static void extrq_has_two_immediates(void **state)
{
	(void)state;
	/* extrq $4,$8,%xmm0; insertq $4,$8,%xmm1,%xmm0 */
	assert_imm(0x0408, 4, 2, BYTES(0x66, 0x0f, 0x78, 0xc0, 0x08, 0x04));
	assert_imm(0x0408, 4, 2, BYTES(0xf2, 0x0f, 0x78, 0xc1, 0x08, 0x04));
}

static void moffs_is_a_displacement(void **state)
{
	(void)state;
	/* movabs 0x8877665544332211,%al; addr32 mov 0x44332211,%eax */
	assert_disp((s64)0x8877665544332211, 1, 8,
		    BYTES(0xa0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88));
	assert_disp(0x44332211, 2, 4, BYTES(0x67, 0xa1, 0x11, 0x22, 0x33, 0x44));
	/* the operand size is no matter: mov %ax,moffs; mov %rax,moffs */
	assert_disp(1, 2, 8, BYTES(0x66, 0xa3, 1, 0, 0, 0, 0, 0, 0, 0));
	assert_disp(1, 2, 8, BYTES(0x48, 0xa3, 1, 0, 0, 0, 0, 0, 0, 0));
}

static void displacements_of_modrm(void **state)
{
	(void)state;
	assert_disp(0, 0, 0, BYTES(0x8b, 0x00));			/* mov (%rax),%eax */
	assert_disp(-128, 2, 1, BYTES(0x8b, 0x40, 0x80));		/* -128(%rax) */
	assert_disp(0x7fffffff, 2, 4, BYTES(0x8b, 0x80, 0xff, 0xff, 0xff, 0x7f));
	assert_disp(0, 0, 0, BYTES(0x8b, 0x04, 0x24));			/* (%rsp) */
	assert_disp(-1, 3, 1, BYTES(0x8b, 0x44, 0x24, 0xff));		/* -1(%rsp) */
	assert_disp(1, 3, 4, BYTES(0x8b, 0x04, 0x25, 1, 0, 0, 0));	/* 0x1 */
	assert_disp(1, 3, 4, BYTES(0x8b, 0x04, 0x8d, 1, 0, 0, 0));	/* 1(,%rcx,4) */
	assert_disp(0, 3, 1, BYTES(0x8b, 0x44, 0x8d, 0));		/* 0(%rbp,%rcx,4) */
	assert_disp(2, 4, 4, BYTES(0x49, 0x8b, 0x04, 0x25, 2, 0, 0, 0)); /* REX.B adds no r13 */
	assert_disp(0, 0, 0, BYTES(0x41, 0x8b, 0x04, 0x24));		/* (%r12) */
	assert_disp(0, 3, 1, BYTES(0x41, 0x8b, 0x45, 0x00));		/* 0(%r13) */
}

static void disp_and_imm_follow_each_other(void **state)
{
	struct insn insn;

	(void)state;
	/* movl $0x44332211,0x55(%rax) */
	insn = decode_ok(BYTES(0xc7, 0x40, 0x55, 0x11, 0x22, 0x33, 0x44));
	assert_int_equal(insn.disp_offset, 2);
	assert_int_equal(insn.disp_size, 1);
	assert_int_equal(insn.imm_offset, 3);
	assert_int_equal(insn.imm_size, 4);
	assert_int_equal(insn.flags & INSN_HAS_MEM, INSN_HAS_MEM);
}

static void rip_relative_is_detected(void **state)
{
	struct insn insn;

	(void)state;
	/* mov 0x10(%rip),%rax */
	insn = decode_ok(BYTES(0x48, 0x8b, 0x05, 0x10, 0, 0, 0));
	assert_int_equal(insn.flags, INSN_HAS_MODRM | INSN_HAS_MEM | INSN_RIP_RELATIVE |
			 INSN_REX_PRESENT);
	/* with REX.B it is no r13 */
	insn = decode_ok(BYTES(0x49, 0x8b, 0x05, 0x10, 0, 0, 0));
	assert_true(insn.flags & INSN_RIP_RELATIVE);
	/* vmovaps 0x10(%rip),%xmm0; EVEX vmovups 0x10(%rip),%zmm0 */
	insn = decode_ok(BYTES(0xc5, 0xf8, 0x28, 0x05, 0x10, 0, 0, 0));
	assert_true(insn.flags & INSN_RIP_RELATIVE);
	insn = decode_ok(BYTES(0x62, 0xf1, 0x7c, 0x48, 0x10, 0x05, 0x10, 0, 0, 0));
	assert_true(insn.flags & INSN_RIP_RELATIVE);
	/* an absolute address, and 0x10(%rbp), are not */
	insn = decode_ok(BYTES(0x48, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0));
	assert_false(insn.flags & INSN_RIP_RELATIVE);
	insn = decode_ok(BYTES(0x48, 0x8b, 0x45, 0x10));
	assert_false(insn.flags & INSN_RIP_RELATIVE);
}

static void mov_of_control_registers_has_no_memory_operand(void **state)
{
	struct insn insn;

	(void)state;
	/* mov %cr0,%rax and its twin with mod 0, rm 5, which has no displacement either */
	insn = decode_ok(BYTES(0x0f, 0x20, 0xc0));
	assert_false(insn.flags & INSN_HAS_MEM);
	insn = decode_ok(BYTES(0x0f, 0x20, 0x05));
	assert_false(insn.flags & (INSN_HAS_MEM | INSN_RIP_RELATIVE));
	/* cr1, cr5, cr15, dr8 don't exist; cr8 does */
	assert_invalid(BYTES(0x0f, 0x20, 0xc8));
	assert_invalid(BYTES(0x0f, 0x22, 0xe8));
	assert_invalid(BYTES(0x44, 0x0f, 0x20, 0xf8));
	assert_invalid(BYTES(0x44, 0x0f, 0x21, 0xc0));
	assert_class(INSN_SLOT, BYTES(0x44, 0x0f, 0x20, 0xc0));
}

static void prefixes_are_recorded(void **state)
{
	struct insn insn;

	(void)state;
	/* lock data16 addr32 add %ax,(%eax); rep stos; repnz scas */
	insn = decode_ok(BYTES(0xf0, 0x66, 0x67, 0x01, 0x00));
	assert_int_equal(insn.prefixes, INSN_PFX_F0 | INSN_PFX_66 | INSN_PFX_67);
	insn = decode_ok(BYTES(0xf3, 0x48, 0xab));
	assert_int_equal(insn.prefixes, INSN_PFX_F3);
	assert_int_equal(insn.rex, INSN_REX_W);
	insn = decode_ok(BYTES(0xf2, 0xae));
	assert_int_equal(insn.prefixes, INSN_PFX_F2);
}

static void only_fs_and_gs_are_segments(void **state)
{
	struct insn insn;

	(void)state;
	insn = decode_ok(BYTES(0x64, 0x8b, 0x00));
	assert_int_equal(insn.segment, INSN_SEG_FS);
	insn = decode_ok(BYTES(0x64, 0x65, 0x8b, 0x00));	/* the last one counts */
	assert_int_equal(insn.segment, INSN_SEG_GS);
	insn = decode_ok(BYTES(0x65, 0x3e, 0x8b, 0x00));	/* ds is ignored, gs stays */
	assert_int_equal(insn.segment, INSN_SEG_GS);
	insn = decode_ok(BYTES(0x26, 0x2e, 0x36, 0x3e, 0x8b, 0x00));
	assert_int_equal(insn.segment, INSN_SEG_DEFAULT);
}

static void rex_counts_only_when_last(void **state)
{
	struct insn insn;

	(void)state;
	/* REX.W, data16, add $imm16,%ax */
	insn = decode_ok(BYTES(0x48, 0x66, 0x05, 0x22, 0x11));
	assert_int_equal(insn.rex, 0);
	assert_false(insn.flags & INSN_REX_PRESENT);
	/* of two, the second */
	insn = decode_ok(BYTES(0x48, 0x41, 0x8b, 0x00));
	assert_int_equal(insn.rex, INSN_REX_B);
}

static void fifteen_bytes_are_the_limit(void **state)
{
	u8 bytes[16];
	struct insn insn;

	(void)state;
	memset(bytes, 0x3e, sizeof(bytes));
	bytes[14] = 0x98;			/* 14 prefixes and cwtl */
	insn = decode_ok(bytes, 15);
	assert_int_equal(insn.opcode, 0x98);
	bytes[14] = 0x3e;
	assert_int_equal(decode(&insn, bytes, 14), INSN_TRUNCATED);
	assert_invalid(bytes, 15);
	bytes[15] = 0x98;
	assert_invalid(bytes, 16);
	bytes[14] = 0x04;			/* add $imm8,%al, of which the immediate is 16th */
	assert_invalid(bytes, 16);
}

static void nothing_is_truncated(void **state)
{
	struct insn insn;

	(void)state;
	assert_int_equal(decode(&insn, (const u8 *)"", 0), INSN_TRUNCATED);
}

static void bytes_past_the_end_are_not_looked_at(void **state)
{
	struct insn insn;

	(void)state;
	/* 8f is pop or XOP, f3 0f 1e is endbr or not: the next byte decides */
	assert_int_equal(decode(&insn, BYTES(0x8f)), INSN_TRUNCATED);
	assert_int_equal(decode(&insn, BYTES(0xf3, 0x0f, 0x1e)), INSN_TRUNCATED);
	assert_int_equal(decode(&insn, BYTES(0x62, 0xf1)), INSN_TRUNCATED);
	assert_int_equal(decode(&insn, BYTES(0xc5)), INSN_TRUNCATED);
}

static void encodings_and_maps(void **state)
{
	static const struct {
		u8 bytes[12], len, encoding, map, opcode;
	} c[] = {
		{ { 0x01, 0xc0 }, 2, INSN_LEGACY, INSN_MAP_ONE_BYTE, 0x01 },
		{ { 0x0f, 0xaf, 0xc0 }, 3, INSN_LEGACY, INSN_MAP_0F, 0xaf },
		{ { 0x0f, 0x38, 0x00, 0xc0 }, 4, INSN_LEGACY, INSN_MAP_0F38, 0x00 },
		{ { 0x0f, 0x3a, 0x0f, 0xc0, 1 }, 5, INSN_LEGACY, INSN_MAP_0F3A, 0x0f },
		{ { 0x0f, 0x0f, 0xc0, 0xbf }, 4, INSN_LEGACY, INSN_MAP_3DNOW, 0xbf },
		{ { 0xc5, 0xf8, 0x58, 0xc0 }, 4, INSN_VEX, INSN_MAP_0F, 0x58 },
		{ { 0xc4, 0xe2, 0x79, 0x00, 0xc0 }, 5, INSN_VEX, INSN_MAP_0F38, 0x00 },
		{ { 0xc4, 0xe3, 0x79, 0x0f, 0xc0, 1 }, 6, INSN_VEX, INSN_MAP_0F3A, 0x0f },
		{ { 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0 }, 6, INSN_EVEX, INSN_MAP_0F, 0x58 },
		{ { 0x62, 0xf2, 0x7d, 0x48, 0x00, 0xc0 }, 6, INSN_EVEX, INSN_MAP_0F38, 0x00 },
		{ { 0x62, 0xf3, 0x7d, 0x48, 0x0f, 0xc0, 1 }, 7, INSN_EVEX, INSN_MAP_0F3A, 0x0f },
		{ { 0x62, 0xf5, 0x7c, 0x48, 0x58, 0xc0 }, 6, INSN_EVEX, INSN_MAP_EVEX5, 0x58 },
		{ { 0x62, 0xf6, 0x7d, 0x48, 0x98, 0xc0 }, 6, INSN_EVEX, INSN_MAP_EVEX6, 0x98 },
		{ { 0x8f, 0xe8, 0x78, 0xc0, 0xc0, 1 }, 6, INSN_XOP, INSN_MAP_XOP8, 0xc0 },
		{ { 0x8f, 0xe9, 0x78, 0x90, 0xc0 }, 5, INSN_XOP, INSN_MAP_XOP9, 0x90 },
		{ { 0x8f, 0xea, 0x78, 0x10, 0xc0, 1, 2, 3, 4 }, 9, INSN_XOP, INSN_MAP_XOPA, 0x10 },
	};
	struct insn insn;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		insn = decode_ok(c[i].bytes, c[i].len);
		assert_int_equal(insn.encoding, c[i].encoding);
		assert_int_equal(insn.map, c[i].map);
		assert_int_equal(insn.opcode, c[i].opcode);
	}
}

static void rex_of_vector_prefixes(void **state)
{
	struct insn insn;

	(void)state;
	/* vaddps %ymm0,%ymm8,%ymm9; vfmadd132pd (%r8,%r9),%xmm0,%xmm10; the same in EVEX */
	insn = decode_ok(BYTES(0xc5, 0x3c, 0x58, 0xc8));
	assert_int_equal(insn.rex, INSN_REX_R);
	insn = decode_ok(BYTES(0xc4, 0x02, 0xf9, 0x98, 0x14, 0x08));
	assert_int_equal(insn.rex, INSN_REX_W | INSN_REX_R | INSN_REX_X | INSN_REX_B);
	insn = decode_ok(BYTES(0x62, 0x12, 0xfd, 0x08, 0x98, 0x14, 0x08));
	assert_int_equal(insn.rex, INSN_REX_W | INSN_REX_R | INSN_REX_X | INSN_REX_B);
}

/* Validity */

static void opcodes_of_32_bit_mode_are_invalid(void **state)
{
	static const u8 opcodes[] = {
		0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60,
		0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea,
	};
	u8 bytes[15] = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(opcodes); i++) {
		bytes[0] = opcodes[i];
		assert_invalid(bytes, sizeof(bytes));
	}
}

static void lock_needs_a_writer_of_memory(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0xf0, 0x01, 0x00));	/* lock add %eax,(%rax) */
	assert_class(INSN_SLOT, BYTES(0xf0, 0x0f, 0xb1, 0x08));	/* lock cmpxchg */
	assert_class(INSN_SLOT, BYTES(0xf0, 0x0f, 0xc7, 0x08));	/* lock cmpxchg8b */
	assert_class(INSN_SLOT, BYTES(0xf0, 0x83, 0x00, 0x01));	/* lock addl $1,(%rax) */
	assert_class(INSN_SLOT, BYTES(0xf0, 0x0f, 0xba, 0x28, 0x01)); /* lock bts */
	assert_class(INSN_SLOT, BYTES(0xf0, 0x87, 0x00));	/* lock xchg */
	assert_invalid(BYTES(0xf0, 0x01, 0xc0));		/* lock add %eax,%eax */
	assert_invalid(BYTES(0xf0, 0x03, 0x00));		/* lock add (%rax),%eax */
	assert_invalid(BYTES(0xf0, 0x39, 0x00));		/* lock cmp */
	assert_invalid(BYTES(0xf0, 0x83, 0x38, 0x01));		/* lock cmpl $1 */
	assert_invalid(BYTES(0xf0, 0x89, 0x00));		/* lock mov */
	assert_invalid(BYTES(0xf0, 0x0f, 0xba, 0x20, 0x01));	/* lock bt */
	assert_invalid(BYTES(0xf0, 0x90));			/* lock nop */
	assert_invalid(BYTES(0xf0, 0xff, 0x10));		/* lock call *(%rax) */
	assert_invalid(BYTES(0xf0, 0x0f, 0x0f, 0x00, 0xbf));	/* lock pavgusb */
}

static void operand_forms_that_do_not_exist(void **state)
{
	(void)state;
	assert_invalid(BYTES(0x8d, 0xc0));		/* lea of a register */
	assert_invalid(BYTES(0x8e, 0xc8));		/* mov %eax,%cs */
	assert_invalid(BYTES(0x8c, 0xf0));		/* mov of a seventh segment */
	assert_invalid(BYTES(0xfe, 0xd0));		/* fe /2 */
	assert_invalid(BYTES(0xff, 0xf8));		/* ff /7 */
	assert_invalid(BYTES(0xff, 0xd8));		/* far call through a register */
	assert_invalid(BYTES(0xc6, 0xc8, 0x00));	/* c6 /1 */
	assert_invalid(BYTES(0x8f, 0xe0));		/* 8f /4, and no XOP map */
	assert_invalid(BYTES(0x0f, 0xb4, 0xc0));	/* lfs of a register */
	assert_invalid(BYTES(0x0f, 0xba, 0xc0, 0x00));	/* 0f ba /0 */
	assert_invalid(BYTES(0x0f, 0xc7, 0xc8));	/* cmpxchg8b of a register */
	assert_invalid(BYTES(0x0f, 0x17, 0xc0));	/* movhps of two registers */
	assert_invalid(BYTES(0xd9, 0xd1));	/* d9 d1 */
	assert_invalid(BYTES(0xdd, 0x28));		/* dd /5 */
	assert_invalid(BYTES(0xc7, 0xf9, 0, 0, 0, 0));	/* xbegin is c7 f8 */
	assert_invalid(BYTES(0x0f, 0x0f, 0xc0, 0x00));	/* no such 3DNow! */
}

static void mandatory_prefixes_that_do_not_exist(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0x0f, 0x14, 0xc1));	/* unpcklps */
	assert_class(INSN_SLOT, BYTES(0x66, 0x0f, 0x14, 0xc1));	/* unpcklpd */
	assert_invalid(BYTES(0xf3, 0x0f, 0x14, 0xc1));
	assert_invalid(BYTES(0xf2, 0x66, 0x0f, 0x14, 0xc1));	/* F2 goes before 66 */
	assert_invalid(BYTES(0x66, 0xf2, 0x0f, 0x14, 0xc1));
	assert_invalid(BYTES(0x0f, 0xb8, 0xc0));		/* popcnt is F3 */
	assert_class(INSN_SLOT, BYTES(0x66, 0xf3, 0x0f, 0xb8, 0xc0));
	assert_invalid(BYTES(0x66, 0x0f, 0x01, 0xd0));		/* xgetbv takes none */
	assert_class(INSN_SLOT, BYTES(0xf2, 0x0f, 0x38, 0xf0, 0xc0)); /* crc32 */
	assert_invalid(BYTES(0x0f, 0x38, 0xf0, 0xc0));		/* movbe of registers */
}

static void vector_prefixes_take_no_others(void **state)
{
	static const u8 prefixes[] = { 0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x40 };
	u8 vex[] = { 0, 0xc5, 0xf8, 0x58, 0xc0 };
	u8 evex[] = { 0, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0 };
	u8 xop[] = { 0, 0x8f, 0xe9, 0x78, 0x90, 0xc0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(prefixes); i++) {
		vex[0] = evex[0] = xop[0] = prefixes[i];
		assert_invalid(vex, sizeof(vex));
		assert_invalid(evex, sizeof(evex));
		assert_invalid(xop, sizeof(xop));
	}
	assert_class(INSN_SLOT, BYTES(0x65, 0xc5, 0xf8, 0x58, 0x00));	/* gs is fine */
	assert_class(INSN_SLOT, BYTES(0x67, 0xc5, 0xf8, 0x58, 0x00));	/* so is 67 */
	assert_class(INSN_SLOT, BYTES(0x48, 0x3e, 0xc5, 0xf8, 0x58, 0xc0)); /* a REX not last */
}

static void vector_fields_that_must_be_unused(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0xc5, 0xf8, 0x28, 0xc0));		/* vmovaps */
	assert_invalid(BYTES(0xc5, 0xf0, 0x28, 0xc0));			/* with a vvvv */
	assert_invalid(BYTES(0xc5, 0xfc, 0x12, 0xc0));			/* vmovhlps of 256 bits */
	assert_invalid(BYTES(0xc4, 0xe2, 0xf9, 0x0c, 0xc0));		/* vpermilps with W */
	assert_invalid(BYTES(0xc4, 0xe0, 0x78, 0x58, 0xc0));		/* map 0 */
	assert_invalid(BYTES(0x62, 0xf9, 0x7c, 0x48, 0x58, 0xc0));	/* a reserved bit */
	assert_invalid(BYTES(0x62, 0xf1, 0x78, 0x48, 0x58, 0xc0));	/* a missing one */
	assert_invalid(BYTES(0x62, 0xf1, 0x7c, 0xc8, 0x58, 0xc0));	/* zeroing without a mask */
	assert_invalid(BYTES(0x62, 0xf1, 0x7c, 0x68, 0x58, 0xc0));	/* length 3 */
	/* as rounding it is fine */
	assert_class(INSN_SLOT, BYTES(0x62, 0xf1, 0x7c, 0x78, 0x58, 0xc0));
}

static void gathers_need_distinct_registers(void **state)
{
	(void)state;
	/* vpgatherdd %xmm2,(%rax,%xmm1),%xmm0; with the index as destination; as mask */
	assert_class(INSN_SLOT, BYTES(0xc4, 0xe2, 0x69, 0x90, 0x04, 0x08));
	assert_invalid(BYTES(0xc4, 0xe2, 0x69, 0x90, 0x0c, 0x08));
	assert_invalid(BYTES(0xc4, 0xe2, 0x71, 0x90, 0x04, 0x08));
	/* no SIB byte, no gather */
	assert_invalid(BYTES(0xc4, 0xe2, 0x69, 0x90, 0x00));
	/* EVEX needs a mask register, and V' extends the index */
	assert_class(INSN_SLOT, BYTES(0x62, 0xf2, 0x7d, 0x49, 0x90, 0x04, 0x08));
	assert_invalid(BYTES(0x62, 0xf2, 0x7d, 0x48, 0x90, 0x04, 0x08));
	assert_invalid(BYTES(0x62, 0xf2, 0x7d, 0x49, 0x90, 0x0c, 0x08));
	assert_class(INSN_SLOT, BYTES(0x62, 0xf2, 0x7d, 0x41, 0x90, 0x0c, 0x08));
}

static void tiles(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0xc4, 0xe2, 0x78, 0x49, 0xc0));	/* tilerelease: one modrm */
	assert_invalid(BYTES(0xc4, 0xe2, 0x78, 0x49, 0xc1));
	assert_class(INSN_SLOT, BYTES(0xc4, 0xe2, 0x7b, 0x49, 0xd0));	/* tilezero %tmm2 */
	assert_invalid(BYTES(0xc4, 0xe2, 0x7b, 0x49, 0xd1));
	assert_invalid(BYTES(0xc4, 0x62, 0x7b, 0x49, 0xd0));		/* tmm10 */
	/* tdpbssd %tmm3,%tmm2,%tmm1: three different ones of eight */
	assert_class(INSN_SLOT, BYTES(0xc4, 0xe2, 0x63, 0x5e, 0xca));
	assert_invalid(BYTES(0xc4, 0xe2, 0x73, 0x5e, 0xca));
	assert_invalid(BYTES(0xc4, 0xe2, 0x6b, 0x5e, 0xca));
	assert_invalid(BYTES(0xc4, 0xe2, 0x63, 0x5e, 0xc9));
	assert_invalid(BYTES(0xc4, 0xc2, 0x63, 0x5e, 0xca));		/* tmm10 */
	/* tileloadd needs a SIB byte */
	assert_class(INSN_SLOT, BYTES(0xc4, 0xe2, 0x7b, 0x4b, 0x04, 0x08));
	assert_invalid(BYTES(0xc4, 0xe2, 0x7b, 0x4b, 0x00));
}

static void complex_products_need_distinct_registers(void **state)
{
	(void)state;
	/* vfmaddcph %zmm2,%zmm1,%zmm0; the destination as a source */
	assert_class(INSN_SLOT, BYTES(0x62, 0xf6, 0x76, 0x48, 0x56, 0xc2));
	assert_invalid(BYTES(0x62, 0xf6, 0x76, 0x48, 0x56, 0xca));
	assert_invalid(BYTES(0x62, 0xf6, 0x76, 0x48, 0x56, 0xc0));
	assert_invalid(BYTES(0x62, 0xf6, 0x76, 0x48, 0x56, 0x08));	/* memory does not help */
	assert_class(INSN_SLOT, BYTES(0x62, 0xf6, 0x76, 0x48, 0x56, 0x00));
}

/* The quick way to a length */

/* Does the quick way, if it has a result, agree with the decoder?  Counts its results. */
static unsigned int compare_plain_length(const uint8_t *bytes)
{
	unsigned int length = insn_plain_length(bytes, INSN_MAX_LENGTH);
	struct insn insn;

	if (!length)
		return 0;
	assert_int_equal(insn_decode(&insn, bytes, INSN_MAX_LENGTH), INSN_OK);
	assert_int_equal(insn.length, length);
	assert_int_equal(insn.class, INSN_SLOT);
	assert_int_equal(insn.refuse, INSN_REFUSE_NONE);
	return 1;
}

/* Calls @fn with every opcode of two maps, behind every REX or none, with every modrm. */
static unsigned int each_opcode(unsigned int (*fn)(const uint8_t *bytes))
{
	static const uint8_t sibs[] = { 0x00, 0x05, 0x24, 0x25, 0x65, 0xc4, 0xff };
	uint8_t bytes[2 * INSN_MAX_LENGTH + 2];
	unsigned int first, second, modrm, i, map, sum = 0;

	memset(bytes, 0x66, sizeof(bytes));
	for (map = 0; map < 2; map++)
		for (first = 0x3f; first < 0x50; first++)
			for (second = 0; second < 256; second++)
				for (modrm = 0; modrm < 256; modrm++)
					for (i = 0; i < sizeof(sibs); i++) {
						bytes[0] = first;
						bytes[1] = 0x0f;
						bytes[1 + map] = second;
						bytes[2 + map] = modrm;
						bytes[3 + map] = sibs[i];
						sum += fn(bytes);
						sum += fn(bytes + 1);
					}
	return sum;
}

static void plain_length_is_the_length(void **state)
{
	(void)state;
	assert_true(each_opcode(compare_plain_length) > 2000000);
	assert_int_equal(insn_plain_length("\x89\xc0", 2), 0);
}

/* Where the code is said to be. */
#define AT	0xffffffff81234567ul

static const struct insn_range all = { AT, 0, ~(uint64_t)0 };
/* As much as a kernel's text. */
static const struct insn_range some = { AT, 0xffffffff81000000ul, 0xffffff };

static bool counts(const struct insn_range *range, uint64_t addr)
{
	return addr >= range->from && addr - range->from <= range->more;
}

/* A load of less than eight bytes, as loaded_size() of reach_scan.c has them; 0: it is none. */
static unsigned int loaded(const struct insn *insn)
{
	if (insn->map == INSN_MAP_ONE_BYTE)
		return insn->opcode == 0x63 || (insn->opcode == 0x8b && !(insn->rex & INSN_REX_W)) ?
		       4 : 0;
	if (insn->opcode == 0xb6 || insn->opcode == 0xbe)
		return 1;
	return insn->opcode == 0xb7 || insn->opcode == 0xbf ? 2 : 0;
}

/* What scan_operands() and loads_small_entry() of reach_scan.c look for. */
static bool may_name_address(const struct insn *insn, const struct insn_range *range)
{
	bool indexed = insn->flags & INSN_HAS_SIB &&
		       ((insn->sib & 0x38) != 0x20 || insn->rex & INSN_REX_X);

	if (insn->imm_size >= 4)
		return counts(range, insn->imm);
	if (insn->map == INSN_MAP_ONE_BYTE && insn->opcode == 0x8d && insn->disp_size == 4)
		return counts(range, insn->disp + (insn->flags & INSN_RIP_RELATIVE ?
						   AT + insn->length : 0));
	return indexed && loaded(insn) == 1u << (insn->sib >> 6);
}

/* Of what is skipped nothing is missed; counts it. */
static unsigned int compare_dull_in(const uint8_t *bytes, const struct insn_range *range)
{
	size_t last = 99, at = insn_skip_dull(bytes, INSN_MAX_LENGTH, 0, &last, range);
	struct insn insn;

	if (!at) {
		assert_int_equal(last, 99);
		return 0;
	}
	assert_int_equal(last, 0);
	assert_int_equal(insn_decode(&insn, bytes, INSN_MAX_LENGTH), INSN_OK);
	assert_int_equal(insn.length, at);
	assert_true(insn.class == INSN_SLOT || insn.class == INSN_NOP);
	assert_int_equal(insn.encoding, INSN_LEGACY);
	assert_false(may_name_address(&insn, range));
	return 1;
}

static unsigned int compare_dull(const uint8_t *bytes)
{
	unsigned int more = compare_dull_in(bytes, &some);

	/* The bytes are no address of @some, which is why fewer are skipped in @all. */
	assert_true(more >= compare_dull_in(bytes, &all));
	return more;
}

static void dull_instructions_name_no_address(void **state)
{
	(void)state;
	assert_true(each_opcode(compare_dull) > 2000000);
}

/* What is skipped is no breakpoint, and execution goes on behind it; counts it. */
static unsigned int compare_flowing(const uint8_t *bytes)
{
	size_t at = insn_skip_flowing(bytes, INSN_MAX_LENGTH, 0, INSN_MAX_LENGTH);
	struct insn insn;

	if (!at)
		return 0;
	assert_int_equal(insn_decode(&insn, bytes, INSN_MAX_LENGTH), INSN_OK);
	assert_int_equal(insn.length, at);
	assert_int_equal(insn.refuse, INSN_REFUSE_NONE);
	assert_true(insn.class == INSN_SLOT || insn.class == INSN_NOP || insn.class == INSN_JCC ||
		    insn.class == INSN_CALL);
	return 1;
}

static void flowing_instructions_flow_on(void **state)
{
	(void)state;
	assert_true(each_opcode(compare_flowing) > 2000000);
}

/* mov $imm32,%rax; lea disp(%rip),%rax; movabs $imm64,%rax; and room */
static void only_addresses_that_count_are_found(void **state)
{
	enum { NR_PLACES = 4 };
	static const uint8_t inside[NR_PLACES][20] = {
		{ 0x48, 0xc7, 0xc0, 0x00, 0x00, 0x00, 0x81 },
		{ 0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0x81 },
		{ 0x48, 0x8d, 0x05, 0x92, 0xba, 0xdc, 0xff },
		{ 0x48, 0xb8, 0x00, 0x00, 0x00, 0x81, 0xff, 0xff, 0xff, 0xff },
	};
	static const uint8_t outside[NR_PLACES][20] = {
		{ 0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0x80 },
		{ 0x48, 0xc7, 0xc0, 0x00, 0x00, 0x00, 0x82 },
		{ 0x48, 0x8d, 0x05, 0x91, 0xba, 0xdc, 0xff },
		{ 0x48, 0xb8, 0x00, 0x00, 0x00, 0x81, 0xff, 0xff, 0xff, 0x7f },
	};
	size_t last, i;

	(void)state;
	for (i = 0; i < NR_PLACES; i++) {
		assert_int_equal(insn_skip_dull(inside[i], 20, 0, &last, &some), 0);
		assert_int_not_equal(insn_skip_dull(outside[i], 20, 0, &last, &some), 0);
		assert_int_equal(insn_skip_dull(outside[i], 20, 0, &last, &all), 0);
	}
}

static void skipping_ends_where_it_must(void **state)
{
	/* push %rbp; mov %rsp,%rbp; je; ret; and room */
	static const uint8_t code[40] = { 0x55, 0x48, 0x89, 0xe5, 0x74, 0x00, 0xc3 };
	size_t last = 99;

	(void)state;
	assert_int_equal(insn_skip_dull(code, sizeof(code), 0, &last, &all), 4);
	assert_int_equal(last, 1);
	assert_int_equal(insn_skip_flowing(code, sizeof(code), 0, sizeof(code)), 6);
	assert_int_equal(insn_skip_flowing(code, sizeof(code), 0, 1), 1);
	assert_int_equal(insn_skip_flowing(code, sizeof(code), 1, 2), 4);
	assert_int_equal(insn_skip_flowing(code, sizeof(code), 6, sizeof(code)), 6);
	/* Never nearer to the end than the longest instruction. */
	assert_int_equal(insn_skip_flowing(code, INSN_MAX_LENGTH, 0, INSN_MAX_LENGTH), 1);
	assert_int_equal(insn_skip_flowing(code, INSN_MAX_LENGTH - 1, 0, INSN_MAX_LENGTH), 0);
}

/* A direct branch is decoded in another way if all bytes of the longest instruction are there. */
static void branches_are_the_same_with_more_bytes(void **state)
{
	uint8_t bytes[INSN_MAX_LENGTH] = { 0, 0x90, 0x70, 0xf0, 0x80, 0x92 };
	struct insn quick, slow;
	struct insn_branch branch;
	unsigned int opcode, map, branches = 0;
	bool is_branch;

	(void)state;
	for (map = 0; map < 2; map++)
		for (opcode = 0; opcode < 256; opcode++) {
			bytes[0] = 0x0f;
			bytes[1] = 0x90;
			bytes[map] = opcode;
			if (insn_decode(&quick, bytes, sizeof(bytes)) != INSN_OK)
				continue;
			assert_int_equal(insn_decode(&slow, bytes, quick.length), INSN_OK);
			assert_memory_equal(&quick, &slow, sizeof(slow));
			is_branch = quick.class == INSN_JCC || quick.class == INSN_JMP ||
				    quick.class == INSN_CALL;
			branches += is_branch;
			assert_int_equal(insn_direct_branch(&branch, bytes, sizeof(bytes)),
					 is_branch);
			assert_false(insn_direct_branch(&branch, bytes, sizeof(bytes) - 1));
			if (!is_branch)
				continue;
			assert_int_equal(branch.length, slow.length);
			assert_int_equal(branch.class, slow.class);
			assert_int_equal(branch.distance, slow.imm);
		}
	assert_int_equal(branches, 35);
}

static unsigned int filler(const u8 *bytes, size_t size)
{
	struct insn insn;

	assert_int_equal(insn_decode(&insn, bytes, size), INSN_OK);
	return insn_filler(&insn, bytes + insn.length, size - insn.length);
}

static void what_fills_up_a_jump(void **state)
{
	static const u8 whole[] = { 0xff, 0xe0, 0xcc, 0x66, 0x90, 0xcc };
	size_t size;

	(void)state;
	assert_int_equal(filler(whole, sizeof(whole)), 3);
	/* The last int3 is the compiler's: without it, what is behind may run. */
	for (size = 2; size < sizeof(whole); size++)
		assert_int_equal(filler(whole, size), 0);
	assert_int_equal(filler(BYTES(0xff, 0xe0, 0xcc, 0x66, 0x90, 0xc3)), 0);
	/* Through r8 and up: of 5 bytes, and of 6. */
	assert_int_equal(filler(BYTES(0x41, 0xff, 0xe0, 0xcc, 0x90, 0xcc)), 2);
	assert_int_equal(filler(BYTES(0x41, 0xff, 0xe0, 0xcc, 0x90)), 0);
	assert_int_equal(filler(BYTES(0x41, 0xff, 0xe0, 0xcc, 0x90, 0xc3)), 0);
	assert_int_equal(filler(BYTES(0x41, 0xff, 0xe0, 0xcc, 0x66, 0x90, 0xcc)), 3);
	/* Clang's conditional jump, which has none behind it; other nops. */
	assert_int_equal(filler(BYTES(0xff, 0xe0, 0xcc, 0x90, 0xcc)), 0);
	assert_int_equal(filler(BYTES(0xff, 0xe0, 0xcc, 0x90, 0x90, 0xcc)), 0);
	assert_int_equal(filler(BYTES(0xff, 0xe0, 0xcc, 0xcc, 0x66, 0x90, 0xcc)), 0);
	/* Prefixes that the kernel does not write: notrack, cs. */
	assert_int_equal(filler(BYTES(0x3e, 0xff, 0xe0, 0xcc, 0x66, 0x90, 0xcc)), 0);
	assert_int_equal(filler(BYTES(0x2e, 0x41, 0xff, 0xe0, 0xcc, 0x90, 0xcc)), 0);
	/* Through memory; a call; a direct jump; a return. */
	assert_int_equal(filler(BYTES(0xff, 0x20, 0xcc, 0x66, 0x90, 0xcc)), 0);
	assert_int_equal(filler(BYTES(0xff, 0xd0, 0xcc, 0x66, 0x90, 0xcc)), 0);
	assert_int_equal(filler(BYTES(0xeb, 0x10, 0xcc, 0x66, 0x90, 0xcc)), 0);
	assert_int_equal(filler(BYTES(0xc3, 0xcc, 0x66, 0x90, 0xcc)), 0);
}

static void checks_that_are_off(void **state)
{
	static const u8 off[] = { 0xeb, 0x0c, 0xa3, 0x36, 0xa8, 0x54, 0x45, 0x03, 0x53, 0xf1, 0x74, 0x02,
				  0x0f, 0x0b };
	u8 other[sizeof(off)];
	size_t at;

	(void)state;
	assert_int_equal(insn_check_off(off, sizeof(off)), 14);
	assert_int_equal(insn_check_off(off, sizeof(off) - 1), 0);
	for (at = 0; at < sizeof(off); at++) {
		memcpy(other, off, sizeof(off));
		other[at] ^= 0x40;
		/* Of the hash, and of where a function has it, any byte will do. */
		assert_int_equal(insn_check_off(other, sizeof(other)),
				 (at >= 2 && at < 6) || at == 9 ? 14 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operand_size_decides_the_immediate),
		cmocka_unit_test(test_group_3_alone_has_an_immediate),
		cmocka_unit_test(enter_has_two_immediates),
		cmocka_unit_test(extrq_has_two_immediates),
		cmocka_unit_test(moffs_is_a_displacement),
		cmocka_unit_test(displacements_of_modrm),
		cmocka_unit_test(disp_and_imm_follow_each_other),
		cmocka_unit_test(rip_relative_is_detected),
		cmocka_unit_test(mov_of_control_registers_has_no_memory_operand),
		cmocka_unit_test(prefixes_are_recorded),
		cmocka_unit_test(only_fs_and_gs_are_segments),
		cmocka_unit_test(rex_counts_only_when_last),
		cmocka_unit_test(fifteen_bytes_are_the_limit),
		cmocka_unit_test(nothing_is_truncated),
		cmocka_unit_test(bytes_past_the_end_are_not_looked_at),
		cmocka_unit_test(encodings_and_maps),
		cmocka_unit_test(rex_of_vector_prefixes),
		cmocka_unit_test(opcodes_of_32_bit_mode_are_invalid),
		cmocka_unit_test(lock_needs_a_writer_of_memory),
		cmocka_unit_test(operand_forms_that_do_not_exist),
		cmocka_unit_test(mandatory_prefixes_that_do_not_exist),
		cmocka_unit_test(vector_prefixes_take_no_others),
		cmocka_unit_test(vector_fields_that_must_be_unused),
		cmocka_unit_test(gathers_need_distinct_registers),
		cmocka_unit_test(tiles),
		cmocka_unit_test(complex_products_need_distinct_registers),
		cmocka_unit_test(plain_length_is_the_length),
		cmocka_unit_test(dull_instructions_name_no_address),
		cmocka_unit_test(flowing_instructions_flow_on),
		cmocka_unit_test(only_addresses_that_count_are_found),
		cmocka_unit_test(skipping_ends_where_it_must),
		cmocka_unit_test(branches_are_the_same_with_more_bytes),
		cmocka_unit_test(what_fills_up_a_jump),
		cmocka_unit_test(checks_that_are_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
