// SPDX-License-Identifier: GPL-2.0-only
/*
 * The length only, of plain instructions: what steps over most of the kernel's text decodes no more
 * of them.
 */
#include "insn.h"
#include "insn_tables.h"

_Static_assert(INSN_SLOT == 0 && INSN_NOP == 2 && INSN_JCC == 4 && INSN_CALL == 6,
	       "the masks of classes");

/* What a plain instruction is not: nor of another class than INSN_SLOT. */
#define NOT_SIMPLE	(AT_BAD | AT_MOD_IGNORED | AT_ONLY(ON_ANY & ~ON_NP))
#define NOT_PLAIN	(NOT_SIMPLE | AT_CLASS(15))
/* Nor of another one than that or INSN_NOP; or than those, INSN_JCC or INSN_CALL. */
#define NOT_PLAIN_OR_NOP	(NOT_SIMPLE | AT_CLASS(15 & ~2))
#define NOT_FLOWING_ON	(NOT_SIMPLE | AT_CLASS(15 & ~6))

/* Bytes of immediate by its kind, for instructions without an operand-size prefix. */
#define NOT_KNOWN	0xff
static const u8 plain_imm[8] = {
	[IMM_8] = 1, [IMM_16] = NOT_KNOWN, [IMM_24] = NOT_KNOWN, [IMM_32] = 4,
	[IMM_Z] = 4, [IMM_V] = 4, [IMM_MOFFS] = NOT_KNOWN,
};

#define BY_RM(near, with_sib, fifth)	near, near, near, near, with_sib, fifth, near, near
#define BY_REG(...)	__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, \
			__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__

/* Bytes of modrm, SIB and displacement; a SIB behind mod 0 may add one. */
static const u8 modrm_lengths[256] = {
	BY_REG(BY_RM(1, 2, 5)),
	BY_REG(BY_RM(2, 3, 2)),
	BY_REG(BY_RM(5, 6, 5)),
	BY_REG(BY_RM(1, 1, 1)),
};

static inline unsigned int plain_modrm_length(const u8 *modrm)
{
	unsigned int length = modrm_lengths[modrm[0]];

	return (modrm[0] & 0xc7) == 4 && (modrm[1] & 7) == 5 ? length + 4 : length;
}

/**
 * struct plain - an instruction that was examined quickly
 * @opcode: its opcode byte
 * @rex: INSN_REX_*, behind 0x40
 * @map: enum insn_map
 * @at: its attributes
 * @imm_size: bytes of its immediate
 */
struct plain {
	const u8 *opcode;
	u8 rex;
	u8 map;
	u8 imm_size;
	u32 at;
};

/*
 * Most of all instructions, by their opcode in the first map: they name no address and lead nowhere.
 * With a REX prefix, too, they are no others.  Bytes of opcode and immediate, and what else there is:
 * modrm; modrm, and it is a load of four bytes unless there is REX.W.
 */
#define Q_MODRM		0x80
#define Q_LOAD		0x40
#define Q_LENGTH	0x0f
#define M1		(Q_MODRM | 1)
#define M2		(Q_MODRM | 2)

static const u8 quick[256] = {
	[0x00 ... 0x03] = M1, [0x04] = 2, [0x08 ... 0x0b] = M1, [0x0c] = 2,
	[0x10 ... 0x13] = M1, [0x14] = 2, [0x18 ... 0x1b] = M1, [0x1c] = 2,
	[0x20 ... 0x23] = M1, [0x24] = 2, [0x28 ... 0x2b] = M1, [0x2c] = 2,
	[0x30 ... 0x33] = M1, [0x34] = 2, [0x38 ... 0x3b] = M1, [0x3c] = 2,
	[0x50 ... 0x5f] = 1,			/* push, pop */
	[0x6a] = 2,				/* push imm8 */
	[0x6b] = M2,				/* imul imm8 */
	[0x80] = M2, [0x83] = M2,		/* add ... cmp imm8 */
	[0x84 ... 0x8a] = M1,			/* test, xchg, mov but a load of four bytes */
	[0x8b] = M1 | Q_LOAD,
	[0xa8] = 2,				/* test imm8 */
	[0xb0 ... 0xb7] = 2,			/* mov imm8 */
	[0xc0 ... 0xc1] = M2, [0xd0 ... 0xd3] = M1,	/* shifts */
};

/* The length of one of these; 0: it is another one, or a load of four bytes by an index. */
static __always_inline unsigned int quick_length(const u8 *bytes)
{
	unsigned int prefixes = (*bytes & 0xf0) == 0x40, has;
	const u8 *opcode = bytes + prefixes;

	has = quick[*opcode];
	if (!(has & Q_MODRM))
		return has ? prefixes + has : 0;
	if (has & Q_LOAD && !(prefixes && *bytes & INSN_REX_W) && (opcode[1] & 7) == 4)
		return 0;
	return prefixes + (has & Q_LENGTH) + plain_modrm_length(opcode + 1);
}

/* Groups whose instructions are told by modrm.reg alone.  One of pop is a vector prefix, too. */
static inline bool is_plain_group(unsigned int group)
{
	return group != GROUP_ROWS && group != GROUP_X87 && group != GROUP_POP;
}

/*
 * Prefixes and escapes to other maps are AT_BAD in the table.  Reads no more than INSN_MAX_LENGTH
 * bytes, as there are no prefixes but one REX.  Returns its length, 0 if it is @unwanted.
 */
static __always_inline unsigned int examine_plain(const u8 *bytes, u32 unwanted, struct plain *plain)
{
	const u8 *opcode = bytes;
	unsigned int group;

	plain->rex = (*opcode & 0xf0) == 0x40 ? *opcode++ : 0;
	plain->map = *opcode == 0x0f ? INSN_MAP_0F : INSN_MAP_ONE_BYTE;
	plain->at = *opcode == 0x0f ? insn_0f[*++opcode] : insn_one_byte[*opcode];
	plain->opcode = opcode++;
	group = at_group(plain->at);
	if (group && is_plain_group(group))
		plain->at |= insn_groups[group][*opcode >> 3 & 7];
	else if (group)
		return 0;
	plain->imm_size = plain_imm[at_imm(plain->at)];
	if (plain->at & unwanted || plain->imm_size == NOT_KNOWN)
		return 0;
	if (plain->rex & INSN_REX_W && at_imm(plain->at) == IMM_V)
		plain->imm_size = 8;
	if (!(plain->at & AT_MODRM))
		return opcode - bytes + plain->imm_size;
	if (plain->at & (*opcode >= 0xc0 ? AT_MEM : AT_REG))
		return 0;
	return opcode - bytes + plain_modrm_length(opcode) + plain->imm_size;
}

/* 0x90 with a REX prefix may be another instruction than nop, which the decoder knows. */
static inline bool is_exchange(const struct plain *plain)
{
	return *plain->opcode == 0x90 && plain->map == INSN_MAP_ONE_BYTE && plain->rex;
}

unsigned int insn_plain_length(const void *bytes, size_t avail)
{
	struct plain plain;

	return avail < INSN_MAX_LENGTH ? 0 : examine_plain(bytes, NOT_PLAIN, &plain);
}

size_t insn_skip_flowing(const void *bytes, size_t size, size_t at, size_t end)
{
	const u8 *from = bytes;
	struct plain plain;
	unsigned int length;

	while (at < end && at + INSN_MAX_LENGTH <= size) {
		length = quick_length(from + at) ?:
			 examine_plain(from + at, NOT_FLOWING_ON, &plain);
		if (!length)
			break;
		at += length;
	}
	return at;
}

static inline bool counts(const struct insn_range *range, u64 addr)
{
	return addr - range->from <= range->more;
}

/* The immediate is last. */
static inline bool immediate_counts(const struct plain *plain, const u8 *end,
				    const struct insn_range *range)
{
	u64 value = signed32(end - 4);

	if (plain->imm_size == 8)
		value = value << 32 | (u32)signed32(end - 8);
	return counts(range, value);
}

/* So is the displacement of lea: of 32 bits, from the next instruction or not. */
static inline bool lea_counts(const struct plain *plain, const u8 *end, u64 ip_behind,
			      const struct insn_range *range)
{
	const u8 *modrm = plain->opcode + 1;

	if (plain_modrm_length(modrm) < 5)
		return false;
	return counts(range, signed32(end - 4) + ((*modrm & 0xc7) == 5 ? ip_behind : 0));
}

/* By an index that is scaled by the size: of 1 << @size bytes. */
static inline bool loads_entry(const struct plain *plain, unsigned int size)
{
	const u8 *modrm = plain->opcode + 1;
	bool sib = plain->at & AT_MODRM && *modrm < 0xc0 && (*modrm & 7) == 4;

	return sib && modrm[1] >> 6 == size &&
	       ((modrm[1] & 0x38) != 0x20 || plain->rex & INSN_REX_X);
}

/* @behind: offset of the next instruction. */
static inline bool may_find_address(const struct plain *plain, const u8 *bytes, size_t behind,
				    const struct insn_range *range)
{
	u8 opcode = *plain->opcode;

	if (plain->imm_size >= 4)
		return immediate_counts(plain, bytes + behind, range);
	if (plain->map == INSN_MAP_0F)
		return (opcode & 0xf6) == 0xb6 && loads_entry(plain, opcode & 1);
	switch (opcode) {
	case 0x63:
		return loads_entry(plain, 2);
	case 0x8b:
		return !(plain->rex & INSN_REX_W) && loads_entry(plain, 2);
	case 0x8d:
		return lea_counts(plain, bytes + behind, range->at + behind, range);
	default:
		return false;
	}
}

size_t insn_skip_dull(const void *bytes, size_t size, size_t at, size_t *last,
		      const struct insn_range *range)
{
	const u8 *from = bytes;
	struct plain plain;
	unsigned int length;

	while (at + INSN_MAX_LENGTH <= size) {
		length = quick_length(from + at);
		if (!length) {
			length = examine_plain(from + at, NOT_PLAIN_OR_NOP, &plain);
			if (!length || may_find_address(&plain, from, at + length, range) ||
			    is_exchange(&plain))
				break;
		}
		*last = at;
		at += length;
	}
	return at;
}
