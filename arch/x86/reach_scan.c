// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the instructions of a function lead to: reach_scan() of reach.h.  Pure
 * code, see ../pure.h.
 *
 * Code is read from a function's first byte to its last, as it lies there.
 * What is no instruction is stepped over by a byte, and noted; to name too
 * much does no harm.
 */
#include "reach.h"

/* What a walk through a function has seen so far. */
struct walk {
	const struct reach_scan *scan;
	u64 start;
	u64 size;
	struct insn last;
	bool unknown;		/* not an instruction, or one that leads somewhere unknown */
	bool jumps_register;	/* to where a register says */
	bool jumps_memory;	/* to where a word in memory says */
	bool own_address;	/* took the address of something in itself */
	bool small_entry;	/* loaded an entry of a table of less than eight bytes each */
	bool names_bases;	/* second time through, to name what may be added to */
};

static void name_target(struct walk *walk, u64 addr)
{
	walk->scan->target(walk->scan->data, addr);
}

static void name_taken(struct walk *walk, u64 addr)
{
	if (walk->names_bases)
		walk->scan->base(walk->scan->data, addr);
	name_target(walk, addr);
	if (addr - walk->start - 1 < walk->size - 1)
		walk->own_address = true;
}

static bool is_thunk(const struct walk *walk, u64 addr)
{
	return walk->scan->is_indirect_thunk(walk->scan->data, addr);
}

/* ---- addresses that are taken ---- */

static bool is_legacy(const struct insn *insn, enum insn_map map, u8 opcode)
{
	return insn->encoding == INSN_LEGACY && insn->map == map && insn->opcode == opcode;
}

/* xbegin is the one instruction but the branches that has a target of its own. */
static bool is_xbegin(const struct insn *insn)
{
	return is_legacy(insn, INSN_MAP_ONE_BYTE, 0xc7) && insn->class == INSN_REFUSED;
}

static void scan_lea(struct walk *walk, const struct insn *insn, u64 ip)
{
	if (insn->flags & INSN_RIP_RELATIVE)
		name_taken(walk, ip + insn->length + (u64)insn->disp);
	else if (insn->disp_size == 4)
		name_taken(walk, (u64)insn->disp);
}

static void scan_operands(struct walk *walk, const struct insn *insn, u64 ip)
{
	if (is_legacy(insn, INSN_MAP_ONE_BYTE, 0x8d))
		scan_lea(walk, insn, ip);
	else if (is_xbegin(insn))
		name_target(walk, insn_branch_target(insn, ip));
	else if (insn->imm_size == 4 || insn->imm_size == 8)
		name_taken(walk, (u64)insn->imm);
}

/* ---- tables of offsets ---- */

/* log2 of the size of what is loaded, where it then is extended or is the register's low part. */
static int loaded_size(const struct insn *insn)
{
	if (insn->map == INSN_MAP_ONE_BYTE) {
		switch (insn->opcode) {
		case 0x63:	/* movslq */
			return 2;
		case 0x8b:	/* mov; of 32 bits it clears the high half */
			return insn->rex & INSN_REX_W ? -1 : 2;
		}
	} else if (insn->map == INSN_MAP_0F) {
		switch (insn->opcode) {
		case 0xb6: case 0xbe:	/* movzbl, movsbl */
			return 0;
		case 0xb7: case 0xbf:	/* movzwl, movswl */
			return 1;
		}
	}
	return -1;
}

/* An entry of a table is found by an index that is scaled by its size. */
static bool loads_small_entry(const struct insn *insn)
{
	bool indexed = insn->flags & INSN_HAS_SIB &&
		       ((insn->sib & 0x38) != 0x20 || insn->rex & INSN_REX_X);

	return insn->encoding == INSN_LEGACY && indexed && loaded_size(insn) == insn->sib >> 6;
}

/* ---- jumps ---- */

/* push, or a store to where RSP points: a ret that follows jumps there. */
static bool sets_return(const struct insn *insn)
{
	if (insn->encoding != INSN_LEGACY || insn->map != INSN_MAP_ONE_BYTE)
		return false;
	if ((insn->opcode & 0xf8) == 0x50 || insn->opcode == 0x68)
		return true;
	if (insn->opcode == 0xff)
		return (insn->modrm & 0x38) == 0x30;
	return insn->opcode == 0x89 && (insn->modrm & 0xc7) == 0x04 && insn->sib == 0x24;
}

static void scan_jmp(struct walk *walk, u64 target)
{
	name_target(walk, target);
	if (is_thunk(walk, target))
		walk->jumps_register = true;
}

static void scan_jmp_indirect(struct walk *walk, const struct insn *insn)
{
	if (insn->flags & INSN_HAS_MEM)
		walk->jumps_memory = true;
	else
		walk->jumps_register = true;
}

static void scan_insn(struct walk *walk, const struct insn *insn, u64 ip)
{
	switch (insn->class) {
	case INSN_JMP:
	case INSN_JCC:
		scan_jmp(walk, insn_branch_target(insn, ip));
		break;
	case INSN_LOOP:
	case INSN_CALL:
		name_target(walk, insn_branch_target(insn, ip));
		break;
	case INSN_JMP_IND:
		scan_jmp_indirect(walk, insn);
		break;
	case INSN_RET:
		if (sets_return(&walk->last))
			walk->jumps_register = true;
		break;
	default:
		scan_operands(walk, insn, ip);
	}
	if (insn->refuse == INSN_REFUSE_BRANCH16)
		walk->unknown = true;
	if (loads_small_entry(insn))
		walk->small_entry = true;
}

/* ---- the function ---- */

/*
 * A word in memory is a whole address, which was named where it came from.  A
 * register may hold a sum.
 */
static bool is_proven(const struct walk *walk)
{
	if (walk->unknown)
		return false;
	if (walk->jumps_register)
		return !walk->own_address && !walk->small_entry;
	return !walk->jumps_memory || !walk->own_address;
}

/* int3 or zeros to the end: what is left of a function whose code ended. */
static bool is_padding(const u8 *bytes, size_t size)
{
	while (size && (*bytes == 0xcc || *bytes == 0)) {
		bytes++;
		size--;
	}
	return !size;
}

static void walk_code(struct walk *walk, const u8 *bytes)
{
	struct insn insn;
	u64 at = 0;

	while (at < walk->size && !is_padding(bytes + at, walk->size - at)) {
		if (insn_decode(&insn, bytes + at, walk->size - at) == INSN_OK) {
			scan_insn(walk, &insn, walk->start + at);
			at += insn.length;
		} else {
			walk->unknown = true;
			at++;
		}
		walk->last = insn;
	}
}

bool reach_scan(const struct reach_scan *scan, const u8 *bytes, size_t size, u64 addr)
{
	struct walk walk = { .scan = scan, .start = addr, .size = size };

	walk_code(&walk, bytes);
	if (walk.jumps_register && scan->base) {
		walk.names_bases = true;
		walk_code(&walk, bytes);
	}
	return is_proven(&walk);
}
