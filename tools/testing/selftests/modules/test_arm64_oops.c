// SPDX-License-Identifier: GPL-2.0-only
/*
 * When loaded, a thread of its own faults in a probed instruction, in a followed call.  The log is to
 * name what it would name without probes.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>

#include "optimize.h"
#include "target.h"

static bool jump;
module_param(jump, bool, 0400);
MODULE_PARM_DESC(jump, "wait until the probe is a jump");

TARGET(loads,
       "stp x29, x30, [sp, #-16]!\n"
       "mov x29, sp\n"
       AT(loads) "ldr x2, [x0]\n"
       NEXT(loads) "mov x0, x2\n"
       "ldp x29, x30, [sp], #16\n");

noinline __noclone long lkp_lets_load(long (*fn)(long a, long b));
noinline __noclone long lkp_lets_load(long (*fn)(long a, long b))
{
	long sum = fn(0, 0);

	barrier();
	return sum;
}

static int nothing_before(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int just_follow(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static struct kprobe kp = { .pre_handler = nothing_before };
static struct kretprobe rp = { .kp.addr = (void *)lkp_lets_load, .handler = just_follow };

static int loader(void *unused)
{
	return lkp_lets_load(loads.fn);
}

static int __init test_oops_init(void)
{
	struct task_struct *task;
	int err;

	kp.addr = target_at(&loads);
	err = register_kprobe(&kp);
	if (err)
		return err;
	err = register_kretprobe(&rp);
	if (err) {
		unregister_kprobe(&kp);
		return err;
	}
	if (jump && !becomes_jump(&kp))
		pr_err("it does not become a jump\n");
	task = kthread_create(loader, NULL, "lkp_loader");
	if (IS_ERR(task))
		return 0;
	get_task_struct(task);
	wake_up_process(task);
	while (READ_ONCE(task->__state) != TASK_DEAD)
		msleep(20);
	put_task_struct(task);
	return 0;
}
module_init(test_oops_init);

static void __exit test_oops_exit(void)
{
	unregister_kretprobe(&rp);
	unregister_kprobe(&kp);
}
module_exit(test_oops_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Faults in a probed instruction");
