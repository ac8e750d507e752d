// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults continuously while there are many probes, all in test_nops: each fault is
 * looked up in all of them, also while they are removed.
 */
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nops.h"

/* Every access faults. */
#define NOWHERE		((void *)-8L)

static struct kprobe *probes;
static struct kprobe **list;
static struct task_struct *thread;

static unsigned long faults, survived;
module_param(faults, ulong, 0400);
MODULE_PARM_DESC(faults, "faults of probed instructions that handlers were shown");
module_param(survived, ulong, 0400);
MODULE_PARM_DESC(survived, "faults that ended as they do without a probe");

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	faults++;
	return 0;
}
NOKPROBE_SYMBOL(on_fault);

static int fault_on(void *unused)
{
	long value;

	while (!kthread_should_stop()) {
		if (copy_from_kernel_nofault(&value, NOWHERE, sizeof(value)) == -EFAULT)
			WRITE_ONCE(survived, survived + 1);
		/* For an emulator whose CPUs take turns. */
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static void aim(void)
{
	unsigned int i;

	for (i = 0; i < NOPS; i++) {
		probes[i].symbol_name = "lkp_nops_fn";
		probes[i].offset = i * NOP_SIZE;
		probes[i].fault_handler = on_fault;
		list[i] = &probes[i];
	}
}

static void forget(void)
{
	kvfree(probes);
	kvfree(list);
}

static int __init fault_walk_init(void)
{
	int err = -ENOMEM;

	probes = kvcalloc(NOPS, sizeof(*probes), GFP_KERNEL);
	list = kvcalloc(NOPS, sizeof(*list), GFP_KERNEL);
	if (!probes || !list)
		goto out;
	aim();
	err = register_kprobes(list, NOPS);
	if (err)
		goto out;
	thread = kthread_run(fault_on, NULL, "fault_walk");
	if (!IS_ERR(thread))
		return 0;
	err = PTR_ERR(thread);
	unregister_kprobes(list, NOPS);
out:
	forget();
	return err;
}
module_init(fault_walk_init);

static void __exit fault_walk_exit(void)
{
	kthread_stop(thread);
	unregister_kprobes(list, NOPS);
	forget();
}
module_exit(fault_walk_exit);

MODULE_DESCRIPTION("Faults while probes vanish");
MODULE_LICENSE("GPL");
