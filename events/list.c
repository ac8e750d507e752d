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
	kfree(probe->written);
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
	probe->written = kstrdup(line, GFP_KERNEL);
	probe->counts = alloc_percpu(struct event_counts);
	if (probe->def.args && probe->line && probe->written && probe->counts)
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
	INIT_LIST_HEAD(&event->going);
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

/* Once for each event, of which several probes may be met. */
static void add_going(struct event *event, struct list_head *going)
{
	if (list_empty(&event->going))
		list_add_tail(&event->going, going);
}

/* One that is withdrawn. */
static void remove_event(struct event *event)
{
	struct probe *probe, *next;

	list_for_each_entry_safe(probe, next, &event->probes, siblings)
		remove_probe(probe);
	probe_free(event->first);
	free_event(event);
	module_put(THIS_MODULE);
}

/* Up to one that is in use. */
static int remove_events(struct list_head *going)
{
	struct event *event, *next;
	LIST_HEAD(gone);
	int err = own_buffer ? own_withdraw(going, &gone) : call_withdraw(going, &gone);

	list_for_each_entry_safe(event, next, &gone, going)
		remove_event(event);
	list_for_each_entry_safe(event, next, going, going)
		list_del_init(&event->going);
	return err;
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
	LIST_HEAD(going);
	int err = 0;

	mutex_lock(&definitions_mutex);
	list_for_each_entry(probe, &all_probes, list)
		if (is_in_use(probe->event))
			err = -EBUSY;
	if (!err) {
		list_for_each_entry(probe, &all_probes, list)
			add_going(probe->event, &going);
		err = remove_events(&going);
	}
	mutex_unlock(&definitions_mutex);
	return err;
}

/* Those that are in use stay.  NULL: of all groups. */
static int remove_group(const char *group)
{
	struct probe *probe;
	LIST_HEAD(going);
	int err = -ENOENT;

	list_for_each_entry(probe, &all_probes, list) {
		if (group && strcmp(probe->def.group, group))
			continue;
		if (is_in_use(probe->event))
			err = -EBUSY;
		else
			add_going(probe->event, &going);
	}
	if (list_empty(&going))
		return err;
	return remove_events(&going) ?: err == -EBUSY ? err : 0;
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
	mutex_unlock(&definitions_mutex);
}

static bool are_all_chosen(const struct event *event, const char *words)
{
	struct probe *probe;

	list_for_each_entry(probe, &event->probes, siblings)
		if (!definition_is_chosen(&probe->def, words))
			return false;
	return true;
}

/* While others remain an event may be in use. */
static void remove_some(struct event *event, const char *words)
{
	struct probe *probe, *next;

	list_for_each_entry_safe(probe, next, &event->probes, siblings)
		if (definition_is_chosen(&probe->def, words))
			remove_probe(probe);
}

/* Events of which all are chosen go themselves. */
static int remove_chosen(struct list_head *going, const char *words)
{
	struct event *event, *next;
	LIST_HEAD(whole);
	int err;

	list_for_each_entry_safe(event, next, going, going)
		if (are_all_chosen(event, words))
			list_move_tail(&event->going, &whole);
	err = remove_events(&whole);
	list_for_each_entry_safe(event, next, going, going) {
		list_del_init(&event->going);
		if (!err)
			remove_some(event, words);
	}
	return err;
}

static bool is_named(const struct definition *def, const struct definition *removal)
{
	return !strcmp(def->event, removal->event) &&
	       (!removal->group[0] || !strcmp(def->group, removal->group));
}

/* Without a group those of all groups, as the kernel does. */
static int remove_named(const struct definition *def, struct definition_error *error)
{
	struct probe *probe;
	LIST_HEAD(going);

	list_for_each_entry(probe, &all_probes, list) {
		if (!is_named(&probe->def, def))
			continue;
		error->column = def->place_column;
		error->reason = "the event has no such probe";
		if (!def->chosen || definition_is_chosen(&probe->def, def->chosen))
			add_going(probe->event, &going);
	}
	if (list_empty(&going))
		return -ENOENT;
	error->column = 0;
	return def->chosen ? remove_chosen(&going, def->chosen) : remove_events(&going);
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
	if (err == -EBUSY)
		error->reason = "the event is in use";
	return err;
}
