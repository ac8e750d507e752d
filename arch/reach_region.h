/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a jump in place of a trap overwrites, for all architectures.  Pure code, see
 * pure.h.  Included by each reach.h, which brings enum reach_reason, struct
 * reach_facts, REACH_MAX_INSNS and what copies a region.
 */
#ifndef LKP_ARCH_REACH_REGION_H
#define LKP_ARCH_REACH_REGION_H

/**
 * struct reach_region - what a jump would overwrite
 * @reason: enum reach_reason; the rest is complete only if REACH_OK
 * @at: offset from the probe point of what @reason is about
 * @length: bytes of the instructions that the jump overwrites, padding not counted
 * @flows_on: execution can leave the region at its end, for what follows it
 * @links: it sets the link register to what follows it, and its copy does not: the
 *	detour has to.  Of powerpc, where that register can be set from a general one
 *	only, and there is none to spare.
 * @nr: how many instructions
 * @insns: what they are
 */
struct reach_region {
	u8 reason;
	u8 at;
	u8 length;
	bool flows_on;
	bool links;
	u8 nr;
	struct insn insns[REACH_MAX_INSNS];
};

/**
 * reach_region() - judge a probe point
 * @region: filled in
 * @bytes: the original instructions from the probe point on
 * @avail: how many bytes up to the next function, padding included
 * @addr: the probe point
 * @facts: about the text
 *
 * Context: any; pure.
 * Return: @region->reason.
 */
enum reach_reason reach_region(struct reach_region *region, const u8 *bytes, size_t avail,
			       u64 addr, const struct reach_facts *facts);

/* By enum reach_reason; none for REACH_OK. */
extern const char * const reach_reason_texts[REACH_NR_REASONS];

/**
 * reach_reason_text() - say why a probe point stays a trap
 * @reason: enum reach_reason
 *
 * Context: any; pure.
 * Return: a phrase that stands alone; NULL for REACH_OK.
 */
static inline const char *reach_reason_text(unsigned int reason)
{
	return reason < REACH_NR_REASONS ? reach_reason_texts[reason] : NULL;
}

#endif /* LKP_ARCH_REACH_REGION_H */
