// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task ends within a call that many kretprobes follow.  Their instances are given back together:
 * what has to be waited for is waited for once, whether they are unregistered or miss a call.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "ktap.h"

#define NR_PROBES	16

#define NAME		"lkp_may_not_return"

static DECLARE_COMPLETION(has_ended);
static unsigned int nr_returns;

long lkp_may_not_return(bool ends);

noinline __noclone long lkp_may_not_return(bool ends)
{
	if (ends)
		kthread_complete_and_exit(&has_ended, 0);
	return 1;
}

static int call_and_end(void *unused)
{
	return lkp_may_not_return(true);
}

static int count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	nr_returns++;
	return 0;
}

static struct kretprobe rps[NR_PROBES], *all[NR_PROBES];

static bool begin(struct ktap *t)
{
	unsigned int i;

	nr_returns = 0;
	for (i = 0; i < NR_PROBES; i++) {
		rps[i] = (struct kretprobe){
			.kp.symbol_name = NAME,
			.handler = count,
			.maxactive = 1,
		};
		all[i] = &rps[i];
	}
	return EXPECT_EQ(t, register_kretprobes(all, NR_PROBES), 0);
}

static bool end_a_task(struct ktap *t)
{
	struct task_struct *task;

	reinit_completion(&has_ended);
	task = kthread_run(call_and_end, NULL, "lkp_ends");
	if (!EXPECT(t, !IS_ERR(task)))
		return false;
	wait_for_completion(&has_ended);
	/* It has run its last steps. */
	msleep(200);
	return true;
}

/* ---- who waits, by the function that all waits of this kind call ---- */

static struct task_struct *who;		/* NULL: who does work */
static atomic_t nr_waits;

static int count_wait(struct kprobe *p, struct pt_regs *regs)
{
	if (who ? current == who : !!(current->flags & PF_WQ_WORKER))
		atomic_inc(&nr_waits);
	return 0;
}

static struct kprobe waits;

static bool begin_waits(struct ktap *t, struct task_struct *task)
{
	who = task;
	atomic_set(&nr_waits, 0);
	waits = (struct kprobe){
		.symbol_name = "synchronize_rcu_expedited",
		.pre_handler = count_wait,
	};
	return EXPECT_EQ(t, register_kprobe(&waits), 0);
}

static int waits_of_end(struct ktap *t)
{
	int nr;

	if (!begin_waits(t, current)) {
		unregister_kretprobes(all, NR_PROBES);
		return -1;
	}
	unregister_kretprobes(all, NR_PROBES);
	nr = atomic_read(&nr_waits);
	unregister_kprobe(&waits);
	return nr;
}

static void case_unregistering_waits_once(struct ktap *t)
{
	int idle, with_ended;

	if (!begin(t))
		return;
	idle = waits_of_end(t);
	if (!begin(t))
		return;
	end_a_task(t);
	with_ended = waits_of_end(t);
	EXPECT_EQ(t, nr_returns, 0);
	EXPECT(t, idle > 0);
	EXPECT_EQ(t, with_ended, idle + 1);
}

static bool all_are_missed(void)
{
	unsigned int i;

	for (i = 0; i < NR_PROBES; i++)
		if (rps[i].nmissed != 1)
			return false;
	return true;
}

static void case_reclaiming_waits_once(struct ktap *t)
{
	unsigned int i;

	if (!begin(t))
		return;
	if (end_a_task(t) && begin_waits(t, NULL)) {
		lkp_may_not_return(false);
		EXPECT(t, all_are_missed());
		EXPECT_EQ(t, nr_returns, 0);
		for (i = 0; i < 100 && !nr_returns; i++) {
			msleep(50);
			lkp_may_not_return(false);
		}
		EXPECT_EQ(t, nr_returns, NR_PROBES);
		/* Some other work may wait, too. */
		EXPECT(t, atomic_read(&nr_waits) > 0 && atomic_read(&nr_waits) < NR_PROBES / 2);
		unregister_kprobe(&waits);
	}
	unregister_kretprobes(all, NR_PROBES);
}

static const struct ktap_case cases[] = {
	CASE(unregistering_waits_once),
	CASE(reclaiming_waits_once),
};
KTAP_MODULE(cases);
