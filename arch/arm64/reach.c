// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which probe points a branch can replace, and the out-of-line copies of the replaced
 * instructions: reach.h.  Pure code, see ../pure.h.
 */
#include "reach.h"

#define LINK_REGISTER	30
#define WORD_NOP	0xd503201fu

/* The range of adrp, in either direction. */
#define PAGE_RANGE	0x100000000ll

#define PAGE_OF(addr)	((addr) & ~0xfffull)

/* ---- the region ---- */

static bool flows_on(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_B:
	case INSN_BL:
	case INSN_BR:
	case INSN_BLR:
	case INSN_RET:
		return false;
	default:
		return true;
	}
}

/*
 * The copy of a call writes the link register before it branches.  The copy of a
 * literal load puts the address into the destination, which must be a general register
 * other than the zero register.
 */
static bool has_copy(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_BLR:
		return insn->rn != LINK_REGISTER &&
		       !(insn->flags & INSN_AUTH && insn->rm == LINK_REGISTER);
	case INSN_LDR_LITERAL:
		return insn->flags & INSN_PREFETCH ||
		       !(insn->flags & INSN_VECTOR || insn->rd == INSN_REG_31);
	default:
		return true;
	}
}

static enum reach_reason judge_place(const struct insn *insn, u64 addr,
				     const struct reach_facts *facts)
{
	if (facts->guarded && insn->flags & INSN_LANDING)
		return REACH_LANDING;
	if (facts->waits(facts->data, addr))
		return REACH_WAIT;
	return has_copy(insn) ? REACH_OK : REACH_NO_COPY;
}

static u32 branch_word(s64 distance)
{
	return 0x14000000 | (distance >> 2 & 0x03ffffff);
}

#include "../reach_fixed.h"

const char * const reach_reason_texts[REACH_NR_REASONS] = {
	[REACH_END] = "too close to the function's end for a branch",
	[REACH_UNDECODABLE] = "a branch would overwrite bytes that can't be decoded",
	[REACH_FIXUP] = "the instruction has an exception table entry",
	[REACH_OWNED] = "the instruction is patched or read by others",
	[REACH_REFUSED] = "the instruction can't run out of line",
	[REACH_LANDING] = "indirect branches land here and may not land on a branch",
	[REACH_NO_COPY] = "the instruction's out-of-line copy has no register to spare",
	[REACH_WAIT] = "between an exclusive load and a wait, which only a trap is sure to end",
};

/* ---- the copy ---- */

/* adrp, and add for the offset in the page. */
static void put_address(struct copy *copy, unsigned int reg, u64 value)
{
	s64 distance = (s64)(PAGE_OF(value) - PAGE_OF(copy->to + copy->len));
	u32 pages = distance >> 12;

	if (reg == INSN_REG_31)
		return;
	if (distance < -PAGE_RANGE || distance >= PAGE_RANGE)
		copy->ok = false;
	put_word(copy, 0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5 | reg);
	if (value & 0xfff)
		put_word(copy, 0x91000000 | (value & 0xfff) << 10 | reg << 5 | reg);
}

/* A prefetch is only a hint: it is left out. */
static void put_literal(struct copy *copy, const struct insn *insn, u64 addr)
{
	u32 load = insn->flags & INSN_SIGNED ? 0xb9800000 :
		   insn->size == 8 ? 0xf9400000 : 0xb9400000;

	if (insn->flags & INSN_PREFETCH)
		return;
	put_address(copy, insn->rd, addr);
	put_word(copy, load | insn->rd << 5 | insn->rd);
}

/* Their range is short: they skip a branch to the next instruction, to one to the target. */
static void put_conditional(struct copy *copy, u32 word, u32 distance, u64 next, u64 target)
{
	put_word(copy, (word & ~distance) | 2 << 5);
	put_branch(copy, next);
	put_branch(copy, target);
}

/* The bit that turns br into blr, with authentication or without. */
#define LINKS	0x00200000

/*
 * A 64-bit multiply-accumulate.  On the first revisions of the Cortex-A53 (erratum 835769) its result
 * may be wrong right behind an access to memory, and what runs before the copy ends with a load.
 */
static bool needs_gap(const struct insn *insn)
{
	unsigned int ra = insn->word >> 10 & 31;

	return (insn->word & 0xff000000) == 0x9b000000 && ra != INSN_REG_31;
}

/* Returns false if a branch to the instruction after the region is still needed. */
static bool put_insn(struct copy *copy, const struct insn *insn, u64 ip)
{
	u64 next = ip + INSN_SIZE;

	switch (insn->class) {
	case INSN_NOP:
		return false;
	case INSN_ADR:
	case INSN_ADRP:
		put_address(copy, insn->rd, insn_target(insn, ip));
		return false;
	case INSN_LDR_LITERAL:
		put_literal(copy, insn, insn_target(insn, ip));
		return false;
	case INSN_BCOND:
	case INSN_CBZ:
		put_conditional(copy, insn->word, 0x00ffffe0, next, insn_branch_target(insn, ip));
		return true;
	case INSN_TBZ:
		put_conditional(copy, insn->word, 0x0007ffe0, next, insn_branch_target(insn, ip));
		return true;
	case INSN_CB:
		put_conditional(copy, insn->word, 0x00003fe0, next, insn_branch_target(insn, ip));
		return true;
	case INSN_BL:
		put_address(copy, LINK_REGISTER, next);
		put_branch(copy, insn_branch_target(insn, ip));
		return true;
	case INSN_B:
		put_branch(copy, insn_branch_target(insn, ip));
		return true;
	case INSN_BLR:
		put_address(copy, LINK_REGISTER, next);
		put_word(copy, insn->word & ~LINKS);
		return true;
	default:
		if (needs_gap(insn))
			put_word(copy, WORD_NOP);
		put_word(copy, insn->word);
		return !flows_on(insn);
	}
}

/*
 * The longest copy is that of a literal load: two words for the address, the load,
 * and the branch.
 */
unsigned int reach_copy(const struct reach_region *region, u8 *dst, u64 from, u64 to)
{
	struct copy copy = { .dst = dst, .to = to, .ok = true };

	if (!put_insn(&copy, &region->insns[0], from))
		put_branch(&copy, from + INSN_SIZE);
	return copy.ok ? copy.len : 0;
}
