/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the decoder of arch/x86/insn.c share.
 */
#ifndef LKP_UNIT_INSN_TEST_H
#define LKP_UNIT_INSN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../arch/x86/insn.h"
#include "bytes.h"

/* Decode from a buffer of its own, of which AddressSanitizer sees both ends. */
static inline enum insn_status decode(struct insn *insn, const u8 *bytes, size_t len)
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
static inline struct insn decode_ok(const u8 *bytes, size_t len)
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

static inline void assert_invalid(const u8 *bytes, size_t len)
{
	struct insn insn, zero;

	memset(&insn, 0xff, sizeof(insn));
	memset(&zero, 0, sizeof(zero));
	assert_int_equal(decode(&insn, bytes, len), INSN_INVALID);
	assert_memory_equal(&insn, &zero, sizeof(insn));
}

static inline void assert_class(enum insn_class class, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_string_equal(insn_class_name(insn.class), insn_class_name(class));
	assert_int_equal(insn.refuse, INSN_REFUSE_NONE);
	assert_null(insn_refusal(&insn));
}

#endif /* LKP_UNIT_INSN_TEST_H */
