// SPDX-License-Identifier: GPL-2.0-only
/*
 * Judges whether a jump can replace a trap, and copies the instructions that it
 * overwrites: reach.h.  Pure code, see ../pure.h.  reach_scan.c finds the branch
 * targets.
 */
#include "reach.h"

/* ---- one instruction ---- */

static bool is_call(const struct insn *insn)
{
	return insn->class == INSN_CALL || insn->class == INSN_CALL_IND;
}

static bool is_direct_branch(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_CALL:
		return true;
	default:
		return false;
	}
}

/* Does execution never continue behind it? */
static bool ends_flow(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_JMP:
	case INSN_JMP_IND:
	case INSN_RET:
		return true;
	default:
		return false;
	}
}

/* An endbr64 is there because indirect branches may go to it. */
static bool begins_with_endbr(const u8 *bytes, size_t avail)
{
	return avail >= 4 && bytes[0] == 0xf3 && bytes[1] == 0x0f && bytes[2] == 0x1e &&
	       (bytes[3] & 0xfe) == 0xfa;
}

/* Does the operand that modrm names depend on RSP?  RSP is never an index. */
static bool uses_stack_pointer(const struct insn *insn)
{
	if (insn->rex & INSN_REX_B || (insn->modrm & 7) != 4)
		return false;
	return !(insn->flags & INSN_HAS_SIB) || (insn->sib & 7) == 4;
}

/*
 * The copy of a call pushes first and loads the target afterwards, and it can push
 * a value of only 32 bits.
 */
static bool call_has_copy(const struct insn *insn, u64 ip)
{
	s64 back = (s64)(ip + insn->length);

	if (back != (s32)back)
		return false;
	return insn->class == INSN_CALL ||
	       !(insn->prefixes & INSN_PFX_66 || uses_stack_pointer(insn));
}

/* ---- the region ---- */

/* The arguments of reach_region(), and the size of the jump. */
struct question {
	const u8 *bytes;
	size_t avail;
	u64 addr;
	const struct reach_facts *facts;
	unsigned int size;
};

static enum reach_reason fail(struct reach_region *region, enum reach_reason reason, u8 at)
{
	region->reason = reason;
	region->at = at;
	return reason;
}

/* A branch into the middle of the jump; one to its first byte is harmless. */
static bool branches_inside(const struct insn *insn, u64 ip, const struct question *q)
{
	u64 at = insn_branch_target(insn, ip) - q->addr;

	return is_direct_branch(insn) && at - 1 < q->size - 1;
}

/* The jump back would be what sti holds interrupts off for, in place of a hlt. */
static bool loses_shadow(const struct insn *insn, const struct question *q, unsigned int at)
{
	return insn->class == INSN_STI && at + insn->length >= q->size;
}

/* Why the instruction @at bytes into the region can't be moved. */
static enum reach_reason judge_insn(const struct insn *insn, const struct question *q,
				    unsigned int at)
{
	u64 ip = q->addr + at;

	if (insn->class == INSN_REFUSED || loses_shadow(insn, q, at))
		return REACH_REFUSED;
	if (q->facts->has_fixup(q->facts->data, ip))
		return REACH_FIXUP;
	if (begins_with_endbr(q->bytes + at, q->avail - at))
		return at ? REACH_TARGET : REACH_LANDING;
	if (branches_inside(insn, ip, q))
		return REACH_TARGET;
	if (!is_call(insn))
		return REACH_OK;
	if (at + insn->length < q->size)
		return REACH_CALL;
	return call_has_copy(insn, ip) ? REACH_OK : REACH_NO_COPY;
}

static enum reach_reason take_insn(struct reach_region *region, const struct question *q)
{
	struct insn *insn = &region->insns[region->nr];
	unsigned int at = region->length;
	enum reach_reason reason;

	switch (insn_decode(insn, q->bytes + at, q->avail - at)) {
	case INSN_OK:
		break;
	case INSN_TRUNCATED:
		return fail(region, REACH_END, at);
	default:
		return fail(region, REACH_UNDECODABLE, at);
	}
	reason = judge_insn(insn, q, at);
	if (reason)
		return fail(region, reason, at);
	region->nr++;
	region->length += insn->length;
	region->flows_on = !ends_flow(insn);
	return REACH_OK;
}

/* The length of a piece of padding, which never runs; 0 if this is not padding. */
static unsigned int padding_length(const u8 *bytes, size_t avail)
{
	struct insn insn;

	if (bytes[0] == 0xcc || bytes[0] == 0)
		return 1;
	if (begins_with_endbr(bytes, avail) || insn_decode(&insn, bytes, avail) != INSN_OK)
		return 0;
	return insn.class == INSN_NOP ? insn.length : 0;
}

/*
 * Compilers leave no dead code.  Code behind a jump or a return that is not padding
 * is reached somehow; if no target is known there, the scan has missed one.
 */
static enum reach_reason judge_padding(struct reach_region *region, const struct question *q)
{
	unsigned int at, length;

	for (at = region->length; at < q->size; at += length) {
		length = padding_length(q->bytes + at, q->avail - at);
		if (!length)
			return fail(region, REACH_TARGET, at);
	}
	return REACH_OK;
}

/* Judges the bytes that the jump overwrites, instructions or padding. */
static enum reach_reason judge_bytes(struct reach_region *region, const struct question *q)
{
	const struct reach_facts *facts = q->facts;
	unsigned int at, end;

	for (at = 1; at < q->size; at++)
		if (facts->is_target(facts->data, q->addr + at))
			return fail(region, REACH_TARGET, at);
	if (judge_padding(region, q))
		return region->reason;
	end = region->length < q->size ? q->size : region->length;
	if (facts->is_owned(facts->data, q->addr, q->addr + end))
		return fail(region, REACH_OWNED, 0);
	return REACH_OK;
}

/*
 * The loop takes an instruction only while less than REACH_JUMP_SIZE bytes are
 * taken, and each has at least one byte.  So there are at most REACH_MAX_INSNS of
 * them, the last one begins at or before REACH_JUMP_SIZE - 1, and together they
 * have at most REACH_MAX_LENGTH bytes.
 */
static enum reach_reason judge_region(struct reach_region *region, const struct question *q)
{
	enum reach_reason reason;

	memset(region, 0, sizeof(*region));
	region->flows_on = true;
	while (region->flows_on && region->length < q->size) {
		reason = take_insn(region, q);
		if (reason)
			return reason;
	}
	if (q->avail < q->size)
		return fail(region, REACH_END, region->length);
	return judge_bytes(region, q);
}

enum reach_reason reach_region(struct reach_region *region, const u8 *bytes, size_t avail,
			       u64 addr, const struct reach_facts *facts)
{
	const struct question q = { bytes, avail, addr, facts, REACH_JUMP_SIZE };

	return judge_region(region, &q);
}

enum reach_reason reach_short_region(struct reach_region *region, const u8 *bytes, size_t avail,
				     u64 addr, const struct reach_facts *facts)
{
	const struct question q = { bytes, avail, addr, facts, REACH_SHORT_SIZE };

	return judge_region(region, &q);
}

const char * const reach_reason_texts[REACH_NR_REASONS] = {
	[REACH_END] = "too close to the function's end for a jump",
	[REACH_UNDECODABLE] = "a jump would overwrite bytes that can't be decoded",
	[REACH_TARGET] = "execution may enter the middle of a jump",
	[REACH_CALL] = "a call would return into the middle of a jump",
	[REACH_FIXUP] =
		"an instruction that a jump would overwrite has an exception table entry",
	[REACH_OWNED] = "bytes that a jump would overwrite are patched or read by others",
	[REACH_LANDING] = "indirect branches land here and may not land on a branch",
	[REACH_REFUSED] = "an instruction that a jump would overwrite can't run out of line",
	[REACH_NO_COPY] = "a call that a jump would overwrite can't be made out of line",
};

/* ---- the copy ---- */

struct copy {
	u8 *dst;
	unsigned int len;
	u64 to;
	bool ok;
};

static void put_byte(struct copy *copy, u8 byte)
{
	copy->dst[copy->len++] = byte;
}

static void put_s32(struct copy *copy, s64 value)
{
	s32 value32 = (s32)value;

	if (value != value32)
		copy->ok = false;
	memcpy(copy->dst + copy->len, &value32, sizeof(value32));
	copy->len += sizeof(value32);
}

/* A displacement is relative to the address that follows it. */
static void put_rel32(struct copy *copy, u64 target)
{
	put_s32(copy, (s64)(target - (copy->to + copy->len + sizeof(s32))));
}

static void put_jmp(struct copy *copy, u64 target)
{
	put_byte(copy, 0xe9);
	put_rel32(copy, target);
}

static void put_jcc(struct copy *copy, const struct insn *insn, u64 target)
{
	put_byte(copy, 0x0f);
	put_byte(copy, 0x80 | (insn->opcode & 0xf));
	put_rel32(copy, target);
}

/* These have no 32-bit form: the copy branches to a jump, or skips it. */
static void put_loop(struct copy *copy, const struct insn *insn, u64 target)
{
	if (insn->prefixes & INSN_PFX_67)
		put_byte(copy, 0x67);
	put_byte(copy, insn->opcode);
	put_byte(copy, 2);
	put_byte(copy, 0xeb);
	put_byte(copy, 5);
	put_jmp(copy, target);
}

static void put_push(struct copy *copy, u64 value)
{
	put_byte(copy, 0x68);
	put_s32(copy, (s64)value);
}

static void put_relocated(struct copy *copy, const struct insn *insn, const u8 *src, u64 ip)
{
	if (insn_relocate(insn, copy->dst + copy->len, src, ip, copy->to + copy->len) != INSN_OK)
		copy->ok = false;
	copy->len += insn->length;
}

/* call *operand is ff /2, jmp *operand ff /4; modrm comes before SIB and displacement. */
static void put_jmp_like_call(struct copy *copy, const struct insn *insn, const u8 *src, u64 ip)
{
	unsigned int behind = 1 + (insn->flags & INSN_HAS_SIB ? 1 : 0) + insn->disp_size;

	put_relocated(copy, insn, src, ip);
	copy->dst[copy->len - behind] = (insn->modrm & ~0x38) | 0x20;
}

static void put_insn(struct copy *copy, const struct insn *insn, const u8 *src, u64 ip)
{
	switch (insn->class) {
	case INSN_JMP:
		put_jmp(copy, insn_branch_target(insn, ip));
		break;
	case INSN_JCC:
		put_jcc(copy, insn, insn_branch_target(insn, ip));
		break;
	case INSN_LOOP:
		put_loop(copy, insn, insn_branch_target(insn, ip));
		break;
	case INSN_CALL:
		put_push(copy, ip + insn->length);
		put_jmp(copy, insn_branch_target(insn, ip));
		break;
	case INSN_CALL_IND:
		put_push(copy, ip + insn->length);
		put_jmp_like_call(copy, insn, src, ip);
		break;
	default:
		put_relocated(copy, insn, src, ip);
	}
}

/*
 * The length is bounded by REACH_MAX_COPY: the instructions have at most
 * REACH_MAX_LENGTH = 19 bytes.  A copy is longer by 7 bytes for a loop, by 5
 * for a call, by 4 for a conditional jump of two bytes, by 3 for a jump of two
 * bytes, and not at all otherwise.  Each of those has at least two bytes, so
 * at most three begin within the jump's five.  The jump back is 5 more:
 * 19 + 3 * 7 + 5 = 45.
 */
unsigned int reach_copy_ends(const struct reach_region *region, u8 *dst, u8 *ends, const u8 *bytes,
			     u64 from, u64 to)
{
	struct copy copy = { .dst = dst, .to = to, .ok = true };
	const struct insn *insn = region->insns;
	unsigned int i, at = 0;

	for (i = 0; i < region->nr; i++, insn++) {
		if (insn->class != INSN_NOP)
			put_insn(&copy, insn, bytes + at, from + at);
		else if (i && (insn - 1)->class == INSN_STI)
			put_byte(&copy, 0x90);	/* What interrupts are held off for. */
		at += insn->length;
		ends[i] = copy.len;
	}
	if (region->flows_on && !is_call(insn - 1))
		put_jmp(&copy, from + at);
	return copy.ok ? copy.len : 0;
}

unsigned int reach_copy(const struct reach_region *region, u8 *dst, const u8 *bytes,
			u64 from, u64 to)
{
	u8 ends[REACH_MAX_INSNS];

	return reach_copy_ends(region, dst, ends, bytes, from, to);
}
