// SPDX-License-Identifier: GPL-2.0-only
/*
 * arch/x86/insn_relocate.c: instructions moved to another address.
 */
#include "insn_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rip_relative_relocated),
		cmocka_unit_test(position_independent_is_copied),
		cmocka_unit_test(direct_branches_relocated),
		cmocka_unit_test(short_branches_are_not_relocated),
		cmocka_unit_test(relocation_out_of_range_leaves_dst),
		cmocka_unit_test(relocation_wraps_around_the_address_space),
		cmocka_unit_test(addr32_rip_relative_relocates_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
