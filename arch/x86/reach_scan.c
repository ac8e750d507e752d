// SPDX-License-Identifier: GPL-2.0-only
/*
 * The branch targets of a function: reach_scan() of reach.h.  Pure code, see
 * ../pure.h.
 *
 * Code is decoded linearly from a function's first byte to its last; what insn_skip_dull() steps
 * over has nothing to report.  A byte at
 * which no instruction begins is skipped and recorded.  Reporting too many targets
 * does no harm.
 */
#include "reach.h"

#define X86_INT3	0xcc
#define X86_RET		0xc3

/* The state of a walk through a function. */
struct walk {
	const struct reach_scan *scan;
	u64 start;
	u64 size;
	const u8 *last;		/* the instruction before; NULL at the first one */
	size_t named;		/* offset of the last one that was reported as a beginning */
	bool lost;		/* a byte is not an instruction */
	bool flow_ended;	/* execution does not go on from the instruction before */
	bool stray;		/* another tool's trap hides an instruction */
	bool unknown;		/* a byte is not an instruction, or a target is not known */
	bool jumps_register;	/* it jumps to an address in a register */
	bool jumps_memory;	/* it jumps to an address in memory */
	bool own_address;	/* it takes an address within itself */
	bool small_entry;	/* it loads an entry of less than eight bytes from a table */
	bool names_bases;	/* this is the second pass, which reports bases */
};

static void name_target(struct walk *walk, u64 addr)
{
	walk->scan->target(walk->scan->data, addr);
}

static void name_taken(struct walk *walk, u64 addr)
{
	if (walk->names_bases)
		walk->scan->base(walk->scan->data, addr);
	walk->scan->taken(walk->scan->data, addr);
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

/* xbegin is the only instruction other than branches that has a target. */
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

/* log2 of the size of a load of less than eight bytes into a register; -1 if it is not one. */
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

/* A table entry is addressed by an index that is scaled by the size of an entry. */
static bool loads_small_entry(const struct insn *insn)
{
	bool indexed = insn->flags & INSN_HAS_SIB &&
		       ((insn->sib & 0x38) != 0x20 || insn->rex & INSN_REX_X);

	return insn->encoding == INSN_LEGACY && indexed && loaded_size(insn) == insn->sib >> 6;
}

/* ---- jumps ---- */

/* push, or a store to (%rsp): a ret that follows jumps to the value. */
static bool sets_return(const struct insn *insn)
{
	if (!insn->length || insn->encoding != INSN_LEGACY || insn->map != INSN_MAP_ONE_BYTE)
		return false;
	if ((insn->opcode & 0xf8) == 0x50 || insn->opcode == 0x68)
		return true;
	if (insn->opcode == 0xff)
		return (insn->modrm & 0x38) == 0x30;
	return insn->opcode == 0x89 && (insn->modrm & 0xc7) == 0x04 && insn->sib == 0x24;
}

/* The instructions before most rets are told by a byte: pop, leave, add, xor, mov to a register. */
static bool sets_no_return(const u8 *bytes)
{
	u8 opcode = (bytes[0] & 0xf0) == 0x40 ? bytes[1] : bytes[0];

	return (opcode & 0xf8) == 0x58 || opcode == 0xc9 || opcode == 0x83 || opcode == 0x31 ||
	       opcode == 0x8b;
}

static void scan_ret(struct walk *walk, const u8 *ret)
{
	struct insn last;

	if (!walk->last || sets_no_return(walk->last))
		return;
	/* It ends here; a byte that is no instruction sets nothing. */
	insn_decode(&last, walk->last, ret - walk->last);
	if (sets_return(&last))
		walk->jumps_register = true;
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

static void scan_insn(struct walk *walk, const struct insn *insn, const u8 *bytes, u64 ip)
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
		scan_ret(walk, bytes);
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
 * A word in memory is a complete address, which is reported where it comes from.  A
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

/* How many bytes there are before the padding: int3 and zeros up to the end. */
static u64 without_padding(const u8 *bytes, u64 size)
{
	while (size && (bytes[size - 1] == X86_INT3 || bytes[size - 1] == 0))
		size--;
	return size;
}

static bool ends_flow(const struct insn *insn)
{
	return insn->class == INSN_JMP || insn->class == INSN_JMP_IND || insn->class == INSN_RET ||
	       insn->refuse == INSN_REFUSE_UNDEFINED || insn->refuse == INSN_REFUSE_FAR_TRANSFER;
}

/* Behind a byte that is no instruction nobody knows where the next one begins. */
static void scan_trap(struct walk *walk, const u8 *bytes, size_t at)
{
	const struct reach_scan *scan = walk->scan;

	if (scan->is_stray && !walk->flow_ended && !walk->lost)
		walk->stray = scan->is_stray(scan->data, bytes + at, walk->size - at,
					     walk->start + at);
}

/* Returns where the next one begins. */
static size_t scan_any(struct walk *walk, const u8 *bytes, size_t at)
{
	struct insn insn;

	if (insn_decode(&insn, bytes + at, walk->size - at) != INSN_OK) {
		walk->unknown = true;
		walk->lost = true;
		return at + 1;
	}
	if (insn.refuse == INSN_REFUSE_BREAKPOINT) {
		scan_trap(walk, bytes, at);
		return at + insn.length;
	}
	scan_insn(walk, &insn, bytes + at, walk->start + at);
	walk->flow_ended = ends_flow(&insn);
	at += insn.length;
	return at + (walk->scan->fillers ? insn_filler(&insn, bytes + at, walk->size - at) : 0);
}

/* What insn_decode() would tell of it, in less time: most others are these. */
static size_t scan_next(struct walk *walk, const u8 *bytes, size_t at)
{
	struct insn_branch branch;
	unsigned int check = 0;
	u64 target;

	if (bytes[at] == X86_INT3) {
		scan_trap(walk, bytes, at);
		return at + 1;
	}
	if (bytes[at] == X86_RET) {
		scan_ret(walk, bytes + at);
		walk->flow_ended = true;
		return at + 1;
	}
	if (!insn_direct_branch(&branch, bytes + at, walk->size - at))
		return scan_any(walk, bytes, at);
	/* One that is off ends where its jump leads. */
	if (branch.class == INSN_JMP)
		check = insn_check_off(bytes + at, walk->size - at);
	at += branch.length;
	target = walk->start + at + (s64)branch.distance;
	if (branch.class == INSN_CALL)
		name_target(walk, target);
	else
		scan_jmp(walk, target);
	walk->flow_ended = branch.class == INSN_JMP && !check;
	return check ? target - walk->start : at;
}

/* Behind a byte that is no instruction, or where execution does not go on, others may see it otherwise. */
static void name_beginning(struct walk *walk, size_t at)
{
	if (!walk->scan->begins || walk->names_bases || walk->lost || walk->flow_ended)
		return;
	walk->named = at;
	walk->scan->begins(walk->scan->data, walk->start + at);
}

static void walk_code(struct walk *walk, const u8 *bytes)
{
	const struct insn_range range = {
		walk->start, walk->scan->from, walk->scan->to - walk->scan->from - 1,
	};
	size_t at = 0, end = without_padding(bytes, walk->size), last;

	walk->last = NULL;
	walk->flow_ended = false;
	while (at < end && !walk->stray) {
		last = walk->size;
		at = insn_skip_dull(bytes, walk->size, at, &last, &range);
		if (last < walk->size) {
			walk->last = bytes + last;
			walk->flow_ended = false;
		}
		if (at >= end)
			break;
		if (at - walk->named >= REACH_STRIDE)
			name_beginning(walk, at);
		last = at;
		at = scan_next(walk, bytes, at);
		walk->last = bytes + last;
	}
	/* Or what it hides is the last instruction, and has but traps and zeros behind it. */
	if (at >= end && at < walk->size && bytes[at] == X86_INT3)
		scan_trap(walk, bytes, at);
}

bool reach_scan(const struct reach_scan *scan, const u8 *bytes, size_t size, u64 addr)
{
	struct walk walk = { .scan = scan, .start = addr, .size = size };

	walk_code(&walk, bytes);
	if (walk.stray)
		return false;
	if (walk.jumps_register && scan->base) {
		walk.names_bases = true;
		walk_code(&walk, bytes);
	}
	return is_proven(&walk);
}
