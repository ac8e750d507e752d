// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking stubs back from the stacks of tasks that are inside a followed call.
 *
 * A stack may be changed only while its task does not run, so that is done with all CPUs
 * stopped.  What takes long is done before: the callers are found by one walk through all
 * tasks for many instances, and held.  With the CPUs stopped only the stacks of these callers are
 * looked at, and only a limited number of words; the rest is done in further stops.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "../host/arch_host.h"
#include "../host/compat.h"
#include "core.h"
#include "return_hook.h"
#include "return_private.h"

/* Instances for which callers are searched together: a walk through all tasks takes long. */
#define BATCH		1024

/*
 * Words of stacks that are looked at in one stop; no more than 30 instructions each. A whole
 * stack may be added. An instance costs as much as some words, even if only one is looked at.
 */
#define PIECE		(32 * 1024)
#define INSTANCE_COST	16

/**
 * struct caller - a pending instance, and the task that called
 * @ri: the instance
 * @task: the task; do not touch it unless it is held, or idle
 * @alive: it was found among the living, and is held
 */
struct caller {
	struct return_call *ri;
	struct task_struct *task;
	bool alive;
};

/* Guarded by return_hooks_mutex. */
static struct caller callers[BATCH];
static unsigned int nr_callers;

/* ---- finding the tasks ---- */

/*
 * An idle task is on no list, and never dies.  PF_IDLE does not tell: it may be set only when the
 * task has come to its loop, and other tasks have it for as long as they keep a CPU idle.
 */
static bool is_idle(const struct return_call *ri)
{
	return !READ_ONCE(ri->pid);
}

/*
 * Is this the task that called, and not a new one at the same address?  Task structure and
 * stack of a task that died are soon reused, often both by one new task, which has a
 * later start_time.  A thread that execs takes over the start_time of its process.
 */
static bool has_called(const struct return_call *ri, struct task_struct *task)
{
	return READ_ONCE(task->HOST_TASK_STATE) != TASK_DEAD && task->start_time <= READ_ONCE(ri->born);
}

/* And was that on its own stack?  It may be preempted on another one, as in EFI's runtime services. */
static bool is_on_stack_of(const struct return_call *ri, struct task_struct *task)
{
	unsigned long stack = (unsigned long)task_stack_page(task);

	return has_called(ri, task) && stack && return_call_frame(ri) - stack < THREAD_SIZE;
}

/*
 * May a task that is on no list still return?  It may, in the last steps of its exit: they take
 * its files out of /proc, and it is preempted there, or gives way, for any time.  What free_dead()
 * waits for covers that on some kernels only: without preemption giving way ends a grace period of
 * RCU, and a preemptible kernel may have no RCU-tasks.
 *
 * The memory may have been freed already, so it is read with care.  Until a task has ended its
 * memory looks as it does for its instance.  Freed, it says that the task has ended, or has another
 * owner, who began later, or has another stack.
 */
static bool is_leaving(const struct return_call *ri)
{
	const struct task_struct *task = READ_ONCE(ri->public.task);
	unsigned int state;
	unsigned long stack;
	u64 start;

	return !copy_from_kernel_nofault(&state, (void *)&task->HOST_TASK_STATE, sizeof(state)) &&
	       !copy_from_kernel_nofault(&start, &task->start_time, sizeof(start)) &&
	       !copy_from_kernel_nofault(&stack, &task->stack, sizeof(stack)) &&
	       state != TASK_DEAD && start <= READ_ONCE(ri->born) && stack &&
	       return_call_frame(ri) - stack < THREAD_SIZE;
}

/*
 * The mark is in the word that every use of the instance writes.  While the mark is set,
 * all that has been read of the instance belongs to the same call.  If it is not, that may be of
 * two calls: all of it is looked at again before anything is done.
 */
static bool mark(struct return_call *ri)
{
	unsigned long frame = READ_ONCE(ri->frame);

	return frame && cmpxchg(&ri->frame, frame, frame | RETURN_SUSPECT) == frame;
}

static void unmark(struct return_call *ri)
{
	unsigned long frame = READ_ONCE(ri->frame);

	if (frame & RETURN_SUSPECT)
		cmpxchg(&ri->frame, frame, frame & ~RETURN_SUSPECT);
}

/**
 * struct cursor - how far a walk through the instances of hooks has come
 * @hooks: list of the hooks
 * @hook: the one that comes next; the head of the list behind the last one
 * @i: its instance that comes next
 */
struct cursor {
	const struct list_head *hooks;
	struct return_hook *hook;
	unsigned int i;
};

static bool is_at_end(const struct cursor *at)
{
	return &at->hook->list == at->hooks;
}

static void go_on(struct cursor *at)
{
	if (++at->i < at->hook->nr)
		return;
	at->hook = list_next_entry(at->hook, list);
	at->i = 0;
	cond_resched();
}

/* Marks the pending instances that come next. */
static void take_up(struct cursor *at)
{
	struct return_call *ri;

	lockdep_assert_held(&return_hooks_mutex);
	for (nr_callers = 0; !is_at_end(at) && nr_callers < BATCH; go_on(at)) {
		ri = return_hook_nth(at->hook, at->i);
		if (mark(ri))
			callers[nr_callers++] = (struct caller){ ri, READ_ONCE(ri->public.task) };
	}
}

static int by_task(const void *a, const void *b)
{
	const struct task_struct *one = ((const struct caller *)a)->task;
	const struct task_struct *other = ((const struct caller *)b)->task;

	return one < other ? -1 : one > other;
}

static unsigned int first_call_of(const struct task_struct *task)
{
	unsigned int from = 0, to = nr_callers;

	while (from < to) {
		unsigned int middle = (from + to) / 2;

		if (callers[middle].task < task)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The task may exit meanwhile: is_seen() looks again. */
static void hold_caller(struct task_struct *task)
{
	unsigned int i;

	for (i = first_call_of(task); i < nr_callers && callers[i].task == task; i++) {
		if (callers[i].alive || !has_called(callers[i].ri, task))
			continue;
		callers[i].alive = true;
		get_task_struct(task);
	}
}

/* A task that is on the list during all of the walk is found, also if it execs meanwhile. */
static void hold_callers(void)
{
	struct task_struct *leader, *task;

	lockdep_assert_held(&return_hooks_mutex);
	sort(callers, nr_callers, sizeof(callers[0]), by_task, NULL);
	rcu_read_lock();
	for_each_process_thread(leader, task)
		hold_caller(task);
	rcu_read_unlock();
}

/* Instances of tasks that have ended stay marked.  Returns how many others there are. */
static unsigned int unmark_living(void)
{
	unsigned int i, living = 0;

	lockdep_assert_held(&return_hooks_mutex);
	for (i = 0; i < nr_callers; i++) {
		if (!callers[i].alive && !is_idle(callers[i].ri) && !is_leaving(callers[i].ri))
			continue;
		unmark(callers[i].ri);
		living++;
	}
	return living;
}

static void let_go_callers(void)
{
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	for (i = 0; i < nr_callers; i++)
		if (callers[i].alive)
			put_task_struct(callers[i].task);
}

/* ---- with all CPUs stopped ---- */

/**
 * struct piece - what is done while the CPUs are stopped
 * @look: looks at a caller
 * @next: number of the first caller that was not looked at yet
 * @words: of stacks that were looked at in this stop
 * @marked: it has marked instances
 */
struct piece {
	void (*look)(const struct caller *caller, struct piece *piece);
	unsigned int next;
	unsigned int words;
	bool marked;
};

/* The saved stack pointer of a task that is on a CPU is out of date. */
static bool is_running(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/* Would a return to this address reach the stub of this instance? */
static bool leads_to(unsigned long addr, const struct return_call *ri)
{
	const struct return_call *at = return_call_at(addr);
	unsigned int i, most = return_stubs_made();

	/* Leftovers of old calls may form a cycle. */
	for (i = 0; at && i < most; i++) {
		if (at == ri)
			return true;
		at = return_call_at(at->ret_addr);
	}
	return false;
}

#ifndef arch_return_is_foreign
#define arch_return_is_foreign(task, frame, word)	false
#endif

/**
 * struct search - a search for the return address of a call
 * @found: the stub was found, and undone
 * @certain: with a signature that only this call's return address can have
 * @foreign: the stub was found with the signature of another call, and left alone
 */
struct search {
	bool found;
	bool certain;
	bool foreign;
};

/* A word that leads to the stub of this instance.  Returns false if it cannot be undone. */
static bool undo(struct return_call *ri, unsigned long *word, struct search *search)
{
	struct task_struct *task = ri->public.task;
	unsigned long frame = return_call_frame(ri);

	if (arch_return_is_foreign(task, frame, word)) {
		search->foreign = true;
		return true;
	}
	search->found = true;
	search->certain |= host_stack_word(word) != arch_return_in(word);
	return arch_replace_return(task, frame, word, ri->ret_addr);
}

/*
 * Undoes this instance's stub if it is in a word of the stack, or behind the stubs of
 * others there.  Returns false if it is there and cannot be undone.
 */
static bool retract_from(struct return_call *ri, unsigned long *word, struct search *search)
{
	struct return_call *at = return_call_at(arch_return_in(word)), *next;
	unsigned int i, most = return_stubs_made();

	if (at == ri)
		return undo(ri, word, search);
	for (i = 0; at && i < most; i++, at = next) {
		next = return_call_at(at->ret_addr);
		if (next == ri) {
			/* A trace that an NMI takes may read it. */
			WRITE_ONCE(at->ret_addr, ri->ret_addr);
			search->found = true;
			break;
		}
	}
	return true;
}

/*
 * A single copy of the stub address that stays is enough for the call to return to it.  One with
 * another call's signature is a leftover of that, if this call's own was found: a function
 * that signs in its own way has only the other.
 */
static bool retract_one(struct return_call *ri, struct piece *piece)
{
	struct task_struct *task = ri->public.task;
	struct search search = { };
	unsigned long *word, *end;
	unsigned int nr;

	for (nr = 0; arch_return_words(task, return_call_frame(ri), nr, &word, &end); nr++) {
		/* What follows the one word are copies, or leftovers: they say nothing. */
		if (nr && ARCH_RETURN_SLOT_IS_KNOWN && !search.found)
			break;
		for (; word < end; word++, piece->words++)
			if (!retract_from(ri, word, &search))
				return false;
	}
	return search.found && (search.certain || !search.foreign);
}

/*
 * Was the function left in another way, so that no return will reach the stub?  Its address
 * is then nowhere on the used part of the stack, including the saved registers of an
 * interrupted return, and no other tracer keeps return addresses elsewhere.
 */
static bool is_abandoned(const struct return_call *ri, struct piece *piece)
{
	unsigned long *word, *end;

	if (is_running(ri->public.task) || host_keeps_return_addresses(ri->public.task))
		return false;
	for (word = host_used_stack(ri->public.task, &end); word < end; word++, piece->words++)
		if (leads_to(arch_return_in(word), ri))
			return false;
	return true;
}

/*
 * Is this where a call that has not returned yet will find the stub?  What is beside it may look
 * like the rest of an interrupt's frame: a caller leaves words unused, where an earlier
 * interrupt's may still be.
 */
static bool is_return_slot(const unsigned long *word)
{
	const struct return_call *at = return_call_at(host_stack_word(word));

	return at && return_call_frame(at) == (unsigned long)word;
}

/*
 * Is the task preempted in our own code, maybe in the trampoline of this return?  Then the stub
 * is in its registers, or is no more where it was.  A leftover on the stack may look like it.
 */
static bool is_returning(const struct return_call *ri, struct piece *piece)
{
	unsigned long *end, *word = host_used_stack(ri->public.task, &end);

	for (; word < end && (unsigned long)word < return_call_frame(ri); word++, piece->words++)
		if (arch_in_return_path(host_stack_word(word)) && !is_return_slot(word) &&
		    arch_stack_word_resumes(word, end))
			return true;
	return false;
}

/* Was it switched out on another stack?  Where in its own the stub is can't be told then. */
static bool is_elsewhere(const struct return_call *ri)
{
	unsigned long *end;

	return host_used_stack(ri->public.task, &end) == end;
}

/*
 * Where a function may keep its return address anywhere in its frame, a leftover of an earlier
 * call may look like it, while the real one is in another tracer's data.
 */
static bool is_uncertain(const struct return_call *ri)
{
	return !ARCH_RETURN_SLOT_IS_KNOWN && host_keeps_return_addresses(ri->public.task);
}

/*
 * May the return be kept for any time?  While all CPUs are stopped, the only idle task that
 * seems to run is that of a CPU that has gone.  When the CPU comes back, the task begins anew.
 */
static bool is_kept(const struct return_call *ri)
{
	return host_keeps_return_addresses(ri->public.task) ||
	       (is_idle(ri) && is_running(ri->public.task));
}

/* Is it still the call that the caller was found for, and does its stack tell more? */
static bool is_seen(const struct caller *caller, struct piece *piece)
{
	const struct return_call *ri = caller->ri;

	if (!return_call_is_pending(ri))
		return false;
	if (!is_idle(ri) && (!caller->alive || !is_on_stack_of(ri, caller->task)))
		return false;
	return is_running(ri->public.task) || !(is_elsewhere(ri) || is_returning(ri, piece));
}

static void retract(const struct caller *caller, struct piece *piece)
{
	struct return_call *ri = caller->ri;

	piece->words += INSTANCE_COST;
	if (!is_seen(caller, piece))
		return;
	if (is_uncertain(ri))
		ri->hook->kept++;
	else if (retract_one(ri, piece) || is_abandoned(ri, piece))
		WRITE_ONCE(ri->frame, 0);
	else if (is_kept(ri))
		ri->hook->kept++;
}

/*
 * Is the stub where retract_one() would look beside the frame?  What is of the stack in use is_abandoned() looks
 * at; the frame's own words may lie behind that, where leftovers stay for ever.
 */
static bool is_in_other_words(const struct return_call *ri, struct piece *piece)
{
	unsigned long *word, *end;
	unsigned int nr;

	for (nr = 1; arch_return_words(ri->public.task, return_call_frame(ri), nr, &word, &end); nr++)
		for (; word < end; word++, piece->words++)
			if (leads_to(arch_return_in(word), ri))
				return true;
	return false;
}

/*
 * A task that lives on may have left a call for good: one that let the machine sleep goes on behind it,
 * and the idle task of a CPU that had gone begins anew.  If it did return, after all, that would
 * reset the mark.
 */
static void mark_if_left(const struct caller *caller, struct piece *piece)
{
	struct return_call *ri = caller->ri;

	piece->words += INSTANCE_COST;
	if (!is_seen(caller, piece) || is_in_other_words(ri, piece) || !is_abandoned(ri, piece))
		return;
	piece->marked |= mark(ri);
}

/*
 * No stack changes now, and no stack of a task that is held is freed before the task's state
 * is TASK_DEAD.
 */
static int look_at_piece(void *data)
{
	struct piece *piece = data;

	for (piece->words = 0; piece->next < nr_callers && piece->words < PIECE; piece->next++)
		piece->look(&callers[piece->next], piece);
	return 0;
}

static bool look_at_all(void (*look)(const struct caller *caller, struct piece *piece))
{
	struct piece piece = { .look = look };

	lockdep_assert_held(&return_hooks_mutex);
	while (piece.next < nr_callers) {
		host_stop(look_at_piece, &piece);
		cond_resched();
	}
	return piece.marked;
}

/* ---- for hooks ---- */

/*
 * @look: at each call of the living, with the CPUs stopped
 * @marked: set to whether that has marked any; or NULL
 * Returns whether any instances stay marked.
 */
static bool visit(const struct list_head *hooks,
		  void (*look)(const struct caller *caller, struct piece *piece), bool *marked)
{
	struct cursor at = { hooks, list_first_entry(hooks, struct return_hook, list) };
	unsigned int living;
	bool dead = false;

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	while (!is_at_end(&at)) {
		take_up(&at);
		if (!nr_callers)
			break;
		hold_callers();
		living = unmark_living();
		dead |= living < nr_callers;
		if (living && look && look_at_all(look))
			dead = *marked = true;
		let_go_callers();
		cond_resched();
	}
	return dead;
}

/**
 * return_calls_retract() - take the stubs of hooks back
 * @hooks: list of hooks that no new calls reach; of each @kept is set to how many are left because
 *	other tracers keep return addresses of their tasks
 *
 * Instances that were retracted are free.  Of the others, those of dead tasks are marked: see
 * return_calls_mark_dead().
 *
 * Context: return_hooks_mutex held, sleeps.
 * Return: true if any is marked.
 */
bool return_calls_retract(const struct list_head *hooks)
{
	struct return_hook *hook;

	lockdep_assert_held(&return_hooks_mutex);
	list_for_each_entry(hook, hooks, list)
		hook->kept = 0;
	return visit(hooks, retract, NULL);
}

/**
 * return_calls_mark_dead() - mark the pending instances of tasks that have exited
 * @hooks: list of hooks
 *
 * A task is on no list any more while it still runs its last steps, and may yet return;
 * that resets the mark.  Where nobody can wait for such a task it does not count as exited
 * until it has ended: look again.
 *
 * Context: return_hooks_mutex held, sleeps.
 * Return: true if any is marked.
 */
bool return_calls_mark_dead(const struct list_head *hooks)
{
	return visit(hooks, NULL, NULL);
}

/**
 * return_calls_mark_left() - mark the pending instances of calls that were left for good, too
 * @hooks: list of hooks
 * @left: set to whether there are any of these
 *
 * Stops all CPUs, if there are others than return_calls_mark_dead() marks; once for each PIECE of stacks.
 *
 * Context: return_hooks_mutex held, sleeps.
 * Return: true if any is marked.
 */
bool return_calls_mark_left(const struct list_head *hooks, bool *left)
{
	*left = false;
	return visit(hooks, mark_if_left, left);
}

/**
 * return_calls_of_idle() - is a call by an idle task pending
 * @hook: the hook
 *
 * Such a task never dies, but its call may be given up: see return_calls_retract().
 *
 * Context: return_hooks_mutex held.
 */
bool return_calls_of_idle(struct return_hook *hook)
{
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	for (i = 0; i < hook->nr; i++) {
		const struct return_call *ri = return_hook_nth(hook, i);

		if (return_call_is_pending(ri) && is_idle(ri))
			return true;
	}
	return false;
}
