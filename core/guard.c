// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guard of each CPU, see dispatch.h: who holds it, and for whom it is kept.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "hit.h"

DEFINE_PER_CPU(struct hit_state, hit_state);

/**
 * kprobe_running() - the kprobe whose handler is running on this CPU
 *
 * Not that of a task that has ended in a jprobe's function: it may be freed.
 *
 * Context: any, with preemption off for the answer to mean anything.
 * Return: the kprobe; NULL if no handler is running.
 */
struct kprobe *kprobe_running(void)
{
	const struct hit_state *hit = raw_cpu_ptr(&hit_state);
	struct kprobe *p = READ_ONCE(hit->running);

	return p == GUARD_HELD || guard_is_stale(hit) ? NULL : p;
}
EXPORT_SYMBOL_GPL(kprobe_running);

/* It is held.  Returns false if the one who holds it is going to drop it. */
noinline bool guard_take_over(struct hit_state *hit)
{
	if (!guard_is_stale(hit))
		return false;
	WRITE_ONCE(hit->handed_on, false);
	WRITE_ONCE(hit->waiting, NULL);
	return true;
}

/**
 * dispatch_leave() - end a hit that a pre handler has redirected, unless it is handed on
 *
 * Context: the guard is held, interrupts off.
 */
void dispatch_leave(void)
{
	struct hit_state *hit = this_hit();

	if (!hit->handed_on)
		guard_drop(hit);
}

/**
 * dispatch_wait() - the guarded instruction of a hit runs in its slot when the trap returns
 * @irqs: the interrupt state before it, see arch_irq_state()
 *
 * The guard stays held until dispatch_post_guarded().
 *
 * Context: the guard is held, interrupts off.
 */
void dispatch_wait(unsigned long irqs)
{
	struct hit_state *hit = this_hit();

	WRITE_ONCE(hit->running, GUARD_HELD);
	hit->irqs = irqs;
	guard_wait_for_current(hit);
}

/**
 * dispatch_take() - take the guard, for dispatch_done()
 *
 * Context: interrupts off.
 * Return: false if it is held.
 */
bool dispatch_take(void)
{
	return guard_take(raw_cpu_ptr(&hit_state));
}

/**
 * dispatch_guard() - keep hits and interrupts off this CPU
 * @ctx: for dispatch_unguard()
 *
 * For code that is no hit, but works on the same data as hits.
 *
 * Context: any.
 * Return: false if the guard was held already.
 */
bool dispatch_guard(struct handler_context *ctx)
{
	bool taken;

	arch_handlers_enter(ctx);
	taken = guard_take(raw_cpu_ptr(&hit_state));
	if (taken)
		handlers_enter();
	return taken;
}

/**
 * dispatch_unguard() - undo dispatch_guard()
 * @taken: what dispatch_guard() returned
 * @ctx: what it stored
 *
 * Context: as dispatch_guard() left it.
 */
void dispatch_unguard(bool taken, const struct handler_context *ctx)
{
	if (taken) {
		handlers_leave(ctx->flags);
		guard_drop(raw_cpu_ptr(&hit_state));
	}
	arch_handlers_leave(ctx);
}

/**
 * dispatch_running() - set what kprobe_running() returns
 * @p: the kprobe whose handler is about to run
 *
 * Context: the guard is held, interrupts off.
 */
void dispatch_running(struct kprobe *p)
{
	raw_cpu_write(hit_state.running, p);
}

/**
 * dispatch_faulted() - is it the running handler that has faulted, and no NMI on top of it
 * @in_trap: the caller is in a trap that the fault has led to
 *
 * Context: kprobe_running() is a kprobe with a fault_handler.
 */
bool dispatch_faulted(bool in_trap)
{
	return hit_nmis_now() - (in_trap ? ARCH_TRAP_NMIS : 0) == raw_cpu_read(hit_state.nmis);
}

/**
 * dispatch_guarded_irqs() - the interrupt state before a guarded instruction
 *
 * Context: the instruction has faulted on this CPU.
 * Return: as arch_irq_state() gives it.
 */
unsigned long dispatch_guarded_irqs(void)
{
	return raw_cpu_read(hit_state.irqs);
}

/**
 * dispatch_abandon() - a guarded instruction has faulted and will not be run again
 *
 * Context: the CPU that it was to run on, interrupts off.
 */
void dispatch_abandon(void)
{
	struct hit_state *hit = this_hit();

	WRITE_ONCE(hit->waiting, NULL);
	guard_drop(hit);
}

/* ---- oopses ---- */

/*
 * A handler has done something that it will not survive: its task ends here, or the kernel does.  Were
 * the guard kept for ever, this CPU would miss all hits from now on, and what is asked for faults would
 * be a kprobe that may be freed.  Were it dropped, what the task still runs, to report this and to end,
 * might hit the same probe, and oops again, for ever; or wait for a lock that it holds as it reports.
 * So it is kept for this task: guard_is_stale() tells others that it is nobody's.  Whoever waits for a
 * guarded instruction, or has handed the hit on, is known that way already; but as it ends, it may take
 * faults yet, about which the kprobe whose function it was in must not be asked, either.
 *
 * Interrupts are off, and it is this CPU's handler: there is one at a time, and only an NMI comes on
 * top of it, whose oops the kernel does not survive.  Who stops the chain makes the oops none, so
 * this is the last notifier.
 */
static int on_oops(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct die_args *args = data;
	struct hit_state *hit = this_hit();

	if (event != DIE_OOPS || user_mode(args->regs) || !READ_ONCE(hit->running))
		return NOTIFY_DONE;
	hit->counts = NULL;
	WRITE_ONCE(hit->running, GUARD_HELD);
	if (!READ_ONCE(hit->waiting))
		guard_wait_for_current(hit);
	return NOTIFY_DONE;
}

static struct notifier_block oops_notifier = {
	.notifier_call = on_oops,
	.priority = INT_MIN,
};

/* ---- handlers that do not come back, or elsewhere ---- */

/* Which of them a guard is held for; NULL: none.  Those are not read. */
static struct kprobe *held_for(const struct hit_state *hit, struct kprobe **kps, int num)
{
	struct kprobe *p = READ_ONCE(hit->running);

	if (!p || p == GUARD_HELD)
		return NULL;
	while (num--)
		if (kps[num] == p)
			return p;
	return NULL;
}

/**
 * dispatch_is_held_for() - is the guard of a CPU held for one of these
 * @kps: array of pointers to kprobes
 * @num: how many
 *
 * Context: any.
 */
bool dispatch_is_held_for(struct kprobe **kps, int num)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (held_for(per_cpu_ptr(&hit_state, cpu), kps, num))
			return true;
	return false;
}

/**
 * dispatch_forget() - drop the guards that are held for kprobes of which no handler runs
 * @kps: array of pointers to them; those that are registered anew are passed over
 * @num: how many
 *
 * A handler that sleeps, which none may, continues on any CPU, and drops the guard there; one that ends its
 * task drops none.  Where it was, all hits are missed from then on, and what is asked for faults would be
 * a kprobe that may be freed.  When it is unregistered, and all CPUs have been waited for, that is known.
 * A guard of which it is known for whom it is kept stays: another task takes it over.  But that task may
 * take faults yet.
 *
 * The CPU itself writes the word only while the guard is its own: this one it leaves alone, or takes over.
 *
 * Context: kprobe_mutex held, behind table_wait().
 */
void dispatch_forget(struct kprobe **kps, int num)
{
	struct hit_state *hit;
	struct kprobe *p;
	bool kept;
	int cpu;

	lockdep_assert_held(&kprobe_mutex);
	for_each_possible_cpu(cpu) {
		hit = per_cpu_ptr(&hit_state, cpu);
		p = held_for(hit, kps, num);
		if (!p || point_of(p))
			continue;
		kept = READ_ONCE(hit->waiting);
		/* They are freed with the probe, and nobody else writes that while the guard is held. */
		if (!kept)
			WRITE_ONCE(hit->counts, NULL);
		if (cmpxchg(&hit->running, p, kept ? GUARD_HELD : NULL) == p && !kept)
			pr_err("a handler has slept, or ended its task, on CPU %d, which has missed all hits since\n",
			       cpu);
	}
}

/**
 * guard_init() - listen to oopses
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of register_die_notifier().
 */
int guard_init(void)
{
	might_sleep();
	return register_die_notifier(&oops_notifier);
}

/**
 * guard_exit() - undo guard_init(), when no handler is left
 *
 * Context: process context, may sleep.
 */
void guard_exit(void)
{
	might_sleep();
	unregister_die_notifier(&oops_notifier);
}
