// SPDX-License-Identifier: GPL-2.0-only
/*
 * A race that a client is not allowed to cause: it writes the handler of a registered kprobe, always
 * the same one, while hits on other CPUs read it.  The reader is kprobes.ko.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "target.h"

TARGET(lkp_raced, SLOT_ADD(lkp_raced));

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static struct kprobe raced = { .pre_handler = pre };
static struct task_struct *hitter, *writer;

static int hit(void *unused)
{
	while (!kthread_should_stop()) {
		lkp_raced.fn(40, 2);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static int lkp_race_writer(void *unused)
{
	while (!kthread_should_stop()) {
		raced.pre_handler = pre;
		barrier();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void stop(void)
{
	if (!IS_ERR_OR_NULL(hitter))
		kthread_stop(hitter);
	if (!IS_ERR_OR_NULL(writer))
		kthread_stop(writer);
	unregister_kprobe(&raced);
}

static int __init races_init(void)
{
	int err;

	raced.addr = (kprobe_opcode_t *)((unsigned long)lkp_raced.fn + lkp_raced.at);
	err = register_kprobe(&raced);
	if (err)
		return err;
	hitter = kthread_run(hit, NULL, "lkp_hitter");
	writer = kthread_run(lkp_race_writer, NULL, "lkp_race_writer");
	err = PTR_ERR_OR_ZERO(hitter) ?: PTR_ERR_OR_ZERO(writer);
	if (err)
		stop();
	return err;
}
module_init(races_init);

static void __exit races_exit(void)
{
	stop();
}
module_exit(races_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
