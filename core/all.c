// SPDX-License-Identifier: GPL-2.0-only
/*
 * All probes on and off.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "core.h"
#include "todo.h"

bool kprobes_all_disarmed;

/* Once this has returned, and all CPUs were interrupted, no hit calls anybody if @disarmed. */
static void note_all_disarmed(bool disarmed)
{
	struct probe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(kprobes_all_disarmed, disarmed);
	list_for_each_entry(pt, &points_list, all) {
		point_refresh(pt);
		cond_resched_tasks_rcu_qs();
	}
}

/* Zombies are in a list already, and tried again by themselves. */
static void collect(struct list_head *todo, bool to_be_armed)
{
	struct probe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(pt, &points_list, all)
		if (!pt->internal && !point_is_gone(pt) && point_is_armed(pt) != to_be_armed &&
		    point_wants_arming(pt) == to_be_armed)
			todo_add(todo, pt);
}

/* Those that were armed all the time may be jumps whose gate was shut. */
static void consider_armed(void)
{
	struct probe_point *pt;

	list_for_each_entry(pt, &points_list, all)
		if (point_is_armed(pt))
			optimize_consider(pt);
}

/* While all are off: what a tracer that has failed did not let go is armed, but may get no hits. */
static bool some_are_deaf(void)
{
	struct probe_point *pt;

	list_for_each_entry(pt, &points_list, all)
		if (!pt->internal && point_may_be_deaf(pt)) {
			pr_warn("the function tracer has failed: some probes may get no hits\n");
			return true;
		}
	return false;
}

/* *busy is set if others are in the way of some: only those stay off. */
static int arm_all(bool *busy)
{
	bool before = kprobes_all_disarmed, deaf = before && some_are_deaf();
	LIST_HEAD(todo);
	LIST_HEAD(left_out);
	int err;

	note_all_disarmed(false);
	collect(&todo, true);
	err = points_arm(&todo, &left_out);
	*busy = deaf || !list_empty(&left_out);
	if (err)
		note_all_disarmed(before);
	/* Also after an error, where some were jumps that could not be disarmed. */
	if (!kprobes_all_disarmed)
		consider_armed();
	todo_clear(&todo);
	todo_clear(&left_out);
	return err;
}

/* If others have the last word about some, those stay armed for as long, and call nobody. */
static bool others_decide(const struct list_head *todo)
{
	const struct probe_point *pt;

	list_for_each_entry(pt, todo, todo)
		if (point_is_armed(pt) && !point_is_kept_armed(pt))
			return false;
	return true;
}

/* If memory is short, all are armed again. */
static int disarm_all(void)
{
	bool before = kprobes_all_disarmed, done, busy = false;
	LIST_HEAD(todo);
	int err;

	note_all_disarmed(true);
	collect(&todo, false);
	err = points_disarm(&todo);
	done = !err || others_decide(&todo);
	todo_clear(&todo);
	if (done || before) {
		if (err)
			points_disarm_later();
		return 0;
	}
	if (arm_all(&busy) || busy)
		pr_err("some probes are off that should be on\n");
	return err;
}

static int points_set_armed(bool armed, bool *busy)
{
	lockdep_assert_held(&kprobe_mutex);
	points_mend();
	return armed ? arm_all(busy) : disarm_all();
}

static int set_armed(bool armed, bool *busy)
{
	bool changes = kprobes_all_disarmed == armed, unused;
	int err = points_set_armed(armed, busy);

	if (err || !changes)
		return err;
	err = other_sites_set_armed(armed, busy);
	if (err && points_set_armed(!armed, &unused))
		pr_err("some probes are %s that should not be\n", armed ? "on" : "off");
	return err;
}

/**
 * probes_set_armed() - arm or disarm all probes
 * @armed: true to arm them
 *
 * Each kprobe keeps its own disabled state for when all are armed again.  What could not be done
 * the last time is tried again.
 *
 * Context: process context, sleeps.
 * Return: 0; or -EBUSY if others are in the way of some: all but those are armed, and the log says
 * which; or an error of arming or disarming, and then nothing has changed.
 */
int probes_set_armed(bool armed)
{
	bool busy = false, before;
	int err;

	might_sleep();
	mutex_lock(&kprobe_mutex);
	before = kprobes_all_disarmed;
	err = set_armed(armed, &busy);
	if (err || kprobes_all_disarmed != before)
		pr_info("all probes %sarmed\n", kprobes_all_disarmed ? "dis" : "");
	mutex_unlock(&kprobe_mutex);
	return err ?: busy ? -EBUSY : 0;
}
