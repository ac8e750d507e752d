/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the decoder of arch/powerpc/insn.c share.
 */
#ifndef LKP_UNIT_POWERPC_INSN_TEST_H
#define LKP_UNIT_POWERPC_INSN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../../arch/powerpc/insn_tables.h"

/* Decode from a buffer of its own, of which AddressSanitizer sees both ends. */
static inline enum insn_status decode_bytes(struct insn *insn, const u8 *bytes, size_t len)
{
	u8 *copy = malloc(len + !len);
	enum insn_status status;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	status = insn_decode(insn, len ? copy : copy + 1, len);
	free(copy);
	return status;
}

static inline void assert_zero(const struct insn *insn)
{
	struct insn zero;

	memset(&zero, 0, sizeof(zero));
	assert_memory_equal(insn, &zero, sizeof(zero));
}

/* Decode what must be a whole instruction, and none while it lacks a byte. */
static inline struct insn decode_words(const u32 *words, size_t len)
{
	struct insn insn;
	size_t i;

	for (i = 0; i < len; i++) {
		assert_int_equal(decode_bytes(&insn, (const u8 *)words, i), INSN_TRUNCATED);
		assert_zero(&insn);
	}
	assert_int_equal(decode_bytes(&insn, (const u8 *)words, len), INSN_OK);
	assert_int_equal(insn.length, len);
	return insn;
}

static inline struct insn decode(u32 word)
{
	return decode_words(&word, 4);
}

static inline struct insn decode2(u32 prefix, u32 suffix)
{
	return decode_words((const u32[]){ prefix, suffix }, 8);
}

static inline void assert_class_of(const struct insn *insn, enum insn_class class)
{
	assert_string_equal(insn_class_name(insn->class), insn_class_name(class));
	assert_int_equal(insn->refuse, INSN_REFUSE_NONE);
	assert_null(insn_refusal(insn));
}

static inline void assert_class(enum insn_class class, u32 word)
{
	struct insn insn = decode(word);

	assert_class_of(&insn, class);
}

static inline void assert_class2(enum insn_class class, u32 prefix, u32 suffix)
{
	struct insn insn = decode2(prefix, suffix);

	assert_class_of(&insn, class);
}

static inline void assert_refusal_of(const struct insn *insn, enum insn_refuse why)
{
	assert_int_equal(insn->class, INSN_REFUSED);
	assert_int_equal(insn->refuse, why);
	assert_non_null(insn_refusal(insn));
	assert_true(insn_may_fault(insn));
}

static inline void assert_refused(enum insn_refuse why, u32 word)
{
	struct insn insn = decode(word);

	assert_refusal_of(&insn, why);
}

static inline void assert_refused2(enum insn_refuse why, u32 prefix, u32 suffix)
{
	struct insn insn = decode2(prefix, suffix);

	assert_refusal_of(&insn, why);
}

static inline void assert_invalid(u32 word)
{
	struct insn insn;

	memset(&insn, 0xff, sizeof(insn));
	assert_int_equal(insn_decode(&insn, &word, 4), INSN_INVALID);
	assert_zero(&insn);
}

static inline void assert_invalid2(u32 prefix, u32 suffix)
{
	u32 words[2] = { prefix, suffix };
	struct insn insn;

	memset(&insn, 0xff, sizeof(insn));
	assert_int_equal(insn_decode(&insn, words, 8), INSN_INVALID);
	assert_zero(&insn);
}

#endif /* LKP_UNIT_POWERPC_INSN_TEST_H */
