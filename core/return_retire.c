// SPDX-License-Identifier: GPL-2.0-only
/*
 * Retiring return hooks, and the instances of tasks that have died.
 *
 * A hook that ends takes its stubs back from the stacks of tasks that are still inside a
 * followed call (return_retract.c).  Where another tracer keeps such an address in data of
 * its own, the hook outlives its user as an orphan.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "../host/compat.h"
#include "core.h"
#include "dispatch.h"
#include "return_hook.h"
#include "return_private.h"

/* ---- instances that are still on a stack ---- */

static unsigned int count_busy(struct return_hook *hook)
{
	unsigned int i, busy = 0;

	for (i = 0; i < hook->nr; i++)
		busy += return_call_is_pending(return_hook_nth(hook, i));
	return busy;
}

/* If the mark is still set, no return has used the instance. */
static void free_if_marked(struct return_call *ri, bool to_pool)
{
	unsigned long frame = READ_ONCE(ri->frame);
	struct handler_context ctx;
	bool guarded;

	if (!(frame & RETURN_SUSPECT) || cmpxchg(&ri->frame, frame, 0) != frame || !to_pool)
		return;
	guarded = dispatch_guard(&ctx);
	return_call_put(ri);
	dispatch_unguard(guarded, &ctx);
}

/*
 * Frees instances that are marked, mostly as their tasks have ended.  Such a task may still be in the
 * scheduler, with preemption disabled, and return there.  So this waits for that, once for all hooks,
 * and then frees those that no return has used.
 *
 * RCU-tasks is not needed: a task that could still be preempted is not TASK_DEAD yet, and its
 * instances are not marked, on any kernel: see is_leaving().  From do_exit() on, before it is, the
 * task keeps preemption disabled, and is switched out once.
 */
static void free_dead(struct list_head *hooks, bool to_pool)
{
	struct return_hook *hook;
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	host_wait_for_unpreempted();
	list_for_each_entry(hook, hooks, list) {
		for (i = 0; i < hook->nr; i++)
			free_if_marked(return_hook_nth(hook, i), to_pool);
		cond_resched();
	}
}

/*
 * A return that is under way may look like one whose address another tracer keeps, so a hook is
 * looked at twice before it is given up.  If such a return is delayed for longer, no harm is
 * done.
 */
#define MAX_LOOKS	2

/*
 * Returns that are under way end by themselves, soon.  But that they are is read from a stack,
 * and may be wrong.  A task that leaves is waited for, too, and may be kept from running.  So
 * this ends in any case, after some seconds.
 */
#define MAX_ALL_LOOKS	200

static void wait_before_look(unsigned int look)
{
	might_sleep();
	if (look < MAX_ALL_LOOKS / 10)
		usleep_range(1000, 2000);
	else
		msleep(20);
}

/* ---- hooks whose user has gone ---- */

/* Each pins kprobes.ko, where the stubs are.  Guarded by return_hooks_mutex. */
static LIST_HEAD(orphans);

static void visit_orphans(struct work_struct *work);
static DECLARE_DELAYED_WORK(orphan_work, visit_orphans);

#define ORPHAN_DELAY	HZ

static void adopt(struct return_hook *hook)
{
	lockdep_assert_held(&return_hooks_mutex);
	__module_get(THIS_MODULE);
	list_move_tail(&hook->list, &orphans);
	schedule_delayed_work(&orphan_work, ORPHAN_DELAY);
}

/* Stubs may be left for any time: where, return_calls_retract() says. */
static bool is_given_up(struct return_hook *hook, unsigned int look)
{
	return (count_busy(hook) <= hook->kept && ++hook->looks == MAX_LOOKS) ||
	       look == MAX_ALL_LOOKS;
}

/* Moves those on whose stubs nobody returns any more, and gives others up. */
static void look_at_ending(struct list_head *ending, struct list_head *drained, unsigned int look)
{
	struct return_hook *hook, *next;

	lockdep_assert_held(&return_hooks_mutex);
	if (return_calls_retract(ending))
		free_dead(ending, false);
	list_for_each_entry_safe(hook, next, ending, list) {
		if (!count_busy(hook)) {
			return_hook_forget(hook);
			list_move_tail(&hook->list, drained);
		} else if (is_given_up(hook, look)) {
			adopt(hook);
		}
	}
}

/* All of them together, so that what is waited for is waited for once. */
static void drain(struct list_head *ending, struct list_head *drained)
{
	unsigned int look;

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	for (look = 0; ; look++) {
		look_at_ending(ending, drained, look);
		if (list_empty(ending))
			return;
		wait_before_look(look);
	}
}

/* By return_hooks_mutex, until no hook is left. */
static bool freed_any;

/* No return reaches these hooks any more, and no trace.  Returns how many there were. */
static unsigned int free_drained(struct list_head *drained)
{
	struct return_hook *hook, *next;
	unsigned int nr = 0;

	mutex_lock(&return_hooks_mutex);
	list_for_each_entry_safe(hook, next, drained, list) {
		return_hook_free(hook);
		nr++;
	}
	freed_any = true;
	mutex_unlock(&return_hooks_mutex);
	traces_settle();
	return nr;
}

/*
 * Tasks return by themselves: nothing is stopped for them.  The idle task of a CPU that had gone
 * begins anew when the CPU comes back; then its calls can be given up.
 */
static void look_at_orphans(void)
{
	struct return_hook *hook, *next;
	LIST_HEAD(of_idle);
	bool dead;

	lockdep_assert_held(&return_hooks_mutex);
	list_for_each_entry_safe(hook, next, &orphans, list)
		if (return_calls_of_idle(hook))
			list_move_tail(&hook->list, &of_idle);
	dead = return_calls_mark_dead(&orphans);
	dead |= return_calls_retract(&of_idle);
	list_splice_tail(&of_idle, &orphans);
	if (dead)
		free_dead(&orphans, false);
}

static void visit_orphans(struct work_struct *work)
{
	struct return_hook *hook, *next;
	LIST_HEAD(drained);
	unsigned int nr;

	mutex_lock(&return_hooks_mutex);
	look_at_orphans();
	list_for_each_entry_safe(hook, next, &orphans, list) {
		if (count_busy(hook))
			continue;
		return_hook_forget(hook);
		list_move_tail(&hook->list, &drained);
	}
	if (!list_empty(&orphans))
		schedule_delayed_work(&orphan_work, ORPHAN_DELAY);
	mutex_unlock(&return_hooks_mutex);
	if (list_empty(&drained))
		return;
	/* See return_hooks_destroy(). */
	host_wait_for_unpreempted();
	/* With the last reference the module may begin to go: then nothing may be hooked anew. */
	for (nr = free_drained(&drained); nr; nr--)
		module_put(THIS_MODULE);
}

/**
 * return_hooks_destroy() - drain and free hooks
 * @ending: linked by return_hook_leave(); no new calls reach them, as their probes
 *	are unregistered
 *
 * Tasks that are inside a followed call return to its caller directly.  If another tracer
 * keeps the stub in their stead, they return through it, and the hook is freed later.
 * When this returns nothing refers to the hooks' users any more.
 *
 * Context: process context, sleeps.
 */
void return_hooks_destroy(struct list_head *ending)
{
	LIST_HEAD(drained);

	might_sleep();
	if (list_empty(ending))
		return;
	mutex_lock(&return_hooks_mutex);
	drain(ending, &drained);
	mutex_unlock(&return_hooks_mutex);
	/*
	 * The trampoline may still read an instance that it has just freed, but with interrupts
	 * off: return_hooks_run().  So may a trace, and with preemption off: return_call_at().  A task
	 * that is preempted in a stub, or in the trampoline before it has come to its instance, has
	 * it pending: the hook was not drained.  One that is preempted behind that reads no
	 * instance any more; for the text it is in see return_retire_exit().
	 */
	host_wait_for_unpreempted();
	free_drained(&drained);
}

/* ---- tasks that died inside a followed call, or left it for good ---- */

/* The work may itself call a followed function and miss an instance, so it is delayed. */
#define REAP_DELAY	msecs_to_jiffies(100)

static bool reap_wanted;

/*
 * All CPUs are stopped for it.  Where there are too few instances there are misses all the time: then it
 * becomes rare.
 */
static bool mark_left(void)
{
	static unsigned long next, wait = HZ;
	bool any, left;

	lockdep_assert_held(&return_hooks_mutex);
	if (time_before(jiffies, next))
		return false;
	any = return_calls_mark_left(&return_hooks_list, &left);
	wait = left ? HZ : min(2 * wait, 64ul * HZ);
	next = jiffies + wait;
	return any;
}

static void reap(struct work_struct *work)
{
	/* Orders the flag before the look at the instances: a later miss queues the work anew. */
	xchg(&reap_wanted, false);
	mutex_lock(&return_hooks_mutex);
	if (return_calls_mark_dead(&return_hooks_list) || mark_left())
		free_dead(&return_hooks_list, true);
	mutex_unlock(&return_hooks_mutex);
}

static DECLARE_DELAYED_WORK(reap_work, reap);

static void queue_reap(struct irq_work *unused)
{
	schedule_delayed_work(&reap_work, REAP_DELAY);
}

static struct irq_work reap_trigger = HOST_LAZY_IRQ_WORK(queue_reap);

/**
 * return_hooks_reap_soon() - after a miss, reclaim instances of calls that will not return
 *
 * Where nobody would do it, see runs_irq_work(), a later miss does.
 *
 * Context: handlers', on one CPU, which is online or not all the time.
 */
void return_hooks_reap_soon(void)
{
	if (!runs_irq_work() || READ_ONCE(reap_wanted))
		return;
	if (!xchg(&reap_wanted, true))
		irq_work_queue(&reap_trigger);
}

/**
 * return_retire_exit() - stop reclaiming, when no hook is left
 *
 * Tasks may be preempted at the end of the trampoline, behind their instance.  That text goes
 * with us, and return_hooks_destroy() has not waited for them.
 *
 * Context: process context, sleeps.
 */
void return_retire_exit(void)
{
	irq_work_sync(&reap_trigger);
	cancel_delayed_work_sync(&reap_work);
	cancel_delayed_work_sync(&orphan_work);
	if (freed_any)
		host_wait_for_preempted();
}
