/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guard: what keeps a hit on a CPU from being served while another one is.
 *
 * It is one word of the CPU's own, so that the ways in that are in a hurry can
 * take it and drop it in one instruction each.  Interrupts are off while it is
 * held, but for one thing: NMIs, which find it held and leave it alone, or take
 * it and have dropped it when they end.
 */
#ifndef LKP_DISPATCH_H
#define LKP_DISPATCH_H

#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "table.h"

struct task_struct;

/* The guard is held, but no kprobe's handler runs. */
#define GUARD_HELD	((struct kprobe *)1)

/**
 * struct hit_state - what a CPU is doing about a hit
 * @running: the guard: NULL while it is free, GUARD_HELD, or the kprobe whose
 *	handler runs. First, since assembly tests and writes it.
 * @waiting: the task in whose slot a guarded instruction runs, or for which a
 *	handler has handed on; else NULL
 * @irqs: what that task had, see arch_irq_state()
 * @handed_on: a handler has left for code that ends with dispatch_resume()
 *
 * Who sets @waiting or @handed_on resets it before the guard is dropped: whoever
 * finds the guard free finds them reset.
 */
struct hit_state {
	struct kprobe *running;
	struct task_struct *waiting;
	unsigned long irqs;
	bool handed_on;
};

DECLARE_PER_CPU(struct hit_state, hit_state);

void dispatch_leave(void);

/* Is the guard held?  If so, dispatch_trap() or dispatch_ftrace() know what to do. */
static __always_inline bool dispatch_busy(void)
{
	return raw_cpu_read(hit_state.running);
}

/* Take the guard, which is free, for a handler of this kprobe. */
static __always_inline void dispatch_begin(struct kprobe *p)
{
	raw_cpu_write(hit_state.running, p);
	barrier();
}

/* Drop it. */
static __always_inline void dispatch_done(void)
{
	barrier();
	raw_cpu_write(hit_state.running, NULL);
}

/* Interrupts are off for the CPU already: only tell those who keep books. */
static __always_inline void irqs_off_for_handlers(void)
{
#ifdef CONFIG_TRACE_IRQFLAGS
	trace_hardirqs_off();
#endif
}

static __always_inline void irqs_on_after_handlers(unsigned long flags)
{
#ifdef CONFIG_TRACE_IRQFLAGS
	if (!raw_irqs_disabled_flags(flags))
		trace_hardirqs_on();
#endif
}

static __always_inline bool dispatch_ftrace_solo(struct kprobe *p, unsigned long site,
						 struct pt_regs *regs, unsigned long flags)
{
	dispatch_begin(p);
	irqs_off_for_handlers();
	arch_ftrace_before(regs, site);
	if (likely(!p->pre_handler(p, regs)))
		arch_ftrace_after(regs, site);
	else if (raw_cpu_read(hit_state.handed_on))
		return false;
	irqs_on_after_handlers(flags);
	dispatch_done();
	return true;
}

/**
 * dispatch_ftrace() - the function tracer reached a site of ours
 * @site: its address
 * @regs: registers at the call
 *
 * Context: any.
 */
static __always_inline void dispatch_ftrace(unsigned long site, struct pt_regs *regs)
{
	struct probe_point *pt;
	struct kprobe *p = NULL;
	unsigned long flags;
	bool done;

	raw_local_irq_save(flags);
	pt = table_peek(site);
	if (likely(pt->addr == site))
		p = READ_ONCE(pt->solo);
	if (likely(p && !dispatch_busy()))
		done = dispatch_ftrace_solo(p, site, regs, flags);
	else
		done = dispatch_ftrace_slowly(site, regs, flags);
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(done))
		raw_local_irq_restore(flags);
}

#endif /* LKP_DISPATCH_H */
