// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack traces through what we put on stacks, where the kernel's walk hands each address on.
 *
 * Such a walk goes from frame to frame and does not care what the addresses in them are.  So its
 * calls become calls of ours (traces.c), which call it, and hand on in place of an address that is
 * ours
 *
 *	the stub of a followed call	the return address that it stands for
 *	a slot, a detour		the probed code, where the task was interrupted in it;
 *					where it has called a handler, arch_detour_frame(), and
 *					the probed code if that is in no record
 *	the trampoline of returns	itself, and the address that it returns to
 *
 * Most traces meet none of them, and pay for a comparison.  Only for one of ours the walk is done
 * again up to there, to know the records around it.
 *
 * A walk that must be reliable is told that it is not if an address has no answer.
 *
 * It runs in any context, also in an NMI on top of anything here, and for tasks that run
 * meanwhile.  Nothing is locked, and what is read of stacks is read with care, so a wrong answer
 * is a wrong line.
 */
#include <linux/kdebug.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>

#include "../host/host.h"
#include "../host/imports_c.h"
#include "core.h"
#include "return_hook.h"

/* More turns than tracers follow one call; a task that runs may seem to have more. */
#define MAX_BEHIND	16

#ifdef ARCH_TRACES_WALK

/**
 * struct walk - a walk along a stack
 * @consume: who wants the addresses
 * @cookie: for @consume
 * @around: the area in which all addresses of ours are; others may be in it, too
 * @around_size: its size
 * @nr: how many addresses have come
 * @at: to which of them, from 1, @frames belongs
 * @frames: where that is
 * @task: whose stack it is
 * @begins_here: the first address is where we call the kernel's function: to be skipped
 * @reliable: rather none than a wrong one
 */
struct walk {
	stack_trace_consume_fn consume;
	void *cookie;
	unsigned long around;
	unsigned long around_size;
	unsigned int nr;
	unsigned int at;
	struct arch_frames frames;
	struct task_struct *task;
	bool begins_here;
	bool reliable;
};

static struct host_area own_text;

/* Others may have replaced the address before us, or after, or between two of ours. */
static unsigned long behind_all(struct walk *walk, unsigned long addr)
{
	unsigned long *record = (unsigned long *)walk->frames.record, before, frame;
	struct llist_node *rethook = NULL;
	int graph_idx = 0;
	unsigned int i;

	for (i = 0; i < MAX_BEHIND; i++) {
		before = addr;
		addr = return_address_behind_call(walk->task, addr, &frame);
		addr = host_foreign_return(walk->task, addr, record, &graph_idx, &rethook);
		if (addr == before)
			break;
	}
	return addr;
}

static bool is_ours(unsigned long addr)
{
	bool is_run;

	return addr - own_text.start < own_text.end - own_text.start ||
	       return_address_is_stub(addr) || host_slot_around(addr, &is_run);
}

static void look_up(struct walk *walk, unsigned long addr, struct arch_place *place)
{
	for (; walk->at < walk->nr; walk->at++)
		arch_frames_next(&walk->frames);
	if (return_address_is_stub(addr)) {
		*place = (struct arch_place){ .addr = behind_all(walk, addr) };
		return;
	}
	arch_frames_place(&walk->frames, addr, place);
	if (place->caller)
		place->caller = behind_all(walk, place->caller);
}

static noinline bool consume_slowly(struct walk *walk, unsigned long addr)
{
	struct arch_place place;

	if (walk->nr == 1 && walk->begins_here)
		return true;
	if (!is_ours(addr))
		return walk->consume(walk->cookie, addr);
	/* Instances are freed after a grace period, see return_hook_forget(). */
	preempt_disable_notrace();
	look_up(walk, addr, &place);
	preempt_enable_notrace();
	/* Behind a stub may be a trampoline of another tracer, which the kernel has not seen. */
	if (walk->reliable &&
	    (place.caller || is_ours(place.addr) || host_foreign_trampoline(place.addr)))
		return false;
	return walk->consume(walk->cookie, place.addr) &&
	       (!place.caller || walk->consume(walk->cookie, place.caller));
}

/* For most addresses, so it is short. */
static bool consume(void *data, unsigned long addr)
{
	struct walk *walk = data;

	walk->nr++;
	if (unlikely(addr - walk->around < walk->around_size))
		return consume_slowly(walk, addr);
	return walk->consume(walk->cookie, addr);
}

/* Memory that is added meanwhile need not be in it: the stack was there before. */
static void set_area(struct walk *walk)
{
	unsigned long start = READ_ONCE(host_pools.start), end = READ_ONCE(host_pools.end);

	/* The stubs of our own text are in both. */
	walk->around = min(own_text.start, READ_ONCE(return_stubs_area.start));
	if (end)
		walk->around = min(walk->around, start);
	end = max3(end, own_text.end, READ_ONCE(return_stubs_area.end));
	walk->around_size = end - walk->around;
}

/*
 * Member by member, as the compiler would call memset() for the whole, which can be probed.
 * The kernel begins where it is called, with that function's caller next: always inlined.
 */
static __always_inline void begin(struct walk *walk, stack_trace_consume_fn consume_entry,
				  void *cookie, struct task_struct *task, struct pt_regs *regs)
{
	walk->consume = consume_entry;
	walk->cookie = cookie;
	walk->task = task;
	walk->begins_here = task == current && !regs;
	walk->reliable = false;
	walk->nr = 0;
	walk->at = 1;
	set_area(walk);
	arch_frames_begin(&walk->frames, task, regs, (unsigned long)__builtin_frame_address(0));
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
noinline void traces_walk(stack_trace_consume_fn consume_entry, void *cookie,
			  struct task_struct *task, struct pt_regs *regs)
{
	struct walk walk;

	begin(&walk, consume_entry, cookie, task, regs);
	import_arch_stack_walk(consume, &walk, task, regs);
}

/**
 * traces_walk_reliable() - in place of arch_stack_walk_reliable()
 * @consume_entry: called with each address; it ends the walk by returning false
 * @cookie: for @consume_entry
 * @task: whose stack is followed
 *
 * Context: any, NMI too.
 * Return: 0 if all of the stack was walked, and nothing of ours is left in the trace; or an error.
 */
noinline int traces_walk_reliable(stack_trace_consume_fn consume_entry, void *cookie,
				  struct task_struct *task)
{
	struct walk walk;

	begin(&walk, consume_entry, cookie, task, NULL);
	walk.reliable = true;
	return import_arch_stack_walk_reliable(consume, &walk, task);
}

/*
 * An instruction has faulted in a slot, and nobody has a fixup for it.  What is printed then, and
 * what a dump has, is the probed instruction.  Also while no walk is ours.
 */
static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;
	struct arch_frames frames;
	struct arch_place place;
	bool is_run;

	if (event != DIE_OOPS || user_mode(args->regs) ||
	    !host_slot_around(instruction_pointer(args->regs), &is_run))
		return NOTIFY_DONE;
	preempt_disable_notrace();
	arch_frames_begin(&frames, current, args->regs, 0);
	arch_frames_place(&frames, instruction_pointer(args->regs), &place);
	preempt_enable_notrace();
	if (!is_ours(place.addr))
		instruction_pointer_set(args->regs, place.addr);
	return NOTIFY_DONE;
}

static struct notifier_block die_notifier = {
	.notifier_call = on_die,
};

/**
 * traces_walk_init() - note what addresses are ours, and listen to oopses
 *
 * Context: process context, from traces_init(); may sleep.
 * Return: 0 or the error of register_die_notifier().
 */
int traces_walk_init(void)
{
	might_sleep();
	host_text_area(THIS_MODULE, &own_text);
	return register_die_notifier(&die_notifier);
}

/**
 * traces_walk_exit() - undo traces_walk_init()
 *
 * Context: process context, may sleep.
 */
void traces_walk_exit(void)
{
	might_sleep();
	unregister_die_notifier(&die_notifier);
}

#endif /* ARCH_TRACES_WALK */

#ifdef ARCH_TRACES_RELIABLE

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
	unsigned int i, from = 0;

	/* Instances are freed after a grace period, see return_hook_forget(). */
	preempt_disable_notrace();
	for (i = 0; i < MAX_BEHIND; i++) {
		before = addr;
		addr = return_address_behind_call(task, addr, &frame);
		if (frame)
			addr = host_graph_return(task, addr, frame, &from);
		if (addr == before)
			break;
	}
	preempt_enable_notrace();
	return addr;
}

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
 * traces_walk_reliable_from() - in place of arch_stack_walk_reliable()
 * @consume_entry: called with each address; it ends the walk by returning false
 * @cookie: for @consume_entry
 * @task: whose stack is followed
 * @caller: the address from which the kernel has called us
 *
 * Context: as the kernel's function: @task does not run, or is the current one.
 * Return: 0, or an error of the kernel's function: -EINVAL if the trace is not reliable.
 */
int traces_walk_reliable_from(stack_trace_consume_fn consume_entry, void *cookie,
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
