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
	call_unmake(event);
	kfree(event);
}

static struct event *new_event(struct probe *first)
{
	struct event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	INIT_LIST_HEAD(&event->probes);
	event->first = first;
	first->event = event;
	return event;
}

static struct event *find_event(const char *group, const char *name)
{
	struct probe *probe;

	list_for_each_entry(probe, &all_probes, list)
		if (!strcmp(probe->def.event, name) && !strcmp(probe->def.group, group))
			return probe->event;
	return NULL;
}

/* ---- a probe comes ---- */

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
	err = own_buffer ? own_publish(event) : call_publish(event);
	if (!err)
		return 0;
	error->reason = own_buffer ? "its directory can't be made" :
				     "the kernel does not take the event";
	probe_displace(event->first);
	module_put(THIS_MODULE);
	return err;
}

static int add_event(struct probe *probe, struct definition_error *error)
{
	struct event *event;
	int err;

	if (!own_buffer && call_is_taken(&probe->def)) {
		error->reason = "an event of this name exists";
		return -EEXIST;
	}
	error->reason = "there is not enough memory";
	event = new_event(probe);
	if (!event)
		return -ENOMEM;
	err = own_buffer ? 0 : call_make(event);
	if (!err)
		err = publish(event, error);
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

/* Of events that have gone there may be records.  Guarded by definitions_mutex. */
static bool records_are_left;

/* At once for all events that go at once: it waits for hits. */
static void forget_records(void)
{
	lockdep_assert_held(&definitions_mutex);
	if (records_are_left)
		call_forget_records();
	records_are_left = false;
}

static int remove_event(struct event *event)
{
	struct probe *probe, *next;
	int err = own_buffer ? own_withdraw(event) : call_withdraw(event);

	if (err)
		return err;
	records_are_left = !own_buffer;
	list_for_each_entry_safe(probe, next, &event->probes, siblings)
		remove_probe(probe);
	probe_free(event->first);
	free_event(event);
	module_put(THIS_MODULE);
	return 0;
}

static bool is_in_use(const struct event *event)
{
	/* To tell early: who withdraws the event asks again. */
	return READ_ONCE(event->users) || (!own_buffer && call_is_held(event));
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
	forget_records();
	mutex_unlock(&definitions_mutex);
	return err;
}

/* One that is not in use, of a group or any; tells if there are others. */
static struct event *find_idle(const char *group, bool *others)
{
	struct probe *probe;

	list_for_each_entry(probe, &all_probes, list) {
		if (group && strcmp(probe->def.group, group))
			continue;
		if (!is_in_use(probe->event))
			return probe->event;
		*others = true;
	}
	return NULL;
}

/* Those that are in use stay.  NULL: of all groups. */
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

/**
 * probes_remove_idle() - remove all events that are not in use
 *
 * Context: process context, may sleep.
 */
void probes_remove_idle(void)
{
	mutex_lock(&definitions_mutex);
	remove_group(NULL);
	forget_records();
	mutex_unlock(&definitions_mutex);
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

/* The next event that a removal names; *all are those of that name. */
static struct event *find_named(const struct definition *def, unsigned int *all)
{
	struct probe *probe;

	list_for_each_entry(probe, &all_probes, list) {
		if (strcmp(probe->def.event, def->event) ||
		    (def->group[0] && strcmp(probe->def.group, def->group)))
			continue;
		++*all;
		if (!def->chosen || definition_is_chosen(&probe->def, def->chosen))
			return probe->event;
	}
	return NULL;
}

/* Without a group those of all groups, as the kernel does. */
static int remove_named(const struct definition *def, struct definition_error *error)
{
	unsigned int all = 0;
	struct event *event;
	int err = -ENOENT;

	while ((event = find_named(def, &all))) {
		err = def->chosen ? remove_chosen(event, def->chosen) : remove_event(event);
		if (err)
			return err;
	}
	if (err && all) {
		error->column = def->place_column;
		error->reason = "the event has no such probe";
	}
	return err;
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
	int err;

	error->column = 0;
	error->reason = "there is no such event";
	err = def->event[0] ? remove_named(def, error) : remove_group(def->group);
	forget_records();
	if (err == -EBUSY)
		error->reason = "the event is in use";
	return err;
}
