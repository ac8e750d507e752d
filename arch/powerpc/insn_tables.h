/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables that insn_decode() looks words up in: a row for each instruction,
 * by its name in the Power ISA.
 */
#ifndef LKP_POWERPC_INSN_TABLES_H
#define LKP_POWERPC_INSN_TABLES_H

#include "insn.h"

/* Conditions on the operands beyond the fixed bits of a row. */
enum insn_check {
	INSN_CHECK_NONE,
	INSN_CHECK_UPDATE,		/* RA is written, so it is not r0 */
	INSN_CHECK_LOAD_UPDATE,		/* nor is it the register that is loaded */
	INSN_CHECK_MULTIPLE,		/* lmw: RA is not among those loaded */
	INSN_CHECK_STRING,		/* lswi: the same; they wrap from r31 to r0 */
	INSN_CHECK_STRING_INDEXED,	/* lswx: RT is neither RA nor RB */
	INSN_CHECK_QUAD,		/* lq: RA is not RT */
	INSN_CHECK_QUAD_INDEXED,	/* lqarx: nor is RB */
	INSN_CHECK_ONE_FIELD,		/* mfocrf, mtocrf: FXM has one bit */
	INSN_CHECK_SYNC,		/* sync: the values of L */
	INSN_CHECK_WAIT,		/* wait: those of WC */
	INSN_CHECK_FLUSH,		/* dcbf: those of L */
	INSN_CHECK_BO,			/* no reserved BO */
	INSN_CHECK_ACC,			/* the sources are no part of the accumulator */
};

/**
 * struct insn_row - one instruction
 * @name: of the ISA, without the dot that its Rc bit adds
 * @match: its fixed bits
 * @fields: the bits that are operands; all others must be as in @match
 * @class: enum insn_class
 * @refuse: enum insn_refuse
 * @check: enum insn_check
 * @flags: as in struct insn
 */
struct insn_row {
#ifndef __KERNEL__
	const char *name;
#endif
	u32 match;
	u32 fields;
	u8 class;
	u8 refuse;
	u8 check;
	u8 flags;
};

/**
 * struct insn_prefixed_row - one prefixed instruction
 * @prefix: the fixed bits of its first word
 * @prefix_fields: the operands in it
 * @suffix: the second word; where the first has a bit R, the class is the one
 *	with it set, and INSN_SLOT without it
 */
struct insn_prefixed_row {
	u32 prefix;
	u32 prefix_fields;
	struct insn_row suffix;
};

#ifdef __KERNEL__
#define INSN_NAMED(str)
#else
#define INSN_NAMED(str)	.name = (str),
#endif

/* The fields of an instruction word. */
#define F_T	0x03e00000	/* RT, RS, BO, FRT, ... */
#define F_A	0x001f0000
#define F_B	0x0000f800
#define F_C	0x000007c0
#define F_RC	0x00000001
#define F_OE	0x00000400

/* of a prefix: R, and the high 18 bits of a displacement */
#define F_R	0x00100000
#define F_D34	(F_R | 0x0003ffff)

#define OP(primary)	((u32)(primary) << 26)

/* A row of the vector tables: all run in a slot. */
#define V(str, bits, operands)							\
	{ INSN_NAMED(str) .match = (bits), .fields = (operands), .class = INSN_SLOT }

/* The same for an instruction that works on an accumulator. */
#define ACC(str, bits, operands)						\
	{ INSN_NAMED(str) .match = (bits), .fields = (operands), .class = INSN_SLOT,	\
	  .check = INSN_CHECK_ACC }

/* Those with many instructions each, in insn_vector_tables.c; a row of zeros ends them. */
extern const struct insn_row insn_op4[];
extern const struct insn_row insn_op59[];
extern const struct insn_row insn_op60[];
extern const struct insn_row insn_op63[];

/* For each primary opcode its rows; NULL: there are none. */
extern const struct insn_row * const insn_rows[64];
extern const struct insn_prefixed_row insn_prefixed_rows[];

#endif /* LKP_POWERPC_INSN_TABLES_H */
