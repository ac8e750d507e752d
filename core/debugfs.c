// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files in debugfs for operators.  The formats are mainline's.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core.h"

static struct dentry *folder;

/**
 * file_goes_on() - to be asked between the lines of a file that may have very many
 * @m: the file
 *
 * With tens of thousands of probes, some of them in the code that looks symbols up, a file
 * takes a minute.  Meanwhile the reader gives way, and is no reason for RCU-tasks to wait.
 *
 * Context: process context, sleeps.
 * Return: false if the buffer is full: then the file is shown again with a larger one.
 */
bool file_goes_on(struct seq_file *m)
{
	might_sleep();
	cond_resched_tasks_rcu_qs();
	return !seq_has_overflowed(m);
}

/**
 * show_each_probe() - write a line for each probe of a client that is at a point
 * @m: the file
 * @show: writes the line
 *
 * Context: kprobe_mutex held, sleeps.
 */
void show_each_probe(struct seq_file *m, show_probe_fn show)
{
	struct probe_point *pt;
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	points_mend();
	list_for_each_entry(pt, &points_list, all) {
		if (pt->internal)
			continue;
		for_each_kprobe_at(p, pt) {
			if (!file_goes_on(m))
				return;
			show(m, pt, p);
		}
	}
}

/* The line of a probe, but for its states. */
static void show_probed(struct seq_file *m, unsigned long at, char kind)
{
	unsigned long addr = host_may_show_addresses(m->file->f_cred) ? at : 0;
	struct host_symbol sym;

	/* Mainline's list has the module without brackets, and a blank if there is none. */
	if (host_symbol_at(at, &sym))
		seq_printf(m, "%016lx  %c  %s+0x%lx  %s ", addr, kind, sym.name, at - sym.start,
			   *sym.module ? sym.module : " ");
	else
		seq_printf(m, "%016lx  %c  %016lx ", addr, kind, addr);
}

/* What its client may overwrite at any time is printed, but not followed. */
static void show_kprobe(struct seq_file *m, struct probe_point *pt, const struct kprobe *p)
{
	show_probed(m, pt->addr, registered_kind(p)->letter);
	seq_printf(m, "%s%s%s%s\n",
		   kprobe_gone(p) ? "[GONE]" : "",
		   kprobe_disabled(p) && !kprobe_gone(p) ? "[DISABLED]" : "",
		   kprobe_optimized(p) ? "[OPTIMIZED]" : "",
		   kprobe_ftrace(p) ? "[FTRACE]" : "");
}

static void show_site(struct seq_file *m, const struct other_site *site)
{
	show_probed(m, site->addr, site->letter);
	seq_printf(m, "%s[FTRACE]\n", site->disabled ? "[DISABLED]" : "");
}

static int list_show(struct seq_file *m, void *unused)
{
	mutex_lock(&kprobe_mutex);
	show_each_probe(m, show_kprobe);
	other_sites_show(m, show_site);
	mutex_unlock(&kprobe_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(list);

static int blacklist_file_show(struct seq_file *m, void *unused)
{
	bool show_addresses = host_may_show_addresses(m->file->f_cred);

	mutex_lock(&kprobe_mutex);
	blacklist_show(m, show_addresses);
	mutex_unlock(&kprobe_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(blacklist_file);

/**
 * switch_from_user() - what has been written to a file that is a switch
 * @from: the text
 * @len: bytes of it
 * @on: what it means
 *
 * Not by kstrtobool(), to which "no way" and "yellow" are booleans, too.
 *
 * Context: process context, sleeps.
 * Return: 0, -EINVAL or -EFAULT.
 */
int switch_from_user(const char __user *from, size_t len, bool *on)
{
	static const char * const words[] = { "0", "1", "n", "y", "N", "Y", "off", "on" };
	char text[8] = "";
	int word;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, len))
		return -EFAULT;
	word = match_string(words, ARRAY_SIZE(words), strim(text));
	if (word < 0)
		return -EINVAL;
	*on = word & 1;
	return 0;
}

static ssize_t enabled_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	const char *text = READ_ONCE(kprobes_all_disarmed) ? "0\n" : "1\n";

	return simple_read_from_buffer(to, len, pos, text, 2);
}

static ssize_t enabled_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	bool on;
	int err;

	err = switch_from_user(from, len, &on);
	if (!err)
		err = probes_set_armed(on);
	return err ?: len;
}

/* Goes through the debugfs proxy, not "unsafe", so that lockdown closes these files. */
static const struct file_operations enabled_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

/**
 * debugfs_init() - create the files
 *
 * Return: 0; a kernel without debugfs is no error.
 */
int debugfs_init(void)
{
	folder = debugfs_create_dir(KPROBES_DEBUGFS_DIR, NULL);
	debugfs_create_file("list", 0400, folder, NULL, &list_fops);
	debugfs_create_file("enabled", 0600, folder, NULL, &enabled_fops);
	debugfs_create_file("blacklist", 0400, folder, NULL, &blacklist_file_fops);
	status_file(folder);
	profile_file(folder);
	check_file(folder);
	return 0;
}

/**
 * debugfs_exit() - remove the files, waiting for readers
 */
void debugfs_exit(void)
{
	debugfs_remove_recursive(folder);
	check_exit();
}
