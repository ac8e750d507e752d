// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task ends, or sleeps, within a call that many kretprobes follow.  Their instances are given back
 * together: what has to be waited for is waited for once, whether they are unregistered or miss a call;
 * and all CPUs are stopped once.
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

enum what { RETURN, END, SLEEP };

static DECLARE_COMPLETION(has_ended);
static DECLARE_COMPLETION(sleeps);
static DECLARE_COMPLETION(wakes);
static unsigned int nr_returns;

noinline __noclone long lkp_may_not_return(enum what what);
noinline __noclone long lkp_may_not_return(enum what what)
{
	if (what == END)
		kthread_complete_and_exit(&has_ended, 0);
	if (what == SLEEP) {
		complete(&sleeps);
		wait_for_completion(&wakes);
	}
	return 4711;
}

static int call_and_end(void *unused)
{
	return lkp_may_not_return(END);
}

static long slept;

static int call_and_sleep(void *unused)
{
	slept = lkp_may_not_return(SLEEP);
	complete(&has_ended);
	return 0;
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

/* ---- who waits, or stops the CPUs, by the function that all who do that call ---- */

#define WAIT	"synchronize_rcu_expedited"
#define STOP	"stop_machine"

static struct task_struct *who;		/* NULL: who does work */
static atomic_t nr_counted;

static int count_call(struct kprobe *p, struct pt_regs *regs)
{
	if (who ? current == who : !!(current->flags & PF_WQ_WORKER))
		atomic_inc(&nr_counted);
	return 0;
}

static struct kprobe counted;

static bool begin_count(struct ktap *t, const char *name, struct task_struct *task)
{
	who = task;
	atomic_set(&nr_counted, 0);
	counted = (struct kprobe){ .symbol_name = name, .pre_handler = count_call };
	return EXPECT_EQ(t, register_kprobe(&counted), 0);
}

/* How often the end of all kretprobes calls it. */
static int calls_of_end(struct ktap *t, const char *name)
{
	int nr;

	if (!begin_count(t, name, current)) {
		unregister_kretprobes(all, NR_PROBES);
		return -1;
	}
	unregister_kretprobes(all, NR_PROBES);
	nr = atomic_read(&nr_counted);
	unregister_kprobe(&counted);
	return nr;
}

static void case_unregistering_waits_once(struct ktap *t)
{
	int idle, with_ended;

	if (!begin(t))
		return;
	idle = calls_of_end(t, WAIT);
	if (!begin(t))
		return;
	end_a_task(t);
	with_ended = calls_of_end(t, WAIT);
	EXPECT_EQ(t, nr_returns, 0);
	EXPECT(t, idle > 0);
	EXPECT_EQ(t, with_ended, idle + 1);
}

static void case_unregistering_stops_once(struct ktap *t)
{
	struct task_struct *task;
	int idle, with_asleep;

	if (!begin(t))
		return;
	idle = calls_of_end(t, STOP);
	if (!begin(t))
		return;
	reinit_completion(&has_ended);
	task = kthread_run(call_and_sleep, NULL, "lkp_sleeps");
	if (EXPECT(t, !IS_ERR(task))) {
		wait_for_completion(&sleeps);
		msleep(200);
	}
	with_asleep = calls_of_end(t, STOP);
	if (IS_ERR(task))
		return;
	complete(&wakes);
	wait_for_completion(&has_ended);
	EXPECT_EQ(t, slept, 4711);
	EXPECT_EQ(t, nr_returns, 0);
	EXPECT_EQ(t, with_asleep, idle + 1);
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
	if (end_a_task(t) && begin_count(t, WAIT, NULL)) {
		lkp_may_not_return(RETURN);
		EXPECT(t, all_are_missed());
		EXPECT_EQ(t, nr_returns, 0);
		/*
		 * A grace period of tasks may take many seconds where all are busy.  And a call may come when some
		 * have been reclaimed and others are going to be.
		 */
		for (i = 0; i < 1200 && nr_returns < NR_PROBES; i++) {
			msleep(50);
			nr_returns = 0;
			lkp_may_not_return(RETURN);
		}
		EXPECT_EQ(t, nr_returns, NR_PROBES);
		/* Some other work may wait, too. */
		EXPECT(t, atomic_read(&nr_counted) > 0 && atomic_read(&nr_counted) < NR_PROBES / 2);
		unregister_kprobe(&counted);
	}
	unregister_kretprobes(all, NR_PROBES);
}

static const struct ktap_case cases[] = {
	CASE(unregistering_waits_once),
	CASE(unregistering_stops_once),
	CASE(reclaiming_waits_once),
};
KTAP_MODULE(cases);
