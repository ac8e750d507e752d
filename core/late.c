// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is found wrong within a hit, and printed later.
 *
 * A hit may be in an NMI, or in the scheduler with the lock of a run queue held.  There printk()
 * may wait for a lock that its own CPU holds: it wakes whoever waits for the console.  So a hit
 * only takes a note, and an irq_work prints it.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../host/compat.h"
#include "core.h"

static LLIST_HEAD(written);

/* It may run on several CPUs at a time: each has what it has taken off the list. */
static void print_all(struct irq_work *unused)
{
	struct late_note *note, *next;

	llist_for_each_entry_safe(note, next, llist_del_all(&written), node)
		note->print(note);
}

static struct irq_work printing = HOST_LAZY_IRQ_WORK(print_all);

static void write_note(struct late_note *note, const void *addr, const char *how)
{
	note->addr = addr;
	note->how = how;
	strscpy(note->task, current->comm, sizeof(note->task));
	/* Orders what is written before who takes it off the list. */
	llist_add(&note->node, &written);
	irq_work_queue(&printing);
}

/**
 * late_note() - have something printed that was found wrong, once
 * @note: what; static, and the same each time
 * @addr: where
 * @how: a constant that says more, or NULL
 *
 * Where nobody would print it, a later hit has it printed: see runs_irq_work().
 *
 * Context: any, within a hit, NMI too.
 */
void late_note(struct late_note *note, const void *addr, const char *how)
{
	preempt_disable_notrace();
	if (!READ_ONCE(note->taken) && runs_irq_work() && !xchg(&note->taken, true))
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
