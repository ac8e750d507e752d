// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quiescence: when has every task left text that is no longer reachable?
 *
 * A task can stay in a slot for any time: preempted there, or asleep in a page
 * fault that the copied instruction raised.  The kernel's RCU-tasks waits for
 * the former, but takes the sleep of the latter as a quiescent state.  So the
 * stacks are scanned as well.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/stop_machine.h>
#include <linux/rcupdate.h>
#include <linux/delay.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"

/**
 * host_stop() - call a function while nothing else runs on any CPU
 * @fn: the function; runs on one CPU with interrupts off, so it must be quick: a
 *	millisecond at most
 * @data: its argument
 *
 * Context: process context, sleeps.
 */
void host_stop(int (*fn)(void *data), void *data)
{
	might_sleep();
	stop_machine(fn, data, NULL);
}

static int nothing(void *unused)
{
	return 0;
}

/**
 * host_wait_for_preempted() - wait until all tasks preempted at the call have run on
 *
 * Every CPU switches tasks once, so idle tasks, which no RCU waits for, have
 * left too.  Where the kernel has no RCU-tasks, only host_scan_stacks() finds
 * preempted tasks.  A task in the last steps of its exit is already off the
 * task list; it then gets a second to end.
 *
 * Context: process context, sleeps.
 */
void host_wait_for_preempted(void)
{
	might_sleep();
	if (import_has(synchronize_rcu_tasks))
		import_synchronize_rcu_tasks();
	else if (IS_ENABLED(CONFIG_PREEMPTION))
		msleep(1000);
	synchronize_rcu();
	stop_machine(nothing, NULL, cpu_online_mask);
}

/**
 * host_waits_for_preempted() - does host_wait_for_preempted() suffice, without a stack scan
 */
bool host_waits_for_preempted(void)
{
	return import_has(synchronize_rcu_tasks) || !IS_ENABLED(CONFIG_PREEMPTION);
}

static void scan_task(struct task_struct *task, host_stack_word_fn found)
{
	unsigned long *stack = task_stack_page(task);
	unsigned long *end = (void *)stack + THREAD_SIZE;
	unsigned long *word = (unsigned long *)arch_task_stack_pointer(task);

	if (!stack || word < stack || word > end)
		return;
	for (; word < end; word++)
		found(word, end);
}

static int scan_all(void *data)
{
	struct task_struct *leader, *task;

	for_each_process_thread(leader, task)
		scan_task(task, data);
	return 0;
}

/**
 * host_scan_stacks() - visit every word on the stack of every task that is not running
 * @found: called for each; must be quick, as it runs with all other CPUs stopped
 *
 * Context: process context, sleeps.
 */
void host_scan_stacks(host_stack_word_fn found)
{
	host_stop(scan_all, found);
}

/**
 * host_keeps_return_addresses() - have other tracers replaced return addresses of a task
 * @task: the task; current or not running
 *
 * The graph tracer and the built-in kretprobes replace a return address on the
 * stack by one of their own, and keep the original in private data.
 *
 * Return: true if there are such addresses, or were.
 */
bool host_keeps_return_addresses(const struct task_struct *task)
{
	bool keeps = false;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	keeps |= !!task->ret_stack;
#endif
#ifdef CONFIG_KRETPROBES
	keeps |= !!task->kretprobe_instances.first;
#endif
#ifdef CONFIG_RETHOOK
	keeps |= !!task->rethooks.first;
#endif
	return keeps;
}
