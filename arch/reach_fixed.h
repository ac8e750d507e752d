/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judging and copying a region where a branch replaces one word, which is an
 * instruction or the prefix of one.  Pure code, see pure.h.  Included once by the
 * reach.c of such an architecture, which first defines:
 *
 * enum reach_reason judge_place(const struct insn *insn, u64 addr,
 *				 const struct reach_facts *facts);
 *	further reasons of the architecture against a branch there
 * bool flows_on(const struct insn *insn);
 *	may execution continue behind it, other than by returning from a call
 * u32 branch_word(s64 distance);
 *	a branch over this distance, which is in range
 * bool sets_link(const struct insn *insn);
 *	the value of struct reach_region's @links, with a macro of the same name; not
 *	defined where the copies set the link register
 */
#ifndef LKP_ARCH_REACH_FIXED_H
#define LKP_ARCH_REACH_FIXED_H

#ifndef sets_link
#define sets_link(insn)	false
#endif

/* ---- the region ---- */

static enum reach_reason judge(const struct insn *insn, u64 addr, const struct reach_facts *facts)
{
	if (insn->class == INSN_REFUSED)
		return REACH_REFUSED;
	if (facts->has_fixup(facts->data, addr))
		return REACH_FIXUP;
	if (facts->is_owned(facts->data, addr, addr + insn->length))
		return REACH_OWNED;
	return judge_place(insn, addr, facts);
}

enum reach_reason reach_region(struct reach_region *region, const u8 *bytes, size_t avail,
			       u64 addr, const struct reach_facts *facts)
{
	struct insn *insn = &region->insns[0];

	memset(region, 0, sizeof(*region));
	switch (insn_decode(insn, bytes, avail)) {
	case INSN_OK:
		break;
	case INSN_TRUNCATED:
		region->reason = REACH_END;
		return REACH_END;
	default:
		region->reason = REACH_UNDECODABLE;
		return REACH_UNDECODABLE;
	}
	region->reason = judge(insn, addr, facts);
	region->nr = 1;
	region->length = insn->length;
	region->flows_on = flows_on(insn);
	region->links = sets_link(insn);
	return region->reason;
}

/* ---- the copy ---- */

struct copy {
	u8 *dst;
	unsigned int len;
	u64 to;
	bool ok;
};

static void put_word(struct copy *copy, u32 word)
{
	unsigned int i;

	for (i = 0; i < INSN_SIZE; i++)
		copy->dst[copy->len++] = word >> i * 8;
}

bool reach_branch(u8 *dst, u64 from, u64 target)
{
	s64 distance = (s64)(target - from);
	struct copy copy = { .dst = dst };

	if (distance < -REACH_JUMP_RANGE || distance >= REACH_JUMP_RANGE || distance & 3)
		return false;
	put_word(&copy, branch_word(distance));
	return true;
}

static void put_branch(struct copy *copy, u64 target)
{
	if (reach_branch(copy->dst + copy->len, copy->to + copy->len, target))
		copy->len += INSN_SIZE;
	else
		copy->ok = false;
}

#endif /* LKP_ARCH_REACH_FIXED_H */
