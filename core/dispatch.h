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
 * @resume: where the tracer goes on with what was handed on at a site of its
 * @handed_on: a handler has left for code that ends with dispatch_resume()
 *
 * Who sets @waiting or @handed_on resets it before the guard is dropped: whoever
 * finds the guard free finds them reset.
 */
struct hit_state {
	struct kprobe *running;
	struct task_struct *waiting;
	unsigned long irqs;
	unsigned long resume;
	bool handed_on;
};

DECLARE_PER_CPU(struct hit_state, hit_state);

void dispatch_leave(void);

/* Whether a pointer of the CPU's own is NULL; some architectures say in one instruction less. */
#ifndef arch_cpu_word_is_null
#define arch_cpu_word_is_null(word)	(!raw_cpu_read(word))
#endif

/* Is the guard held?  If so, dispatch_trap() or dispatch_ftrace_slowly() know what to do. */
static __always_inline bool dispatch_busy(void)
{
	return !arch_cpu_word_is_null(hit_state.running);
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

/**
 * enum dispatched - how a hit at a site of the function tracer was served
 * @DISPATCHED: it goes on where it would have; what ip is has no meaning
 * @DISPATCHED_ELSEWHERE: at ip, as a handler wants
 * @HANDED_ON: at ip, too, and interrupts stay off, see dispatch_hand_on()
 */
enum dispatched {
	DISPATCHED,
	DISPATCHED_ELSEWHERE,
	HANDED_ON,
};

enum dispatched dispatch_ftrace_slowly(unsigned long site, struct pt_regs *regs,
				       unsigned long resume);
enum dispatched dispatch_ftrace_left(struct pt_regs *regs, unsigned long resume);

/**
 * dispatch_ftrace() - the function tracer reached a site of ours
 * @site: its address
 * @regs: registers at the call
 * @resume: where the tracer goes on
 *
 * Context: any, with interrupts off.
 */
static __always_inline enum dispatched dispatch_ftrace(unsigned long site, struct pt_regs *regs,
						       unsigned long resume)
{
	struct probe_point *pt = table_peek(site);
	struct kprobe *p;

	if (unlikely(pt->addr != site))
		return dispatch_ftrace_slowly(site, regs, resume);
	p = READ_ONCE(pt->solo);
	if (unlikely(!p || dispatch_busy()))
		return dispatch_ftrace_slowly(site, regs, resume);
	dispatch_begin(p);
	irqs_off_for_handlers();
	arch_ftrace_before(regs, site);
	if (unlikely(p->pre_handler(p, regs)))
		return dispatch_ftrace_left(regs, resume);
	irqs_on_after_handlers(arch_irq_state(regs));
	dispatch_done();
	return DISPATCHED;
}

#endif /* LKP_DISPATCH_H */
