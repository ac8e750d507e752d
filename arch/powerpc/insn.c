// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of 64-bit Power instructions.
 */
#include "insn_tables.h"

/* Numbers of special purpose registers */
#define SPR_XER		1
#define SPR_LR		8
#define SPR_CTR		9
#define SPR_SRR0	26
#define SPR_SRR1	27
#define SPR_SPRG2	274
#define SPR_HSPRG1	305
#define SPR_HSRR0	314
#define SPR_HSRR1	315

#define WORD_NOP	0x60000000u
#define WORD_BCTR	0x4e800420u

/* The low 16 bits of a displacement of 34 */
#define D34_LOW		0xffffu

/* ---- words and fields ---- */

static u32 get_word(const u8 *bytes)
{
	return (u32)bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 | (u32)bytes[3] << 24;
}

static void put_word(u8 *bytes, u32 word)
{
	bytes[0] = word;
	bytes[1] = word >> 8;
	bytes[2] = word >> 16;
	bytes[3] = word >> 24;
}

static s64 sign_extend(u64 val, unsigned int bits)
{
	return (s64)(val << (64 - bits)) >> (64 - bits);
}

static bool fits(s64 val, unsigned int bits)
{
	return sign_extend((u64)val, bits) == val;
}

static unsigned int field_t(u32 word)
{
	return word >> 21 & 31;
}

static unsigned int field_a(u32 word)
{
	return word >> 16 & 31;
}

static unsigned int field_b(u32 word)
{
	return word >> 11 & 31;
}

/* Its two halves are swapped. */
static unsigned int field_spr(u32 word)
{
	return field_a(word) | field_b(word) << 5;
}

static s64 addpcis_imm(u32 word)
{
	u32 d = (word & 0xffc0) | field_a(word) << 1 | (word & 1);

	return sign_extend((u64)d << 16, 32);
}

static s64 prefixed_imm(u32 prefix, u32 suffix)
{
	return sign_extend((u64)(prefix & F_D34 & ~F_R) << 16 | (suffix & D34_LOW), 34);
}

/* ---- what a row asks of the operands ---- */

/*
 * A bit z must be 0; where there are hint bits, 01 is reserved: 0000z, 0001z,
 * 001at, 0100z, 0101z, 011at, 1a00t, 1a01t, 1z1zz.
 */
static bool is_bo(unsigned int bo)
{
	const u32 valid = 0x0f15d5d5;

	return valid >> bo & 1;
}

/* Is this one of the registers RT to RT + nr - 1?  They wrap from r31 to r0. */
static bool is_loaded(unsigned int reg, unsigned int rt, unsigned int nr)
{
	return ((reg - rt) & 31) < nr;
}

/* lswi loads up to 32 bytes, four to a register. */
static bool is_string(u32 word)
{
	unsigned int bytes = field_b(word) ? field_b(word) : 32;

	return !is_loaded(field_a(word), field_t(word), (bytes + 3) / 4);
}

static bool is_one_field(u32 word)
{
	u32 fxm = word >> 12 & 0xff;

	return fxm && !(fxm & (fxm - 1));
}

/* An accumulator stands for four vector registers. */
static bool is_outside_accumulator(u32 word)
{
	unsigned int xa = field_a(word) | (word & 4) << 3, xb = field_b(word) | (word & 2) << 4;
	unsigned int acc = word >> 23 & 7;

	return xa / 4 != acc && xb / 4 != acc;
}

static bool check_holds(unsigned int check, u32 word)
{
	unsigned int rt = field_t(word), ra = field_a(word), rb = field_b(word);

	switch (check) {
	case INSN_CHECK_UPDATE:
		return ra;
	case INSN_CHECK_LOAD_UPDATE:
		return ra && ra != rt;
	case INSN_CHECK_MULTIPLE:
		return ra < rt;
	case INSN_CHECK_STRING:
		return is_string(word);
	case INSN_CHECK_STRING_INDEXED:
		return rt != ra && rt != rb;
	case INSN_CHECK_QUAD:
		return rt != ra;
	case INSN_CHECK_QUAD_INDEXED:
		return rt != ra && rt != rb;
	case INSN_CHECK_ONE_FIELD:
		return is_one_field(word);
	case INSN_CHECK_SYNC:
		return (rt & 7) != 3 && (rt & 7) < 6;
	case INSN_CHECK_WAIT:
		return (rt & 3) != 3;
	case INSN_CHECK_FLUSH:
		return 0x5b >> (rt & 7) & 1;
	case INSN_CHECK_BO:
		return is_bo(rt);
	case INSN_CHECK_ACC:
		return is_outside_accumulator(word);
	default:
		return true;
	}
}

/* ---- looking up ---- */

static bool row_fits(const struct insn_row *row, u32 word)
{
	return (word & ~row->fields) == row->match && check_holds(row->check, word);
}

static const struct insn_row *find_row(u32 word)
{
	const struct insn_row *row = insn_rows[word >> 26];

	for (; row && row->match; row++)
		if (row_fits(row, word))
			return row;
	return NULL;
}

static const struct insn_prefixed_row *find_prefixed_row(u32 prefix, u32 suffix)
{
	const struct insn_prefixed_row *row;

	for (row = insn_prefixed_rows; row->prefix; row++)
		if ((prefix & ~row->prefix_fields) == row->prefix && row_fits(&row->suffix, suffix))
			return row;
	return NULL;
}

/* ---- one word ---- */

static void refuse(struct insn *insn, enum insn_refuse why)
{
	insn->class = INSN_REFUSED;
	insn->refuse = why;
	insn->flags &= ~INSN_STEADY;
}

static void become(struct insn *insn, enum insn_class class)
{
	insn->class = class;
	insn->flags |= INSN_STEADY;
}

/* Moves from and to special purpose registers */
static void decode_spr(struct insn *insn, bool to)
{
	switch (field_spr(insn->word)) {
	case SPR_LR:
		become(insn, to ? INSN_MTLR : INSN_MFLR);
		break;
	case SPR_CTR:
		become(insn, to ? INSN_MTCTR : INSN_MFCTR);
		break;
	case SPR_XER:
		become(insn, INSN_SLOT);
		break;
	case SPR_SRR0:
	case SPR_SRR1:
	case SPR_SPRG2:
	case SPR_HSPRG1:
	case SPR_HSRR0:
	case SPR_HSRR1:
		refuse(insn, INSN_REFUSE_SAVED);
		break;
	}
}

static void decode_branch(struct insn *insn)
{
	u32 word = insn->word;

	if (word & 1)
		insn->flags |= INSN_LINK;
	if (insn->class == INSN_BRANCH)
		insn->imm = sign_extend(word & 0x03fffffc, 26);
	else if (insn->class == INSN_BRANCH_COND)
		insn->imm = sign_extend(word & 0xfffc, 16);
	else
		return;
	if (word & 2)
		insn->flags |= INSN_ABSOLUTE;
}

/* A bcctr that decrements CTR: the kernel uses it to flush branch predictors. */
static bool is_flush(const struct insn *insn)
{
	return insn->class == INSN_BRANCH_CTR && !(insn->rt & INSN_BO_KEEP_CTR);
}

/* The few words whose meaning depends on more than their row. */
static void decode_special(struct insn *insn)
{
	switch (insn->class) {
	case INSN_BRANCH:
	case INSN_BRANCH_COND:
	case INSN_BRANCH_LR:
	case INSN_BRANCH_CTR:
		decode_branch(insn);
		break;
	case INSN_ADDPCIS:
		insn->imm = addpcis_imm(insn->word);
		break;
	}
	if (is_flush(insn))
		refuse(insn, INSN_REFUSE_FLUSH);
	else if (insn->word == WORD_NOP)
		insn->class = INSN_NOP;
	else if ((insn->word & 0xfc0007fe) == (OP(31) | 339 << 1))
		decode_spr(insn, false);
	else if ((insn->word & 0xfc0007fe) == (OP(31) | 467 << 1))
		decode_spr(insn, true);
}

static void fill(struct insn *insn, const struct insn_row *row, u32 word)
{
	insn->class = row->class;
	insn->refuse = row->refuse;
	insn->flags = row->flags;
	insn->rt = field_t(word);
	insn->ra = field_a(word);
}

static enum insn_status decode_word(struct insn *insn, u32 word)
{
	const struct insn_row *row = find_row(word);

	if (!row)
		return INSN_INVALID;
	insn->length = INSN_SIZE;
	insn->word = word;
	fill(insn, row, word);
	decode_special(insn);
	return INSN_OK;
}

/* ---- two words ---- */

/* With R the base is the instruction's address, and there is no RA. */
static enum insn_status decode_displacement(struct insn *insn)
{
	insn->imm = prefixed_imm(insn->word, insn->suffix);
	if (!(insn->word & F_R)) {
		insn->class = INSN_SLOT;
		insn->refuse = INSN_REFUSE_NONE;
		return INSN_OK;
	}
	insn->flags |= INSN_PC_RELATIVE;
	return insn->ra ? INSN_INVALID : INSN_OK;
}

static enum insn_status decode_prefixed(struct insn *insn, u32 prefix, u32 suffix)
{
	const struct insn_prefixed_row *row;

	insn->length = INSN_MAX_LENGTH;
	insn->word = prefix;
	insn->suffix = suffix;
	row = find_prefixed_row(prefix, suffix);
	if (!row)
		return INSN_INVALID;
	fill(insn, &row->suffix, suffix);
	return row->prefix_fields == F_D34 ? decode_displacement(insn) : INSN_OK;
}

enum insn_status insn_decode(struct insn *insn, const void *bytes, size_t avail)
{
	enum insn_status status;
	u32 word;

	memset(insn, 0, sizeof(*insn));
	if (avail < INSN_SIZE)
		return INSN_TRUNCATED;
	word = get_word(bytes);
	if (!insn_is_prefix(word))
		status = decode_word(insn, word);
	else if (avail < INSN_MAX_LENGTH)
		status = INSN_TRUNCATED;
	else
		status = decode_prefixed(insn, word, get_word((const u8 *)bytes + INSN_SIZE));
	if (status != INSN_OK)
		memset(insn, 0, sizeof(*insn));
	return status;
}

/* ---- reservations ---- */

static u8 flags_at(const u8 *bytes, size_t at)
{
	const struct insn_row *row = find_row(get_word(bytes + at));

	return row ? row->flags : 0;
}

/* Offset of the last load-reserve before an instruction; @at if there is none near. */
static size_t last_larx(const u8 *bytes, size_t at)
{
	size_t from = at;
	unsigned int i;

	for (i = 1; i < INSN_MAX_RESERVATION && from >= INSN_SIZE; i++) {
		from -= INSN_SIZE;
		if (flags_at(bytes, from) & INSN_LARX)
			return from;
	}
	return at;
}

bool insn_in_reservation(const u8 *bytes, size_t size, size_t at)
{
	size_t larx = last_larx(bytes, at), to;
	size_t end = larx + INSN_MAX_RESERVATION * INSN_SIZE;

	if (larx == at)
		return false;
	for (to = at; to + INSN_SIZE <= size && to < end; to += INSN_SIZE) {
		u8 flags = flags_at(bytes, to);

		if (flags & (INSN_LARX | INSN_STCX))
			return flags & INSN_STCX && to != at;
	}
	return false;
}

/* ---- tables ---- */

/* The bits of a distance that are all alike: no branch goes further than 32 MiB. */
#define DISTANCE_SIGN	0xfe000000u

static bool is_distance(u32 word)
{
	u32 sign = word & DISTANCE_SIGN;

	return !sign || sign == DISTANCE_SIGN;
}

size_t insn_table_begin(const u8 *bytes, size_t at)
{
	size_t first = at + INSN_SIZE;

	while (first && is_distance(get_word(bytes + first - INSN_SIZE)))
		first -= INSN_SIZE;
	return first > at ? 0 : first;
}

bool insn_jumps_by_table(const u8 *bytes)
{
	return get_word(bytes) == WORD_BCTR;
}

/* ---- names ---- */

#ifndef __KERNEL__
const char *insn_name(const struct insn *insn)
{
	if (insn->length == INSN_SIZE)
		return find_row(insn->word)->name;
	return find_prefixed_row(insn->word, insn->suffix)->suffix.name;
}
#endif

const char *insn_refusal(const struct insn *insn)
{
	static const char * const reasons[INSN_NR_REFUSES] = {
		[INSN_REFUSE_BREAKPOINT] = "instruction is a trap: BUG, WARN or a breakpoint",
		[INSN_REFUSE_SYSCALL] = "instruction is a system call",
		[INSN_REFUSE_RETURN] = "instruction returns from an interrupt",
		[INSN_REFUSE_MSR] = "instruction writes the machine state register",
		[INSN_REFUSE_SAVED] = "instruction reads or writes a register that traps overwrite",
		[INSN_REFUSE_RESERVE] = "load-reserve, whose reservation a trap would lose",
		[INSN_REFUSE_CONDITIONAL] =
			"conditional store, whose reservation a trap would lose",
		[INSN_REFUSE_HALT] = "instruction stops the processor",
		[INSN_REFUSE_TRANSACTION] = "instruction is part of a memory transaction",
		[INSN_REFUSE_TAR] =
			"branch to the target address register, which traps do not save",
		[INSN_REFUSE_FLUSH] = "branch that decrements the register with its target",
		[INSN_REFUSE_PC_VECTOR] = "PC-relative access to more than one general register",
	};

	return insn->refuse < INSN_NR_REFUSES ? reasons[insn->refuse] : NULL;
}

const char *insn_class_name(unsigned int class)
{
	static const char * const names[INSN_NR_CLASSES] = {
		[INSN_SLOT] = "slot",
		[INSN_REFUSED] = "refused",
		[INSN_NOP] = "nop",
		[INSN_BRANCH] = "branch",
		[INSN_BRANCH_COND] = "branch-conditional",
		[INSN_BRANCH_LR] = "branch-lr",
		[INSN_BRANCH_CTR] = "branch-ctr",
		[INSN_ADDPCIS] = "addpcis",
		[INSN_MFLR] = "mflr",
		[INSN_MTLR] = "mtlr",
		[INSN_MFCTR] = "mfctr",
		[INSN_MTCTR] = "mtctr",
		[INSN_PADDI_PC] = "paddi-pc",
		[INSN_LOAD_PC] = "load-pc",
		[INSN_STORE_PC] = "store-pc",
	};

	return class < INSN_NR_CLASSES ? names[class] : "?";
}

/* ---- relocation ---- */

static enum insn_status relocate_branch(const struct insn *insn, u8 *dst, u64 from, u64 to)
{
	s64 disp = (s64)(insn_branch_target(insn, from) - to);
	bool wide = insn->class == INSN_BRANCH;
	u32 mask = wide ? 0x03fffffc : 0xfffc;

	if (insn->flags & INSN_ABSOLUTE)
		disp = insn->imm;
	if (!fits(disp, wide ? 26 : 16))
		return INSN_OUT_OF_RANGE;
	put_word(dst, (insn->word & ~mask) | ((u32)disp & mask));
	return INSN_OK;
}

static enum insn_status relocate_prefixed(const struct insn *insn, u8 *dst, u64 from, u64 to)
{
	s64 disp = insn->imm + (s64)(from - to);
	u32 high = F_D34 & ~F_R;

	if (!fits(disp, 34))
		return INSN_OUT_OF_RANGE;
	put_word(dst, (insn->word & ~high) | ((u32)(disp >> 16) & high));
	put_word(dst + INSN_SIZE, (insn->suffix & ~D34_LOW) | ((u32)disp & D34_LOW));
	return INSN_OK;
}

enum insn_status insn_relocate(const struct insn *insn, void *dst, const void *src,
			       u64 from, u64 to)
{
	if (insn->class == INSN_ADDPCIS || insn_crosses_line(insn, to))
		return INSN_INVALID;
	if (insn->class == INSN_BRANCH || insn->class == INSN_BRANCH_COND)
		return relocate_branch(insn, dst, from, to);
	if (insn->flags & INSN_PC_RELATIVE)
		return relocate_prefixed(insn, dst, from, to);
	memcpy(dst, src, insn->length);
	return INSN_OK;
}
