/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The attributes in the opcode tables, and the functions by which insn.c reads them.
 * Private to the decoder.
 */
#ifndef LKP_X86_INSN_TABLES_H
#define LKP_X86_INSN_TABLES_H

#include "insn.h"

/*
 * An opcode's attributes: one u32.
 *
 * An opcode that takes every mandatory prefix (any integer instruction, which
 * ignores those that have no meaning for it) lists none.  An opcode that takes
 * only some lists them with AT_ONLY(); the others are #UD.
 */
#define AT_MODRM	0x00000001u
#define AT_MEM		0x00000002u	/* memory operand only */
#define AT_REG		0x00000004u	/* register operand only */
#define AT_LOCK		0x00000008u	/* may be locked if it has a memory operand */
#define AT_MOD_IGNORED	0x00000010u	/* a register; modrm.mod is ignored */
#define AT_BAD		0x00000020u	/* no instruction */
#define AT_STEADY	0x00000040u	/* can only fault by accessing a memory operand */
#define AT_NO_ACCESS	0x00000080u	/* the memory operand is not accessed */

#define AT_IMM_SHIFT	8
#define AT_IMM(kind)	((u32)(kind) << AT_IMM_SHIFT)
#define AT_IMM_MASK	AT_IMM(7)

enum insn_imm {
	IMM_NONE,
	IMM_8,
	IMM_16,
	IMM_24,		/* 16 and 8 bits: enter */
	IMM_32,		/* a near branch */
	IMM_Z,		/* 16 bits with an operand-size prefix, else 32 */
	IMM_V,		/* as IMM_Z, but 64 with REX.W */
	IMM_MOFFS,	/* an address: a displacement without modrm */
};

/* Mandatory prefixes, in the numbering of VEX.pp. */
enum insn_pp {
	PP_NONE,
	PP_66,
	PP_F3,
	PP_F2,
};

#define AT_PP_SHIFT	11
#define ON_NP		(1u << PP_NONE)
#define ON_66		(1u << PP_66)
#define ON_F3		(1u << PP_F3)
#define ON_F2		(1u << PP_F2)
#define ON_ANY		(ON_NP | ON_66 | ON_F3 | ON_F2)
#define AT_ONLY(on)	((ON_ANY & ~(u32)(on)) << AT_PP_SHIFT)

#define AT_GROUP_SHIFT	15
#define AT_GROUP(group)	((u32)(group) << AT_GROUP_SHIFT)
#define AT_GROUP_MASK	AT_GROUP(31)

#define AT_CLASS_SHIFT	20
#define AT_CLASS(class)	((u32)(class) << AT_CLASS_SHIFT)

#define AT_REFUSE_SHIFT	24
#define AT_REFUSE(why)	(AT_CLASS(INSN_REFUSED) | ((u32)(why) << AT_REFUSE_SHIFT))

static inline enum insn_imm at_imm(u32 at)
{
	return (at & AT_IMM_MASK) >> AT_IMM_SHIFT;
}

static inline bool at_takes(u32 at, enum insn_pp pp)
{
	return !(at >> AT_PP_SHIFT & 1u << pp);
}

static inline unsigned int at_group(u32 at)
{
	return (at & AT_GROUP_MASK) >> AT_GROUP_SHIFT;
}

static inline enum insn_class at_class(u32 at)
{
	return at >> AT_CLASS_SHIFT & 15;
}

static inline enum insn_refuse at_refuse(u32 at)
{
	return at >> AT_REFUSE_SHIFT & 15;
}

/* A member of a steady group that is not steady itself. */
#define AT_DIVIDES	0x10000000u

/*
 * Groups: opcodes whose modrm.reg selects the instruction.  GROUP_ROWS is for
 * opcodes that need more than that: their rows are searched.
 */
enum insn_group {
	GROUP_NONE,
	GROUP_ROWS,
	GROUP_ALU,
	GROUP_SHIFT,
	GROUP_POP,
	GROUP_MOV,
	GROUP_UNARY8,
	GROUP_UNARY,
	GROUP_INC8,
	GROUP_INC,
	GROUP_MOV_FROM_SEG,
	GROUP_MOV_TO_SEG,
	GROUP_BT,
	GROUP_NOP,
	GROUP_X87,
	INSN_NR_GROUPS
};

extern const u32 insn_one_byte[256];
extern const u32 insn_0f[256];
extern const u32 insn_groups[INSN_NR_GROUPS][8];

/**
 * struct insn_row - an instruction, for opcodes that need more than a group
 * @first: the first opcode byte it applies to
 * @last: the last one
 * @mask: the bits of modrm that are compared
 * @modrm: the value that they must have
 * @on: the mandatory prefixes it is for, ON_*
 * @at: its attributes; AT_MEM or AT_REG must fit modrm.mod too
 */
struct insn_row {
	u8 first;
	u8 last;
	u8 mask;
	u8 modrm;
	u32 on;
	u32 at;
};

/* Each ends with a row of @on == 0; the first row that fits is the instruction. */
extern const struct insn_row insn_rows_0f[];
extern const struct insn_row insn_rows_0f38[];
extern const struct insn_row insn_rows_0f3a[];

/* x87: a bit for each second byte c0 to ff that exists, for the opcodes d8 to df. */
extern const u64 insn_x87_reg[8];
/* The same for modrm.reg with a memory operand. */
extern const u8 insn_x87_mem[8];

/* Does this suffix byte of 3DNow! exist? */
bool insn_3dnow_exists(u8 suffix);

/**
 * struct insn_vector - the fields of a VEX, EVEX or XOP prefix
 * @pp: enum insn_pp
 * @length: VEX.L, EVEX.L'L
 * @vvvv: the bits as a register number, 0 if unused; bit 4 is EVEX.V'
 * @reg_high: EVEX.R' as bit 4 of a register number
 * @mask: EVEX.aaa
 * @broadcast: EVEX.b
 * @zeroing: EVEX.z
 */
struct insn_vector {
	u8 pp;
	u8 length;
	u8 vvvv;
	u8 reg_high;
	u8 mask;
	u8 broadcast;
	u8 zeroing;
};

/* The values that the fields of a vector instruction may have. */
#define VEC_W0		0x00001u
#define VEC_W1		0x00002u
#define VEC_L0		0x00004u
#define VEC_L1		0x00008u
#define VEC_L2		0x00010u
#define VEC_MEM		0x00020u	/* a memory operand */
#define VEC_REG		0x00040u	/* a register operand */
#define VEC_SIB		0x00080u	/* a memory operand that needs a SIB byte */
#define VEC_VVVV	0x00100u	/* vvvv names a register; else it must be unused */
#define VEC_VVVV_8	0x00200u	/* vvvv is below 8 */
#define VEC_REG_8	0x00400u	/* modrm.reg is below 8: a mask or a tile */
#define VEC_REG_16	0x00800u	/* modrm.reg is below 16: a general register */
#define VEC_DISTINCT	0x01000u	/* #UD unless the registers differ */
#define VEC_MASK	0x02000u	/* EVEX.aaa may be used */
#define VEC_MASKED	0x04000u	/* EVEX.aaa must be used */
#define VEC_ZERO_REG	0x08000u	/* EVEX.z with a register operand */
#define VEC_ZERO_MEM	0x10000u	/* EVEX.z with a memory operand */
#define VEC_BROADCAST	0x20000u	/* EVEX.b with a memory operand */
#define VEC_ROUNDING	0x40000u	/* EVEX.b with a register operand and any L'L */
#define VEC_RM_0	0x80000u	/* modrm.rm extends the opcode and is 0 */

/**
 * struct insn_vector_row - a form of a vector instruction
 * @first: the first opcode byte it applies to
 * @last: the last one
 * @on: the values of pp, ON_*
 * @regs: a bit for each modrm.reg that exists
 * @fields: VEC_*
 */
struct insn_vector_row {
	u8 first;
	u8 last;
	u8 on;
	u8 regs;
	u32 fields;
};

/* Each ends with a row of @on == 0. */
extern const struct insn_vector_row insn_vex_0f[], insn_vex_0f38[], insn_vex_0f3a[];
extern const struct insn_vector_row insn_evex_0f[], insn_evex_0f38[], insn_evex_0f3a[];
extern const struct insn_vector_row insn_evex_5[], insn_evex_6[];
extern const struct insn_vector_row insn_xop_8[], insn_xop_9[], insn_xop_a[];

/* The bytes of immediate of an opcode of a VEX, EVEX or XOP map. */
unsigned int insn_vector_imm(const struct insn *insn);

/* Does the opcode take these fields?  insn's modrm and sib have been read. */
bool insn_vector_exists(const struct insn *insn, const struct insn_vector *vec);

static inline s32 signed32(const u8 *bytes)
{
	return (s32)((u32)bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 |
		     (u32)bytes[3] << 24);
}

#endif /* LKP_X86_INSN_TABLES_H */
