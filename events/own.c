// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events in our own buffer: where the kernel's tracing takes none, or is not wanted.  Each has a file by
 * which it is turned on; trace_pipe has the text.
 */
#include <linux/compiler.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "event.h"
#include "ring.h"
#include "text.h"

/* Each byte of a string may become four, and there are names. */
#define LINE_ROOM	(5 * RECORD_MAX_SIZE)
/* Before a record's own text. */
#define PREFIX_ROOM	128
/* How often a reader that waits looks again: what records may wake nobody. */
#define LOOK_EVERY_MS	50

static unsigned int buffer_kb = 1024;
module_param(buffer_kb, uint, 0400);
MODULE_PARM_DESC(buffer_kb, "size of our own buffer, for each CPU");

static struct dentry *events_directory;
static unsigned int last_number;	/* guarded by definitions_mutex */
static DEFINE_MUTEX(turn_mutex);	/* taken before place_mutex */

/* The line that is being read. */
static DEFINE_MUTEX(pipe_mutex);
static char *line;			/* guarded by pipe_mutex, as the next two */
static size_t line_at, line_end;

/* ---- hits ---- */

/**
 * own_hit() - record a hit in our own buffer
 * @probe: the probe
 * @from: where its values come from
 *
 * Context: any, NMI too; interrupts off.
 */
void own_hit(const struct probe *probe, const struct fetched *from)
{
	const struct definition *def = &probe->def;
	struct ring_entry *entry;

	this_cpu_inc(probe->counts->hits);
	entry = ring_reserve(def->nr_strings ? RECORD_MAX_SIZE : def->fixed);
	if (!entry)
		return;
	entry->when = ktime_get_mono_fast_ns();
	entry->event = probe->event->number;
	entry->pid = current->pid;
	/* Others may change it meanwhile. */
	memcpy(entry->comm, current->comm, sizeof(entry->comm));
	ring_commit(entry, fetch_record(def, from, entry->record));
}

/* ---- an event's file ---- */

static int own_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_KPROBES) ?: simple_open(inode, file);
}

static ssize_t enable_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct event *event = file_inode(file)->i_private;

	return simple_read_from_buffer(to, count, pos, READ_ONCE(event->users) ? "1\n" : "0\n", 2);
}

static int turn(struct event *event, bool on)
{
	int err = 0;

	mutex_lock(&turn_mutex);
	if (event->gone)
		err = -ENODEV;
	else if (on && !event->users)
		err = event_use(event);
	else if (!on && event->users)
		event_unuse(event);
	mutex_unlock(&turn_mutex);
	return err;
}

static ssize_t enable_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	bool on;
	int err = kstrtobool_from_user(from, count, &on);

	if (!err)
		err = turn(file_inode(file)->i_private, on);
	return err ?: count;
}

static const struct file_operations enable_fops = {
	.owner = THIS_MODULE,
	.open = own_open,
	.read = enable_read,
	.write = enable_write,
	.llseek = default_llseek,
};

static struct dentry *group_directory(const char *group)
{
	struct dentry *found = debugfs_lookup(group, events_directory);

	if (IS_ERR_OR_NULL(found))
		return debugfs_create_dir(group, events_directory);
	dput(found);
	return d_is_dir(found) ? found : ERR_PTR(-EEXIST);
}

/* The last of its group goes with the group's directory. */
static void remove_group(const struct event *event)
{
	const char *group = event->first->def.group;
	const struct probe *probe;
	struct dentry *found;

	list_for_each_entry(probe, &all_probes, list)
		if (probe->event != event && !probe->event->gone && !strcmp(probe->def.group, group))
			return;
	found = debugfs_lookup(group, events_directory);
	debugfs_remove(found);
	dput(found);
}

/**
 * own_publish() - make the directory of an event, with the file that turns it on
 * @event: the event
 *
 * Context: process context, may sleep; definitions_mutex held.
 * Return: 0 or an error of debugfs.
 */
int own_publish(struct event *event)
{
	struct dentry *group = group_directory(event->first->def.group);

	if (IS_ERR(group))
		return PTR_ERR(group);
	event->directory = debugfs_create_dir(event->first->def.event, group);
	if (IS_ERR(event->directory)) {
		remove_group(event);
		return PTR_ERR(event->directory);
	}
	event->number = ++last_number;
	debugfs_create_file("enable", 0600, event->directory, event, &enable_fops);
	return 0;
}

static int withdraw(struct event *event)
{
	int err = 0;

	mutex_lock(&turn_mutex);
	if (event->users)
		err = -EBUSY;
	else
		event->gone = true;
	mutex_unlock(&turn_mutex);
	if (err)
		return err;
	/* Waits for who is at the file. */
	debugfs_remove(event->directory);
	remove_group(event);
	return 0;
}

/**
 * own_withdraw() - events that are off can't be turned on any more
 * @going: the events; none may be in it
 * @gone: those that can't are moved to there
 *
 * Context: process context, may sleep; definitions_mutex held.
 * Return: 0; -EBUSY if one is on: that and those behind it stay.
 */
int own_withdraw(struct list_head *going, struct list_head *gone)
{
	struct event *event, *next;

	list_for_each_entry_safe(event, next, going, going) {
		int err = withdraw(event);

		if (err)
			return err;
		list_move_tail(&event->going, gone);
	}
	return 0;
}

/* ---- the text ---- */

static const struct event *find_number(unsigned int number)
{
	const struct probe *probe;

	list_for_each_entry(probe, &all_probes, list)
		if (probe->event->number == number)
			return probe->event;
	return NULL;
}

/* Each task may call itself what it likes, in characters that end the line or steer a terminal, too. */
static void show_task(struct text *text, const struct ring_entry *entry)
{
	char comm[TASK_COMM_LEN], *at;

	memcpy(comm, entry->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	for (at = comm; *at; at++)
		if (!isprint(*at))
			*at = '?';
	text_add(text, "%16s-%-7d", comm, entry->pid);
}

/* As the kernel's trace_pipe has it; of the flags in the middle none are known. */
static void show_entry(struct text *text, const struct ring_taken *taken)
{
	const struct ring_entry *entry = taken->entry;
	const struct event *event;
	u32 nanoseconds;
	u64 seconds = div_u64_rem(entry->when, NSEC_PER_SEC, &nanoseconds);

	if (taken->lost)
		text_add(text, "CPU:%u [LOST %llu EVENTS]\n", taken->cpu, taken->lost);
	show_task(text, entry);
	text_add(text, " [%03u] ..... %5llu.%06u: ", taken->cpu, seconds,
		 nanoseconds / (u32)NSEC_PER_USEC);
	mutex_lock(&definitions_mutex);
	event = find_number(entry->event);
	if (event)
		event_show(text, event, entry->record, entry->used);
	else
		text_add(text, "Unknown event %u\n", entry->event);
	mutex_unlock(&definitions_mutex);
}

static bool next_line(void)
{
	struct text text = { .at = line, .room = LINE_ROOM, .limit = LINE_ROOM - PREFIX_ROOM };
	struct ring_taken taken;

	if (!ring_take(&taken))
		return false;
	show_entry(&text, &taken);
	line_at = 0;
	line_end = min_t(size_t, text.length, LINE_ROOM - 1);
	/* If it was cut off. */
	line[line_end - 1] = '\n';
	return true;
}

/* As many lines as there are, and have room. */
static ssize_t read_lines(char __user *to, size_t count)
{
	size_t done = 0;

	while (done < count && (line_at < line_end || next_line())) {
		size_t size = min(count - done, line_end - line_at);

		if (copy_to_user(to + done, line + line_at, size))
			return done ?: -EFAULT;
		line_at += size;
		done += size;
		cond_resched();
	}
	return done;
}

static ssize_t pipe_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	ssize_t done = 0;

	while (count && !done) {
		if (mutex_lock_interruptible(&pipe_mutex))
			return -EINTR;
		done = read_lines(to, count);
		mutex_unlock(&pipe_mutex);
		if (!done && file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (!done && msleep_interruptible(LOOK_EVERY_MS))
			return -EINTR;
	}
	return done;
}

static const struct file_operations pipe_fops = {
	.owner = THIS_MODULE, .open = own_open, .read = pipe_read, .llseek = noop_llseek,
};

static int get_lost(void *data, u64 *value)
{
	*value = ring_lost();
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(lost_fops, get_lost, NULL, "%llu\n");

/**
 * own_init() - get a buffer, and make its files
 * @parent: their directory, in which events have theirs, too
 *
 * Return: 0 or -ENOMEM.
 */
int own_init(struct dentry *parent)
{
	int err = ring_init(buffer_kb);

	if (err)
		return err;
	line = kmalloc(LINE_ROOM, GFP_KERNEL);
	if (!line) {
		ring_exit();
		return -ENOMEM;
	}
	events_directory = parent;
	debugfs_create_file("trace_pipe", 0400, parent, NULL, &pipe_fops);
	debugfs_create_file("lost", 0400, parent, NULL, &lost_fops);
	debugfs_create_bool("overwrite", 0600, parent, &ring_overwrites);
	return 0;
}

/**
 * own_exit() - the opposite of own_init(); the files have been removed
 */
void own_exit(void)
{
	kfree(line);
	ring_exit();
}
