// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of probes and their events: what adds to it and removes from it.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event.h"

/* Adding and removing.  The lists of probes are changed under place_mutex, too. */
DEFINE_MUTEX(definitions_mutex);
LIST_HEAD(all_probes);

/**
 * probe_free() - free a probe that is in no list
 * @probe: the probe
 */
void probe_free(struct probe *probe)
{
	free_percpu(probe->counts);
	kvfree(probe->def.args);
	kfree(probe->line);
	kfree(probe);
}

/**
 * probe_new() - get memory for a probe
 * @line: its line, which is copied
 * @room: for so many arguments
 *
 * Return: the probe, to be freed by probe_free(); NULL if there is no memory.
 */
struct probe *probe_new(const char *line, unsigned int room)
{
	struct probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);

	if (!probe)
		return NULL;
	probe->def.args = kvcalloc(room, sizeof(*probe->def.args), GFP_KERNEL);
	probe->line = kstrdup(line, GFP_KERNEL);
	probe->counts = alloc_percpu(struct event_counts);
	if (probe->def.args && probe->line && probe->counts)
		return probe;
	probe_free(probe);
	return NULL;
}

/* Its first probe remains. */
static void free_event(struct event *event)
{
	kfree(event->call.print_fmt);
	kfree(event->types);
	kfree(event);
}

static struct event *new_event(struct probe *first)
{
	struct event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	INIT_LIST_HEAD(&event->probes);
	INIT_LIST_HEAD(&event->files);
	event->first = first;
	first->event = event;
	return event;
}

/* The trace event, which the kernel is told of next. */
static int make_call(struct event *event)
{
	struct trace_event_call *call = &event->call;

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

static int remove_call(void *data)
{
	struct trace_event_call *call = data;

	if (call->flags & TRACE_EVENT_FL_DYNAMIC && atomic_read(&call->refcnt))
		return -EBUSY;
	return trace_remove_event_call(call);
}

static struct event *find_event(const char *group, const char *name)
{
	struct probe *probe;

	list_for_each_entry(probe, &all_probes, list)
		if (!strcmp(probe->def.event, name) &&
		    (!group[0] || !strcmp(probe->def.group, group)))
			return probe->event;
	return NULL;
}

/* ---- a probe comes ---- */

static bool others_have(const struct definition *def)
{
	struct trace_event_file *file = trace_get_event_file(NULL, def->group, def->event);

	if (IS_ERR(file))
		return PTR_ERR(file) == -EBUSY;
	trace_put_event_file(file);
	return true;
}

static int resolve_symbol(struct argument *arg)
{
	char *name;

	if (arg->base != BASE_SYMBOL)
		return 0;
	name = kmemdup_nul(arg->text, arg->text_length, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	arg->symbol_address = symbol_address(name);
	kfree(name);
	return arg->symbol_address ? 0 : -ENOENT;
}

static int resolve_symbols(struct definition *def, struct definition_error *error)
{
	unsigned int i;
	int err;

	for (i = 0; i < def->nr_args; i++) {
		err = resolve_symbol(&def->args[i]);
		if (err) {
			error->column = def->args[i].column;
			error->reason = "there is no symbol of that name";
			return err;
		}
	}
	return 0;
}

static const char *place_reason(int err)
{
	switch (err) {
	case -ENOENT:
		return "nothing there can be probed";
	case -EADDRNOTAVAIL:
		return "several functions have this name";
	case -ENOMEM:
		return "there is not enough memory";
	default:
		return "this can't be probed";
	}
}

static int place(struct probe *probe, struct definition_error *error)
{
	int err = probe_place(probe, error);

	if (err && !error->reason)
		error->reason = place_reason(err);
	return err;
}

/* From here on the event holds a reference to this module. */
static int publish(struct event *event, struct definition_error *error)
{
	int err = place(event->first, error);

	if (err)
		return err;
	__module_get(THIS_MODULE);
	err = locked_call(add_call, &event->call);
	if (!err)
		return 0;
	error->reason = "the kernel does not take the event";
	probe_displace(event->first);
	module_put(THIS_MODULE);
	return err;
}

static int add_event(struct probe *probe, struct definition_error *error)
{
	struct event *event;
	int err;

	if (others_have(&probe->def)) {
		error->reason = "an event of this name exists";
		return -EEXIST;
	}
	error->reason = "there is not enough memory";
	event = new_event(probe);
	if (!event)
		return -ENOMEM;
	err = make_call(event) ?: publish(event, error);
	if (err)
		free_event(event);
	return err;
}

/* One more probe of an event that there is. */
static int join(struct probe *probe, struct event *event, struct definition_error *error)
{
	struct probe *other;
	int err = definition_may_join(&probe->def, &event->first->def, error);

	if (err)
		return err;
	error->column = 0;
	list_for_each_entry(other, &event->probes, siblings) {
		if (definition_is_same(&probe->def, &other->def)) {
			error->reason = "the event has this probe";
			return -EEXIST;
		}
	}
	probe->event = event;
	return place(probe, error);
}

/**
 * probe_add() - add a probe, and its event if there is none of its name
 * @probe: the probe; its definition is complete
 * @error: filled in if it is refused
 *
 * Context: process context, may sleep; definitions_mutex held.
 * Return: 0 or an error.
 */
int probe_add(struct probe *probe, struct definition_error *error)
{
	struct event *event = find_event(probe->def.group, probe->def.event);
	int err = resolve_symbols(&probe->def, error);

	if (err)
		return err;
	return event ? join(probe, event, error) : add_event(probe, error);
}

/* ---- a probe goes ---- */

/* The first one says what the event's records are like, those in the buffers, too. */
static void remove_probe(struct probe *probe)
{
	probe_displace(probe);
	if (probe != probe->event->first)
		probe_free(probe);
}

static int remove_event(struct event *event)
{
	struct probe *probe, *next;
	int err = locked_call(remove_call, &event->call);

	if (err)
		return err;
	list_for_each_entry_safe(probe, next, &event->probes, siblings)
		remove_probe(probe);
	probe_free(event->first);
	free_event(event);
	module_put(THIS_MODULE);
	return 0;
}

static bool is_in_use(const struct event *event)
{
	/* Read without event_mutex, to tell early: remove_call() asks again. */
	return READ_ONCE(event->users) ||
	       (event->call.flags & TRACE_EVENT_FL_DYNAMIC && atomic_read(&event->call.refcnt));
}

/**
 * probes_remove_all() - remove all, or none but for those that come into use meanwhile
 *
 * Context: process context, may sleep.
 * Return: 0 or -EBUSY.
 */
int probes_remove_all(void)
{
	struct probe *probe;
	int err = 0;

	mutex_lock(&definitions_mutex);
	list_for_each_entry(probe, &all_probes, list)
		if (is_in_use(probe->event))
			err = -EBUSY;
	while (!err && !list_empty(&all_probes))
		err = remove_event(list_first_entry(&all_probes, struct probe, list)->event);
	mutex_unlock(&definitions_mutex);
	return err;
}

/* One that is not in use; tells if there are others. */
static struct event *find_idle(const char *group, bool *others)
{
	struct probe *probe;

	list_for_each_entry(probe, &all_probes, list) {
		if (strcmp(probe->def.group, group))
			continue;
		if (!is_in_use(probe->event))
			return probe->event;
		*others = true;
	}
	return NULL;
}

/* Those that are in use stay. */
static int remove_group(const char *group)
{
	struct event *event;
	bool others = false;
	int err = -ENOENT;

	while ((event = find_idle(group, &others))) {
		err = remove_event(event);
		if (err)
			return err;
	}
	return others ? -EBUSY : err;
}

static unsigned int count_chosen(const struct event *event, const char *words, unsigned int *all)
{
	unsigned int chosen = 0;
	struct probe *probe;

	list_for_each_entry(probe, &event->probes, siblings) {
		chosen += definition_is_chosen(&probe->def, words);
		++*all;
	}
	return chosen;
}

/* While others remain an event may be in use. */
static int remove_chosen(struct event *event, const char *words)
{
	unsigned int all = 0, chosen = count_chosen(event, words, &all);
	struct probe *probe, *next;

	if (!chosen)
		return -ENOENT;
	if (chosen == all)
		return remove_event(event);
	list_for_each_entry_safe(probe, next, &event->probes, siblings)
		if (definition_is_chosen(&probe->def, words))
			remove_probe(probe);
	return 0;
}

/**
 * probes_remove() - do what a removal asks for
 * @def: the removal
 * @error: filled in if it is refused
 *
 * Context: process context, may sleep; definitions_mutex held.
 * Return: 0 or an error.
 */
int probes_remove(const struct definition *def, struct definition_error *error)
{
	struct event *event = find_event(def->group, def->event);
	int err;

	error->column = 0;
	error->reason = "there is no such event";
	if (!def->event[0]) {
		err = remove_group(def->group);
	} else if (!event) {
		err = -ENOENT;
	} else if (def->chosen) {
		error->column = def->place_column;
		error->reason = "the event has no such probe";
		err = remove_chosen(event, def->chosen);
	} else {
		err = remove_event(event);
	}
	if (err == -EBUSY)
		error->reason = "the event is in use";
	return err;
}
