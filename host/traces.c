// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel itself tells who follows a stack: is a word text, and which return address have
 * other tracers replaced, the function graph tracer and the return probes of the kernel's own.
 */
#include <linux/ftrace.h>
#include <linux/llist.h>
#ifdef CONFIG_RETHOOK
#include <linux/rethook.h>
#endif
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include "compat.h"
#include "host.h"
#include "imports_c.h"

/* What the graph tracer and the kernel's return probes put in place of a return address; or 0. */
static unsigned long graph_trampoline, rethook_trampoline, kretprobe_trampoline;

/**
 * host_foreign_trampolines() - what other tracers put in place of return addresses
 * @addrs: two addresses; 0 where there is none
 *
 * Context: process context, may sleep.
 */
void host_foreign_trampolines(unsigned long addrs[2])
{
	graph_trampoline = host_lookup("return_to_handler");
	if (import_has(rethook_find_ret_addr))
		rethook_trampoline = host_lookup("arch_rethook_trampoline");
	kretprobe_trampoline = host_lookup("__kretprobe_trampoline") ?:
			       host_lookup("kretprobe_trampoline");
	addrs[0] = graph_trampoline;
	addrs[1] = rethook_trampoline;
}

/**
 * host_foreign_trampoline() - is it what another tracer puts in place of a return address
 * @addr: any address
 *
 * Context: any, NMI too.
 */
bool host_foreign_trampoline(unsigned long addr)
{
	return addr && (addr == graph_trampoline || addr == rethook_trampoline ||
			addr == kretprobe_trampoline);
}

/**
 * host_kretprobes_wait() - may the kernel's return probes have replaced a return address of a task
 * @task: the task; current or not running
 *
 * For kernels in which a task does not know them.
 *
 * Context: any; @task does not vanish.
 * Return: true also for what an earlier one has left in a part of the stack that is not used.
 */
bool host_kretprobes_wait(struct task_struct *task)
{
	unsigned long *word, *end;

	if (!kretprobe_trampoline)
		return false;
	word = host_used_stack(task, &end);
	if (task == current)
		word = task_stack_page(task);
	for (; word < end; word++)
		if (host_stack_word(word) == kretprobe_trampoline)
			return true;
	return false;
}

/**
 * host_is_text() - may a word on a stack be a return address
 * @addr: the word
 *
 * Context: any, NMI too.
 * Return: what the kernel says; false if it can't be asked.
 */
bool host_is_text(unsigned long addr)
{
	return import_has(__kernel_text_address) && import___kernel_text_address(addr);
}

/*
 * The kernel's function complains of other tasks that run, and of these nothing is certain.  It
 * knows the call by where the address was found, so it can begin at the beginning of its list.
 */
static unsigned long behind_rethook(struct task_struct *task, unsigned long addr,
				    const unsigned long *word, struct llist_node **at)
{
	if (addr != rethook_trampoline || (task != current && task_is_running(task)))
		return addr;
	return import_rethook_find_ret_addr(task, (unsigned long)word, at) ?: addr;
}

/* The same where the kernel's return probes do not go by that. */
static unsigned long behind_kretprobe(struct task_struct *task, unsigned long addr,
				      unsigned long *word, struct llist_node **at)
{
	if (addr != kretprobe_trampoline || !import_has(kretprobe_find_ret_addr) ||
	    (task != current && task_is_running(task)))
		return addr;
	return import_kretprobe_find_ret_addr(task, word, at) ?: addr;
}

/**
 * host_foreign_return() - the return address that another tracer has replaced
 * @task: whose stack it is on
 * @addr: the address found there
 * @word: where it was found; on arm64 the frame record of the function that it leads to, by which
 *	tracers know the call
 * @graph_idx: for the graph tracer, how far into its list the walk is
 * @rethook: for the kernel's return probes, where in its list the last one was found; NULL
 *	at the beginning
 *
 * Context: any, NMI too, as the kernel's unwinder, which asks the same; preemption off.
 * Return: the real address; @addr itself if it is no other tracer's.
 */
unsigned long host_foreign_return(struct task_struct *task, unsigned long addr,
				  unsigned long *word, int *graph_idx,
				  struct llist_node **rethook)
{
	if (import_has(ftrace_graph_ret_addr))
		addr = import_ftrace_graph_ret_addr(task, graph_idx, addr, word);
	if (!addr)
		return 0;
	addr = behind_rethook(task, addr, word, rethook);
	return behind_kretprobe(task, addr, word, rethook);
}

/**
 * host_graph_return() - the return address that the graph tracer has replaced, for a known call
 * @task: whose stack it is on
 * @addr: the address found there
 * @frame: the stack pointer when the function was called
 * @from: 0, and then what was left there, to ask again for the same call
 *
 * The tracer remembers the frame pointer of each caller, which is not below @frame, while those of
 * all calls further in are.  So it is the innermost such call.  If a function ends in a jump to
 * another one, and both are traced, there are two of them: each is answered once.
 *
 * Context: any, NMI too; preemption off.
 * Return: the real address; @addr itself if it is not the graph tracer's.
 */
unsigned long host_graph_return(struct task_struct *task, unsigned long addr, unsigned long frame,
				unsigned int *from)
{
#if defined(CONFIG_FUNCTION_GRAPH_TRACER) && \
	(defined(HAVE_FUNCTION_GRAPH_RET_ADDR_PTR) || defined(LKP_GRAPH_HAS_RETP))
	const struct ftrace_ret_stack *call;
	unsigned long retp;

	if (!graph_trampoline || addr != graph_trampoline ||
	    !import_has(ftrace_graph_get_ret_stack))
		return addr;
	/* Newer kernels have room for any number: it depends on what is kept with each. */
	while ((call = import_ftrace_graph_get_ret_stack(task, (*from)++))) {
		retp = (unsigned long)READ_ONCE(call->retp);
		/* Of an interrupt, on a stack of its own, it may be anywhere. */
		if (retp >= frame && !((retp ^ frame) & ~(THREAD_SIZE - 1)))
			return READ_ONCE(call->ret);
	}
#endif
	return addr;
}

#ifdef CONFIG_RETHOOK

/* Nobody runs into these nodes any more, so they go back to their probe. */
static void abandon_rethooks(struct llist_node *node, const struct llist_node *noted,
			     const unsigned long *kept)
{
	struct rethook_node *call;

	while (node && node != noted) {
		call = container_of(node, struct rethook_node, llist);
		if (call->frame == (unsigned long)kept)
			break;
		node = node->next;
		WRITE_ONCE(current->rethooks.first, node);
		if (import_has(rethook_recycle))
			import_rethook_recycle(call);
	}
}

#endif

#ifdef LKP_TASK_HAS_KRETPROBES

/*
 * How an instance is given back is the kernel's own affair, and it does so with all of a task that
 * has ended.  Until then they are at the end of the list, where nobody looks before all others
 * have returned.
 */
static void abandon_kretprobes(struct llist_node *first, struct llist_node *noted)
{
	struct llist_node *last;

	if (!noted || first == noted)
		return;
	WRITE_ONCE(current->kretprobe_instances.first, noted);
	for (last = first; last->next != noted; last = last->next)
		;
	last->next = NULL;
	for (last = noted; last->next; last = last->next)
		;
	last->next = first;
}

#endif

/**
 * host_calls_abandon() - some calls of the current task will never return
 * @calls: those that were noted before they began
 * @kept: a return address on the stack that is none of theirs, though replaced since
 *
 * The kernel's return probes take it for granted that calls return, and that the youngest is the
 * first: the next return of an older one would lead to where one of these was called.
 *
 * Context: any, with interrupts off. Return probes in NMIs may come in between: they have
 * returned when we go on.
 */
void host_calls_abandon(const struct host_calls *calls, const unsigned long *kept)
{
#ifdef CONFIG_RETHOOK
	abandon_rethooks(READ_ONCE(current->rethooks.first), calls->rethooks, kept);
#endif
#ifdef LKP_TASK_HAS_KRETPROBES
	abandon_kretprobes(READ_ONCE(current->kretprobe_instances.first), calls->kretprobes);
#endif
}
