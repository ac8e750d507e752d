// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of arch/x86/insn.c: a named case for each situation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../arch/x86/insn.h"

#define BYTES(...)	(const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })

/* Decode from a buffer of its own, of which AddressSanitizer sees both ends. */
static enum insn_status decode(struct insn *insn, const u8 *bytes, size_t len)
{
	u8 *copy = malloc(len + !len);
	enum insn_status status;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	status = insn_decode(insn, len ? copy : copy + 1, len);
	free(copy);
	return status;
}

/* Decode what must be a whole instruction, and no instruction while it lacks a byte. */
static struct insn decode_ok(const u8 *bytes, size_t len)
{
	struct insn insn;
	size_t i;

	for (i = 0; i < len; i++) {
		assert_int_equal(decode(&insn, bytes, i), INSN_TRUNCATED);
		assert_int_equal(insn.length, 0);
	}
	assert_int_equal(decode(&insn, bytes, len), INSN_OK);
	assert_int_equal(insn.length, len);
	return insn;
}

static void assert_invalid(const u8 *bytes, size_t len)
{
	struct insn insn, zero;

	memset(&insn, 0xff, sizeof(insn));
	memset(&zero, 0, sizeof(zero));
	assert_int_equal(decode(&insn, bytes, len), INSN_INVALID);
	assert_memory_equal(&insn, &zero, sizeof(insn));
}

static void assert_class(enum insn_class class, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_string_equal(insn_class_name(insn.class), insn_class_name(class));
	assert_int_equal(insn.refuse, INSN_REFUSE_NONE);
	assert_null(insn_refusal(&insn));
}

static void assert_refused(enum insn_refuse why, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn.class, INSN_REFUSED);
	assert_int_equal(insn.refuse, why);
	assert_non_null(insn_refusal(&insn));
}

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

/* Classes */

static void direct_branches(void **state)
{
	struct insn insn;
	u8 bytes[6] = { 0 };
	unsigned int i;

	(void)state;
	assert_class(INSN_JMP, BYTES(0xeb, 0xfe));
	assert_class(INSN_JMP, BYTES(0xe9, 0x01, 0x02, 0x03, 0x04));
	assert_class(INSN_CALL, BYTES(0xe8, 0x01, 0x02, 0x03, 0x04));
	for (i = 0; i < 16; i++) {
		bytes[0] = 0x70 + i;
		assert_class(INSN_JCC, bytes, 2);
		bytes[0] = 0x0f;
		bytes[1] = 0x80 + i;
		assert_class(INSN_JCC, bytes, 6);
		bytes[1] = 0;
	}
	for (i = 0; i < 4; i++) {
		bytes[0] = 0xe0 + i;
		assert_class(INSN_LOOP, bytes, 2);
	}
	assert_class(INSN_LOOP, BYTES(0x67, 0xe3, 0x00));	/* jecxz */
	insn = decode_ok(BYTES(0xeb, 0xfe));
	assert_true(insn_branch_target(&insn, 0x1000) == 0x1000);
	insn = decode_ok(BYTES(0xe8, 0x00, 0x00, 0x00, 0x80));
	assert_true(insn_branch_target(&insn, 0xffffffff81000000) == 0xffffffff01000005);
}

static void indirect_branches(void **state)
{
	(void)state;
	assert_class(INSN_CALL_IND, BYTES(0xff, 0xd0));			/* call *%rax */
	assert_class(INSN_JMP_IND, BYTES(0xff, 0xe4));			/* jmp *%rsp */
	assert_class(INSN_CALL_IND, BYTES(0x41, 0xff, 0x14, 0xc4));	/* call *(%r12,%rax,8) */
	assert_class(INSN_JMP_IND, BYTES(0xff, 0x25, 0, 0, 0, 0));	/* jmp *0(%rip) */
	assert_class(INSN_JMP_IND, BYTES(0x3e, 0xff, 0xe0));		/* notrack jmp *%rax */
	assert_class(INSN_SLOT, BYTES(0xff, 0x30));			/* push (%rax) */
	assert_class(INSN_SLOT, BYTES(0xff, 0x00));			/* incl (%rax) */
}

static void returns(void **state)
{
	(void)state;
	assert_class(INSN_RET, BYTES(0xc3));
	assert_class(INSN_RET, BYTES(0xf3, 0xc3));			/* repz ret */
	assert_class(INSN_RET, BYTES(0xf2, 0xc3));			/* bnd ret */
	assert_class(INSN_RET, BYTES(0xc2, 0x10, 0x00));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xcb));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xca, 0x10, 0x00));
}

static void prefixed_branches_are_ordinary(void **state)
{
	(void)state;
	assert_class(INSN_JMP, BYTES(0xf2, 0xe9, 0, 0, 0, 0));		/* bnd jmp */
	assert_class(INSN_JMP, BYTES(0x2e, 0xe9, 0, 0, 0, 0));		/* cs jmp */
	assert_class(INSN_JCC, BYTES(0x3e, 0x74, 0x00));		/* je,pt */
	assert_class(INSN_CALL, BYTES(0x48, 0xe8, 0, 0, 0, 0));		/* rex.W call */
	/* data16 data16 rex.W call __tls_get_addr */
	assert_class(INSN_CALL, BYTES(0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0));
	assert_class(INSN_JMP_IND, BYTES(0x66, 0x48, 0xff, 0xe0));
}

static void branches_of_16_bits_differ_between_processors(void **state)
{
	(void)state;
	/* rel32 for Intel, rel16 for AMD: no length at all */
	assert_invalid(BYTES(0x66, 0xe8, 0, 0, 0, 0));
	assert_invalid(BYTES(0x66, 0xe9, 0, 0, 0, 0));
	assert_invalid(BYTES(0x66, 0x0f, 0x84, 0, 0, 0, 0));
	assert_invalid(BYTES(0x66, 0x66, 0xe8, 0, 0, 0, 0));
	/* one length, two meanings */
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xeb, 0x00));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0x74, 0x00));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xe2, 0x00));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xc3));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xff, 0xe0));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xff, 0x10));
}

static void nops(void **state)
{
	(void)state;
	assert_class(INSN_NOP, BYTES(0x90));
	assert_class(INSN_NOP, BYTES(0x66, 0x90));
	assert_class(INSN_NOP, BYTES(0x48, 0x90));
	assert_class(INSN_NOP, BYTES(0x0f, 0x1f, 0x00));
	assert_class(INSN_NOP, BYTES(0x0f, 0x1f, 0x44, 0x00, 0x00));
	assert_class(INSN_NOP, BYTES(0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0));
	assert_class(INSN_NOP, BYTES(0xf3, 0x0f, 0x1e, 0xfa));		/* endbr64 */
	assert_class(INSN_NOP, BYTES(0xf3, 0x0f, 0x1e, 0xfb));		/* endbr32 */
}

static void what_looks_like_a_nop(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0xf3, 0x90));			/* pause */
	assert_class(INSN_SLOT, BYTES(0x41, 0x90));			/* xchg %eax,%r8d */
	assert_class(INSN_SLOT, BYTES(0xf3, 0x41, 0x90));
	assert_class(INSN_SLOT, BYTES(0x91));				/* xchg %eax,%ecx */
	assert_class(INSN_SLOT, BYTES(0xf3, 0x48, 0x0f, 0x1e, 0xc8));	/* rdsspq %rax */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x1e, 0xfa));		/* no F3, no endbr */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x1f, 0xc8));		/* 0f 1f /1 */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x18, 0x08));		/* prefetcht0 */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x0d, 0x08));		/* prefetchw */
}

static void flag_instructions(void **state)
{
	(void)state;
	assert_class(INSN_PUSHF, BYTES(0x9c));
	assert_class(INSN_PUSHF, BYTES(0x66, 0x9c));
	assert_class(INSN_POPF, BYTES(0x9d));
	assert_class(INSN_POPF, BYTES(0x66, 0x9d));
	assert_class(INSN_CLI, BYTES(0xfa));
	assert_class(INSN_STI, BYTES(0xfb));
	assert_class(INSN_SLOT, BYTES(0xfc));				/* cld */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xca));		/* clac */
}

static void stack_instructions_go_to_the_slot(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0x55));				/* push %rbp */
	assert_class(INSN_SLOT, BYTES(0x41, 0x5f));			/* pop %r15 */
	assert_class(INSN_SLOT, BYTES(0x8f, 0x00));			/* pop (%rax) */
	assert_class(INSN_SLOT, BYTES(0xc9));				/* leave */
	assert_class(INSN_SLOT, BYTES(0xc8, 0x10, 0x00, 0x00));		/* enter */
	assert_class(INSN_SLOT, BYTES(0x0f, 0xa1));			/* pop %fs */
}

static void refused_instructions(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_BREAKPOINT, BYTES(0xcc));
	assert_refused(INSN_REFUSE_BREAKPOINT, BYTES(0xf1));
	assert_refused(INSN_REFUSE_UNDEFINED, BYTES(0x0f, 0x0b));
	assert_refused(INSN_REFUSE_UNDEFINED, BYTES(0x0f, 0xb9, 0x40, 0x10));
	assert_refused(INSN_REFUSE_UNDEFINED, BYTES(0x0f, 0xff, 0xc0));
	assert_refused(INSN_REFUSE_SOFT_INTERRUPT, BYTES(0xcd, 0x80));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x0f, 0x05));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x48, 0x0f, 0x07));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x0f, 0x34));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x48, 0x0f, 0x35));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0x48, 0xcf));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xff, 0x18));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xff, 0x28));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0x0f, 0xaa));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xf2, 0x0f, 0x01, 0xca));
	assert_refused(INSN_REFUSE_SWAPGS, BYTES(0x0f, 0x01, 0xf8));
	assert_refused(INSN_REFUSE_HALT, BYTES(0xf4));
	assert_refused(INSN_REFUSE_HALT, BYTES(0x0f, 0x01, 0xc9));
	assert_refused(INSN_REFUSE_HALT, BYTES(0x0f, 0x01, 0xfb));
	assert_refused(INSN_REFUSE_HALT, BYTES(0x66, 0x0f, 0xae, 0xf0));
	assert_refused(INSN_REFUSE_HALT, BYTES(0xf2, 0x0f, 0xae, 0xf0));
	assert_refused(INSN_REFUSE_STACK_SHADOW, BYTES(0x8e, 0xd0));
	assert_refused(INSN_REFUSE_STACK_SHADOW, BYTES(0x8e, 0x10));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xc2));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xc3));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xd4));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xd8));
	assert_refused(INSN_REFUSE_TRANSACTION, BYTES(0xc7, 0xf8, 0, 0, 0, 0));
	assert_refused(INSN_REFUSE_TRANSACTION, BYTES(0xc6, 0xf8, 0x01));
	assert_refused(INSN_REFUSE_TRANSACTION, BYTES(0x0f, 0x01, 0xd5));
	assert_refused(INSN_REFUSE_USER_INTERRUPT, BYTES(0xf3, 0x0f, 0x01, 0xec));
	assert_refused(INSN_REFUSE_USER_INTERRUPT, BYTES(0xf3, 0x0f, 0xc7, 0xf0));
}

static void near_relatives_of_refused_ones_are_not(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0x8e, 0xd8));			/* mov %eax,%ds */
	assert_class(INSN_SLOT, BYTES(0x8c, 0xd0));			/* mov %ss,%eax */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xc1));		/* vmcall */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xd9));		/* vmmcall */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xc8));		/* monitor */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xf9));		/* rdtscp */
	assert_class(INSN_SLOT, BYTES(0x0f, 0xae, 0xf0));		/* mfence */
	assert_class(INSN_SLOT, BYTES(0x66, 0x0f, 0xae, 0x30));		/* clwb */
}

static void every_reason_and_class_has_a_text(void **state)
{
	struct insn insn = { .class = INSN_REFUSED };
	unsigned int i;

	(void)state;
	for (i = INSN_REFUSE_NONE + 1; i < INSN_NR_REFUSES; i++) {
		insn.refuse = i;
		assert_non_null(insn_refusal(&insn));
	}
	insn.refuse = INSN_NR_REFUSES;
	assert_null(insn_refusal(&insn));
	for (i = 0; i < INSN_NR_CLASSES; i++)
		assert_string_not_equal(insn_class_name(i), "?");
	assert_string_equal(insn_class_name(INSN_NR_CLASSES), "?");
	assert_string_equal(insn_class_name(-1u), "?");
}

/* Relocation */

#define FROM	0xffffffff81000000ull

static enum insn_status relocate(u8 *dst, u64 to, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	memset(dst, 0xaa, INSN_MAX_LENGTH);
	return insn_relocate(&insn, dst, bytes, FROM, to);
}

static void assert_relocated(u64 to, const u8 *bytes, size_t len, const u8 *wanted, size_t wlen)
{
	u8 dst[INSN_MAX_LENGTH + 1] = { [INSN_MAX_LENGTH] = 0xaa };

	assert_int_equal(len, wlen);
	assert_int_equal(relocate(dst, to, bytes, len), INSN_OK);
	assert_memory_equal(dst, wanted, wlen);
	assert_int_equal(dst[len], 0xaa);
}

static void assert_not_relocated(enum insn_status status, u64 to, const u8 *bytes, size_t len)
{
	u8 dst[INSN_MAX_LENGTH], untouched[INSN_MAX_LENGTH];

	memset(untouched, 0xaa, sizeof(untouched));
	assert_int_equal(relocate(dst, to, bytes, len), status);
	assert_memory_equal(dst, untouched, sizeof(dst));
}

static void rip_relative_relocated(void **state)
{
	(void)state;
	/* mov 0x1000(%rip),%rax */
	assert_relocated(FROM + 0x100, BYTES(0x48, 0x8b, 0x05, 0x00, 0x10, 0, 0),
			 BYTES(0x48, 0x8b, 0x05, 0x00, 0x0f, 0, 0));
	/* with an immediate behind it: cmpl $5,0x1000(%rip) */
	assert_relocated(FROM - 0x100, BYTES(0x83, 0x3d, 0x00, 0x10, 0, 0, 0x05),
			 BYTES(0x83, 0x3d, 0x00, 0x11, 0, 0, 0x05));
	/* jmp *0(%rip) */
	assert_relocated(FROM + 1, BYTES(0xff, 0x25, 0, 0, 0, 0),
			 BYTES(0xff, 0x25, 0xff, 0xff, 0xff, 0xff));
}

static void position_independent_is_copied(void **state)
{
	(void)state;
	assert_relocated(0, BYTES(0x55), BYTES(0x55));
	assert_relocated(0, BYTES(0x48, 0x8b, 0x45, 0x10), BYTES(0x48, 0x8b, 0x45, 0x10));
	assert_relocated(0, BYTES(0x8b, 0x04, 0x25, 1, 2, 3, 4),
			 BYTES(0x8b, 0x04, 0x25, 1, 2, 3, 4));
	assert_relocated(0, BYTES(0xcd, 0x80), BYTES(0xcd, 0x80));
}

static void direct_branches_relocated(void **state)
{
	(void)state;
	assert_relocated(FROM + 0x10, BYTES(0xe8, 0x00, 0x10, 0, 0), BYTES(0xe8, 0xf0, 0x0f, 0, 0));
	assert_relocated(FROM + 0x10, BYTES(0xe9, 0x00, 0x10, 0, 0), BYTES(0xe9, 0xf0, 0x0f, 0, 0));
	assert_relocated(FROM + 0x10, BYTES(0x0f, 0x84, 0x00, 0x10, 0, 0),
			 BYTES(0x0f, 0x84, 0xf0, 0x0f, 0, 0));
	assert_relocated(FROM + 0x10, BYTES(0x66, 0x48, 0xe8, 0x00, 0x10, 0, 0),
			 BYTES(0x66, 0x48, 0xe8, 0xf0, 0x0f, 0, 0));
}

static void short_branches_are_not_relocated(void **state)
{
	(void)state;
	assert_not_relocated(INSN_INVALID, FROM, BYTES(0xeb, 0x00));
	assert_not_relocated(INSN_INVALID, FROM, BYTES(0x74, 0x00));
	assert_not_relocated(INSN_INVALID, FROM, BYTES(0xe2, 0x00));
	assert_not_relocated(INSN_INVALID, FROM, BYTES(0xe3, 0x00));
	assert_not_relocated(INSN_INVALID, FROM, BYTES(0x66, 0xeb, 0x00));
	assert_not_relocated(INSN_INVALID, FROM, BYTES(0xc7, 0xf8, 0, 0, 0, 0));	/* xbegin */
}

static void relocation_out_of_range_leaves_dst(void **state)
{
	const u64 far = 0x80000000;

	(void)state;
	/*
	 * mov 0(%rip),%eax:
	 * -2 GB is the farthest the displacement reaches, 2 GB - 1 the other way
	 */
	assert_relocated(FROM + far,
			 BYTES(0x8b, 0x05, 0, 0, 0, 0), BYTES(0x8b, 0x05, 0, 0, 0, 0x80));
	assert_not_relocated(INSN_OUT_OF_RANGE, FROM + far + 1, BYTES(0x8b, 0x05, 0, 0, 0, 0));
	assert_relocated(FROM - far + 1, BYTES(0x8b, 0x05, 0, 0, 0, 0),
			 BYTES(0x8b, 0x05, 0xff, 0xff, 0xff, 0x7f));
	assert_not_relocated(INSN_OUT_OF_RANGE, FROM - far, BYTES(0x8b, 0x05, 0, 0, 0, 0));
	assert_not_relocated(INSN_OUT_OF_RANGE, FROM + far + 1, BYTES(0xe8, 0, 0, 0, 0));
	/* half the address space away */
	assert_not_relocated(INSN_OUT_OF_RANGE, FROM + (1ull << 63), BYTES(0xe8, 0, 0, 0, 0));
}

static void relocation_wraps_around_the_address_space(void **state)
{
	struct insn insn = decode_ok(BYTES(0x8b, 0x05, 0x00, 0x20, 0, 0));
	const u8 src[] = { 0x8b, 0x05, 0x00, 0x20, 0, 0 };
	const u8 wanted[] = { 0x8b, 0x05, 0x00, 0x10, 0, 0 };
	u8 dst[6];

	(void)state;
	assert_int_equal(insn_relocate(&insn, dst, src, -0x800ull, 0x800), INSN_OK);
	assert_memory_equal(dst, wanted, sizeof(dst));
}

static void addr32_rip_relative_relocates_anywhere(void **state)
{
	(void)state;
	/* addr32 mov 0x10(%rip),%eax: the address is cut to 32 bits */
	assert_relocated(0x7000000000000000, BYTES(0x67, 0x8b, 0x05, 0x10, 0, 0, 0),
			 BYTES(0x67, 0x8b, 0x05, 0x10, 0, 0, 0x81));
}

/* Faults */

static void assert_may_fault(bool may, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn_may_fault(&insn), may);
}

static void what_may_fault(void **state)
{
	(void)state;
	assert_may_fault(true, BYTES(0x8b, 0x00));			/* mov (%rax),%eax */
	assert_may_fault(true, BYTES(0x01, 0x00));			/* add %eax,(%rax) */
	assert_may_fault(true, BYTES(0x50));				/* push %rax */
	assert_may_fault(true, BYTES(0x58));				/* pop %rax */
	assert_may_fault(true, BYTES(0xff, 0xf0));			/* push %rax, the other */
	assert_may_fault(true, BYTES(0xc9));				/* leave */
	assert_may_fault(true, BYTES(0xa4));				/* movsb */
	assert_may_fault(true, BYTES(0xd7));				/* xlat */
	assert_may_fault(true, BYTES(0xf7, 0xf0));			/* div %eax */
	assert_may_fault(true, BYTES(0xf6, 0xf8));			/* idiv %al */
	assert_may_fault(true, BYTES(0xe8, 0, 0, 0, 0));		/* call */
	assert_may_fault(true, BYTES(0xc3));				/* ret */
	assert_may_fault(true, BYTES(0x9c));				/* pushf */
	assert_may_fault(true, BYTES(0x9d));				/* popf */
	assert_may_fault(true, BYTES(0xff, 0xd0));			/* call *%rax */
	/* jmp *%rax, not canonical */
	assert_may_fault(true, BYTES(0xff, 0xe0));
	assert_may_fault(true, BYTES(0x0f, 0x30));			/* wrmsr */
	assert_may_fault(true, BYTES(0x0f, 0x32));			/* rdmsr */
	assert_may_fault(true, BYTES(0x0f, 0xae, 0x28));		/* xrstor */
	assert_may_fault(true, BYTES(0x0f, 0x22, 0xc0));		/* mov %rax,%cr0 */
	assert_may_fault(true, BYTES(0x8e, 0xd8));			/* mov %eax,%ds */
	assert_may_fault(true, BYTES(0x0f, 0x58, 0xc0));		/* addps */
	assert_may_fault(true, BYTES(0xa1, 0, 0, 0, 0, 0, 0, 0, 0));	/* movabs */
	assert_may_fault(true, BYTES(0xc5, 0xf8, 0x58, 0xc0));		/* vaddps */
	assert_may_fault(true, BYTES(0x0f, 0xba, 0x28, 0x01));		/* bts */
}

static void what_cannot_fault(void **state)
{
	(void)state;
	assert_may_fault(false, BYTES(0x01, 0xc0));			/* add %eax,%eax */
	assert_may_fault(false, BYTES(0x89, 0xc0));			/* mov %eax,%eax */
	assert_may_fault(false, BYTES(0xb8, 0, 0, 0, 0));		/* mov $0,%eax */
	assert_may_fault(false, BYTES(0x8d, 0x00));			/* lea (%rax),%eax */
	assert_may_fault(false, BYTES(0x0f, 0x1f, 0x00));		/* nopl (%rax) */
	assert_may_fault(false, BYTES(0x0f, 0x18, 0x08));		/* prefetcht0 (%rax) */
	assert_may_fault(false, BYTES(0xf7, 0xd0));			/* not %eax */
	assert_may_fault(false, BYTES(0xf7, 0xe0));			/* mul %eax */
	assert_may_fault(false, BYTES(0xc1, 0xe0, 0x04));		/* shl $4,%eax */
	assert_may_fault(false, BYTES(0x0f, 0x44, 0xc1));		/* cmove */
	assert_may_fault(false, BYTES(0x0f, 0xb6, 0xc0));		/* movzbl */
	assert_may_fault(false, BYTES(0xff, 0xc0));			/* inc %eax */
	assert_may_fault(false, BYTES(0xeb, 0x00));			/* jmp */
	assert_may_fault(false, BYTES(0x74, 0x00));			/* je */
	assert_may_fault(false, BYTES(0xfa));				/* cli */
	assert_may_fault(false, BYTES(0x0f, 0xae, 0xf0));		/* mfence */
}

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

/* Every opcode, behind every REX or none, with every modrm. */
static void plain_length_is_the_length(void **state)
{
	static const uint8_t sibs[] = { 0x00, 0x05, 0x24, 0x25, 0x65, 0xc4, 0xff };
	uint8_t bytes[INSN_MAX_LENGTH + 2];
	unsigned int first, second, modrm, i, plain = 0;

	(void)state;
	memset(bytes, 0x66, sizeof(bytes));
	for (first = 0x3f; first < 0x50; first++)
		for (second = 0; second < 256; second++)
			for (modrm = 0; modrm < 256; modrm++)
				for (i = 0; i < sizeof(sibs); i++) {
					bytes[0] = first;
					bytes[1] = second;
					bytes[2] = modrm;
					bytes[3] = sibs[i];
					plain += compare_plain_length(bytes);
					plain += compare_plain_length(bytes + 1);
				}
	assert_true(plain > 1000000);
	assert_int_equal(insn_plain_length("\x89\xc0", 2), 0);
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
		cmocka_unit_test(direct_branches),
		cmocka_unit_test(indirect_branches),
		cmocka_unit_test(returns),
		cmocka_unit_test(prefixed_branches_are_ordinary),
		cmocka_unit_test(branches_of_16_bits_differ_between_processors),
		cmocka_unit_test(nops),
		cmocka_unit_test(what_looks_like_a_nop),
		cmocka_unit_test(flag_instructions),
		cmocka_unit_test(stack_instructions_go_to_the_slot),
		cmocka_unit_test(refused_instructions),
		cmocka_unit_test(near_relatives_of_refused_ones_are_not),
		cmocka_unit_test(every_reason_and_class_has_a_text),
		cmocka_unit_test(rip_relative_relocated),
		cmocka_unit_test(position_independent_is_copied),
		cmocka_unit_test(direct_branches_relocated),
		cmocka_unit_test(short_branches_are_not_relocated),
		cmocka_unit_test(relocation_out_of_range_leaves_dst),
		cmocka_unit_test(relocation_wraps_around_the_address_space),
		cmocka_unit_test(addr32_rip_relative_relocates_anywhere),
		cmocka_unit_test(plain_length_is_the_length),
		cmocka_unit_test(what_may_fault),
		cmocka_unit_test(what_cannot_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
