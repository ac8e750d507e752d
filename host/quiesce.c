// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quiescence: when has every task left text that is no longer reachable?
 *
 * A task can stay in a slot for any time: preempted there, or asleep in a page
 * fault that the copied instruction raised.  The kernel's RCU-tasks waits for
 * the former, but takes the sleep of the latter as a quiescent state.  So where a copy can
 * fault, the stacks are scanned as well, with all CPUs stopped.  Nothing else needs that.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "arch_host.h"
#include "compat.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"

/* ---- waiting ---- */

/* CPUs whose idle task has still to be seen elsewhere.  Changed by the CPUs themselves. */
static struct cpumask idle_cpus;
static DEFINE_MUTEX(idle_mutex);

/*
 * Has this CPU's idle task been interrupted, maybe anywhere?  An idle task that polls is not
 * interrupted: it calls us itself, from its loop.
 */
static bool idle_task_is_interrupted(void)
{
	return is_idle_task(current) && hardirq_count();
}

/* The flag makes an idle task call the scheduler, even if it is then chosen again. */
static void send_idle_task(void *unused)
{
	if (!idle_task_is_interrupted())
		return;
	set_tsk_thread_flag(current, TIF_NEED_RESCHED);
	cpumask_set_cpu(smp_processor_id(), &idle_cpus);
}

/* To have us called, others may set the flag again, of an idle task that polls. */
static void look_at_idle_task(void *unused)
{
	if (!idle_task_is_interrupted() || !test_tsk_thread_flag(current, TIF_NEED_RESCHED))
		cpumask_clear_cpu(smp_processor_id(), &idle_cpus);
}

/*
 * No RCU waits for idle tasks.  They run with preemption disabled and are switched out in one
 * place only, their own call of the scheduler.  So an idle task that is not running
 * is there.  One that is running may have been interrupted anywhere.  It has left that place
 * when it has called the scheduler, which clears the flag.  Nobody else clears it.
 *
 * Tasks that run are not disturbed, and none has to make way for one of ours: that may take
 * for ever behind a real-time task that never sleeps.
 */
static void wait_for_idle_tasks(void)
{
	mutex_lock(&idle_mutex);
	cpus_read_lock();
	on_each_cpu(send_idle_task, NULL, 1);
	on_each_cpu_mask(&idle_cpus, look_at_idle_task, NULL, 1);
	while (!cpumask_empty(&idle_cpus)) {
		usleep_range(100, 1000);
		on_each_cpu_mask(&idle_cpus, look_at_idle_task, NULL, 1);
	}
	cpus_read_unlock();
	mutex_unlock(&idle_mutex);
}

/**
 * host_wait_for_preempted() - wait until all tasks preempted at the call have run on
 *
 * Where host_waits_for_preempted() is false, it only waits for tasks that can't be
 * preempted. Then host_scan_stacks() finds the others, except for those in the last steps of
 * their exit, which are on no list.
 *
 * Context: process context, sleeps.
 */
void host_wait_for_preempted(void)
{
	might_sleep();
#ifdef CONFIG_TASKS_RCU
	import_synchronize_rcu_tasks();
#endif
	/* All CPUs are interrupted in any case, so expedited adds little. */
	synchronize_rcu_expedited();
	wait_for_idle_tasks();
}

/**
 * host_wait_for_unpreempted() - wait until all that ran at the call with preemption off has ended
 *
 * This is all that host_wait_for_preempted() waits for on a preemptible kernel without RCU-tasks.
 * It takes milliseconds, where RCU-tasks takes a tenth of a second or two.
 *
 * The order matters: to RCU a CPU has been elsewhere as soon as it begins to switch to another task,
 * while it is still on the stack of the task that it leaves, with interrupts off.  So the interrupt
 * comes second: it is answered behind that.
 *
 * Who runs with preemption off?  Where RCU watches the CPU, RCU waits for it.  Where it does not, it
 * is an idle task, with interrupts on or off; or something else with interrupts off, as a hit
 * on the way from or to user space: each CPU answers an interrupt here.
 *
 * Context: process context, sleeps.
 */
void host_wait_for_unpreempted(void)
{
	might_sleep();
	/* All CPUs are interrupted in any case, so expedited adds little.  First: see above. */
	synchronize_rcu_expedited();
	wait_for_idle_tasks();
}

/* ---- with all CPUs stopped ---- */

struct stopped {
	int (*fn)(void *data);
	void *data;
};

/*
 * The CPUs tell each other by stop_machine()'s state that they have stopped.  Who comes here has
 * read that, but without an acquire: it might have read before what they wrote last.
 */
static int call_stopped(void *data)
{
	const struct stopped *stopped = data;

	/* Pairs with the atomic operations by which the others have answered. */
	smp_mb();
	return stopped->fn(stopped->data);
}

/**
 * host_stop() - call a function while nothing else runs on any CPU
 * @fn: the function; runs on one CPU with interrupts off, so it must be quick: a
 *	millisecond at most
 * @data: its argument
 *
 * The function sees what the other CPUs have written before, and they see what it writes.
 *
 * Context: process context, sleeps.
 */
void host_stop(int (*fn)(void *data), void *data)
{
	struct stopped stopped = { fn, data };

	might_sleep();
	stop_machine(call_stopped, &stopped, NULL);
}

/* Words that are looked at in one stop; a whole stack may be added. */
#define PIECE	(32 * 1024)

/* New tasks come while the others are counted. They are in no text that is not reachable. */
#define MORE_TASKS	64

/**
 * struct scan - a scan of all stacks
 * @found: called for each word
 * @nr: how many tasks
 * @next: the first whose stack was not scanned yet
 * @unknown: of some task it is not known which part of its stack is in use
 * @tasks: they are held
 */
struct scan {
	host_stack_word_fn found;
	unsigned int nr;
	unsigned int next;
	bool unknown;
	struct task_struct *tasks[];
};

/* The stack of a dead task may be freed already. */
static unsigned int scan_task(struct scan *scan, struct task_struct *task)
{
	unsigned long *word, *end;
	/* A task that was preempted stays on its run queue. */
	bool asleep = !READ_ONCE(task->on_rq);
	unsigned int nr = 0;

	if (READ_ONCE(task->HOST_TASK_STATE) == TASK_DEAD || !task_stack_page(task))
		return 0;
	word = host_used_stack(task, &end);
	scan->unknown |= word == end;
	for (; word < end; word++, nr++)
		scan->found(word, end, asleep);
	return nr;
}

/* A task that was scanned can't get into text that is not reachable later. */
static int scan_piece(void *data)
{
	struct scan *scan = data;
	unsigned int words = 0;

	while (scan->next < scan->nr && words < PIECE)
		words += scan_task(scan, scan->tasks[scan->next++]);
	return 0;
}

static unsigned int count_tasks(void)
{
	struct task_struct *leader, *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_process_thread(leader, task)
		nr++;
	rcu_read_unlock();
	return nr;
}

/* Returns false if there are more tasks than there is room for. */
static bool hold_tasks(struct scan *scan, unsigned int max)
{
	struct task_struct *leader, *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_process_thread(leader, task) {
		if (nr < max)
			scan->tasks[scan->nr++] = get_task_struct(task);
		nr++;
	}
	rcu_read_unlock();
	return nr <= max;
}

static void end_scan(struct scan *scan)
{
	while (scan->nr)
		put_task_struct(scan->tasks[--scan->nr]);
	kvfree(scan);
}

static struct scan *begin_scan(host_stack_word_fn found)
{
	unsigned int max = count_tasks();
	struct scan *scan;

	max += max / 8 + MORE_TASKS;
	scan = inject_failure() ? NULL : kvzalloc(struct_size(scan, tasks, max), GFP_KERNEL);
	if (!scan)
		return NULL;
	scan->found = found;
	if (hold_tasks(scan, max))
		return scan;
	end_scan(scan);
	return NULL;
}

/**
 * host_scan_stacks() - visit every word on the stack of every task
 * @found: called for each, with all CPUs stopped, so it must be quick; told whether the task
 *	sleeps, and so has called the scheduler itself, or is ready to run and may be preempted
 *
 * The CPUs are stopped several times if there are many tasks.  At that time none of the tasks
 * runs.
 *
 * Context: process context, sleeps.
 * Return: false if it could not be done, for lack of memory, or as a task sleeps on a stack that
 * is not its own: try again later.
 */
bool host_scan_stacks(host_stack_word_fn found)
{
	struct scan *scan;
	bool known;

	might_sleep();
	scan = begin_scan(found);
	if (!scan)
		return false;
	while (scan->next < scan->nr) {
		host_stop(scan_piece, scan);
		cond_resched();
	}
	known = !scan->unknown;
	end_scan(scan);
	return known;
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

/* The tracer's stack: newer kernels count words in it, older ones have the number of the last. */
static bool graph_tracer_keeps(const struct task_struct *task)
{
	const int empty = __same_type(task->ret_stack, unsigned long *) ? 0 : -1;

	return task->ret_stack && task->curr_ret_stack > empty;
}

#else

static bool graph_tracer_keeps(const struct task_struct *task)
{
	return false;
}

#endif

/**
 * host_keeps_return_addresses() - have other tracers replaced return addresses of a task
 * @task: the task; current or not running
 *
 * The graph tracer and the built-in kretprobes replace a return address on the
 * stack by one of their own, and keep the original in private data.
 *
 * Return: true if there are such addresses.
 */
bool host_keeps_return_addresses(const struct task_struct *task)
{
	bool keeps = graph_tracer_keeps(task);

#ifdef LKP_TASK_HAS_KRETPROBES
	keeps |= !!task->kretprobe_instances.first;
#elif defined(CONFIG_KRETPROBES)
	keeps |= host_kretprobes_wait((struct task_struct *)task);
#endif
#ifdef CONFIG_RETHOOK
	keeps |= !!task->rethooks.first;
#endif
	return keeps;
}
