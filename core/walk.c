// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack traces through what we put on stacks, where the kernel's walk hands each address on.
 *
 * Such a walk goes from frame to frame and does not care what the addresses in them are.  So the
 * calls of it become calls of ours (traces.c), which calls it, and hands on in place of an address
 * that is ours
 *
 *	the stub of a followed call	the return address that it stands for
 *	within a detour or a slot	a place in our text with a name: arch_detour_frame()
 *
 * A walk that must be reliable is told that it is not if an address has no answer.
 *
 * It runs in any context, also in an NMI on top of anything here, and for tasks that run
 * meanwhile.  Nothing is locked and no stack is read, so a wrong answer is a wrong line.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>

#include "../host/host.h"
#include "../host/imports_c.h"
#include "core.h"
#include "return_hook.h"

#if defined(ARCH_TRACES_WALK) || defined(ARCH_TRACES_RELIABLE)

/* More turns than tracers follow one call; a task that runs may seem to have more. */
#define MAX_BEHIND	16

/**
 * traces_behind() - the real return address, where it is not known which call it is of
 * @task: whose stack it was found on
 * @addr: the address found
 *
 * The graph tracer may have replaced the address before us, and other stubs of ours that.
 *
 * Context: any, NMI too.
 * Return: @addr itself if it is not known to be another.
 */
unsigned long traces_behind(struct task_struct *task, unsigned long addr)
{
	unsigned long frame = 0, before;
	unsigned int i;

	/* Instances are freed after a grace period, see return_hook_forget(). */
	preempt_disable_notrace();
	for (i = 0; i < MAX_BEHIND; i++) {
		before = addr;
		addr = return_address_behind_call(task, addr, &frame);
		if (frame)
			addr = host_graph_return(task, addr, frame);
		if (addr == before)
			break;
	}
	preempt_enable_notrace();
	return addr;
}

#endif

#ifdef ARCH_TRACES_WALK

/**
 * struct walk - a walk along a stack
 * @consume: who wants the addresses
 * @cookie: for @consume
 * @task: whose stack it is
 * @begins_here: the first address is where traces_walk() has called; its caller's is the next
 */
struct walk {
	stack_trace_consume_fn consume;
	void *cookie;
	struct task_struct *task;
	bool begins_here;
};

static bool consume(void *data, unsigned long addr)
{
	struct walk *walk = data;

	if (walk->begins_here) {
		walk->begins_here = false;
		return true;
	}
	addr = traces_behind(walk->task, addr);
	return walk->consume(walk->cookie, host_in_run(addr) ? arch_detour_frame() : addr);
}

/**
 * traces_walk() - in place of arch_stack_walk()
 * @consume_entry: called with each address; it ends the walk by returning false
 * @cookie: for @consume_entry
 * @task: whose stack is followed
 * @regs: NULL, or where to begin, if @task is the current one
 *
 * Context: any, NMI too.
 */
void traces_walk(stack_trace_consume_fn consume_entry, void *cookie, struct task_struct *task,
		 struct pt_regs *regs)
{
	struct walk walk = {
		.consume = consume_entry,
		.cookie = cookie,
		.task = task,
		.begins_here = task == current && !regs,
	};

	import_arch_stack_walk(consume, &walk, task, regs);
}

#endif /* ARCH_TRACES_WALK */

#ifdef ARCH_TRACES_RELIABLE

/**
 * struct reliable_walk - a walk along a stack, of which each address must be right
 * @consume: who wants the addresses
 * @cookie: for @consume
 * @task: whose stack it is
 * @begins_behind: the address from which we have been called, which has not been met yet; or 0
 */
struct reliable_walk {
	stack_trace_consume_fn consume;
	void *cookie;
	struct task_struct *task;
	unsigned long begins_behind;
};

static bool consume_reliable(void *data, unsigned long addr)
{
	struct reliable_walk *walk = data;

	if (walk->begins_behind) {
		if (addr == walk->begins_behind)
			walk->begins_behind = 0;
		return true;
	}
	addr = traces_behind(walk->task, addr);
	/* Behind a stub of ours may be a trampoline that the kernel has not seen. */
	return !return_address_is_stub(addr) && !host_foreign_trampoline(addr) &&
	       host_is_text(addr) && walk->consume(walk->cookie, addr);
}

/**
 * traces_walk_reliable() - in place of arch_stack_walk_reliable()
 * @consume_entry: called with each address; it ends the walk by returning false
 * @cookie: for @consume_entry
 * @task: whose stack is followed
 * @caller: the address from which the kernel has called us
 *
 * Context: as the kernel's function: @task does not run, or is the current one.
 * Return: 0, or an error of the kernel's function: -EINVAL if the trace is not reliable.
 */
int traces_walk_reliable(stack_trace_consume_fn consume_entry, void *cookie,
			 struct task_struct *task, unsigned long caller)
{
	struct reliable_walk walk = {
		.consume = consume_entry,
		.cookie = cookie,
		.task = task,
		.begins_behind = task == current ? caller : 0,
	};
	int err = import_arch_stack_walk_reliable(consume_reliable, &walk, task);

	return err ?: walk.begins_behind ? -EINVAL : 0;
}

#endif /* ARCH_TRACES_RELIABLE */
