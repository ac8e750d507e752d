// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that are probed, and calls of them: so many, in some context on some CPU; or
 * without end, by a thread, which is the wind.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "client.h"
#include "contexts.h"

STORM_FUNCTIONS(gale);
STORM_FUNCTIONS(wind);

static struct storm_spots groups[STORM_GROUPS];
static atomic_long_t begun[STORM_GROUP], ended[STORM_GROUP];
static atomic_t wrong;

/* What is running; one at a time. */
static struct {
	long (*fn)(long a, long b);
	long a, b, sum;
	unsigned int times;
	enum storm_context context;
} task;

/**
 * storm_away() - tell where the functions are that come and go
 * @spots: they; NULL if they are about to go
 *
 * Context: process context; the program runs nothing meanwhile.
 */
void storm_away(const struct storm_spots *spots)
{
	groups[STORM_AWAY] = spots ? *spots : (struct storm_spots){ };
}
EXPORT_SYMBOL_GPL(storm_away);

/**
 * storm_spot() - a place
 * @index: its number
 *
 * Return: NULL if there is no such place now.
 */
const struct storm_spot *storm_spot(unsigned int index)
{
	const struct storm_spot *spot;

	if (index >= STORM_PLACES)
		return NULL;
	spot = &groups[index / STORM_GROUP].of[index % STORM_GROUP];
	return spot->fn ? spot : NULL;
}

/**
 * storm_call() - call the function of a place once
 * @index: the place
 *
 * Context: any; a handler.
 */
void storm_call(int index)
{
	const struct storm_spot *spot = storm_spot(index);

	if (spot)
		spot->fn(1, 2);
}

/**
 * storm_get_place() - describe a place
 * @place: its index is given; the rest is filled in
 *
 * Context: any.
 * Return: 0.
 */
int storm_get_place(struct storm_place *place)
{
	const struct storm_spot *spot = storm_spot(place->index);
	unsigned int role = place->index % STORM_GROUP;

	place->present = !!spot;
	if (!spot)
		return 0;
	place->fn = (unsigned long)spot->fn;
	place->at = spot->at;
	strscpy(place->name, spot->name, sizeof(place->name));
	place->ended = atomic_long_read(&ended[role]);
	/* What has ended had begun: pairs with the barriers in blow_through(). */
	smp_rmb();
	place->begun = atomic_long_read(&begun[role]);
	return 0;
}

/* ---- so many calls ---- */

static void run_task(void)
{
	unsigned int i;

	for (i = 0; i < task.times; i++)
		if (task.fn(task.a, task.b) != task.sum)
			atomic_inc(&wrong);
}

#ifdef CONFIG_X86_64
static bool nmi_wanted;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!xchg(&nmi_wanted, false))
		return NMI_DONE;
	run_task();
	/* Pairs with the acquire in run_in_nmi(): what the calls did is seen. */
	smp_store_release(&task.times, 0);
	return NMI_HANDLED;
}

static void run_in_nmi(void)
{
	WRITE_ONCE(nmi_wanted, true);
	apic->send_IPI_self(NMI_VECTOR);
	/* Pairs with the release in on_nmi(). */
	while (smp_load_acquire(&task.times))
		cpu_relax();
}
#else
static void run_in_nmi(void)
{
	run_task();
}
#endif

static long run_here(void *unused)
{
	switch (task.context) {
	case STORM_INTERRUPT:
		run_in_interrupt(run_task);
		break;
	case STORM_SOFTIRQ:
		run_in_softirq(run_task);
		break;
	case STORM_NMI:
		run_in_nmi();
		break;
	default:
		run_task();
	}
	return 0;
}

static long factorial(long n)
{
	return n ? n * factorial(n - 1) : 1;
}

/**
 * storm_run() - call a function as told
 * @run: how; its result is filled in
 *
 * Context: process context, sleeps.
 * Return: 0; -ENODEV if the place or the CPU is not there.
 */
int storm_run(struct storm_run *run)
{
	const struct storm_spot *spot = storm_spot(run->place);
	bool deep = run->place % STORM_GROUP == STORM_DEEP;

	if (!spot || run->cpu >= nr_cpu_ids || !cpu_online(run->cpu))
		return -ENODEV;
	task.fn = spot->fn;
	task.a = deep ? run->depth : 40;
	task.b = deep ? 1 : 2;
	task.sum = deep ? factorial(run->depth) : 42;
	task.times = run->times;
	task.context = run->context;
	atomic_set(&wrong, 0);
	work_on_cpu(run->cpu, run_here, NULL);
	run->result = atomic_read(&wrong);
	return 0;
}

/* ---- the wind ---- */

static struct task_struct *wind;

static void blow_through(unsigned int role)
{
	atomic_long_inc(&begun[role]);
	/* Whoever sees a hit sees that the call had begun. */
	smp_mb__after_atomic();
	if (groups[STORM_WIND].of[role].fn(40, 2) != 42)
		pr_err_once("storm: a function returned something wrong\n");
	/* Whoever sees that the call has ended sees its hits. */
	smp_mb__before_atomic();
	atomic_long_inc(&ended[role]);
}

static int wind_thread(void *unused)
{
	while (!kthread_should_stop()) {
		if (kthread_should_park())
			kthread_parkme();
		blow_through(STORM_IN_C);
		blow_through(STORM_SLOT);
		blow_through(STORM_PAIR);
		blow_through(STORM_CRAMPED);
		cond_resched_tasks_rcu_qs();
		usleep_range(50, 500);
	}
	return 0;
}

/**
 * storm_blow() - have the wind blow or stand still
 * @on: blow
 *
 * Context: process context, sleeps.
 * Return: 0 or the error of kthread_park().
 */
int storm_blow(bool on)
{
	if (!on)
		return kthread_park(wind);
	kthread_unpark(wind);
	return 0;
}

/**
 * storm_runs_init() - collect the places and start the wind
 *
 * Context: process context, sleeps.
 * Return: 0 or an error of starting the thread.
 */
int storm_runs_init(void)
{
	storm_spots_gale(&groups[STORM_HOME]);
	storm_spots_wind(&groups[STORM_WIND]);
	/* The thread does not call these. */
	groups[STORM_WIND].of[STORM_LOOP].fn = NULL;
	groups[STORM_WIND].of[STORM_DEEP].fn = NULL;
	groups[STORM_WIND].of[STORM_PAIR_NEXT].fn = NULL;
	groups[STORM_WIND].of[STORM_CRAMPED_NEXT].fn = NULL;
#ifdef CONFIG_X86_64
	if (register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_storm"))
		return -ENOMEM;
#endif
	wind = kthread_run(wind_thread, NULL, "lkp_wind");
	return PTR_ERR_OR_ZERO(wind);
}

/**
 * storm_runs_exit() - undo storm_runs_init()
 *
 * Context: process context, sleeps.
 */
void storm_runs_exit(void)
{
	kthread_unpark(wind);
	kthread_stop(wind);
#ifdef CONFIG_X86_64
	unregister_nmi_handler(NMI_LOCAL, "lkp_storm");
#endif
}
