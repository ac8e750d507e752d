// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sysctl debug.kprobes-optimization, and the same under the name that people type,
 * with an underscore.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kstrtox.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/uaccess.h>

#include "../host/sysctl.h"
#include "core.h"

static DEFINE_MUTEX(turn_mutex);
static bool jumps_left;		/* although it is off; guarded by turn_mutex */
static struct ctl_table_header *header;

static int turn(bool on)
{
	int err;

	lockdep_assert_held(&turn_mutex);
	err = optimize_all(on);
	if (err == -EINTR)
		return err;
	jumps_left = err;
	if (err)
		pr_err("some probes stay jumps (error %d)\n", err);
	else
		pr_info("jump optimisation is %s\n", on ? "on" : "off");
	return err;
}

static int write_switch(const char *text)
{
	unsigned int on;
	int err = kstrtouint(text, 0, &on);

	if (err || on > 1)
		return err ?: -EINVAL;
	if (mutex_lock_killable(&turn_mutex))
		return -EINTR;
	/* Turning it on again waits for the points that are about to become jumps. */
	if (on || kprobes_optimization || jumps_left)
		err = turn(on);
	mutex_unlock(&turn_mutex);
	return err;
}

/* What is longer would be cut off, and might then be another number. */
#define TEXT_SIZE	32

/* Takes 0 and 1, as any sysctl that is a number. */
static int handle_switch(HOST_SYSCTL_CONST struct ctl_table *table, int write, void *buffer,
			 size_t *len, loff_t *pos)
{
	char text[TEXT_SIZE] = "";
	struct ctl_table view = { .data = text, .maxlen = sizeof(text) };
	int err;

	if (write && *len >= sizeof(text))
		return -EINVAL;
	if (!write)
		snprintf(text, sizeof(text), "%d", READ_ONCE(kprobes_optimization));
	err = proc_dostring(&view, write, buffer, len, pos);
	return err ?: write ? write_switch(strim(text)) : 0;
}

static struct ctl_table switches[] = {
	{
		.procname = KPROBES_SYSCTL_NAME,
		.mode = 0644,
		.proc_handler = handle_switch,
	},
	{
		.procname = KPROBES_SYSCTL_TYPED,
		.mode = 0644,
		.proc_handler = handle_switch,
	},
	{ }
};

/**
 * sysctl_init() - register the sysctl
 *
 * Return: 0; a kernel without sysctl is no error.
 */
int sysctl_init(void)
{
	header = host_sysctl_register("debug", switches, ARRAY_SIZE(switches) - 1);
	if (!header)
		pr_info("no sysctl here: optimisation stays %s\n",
			kprobes_optimization ? "on" : "off");
	return 0;
}

/**
 * sysctl_exit() - unregister the sysctl, waiting for its users
 */
void sysctl_exit(void)
{
	if (header)
		unregister_sysctl_table(header);
}
