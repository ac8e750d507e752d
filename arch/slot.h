/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Out-of-line slots: copies of a probed instruction that run in its place.
 *
 * A slot holds ARCH_SLOT_COPIES copies of ARCH_SLOT_COPY_SIZE bytes.  In the first
 * copy the instruction is followed by a jump back behind the probe point, in the
 * second one by a way to the post handlers.  The last word of a slot is the address
 * of its struct probe_point.
 *
 * An architecture provides, in its probe.h, struct arch_point with the fields @insn,
 * @bytes, @slot, @guarded and @resume, and as inline functions:
 *
 * void arch_go_on_at(struct pt_regs *regs, unsigned long addr);
 *	make the exception return to @addr
 * void arch_mask_irqs(struct pt_regs *regs);
 *	make it return with interrupts off
 * unsigned long arch_post_stub(const struct arch_point *arch);
 *	the stub of this point alone that runs post handlers; 0 if it has none
 *
 * and the functions below whose names begin with arch_.
 */
#ifndef LKP_ARCH_SLOT_H
#define LKP_ARCH_SLOT_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "../core/core.h"
#include "../core/dispatch.h"

struct exception_table_entry;

/* The copies, by what follows the instruction in them. */
#define SLOT_COPY_BACK		0	/* the way back to the probed code */
#define SLOT_COPY_POST		1	/* the way to the post handlers */

#define SLOT_OWNER_OFFSET	(ARCH_SLOT_SIZE - sizeof(void *))

/**
 * arch_point_refusal() - reasons against a probe other than the instruction itself
 * @pt: with addr set and its @insn decoded
 * @bytes: the instruction
 * @avail: number of bytes that may be read
 *
 * Context: process context, kprobe_mutex held.
 * Return: NULL, or the reason, a phrase that stands alone.
 */
const char *arch_point_refusal(const struct probe_point *pt, const u8 *bytes, size_t avail);

/**
 * arch_needs_slot() - does this point ever run its instruction out of line
 * @pt: decoded
 *
 * Context: any.
 * Return: false if it is always emulated.
 */
bool arch_needs_slot(const struct probe_point *pt);

/**
 * arch_judge_copies() - set the fields that depend on whether the instruction may fault
 * @pt: decoded; its @guarded is written
 * @original: the exception table entry of the instruction, or NULL
 *
 * Context: process context.
 */
void arch_judge_copies(struct probe_point *pt, const struct exception_table_entry *original);

/**
 * arch_build_copy() - assemble a copy of the instruction and the code behind it
 * @pt: its slot is allocated
 * @which: SLOT_COPY_BACK or SLOT_COPY_POST
 * @image: ARCH_SLOT_COPY_SIZE bytes, filled with traps
 *
 * The last word of the second copy is the slot's owner and must not be written.
 *
 * Context: process context.
 * Return: false if its operand is out of reach of the slot.
 */
bool arch_build_copy(const struct probe_point *pt, unsigned int which, u8 *image);

/**
 * arch_resume_address() - where a hit resumes after its pre handlers
 * @pt: prepared
 *
 * Context: any.
 * Return: the address; 0 if it differs from hit to hit.
 */
unsigned long arch_resume_address(const struct probe_point *pt);

static __always_inline unsigned long slot_copy(const struct probe_point *pt, unsigned int which)
{
	return pt->arch.slot + which * ARCH_SLOT_COPY_SIZE;
}

/* The point that owns the slot around @addr. */
static __always_inline struct probe_point *slot_owner(unsigned long addr)
{
	unsigned long slot = addr & ~(ARCH_SLOT_SIZE - 1ul);

	return *(struct probe_point **)(slot + SLOT_OWNER_OFFSET);
}

/* The address that follows the probed instruction. */
static __always_inline unsigned long slot_behind(const struct probe_point *pt)
{
	return pt->addr + (ARCH_INSN_SIZE ?: pt->arch.insn.length);
}

/* Make the trap return to the copy in the slot. */
static __always_inline enum arch_executed slot_enter(const struct probe_point *pt,
						     struct pt_regs *regs, bool with_post)
{
	arch_go_on_at(regs, slot_copy(pt, with_post ? SLOT_COPY_POST : SLOT_COPY_BACK));
	if (!with_post || !pt->arch.guarded)
		return ARCH_IN_SLOT;
	arch_mask_irqs(regs);
	return ARCH_IN_SLOT_GUARDED;
}

/*
 * arch_execute() where a point's copies are only in its slot.  What goes on at the same place at
 * each hit need not be emulated, nor does this need a frame then.
 */
static __always_inline enum arch_executed
slot_execute(struct probe_point *pt, struct pt_regs *regs, bool with_post,
	     enum arch_executed (*emulate)(struct probe_point *pt, struct pt_regs *regs))
{
	if (pt->arch.insn.class == INSN_SLOT)
		return slot_enter(pt, regs, with_post);
	if (!pt->arch.resume)
		return emulate(pt, regs);
	arch_go_on_at(regs, pt->arch.resume);
	return ARCH_EXECUTED;
}

/* The instruction has run in its slot: run the post handlers, in a trap or in a stub. */
static __always_inline void slot_post(struct probe_point *pt, struct pt_regs *regs, bool in_trap)
{
	arch_go_on_at(regs, slot_behind(pt));
	if (likely(pt->arch.guarded))
		dispatch_post_guarded(pt, regs, in_trap);
	else
		dispatch_post(pt, regs, in_trap);
	dispatch_post_leave(pt, regs, slot_behind(pt));
}

#endif /* LKP_ARCH_SLOT_H */
