// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks RCU-tasks grace periods: a task of this module never sleeps until the module
 * is unloaded.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

static struct task_struct *task;

/* Yields the CPU, which is not a quiescent state for RCU-tasks. */
static int never_sleeps(void *unused)
{
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static int __init busy_init(void)
{
	task = kthread_run(never_sleeps, NULL, "lkp_busy");
	return PTR_ERR_OR_ZERO(task);
}
module_init(busy_init);

static void __exit busy_exit(void)
{
	kthread_stop(task);
}
module_exit(busy_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
