// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes_events.ko: probes that are written as a line of text, and seen as events of the kernel's
 * tracing.  A client of kprobes.ko like any other.
 *
 * This file: the files.
 */
#define pr_fmt(fmt) "kprobes_events: " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kobject.h>
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

static struct dentry *directory;

/* ---- lines ---- */

static int run_definition(struct probe *probe, unsigned int room, struct definition_error *error)
{
	int err = definition_parse(&probe->def, probe->line, room, error);

	if (err)
		return err;
	error->column = 0;
	mutex_lock(&definitions_mutex);
	if (probe->def.kind == DEFINE_REMOVAL)
		err = probes_remove(&probe->def, error);
	else
		err = probe_add(probe, error);
	mutex_unlock(&definitions_mutex);
	return err;
}

static int run_line(const char *line)
{
	unsigned int room = definition_words(line);
	struct definition_error error = { 0 };
	struct probe *probe;
	int err;

	if (!room)
		return 0;
	probe = probe_new(line, room);
	if (!probe)
		return -ENOMEM;
	err = run_definition(probe, room, &error);
	if (err)
		refused_add(line, error.column, error.reason ?: "there is an error");
	if (err || probe->def.kind == DEFINE_REMOVAL)
		probe_free(probe);
	return err;
}

/* Runs the first line in the buffer; returns how much of the buffer that was. */
static ssize_t run_first(char *buffer, size_t size, bool more)
{
	char *newline = memchr(buffer, '\n', size), *comment;
	size_t length = newline ? newline - buffer : size;
	int err;

	buffer[length] = '\0';
	if (strlen(buffer) < length) {
		refused_add(buffer, strlen(buffer), "a line has no NUL byte");
		return -EINVAL;
	}
	if (!newline && more) {
		refused_add("", 0, "a line is too long");
		return -EINVAL;
	}
	comment = strchr(buffer, '#');
	if (comment)
		*comment = '\0';
	err = run_line(buffer);
	return err ?: newline ? length + 1 : length;
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

static void *probe_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&definitions_mutex);
	return seq_list_start(&all_probes, *pos);
}

static void *probe_next(struct seq_file *m, void *at, loff_t *pos)
{
	return seq_list_next(at, &all_probes, pos);
}

static void probe_stop(struct seq_file *m, void *at)
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
	const struct definition *def = &list_entry(at, struct probe, list)->def;
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
	struct probe *probe = list_entry(at, struct probe, list);
	unsigned long hits = 0, missed = probe_missed(probe);
	int cpu;

	for_each_possible_cpu(cpu) {
		hits += READ_ONCE(per_cpu_ptr(probe->counts, cpu)->hits);
		missed += READ_ONCE(per_cpu_ptr(probe->counts, cpu)->missed);
	}
	seq_printf(m, "  %-44s %15lu %15lu\n", probe->def.event, hits, missed);
	return 0;
}

static const struct seq_operations definitions_seq = {
	.start = probe_start, .next = probe_next, .stop = probe_stop, .show = definition_show,
};

static const struct seq_operations profile_seq = {
	.start = probe_start, .next = probe_next, .stop = probe_stop, .show = profile_show,
};

static int definitions_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_KPROBES);

	if (!err && file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC)
		err = probes_remove_all();
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
static int make_directory(void)
{
	struct dentry *parent = debugfs_lookup(KPROBES_DEBUGFS_DIR, NULL);

	if (IS_ERR_OR_NULL(parent)) {
		pr_err("there is no debugfs, in which the events' files are: is it off by debugfs=?\n");
		return -ENODEV;
	}
	directory = debugfs_create_dir(DIRECTORY, parent);
	dput(parent);
	return PTR_ERR_OR_ZERO(directory);
}

static void make_files(void)
{
	debugfs_create_file("kprobe_events", 0600, directory, NULL, &definitions_fops);
	debugfs_create_file("kprobe_profile", 0400, directory, NULL, &profile_fops);
	debugfs_create_file("error_log", 0600, directory, NULL, &refused_fops);
}

#ifdef LKP_EVENTS_TRACED
bool own_buffer __ro_after_init;
module_param(own_buffer, bool, 0400);
MODULE_PARM_DESC(own_buffer, "keep records in a buffer of our own, and not in the kernel's tracing");
#endif

static int do_nothing(void *data)
{
	return 0;
}

/* Does the kernel know of the event by which others are added? */
static int check_tracing(void)
{
	int err = locked_call(do_nothing, NULL);

	if (err)
		pr_err("the kernel's tracing does not take our events: is the kernel tainted?  There is own_buffer=1\n");
	return err;
}

static void forget_buffer(void)
{
	if (own_buffer)
		own_exit();
	else
		record_exit();
}

static int use_tracing(void)
{
	return check_tracing() ?: record_init();
}

/*
 * An older kprobes.ko may still be there after an upgrade, whose probes are laid out otherwise.  Not every
 * kernel compares the versions of symbols (CONFIG_MODVERSIONS).
 */
static int check_version(void)
{
	struct kobject *held;
	const struct module *mod = symbols_get_module("kprobes", &held);
	bool differs = mod && mod->version && strcmp(mod->version, LKP_VERSION);

	if (differs)
		pr_err("this is version %s, and kprobes.ko that is loaded is %s: unload that first\n",
		       LKP_VERSION, mod->version);
	kobject_put(held);
	return differs ? -ENOEXEC : 0;
}

/*
 * With a buffer of our own the event is never turned on: when one that was goes, the kernel clears what it
 * has recorded of all others, too.
 */
static void leave_own_event(void)
{
	if (!own_buffer)
		locked_call(format_files_end, NULL);
}

static int __init events_init(void)
{
	int err = check_version() ?: make_directory();

	if (err)
		return err;
	format_files_init();
	err = own_buffer ? own_init(directory) : use_tracing();
	if (err)
		goto no_buffer;
	err = place_init();
	if (err)
		goto no_place;
	make_files();
	if (own_buffer)
		pr_info("events are kept in a buffer of our own: see trace_pipe\n");
	return 0;

no_place:
	/* First: somebody may be in a call to one of its files, and is waited for. */
	debugfs_remove(directory);
	forget_buffer();
	leave_own_event();
	return err;
no_buffer:
	debugfs_remove(directory);
	leave_own_event();
	return err;
}
module_init(events_init);

/*
 * "rmmod -f" passes over those who hold this module: events, and open files.  Tracing must not be left with
 * an event of ours.  Who uses one, or has a file open, is waited for; nobody comes any more.
 */
static void wait_for_holders(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	if (module_refcount(THIS_MODULE) <= 0)
		return;
	pr_warn("unloaded by force: waiting until no event is in use, and no file open\n");
	while (probes_remove_idle(), module_refcount(THIS_MODULE) > 0)
		msleep(100);
#endif
}

/* Each event holds a reference to this module, so there are none. */
static void __exit events_exit(void)
{
	wait_for_holders();
	debugfs_remove(directory);
	place_exit();
	refused_clear();
	forget_buffer();
	/* And who called event_register() last, to remove an event, is out of it. */
	leave_own_event();
}
module_exit(events_exit);

MODULE_DESCRIPTION("Events of tracing at probes, by lines of text");
MODULE_LICENSE("GPL");
MODULE_VERSION(LKP_VERSION);
