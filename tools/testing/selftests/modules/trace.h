/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stack traces, and what is in them.
 */
#ifndef TRACE_H
#define TRACE_H

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#ifdef CONFIG_X86
#include <asm/unwind.h>
#endif

#include "hidden.h"
#include "ktap.h"

#define MAX_TRACE	64

struct trace {
	unsigned int nr;
	unsigned long at[MAX_TRACE];
};

static inline void show(struct ktap *t, const char *what, const struct trace *trace)
{
	unsigned int i;

	for (i = 0; i < trace->nr; i++)
		seq_printf(t->m, "# %s: %pS\n", what, (void *)trace->at[i]);
}

static inline unsigned int find(const struct trace *trace, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < trace->nr && trace->at[i] != addr; i++)
		;
	return i;
}

static inline unsigned int count_in(const struct trace *trace, const void *fn, unsigned long size)
{
	unsigned int i, nr = 0;

	for (i = 0; i < trace->nr; i++)
		nr += trace->at[i] - (unsigned long)fn < size;
	return nr;
}

static unsigned long save_tsk;
module_param(save_tsk, ulong, 0600);
MODULE_PARM_DESC(save_tsk,
	"address of stack_trace_save_tsk_reliable() on x86, stack_trace_save_tsk() elsewhere");

#ifdef CONFIG_X86
typedef int save_tsk_fn(struct task_struct *task, unsigned long *store, unsigned int size);
HIDDEN(save_tsk_fn, save_tsk);

static inline bool walk_by_state(struct task_struct *task, struct trace *trace)
{
	struct unwind_state state;
	unsigned long addr;

	trace->nr = 0;
	for (unwind_start(&state, task, NULL, NULL);
	     !unwind_done(&state) && !unwind_error(&state); unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr || trace->nr == MAX_TRACE)
			return false;
		trace->at[trace->nr++] = addr;
	}
	return !unwind_error(&state);
}

static inline bool can_walk(void)
{
	return true;
}

/*
 * The trace of a task.  Returns whether what it comes to in the end is the end of the stack without
 * a doubt.
 */
static inline bool walk(struct task_struct *task, struct trace *trace)
{
	int nr;

	/* By frame pointers no stack with an interrupt on it is reliable. */
	if (!save_tsk || !IS_ENABLED(CONFIG_UNWINDER_ORC))
		return walk_by_state(task, trace);
	nr = ENTER(save_tsk_fn, save_tsk)(task, trace->at, MAX_TRACE);
	trace->nr = max(nr, 0);
	return nr > 0;
}
#else
static inline bool can_walk(void)
{
	return save_tsk;
}

static inline bool walk(struct task_struct *task, struct trace *trace)
{
	unsigned int (*save)(struct task_struct *task, unsigned long *store, unsigned int size,
			     unsigned int skip) = (void *)save_tsk;

	trace->nr = save(task, trace->at, MAX_TRACE, 0);
	return trace->nr;
}
#endif

/* Has each address a name? */
static inline bool is_named(const struct trace *trace)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned int i;

	for (i = 0; i < trace->nr; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)trace->at[i]);
		if (strstarts(name, "0x"))
			return false;
	}
	return true;
}

/* Functions that are not exported, of which the test is told. */
static unsigned long save_reliable, get_callchain, get_buffers, put_buffers;
module_param(save_reliable, ulong, 0600);
MODULE_PARM_DESC(save_reliable, "the address of stack_trace_save_tsk_reliable()");
module_param(get_callchain, ulong, 0600);
MODULE_PARM_DESC(get_callchain, "the address of get_perf_callchain()");
module_param(get_buffers, ulong, 0600);
MODULE_PARM_DESC(get_buffers, "the address of get_callchain_buffers()");
module_param(put_buffers, ulong, 0600);
MODULE_PARM_DESC(put_buffers, "the address of put_callchain_buffers()");

/* Only older kernels are told how many addresses are there already. */
#ifdef CALLCHAIN_BEGINS_AT
#define FROM(nr)	nr,
#else
#define FROM(nr)
#endif

typedef int save_reliable_fn(struct task_struct *task, unsigned long *store, unsigned int size);
HIDDEN(save_reliable_fn, save_reliable);
typedef struct perf_callchain_entry *get_callchain_fn(struct pt_regs *regs, FROM(u32) bool kernel,
						      bool user, u32 max_stack, bool crosstask,
						      bool add_mark);
HIDDEN(get_callchain_fn, get_callchain);
typedef int get_buffers_fn(int max_stack);
HIDDEN(get_buffers_fn, get_buffers);
typedef void put_buffers_fn(void);
HIDDEN(put_buffers_fn, put_buffers);

static inline bool can_walk_reliably(void)
{
	return save_reliable;
}

/* Returns whether the kernel calls it reliable. */
static inline bool walk_reliably(struct task_struct *task, struct trace *trace)
{
	int nr = ENTER(save_reliable_fn, save_reliable)(task, trace->at, MAX_TRACE);

	trace->nr = nr < 0 ? 0 : nr;
	return nr > 0;
}

static inline bool can_profile(void)
{
	return get_callchain && get_buffers && put_buffers;
}

/* What profiles are made of, for code that has been interrupted. */
static inline void profile(struct pt_regs *regs, struct trace *trace)
{
	const struct perf_callchain_entry *entry;
	unsigned int i;

	rcu_read_lock();
	entry = ENTER(get_callchain_fn, get_callchain)(regs, FROM(0) true, false, MAX_TRACE, false,
						       false);
	rcu_read_unlock();
	trace->nr = entry ? min_t(unsigned int, entry->nr, MAX_TRACE) : 0;
	for (i = 0; i < trace->nr; i++)
		trace->at[i] = entry->ip[i];
}

static inline bool begin_profiles(void)
{
	return !ENTER(get_buffers_fn, get_buffers)(MAX_TRACE);
}

static inline void end_profiles(void)
{
	ENTER(put_buffers_fn, put_buffers)();
}

/* Is the last one in a function whose name begins so? */
static inline bool ends_in(const struct trace *trace, const char *prefix)
{
	char name[KSYM_SYMBOL_LEN];

	if (!trace->nr)
		return false;
	snprintf(name, sizeof(name), "%ps", (void *)trace->at[trace->nr - 1]);
	return strstarts(name, prefix);
}

#endif /* TRACE_H */
