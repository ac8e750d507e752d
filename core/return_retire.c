// SPDX-License-Identifier: GPL-2.0-only
/*
 * Retiring return hooks, and the instances of tasks that have died.
 *
 * A hook that ends takes its stubs off the stacks of the tasks that are still
 * inside: with all CPUs stopped, the real return addresses are put back.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/list.h>
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

/* ---- ending: instances that are still on a stack ---- */

static unsigned int count_busy(struct return_hook *hook)
{
	unsigned int i, busy = 0;

	for (i = 0; i < hook->nr; i++)
		busy += return_call_is_pending(return_hook_nth(hook, i));
	return busy;
}

/*
 * Is the task that is at this address now the one that called?  Task and stack
 * of one that died soon are another's, often both the same one's, which was
 * born later.  A thread that execs becomes as old as its process.
 */
static bool is_on_stack_of(const struct return_call *ri, struct task_struct *task)
{
	unsigned long stack = (unsigned long)task_stack_page(task);

	return READ_ONCE(task->__state) != TASK_DEAD && task->start_time <= ri->born &&
	       stack && return_call_frame(ri) - stack < THREAD_SIZE;
}

/* An idle task is on no list, and always lives. */
static bool is_idle(const struct return_call *ri)
{
	return ri->task_flags & PF_IDLE;
}

/* Whoever stops the machine is not where its stack was left last. */
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

/* Would a return to this address come by this instance? */
static bool leads_to(unsigned long addr, const struct return_call *ri)
{
	const struct return_call *at = return_call_at(addr);
	unsigned int i;

	/* What is left of old calls may lead in a circle. */
	for (i = 0; at && i < ARCH_NR_RETURN_STUBS; i++) {
		if (at == ri)
			return true;
		at = return_call_at(at->ret_addr);
	}
	return false;
}

/*
 * If this instance's stub is in that word, or behind stubs of others there, undo it.
 * Returns false if it is there and cannot be undone.
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

/* A single copy of its address that stays is enough for the call to come by the stub. */
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
 * The function was left in another way, and nobody will come by the stub: it
 * is nowhere on the part of the stack that is in use, not in the registers of
 * an interrupted return either, nor could another tracer have put it aside.
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

/* With all CPUs stopped no stack changes, and none of a living task goes away. */
static int retract(void *data)
{
	struct return_hook *hook = data;
	unsigned int i;

	for (i = 0; i < hook->nr; i++) {
		struct return_call *ri = return_hook_nth(hook, i);

		if (!return_call_is_pending(ri) || !is_alive(ri))
			continue;
		if (retract_one(ri) || is_abandoned(ri))
			ri->frame = 0;
	}
	return 0;
}

/*
 * The mark is in the word that every use of the instance writes.  As long as it
 * is there, what has been read of the instance is of one and the same call.
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

/* If it still has the mark: no return has come by. */
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
 * Whose task is not found has exited.  Within its last steps it is on no list
 * and may still return: that is waited for, and then it is looked for again.
 */
static bool give_up_dead(struct return_hook *hook, bool to_pool)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < hook->nr; i++)
		found |= mark_if_dead(return_hook_nth(hook, i));
	if (!found)
		return false;
	host_wait_for_preempted();
	for (i = 0; i < hook->nr; i++)
		free_if_marked(return_hook_nth(hook, i), to_pool);
	return true;
}

/* Every return that is under way in the trampoline ends by itself: soon. */
static void drain(struct return_hook *hook)
{
	while (count_busy(hook)) {
		stop_machine(retract, hook, NULL);
		give_up_dead(hook, false);
		if (count_busy(hook))
			usleep_range(1000, 2000);
	}
}

/**
 * return_hooks_destroy() - end hooks
 * @ending: linked by return_hook_leave(); nothing leads to them any more, as
 *	their probes are unregistered
 *
 * Tasks that are inside a function go on, and return as if nothing had been.
 *
 * Context: process context, sleeps.
 */
void return_hooks_destroy(struct list_head *ending)
{
	struct return_hook *hook, *next;

	if (list_empty(ending))
		return;
	mutex_lock(&return_hooks_mutex);
	list_for_each_entry(hook, ending, list)
		drain(hook);
	mutex_unlock(&return_hooks_mutex);
	/* The trampoline may still be looking at what it has just freed. */
	host_wait_for_preempted();
	mutex_lock(&return_hooks_mutex);
	list_for_each_entry_safe(hook, next, ending, list)
		return_hook_free(hook);
	mutex_unlock(&return_hooks_mutex);
}

/* ---- tasks that ended inside a function ---- */

/* What asks for it may itself be followed and miss an instance: not without a pause. */
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
 * return_hooks_reap_soon() - an instance was missing: maybe tasks have died with some
 *
 * Context: any.
 */
void return_hooks_reap_soon(void)
{
	if (!READ_ONCE(reap_wanted) && !xchg(&reap_wanted, true))
		irq_work_queue(&reap_trigger);
}

/**
 * return_retire_exit() - look for such tasks no more, when no hook is left
 *
 * Context: process context, sleeps.
 */
void return_retire_exit(void)
{
	irq_work_sync(&reap_trigger);
	cancel_delayed_work_sync(&reap_work);
}
