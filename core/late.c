// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is found wrong within a hit, and printed later.
 *
 * A hit may be in an NMI, or in the scheduler with the lock of a run queue held.  There printk()
 * may wait for a lock that its own CPU holds: it wakes whoever waits for the console.  So a hit
 * only takes a note, and an irq_work prints it.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "core.h"

/**
 * struct note - one that is taken once, by the first hit that has a reason
 * @taken: somebody is about to write it, or has
 * @complete: it is written
 * @told: it is printed
 * @addr: where
 * @how: what happened; a constant
 * @task: to whom
 */
struct note {
	bool taken, complete, told;
	const void *addr;
	const char *how;
	char task[TASK_COMM_LEN];
};

static struct note notes[NR_LATE];

static void print(enum late which, const struct note *note)
{
	switch (which) {
	case LATE_STRAY_RETURN:
		pr_err("a function returned to %pS more often than it was called, in %s (%s): no handler is run\n",
		       note->addr, note->task, note->how);
		break;
	case LATE_NO_JPROBE:
		pr_err("jprobe_return() called by %ps, which is no jprobe\n", note->addr);
		break;
	case NR_LATE:
		break;
	}
}

/* It may run on several CPUs at a time. */
static void print_all(struct irq_work *unused)
{
	unsigned int i;

	for (i = 0; i < NR_LATE; i++)
		/* Pairs with the release in write_note(). */
		if (smp_load_acquire(&notes[i].complete) && !xchg(&notes[i].told, true))
			print(i, &notes[i]);
}

static DEFINE_IRQ_WORK(printing, print_all);

static void write_note(struct note *note, const void *addr, const char *how)
{
	note->addr = addr;
	note->how = how;
	strscpy(note->task, current->comm, sizeof(note->task));
	/* Who prints it may be on another CPU. */
	smp_store_release(&note->complete, true);
	irq_work_queue(&printing);
}

/**
 * late_note() - have something printed that was found wrong, once
 * @which: what
 * @addr: where
 * @how: a constant that says more, or NULL
 *
 * On a CPU that is not online any more nobody would print it, as in return_hooks_reap_soon().
 *
 * Context: any, within a hit, NMI too.
 */
void late_note(enum late which, const void *addr, const char *how)
{
	struct note *note = &notes[which];

	preempt_disable_notrace();
	if (!READ_ONCE(note->taken) && cpu_online(smp_processor_id()) && !xchg(&note->taken, true))
		write_note(note, addr, how);
	preempt_enable_notrace();
}

/**
 * late_exit() - wait until all is printed, when there are no hits any more
 *
 * Context: process context, sleeps.
 */
void late_exit(void)
{
	irq_work_sync(&printing);
}
