// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes_events.ko: probes that are written as a line of text, and seen as events of the kernel's
 * tracing.  A client of kprobes.ko like any other.
 *
 * This file: the list of definitions, what adds to it and removes from it, and the files.
 */
#define pr_fmt(fmt) "kprobes_events: " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "event.h"

/* Of a line, with its newline. */
#define LINE_SIZE	4096
#define DIRECTORY	"events"

/* Adding and removing.  all_events is changed under place_mutex, too. */
static DEFINE_MUTEX(definitions_mutex);
LIST_HEAD(all_events);
static struct dentry *directory;

/* ---- an event comes and goes ---- */

static void free_event(struct event *event)
{
	free_percpu(event->counts);
	kfree(event->call.print_fmt);
	kfree(event->types);
	kvfree(event->def.args);
	kfree(event->line);
	kfree(event);
}

static struct event *new_event(const char *line, unsigned int room)
{
	struct event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	event->def.args = kvcalloc(room, sizeof(*event->def.args), GFP_KERNEL);
	event->line = kstrdup(line, GFP_KERNEL);
	event->counts = alloc_percpu(struct event_counts);
	if (event->def.args && event->line && event->counts)
		return event;
	free_event(event);
	return NULL;
}

/* The trace event, which the kernel is told of next. */
static int make_call(struct event *event)
{
	struct trace_event_call *call = &event->call;

	INIT_LIST_HEAD(&event->files);
	INIT_LIST_HEAD(&event->class.fields);
	event->class.system = event->def.group;
	event->class.fields_array = event_fields;
	event->class.reg = event_register;
	event->tracepoint.name = event->def.event;
	call->class = &event->class;
	call->tp = &event->tracepoint;
	call->event.funcs = &event_functions;
	call->flags = TRACE_EVENT_FL_TRACEPOINT;
	/* Who holds on to an event that is off counts as its user. */
	if (IS_ENABLED(CONFIG_DYNAMIC_EVENTS))
		call->flags |= TRACE_EVENT_FL_DYNAMIC;
	call->print_fmt = event_print_format(&event->def);
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
	struct event *event;

	list_for_each_entry(event, &all_events, list)
		if (!strcmp(event->def.event, name) &&
		    (!group[0] || !strcmp(event->def.group, group)))
			return event;
	return NULL;
}

/* Of ours, or of anybody else. */
static bool event_exists(const struct definition *def)
{
	struct trace_event_file *file;

	if (find_event(def->group, def->event))
		return true;
	file = trace_get_event_file(NULL, def->group, def->event);
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

static int place_event(struct event *event, struct definition_error *error)
{
	const char *why;
	int err = event_place(event, &why);

	if (err) {
		error->column = event->def.place_column;
		error->reason = why ?: place_reason(err);
	}
	return err;
}

/* From here on the event holds a reference to this module. */
static int publish(struct event *event, struct definition_error *error)
{
	int err = place_event(event, error);

	if (err)
		return err;
	__module_get(THIS_MODULE);
	err = locked_call(add_call, &event->call);
	if (!err)
		return 0;
	error->reason = "the kernel does not take the event";
	event_displace(event);
	module_put(THIS_MODULE);
	return err;
}

static int add_event(struct event *event, struct definition_error *error)
{
	int err;

	if (event_exists(&event->def)) {
		error->reason = "an event of this name exists";
		return -EEXIST;
	}
	err = resolve_symbols(&event->def, error);
	if (err)
		return err;
	error->reason = "there is not enough memory";
	err = make_call(event);
	return err ?: publish(event, error);
}

static int remove_event(struct event *event)
{
	int err = locked_call(remove_call, &event->call);

	if (err)
		return err;
	event_displace(event);
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

/* All or none, but for those that come into use meanwhile. */
static int remove_all(void)
{
	struct event *event, *next;
	int err = 0;

	mutex_lock(&definitions_mutex);
	list_for_each_entry(event, &all_events, list)
		if (is_in_use(event))
			err = -EBUSY;
	if (err)
		goto out;
	list_for_each_entry_safe(event, next, &all_events, list) {
		err = remove_event(event);
		if (err)
			break;
	}
out:
	mutex_unlock(&definitions_mutex);
	return err;
}

/* Those that are in use stay. */
static int remove_group(const char *group)
{
	struct event *event, *next;
	int err = -ENOENT, now;

	list_for_each_entry_safe(event, next, &all_events, list) {
		if (strcmp(event->def.group, group))
			continue;
		now = remove_event(event);
		if (now || err == -ENOENT)
			err = now;
	}
	return err;
}

static int remove_named(const struct definition *def, struct definition_error *error)
{
	struct event *event = find_event(def->group, def->event);
	int err;

	if (!def->event[0])
		err = remove_group(def->group);
	else
		err = event ? remove_event(event) : -ENOENT;
	error->column = 0;
	error->reason = err == -EBUSY ? "the event is in use" : "there is no such event";
	return err;
}

/* ---- lines ---- */

static int run_definition(struct event *event, unsigned int room, struct definition_error *error)
{
	int err = definition_parse(&event->def, event->line, room, error);

	if (err)
		return err;
	error->column = 0;
	mutex_lock(&definitions_mutex);
	if (event->def.kind == DEFINE_REMOVAL)
		err = remove_named(&event->def, error);
	else
		err = add_event(event, error);
	mutex_unlock(&definitions_mutex);
	return err;
}

static int run_line(const char *line)
{
	unsigned int room = definition_words(line);
	struct definition_error error = { 0 };
	struct event *event;
	int err;

	if (!room)
		return 0;
	event = new_event(line, room);
	if (!event)
		return -ENOMEM;
	err = run_definition(event, room, &error);
	if (err)
		refused_add(line, error.column, error.reason ?: "there is an error");
	if (err || event->def.kind == DEFINE_REMOVAL)
		free_event(event);
	return err;
}

/* Runs the first line in the buffer; returns how much of the buffer that was. */
static ssize_t run_first(char *buffer, size_t size, bool more)
{
	char *newline, *comment;
	int err;

	if (memchr(buffer, '\0', size))
		return -EINVAL;
	buffer[size] = '\0';
	newline = strchr(buffer, '\n');
	if (newline) {
		*newline = '\0';
		size = newline - buffer + 1;
	} else if (more) {
		refused_add("", 0, "a line is too long");
		return -EINVAL;
	}
	comment = strchr(buffer, '#');
	if (comment)
		*comment = '\0';
	err = run_line(buffer);
	return err ?: size;
}

static ssize_t definitions_write(struct file *file, const char __user *from, size_t count,
				 loff_t *pos)
{
	char *buffer = kmalloc(LINE_SIZE + 1, GFP_KERNEL);
	size_t done = 0;
	ssize_t ran = 0;

	if (!buffer)
		return -ENOMEM;
	while (done < count && ran >= 0) {
		size_t size = min_t(size_t, count - done, LINE_SIZE);

		if (copy_from_user(buffer, from + done, size))
			ran = -EFAULT;
		else
			ran = run_first(buffer, size, done + size < count);
		if (ran > 0)
			done += ran;
		if (fatal_signal_pending(current))
			ran = -EINTR;
		cond_resched();
	}
	kfree(buffer);
	return ran < 0 ? ran : count;
}

/* ---- files ---- */

static void *event_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&definitions_mutex);
	return seq_list_start(&all_events, *pos);
}

static void *event_next(struct seq_file *m, void *at, loff_t *pos)
{
	return seq_list_next(at, &all_events, pos);
}

static void event_stop(struct seq_file *m, void *at)
{
	mutex_unlock(&definitions_mutex);
}

static void show_place(struct seq_file *m, const struct definition *def)
{
	if (!def->place)
		seq_printf(m, " 0x%lx", def->address);
	else
		seq_printf(m, " %s", def->place);
	if (def->offset)
		seq_printf(m, "+%lu", def->offset);
	if (def->kind == DEFINE_FPROBE_EXIT)
		seq_puts(m, "%return");
}

static int definition_show(struct seq_file *m, void *at)
{
	const struct definition *def = &list_entry(at, struct event, list)->def;
	unsigned int i;

	seq_putc(m, definition_is_fprobe(def) ? 'f' : definition_is_return(def) ? 'r' : 'p');
	if (def->max_active)
		seq_printf(m, "%u", def->max_active);
	seq_printf(m, ":%s/%s", def->group, def->event);
	show_place(m, def);
	for (i = 0; i < def->nr_args; i++)
		seq_printf(m, " %s=%s", def->args[i].name, def->args[i].words);
	seq_putc(m, '\n');
	return 0;
}

static int profile_show(struct seq_file *m, void *at)
{
	struct event *event = list_entry(at, struct event, list);
	unsigned long hits = 0, missed = event_missed(event);
	int cpu;

	for_each_possible_cpu(cpu) {
		hits += READ_ONCE(per_cpu_ptr(event->counts, cpu)->hits);
		missed += READ_ONCE(per_cpu_ptr(event->counts, cpu)->missed);
	}
	seq_printf(m, "  %-44s %15lu %15lu\n", event->def.event, hits, missed);
	return 0;
}

static const struct seq_operations definitions_seq = {
	.start = event_start, .next = event_next, .stop = event_stop, .show = definition_show,
};

static const struct seq_operations profile_seq = {
	.start = event_start, .next = event_next, .stop = event_stop, .show = profile_show,
};

static int definitions_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_KPROBES);

	if (!err && file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC)
		err = remove_all();
	return err ?: seq_open(file, &definitions_seq);
}

static int profile_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &profile_seq);
}

static const struct file_operations definitions_fops = {
	.owner = THIS_MODULE,
	.open = definitions_open,
	.read = seq_read,
	.write = definitions_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

static const struct file_operations profile_fops = {
	.owner = THIS_MODULE,
	.open = profile_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

/* kprobes.ko has its directory for as long as we use it. */
static int make_files(void)
{
	struct dentry *parent = debugfs_lookup(KPROBES_DEBUGFS_DIR, NULL);

	if (IS_ERR_OR_NULL(parent))
		return -ENODEV;
	directory = debugfs_create_dir(DIRECTORY, parent);
	dput(parent);
	if (IS_ERR(directory))
		return PTR_ERR(directory);
	debugfs_create_file("kprobe_events", 0600, directory, NULL, &definitions_fops);
	debugfs_create_file("kprobe_profile", 0400, directory, NULL, &profile_fops);
	debugfs_create_file("error_log", 0600, directory, NULL, &refused_fops);
	return 0;
}

static int do_nothing(void *data)
{
	return 0;
}

/* Does the kernel know of the event by which others are added? */
static int check_tracing(void)
{
	int err = locked_call(do_nothing, NULL);

	if (err)
		pr_err("the kernel's tracing does not take our events: is the kernel tainted?\n");
	return err;
}

static int __init events_init(void)
{
	int err = check_tracing() ?: record_init();

	if (err)
		return err;
	err = place_init();
	if (err)
		goto no_place;
	err = make_files();
	if (err)
		goto no_files;
	return 0;

no_files:
	place_exit();
no_place:
	record_exit();
	return err;
}
module_init(events_init);

/* Each event holds a reference to this module, so there are none. */
static void __exit events_exit(void)
{
	debugfs_remove(directory);
	place_exit();
	refused_clear();
	record_exit();
	/* Who called event_register() last, to remove an event, is out of it. */
	locked_call(do_nothing, NULL);
}
module_exit(events_exit);

MODULE_DESCRIPTION("Events of tracing at probes, by lines of text");
MODULE_LICENSE("GPL");
