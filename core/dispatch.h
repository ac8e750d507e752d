/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guard: keeps a CPU from serving a hit while it is serving another one.
 *
 * It is a single per-CPU word, so that the fast paths can take it and drop it in one
 * instruction each.  Interrupts are off while it is held.  An NMI either finds it held
 * and leaves it alone, or takes it and drops it before it ends.
 */
#ifndef LKP_DISPATCH_H
#define LKP_DISPATCH_H

#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "table.h"

struct task_struct;

/* The guard is held, but no kprobe's handler runs. */
#define GUARD_HELD	((struct kprobe *)1)

/**
 * struct hit_state - what a CPU is doing about a hit
 * @running: the guard: NULL while it is free, GUARD_HELD, or the kprobe whose
 *	handler runs. First, since assembly tests and writes it.
 * @waiting: the task that runs a guarded instruction in a slot, or whose hit a
 *	handler has handed on; else NULL
 * @waiting_since: when that task began
 * @waiting_pid: its number
 * @irqs: the interrupt state of that task, see arch_irq_state()
 * @resume: where the tracer goes on after a hit at one of its sites was handed on
 * @calls: those that the kernel's return probes waited for when the hit was handed on
 * @handed_on: a handler has left for code that ends with dispatch_resume()
 * @counts: where the hit was counted whose pre_handler runs; NULL: nowhere
 * @nmis: how many NMIs the running handler is in, if its kprobe may have a fault_handler: see
 *	dispatch_faulted()
 *
 * @waiting and @handed_on are reset before the guard is dropped.  While the guard is
 * free they are not set.
 */
struct hit_state {
	struct kprobe *running;
	struct task_struct *waiting;
	u64 waiting_since;
	pid_t waiting_pid;
	unsigned long irqs;
	unsigned long resume;
	struct host_calls calls;
	bool handed_on;
	struct probe_counts __percpu *counts;
	unsigned int nmis;
};

DECLARE_PER_CPU(struct hit_state, hit_state);

/* guard.c */
void dispatch_leave(void);
void dispatch_wait(unsigned long irqs);

/* Is a per-CPU pointer NULL?  Some architectures test that in one instruction less. */
#ifndef arch_cpu_word_is_null
#define arch_cpu_word_is_null(word)	(!raw_cpu_read(word))
#endif

#ifndef arch_cpu_word_release
/* Store a per-CPU word that other CPUs read, after all that was read and written before. */
#define arch_cpu_word_release(word, value)	smp_store_release(raw_cpu_ptr(&(word)), value)
#endif

/* Is a fault of the copy that a detour has of this point's instruction told to fault handlers as in a slot? */
#ifndef arch_detour_tells_faults
#define arch_detour_tells_faults(pt)	true
#endif

/*
 * Where the instruction has led to: not into the bytes of the point's own jump.  Those of others it
 * does not lead to.  Nothing to do where a jump is as long as the trap.
 */
#ifndef arch_leave_jump
#define arch_leave_jump(pt, regs)	do { } while (0)
#endif

/* Where a handler has led to: not into the bytes of any jump. */
#ifndef arch_leave_jumps
#define arch_leave_jumps(regs)		do { } while (0)
#endif

/* A handler has chosen where a trap returns to. */
#ifndef arch_redirected
#define arch_redirected(regs)		do { } while (0)
#endif

/* Behind post handlers, which ran with this instruction pointer. */
static __always_inline void dispatch_post_leave(struct probe_point *pt, struct pt_regs *regs,
						unsigned long before)
{
	if (likely(instruction_pointer(regs) == before))
		arch_leave_jump(pt, regs);
	else
		arch_leave_jumps(regs);
}

/* The same in a trap. */
static __always_inline void dispatch_post_done(struct probe_point *pt, struct pt_regs *regs,
					       unsigned long before)
{
	bool redirected = instruction_pointer(regs) != before;

	dispatch_post_leave(pt, regs, before);
	if (redirected)
		arch_redirected(regs);
}

/*
 * Is the case of a post_handler served within the function that is called at a site of the tracer?
 * That saves a call, and costs the other cases nothing where each way through a function saves only
 * the registers that it needs.
 */
#ifndef ARCH_FTRACE_POST_INLINE
#define ARCH_FTRACE_POST_INLINE	0
#endif

/* By how much a trap raises the number of NMIs that the kernel is in, as preempt_count() has it. */
#ifndef ARCH_TRAP_NMIS
#define ARCH_TRAP_NMIS		0
#endif

/* NULL at the end, and behind one that its client has cleared: see point_mend(). */
static __always_inline struct kprobe *hit_kprobe_behind(const struct probe_point *pt,
							const struct list_head *link)
{
	const struct list_head *next = READ_ONCE(link->next);

	return likely(next) && next != &pt->probes ? list_entry(next, struct kprobe, list) : NULL;
}

/* Without a lock, in a hit, for as long as table_wait() waits for it. */
#define for_each_hit_kprobe(p, pt)						\
	for ((p) = hit_kprobe_behind(pt, &(pt)->probes); (p);			\
	     (p) = hit_kprobe_behind(pt, &(p)->list))

/* Is the guard held?  If so, dispatch_trap() or dispatch_ftrace_slowly() serves the hit. */
static __always_inline bool dispatch_busy(void)
{
	return !arch_cpu_word_is_null(hit_state.running);
}

/* Take the guard, which must be free, for a handler of this kprobe. */
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
 * True in every handler and on the way to it.  Reads the mask itself, so it is safe in
 * NMIs, where RCU does not watch, and before lockdep has been told.  Costs nothing
 * on kernels without lockdep.
 */
static __always_inline void assert_irqs_masked(void)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		WARN_ON_ONCE(!raw_irqs_disabled());
}

/*
 * In a handler in_atomic() is true, on every kernel: an access to user memory that needs a
 * page then fails, instead of sleeping with the guard held and the handler's module
 * free to go.  preempt_disable() is not enough, since it counts only with PREEMPT_COUNT.
 * Lowering the count never calls the scheduler: interrupts are off, and the kernel looks for
 * what is due when it enables them or at the next interrupt.
 */
static __always_inline void raise_preempt_count(void)
{
	__preempt_count_add(PREEMPT_OFFSET);
	barrier();
}

static __always_inline void lower_preempt_count(void)
{
	barrier();
	__preempt_count_sub(PREEMPT_OFFSET);
}

/* The same in a trap, where the kernel's entry code may have raised the count. */
static __always_inline void trap_enter(void)
{
#ifndef ARCH_TRAP_IS_ATOMIC
	raise_preempt_count();
#endif
}

static __always_inline void trap_leave(void)
{
#ifndef ARCH_TRAP_IS_ATOMIC
	lower_preempt_count();
#endif
}

/* lockdep and the irq tracer are told that interrupts are off. */
static __always_inline void tell_irqs_off(void)
{
#ifdef CONFIG_TRACE_IRQFLAGS
	trace_hardirqs_off();
#endif
}

/**
 * handlers_enter() - do what the kernel does at an exception before it calls handlers
 *
 * For each way into a handler that is not an exception.  What the processor does at an
 * exception has been done by arch_handlers_enter(); see the table in arch/arch.h.
 * Detours on x86-64 and arm64 are assembly that does not call this: they count by themselves,
 * and where lockdep has to be told their gates stay shut, see detour_gate_is_shut().
 *
 * Anything else that must be true in all handlers, however they are reached, goes here.
 *
 * Context: the guard is held, interrupts are off.
 */
static __always_inline void handlers_enter(void)
{
	assert_irqs_masked();
	raise_preempt_count();
	tell_irqs_off();
}

/**
 * handlers_leave() - undo handlers_enter(), in the same hit
 * @irqs: the interrupt state of the probed code, as arch_irq_state() gives it
 *
 * Context: as handlers_enter().
 */
static __always_inline void handlers_leave(unsigned long irqs)
{
	assert_irqs_masked();
	lower_preempt_count();
#ifdef CONFIG_TRACE_IRQFLAGS
	if (!raw_irqs_disabled_flags(irqs))
		trace_hardirqs_on();
#endif
}

/* The post_handler of a point's only kprobe, which its client may have cleared. */
static __always_inline void dispatch_solo_post(struct kprobe *p, struct pt_regs *regs)
{
	kprobe_post_handler_t post_handler = READ_ONCE(p->post_handler);

	if (likely(post_handler))
		post_handler(p, regs, 0);
}

/**
 * enum dispatched - how a hit at a site of the function tracer was served
 * @DISPATCHED: it goes on where the tracer would have; ip has no meaning
 * @DISPATCHED_ELSEWHERE: it goes on at ip, as a handler has chosen
 * @HANDED_ON: it goes on at ip with interrupts off, see dispatch_hand_on()
 */
enum dispatched {
	DISPATCHED,
	DISPATCHED_ELSEWHERE,
	HANDED_ON,
};

/* dispatch_site.c */
struct ftrace_ops;
enum dispatched dispatch_ftrace_slowly(struct probe_point *pt, unsigned long site,
				       struct pt_regs *regs, unsigned long resume, bool kept);
enum dispatched dispatch_ftrace_post(struct kprobe *p, unsigned long site, struct pt_regs *regs,
				     unsigned long resume);
enum dispatched dispatch_ftrace_shared(const struct ftrace_ops *ops, unsigned long site,
				       struct pt_regs *regs, unsigned long resume);
enum dispatched dispatch_ftrace_left(struct pt_regs *regs, unsigned long resume);

/**
 * dispatch_ftrace_solo_post() - dispatch_ftrace_post(), inline
 * @p: the kprobe
 * @site: the address of the site
 * @regs: registers at the call
 * @resume: where the tracer goes on
 *
 * Context: interrupts off, the guard is free.
 */
static __always_inline enum dispatched dispatch_ftrace_solo_post(struct kprobe *p,
								 unsigned long site,
								 struct pt_regs *regs,
								 unsigned long resume)
{
	kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);

	dispatch_begin(p);
	handlers_enter();
	arch_ftrace_before(regs, site);
	if (pre_handler && unlikely(pre_handler(p, regs)))
		return dispatch_ftrace_left(regs, resume);
	arch_ftrace_after(regs, resume);
	dispatch_solo_post(p, regs);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
	return DISPATCHED;
}

/**
 * dispatch_ftrace() - serve a hit at a site of the function tracer that is ours alone
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
	kprobe_pre_handler_t pre_handler;
	struct kprobe *p;

	if (unlikely(pt->addr != site))
		return dispatch_ftrace_slowly(pt, site, regs, resume, false);
	p = READ_ONCE(pt->solo);
	if (unlikely(!p)) {
		p = READ_ONCE(pt->solo_post);
		if (p && !dispatch_busy())
			return ARCH_FTRACE_POST_INLINE ?
			       dispatch_ftrace_solo_post(p, site, regs, resume) :
			       dispatch_ftrace_post(p, site, regs, resume);
		return dispatch_ftrace_slowly(pt, site, regs, resume, false);
	}
	if (unlikely(dispatch_busy()))
		return dispatch_ftrace_slowly(pt, site, regs, resume, false);
	dispatch_begin(p);
	handlers_enter();
	arch_ftrace_before(regs, site);
	/* A client may have cleared it. */
	pre_handler = READ_ONCE(p->pre_handler);
	if (likely(pre_handler) && unlikely(pre_handler(p, regs)))
		return dispatch_ftrace_left(regs, resume);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
	return DISPATCHED;
}

/**
 * dispatch_note_leaver() - a trap was hit, maybe by a task in the last steps of its exit
 * @pt: the point
 *
 * Where host_waits_for_preempted() is false, a task that is preempted in a slot is found by
 * looking at the stacks of all tasks.  A task that has set its exit_state may be off the
 * list of tasks any time, be it by its parent, and nobody finds it.  So the memory of a
 * point that such a task has hit is never freed.  A task that enters the slot
 * before it sets exit_state leaves the slot before it does.
 *
 * Context: any.
 */
static __always_inline void dispatch_note_leaver(struct probe_point *pt)
{
	if (!host_waits_for_preempted() && unlikely(READ_ONCE(current->exit_state)))
		WRITE_ONCE(pt->stuck, true);
}

#endif /* LKP_DISPATCH_H */
