// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that sleeps in a function that has been hit, and has left what the trap wrote to the stack
 * in the part of its frame that it does not use.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "target.h"

static DECLARE_WAIT_QUEUE_HEAD(bed);
static bool wake;
static unsigned int asleep;
static struct task_struct *sleeper;

asmlinkage long lkp_leftover_sleep(void);

/* More room than a trap needs, which the function does not write to. */
TARGET(lkp_leftover,
	AT(lkp_leftover) "mov %rdi, %rax\n"
	NEXT(lkp_leftover) "sub $264, %rsp\n"
	"call lkp_leftover_sleep\n"
	"add $264, %rsp\n");

asmlinkage __used long lkp_leftover_sleep(void)
{
	WRITE_ONCE(asleep, 1);
	wait_event_idle(bed, READ_ONCE(wake));
	return 0;
}

static int sleep_inside(void *unused)
{
	lkp_leftover.fn(0, 0);
	while (!kthread_should_stop())
		schedule_timeout_idle(1);
	return 0;
}

static int start(const char *val, const struct kernel_param *param)
{
	struct task_struct *task = kthread_run(sleep_inside, NULL, "lkp_leftover");

	if (IS_ERR(task))
		return PTR_ERR(task);
	sleeper = task;
	return 0;
}

static const struct kernel_param_ops start_ops = { .set = start };
module_param_cb(start, &start_ops, NULL, 0200);
module_param(asleep, uint, 0400);

static unsigned int at;
module_param(at, uint, 0400);

static int __init leftover_init(void)
{
	at = lkp_leftover.at;
	return 0;
}
module_init(leftover_init);

static void __exit leftover_exit(void)
{
	WRITE_ONCE(wake, true);
	wake_up_all(&bed);
	if (sleeper)
		kthread_stop(sleeper);
}
module_exit(leftover_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
