// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which VEX, EVEX and XOP encoded instructions exist: compares the rows of the
 * tables with the fields of an instruction.
 */
#include "insn_tables.h"

unsigned int insn_vector_imm(const struct insn *insn)
{
	u8 op = insn->opcode;

	switch (insn->map) {
	case INSN_MAP_0F:
		return (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
	case INSN_MAP_0F3A:
	case INSN_MAP_XOP8:
		return 1;
	case INSN_MAP_XOPA:
		return 4;
	default:
		return 0;
	}
}

static bool is_mem(const struct insn *insn)
{
	return insn->flags & INSN_HAS_MEM;
}

static bool fits_opcode(const struct insn_vector_row *row, const struct insn *insn,
			const struct insn_vector *vec)
{
	if (insn->opcode < row->first || insn->opcode > row->last)
		return false;
	return row->on & 1u << vec->pp && row->regs & 1u << (insn->modrm >> 3 & 7);
}

static bool fits_modrm(u32 fields, const struct insn *insn)
{
	if (fields & VEC_RM_0 && insn->modrm & 7)
		return false;
	if (!is_mem(insn))
		return fields & VEC_REG;
	return fields & VEC_MEM || (fields & VEC_SIB && insn->flags & INSN_HAS_SIB);
}

static bool fits_w(u32 fields, const struct insn *insn)
{
	return fields & (insn->rex & INSN_REX_W ? VEC_W1 : VEC_W0);
}

/* EVEX.b of a register form is rounding control or sae; L'L is then not a length. */
static bool fits_length(u32 fields, const struct insn *insn, const struct insn_vector *vec)
{
	if (vec->broadcast && !is_mem(insn))
		return fields & VEC_ROUNDING;
	if (vec->broadcast && !(fields & VEC_BROADCAST))
		return false;
	return vec->length < 3 && fields & VEC_L0 << vec->length;
}

/* EVEX.V' extends vvvv, or the index if the operand is a vector SIB. */
static bool fits_registers(u32 fields, const struct insn *insn, const struct insn_vector *vec)
{
	u8 vvvv = fields & VEC_SIB ? vec->vvvv & 15 : vec->vvvv;

	if (vvvv && !(fields & VEC_VVVV))
		return false;
	if (vvvv >= 8 && fields & VEC_VVVV_8)
		return false;
	if (fields & VEC_REG_8 && (insn->rex & INSN_REX_R || vec->reg_high))
		return false;
	return !(fields & VEC_REG_16 && vec->reg_high);
}

static bool fits_mask(u32 fields, const struct insn *insn, const struct insn_vector *vec)
{
	if (vec->mask && !(fields & VEC_MASK))
		return false;
	if (!vec->mask && fields & VEC_MASKED)
		return false;
	if (!vec->zeroing)
		return true;
	return vec->mask && fields & (is_mem(insn) ? VEC_ZERO_MEM : VEC_ZERO_REG);
}

static u8 reg_number(const struct insn *insn, const struct insn_vector *vec)
{
	return (insn->modrm >> 3 & 7) | (insn->rex & INSN_REX_R ? 8 : 0) | vec->reg_high;
}

/* A vector SIB's index must differ from the destination and from a VEX mask. */
static bool index_is_distinct(const struct insn *insn, const struct insn_vector *vec)
{
	u8 index = (insn->sib >> 3 & 7) | (insn->rex & INSN_REX_X ? 8 : 0);
	u8 reg = reg_number(insn, vec);

	if (insn->encoding == INSN_EVEX)
		return reg != (index | (vec->vvvv & 16));
	return reg != index && reg != vec->vvvv && index != vec->vvvv;
}

/* Complex FP16 multiplication, and tiles: there are eight, and all three must differ. */
static bool operands_are_distinct(const struct insn *insn, const struct insn_vector *vec)
{
	u8 rm = (insn->modrm & 7) | (insn->rex & INSN_REX_B ? 8 : 0);
	u8 reg = reg_number(insn, vec);

	if (insn->encoding == INSN_EVEX)
		rm |= insn->rex & INSN_REX_X ? 16 : 0;
	if (reg == vec->vvvv)
		return false;
	if (is_mem(insn))
		return true;
	if (insn->encoding == INSN_VEX && (rm >= 8 || rm == vec->vvvv))
		return false;
	return reg != rm;
}

static bool fits_distinct(u32 fields, const struct insn *insn, const struct insn_vector *vec)
{
	if (!(fields & VEC_DISTINCT))
		return true;
	return fields & VEC_SIB ? index_is_distinct(insn, vec) : operands_are_distinct(insn, vec);
}

static bool fits(const struct insn_vector_row *row, const struct insn *insn,
		 const struct insn_vector *vec)
{
	u32 fields = row->fields;

	return fits_opcode(row, insn, vec) && fits_modrm(fields, insn) && fits_w(fields, insn) &&
	       fits_length(fields, insn, vec) && fits_registers(fields, insn, vec) &&
	       fits_mask(fields, insn, vec) && fits_distinct(fields, insn, vec);
}

static const struct insn_vector_row *table_of(const struct insn *insn)
{
	static const struct insn_vector_row *const vex[] = {
		[INSN_MAP_0F] = insn_vex_0f,
		[INSN_MAP_0F38] = insn_vex_0f38,
		[INSN_MAP_0F3A] = insn_vex_0f3a,
	};
	static const struct insn_vector_row *const other[] = {
		[INSN_MAP_0F] = insn_evex_0f,
		[INSN_MAP_0F38] = insn_evex_0f38,
		[INSN_MAP_0F3A] = insn_evex_0f3a,
		[INSN_MAP_EVEX5] = insn_evex_5,
		[INSN_MAP_EVEX6] = insn_evex_6,
		[INSN_MAP_XOP8] = insn_xop_8,
		[INSN_MAP_XOP9] = insn_xop_9,
		[INSN_MAP_XOPA] = insn_xop_a,
	};

	return insn->encoding == INSN_VEX ? vex[insn->map] : other[insn->map];
}

bool insn_vector_exists(const struct insn *insn, const struct insn_vector *vec)
{
	const struct insn_vector_row *row;

	for (row = table_of(insn); row->on; row++) {
		if (fits(row, insn, vec))
			return true;
	}
	return false;
}
