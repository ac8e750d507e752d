// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that sleep, nested three calls deep, inside functions that other modules
 * probe.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "older.h"
#include "target.h"

#define DEPTH	3

static DECLARE_WAIT_QUEUE_HEAD(bed);
static bool wake;
static atomic_t inside = ATOMIC_INIT(0), back = ATOMIC_INIT(0), wrong = ATOMIC_INIT(0);

/**
 * enum ending - how a thread leaves the function it sleeps in
 * @RETURN: by returning
 * @EXIT: it exits
 */
enum ending { RETURN, EXIT };

asmlinkage long lkp_doze(long depth, long ending);
noinline __noclone long lkp_asleep(long depth, long ending);

/* A function that has no call site of the tracer. */
TARGET(lkp_asleep_in_asm_target, MAKES_ROOM_AND_CALLS(lkp_asleep_in_asm_target, lkp_doze));

asmlinkage __used long lkp_doze(long depth, long ending)
{
	if (depth == 2)
		return lkp_asleep(depth - 1, ending) + 1;
	if (depth > 1)
		return lkp_asleep_in_asm_target.fn(depth - 1, ending) + 1;
	atomic_inc(&inside);
	wait_event_interruptible(bed, READ_ONCE(wake));
	if (ending == EXIT)
		kthread_complete_and_exit(NULL, 0);
	return 4711;
}

noinline __noclone long lkp_asleep(long depth, long ending)
{
	long answer = lkp_doze(depth, ending);

	barrier();
	return answer + 1;
}

static int sleeper(void *data)
{
	long answer = lkp_asleep(DEPTH, (long)data);

	if (answer != 4711 + 4)
		atomic_inc(&wrong);
	atomic_inc(&back);
	return 0;
}

static int start(const char *val, const struct kernel_param *param)
{
	unsigned int nr;
	int err = kstrtouint(val, 0, &nr);

	WRITE_ONCE(wake, false);
	while (!err && nr--)
		err = PTR_ERR_OR_ZERO(kthread_run(sleeper, param->arg, "lkp_asleep"));
	return err;
}

static const struct kernel_param_ops start_ops = { .set = start };
module_param_cb(start, &start_ops, (void *)RETURN, 0200);
MODULE_PARM_DESC(start, "start so many threads, that will return");
module_param_cb(start_mortal, &start_ops, (void *)EXIT, 0200);
MODULE_PARM_DESC(start_mortal, "start so many threads, that will exit where they sleep");

static int release(const char *val, const struct kernel_param *param)
{
	WRITE_ONCE(wake, true);
	wake_up_all(&bed);
	return 0;
}

static const struct kernel_param_ops release_ops = { .set = release };
module_param_cb(release, &release_ops, NULL, 0200);

static unsigned long *saved_stack_pointer(struct task_struct *task)
{
#if defined(CONFIG_X86_64)
	return &task->thread.sp;
#elif defined(CONFIG_ARM64)
	return &task->thread.cpu_context.sp;
#elif defined(CONFIG_PPC64)
	return &task->thread.ksp;
#endif
}

static bool is_asleep(const struct task_struct *task)
{
	return READ_ONCE(task->__state) == TASK_INTERRUPTIBLE && !READ_ONCE(task->on_rq) &&
	       !READ_ONCE(task->on_cpu);
}

/* They stay asleep: only release() wakes them, in the same task as this. */
static unsigned int move_sleepers(long distance, bool try)
{
	struct task_struct *task;
	unsigned int awake = 0;

	rcu_read_lock();
	for_each_process(task) {
		if (strcmp(task->comm, "lkp_asleep"))
			continue;
		awake += !is_asleep(task);
		if (!try)
			*saved_stack_pointer(task) += distance;
	}
	rcu_read_unlock();
	return awake;
}

static int move(const char *val, const struct kernel_param *param)
{
	long distance;
	int err = kstrtol(val, 0, &distance);

	if (!err && move_sleepers(0, true))
		err = -EBUSY;
	if (!err)
		move_sleepers(distance, false);
	return err;
}

static const struct kernel_param_ops move_ops = { .set = move };
module_param_cb(move, &move_ops, NULL, 0200);
MODULE_PARM_DESC(move, "pretend that the threads sleep on stacks so many bytes above their own");

static int get_counter(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(param->arg));
}

static const struct kernel_param_ops counter_ops = { .get = get_counter };
module_param_cb(inside, &counter_ops, &inside, 0400);
module_param_cb(back, &counter_ops, &back, 0400);
module_param_cb(wrong, &counter_ops, &wrong, 0400);

/* Reading the file sleeps in there until a signal that kills. */
static ssize_t doze_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	return lkp_asleep(DEPTH, RETURN) == 4711 + 4 ? 0 : -EIO;
}

static const struct file_operations doze_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = doze_read,
};

static struct dentry *doze_file;

static int __init asleep_init(void)
{
	doze_file = debugfs_create_file("test_asleep", 0400, NULL, NULL, &doze_fops);
	return 0;
}
module_init(asleep_init);

static void __exit asleep_exit(void)
{
	release(NULL, NULL);
	debugfs_remove(doze_file);
}
module_exit(asleep_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
