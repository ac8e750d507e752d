/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handling of a breakpoint, for all architectures.  Included once by each trap.c: the
 * fast path is part of what the kernel calls.
 *
 * An architecture defines, before it includes this, in addition to what slot.h lists:
 *
 * unsigned long arch_trap_address(const struct pt_regs *regs);
 *	the address of the breakpoint that was hit
 * u32 arch_trap_word(unsigned long addr);
 *	the text at @addr, as many bytes as a breakpoint has
 * bool arch_is_trap(u32 word);
 *	is that a breakpoint
 *
 * and, each with a macro of the same name, those of these that it needs:
 *
 * bool arch_trap_is_foreign(const struct pt_regs *regs);
 *	the trap comes from a mode in which no handler may run
 * int arch_foreign_trap(struct pt_regs *regs);
 *	serve such a trap: with that macro only
 * void arch_trap_resumed(struct pt_regs *regs);
 *	further work of the fast path after arch_go_on_at()
 * void arch_trap_left(struct pt_regs *regs);
 *	called where a handler may have written the instruction pointer
 * bool arch_serve_trap(u32 word, struct pt_regs *regs);
 *	serve a breakpoint of ours that is not a probe point; false if it is not ours
 * void arch_try_again(struct pt_regs *regs, unsigned long addr);
 *	run the instruction that has replaced a breakpoint, if the trap does not
 *	return there by itself
 */
#ifndef LKP_ARCH_TRAP_H
#define LKP_ARCH_TRAP_H

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>

#include "../core/dispatch.h"
#include "../core/table.h"
#include "../host/host.h"
#include "slot.h"

#ifndef arch_trap_is_foreign
#define arch_trap_is_foreign(regs)	false
#define arch_foreign_trap(regs)		NOTIFY_DONE
#endif
#ifndef arch_trap_resumed
#define arch_trap_resumed(regs)		do { } while (0)
#endif
#ifndef arch_trap_left
#define arch_trap_left(regs)		do { } while (0)
#endif
#ifndef arch_serve_trap
#define arch_serve_trap(word, regs)	false
#endif
#ifndef arch_try_again
#define arch_try_again(regs, addr)	do { } while (0)
#endif

/*
 * May it be the breakpoint of the kernel's own kprobes?  Theirs looks the same where they are asked
 * after us.  They put none over our trap, but one over a jump of ours, or where ours is off.  There
 * the text holds no trap of ours, and none is on its way any more, as all CPUs were synced behind
 * the store.  In the states on the way to and from these it does: there they have none, and are
 * asked in vain; but in text that vanishes they may have one, which is disabled, on a jump that is
 * being removed.  Then its handlers are called, and it executes its copy of the jump.
 */
static __always_inline bool may_be_theirs(const struct probe_point *pt)
{
#ifdef ARCH_TRAP_HURRIES
	return IS_ENABLED(CONFIG_KPROBES) && !state_is_only_trap(READ_ONCE(pt->state));
#else
	return false;
#endif
}

/*
 * What is marked __kprobes is on the way of the built-in kprobes' traps where they are asked after
 * us: one there would trap on its own way.  They refuse functions of that section.
 */

/* If the text holds no trap any more, it was removed after this CPU hit it: run it again. */
static noinline __kprobes int trap_without_point(unsigned long addr, struct pt_regs *regs)
{
	u32 word = arch_trap_word(addr);

	if (arch_serve_trap(word, regs))
		return NOTIFY_STOP;
	if (arch_is_trap(word))
		return NOTIFY_DONE;
	arch_try_again(regs, addr);
	return NOTIFY_STOP;
}

/* The only kprobe there has a post_handler, and the guard is free. */
static __always_inline void trap_with_post(struct probe_point *pt, struct kprobe *p,
					   struct pt_regs *regs)
{
	kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);
	unsigned long irqs, next;

	dispatch_begin(p);
	trap_enter();
	dispatch_note_leaver(pt);
	if (pre_handler && unlikely(pre_handler(p, regs))) {
		arch_leave_jumps(regs);
		arch_redirected(regs);
		trap_leave();
		dispatch_leave();
		return;
	}
	irqs = arch_irq_state(regs);
	switch (arch_execute(pt, regs, true)) {
	case ARCH_EXECUTED:
		next = instruction_pointer(regs);
		dispatch_solo_post(p, regs);
		dispatch_post_done(pt, regs, next);
		break;
	case ARCH_IN_SLOT_GUARDED:
		dispatch_wait(irqs);
		trap_leave();
		return;
	default:
		break;
	}
	trap_leave();
	dispatch_done();
}

/*
 * All other hits of a point: a post_handler, several kprobes, the guard is held, or it is a jump, or
 * off, and the breakpoint need not be ours.
 */
static noinline __kprobes int trap_slowly(struct probe_point *pt, struct pt_regs *regs)
{
	struct kprobe *p;

	if (arch_trap_is_foreign(regs))
		return arch_foreign_trap(regs);
	if (may_be_theirs(pt) && host_foreign_probe(pt->addr))
		return NOTIFY_DONE;
	p = READ_ONCE(pt->solo_post);
	if (p && !dispatch_busy())
		trap_with_post(pt, p, regs);
	else
		dispatch_trap(pt, regs);
	arch_trap_left(regs);
	return NOTIFY_STOP;
}

static __always_inline void trap_resume(struct probe_point *pt, struct pt_regs *regs)
{
	unsigned long resume = READ_ONCE(pt->arch.resume);

	if (unlikely(!resume)) {
		arch_execute(pt, regs, false);
		return;
	}
	arch_go_on_at(regs, resume);
	arch_trap_resumed(regs);
}

/*
 * table_peek() has found another point, or none.  Each breakpoint of others comes here, programs'
 * too where the kernel has one way for both.  Where a program was is not read, and need not be in
 * its half of the addresses: what it has as its instruction pointer is an offset into a segment
 * of its own.
 */
static noinline __kprobes int trap_elsewhere(struct probe_point *pt, unsigned long addr,
					     struct pt_regs *regs)
{
	if (user_mode(regs))
		return NOTIFY_DONE;
	if (arch_trap_is_foreign(regs))
		return arch_foreign_trap(regs);
	pt = table_ends_at(pt) ? NULL : table_find(addr);
	return pt ? trap_slowly(pt, regs) : trap_without_point(addr, regs);
}

/*
 * The fast path, for the most common case: a single kprobe with only a pre_handler.
 * Returns what arch_trap() returns.
 */
static __always_inline int trap_hit_from(struct pt_regs *regs, bool is_foreign)
{
	unsigned long addr = arch_trap_address(regs);
	struct probe_point *pt = table_peek(addr);
	kprobe_pre_handler_t pre_handler;
	struct kprobe *p;

	if (unlikely(pt->addr != addr))
		return trap_elsewhere(pt, addr, regs);
	p = READ_ONCE(pt->solo);
	/* In a foreign mode there need not be any data of this CPU. */
	if (unlikely(!p || is_foreign || may_be_theirs(pt) || dispatch_busy()))
		return trap_slowly(pt, regs);
	dispatch_begin(p);
	trap_enter();
	/* Before the handler: what it hands on comes back to the copy another way. */
	dispatch_note_leaver(pt);
	/* A client may have cleared it. */
	pre_handler = READ_ONCE(p->pre_handler);
	if (likely(pre_handler) && unlikely(pre_handler(p, regs))) {
		arch_leave_jumps(regs);
		arch_redirected(regs);
		arch_trap_left(regs);
		trap_leave();
		dispatch_leave();
		return NOTIFY_STOP;
	}
	trap_resume(pt, regs);
	trap_leave();
	dispatch_done();
	return NOTIFY_STOP;
}

static __always_inline int trap_hit(struct pt_regs *regs)
{
	return trap_hit_from(regs, arch_trap_is_foreign(regs));
}

#endif /* LKP_ARCH_TRAP_H */
