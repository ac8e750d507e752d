/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a jump in place of a trap overwrites, for all architectures.  Pure code, see
 * pure.h.  Included by each reach.h, which defines enum reach_reason, struct
 * reach_facts and REACH_MAX_INSNS and declares the function that copies a region.
 */
#ifndef LKP_ARCH_REACH_REGION_H
#define LKP_ARCH_REACH_REGION_H

/**
 * struct reach_region - what a jump would overwrite
 * @reason: enum reach_reason; the rest is complete only if REACH_OK
 * @at: offset from the probe point of what @reason is about
 * @length: bytes of the instructions that the jump overwrites, without padding
 * @flows_on: execution can continue with the instruction that follows the region
 * @links: the region sets the link register to the address that follows it, but its
 *	copy does not, so the detour has to.  Only on powerpc: there the link register
 *	can only be set from a general register, and none is free.
 * @nr: number of instructions
 * @insns: the instructions
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
 * @avail: number of bytes up to the next function, padding included
 * @addr: the probe point
 * @facts: facts about the text
 *
 * Context: any; pure.
 * Return: @region->reason.
 */
enum reach_reason reach_region(struct reach_region *region, const u8 *bytes, size_t avail,
			       u64 addr, const struct reach_facts *facts);

/* Indexed by enum reach_reason; NULL for REACH_OK. */
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
