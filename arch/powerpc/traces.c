// SPDX-License-Identifier: GPL-2.0-only
/*
 * What core/traces.c needs of 64-bit Power, and a walk along stacks.
 *
 * The kernel follows stacks in loops of their own.  Of each frame they take what the function that
 * was called there has saved as its LR:
 *
 *	arch_stack_walk()		hands it on as it is: our walk is called instead
 *	arch_stack_walk_reliable()	hands it on after some checks, which a stub passes:
 *					walk.c is called instead, which calls it
 *	perf_callchain_kernel()		stores it, near the top if it is text: what it has stored is
 *					looked through, what it has left out is put in
 *	__get_wchan()			returns it, the same
 *	show_stack()			prints it, and what ftrace_graph_ret_addr() says of it,
 *					in place of which traces_return_address() is called
 *
 * None of them knows more of what was interrupted, by a trap or by one of our detours, than where
 * its stack is.  Ours does, as that is where probes are: behind().
 *
 * The kernel's text is too far from ours for a call.  So each leads to a copy of
 * powerpc_traces_jump() in the memory that is near it.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../core/return_hook.h"
#include "../../host/arch_host.h"
#include "../../host/imports_c.h"
#include "assembly.h"
#include "reach.h"

const char * const arch_traces_askers[] = {
	"stack_trace_save", "stack_trace_save_tsk", "stack_trace_save_regs",
	"stack_trace_save_tsk_reliable", "show_stack", "get_perf_callchain", "get_wchan", NULL
};

const char * const arch_traces_must[] = { "stack_trace_save_tsk_reliable", NULL };

/* In trampoline.S: they call the functions below. */
asmlinkage void powerpc_traces_walk(void);
asmlinkage void powerpc_traces_reliable(void);
asmlinkage void powerpc_traces_profile(void);
asmlinkage void powerpc_traces_wchan(void);
asmlinkage void powerpc_traces_answer(void);

/* Called by trampoline.S. */
asmlinkage void powerpc_walk(stack_trace_consume_fn consume_entry, void *cookie,
			     struct task_struct *task, struct pt_regs *regs);
asmlinkage int powerpc_walk_reliable(stack_trace_consume_fn consume_entry, void *cookie,
				     struct task_struct *task);
asmlinkage void powerpc_profile(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);
asmlinkage unsigned long powerpc_wchan(struct task_struct *task);

const struct traces_call arch_traces_calls[] = {
	{ "arch_stack_walk", powerpc_traces_walk },
	{ "arch_stack_walk_reliable", powerpc_traces_reliable },
	{ "perf_callchain_kernel", powerpc_traces_profile },
	{ "__get_wchan", powerpc_traces_wchan },
	{ "ftrace_graph_ret_addr", powerpc_traces_answer },
	{ }
};

const char arch_traces_without[] =
	"have stubs of ours for return addresses: the calls that follow stacks are not known";

/* ---- frames ---- */

#define word_at(addr)		READ_ONCE(*(unsigned long *)(addr))
#define saved_lr(frame)		word_at((frame) + POWERPC_FRAME_LR)

/* Stacks are aligned to their size. */
static bool is_frame(struct task_struct *task, unsigned long frame, unsigned long size)
{
	return IS_ALIGNED(frame, sizeof(long)) &&
	       (frame & (THREAD_SIZE - 1)) + size <= THREAD_SIZE &&
	       import_validate_sp(frame, task, POWERPC_FRAME_HEAD);
}

/* The registers of what an exception has interrupted in the kernel, if the frame is its. */
static const struct pt_regs *of_exception(struct task_struct *task, unsigned long frame)
{
	const struct pt_regs *regs = (void *)frame + POWERPC_EXCEPTION_REGS;

	if (!is_frame(task, frame, POWERPC_EXCEPTION_REGS + sizeof(*regs)) ||
	    word_at(frame + POWERPC_EXCEPTION_MARK_AT) != STACK_FRAME_REGS_MARKER)
		return NULL;
	return !user_mode(regs) && word_at(frame) == READ_ONCE(regs->gpr[1]) ? regs : NULL;
}

/* The same for the lower frame of a detour. */
static const struct pt_regs *of_detour(struct task_struct *task, unsigned long frame)
{
	const struct pt_regs *regs = (void *)frame + POWERPC_DETOUR_REGS;

	if (!is_frame(task, frame, POWERPC_DETOUR_ROOM) ||
	    word_at(frame + POWERPC_DETOUR_MARK_AT) != POWERPC_DETOUR_MARK)
		return NULL;
	return READ_ONCE(regs->gpr[1]) == frame + POWERPC_DETOUR_ROOM ? regs : NULL;
}

/* ---- walking ---- */

/**
 * struct walk - a walk along a stack
 * @consume: who wants the addresses
 * @cookie: for @consume
 * @task: whose stack it is
 * @graph: how far into the graph tracer's list the walk is
 */
struct walk {
	stack_trace_consume_fn consume;
	void *cookie;
	struct task_struct *task;
	int graph;
};

/* More than there are in the deepest of stacks; that of a task that runs may seem to be endless. */
#define MAX_FRAMES	(4 * THREAD_SIZE / POWERPC_FRAME_HEAD)

static unsigned long answer(struct walk *walk, unsigned long addr, unsigned long frame)
{
	if (!traces_may_know(addr))
		return addr;
	return traces_return_address(walk->task, &walk->graph, addr, (unsigned long *)frame);
}

/* A stub without an answer is left of a call that has ended.  Nothing was saved there since. */
static bool hand_on(struct walk *walk, unsigned long addr, unsigned long frame)
{
	addr = answer(walk, addr, frame);
	return return_address_is_stub(addr) || walk->consume(walk->cookie, addr);
}

/**
 * struct place - where code was interrupted
 * @nip: the next instruction
 * @start: of the function that it is in; 0 if that is not known
 * @size: of it
 */
struct place {
	unsigned long nip;
	unsigned long start;
	unsigned long size;
};

/* A call that does not return may be the last instruction. */
static bool returns_into(const struct place *place, unsigned long addr)
{
	return place->start && addr - place->start - 1 < place->size;
}

/* Before its first instruction, or behind those that set up the TOC pointer. */
static bool is_at_entry(const struct place *place)
{
	return place->nip == place->start || place->nip == place->start + 2 * INSN_SIZE;
}

static bool is_same_function(unsigned long one, unsigned long other)
{
	struct place place = { };

	return host_symbol_bounds(one, &place.start, &place.size) && returns_into(&place, other);
}

/*
 * Does the frame on top of the stack, which is not that of the function's caller, belong to the
 * function without its LR saved behind it?  Then what is saved there is of an earlier call by the
 * same caller, or nothing.
 */
static bool is_leaf_with_frame(const struct place *place, unsigned long link, unsigned long saved)
{
	return !is_at_entry(place) && (!traces_is_text(saved) || is_same_function(link, saved));
}

/* Who follows the stack of a task in process context can be preempted, and then nobody waits for it. */
static bool is_stub_of_call(unsigned long addr, unsigned long frame)
{
	unsigned long behind;

	preempt_disable_notrace();
	behind = return_address_behind(addr, frame);
	preempt_enable_notrace();
	return behind != addr;
}

/*
 * The frame on top of the stack is the function's own, or its caller's.  If it is its own, the
 * function has saved its LR behind it, but for the last of calls, and its LR is what it was when
 * it was called, or is within the function, behind a call by it.
 *
 * Hands on the return address if it is in LR.  Returns the frame behind which the next one is
 * saved; 0 if that was the last.
 */
static unsigned long behind(struct walk *walk, const struct place *place, unsigned long frame,
			    unsigned long link)
{
	struct task_struct *task = walk->task;
	unsigned long above = word_at(frame), saved = 0;

	if (is_frame(task, above, POWERPC_FRAME_HEAD))
		saved = saved_lr(above);
	else
		above = 0;
	if (!is_at_entry(place) && returns_into(place, link))
		/* At its end it has no frame any more, and not yet the LR that it has saved. */
		return returns_into(place, saved_lr(frame)) ? above : frame;
	if (!traces_is_text(link))
		return frame;
	if (above && (is_stub_of_call(link, above) ||
		      (!is_at_entry(place) && link == saved) ||
		      is_leaf_with_frame(place, link, saved))) {
		frame = above;
		above = word_at(frame);
	}
	return hand_on(walk, link, frame) ? above : 0;
}

/*
 * The frame above the two that a detour, or our trampoline at a site of the tracer, has made; 0 if
 * it has not.  Where code was interrupted there, nothing need be saved in them yet.
 */
static unsigned long above_ours(struct task_struct *task, unsigned long frame)
{
	unsigned long upper = word_at(frame), above;

	if (upper - frame != POWERPC_DETOUR_FRAME || !is_frame(task, upper, POWERPC_FRAME_HEAD))
		return 0;
	above = word_at(upper);
	return above - upper == POWERPC_DETOUR_ABOVE || above - upper == POWERPC_FRAME_HEAD ?
	       above : 0;
}

/* Returns as behind(). */
static unsigned long behind_registers(struct walk *walk, const struct pt_regs *regs)
{
	struct place place = { .nip = READ_ONCE(regs->nip) };
	unsigned long frame = READ_ONCE(regs->gpr[1]), above;
	struct return_area block;
	bool in_stub;

	if (!return_address_is_stub(place.nip) && traces_is_text(place.nip) &&
	    !hand_on(walk, place.nip, 0))
		return 0;
	if (!is_frame(walk->task, frame, POWERPC_FRAME_HEAD))
		return 0;
	in_stub = return_stub_block(place.nip, &block);
	above = in_stub || host_is_text(place.nip) ? 0 : above_ours(walk->task, frame);
	if (above)
		return above;
	if (in_stub) {
		place.start = block.start;
		place.size = block.end - block.start;
	} else {
		host_symbol_bounds(place.nip, &place.start, &place.size);
	}
	return behind(walk, &place, frame, READ_ONCE(regs->link));
}

/* Who switches to the stack of an interrupt calls with that: what it has called saved LR there. */
static unsigned long next_frame(struct task_struct *task, unsigned long frame)
{
	unsigned long next = word_at(frame);

	if ((next ^ frame) < THREAD_SIZE || !is_frame(task, next, POWERPC_FRAME_HEAD))
		return next;
	return word_at(next);
}

static void follow(struct walk *walk, unsigned long frame)
{
	struct task_struct *task = walk->task;
	const struct pt_regs *regs;
	unsigned int i;

	for (i = 0; i < MAX_FRAMES && is_frame(task, frame, POWERPC_FRAME_HEAD); i++) {
		if (!hand_on(walk, saved_lr(frame), frame))
			return;
		regs = of_exception(task, frame) ?: of_detour(task, frame);
		frame = regs ? behind_registers(walk, regs) : next_frame(task, frame);
	}
}

/* ---- what is called ---- */

/* Of the function in the kernel that has called the one in trampoline.S that has called us. */
static noinline unsigned long kernels_frame(const unsigned long *ours)
{
	return *(unsigned long *)*ours;
}

/**
 * powerpc_walk() - in place of arch_stack_walk()
 * @consume_entry: called with each address; it ends the walk by returning false
 * @cookie: for @consume_entry
 * @task: whose stack is followed
 * @regs: NULL, or where to begin, if @task is the current one
 *
 * Context: any but real mode, NMI too.
 */
asmlinkage void powerpc_walk(stack_trace_consume_fn consume_entry, void *cookie,
			     struct task_struct *task, struct pt_regs *regs)
{
	struct walk walk = { .consume = consume_entry, .cookie = cookie, .task = task };

	if (!regs)
		follow(&walk, task == current ? kernels_frame(__builtin_frame_address(0)) :
		       arch_task_stack_pointer(task));
	else if (!user_mode(regs))
		follow(&walk, behind_registers(&walk, regs));
	else
		consume_entry(cookie, regs->nip);
}

/**
 * powerpc_walk_reliable() - in place of arch_stack_walk_reliable()
 * @consume_entry: as in powerpc_walk()
 * @cookie: as there
 * @task: as there
 *
 * Context: as the kernel's function.
 * Return: as the kernel's function.
 */
asmlinkage int powerpc_walk_reliable(stack_trace_consume_fn consume_entry, void *cookie,
				     struct task_struct *task)
{
	unsigned long caller = saved_lr(kernels_frame(__builtin_frame_address(0)));

	return traces_walk_reliable_from(consume_entry, cookie, task, caller);
}

/*
 * LR, and what is saved in the frame behind the one on top, need not be the address of a caller.
 * So the kernel stores 0 where such a one is no text: a stub that was added is none to it.  Also
 * behind an exception, of which it says that one comes, and then what was interrupted.  Where LR
 * has been saved already it stores that once, as we do.
 */
static void put_in_stubs(struct perf_callchain_entry *stored, unsigned int i,
			 const struct pt_regs *regs)
{
	unsigned long frame = READ_ONCE(regs->gpr[1]), link = READ_ONCE(regs->link), addr;
	unsigned int level = 0;

	for (i++; i < stored->nr && is_frame(current, frame, POWERPC_FRAME_HEAD);
	     i++, frame = word_at(frame)) {
		if (stored->ip[i] == PERF_CONTEXT_KERNEL) {
			regs = of_exception(current, frame);
			if (!regs)
				return;
			link = READ_ONCE(regs->link);
			level = 0;
			i++;
			continue;
		}
		addr = level ? saved_lr(frame) : link;
		if (level < 2 && !stored->ip[i] && !(level && addr == link) &&
		    return_address_is_stub(addr))
			stored->ip[i] = addr;
		level++;
	}
}

/**
 * powerpc_profile() - in place of perf_callchain_kernel()
 * @entry: where addresses are stored; 0 is one that is not known
 * @regs: where to begin
 *
 * Context: any but real mode, NMI too.
 */
asmlinkage void powerpc_profile(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs)
{
	struct perf_callchain_entry *stored = entry->entry;
	unsigned int i = stored->nr;
	unsigned long addr;

	import_perf_callchain_kernel(entry, regs);
	put_in_stubs(stored, i, regs);
	for (; i < stored->nr; i++) {
		if (!traces_may_know(stored->ip[i]))
			continue;
		addr = traces_behind(current, stored->ip[i]);
		if (host_in_run(addr))
			addr = arch_detour_frame();
		stored->ip[i] = return_address_is_stub(addr) ? 0 : addr;
	}
}

/**
 * powerpc_wchan() - in place of __get_wchan()
 * @task: a task that sleeps
 *
 * Who called what a stub has returned from may itself be of the scheduler, which this should not
 * name; it does if such a function has a return probe.
 *
 * Context: as the kernel's function.
 * Return: where it sleeps.
 */
asmlinkage unsigned long powerpc_wchan(struct task_struct *task)
{
	return traces_behind(task, import___get_wchan(task));
}

/* ---- the calls ---- */

/**
 * struct near - a copy of powerpc_traces_jump()
 * @to: where it jumps to
 * @addr: where it is
 */
struct near {
	const void *to;
	unsigned long addr;
};

/* Guarded by kprobe_mutex. */
static struct near jumps[ARRAY_SIZE(arch_traces_calls) - 1];
static unsigned int nr_jumps;

/* The copy's last word is a branch to the kernel's function, for calls in real mode. */
static unsigned long place_jump(const void *to, unsigned long near, unsigned long theirs)
{
	const struct powerpc_shared shared = {
		powerpc_traces_jump, powerpc_traces_load, powerpc_traces_end, to
	};
	struct text_edit last = { .len = INSN_SIZE };
	unsigned long addr = powerpc_place(&shared, near);

	if (!addr)
		return 0;
	last.addr = addr + (unsigned long)powerpc_traces_end - (unsigned long)powerpc_traces_jump -
		    INSN_SIZE;
	if (!reach_branch(last.bytes, last.addr, theirs) || host_text_write(&last, 1)) {
		host_slot_free(addr, NULL);
		return 0;
	}
	jumps[nr_jumps++] = (struct near){ to, addr };
	return addr;
}

static unsigned long jump_to(const void *to, unsigned long near, unsigned long theirs)
{
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < nr_jumps; i++)
		if (jumps[i].to == to)
			return jumps[i].addr;
	return nr_jumps < ARRAY_SIZE(jumps) ? place_jump(to, near, theirs) : 0;
}

/* A call at the end of a function is a branch that does not link. */
bool arch_traces_make_call(struct text_edit *edit, const void *to)
{
	unsigned long addr;
	struct insn insn;
	u32 word;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (!import_has(validate_sp) ||
	    insn_decode(&insn, edit->bytes, edit->len) != INSN_OK || insn.class != INSN_BRANCH)
		return false;
	addr = jump_to(to, edit->addr, insn_branch_target(&insn, edit->addr));
	if (!addr || !reach_branch((u8 *)&word, edit->addr, addr))
		return false;
	word |= insn.word & 1;
	memcpy(edit->bytes, &word, sizeof(word));
	return true;
}

void arch_traces_end(void)
{
	while (nr_jumps)
		host_slot_free(jumps[--nr_jumps].addr, NULL);
}
