// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of an event in tracefs, which somebody may have open when the event goes.
 *
 * Kernels without inodes on demand there (before 6.6) keep in each file a pointer to what it is about: in
 * "format" to the event itself, in the others to the kernel's part of it.  They took these out when the event
 * went, until they began to count who has a file open (EVENT_FILE_FL_FREED, in 5.10.204 and 6.1.66).  Since
 * then they leave them, and do not count for "format": who reads that on reads an event that has been freed,
 * the kernel's own events as well as ours.  Its reader still looks under event_mutex whether there is a
 * pointer, so we take it out.  (Not that in "trigger": who opens others is counted at a pointer like that.)
 *
 * An event has its files once in each instance of tracing.  Instances, too, come and go under event_mutex.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "event.h"

/*
 * The root of tracefs.  It stays as long as anything in it does: the kernel's own files.  Guarded by
 * definitions_mutex.
 */
static struct dentry *root;

/**
 * files_find() - find out where the files of events are
 * @event: one that the kernel has been told of
 *
 * Context: process context, may sleep; definitions_mutex held, event_mutex not.
 */
void files_find(struct event *event)
{
	struct trace_event_file *file;

	lockdep_assert_held(&definitions_mutex);
	if (root)
		return;
	file = trace_get_event_file(NULL, event->class.system, trace_event_name(&event->call));
	if (IS_ERR(file))
		return;
	if (file->dir)
		root = file->dir->d_sb->s_root;
	trace_put_event_file(file);
}

static struct dentry *look_up(struct dentry *dir, const char *name)
{
	struct qstr key = QSTR_INIT(name, strlen(name));
	struct dentry *found = d_hash_and_lookup(dir, &key);

	return IS_ERR(found) ? NULL : found;
}

/* The event's directory in an instance; the reference to that is passed. */
static struct dentry *directory_of(const struct event *event, struct dentry *instance)
{
	const char *const path[] = { "events", event->class.system, event->tracepoint.name };
	struct dentry *dir = instance, *next;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(path) && dir; i++) {
		next = look_up(dir, path[i]);
		dput(dir);
		dir = next;
	}
	return dir;
}

/* Only what is as the kernel left it, or we: who else has a use for this field of its own file? */
static void lead(const struct event *event, struct dentry *instance, const void *from, void *to)
{
	struct dentry *dir = directory_of(event, instance);
	struct dentry *format = dir ? look_up(dir, "format") : NULL;

	if (format && d_really_is_positive(format) && d_inode(format)->i_private == from)
		d_inode(format)->i_private = to;
	dput(format);
	dput(dir);
}

/* Returns the next one in a directory, with a reference, and gives that to @last back. */
static struct dentry *next_in(struct dentry *dir, struct dentry *last)
{
	struct list_head *at = last ? &last->d_child : &dir->d_subdirs;
	struct dentry *found = NULL, *child;

	spin_lock(&dir->d_lock);
	for (at = at->next; at != &dir->d_subdirs && !found; at = at->next) {
		child = list_entry(at, struct dentry, d_child);
		spin_lock_nested(&child->d_lock, DENTRY_D_LOCK_NESTED);
		if (simple_positive(child))
			found = dget_dlock(child);
		spin_unlock(&child->d_lock);
	}
	spin_unlock(&dir->d_lock);
	dput(last);
	return found;
}

static void lead_all(const struct event *event, const void *from, void *to)
{
	struct dentry *instances, *instance = NULL;

	if (!root)
		return;
	lead(event, dget(root), from, to);
	instances = look_up(root, "instances");
	if (!instances)
		return;
	while ((instance = next_in(instances, instance)))
		lead(event, dget(instance), from, to);
	dput(instances);
}

/**
 * files_leave() - let the files of an event lead nowhere: who reads on gets -ENODEV
 * @event: the event; the kernel still knows it
 *
 * Context: process context, may sleep; event_mutex held.
 */
void files_leave(struct event *event)
{
	lead_all(event, &event->call, NULL);
}

/**
 * files_return() - the opposite of files_leave(): the event stays
 * @event: the event
 *
 * Context: as there, and event_mutex has been held since.
 */
void files_return(struct event *event)
{
	lead_all(event, NULL, &event->call);
}
