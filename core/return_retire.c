// SPDX-License-Identifier: GPL-2.0-only
/*
 * Retiring return hooks, and the instances of tasks that have died.
 *
 * A hook that ends removes its stubs from the stacks of tasks that are still inside a
 * followed call: with all CPUs stopped, it restores the real return addresses.  Where another
 * tracer keeps such an address in data of its own, the hook outlives its user as an orphan.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/stop_machine.h>
#include <linux/workqueue.h>

#include "../host/arch_host.h"
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

/*
 * Is this the task that called, and not a new one at the same address?  Task structure and
 * stack of a task that died are soon reused, often both by one new task, which has a
 * later start_time.  A thread that execs takes over the start_time of its process.
 */
static bool is_on_stack_of(const struct return_call *ri, struct task_struct *task)
{
	unsigned long stack = (unsigned long)task_stack_page(task);

	return READ_ONCE(task->__state) != TASK_DEAD && task->start_time <= ri->born &&
	       stack && return_call_frame(ri) - stack < THREAD_SIZE;
}

/* An idle task is on no list, and never dies. */
static bool is_idle(const struct return_call *ri)
{
	return ri->task_flags & PF_IDLE;
}

/* The saved stack pointer of a task that is on a CPU is out of date. */
static bool is_running(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

static bool is_alive(const struct return_call *ri)
{
	struct task_struct *leader, *task;
	bool alive = is_idle(ri);

	rcu_read_lock();
	for_each_process_thread(leader, task) {
		if (task == ri->public.task) {
			alive = is_on_stack_of(ri, task);
			goto out;
		}
	}
out:
	rcu_read_unlock();
	return alive;
}

/* Would a return to this address reach the stub of this instance? */
static bool leads_to(unsigned long addr, const struct return_call *ri)
{
	const struct return_call *at = return_call_at(addr);
	unsigned int i;

	/* Leftovers of old calls may form a cycle. */
	for (i = 0; at && i < ARCH_NR_RETURN_STUBS; i++) {
		if (at == ri)
			return true;
		at = return_call_at(at->ret_addr);
	}
	return false;
}

/*
 * Undoes this instance's stub if it is in a word of the stack, or behind the stubs of
 * others there.  Returns false if it is there and cannot be undone.
 */
static bool retract_from(struct return_call *ri, unsigned long *word, bool *found)
{
	struct return_call *at = return_call_at(arch_return_in(word)), *next;
	unsigned int i;

	if (at == ri) {
		*found = true;
		return arch_replace_return(ri->public.task, return_call_frame(ri), word, ri->ret_addr);
	}
	for (i = 0; at && i < ARCH_NR_RETURN_STUBS; i++, at = next) {
		next = return_call_at(at->ret_addr);
		if (next == ri) {
			at->ret_addr = ri->ret_addr;
			*found = true;
			break;
		}
	}
	return true;
}

/* A single copy of the stub address that stays is enough for the call to return to it. */
static bool retract_one(struct return_call *ri)
{
	struct task_struct *task = ri->public.task;
	unsigned long *word, *end;
	bool found = false;
	unsigned int nr;

	for (nr = 0; arch_return_words(task, return_call_frame(ri), nr, &word, &end); nr++)
		for (; word < end; word++)
			if (!retract_from(ri, word, &found))
				return false;
	return found;
}

/*
 * Was the function left in another way, so that no return will reach the stub?  Its address
 * is then nowhere on the used part of the stack, including the saved registers of an
 * interrupted return, and no other tracer keeps return addresses elsewhere.
 */
static bool is_abandoned(const struct return_call *ri)
{
	unsigned long *word, *end;

	if (is_idle(ri) || is_running(ri->public.task) ||
	    host_keeps_return_addresses(ri->public.task))
		return false;
	word = (unsigned long *)arch_task_stack_pointer(ri->public.task);
	end = task_stack_page(ri->public.task) + THREAD_SIZE;
	for (; word < end; word++)
		if (leads_to(arch_return_in(word), ri))
			return false;
	return true;
}

/**
 * struct retraction - an attempt to retract the stubs of a hook
 * @hook: the hook
 * @kept: how many could not be retracted, of tasks whose return addresses other tracers keep
 */
struct retraction {
	struct return_hook *hook;
	unsigned int kept;
};

/* With all CPUs stopped no stack changes, and no stack of a living task is freed. */
static int retract(void *data)
{
	struct retraction *retraction = data;
	struct return_hook *hook = retraction->hook;
	unsigned int i;

	for (i = 0; i < hook->nr; i++) {
		struct return_call *ri = return_hook_nth(hook, i);

		if (!return_call_is_pending(ri) || !is_alive(ri))
			continue;
		if (retract_one(ri) || is_abandoned(ri))
			ri->frame = 0;
		else if (!is_idle(ri) && host_keeps_return_addresses(ri->public.task))
			retraction->kept++;
	}
	return 0;
}

/*
 * The mark is in the word that every use of the instance writes.  While the mark is set,
 * all that has been read of the instance belongs to the same call.
 */
static bool mark_if_dead(struct return_call *ri)
{
	unsigned long frame = READ_ONCE(ri->frame);

	if (!frame || cmpxchg(&ri->frame, frame, frame | RETURN_SUSPECT) != frame)
		return false;
	if (!is_alive(ri))
		return true;
	cmpxchg(&ri->frame, frame | RETURN_SUSPECT, frame & ~RETURN_SUSPECT);
	return false;
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
 * Frees instances of tasks that have exited.  A task is on no list any more while it still
 * runs its last steps, and may yet return.  So this waits for that, and then frees those
 * that no return has used.
 */
static bool give_up_dead(struct return_hook *hook, bool to_pool)
{
	bool found = false;
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	for (i = 0; i < hook->nr; i++)
		found |= mark_if_dead(return_hook_nth(hook, i));
	if (!found)
		return false;
	host_wait_for_preempted();
	for (i = 0; i < hook->nr; i++)
		free_if_marked(return_hook_nth(hook, i), to_pool);
	return true;
}

/* A return that is under way looks like one whose address another tracer keeps. */
#define MAX_ATTEMPTS	5

/*
 * Returns that are under way in the trampoline end by themselves soon.  Returns false if
 * stubs are left in the data of other tracers: their tasks may sleep for any time.
 */
static bool drain(struct return_hook *hook)
{
	unsigned int attempts = 0;

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	while (count_busy(hook)) {
		struct retraction retraction = { .hook = hook };

		stop_machine(retract, &retraction, NULL);
		give_up_dead(hook, false);
		if (!count_busy(hook))
			break;
		if (count_busy(hook) <= retraction.kept && ++attempts == MAX_ATTEMPTS)
			return false;
		usleep_range(1000, 2000);
	}
	return true;
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

/* No return reaches these hooks any more.  Those that are freed pin the module no longer. */
static void free_drained(struct list_head *drained, bool adopted)
{
	struct return_hook *hook, *next;

	mutex_lock(&return_hooks_mutex);
	list_for_each_entry_safe(hook, next, drained, list) {
		return_hook_free(hook);
		if (adopted)
			module_put(THIS_MODULE);
	}
	mutex_unlock(&return_hooks_mutex);
}

/* The tasks of orphans return by themselves: nothing is stopped for them. */
static void visit_orphans(struct work_struct *work)
{
	struct return_hook *hook, *next;
	LIST_HEAD(drained);

	mutex_lock(&return_hooks_mutex);
	list_for_each_entry_safe(hook, next, &orphans, list) {
		if (count_busy(hook))
			give_up_dead(hook, false);
		if (!count_busy(hook))
			list_move_tail(&hook->list, &drained);
	}
	if (!list_empty(&orphans))
		schedule_delayed_work(&orphan_work, ORPHAN_DELAY);
	mutex_unlock(&return_hooks_mutex);
	if (list_empty(&drained))
		return;
	host_wait_for_preempted();
	free_drained(&drained, true);
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
	struct return_hook *hook, *next;

	might_sleep();
	if (list_empty(ending))
		return;
	mutex_lock(&return_hooks_mutex);
	list_for_each_entry_safe(hook, next, ending, list)
		if (!drain(hook))
			adopt(hook);
	mutex_unlock(&return_hooks_mutex);
	/* Races with the trampoline, which may still read an instance that it has just freed. */
	host_wait_for_preempted();
	free_drained(ending, false);
}

/* ---- tasks that died inside a followed call ---- */

/* The work may itself call a followed function and miss an instance, so it is delayed. */
#define REAP_DELAY	msecs_to_jiffies(100)

static bool reap_wanted;

static void reap(struct work_struct *work)
{
	struct return_hook *hook;

	WRITE_ONCE(reap_wanted, false);
	mutex_lock(&return_hooks_mutex);
	list_for_each_entry(hook, &return_hooks_list, list)
		give_up_dead(hook, true);
	mutex_unlock(&return_hooks_mutex);
}

static DECLARE_DELAYED_WORK(reap_work, reap);

static void queue_reap(struct irq_work *unused)
{
	schedule_delayed_work(&reap_work, REAP_DELAY);
}

static DEFINE_IRQ_WORK(reap_trigger, queue_reap);

/**
 * return_hooks_reap_soon() - after a miss, reclaim instances of tasks that have died
 *
 * Context: any.
 */
void return_hooks_reap_soon(void)
{
	if (!READ_ONCE(reap_wanted) && !xchg(&reap_wanted, true))
		irq_work_queue(&reap_trigger);
}

/**
 * return_retire_exit() - stop reclaiming, when no hook is left
 *
 * Context: process context, sleeps.
 */
void return_retire_exit(void)
{
	irq_work_sync(&reap_trigger);
	cancel_delayed_work_sync(&reap_work);
	cancel_delayed_work_sync(&orphan_work);
}
