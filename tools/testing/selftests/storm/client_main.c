// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that does what the program storm tells it: each ioctl() on its file is one
 * call of the API, or runs probed functions, or says what was counted.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#include "client.h"

/* Too large for the stack. */
static union {
	struct storm_place place;
	struct storm_spec spec;
	struct storm_request request;
	struct storm_counts counts;
	struct storm_run run;
} told;
static DEFINE_MUTEX(told_mutex);

static int obey(unsigned int command, unsigned long argument)
{
	switch (command) {
	case STORM_GET_PLACE:
		return storm_get_place(&told.place);
	case STORM_SET:
		return storm_set(&told.spec);
	case STORM_DO:
		return storm_do(&told.request);
	case STORM_COUNTS:
		return storm_counts(&told.counts);
	case STORM_RUN:
		return storm_run(&told.run);
	case STORM_SETTLE:
		wait_for_kprobe_optimizer();
		return 0;
	case STORM_BLOW:
		return storm_blow(argument);
	default:
		return -ENOTTY;
	}
}

static long command_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	size_t size = _IOC_SIZE(command);
	long err = 0;

	if (size > sizeof(told))
		return -ENOTTY;
	mutex_lock(&told_mutex);
	if (size && copy_from_user(&told, user, size))
		err = -EFAULT;
	err = err ?: obey(command, argument);
	if (!err && (_IOC_DIR(command) & _IOC_READ) && copy_to_user(user, &told, size))
		err = -EFAULT;
	mutex_unlock(&told_mutex);
	return err;
}

static const struct proc_ops command_ops = {
	.proc_ioctl = command_ioctl,
};

static int __init storm_init(void)
{
	int err = storm_runs_init();

	if (!err && !proc_create(strrchr(STORM_FILE, '/') + 1, 0600, NULL, &command_ops)) {
		storm_runs_exit();
		err = -ENOMEM;
	}
	return err;
}
module_init(storm_init);

static void __exit storm_exit(void)
{
	remove_proc_entry(strrchr(STORM_FILE, '/') + 1, NULL);
	storm_probes_exit();
	storm_runs_exit();
}
module_exit(storm_exit);

MODULE_DESCRIPTION("Client of the storm");
MODULE_LICENSE("GPL");
