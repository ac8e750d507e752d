// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who opens, reads, writes and closes a file?  Shows the last events in
 * /sys/kernel/debug/file_life.  While this is loaded, the file system can't be unmounted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/seq_file.h>

#include "event_log.h"

static char path[256];
module_param_string(path, path, sizeof(path), 0400);
MODULE_PARM_DESC(path, "the file");

static struct path target;

static void note(struct kprobe *p, const struct inode *inode, unsigned long bytes)
{
	struct event event = { .where = p->addr, .args = { bytes } };

	if (inode == d_inode(target.dentry))
		log_event(&event);
}

/* vfs_open(path, file): the file has no inode yet. */
static int on_open(struct kprobe *p, struct pt_regs *regs)
{
	const struct path *opened = (void *)regs_get_kernel_argument(regs, 0);

	note(p, d_backing_inode(opened->dentry), 0);
	return 0;
}

/* vfs_read(file, buf, count, pos) and vfs_write(): count is what is asked for. */
static int on_transfer(struct kprobe *p, struct pt_regs *regs)
{
	const struct file *file = (void *)regs_get_kernel_argument(regs, 0);

	note(p, file_inode(file), regs_get_kernel_argument(regs, 2));
	return 0;
}

/* __fput(file): nobody has it open any more. */
static int on_close(struct kprobe *p, struct pt_regs *regs)
{
	const struct file *file = (void *)regs_get_kernel_argument(regs, 0);

	note(p, file_inode(file), 0);
	return 0;
}

static struct kprobe opens = { .symbol_name = "vfs_open", .pre_handler = on_open };
static struct kprobe reads = { .symbol_name = "vfs_read", .pre_handler = on_transfer };
static struct kprobe writes = { .symbol_name = "vfs_write", .pre_handler = on_transfer };
static struct kprobe closes = { .symbol_name = "__fput", .pre_handler = on_close };
static struct kprobe *kps[] = { &opens, &reads, &writes, &closes };

static void show(struct seq_file *m, const struct event *event)
{
	seq_printf(m, "%ps %lu\n", event->where, event->args[0]);
}

static int life_show(struct seq_file *m, void *unused)
{
	show_events(m, show);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(life);

static struct dentry *shown;

static int __init file_life_init(void)
{
	int err = kern_path(path, LOOKUP_FOLLOW, &target);

	if (err) {
		pr_err("path=%s: error %d\n", path, err);
		return err;
	}
	/* All four or none; the log says which was refused, and why. */
	err = register_kprobes(kps, ARRAY_SIZE(kps));
	if (err) {
		path_put(&target);
		return err;
	}
	shown = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &life_fops);
	return 0;
}

static void __exit file_life_exit(void)
{
	debugfs_remove(shown);
	unregister_kprobes(kps, ARRAY_SIZE(kps));
	path_put(&target);
}

module_init(file_life_init);
module_exit(file_life_exit);
MODULE_DESCRIPTION("Follows what is done with a file");
MODULE_LICENSE("GPL");
