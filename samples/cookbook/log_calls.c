// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs the calls of all functions that match a pattern: four arguments, the return value and
 * the duration.  Shows the last ones in /sys/kernel/debug/log_calls.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "event_log.h"

static char funcs[256] = "vfs_*";
module_param_string(funcs, funcs, sizeof(funcs), 0400);
MODULE_PARM_DESC(funcs, "the functions: patterns with *, or names, separated by commas");

/* What the entry handler keeps for the exit handler: registers do not outlive the call. */
struct call {
	u64 entered;
	unsigned long args[EVENT_ARGS];
};

/* notrace, as a pattern may match these functions, too. */
static notrace int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			    struct pt_regs *regs, void *data)
{
	struct call *call = data;
	unsigned int i;

	for (i = 0; i < EVENT_ARGS; i++)
		call->args[i] = regs_get_kernel_argument(regs, i);
	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

static notrace void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			    struct pt_regs *regs, void *data)
{
	struct call *call = data;
	struct event event = {
		.where = (void *)entry_ip,
		.took = ktime_get_mono_fast_ns() - call->entered,
		.result = regs_return_value(regs),
	};

	memcpy(event.args, call->args, sizeof(event.args));
	log_event(&event);
}

static struct fprobe fp = {
	.entry_handler = on_entry,
	.exit_handler = on_exit,
	.entry_data_size = sizeof(struct call),
};

/* A function that has fewer arguments leaves what was in the registers. */
static void show(struct seq_file *m, const struct event *event)
{
	seq_printf(m, "%ps(%#lx, %#lx, %#lx, %#lx) = %ld after %llu ns\n", event->where,
		   event->args[0], event->args[1], event->args[2], event->args[3],
		   event->result, event->took);
}

static int calls_show(struct seq_file *m, void *unused)
{
	show_events(m, show);
	seq_printf(m, "%lu calls missed\n", fp.nmissed);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(calls);

static struct dentry *file;

static int __init log_calls_init(void)
{
	int err = register_fprobe(&fp, funcs, NULL);

	if (err) {
		pr_err("%s: error %d\n", funcs, err);
		return err;
	}
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &calls_fops);
	return 0;
}

static void __exit log_calls_exit(void)
{
	debugfs_remove(file);
	unregister_fprobe(&fp);
}

module_init(log_calls_init);
module_exit(log_calls_exit);
MODULE_DESCRIPTION("Logs the calls of many functions");
MODULE_LICENSE("GPL");
