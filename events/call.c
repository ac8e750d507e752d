// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events as the kernel's tracing knows them.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "event.h"

/**
 * call_make() - make the trace event, which the kernel is told of next
 * @event: the event; its first probe is known
 *
 * Return: 0 or -ENOMEM; either way call_unmake() is to follow one day.
 */
int call_make(struct event *event)
{
	struct trace_event_call *call = &event->call;

	INIT_LIST_HEAD(&event->files);
	INIT_LIST_HEAD(&event->class.fields);
	event->class.system = event->first->def.group;
	event->class.fields_array = event_fields;
	event->class.reg = event_register;
	event->tracepoint.name = event->first->def.event;
	call->class = &event->class;
	call->tp = &event->tracepoint;
	call->event.funcs = &event_functions;
	call->flags = TRACE_EVENT_FL_TRACEPOINT;
	/* Who holds on to an event that is off counts as its user. */
	if (IS_ENABLED(CONFIG_DYNAMIC_EVENTS))
		call->flags |= TRACE_EVENT_FL_DYNAMIC;
	call->print_fmt = event_print_format(&event->first->def);
	if (!call->print_fmt)
		return -ENOMEM;
	return event_name_types(event);
}

static int add_call(void *data)
{
	struct trace_event_call *call = data;
	int err;

	if (!register_trace_event(&call->event))
		return -ENODEV;
	err = trace_add_event_call(call);
	if (err)
		unregister_trace_event(&call->event);
	return err;
}

/**
 * call_publish() - tell the kernel of an event
 * @event: the event
 *
 * Context: process context, may sleep; definitions_mutex held.
 * Return: 0 or an error.
 */
int call_publish(struct event *event)
{
	return locked_call(add_call, &event->call);
}

/**
 * call_is_held() - does somebody hold on to an event, if it is off
 * @event: the event
 */
bool call_is_held(const struct event *event)
{
	return event->call.flags & TRACE_EVENT_FL_DYNAMIC && atomic_read(&event->call.refcnt);
}

/**
 * struct removal - events that the kernel is to forget
 * @going: those
 * @gone: those that it has forgotten
 * @reset: its function that empties the buffers; 0: none
 */
struct removal {
	struct list_head *going;
	struct list_head *gone;
	unsigned long reset;
};

/* Users come and go under event_mutex.  Of what is in use the kernel forgets what it has noted: see below. */
static int remove_call(struct event *event)
{
	if (READ_ONCE(event->users) || call_is_held(event))
		return -EBUSY;
	return trace_remove_event_call(&event->call);
}

static int remove_calls(void *data)
{
	struct removal *removal = data;
	struct event *event, *next;
	int err = 0;

	list_for_each_entry_safe(event, next, removal->going, going) {
		err = remove_call(event);
		if (err)
			break;
		list_move_tail(&event->going, removal->gone);
	}
	if (!list_empty(removal->gone))
		format_files_leave(removal->gone);
	if (removal->reset && !list_empty(removal->gone))
		symbols_call(removal->reset);
	return err;
}

/*
 * Since 6.2 the kernel gives the number of an event that has gone to the next one, of whomever, and
 * what the one has recorded would be read as the other's: what is a string there may be anything here.
 * It has noted which buffers have such records.  It empties these when its own events go, before it lets go
 * of event_mutex, under which numbers are given.  So do we, at once for all that go at once: it waits for
 * hits.  Before 6.1 that function wants a lock of its caller; there numbers come again after 65 000 events.
 */
static unsigned long find_reset(void)
{
	/* Each look-up may be a search through all symbols.  Guarded by definitions_mutex. */
	static unsigned long reset;

	lockdep_assert_held(&definitions_mutex);
	if (!reset && symbols_function("tracing_reset_all_online_cpus_unlocked"))
		reset = symbols_function("tracing_reset_all_online_cpus");
	return reset;
}

/**
 * call_withdraw() - the kernel is to forget events, and what they have recorded
 * @going: the events; none may be in it
 * @gone: those that it has forgotten are moved to there
 *
 * Context: process context, sleeps; definitions_mutex held.
 * Return: 0; -EBUSY if somebody uses one: that and those behind it stay.
 */
int call_withdraw(struct list_head *going, struct list_head *gone)
{
	struct removal removal = { .going = going, .gone = gone };

	if (list_empty(going))
		return 0;
	removal.reset = find_reset();
	return locked_call(remove_calls, &removal);
}

/**
 * call_unmake() - the opposite of call_make()
 * @event: the event
 */
void call_unmake(struct event *event)
{
	kfree(event->call.print_fmt);
	kfree(event->types);
}

/**
 * call_is_taken() - does the kernel know an event of that name
 * @def: has the name
 */
bool call_is_taken(const struct definition *def)
{
	struct trace_event_file *file = trace_get_event_file(NULL, def->group, def->event);

	if (IS_ERR(file))
		return PTR_ERR(file) == -EBUSY;
	trace_put_event_file(file);
	return true;
}
