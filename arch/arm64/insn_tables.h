/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocation of the A64 encoding space, as far as insn_decode() looks it up.
 */
#ifndef LKP_ARM64_INSN_TABLES_H
#define LKP_ARM64_INSN_TABLES_H

#include "insn.h"

/* How the operands of a row are read; insn.c has the code for each form. */
enum insn_form {
	FORM_PLAIN,		/* the row says it all */
	FORM_REFUSED,		/* detail: enum insn_refuse */
	FORM_BITMASK,		/* a logical immediate, which may be invalid */
	FORM_EXCLUSIVE,		/* detail: INSN_MONITOR_*'s sign */
	FORM_ADR,
	FORM_LITERAL,
	FORM_BRANCH26,
	FORM_BRANCH19,
	FORM_BRANCH14,
	FORM_BRANCH9,
	FORM_REGISTER,		/* an indirect branch */
	FORM_HINT,
	FORM_PSTATE,		/* msr FIELD, #imm */
	FORM_MSR,
	FORM_MRS,
};

/**
 * struct insn_row - a set of instruction words
 * @mask: the fixed bits
 * @value: their values
 * @class: enum insn_class
 * @form: enum insn_form
 * @flags: INSN_*
 *
 * The first row that matches a word applies.
 */
struct insn_row {
	u32 mask;
	u32 value;
	u8 class;
	u8 form;
	u16 flags;
};

struct insn_table {
	const struct insn_row *rows;
	unsigned int nr;
};

/* By bits 28 to 25 of the word. */
extern const struct insn_table insn_tables[16];

#endif /* LKP_ARM64_INSN_TABLES_H */
