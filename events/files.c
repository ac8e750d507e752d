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
 * An event has its files once in each instance of tracing, and an instance may have gone with its directory
 * while a file in it is open.  So all files of tracefs are looked at.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "event.h"

/* There is one, which stays: the kernel has files in it.  Set when the module is loaded. */
static struct super_block *tracefs;

/**
 * format_files_init() - find out where the files of events are
 *
 * By the event of the module's own, which always has some, unless tracefs is locked down.
 *
 * Context: process context, may sleep; event_mutex not held.
 */
void format_files_init(void)
{
	const struct trace_event_call *call = locked_event();
	struct trace_event_file *file;

	file = trace_get_event_file(NULL, call->class->system, call->name);
	if (IS_ERR(file))
		return;
	if (file->dir)
		tracefs = file->dir->d_sb;
	trace_put_event_file(file);
}

/* An inode is in the list as long as anybody has it open, or is about to open it. */
static void leave(bool (*is_gone)(const struct inode *inode, const void *data), const void *data)
{
	struct inode *inode;

	if (!tracefs)
		return;
	spin_lock(&tracefs->s_inode_list_lock);
	list_for_each_entry(inode, &tracefs->s_inodes, i_sb_list)
		if (S_ISREG(inode->i_mode) && inode->i_private && is_gone(inode, data))
			WRITE_ONCE(inode->i_private, NULL);
	spin_unlock(&tracefs->s_inode_list_lock);
}

/* Those have no name any more. */
static bool is_of_one_gone(const struct inode *inode, const void *data)
{
	const struct list_head *gone = data;
	const struct event *event;

	if (inode->i_nlink)
		return false;
	list_for_each_entry(event, gone, going)
		if (inode->i_private == &event->call)
			return true;
	return false;
}

/**
 * format_files_leave() - let files that led to events lead nowhere: who reads on gets -ENODEV
 * @gone: events that the kernel has forgotten
 *
 * Context: event_mutex held.
 */
void format_files_leave(const struct list_head *gone)
{
	leave(is_of_one_gone, gone);
}

static bool is_of_ours(const struct inode *inode, const void *data)
{
	return inode->i_private == data;
}

/**
 * format_files_end() - the same of the event of the module's own, which goes with the module
 * @unused: not used
 *
 * (An instance that is made, and this file opened there, between here and the end of the event escapes: the
 * module loader leaves no place that is later.)
 *
 * Context: event_mutex held.
 * Return: 0
 */
int format_files_end(void *unused)
{
	leave(is_of_ours, locked_event());
	return 0;
}
