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

#include <linux/bug.h>
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

/*
 * Holds in every handler and on the way to it.  Reads the mask itself, so it is safe in
 * NMIs, where RCU does not watch, and before lockdep has been told; costs nothing
 * on kernels without lockdep.
 */
static __always_inline void assert_irqs_masked(void)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		WARN_ON_ONCE(!raw_irqs_disabled());
}

/**
 * handlers_enter() - do what the kernel does at an exception before it calls handlers
 *
 * For each way into a handler that is no exception; what the processor does there
 * has been done, see arch_handlers_enter() and the table in arch/arch.h.  Ways that
 * assembly goes without this, detours on x86-64 and arm64, are not made where it is
 * more than nothing: see detour_gate_is_shut().
 *
 * What else is to be true in all handlers, however they are reached, goes here.
 *
 * Context: the guard is held, interrupts are off.
 */
static __always_inline void handlers_enter(void)
{
	assert_irqs_masked();
#ifdef CONFIG_TRACE_IRQFLAGS
	trace_hardirqs_off();
#endif
}

/**
 * handlers_leave() - undo that, in the same hit
 * @irqs: what interrupts will be for the probed code, as arch_irq_state() gives it
 *
 * Context: as handlers_enter().
 */
static __always_inline void handlers_leave(unsigned long irqs)
{
	assert_irqs_masked();
#ifdef CONFIG_TRACE_IRQFLAGS
	if (!raw_irqs_disabled_flags(irqs))
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
	handlers_enter();
	arch_ftrace_before(regs, site);
	if (unlikely(p->pre_handler(p, regs)))
		return dispatch_ftrace_left(regs, resume);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
	return DISPATCHED;
}

#endif /* LKP_DISPATCH_H */
