// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls a function under the kernel's event_mutex.
 *
 * trace_add_event_call() and trace_remove_event_call() are exported, and want event_mutex, which is
 * not: it is data, which not every kernel has in its table of symbols.  But the kernel takes it
 * whenever it turns an event on or off, and calls the event's own function under it.  So this
 * module brings an event of its own, which the module loader registers, and which records
 * nothing.  trace_set_clr_event() turns it on and off; what is to be done is done by its function.
 *
 * That walks through the list of events meanwhile.  It stands at the event of ours, which stays;
 * others may come and go.
 */
#define pr_fmt(fmt) "kprobes_events: " fmt

#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "event.h"

#define SYSTEM	"lkprobes"
#define NAME	"definitions_change"
/* An operator may turn the event on at the same time, which does no harm, but comes between. */
#define NR_TRIES	100

/**
 * struct locked_work - what is to be done
 * @fn: a function
 * @data: for it
 * @result: what it returned
 * @done: it was called
 */
struct locked_work {
	int (*fn)(void *data);
	void *data;
	int result;
	bool done;
};

/*
 * Changed under call_mutex.  Others come to on_change() as well, and may hold more locks than
 * event_mutex: only who waits for the work does it, by the call in locked_call().
 */
static struct locked_work *waiting;
static struct task_struct *waiting_task;
static DEFINE_MUTEX(call_mutex);

static int on_change(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct locked_work *work = NULL;

	if (type != TRACE_REG_REGISTER && type != TRACE_REG_UNREGISTER)
		return -EOPNOTSUPP;
	if (READ_ONCE(waiting_task) == current)
		work = waiting;
	if (work && !work->done) {
		work->done = true;
		work->result = work->fn(work->data);
	}
	return 0;
}

static enum print_line_t print_nothing(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	return TRACE_TYPE_HANDLED;
}

static struct trace_event_functions functions = { .trace = print_nothing };

static struct trace_event_fields no_fields[] = { {} };

static struct trace_event_class class = {
	.system = SYSTEM,
	.reg = on_change,
	.fields_array = no_fields,
	.fields = LIST_HEAD_INIT(class.fields),
	.raw_init = trace_event_raw_init,
};

static struct trace_event_call change = {
	.class = &class,
	.name = NAME,
	.event.funcs = &functions,
	.print_fmt = "\"\"",
};

/* Where the module loader looks for events. */
static struct trace_event_call *entry __used __section("_ftrace_events") = &change;

/**
 * locked_event() - the event by which locked_call() does it
 */
struct trace_event_call *locked_event(void)
{
	return &change;
}

/**
 * locked_call() - call a function under the kernel's event_mutex
 * @fn: the function
 * @data: passed to it
 *
 * Context: process context, may sleep; event_mutex not held.
 * Return: what @fn returned; -EINVAL if the kernel did not take our event; -EBUSY if others turned
 * it on and off all the time.
 */
int locked_call(int (*fn)(void *data), void *data)
{
	struct locked_work work = { .fn = fn, .data = data };
	int tries, err = 0;
	bool on = false;

	mutex_lock(&call_mutex);
	waiting = &work;
	/* Read by others, who find that it is not them. */
	WRITE_ONCE(waiting_task, current);
	for (tries = 0; tries < NR_TRIES && !err && !work.done; tries++) {
		on = !on;
		err = trace_set_clr_event(SYSTEM, NAME, on);
	}
	WRITE_ONCE(waiting_task, NULL);
	waiting = NULL;
	if (on)
		trace_set_clr_event(SYSTEM, NAME, 0);
	mutex_unlock(&call_mutex);
	if (work.done)
		return work.result;
	return err ?: -EBUSY;
}
