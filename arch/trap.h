/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a breakpoint does, for all architectures.  Included by each probe.c once: the
 * fast path is part of its arch_trap().
 *
 * An architecture brings, before it includes this, beside what slot.h lists:
 *
 * unsigned long arch_trap_address(const struct pt_regs *regs);
 *	the address of the breakpoint that was hit
 * u32 arch_trap_word(unsigned long addr);
 *	what is in the text there, as much of it as a breakpoint takes
 * bool arch_is_trap(u32 word);
 *	is that a breakpoint
 *
 * and, with a macro of the same name, where there is something to do:
 *
 * bool arch_trap_is_foreign(const struct pt_regs *regs);
 *	it comes from a mode in which no probe point is hit
 * void arch_trap_resumed(struct pt_regs *regs);
 *	what the fast path has to do besides arch_go_on_at()
 * void arch_trap_left(struct pt_regs *regs);
 *	a handler may have written to the instruction pointer
 * bool arch_serve_trap(u32 word, struct pt_regs *regs);
 *	do what a breakpoint of ours that is no probe point is for; false if it is none
 * void arch_try_again(struct pt_regs *regs, unsigned long addr);
 *	run what is now in place of a breakpoint, if the trap does not return there
 */
#ifndef LKP_ARCH_TRAP_H
#define LKP_ARCH_TRAP_H

#include <linux/compiler.h>
#include <linux/notifier.h>

#include "../core/dispatch.h"
#include "../core/table.h"
#include "slot.h"

#ifndef arch_trap_is_foreign
#define arch_trap_is_foreign(regs)	false
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

/* A trap that is no longer in the text was removed after this CPU had run into it: try again. */
static int trap_without_point(unsigned long addr, struct pt_regs *regs)
{
	u32 word = arch_trap_word(addr);

	if (arch_serve_trap(word, regs))
		return NOTIFY_STOP;
	if (arch_is_trap(word))
		return NOTIFY_DONE;
	arch_try_again(regs, addr);
	return NOTIFY_STOP;
}

/* @pt is what table_peek() has found. */
static noinline int trap_slowly(struct probe_point *pt, struct pt_regs *regs)
{
	unsigned long addr = arch_trap_address(regs);

	if (arch_trap_is_foreign(regs))
		return NOTIFY_DONE;
	if (pt->addr != addr)
		pt = table_find(addr);
	if (!pt)
		return trap_without_point(addr, regs);
	dispatch_trap(pt, regs);
	arch_trap_left(regs);
	return NOTIFY_STOP;
}

static __always_inline void trap_go_on(struct probe_point *pt, struct pt_regs *regs)
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
 * Most hits take no more than this: one kprobe that has only a pre_handler.
 * Returns what arch_trap() does.
 */
static __always_inline int trap_hit(struct pt_regs *regs)
{
	unsigned long addr = arch_trap_address(regs);
	struct probe_point *pt = table_peek(addr);
	struct kprobe *p;

	if (unlikely(pt->addr != addr))
		return trap_slowly(pt, regs);
	p = READ_ONCE(pt->solo);
	if (unlikely(!p || dispatch_busy()))
		return trap_slowly(pt, regs);
	dispatch_begin(p);
	if (unlikely(p->pre_handler(p, regs))) {
		arch_trap_left(regs);
		dispatch_leave();
		return NOTIFY_STOP;
	}
	trap_go_on(pt, regs);
	dispatch_done();
	return NOTIFY_STOP;
}

#endif /* LKP_ARCH_TRAP_H */
