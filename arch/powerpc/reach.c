// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which probe points a branch can replace, and the out-of-line copies of the replaced
 * instructions: reach.h.  Pure code, see ../pure.h.
 */
#include "reach.h"

#define WORD_NOP	0x60000000u

/* Fields of a branch's word */
#define BIT_LINK	0x00000001u
#define BIT_ABSOLUTE	0x00000002u
#define FIELD_BD	0x0000fffcu

/* ---- the region ---- */

static bool is_conditional(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_BRANCH_COND:
	case INSN_BRANCH_LR:
	case INSN_BRANCH_CTR:
		return !insn_is_always(insn);
	default:
		return false;
	}
}

static bool is_branch(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_BRANCH:
	case INSN_BRANCH_COND:
	case INSN_BRANCH_LR:
	case INSN_BRANCH_CTR:
		return true;
	default:
		return false;
	}
}

/* blrl branches to LR and overwrites it. */
static bool has_copy(const struct insn *insn)
{
	return insn->class != INSN_BRANCH_LR || !(insn->flags & INSN_LINK);
}

static bool is_near(u64 addr, const struct reach_facts *facts)
{
	s64 start = (s64)(facts->detours - addr), end = (s64)(facts->detours_end - addr);

	return start < end && start < REACH_JUMP_RANGE && end > -REACH_JUMP_RANGE;
}

static enum reach_reason judge_place(const struct insn *insn, u64 addr,
				     const struct reach_facts *facts)
{
	if (insn_crosses_line(insn, addr))
		return REACH_UNDECODABLE;
	if (!has_copy(insn))
		return REACH_NO_COPY;
	return is_near(addr, facts) ? REACH_OK : REACH_FAR;
}

static bool flows_on(const struct insn *insn)
{
	return !is_branch(insn) || is_conditional(insn);
}

static bool sets_link(const struct insn *insn)
{
	return is_branch(insn) && insn->flags & INSN_LINK;
}
#define sets_link	sets_link

static u32 branch_word(s64 distance)
{
	return 0x48000000 | ((u32)distance & 0x03fffffc);
}

#include "../reach_fixed.h"

const char * const reach_reason_texts[REACH_NR_REASONS] = {
	[REACH_END] = "too close to the function's end for a branch",
	[REACH_UNDECODABLE] = "a branch would overwrite bytes that can't be decoded",
	[REACH_FIXUP] = "the instruction has an exception table entry",
	[REACH_OWNED] = "the instruction is patched or read by others",
	[REACH_REFUSED] = "the instruction can't run out of line",
	[REACH_NO_COPY] = "the instruction's out-of-line copy has no register to spare",
	[REACH_FAR] = "no memory for a detour buffer within reach of a branch",
};

/* ---- the copy ---- */

/* A branch to an absolute address stays absolute. */
static void put_branch_of(struct copy *copy, const struct insn *insn, u64 ip)
{
	if (insn->flags & INSN_ABSOLUTE)
		put_word(copy, 0x48000000 | ((u32)insn->imm & 0x03fffffc) | BIT_ABSOLUTE);
	else
		put_branch(copy, insn_branch_target(insn, ip));
}

/* Its range is short: it skips a branch to the next instruction, to one to the target. */
static void put_conditional(struct copy *copy, const struct insn *insn, u64 ip)
{
	if (is_conditional(insn)) {
		put_word(copy, (insn->word & ~(FIELD_BD | BIT_LINK | BIT_ABSOLUTE)) |
			       2 * INSN_SIZE);
		put_branch(copy, ip + INSN_SIZE);
	}
	put_branch_of(copy, insn, ip);
}

/* lis, ori, sldi, oris, ori */
static void put_number(struct copy *copy, unsigned int reg, u64 value)
{
	u32 rt = reg << 21, both = rt | reg << 16;

	put_word(copy, 0x3c000000 | rt | (u32)(value >> 48));
	put_word(copy, 0x60000000 | both | (value >> 32 & 0xffff));
	put_word(copy, 0x780007c6 | both);
	put_word(copy, 0x64000000 | both | (value >> 16 & 0xffff));
	put_word(copy, 0x60000000 | both | (value & 0xffff));
}

/* Copied with its PC-relative displacement adjusted, and not across the end of a line. */
static void put_prefixed(struct copy *copy, const struct insn *insn, u64 ip)
{
	u8 *at;

	if (insn_crosses_line(insn, copy->to + copy->len))
		put_word(copy, WORD_NOP);
	at = copy->dst + copy->len;
	put_word(copy, insn->word);
	put_word(copy, insn->suffix);
	if (insn->flags & INSN_PC_RELATIVE &&
	    insn_relocate(insn, at, NULL, ip, copy->to + (at - copy->dst)) != INSN_OK)
		copy->ok = false;
}

static void put_insn(struct copy *copy, const struct insn *insn, u64 ip)
{
	switch (insn->class) {
	case INSN_NOP:
		break;
	case INSN_BRANCH:
	case INSN_BRANCH_COND:
		put_conditional(copy, insn, ip);
		break;
	case INSN_BRANCH_LR:
	case INSN_BRANCH_CTR:
		put_word(copy, insn->word & ~BIT_LINK);
		break;
	case INSN_ADDPCIS:
		put_number(copy, insn->rt, ip + INSN_SIZE + (u64)insn->imm);
		break;
	case INSN_PADDI_PC:
		put_number(copy, insn->rt, ip + (u64)insn->imm);
		break;
	default:
		if (insn->length == INSN_MAX_LENGTH)
			put_prefixed(copy, insn, ip);
		else
			put_word(copy, insn->word);
	}
}

/* The longest copy is that of a number: five words, and the branch. */
unsigned int reach_copy(const struct reach_region *region, u8 *dst, u64 from, u64 to)
{
	const struct insn *insn = &region->insns[0];
	struct copy copy = { .dst = dst, .to = to, .ok = true };

	put_insn(&copy, insn, from);
	/* The copy of a conditional branch contains the branch to the next instruction. */
	if (region->flows_on && insn->class != INSN_BRANCH_COND)
		put_branch(&copy, from + region->length);
	return copy.ok ? copy.len : 0;
}

/* At @from all is in reach; elsewhere a prefixed instruction may need a nop before it. */
unsigned int reach_copy_size(const struct reach_region *region, u64 from)
{
	u8 scratch[REACH_MAX_COPY];

	return reach_copy(region, scratch, from, from) + region->length - INSN_SIZE;
}
