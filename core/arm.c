// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming and disarming, in batches: the text is synced once and the tracer is
 * called once for all points.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../host/inject.h"
#include "core.h"

/**
 * struct point_change - a change of the text of points, and its progress
 * @change: for host_text_change()
 * @todo: the points, linked by their todo
 * @left_out: where those go that others are in the way of; NULL: then none is changed
 * @goal: what they are to become
 * @vanishes: their text is about to vanish
 * @at: the point whose edit comes next
 * @disputed: -EBUSY if the text of some is not what it was
 */
struct point_change {
	struct text_change change;
	struct list_head *todo;
	struct list_head *left_out;
	enum point_goal goal;
	bool vanishes;
	struct probe_point *at;
	int disputed;
};

/* The points of the edits that next_edits() gave last; guarded by kprobe_mutex. */
static struct probe_point *edited[HOST_TEXT_PIECE];

static struct point_change *point_change_of(struct text_change *change)
{
	return container_of(change, struct point_change, change);
}

static bool needs_step(const struct probe_point *pt, enum point_step step, enum point_goal goal)
{
	return pt->mechanism == POINT_TRAP && state_needs_step(pt->state, step, goal);
}

/*
 * Is a built-in probe where it and ours would write over each other?  It may have come after the
 * point was registered, or judged, and be disabled: then the text does not show it.  Asked
 * under text_mutex.  One that is prepared for a jump later than that sees our trap.
 */
static bool collides(struct probe_point *pt, enum point_goal goal)
{
	if (goal == GOAL_ARM && pt->state == STATE_OFF)
		return builtin_collides(pt->addr);
	if (goal == GOAL_JUMP)
		return !arch_jump_fits(pt) ||
		       host_foreign_within(pt->addr, pt->addr + point_jump_size(pt));
	return false;
}

/* Is a trap to be written among the bytes of a jump that could not be removed? */
static bool is_covered(const struct probe_point *pt, enum point_goal goal)
{
	const struct probe_point *other;
	unsigned int i;

	if (goal != GOAL_ARM)
		return false;
	for (i = 1; i < ARCH_JUMP_SIZE; i++) {
		other = table_find(pt->addr - i);
		if (other && point_has_tail(other) && point_jump_covers(other, pt->addr))
			return true;
	}
	return arch_relays_cover(pt);
}

/*
 * Have the built-in kprobes a copy of our jump?  They refuse a probe over a trap, but take a jump
 * for an instruction of the kernel's: they execute it in their own way while their probe is
 * enabled, and write it back when that is disabled.  Until then, and while it is disabled, the
 * text does not show it.  So the jump and its detour stay until their probe is unregistered.
 */
static bool is_copied_by_builtin(const struct probe_point *pt)
{
	return point_is_jump(pt) && host_foreign_probe(pt->addr);
}

/**
 * point_is_copied() - does somebody keep a copy of what is ours in the text, and use it one day
 * @pt: a point
 *
 * A debugger's breakpoint over our trap may even be the same byte.
 *
 * Context: process context; the answer stays true within a change of text, as neither comes or
 * goes meanwhile.
 */
bool point_is_copied(const struct probe_point *pt)
{
	return point_is_armed(pt) && (host_debugger_at(pt->addr) || is_copied_by_builtin(pt));
}

/* What is in the text there is not to be touched. */
static void warn_of_dispute(const struct probe_point *pt, bool copied)
{
	if (!copied)
		pr_warn("the text at %pS is not what it was: left alone\n", (void *)pt->addr);
	else
		pr_warn("%s at %pS: what is ours stays there for as long\n",
			host_debugger_at(pt->addr) ? "a debugger has a breakpoint" :
						     "a kprobe of the kernel's own is",
			(void *)pt->addr);
}

/*
 * If another party has written to the text since we read it, it is left alone.  From text that
 * vanishes our jump is removed whatever copies there are: no built-in probe is enabled there again.
 */
static int check_point(struct probe_point *pt, const struct point_change *c)
{
	bool copied = point_is_copied(pt) && (!c->vanishes || host_debugger_at(pt->addr));
	bool intact = !copied && arch_point_intact(pt);
	enum point_event event = state_checked(pt->state, c->goal, intact, copied);
	bool known = point_is_disputed(pt);

	if (event != EVENT_NONE)
		point_move(pt, event);
	if (!intact) {
		/* Zombies are tried again every second. */
		if (!known)
			warn_of_dispute(pt, copied);
		return -EBUSY;
	}
	if (collides(pt, c->goal))
		pr_warn("a kprobe of the kernel's own is in the way of the one at %pS\n",
			(void *)pt->addr);
	else if (is_covered(pt, c->goal))
		pr_warn("a jump that can't be removed covers %pS\n", (void *)pt->addr);
	else
		return 0;
	return -EBUSY;
}

static int check_text(struct text_change *change)
{
	struct point_change *c = point_change_of(change);
	struct probe_point *pt, *next;
	int err = 0, ret;

	list_for_each_entry_safe(pt, next, c->todo, todo) {
		if (pt->mechanism != POINT_TRAP || !state_needs_check(pt->state, c->goal))
			continue;
		ret = check_point(pt, c);
		if (ret && c->left_out) {
			list_move_tail(&pt->todo, c->left_out);
			continue;
		}
		err = ret ?: err;
		if (err && state_stops_batch(c->goal))
			return err;
	}
	c->disputed = err ?: c->disputed;
	return 0;
}

/* Where no text has to be written, the step is done at once. */
static void skip_step(struct point_change *c, enum point_step step)
{
	struct probe_point *pt;

	list_for_each_entry(pt, c->todo, todo)
		if (needs_step(pt, step, c->goal))
			point_move(pt, state_step_written(step, c->goal));
}

/* A gate is data, so this needs no memory and cannot fail. */
static void shut_gates(struct point_change *c)
{
	struct probe_point *pt;
	bool any = false;

	list_for_each_entry(pt, c->todo, todo) {
		if (!needs_step(pt, STEP_GATE, c->goal))
			continue;
		arch_shut_gate(pt);
		any = true;
	}
	if (!any)
		return;
	host_text_sync();
	skip_step(c, STEP_GATE);
}

static void begin_step(struct text_change *change, unsigned int step)
{
	struct point_change *c = point_change_of(change);

	if (step == STEP_GATE)
		shut_gates(c);
	c->at = list_first_entry(c->todo, struct probe_point, todo);
	/* If the trap is as long as the jump, there are no bytes behind it to write. */
	if (step == STEP_TAIL && ARCH_JUMP_SIZE == ARCH_TRAP_SIZE)
		skip_step(c, step);
}

static void make_edit(const struct probe_point *pt, enum point_step step, enum point_goal goal,
		      struct text_edit *edit)
{
	if (step == STEP_TRAP)
		arch_edit_trap(pt, edit);
	else if (step == STEP_TAIL)
		arch_edit_tail(pt, edit, goal == GOAL_JUMP);
	else
		arch_edit_head(pt, edit, goal == GOAL_JUMP);
}

static unsigned int next_edits(struct text_change *change, unsigned int step,
			       struct text_edit *edits, unsigned int max)
{
	struct point_change *c = point_change_of(change);
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_from(c->at, c->todo, todo) {
		if (!needs_step(c->at, step, c->goal))
			continue;
		if (nr == max)
			break;
		make_edit(c->at, step, c->goal, &edits[nr]);
		edited[nr++] = c->at;
	}
	return nr;
}

/*
 * A debugger that stops all CPUs may have come between our look at the text and our store.  Then it
 * has a copy of what we have overwritten, and writes that back: so the point stays what it was.  If
 * it came behind our store, and has a copy of that, the next look finds that ours is not there.
 */
static void written(struct text_change *change, unsigned int step, unsigned int i)
{
	struct point_change *c = point_change_of(change);

	lockdep_assert_held(&kprobe_mutex);
	if (point_is_armed(edited[i]) && host_debugger_at(edited[i]->addr))
		c->disputed = -EBUSY;
	else
		point_move(edited[i], state_step_written(step, c->goal));
}

/* Callers may free handlers next, so this waits until no open gate can call them. */
static int make_change(struct point_change *c)
{
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	c->change = (struct text_change){ NR_STEPS, check_text, begin_step, next_edits, written };
	points_sort(c->todo, offsetof(struct probe_point, todo));
	err = host_text_change(&c->change);
	return err ?: c->disputed;
}

static int change_text(struct list_head *todo, enum point_goal goal)
{
	struct point_change c = { .todo = todo, .goal = goal };

	return make_change(&c);
}

/* A detour that no jump leads to, no longer or not yet, was made for old handlers. */
static void forget_jumps(struct list_head *todo)
{
	struct probe_point *pt;

	list_for_each_entry(pt, todo, todo)
		if (!point_has_tail(pt))
			optimize_forget(pt);
}

/**
 * points_unjump() - have jumps become traps again
 * @todo: points, linked by their todo; those that are no jump are skipped
 *
 * When it returns, no detour of theirs is calling a handler by itself.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; or an error, and then some are still jumps: behind them handlers are looked up.
 */
int points_unjump(struct list_head *todo)
{
	int err = 0;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!list_empty(todo)) {
		err = change_text(todo, GOAL_UNJUMP);
		forget_jumps(todo);
	}
	/* Also for detours that the caller, or the optimiser, has given up before. */
	traces_settle();
	return err;
}

/**
 * points_jump() - have traps become jumps
 * @todo: points that are armed, linked by their todo, with their detours made;
 *	no task is within the bytes that the jumps overwrite
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; or an error, and then some are still traps.
 */
int points_jump(struct list_head *todo)
{
	return change_text(todo, GOAL_JUMP);
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

static void show_unarmed_in_traces(struct list_head *todo, bool armed)
{
	struct probe_point *pt;
	bool again = false;

	list_for_each_entry(pt, todo, todo)
		if (!point_is_armed(pt))
			again |= point_show_in_traces(pt, armed, again);
}

static int disarm(struct list_head *todo, bool vanishes)
{
	struct point_change c = { .todo = todo, .goal = GOAL_DISARM, .vanishes = vanishes };
	int err, ftrace_err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	err = make_change(&c);
	forget_jumps(todo);
	show_unarmed_in_traces(todo, false);
	traces_settle();
	ftrace_err = change_ftrace(todo, false);
	builtin_unrestrain();
	return err ?: ftrace_err;
}

/**
 * points_disarm() - disarm points
 * @todo: points, linked by their todo; those that are not armed are skipped
 *
 * When it returns, no CPU is in the trap of a point that has been disarmed.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; or the last error, and then some points are still armed.
 */
int points_disarm(struct list_head *todo)
{
	return disarm(todo, false);
}

/**
 * points_disarm_vanishing() - disarm points whose text is about to vanish
 * @todo: as for points_disarm()
 *
 * Context: as points_disarm().
 * Return: as points_disarm().
 */
int points_disarm_vanishing(struct list_head *todo)
{
	return disarm(todo, true);
}

/* The todo list holds no points that were armed before. */
static void undo(struct list_head *todo)
{
	if (points_disarm(todo))
		pr_err("some probe points could not be disarmed again\n");
}

/* A trap cannot be written into a jump: jumps that overlap become traps first. */
static int unjump_overlapping(struct list_head *todo)
{
	struct probe_point *pt, *next;
	LIST_HEAD(jumps);
	int err = 0;

	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_TRAP)
			err = optimize_unjump_over(pt, &jumps) ?: err;
	err = points_unjump(&jumps) ?: err;
	list_for_each_entry_safe(pt, next, &jumps, todo) {
		list_del_init(&pt->todo);
		optimize_consider(pt);
	}
	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_TRAP)
			err = arch_relays_vacate(pt) ?: err;
	return err;
}

static int arm_text(struct list_head *todo, struct list_head *left_out)
{
	struct point_change c = { .todo = todo, .left_out = left_out, .goal = GOAL_ARM };
	int err = unjump_overlapping(todo);

	/* Those that a jump still covers are found, and left out. */
	if (err && !(left_out && err == -EBUSY))
		return err;
	return make_change(&c);
}

/* They have not been armed. */
static void forget_left_out(struct list_head *left_out)
{
	if (list_empty(left_out))
		return;
	show_unarmed_in_traces(left_out, false);
	traces_settle();
	builtin_unrestrain();
}

/*
 * The tracer first: it looks at all its sites, each time by functions that may have traps next.  One that
 * has failed keeps none but its own off.
 */
static int arm_traced(struct list_head *todo, struct list_head *left_out)
{
	int err = change_ftrace(todo, true);
	struct probe_point *pt, *next;

	if (err != -ENODEV || !left_out)
		return err;
	list_for_each_entry_safe(pt, next, todo, todo)
		if (pt->mechanism == POINT_FTRACE && !point_is_armed(pt))
			list_move_tail(&pt->todo, left_out);
	pr_warn("the function tracer has failed: probes on its sites stay off\n");
	return 0;
}

/**
 * points_arm() - arm points
 * @todo: points that are not armed, linked by their todo
 * @left_out: an empty list, to which those are moved that others are in the way of; the rest is
 *	armed.  NULL: one such point is an error
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -ENOMEM; -EBUSY if another party has changed the text; an error of
 * ftrace or of builtin_restrain().  On error none is armed, as far as that can be undone.
 */
int points_arm(struct list_head *todo, struct list_head *left_out)
{
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (list_empty(todo))
		return 0;
	show_unarmed_in_traces(todo, true);
	err = builtin_restrain(todo);
	if (!err)
		err = arm_traced(todo, left_out);
	if (!err)
		err = arm_text(todo, left_out);
	if (err)
		undo(todo);
	if (left_out)
		forget_left_out(left_out);
	return err;
}
