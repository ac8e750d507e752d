// SPDX-License-Identifier: GPL-2.0-only
/*
 * The x86-64 instruction decoder.
 */
#include "insn_tables.h"

/**
 * struct decoder - the state of a decode
 * @insn: the result so far
 * @bytes: the first byte
 * @end: number of bytes that may be read
 * @at: number of bytes that have been read
 * @pp: enum insn_pp of the legacy prefixes
 * @vec: the fields of a vector prefix
 * @status: why reading has stopped; INSN_OK if it has not
 */
struct decoder {
	struct insn *insn;
	const u8 *bytes;
	u8 end;
	u8 at;
	u8 pp;
	struct insn_vector vec;
	enum insn_status status;
};

/* The next byte.  If there is none, returns 0 and sets dec->status. */
static u8 peek_byte(struct decoder *dec)
{
	if (dec->at < dec->end)
		return dec->bytes[dec->at];
	if (dec->status == INSN_OK)
		dec->status = dec->end == INSN_MAX_LENGTH ? INSN_INVALID : INSN_TRUNCATED;
	return 0;
}

static u8 next_byte(struct decoder *dec)
{
	u8 byte = peek_byte(dec);

	if (dec->status == INSN_OK)
		dec->at++;
	return byte;
}

/* The two most common sizes; all bytes are known to exist. */
static s64 next_common_number(struct decoder *dec, unsigned int size)
{
	const u8 *bytes = &dec->bytes[dec->at];

	dec->at += size;
	if (size == 1)
		return (s8)bytes[0];
	return (s32)((u32)bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 |
		     (u32)bytes[3] << 24);
}

/* A little-endian number, sign extended from @size bytes (0 to 8). */
static s64 next_number(struct decoder *dec, unsigned int size)
{
	unsigned int i;
	u64 val = 0;

	if ((size == 1 || size == 4) && dec->at + size <= dec->end && dec->status == INSN_OK)
		return next_common_number(dec, size);
	for (i = 0; i < size; i++)
		val |= (u64)next_byte(dec) << 8 * i;
	if (!size || size == 8)
		return (s64)val;
	return (s64)(val << (64 - 8 * size)) >> (64 - 8 * size);
}

static bool has_prefix(const struct decoder *dec, u8 prefix)
{
	return dec->insn->prefixes & prefix;
}

/* The bytes that take_prefix() takes, to skip the call for all others. */
static const bool legacy_prefixes[256] = {
	[0x26] = true, [0x2e] = true, [0x36] = true, [0x3e] = true,
	[0x64] = true, [0x65] = true, [0x66] = true, [0x67] = true,
	[0xf0] = true, [0xf2] = true, [0xf3] = true,
};

/* Take @byte if it is a legacy prefix.  REX is not one: it must come last. */
static bool take_prefix(struct decoder *dec, u8 byte)
{
	struct insn *insn = dec->insn;

	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e:
		return true;	/* ignored in 64-bit mode; fs or gs stays in force */
	case 0x64:
		insn->segment = INSN_SEG_FS;
		return true;
	case 0x65:
		insn->segment = INSN_SEG_GS;
		return true;
	case 0x66:
		insn->prefixes |= INSN_PFX_66;
		if (dec->pp == PP_NONE)
			dec->pp = PP_66;
		return true;
	case 0x67:
		insn->prefixes |= INSN_PFX_67;
		return true;
	case 0xf0:
		insn->prefixes |= INSN_PFX_F0;
		return true;
	case 0xf2:
		insn->prefixes |= INSN_PFX_F2;
		dec->pp = PP_F2;
		return true;
	case 0xf3:
		insn->prefixes |= INSN_PFX_F3;
		dec->pp = PP_F3;
		return true;
	}
	return false;
}

static void decode_prefixes(struct decoder *dec)
{
	struct insn *insn = dec->insn;
	u8 byte;

	for (;;) {
		byte = peek_byte(dec);
		if (dec->status != INSN_OK)
			return;
		if ((byte & 0xf0) == 0x40) {
			insn->rex = byte & 0x0f;
			insn->flags |= INSN_REX_PRESENT;
		} else if (legacy_prefixes[byte] && take_prefix(dec, byte)) {
			insn->rex = 0;
			insn->flags &= ~INSN_REX_PRESENT;
		} else {
			return;
		}
		dec->at++;
	}
}

/* The size of the memory operand's displacement, from modrm and sib. */
static unsigned int disp_size(const struct insn *insn)
{
	u8 mod = insn->modrm >> 6;

	if (mod == 1)
		return 1;
	if (mod == 2)
		return 4;
	if (insn->flags & INSN_HAS_SIB)
		return (insn->sib & 7) == 5 ? 4 : 0;
	return (insn->modrm & 7) == 5 ? 4 : 0;
}

static void decode_disp(struct decoder *dec, unsigned int size)
{
	struct insn *insn = dec->insn;

	if (!size)
		return;
	insn->disp_offset = dec->at;
	insn->disp_size = size;
	insn->disp = next_number(dec, size);
}

static void decode_modrm(struct decoder *dec, bool mod_ignored)
{
	struct insn *insn = dec->insn;

	insn->modrm = next_byte(dec);
	insn->flags |= INSN_HAS_MODRM;
	if (mod_ignored || insn->modrm >= 0xc0)
		return;
	insn->flags |= INSN_HAS_MEM;
	if ((insn->modrm & 7) == 4) {
		insn->sib = next_byte(dec);
		insn->flags |= INSN_HAS_SIB;
	} else if ((insn->modrm & 0xc7) == 5) {
		insn->flags |= INSN_RIP_RELATIVE;
	}
	decode_disp(dec, disp_size(insn));
}

static void decode_imm(struct decoder *dec, unsigned int size)
{
	struct insn *insn = dec->insn;

	if (!size)
		return;
	insn->imm_offset = dec->at;
	insn->imm_size = size;
	insn->imm = next_number(dec, size);
}

static unsigned int imm_size(const struct decoder *dec, enum insn_imm kind)
{
	bool wide = dec->insn->rex & INSN_REX_W;

	switch (kind) {
	case IMM_8:
		return 1;
	case IMM_16:
		return 2;
	case IMM_24:
		return 3;
	case IMM_32:
		return 4;
	case IMM_V:
		if (wide)
			return 8;
		return has_prefix(dec, INSN_PFX_66) ? 2 : 4;
	case IMM_Z:
		return !wide && has_prefix(dec, INSN_PFX_66) ? 2 : 4;
	default:
		return 0;
	}
}

/*
 * The attributes of an x87 instruction.  Its memory operand, if any, is already
 * decoded.
 */
static u32 x87_attributes(const struct insn *insn)
{
	unsigned int op = insn->opcode & 7;

	if (insn->flags & INSN_HAS_MEM)
		return insn_x87_mem[op] >> (insn->modrm >> 3 & 7) & 1 ? 0 : AT_BAD;
	return insn_x87_reg[op] >> (insn->modrm & 0x3f) & 1 ? 0 : AT_BAD;
}

static bool row_fits(const struct insn_row *row, const struct insn *insn, enum insn_pp pp)
{
	if (insn->opcode < row->first || insn->opcode > row->last)
		return false;
	if ((insn->modrm & row->mask) != row->modrm || !(row->on & 1u << pp))
		return false;
	return !(row->at & (insn->flags & INSN_HAS_MEM ? AT_REG : AT_MEM));
}

static u32 row_attributes(const struct insn_row *row, const struct insn *insn, enum insn_pp pp)
{
	for (; row->on; row++) {
		if (row_fits(row, insn, pp))
			return row->at;
	}
	return AT_BAD;
}

/* The attributes of the opcode, with those that depend on modrm added. */
static u32 modrm_attributes(const struct decoder *dec, u32 at)
{
	const struct insn *insn = dec->insn;

	switch (insn->map) {
	case INSN_MAP_0F38:
		return at | row_attributes(insn_rows_0f38, insn, dec->pp);
	case INSN_MAP_0F3A:
		return at | row_attributes(insn_rows_0f3a, insn, dec->pp);
	}
	switch (at_group(at)) {
	case GROUP_NONE:
		return at;
	case GROUP_ROWS:
		return at | row_attributes(insn_rows_0f, insn, dec->pp);
	case GROUP_X87:
		return at | x87_attributes(insn);
	default:
		return at | insn_groups[at_group(at)][insn->modrm >> 3 & 7];
	}
}

/* The attributes of an opcode before its modrm is known. */
static u32 opcode_attributes(const struct insn *insn)
{
	switch (insn->map) {
	case INSN_MAP_ONE_BYTE:
		return insn_one_byte[insn->opcode];
	case INSN_MAP_0F:
		return insn_0f[insn->opcode];
	case INSN_MAP_0F3A:
		return AT_MODRM | AT_IMM(IMM_8);
	default:
		return AT_MODRM;
	}
}

static bool is_branch(enum insn_class class)
{
	switch (class) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_CALL:
	case INSN_RET:
	case INSN_JMP_IND:
	case INSN_CALL_IND:
		return true;
	default:
		return false;
	}
}

static void refuse(struct insn *insn, enum insn_refuse why)
{
	insn->class = INSN_REFUSED;
	insn->refuse = why;
}

static void classify(struct decoder *dec, u32 at)
{
	struct insn *insn = dec->insn;

	insn->class = at_class(at);
	insn->refuse = at_refuse(at);
	if (insn->map == INSN_MAP_ONE_BYTE && insn->opcode == 0x90) {
		/* With REX.B it is xchg r8, with F3 it is pause. */
		if (insn->rex & INSN_REX_B || dec->pp == PP_F3)
			insn->class = INSN_SLOT;
	} else if (insn->map == INSN_MAP_0F && insn->opcode == 0x1e) {
		/* endbr64, endbr32 */
		if (dec->pp == PP_F3 && (insn->modrm & 0xfe) == 0xfa)
			insn->class = INSN_NOP;
	}
	if (is_branch(insn->class) && has_prefix(dec, INSN_PFX_66) && !(insn->rex & INSN_REX_W))
		refuse(insn, INSN_REFUSE_BRANCH16);
}

static bool is_steady(const struct insn *insn, u32 at)
{
	if (!(at & AT_STEADY) || at & AT_DIVIDES)
		return false;
	return !(insn->flags & INSN_HAS_MEM) || at & AT_NO_ACCESS || insn->class == INSN_NOP;
}

/* Does the operand that modrm names exist?  For cases that the tables don't cover. */
static bool operand_exists(const struct insn *insn)
{
	unsigned int reg = (insn->modrm >> 3 & 7) | (insn->rex & INSN_REX_R ? 8 : 0);

	if (insn->refuse == INSN_REFUSE_TRANSACTION && insn->map == INSN_MAP_ONE_BYTE)
		return insn->modrm == 0xf8;
	if (insn->map != INSN_MAP_0F)
		return true;
	switch (insn->opcode) {
	case 0x20: case 0x22:
		return reg == 0 || (reg >= 2 && reg <= 4) || reg == 8;
	case 0x21: case 0x23:
		return reg < 8;
	default:
		return true;
	}
}

/* Does the instruction exist with these operands and prefixes? */
static bool legacy_exists(const struct decoder *dec, u32 at)
{
	const struct insn *insn = dec->insn;
	bool mem = insn->flags & INSN_HAS_MEM;

	if (at & AT_BAD || !at_takes(at, dec->pp))
		return false;
	if (at & (mem ? AT_REG : AT_MEM))
		return false;
	if (has_prefix(dec, INSN_PFX_F0) && !(at & AT_LOCK && mem))
		return false;
	return true;
}

static enum insn_status decode_3dnow(struct decoder *dec)
{
	struct insn *insn = dec->insn;

	insn->map = INSN_MAP_3DNOW;
	decode_modrm(dec, false);
	insn->opcode = next_byte(dec);
	if (dec->status != INSN_OK)
		return dec->status;
	if (!insn_3dnow_exists(insn->opcode) || has_prefix(dec, INSN_PFX_F0))
		return INSN_INVALID;
	return INSN_OK;
}

static enum insn_status decode_legacy(struct decoder *dec)
{
	struct insn *insn = dec->insn;
	u32 at = opcode_attributes(insn);

	if (at & AT_BAD)
		return INSN_INVALID;
	if (at & AT_MODRM) {
		decode_modrm(dec, at & AT_MOD_IGNORED);
		if (dec->status != INSN_OK)
			return dec->status;
		at = modrm_attributes(dec, at);
	}
	if (at_imm(at) == IMM_MOFFS)
		decode_disp(dec, has_prefix(dec, INSN_PFX_67) ? 4 : 8);
	else
		decode_imm(dec, imm_size(dec, at_imm(at)));
	if (!legacy_exists(dec, at))
		return INSN_INVALID;
	classify(dec, at);
	if (!operand_exists(insn))
		return INSN_INVALID;
	/* The length depends on the vendor of the processor. */
	if (insn->refuse == INSN_REFUSE_BRANCH16 && insn->imm_size == 4)
		return INSN_INVALID;
	if (is_steady(insn, at))
		insn->flags |= INSN_STEADY;
	return dec->status;
}

/* Decodes what follows a vector prefix: opcode, modrm, immediate. */
static enum insn_status decode_vector(struct decoder *dec)
{
	struct insn *insn = dec->insn;

	if (dec->status != INSN_OK)
		return dec->status;
	insn->opcode = next_byte(dec);
	if (insn->encoding != INSN_VEX || insn->map != INSN_MAP_0F || insn->opcode != 0x77)
		decode_modrm(dec, false);
	decode_imm(dec, insn_vector_imm(insn));
	if (dec->status == INSN_OK && !insn_vector_exists(insn, &dec->vec))
		return INSN_INVALID;
	return dec->status;
}

/* A vector prefix is #UD after REX, LOCK and the prefixes that it has fields for. */
static bool takes_vector_prefix(const struct insn *insn)
{
	u8 not = INSN_PFX_F0 | INSN_PFX_66 | INSN_PFX_F2 | INSN_PFX_F3;

	return !(insn->prefixes & not) && !(insn->flags & INSN_REX_PRESENT);
}

/* The last byte of a VEX or XOP prefix: W vvvv L pp. */
static void vector_payload(struct insn_vector *vec, u8 byte)
{
	vec->vvvv = ~byte >> 3 & 15;
	vec->length = byte >> 2 & 1;
	vec->pp = byte & 3;
}

static enum insn_status decode_vex2(struct decoder *dec)
{
	struct insn *insn = dec->insn;
	u8 byte = next_byte(dec);

	insn->encoding = INSN_VEX;
	insn->map = INSN_MAP_0F;
	insn->rex = byte & 0x80 ? 0 : INSN_REX_R;
	vector_payload(&dec->vec, byte);
	return decode_vector(dec);
}

/* The three-byte form of VEX and XOP: R X B map, W vvvv L pp. */
static enum insn_status decode_vex3(struct decoder *dec, enum insn_encoding encoding,
				    unsigned int first, enum insn_map base, unsigned int nr)
{
	struct insn *insn = dec->insn;
	u8 head = next_byte(dec);
	u8 tail = next_byte(dec);
	unsigned int map = (head & 0x1f) - first;

	if (dec->status != INSN_OK)
		return dec->status;
	if (map >= nr)
		return INSN_INVALID;
	insn->encoding = encoding;
	insn->map = base + map;
	insn->rex = ~head >> 5 & 7;
	if (tail & 0x80)
		insn->rex |= INSN_REX_W;
	vector_payload(&dec->vec, tail);
	return decode_vector(dec);
}

/* The enum insn_map of EVEX.mmm; the one-byte map if there is none. */
static enum insn_map evex_map(unsigned int mmm)
{
	static const u8 maps[8] = {
		[1] = INSN_MAP_0F, INSN_MAP_0F38, INSN_MAP_0F3A,
		[5] = INSN_MAP_EVEX5, INSN_MAP_EVEX6,
	};

	return maps[mmm];
}

/* R X B R' 0 mmm, W vvvv 1 pp, z L'L b V' aaa; bits that extend a register are inverted. */
static enum insn_status decode_evex(struct decoder *dec)
{
	struct insn *insn = dec->insn;
	struct insn_vector *vec = &dec->vec;
	u8 p0 = next_byte(dec);
	u8 p1 = next_byte(dec);
	u8 p2 = next_byte(dec);

	if (dec->status != INSN_OK)
		return dec->status;
	insn->encoding = INSN_EVEX;
	insn->map = evex_map(p0 & 7);
	if (p0 & 0x08 || !(p1 & 0x04) || insn->map == INSN_MAP_ONE_BYTE)
		return INSN_INVALID;
	insn->rex = (~p0 >> 5 & 7) | (p1 & 0x80 ? INSN_REX_W : 0);
	vec->vvvv = (~p1 >> 3 & 15) | (p2 & 0x08 ? 0 : 16);
	vec->pp = p1 & 3;
	vec->reg_high = ~p0 & 0x10;
	vec->length = p2 >> 5 & 3;
	vec->mask = p2 & 7;
	vec->broadcast = p2 >> 4 & 1;
	vec->zeroing = p2 >> 7;
	return decode_vector(dec);
}

/* c4, c5, 62, and 8f where it is not pop: the prefix of a vector instruction. */
static bool is_vector_prefix(struct decoder *dec, u8 byte)
{
	if (byte == 0x8f)
		return (peek_byte(dec) & 0x1f) >= 8;
	return byte == 0xc4 || byte == 0xc5 || byte == 0x62;
}

static enum insn_status decode_vector_prefix(struct decoder *dec, u8 byte)
{
	if (!takes_vector_prefix(dec->insn))
		return INSN_INVALID;
	switch (byte) {
	case 0xc5:
		return decode_vex2(dec);
	case 0xc4:
		return decode_vex3(dec, INSN_VEX, 1, INSN_MAP_0F, 3);
	case 0x62:
		return decode_evex(dec);
	default:
		return decode_vex3(dec, INSN_XOP, 8, INSN_MAP_XOP8, 3);
	}
}

static enum insn_status decode_opcode(struct decoder *dec)
{
	struct insn *insn = dec->insn;
	u8 byte = next_byte(dec);

	if (is_vector_prefix(dec, byte))
		return decode_vector_prefix(dec, byte);
	if (byte == 0x0f) {
		insn->map = INSN_MAP_0F;
		byte = next_byte(dec);
		if (byte == 0x0f)
			return decode_3dnow(dec);
		if (byte == 0x38 || byte == 0x3a) {
			insn->map = byte == 0x38 ? INSN_MAP_0F38 : INSN_MAP_0F3A;
			byte = next_byte(dec);
		}
	}
	insn->opcode = byte;
	if (dec->status != INSN_OK)
		return dec->status;
	return decode_legacy(dec);
}

/* ---- direct branches ---- */

/* Most of what is not plain: a jump or a call without prefixes is decoded at once. */
static __always_inline bool examine_branch(const u8 *bytes, struct insn_branch *branch, u32 *at)
{
	unsigned int offset = bytes[0] == 0x0f ? 2 : 1;

	*at = offset == 2 ? insn_0f[bytes[1]] : insn_one_byte[bytes[0]];
	branch->class = at_class(*at);
	if (branch->class != INSN_JCC && branch->class != INSN_JMP && branch->class != INSN_CALL)
		return false;
	if (at_imm(*at) == IMM_8) {
		branch->length = offset + 1;
		branch->distance = (s8)bytes[offset];
	} else {
		branch->length = offset + 4;
		branch->distance = signed32(bytes + offset);
	}
	return true;
}

bool insn_direct_branch(struct insn_branch *branch, const void *bytes, size_t avail)
{
	u32 at;

	return avail >= INSN_MAX_LENGTH && examine_branch(bytes, branch, &at);
}

static bool decode_branch(struct insn *insn, const u8 *bytes)
{
	struct insn_branch branch;
	u8 offset = bytes[0] == 0x0f ? 2 : 1;
	u32 at;

	if (!examine_branch(bytes, &branch, &at))
		return false;
	*insn = (struct insn){
		.length = branch.length,
		.class = branch.class,
		.map = offset == 2 ? INSN_MAP_0F : INSN_MAP_ONE_BYTE,
		.opcode = bytes[offset - 1],
		.flags = at & AT_STEADY ? INSN_STEADY : 0,
		.imm_offset = offset,
		.imm_size = branch.length - offset,
		.imm = branch.distance,
	};
	return true;
}

enum insn_status insn_decode(struct insn *insn, const void *bytes, size_t avail)
{
	struct decoder dec = {
		.insn = insn,
		.bytes = bytes,
		.end = avail < INSN_MAX_LENGTH ? avail : INSN_MAX_LENGTH,
		.status = INSN_OK,
	};
	enum insn_status status;

	if (avail >= INSN_MAX_LENGTH && decode_branch(insn, bytes))
		return INSN_OK;
	memset(insn, 0, sizeof(*insn));
	decode_prefixes(&dec);
	status = dec.status;
	if (status == INSN_OK)
		status = decode_opcode(&dec);
	if (status == INSN_OK)
		insn->length = dec.at;
	else
		memset(insn, 0, sizeof(*insn));
	return status;
}

unsigned int insn_filler(const struct insn *insn, const void *behind, size_t avail)
{
	static const u8 two[] = { 0xcc, 0x66, 0x90, 0xcc }, one[] = { 0xcc, 0x90, 0xcc };
	/* Through r8 and up. The jump to a thunk may have had another prefix, which makes 6 bytes. */
	bool extended = insn->length == 3 && insn->rex == INSN_REX_B;

	if (insn->class != INSN_JMP_IND || insn->modrm >> 6 != 3 || (insn->length != 2 && !extended))
		return 0;
	if (avail >= sizeof(two) && !memcmp(behind, two, sizeof(two)))
		return sizeof(two) - 1;
	return extended && avail >= sizeof(one) && !memcmp(behind, one, sizeof(one)) ?
	       sizeof(one) - 1 : 0;
}

unsigned int insn_check_off(const void *bytes, size_t avail)
{
	/* jmp .+14; the hash; add disp8(%r11),%r10d; je .+4; ud2 */
	static const u8 jump[] = { 0xeb, 0x0c }, add[] = { 0x45, 0x03, 0x53 };
	static const u8 end[] = { 0x74, 0x02, 0x0f, 0x0b };
	const u8 *at = bytes;

	return avail >= 14 && !memcmp(at, jump, sizeof(jump)) && !memcmp(at + 6, add, sizeof(add)) &&
	       !memcmp(at + 10, end, sizeof(end)) ? 14 : 0;
}
