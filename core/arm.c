// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming and disarming, in batches: however many points, the text is synced
 * once and the tracer is asked once.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../host/inject.h"
#include "core.h"

/*
 * A step is written piece by piece, which needs no allocation; the CPUs are
 * synced when all of it has been.
 */
#define PIECE	256

static struct text_edit edits[PIECE];
static struct probe_point *edited[PIECE];

static void make_edit(const struct probe_point *pt, enum point_step step, enum point_goal goal,
		      struct text_edit *edit)
{
	if (step == STEP_GATE)
		arch_edit_gate(pt, edit);
	else if (step == STEP_TRAP)
		arch_edit_trap(pt, edit);
	else if (step == STEP_TAIL)
		arch_edit_tail(pt, edit, goal == GOAL_JUMP);
	else
		arch_edit_head(pt, edit, goal == GOAL_JUMP);
}

static bool was_made(const struct text_edit *edit)
{
	return host_text_is(edit->addr, edit->bytes, edit->len);
}

/* The next edits of a step, of the points from *@pt on; moves it behind them. */
static unsigned int next_piece(struct list_head *todo, struct probe_point **pt,
			       enum point_step step, enum point_goal goal)
{
	unsigned int nr = 0;

	list_for_each_entry_from((*pt), todo, todo) {
		if ((*pt)->mechanism != POINT_TRAP || !state_needs_step((*pt)->state, step, goal))
			continue;
		if (nr == PIECE)
			break;
		make_edit(*pt, step, goal, &edits[nr]);
		edited[nr++] = *pt;
	}
	return nr;
}

/* What could not be written is left, with all that follows. */
static int write_pieces(struct list_head *todo, enum point_step step, enum point_goal goal)
{
	struct probe_point *pt = list_first_entry(todo, struct probe_point, todo);
	unsigned int nr;
	int err = 0;

	while (!err && (nr = next_piece(todo, &pt, step, goal)))
		err = host_text_write_live(edits, nr);
	return err;
}

/* If not all could be written some of it may have been: that is done, and stays. */
static void finish_pieces(struct list_head *todo, enum point_step step, enum point_goal goal,
			  bool all)
{
	struct probe_point *pt = list_first_entry(todo, struct probe_point, todo);
	unsigned int nr, i;

	while ((nr = next_piece(todo, &pt, step, goal))) {
		if (all)
			host_text_write_again(edits, nr);
		for (i = 0; i < nr; i++)
			if (all || was_made(&edits[i]))
				point_move(edited[i], state_step_written(step, goal));
	}
}

static bool is_step(struct list_head *todo, enum point_step step, enum point_goal goal)
{
	struct probe_point *pt = list_first_entry(todo, struct probe_point, todo);

	return next_piece(todo, &pt, step, goal);
}

/* Where the trap is as long as a jump there are no bytes behind it. */
static int skip_step(struct list_head *todo, enum point_step step, enum point_goal goal)
{
	struct probe_point *pt;

	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_TRAP && state_needs_step(pt->state, step, goal))
			point_move(pt, state_step_written(step, goal));
	return 0;
}

static int do_step(struct list_head *todo, enum point_step step, enum point_goal goal)
{
	int err;

	if (!is_step(todo, step, goal))
		return 0;
	if (step == STEP_TAIL && ARCH_JUMP_SIZE == ARCH_TRAP_SIZE)
		return skip_step(todo, step, goal);
	err = write_pieces(todo, step, goal);
	host_text_sync();
	finish_pieces(todo, step, goal, !err);
	return err;
}

/* Where somebody else has written since we read the text, ours is left as it is. */
static int check_point(struct probe_point *pt, enum point_goal goal)
{
	bool intact = arch_point_intact(pt);
	enum point_event event = state_checked(pt->state, goal, intact);

	if (event != EVENT_NONE)
		point_move(pt, event);
	if (intact)
		return 0;
	pr_warn("the text at %pS is not what it was: left alone\n", (void *)pt->addr);
	return -EBUSY;
}

static int check_text(struct list_head *todo, enum point_goal goal)
{
	struct probe_point *pt;
	int err = 0;

	list_for_each_entry(pt, todo, todo) {
		if (pt->mechanism == POINT_TRAP && state_needs_check(pt->state, goal))
			err = check_point(pt, goal) ?: err;
		if (err && state_stops_batch(goal))
			break;
	}
	return err;
}

static int change_text(struct list_head *todo, enum point_goal goal)
{
	enum point_step step;
	int err = 0;

	points_sort(todo, offsetof(struct probe_point, todo));
	/* No caller may go on while a detour may still call handlers. */
	while (do_step(todo, STEP_GATE, goal) == -ENOMEM)
		usleep_range(1000, 2000);
	for (step = STEP_TRAP; step < NR_STEPS && !err; step++)
		err = do_step(todo, step, goal);
	host_text_sync();
	return err;
}

/* A detour that is not led to any more, or not yet, is for the handlers of before. */
static void forget_jumps(struct list_head *todo)
{
	struct probe_point *pt;

	list_for_each_entry(pt, todo, todo)
		if (!point_has_tail(pt))
			optimize_forget(pt);
}

/**
 * points_unjump() - have jumps become traps again
 * @todo: points, linked by their todo; those that are no jump are passed over
 *
 * When it returns no handler is being called from a detour of theirs.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; or an error, and then some are still jumps.
 */
int points_unjump(struct list_head *todo)
{
	int err;

	if (list_empty(todo))
		return 0;
	err = check_text(todo, GOAL_UNJUMP);
	err = change_text(todo, GOAL_UNJUMP) ?: err;
	forget_jumps(todo);
	return err;
}

/**
 * points_jump() - have traps become jumps
 * @todo: points that are armed, linked by their todo, with their detours made;
 *	nobody is amid the bytes that the jumps overwrite
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; or an error, and then some are still traps.
 */
int points_jump(struct list_head *todo)
{
	int err = check_text(todo, GOAL_JUMP);

	return err ?: change_text(todo, GOAL_JUMP);
}

static unsigned int count_ftrace(struct list_head *todo, bool arm)
{
	struct probe_point *pt;
	unsigned int nr = 0;

	list_for_each_entry(pt, todo, todo)
		nr += pt->mechanism == POINT_FTRACE && point_is_armed(pt) != arm;
	return nr;
}

static int call_ftrace(unsigned long *sites, unsigned int nr, bool arm)
{
	return arm ? host_ftrace_arm(sites, nr) : host_ftrace_disarm(sites, nr);
}

static int change_ftrace_at_once(struct list_head *todo, unsigned long *sites, bool arm)
{
	struct probe_point *pt;
	unsigned int nr = 0;
	int err;

	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_FTRACE && point_is_armed(pt) != arm)
			sites[nr++] = pt->addr;
	err = call_ftrace(sites, nr, arm);
	if (err)
		return err;
	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_FTRACE && point_is_armed(pt) != arm)
			point_move(pt, arm ? EVENT_TRACE : EVENT_UNTRACE);
	return 0;
}

static int change_ftrace_one_by_one(struct list_head *todo, bool arm)
{
	struct probe_point *pt;
	int err = 0, ret;

	list_for_each_entry(pt, todo, todo) {
		if (pt->mechanism != POINT_FTRACE || point_is_armed(pt) == arm)
			continue;
		ret = call_ftrace(&pt->addr, 1, arm);
		if (!ret)
			point_move(pt, arm ? EVENT_TRACE : EVENT_UNTRACE);
		else
			err = ret;
	}
	return err;
}

static int change_ftrace(struct list_head *todo, bool arm)
{
	unsigned int nr = count_ftrace(todo, arm);
	unsigned long *sites;
	int err;

	if (!nr)
		return 0;
	sites = inject_failure() ? NULL : kvmalloc_array(nr, sizeof(*sites), GFP_KERNEL);
	if (!sites)
		return change_ftrace_one_by_one(todo, arm);
	err = change_ftrace_at_once(todo, sites, arm);
	kvfree(sites);
	return err;
}

/**
 * points_disarm() - have hits of these points reach us no more
 * @todo: points, linked by their todo; those that are not armed are passed over
 *
 * When it returns no CPU is in the trap of a point that has been disarmed.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; or the last error, and then some points are still armed.
 */
int points_disarm(struct list_head *todo)
{
	int changed, err, ftrace_err;

	changed = check_text(todo, GOAL_DISARM);
	err = change_text(todo, GOAL_DISARM);
	forget_jumps(todo);
	ftrace_err = change_ftrace(todo, false);
	return err ?: changed ?: ftrace_err;
}

/* Leave those alone that were armed before: the todo list holds only others. */
static void undo(struct list_head *todo)
{
	if (points_disarm(todo))
		pr_err("some probe points could not be disarmed again\n");
}

/* A trap cannot go where a jump is: those that overlap become traps themselves. */
static int make_way(struct list_head *todo)
{
	struct probe_point *pt, *next;
	LIST_HEAD(jumps);
	int err = 0;

	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_TRAP && !err)
			err = optimize_unjump_over(pt, &jumps);
	err = points_unjump(&jumps) ?: err;
	list_for_each_entry_safe(pt, next, &jumps, todo) {
		list_del_init(&pt->todo);
		optimize_consider(pt);
	}
	return err;
}

/**
 * points_arm() - have hits of these points reach us
 * @todo: points that are not armed, linked by their todo
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -ENOMEM, -EBUSY if somebody else has changed the text, an error
 * of ftrace's; on error none is armed, as far as that can be undone.
 */
int points_arm(struct list_head *todo)
{
	int err;

	if (list_empty(todo))
		return 0;
	err = make_way(todo);
	if (!err)
		err = check_text(todo, GOAL_ARM);
	if (!err)
		err = change_text(todo, GOAL_ARM);
	if (!err)
		err = change_ftrace(todo, true);
	if (err)
		undo(todo);
	return err;
}
