// SPDX-License-Identifier: GPL-2.0-only
/*
 * When is nobody left in text to which nothing leads any more?
 *
 * A task can stay in a slot for as long as it likes: preempted there, or
 * asleep in a page fault that the copied instruction raised.  The kernel's
 * RCU-tasks knows of the former, and takes the sleep of the latter for a sign
 * that the task has left.  So the stacks are looked at as well.
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

static int nothing(void *unused)
{
	return 0;
}

/**
 * host_wait_for_preempted() - wait until who was preempted has gone on
 *
 * Every CPU has switched tasks once, so idle tasks, which no RCU waits for,
 * have left too.  Where the kernel has no RCU-tasks only host_scan_stacks()
 * tells about preempted tasks; a task that is already off the task list,
 * within the last steps of its exit, is then given a second to end.
 *
 * Context: process context, sleeps.
 */
void host_wait_for_preempted(void)
{
	if (import_has(synchronize_rcu_tasks))
		import_synchronize_rcu_tasks();
	else if (IS_ENABLED(CONFIG_PREEMPTION))
		msleep(1000);
	synchronize_rcu();
	stop_machine(nothing, NULL, cpu_online_mask);
}

/**
 * host_waits_for_preempted() - does that wait for all of them, or is a scan of the stacks needed
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
 * host_scan_stacks() - show every word on the stack of every task that is not running
 * @found: called for each; must be quick, runs with all other CPUs stopped
 *
 * Context: process context, sleeps.
 */
void host_scan_stacks(host_stack_word_fn found)
{
	stop_machine(scan_all, found, NULL);
}

/**
 * host_keeps_return_addresses() - has somebody taken return addresses off a stack
 * @task: the task; current or not running
 *
 * The graph tracer and the built-in kretprobes put one of their own in the
 * place of what they find, and keep that where nobody else looks.
 *
 * Return: true if that is so, or was.
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
