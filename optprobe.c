// SPDX-License-Identifier: GPL-2.0-only
/*
 * The optimiser: traps become jumps.
 *
 * A jump is longer than a trap, so it may overwrite several instructions.
 * Nobody comes to the second of them any more once the trap is in place, but
 * some task may be there still: preempted, or interrupted.  So a point first
 * gets its detour, then ripens until every task has moved on, and then becomes
 * a jump, together with all others that are ripe.
 *
 * Whatever changes about a point takes it back to a trap at once, and to the
 * end of this queue.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/core.h"

/* Probes are often registered one by one: wait for more to come. */
#define DELAY		(HZ / 20 + 1)

/* For something that will not change soon: a task that is asleep, memory. */
#define RETRY_DELAY	(HZ / 2)

/* Points that are prepared before others get the mutex. */
#define STRETCH		64

bool kprobes_optimization = true;

static LIST_HEAD(waiting);	/* without a detour */
static LIST_HEAD(ripening);	/* with one; only a trap until everybody has moved on */

static void optimizer(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, optimizer);

/* ---- may it be a jump ---- */

static const char *probe_obstacle(const struct kprobe *p)
{
	if (p->post_handler)
		return "a probe here has a post_handler";
	if (p->fault_handler)
		return "a probe here has a fault_handler";
	return p->kind->why_no_jump;
}

static const char *handler_obstacle(const struct probe_point *pt)
{
	const struct kprobe *p;
	const char *why = NULL;

	list_for_each_entry(p, &pt->probes, list)
		if (!kprobe_disabled(p) && !why)
			why = probe_obstacle(p);
	return why;
}

static bool has_armed_neighbour(const struct probe_point *pt)
{
	const struct probe_point *other;
	unsigned int i;

	for (i = 1; i < ARCH_JUMP_SIZE; i++) {
		other = table_find(pt->addr + i);
		if (other && point_is_armed(other))
			return true;
	}
	return false;
}

/* Nobody tells when there is memory again, or when somebody else's breakpoint has gone. */
static bool may_pass(const char *why)
{
	return why == arch_jump_unknown || why == text_foreign;
}

static const char *text_obstacle(struct probe_point *pt)
{
	const char *why;

	if (pt->verdict != JUMP_UNKNOWN)
		return pt->stays;
	why = arch_jump_verdict(pt->addr, pt->module);
	if (may_pass(why))
		return why;
	point_judge(pt, why);
	return why;
}

/**
 * optimize_obstacle() - why is this point not to be a jump, as things stand
 * @pt: a point
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: a phrase that stands alone; NULL if it may be a jump.
 */
const char *optimize_obstacle(struct probe_point *pt)
{
	const char *why;

	if (pt->mechanism != POINT_TRAP || pt->internal)
		return "served by ftrace, not by a trap";
	if (!point_is_armed(pt) || point_is_gone(pt))
		return "probe point is disarmed";
	if (!kprobes_optimization)
		return "optimisation is turned off";
	if (point_is_disputed(pt))
		return "the text here was changed by others";
	why = handler_obstacle(pt) ?: text_obstacle(pt);
	if (!why && has_armed_neighbour(pt))
		why = "another probe lies within the bytes of the jump";
	return why;
}

/* ---- queueing ---- */

/**
 * optimize_consider() - something has changed: maybe this point can be a jump now
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 */
void optimize_consider(struct probe_point *pt)
{
	if (!kprobes_optimization || pt->mechanism != POINT_TRAP || !point_is_armed(pt) || point_is_jump(pt) ||
	    pt->internal || pt->verdict == JUMP_NEVER || list_empty(&pt->probes) || !list_empty(&pt->optimize))
		return;
	list_add_tail(&pt->optimize, &waiting);
	schedule_delayed_work(&work, DELAY);
}

/**
 * optimize_consider_around() - the same for those that a probe here has kept from it
 * @addr: where a probe was
 *
 * Context: kprobe_mutex held.
 */
void optimize_consider_around(unsigned long addr)
{
	struct probe_point *pt;
	unsigned int i;

	for (i = 0; i < ARCH_JUMP_SIZE; i++) {
		pt = table_find(addr - i);
		if (pt)
			optimize_consider(pt);
	}
}

/**
 * optimize_forget() - a point is not to become a jump after all, or is one no more
 * @pt: a point that is no jump
 *
 * Context: kprobe_mutex held, may sleep.
 */
void optimize_forget(struct probe_point *pt)
{
	list_del_init(&pt->optimize);
	if (point_has_detour(pt) && !point_has_tail(pt))
		point_move(pt, EVENT_WITHDRAW);
}

/**
 * optimize_unjump_over() - find the jumps that cover a point
 * @pt: the point
 * @todo: where they are linked, by their todo
 *
 * Context: kprobe_mutex held.
 * Return: 0; -EBUSY if there is one that could not be taken out of the text earlier.
 */
int optimize_unjump_over(struct probe_point *pt, struct list_head *todo)
{
	struct probe_point *other;
	unsigned int i;

	for (i = 1; i < ARCH_JUMP_SIZE; i++) {
		other = table_find(pt->addr - i);
		if (other && !point_has_tail(other))
			optimize_forget(other);
		else if (other && list_empty(&other->todo))
			list_add_tail(&other->todo, todo);
		else if (other && list_empty(&other->probes))
			return -EBUSY;
	}
	return 0;
}

/* ---- the optimiser ---- */

static bool try_later(struct list_head *later, struct probe_point *pt)
{
	list_move_tail(&pt->optimize, later);
	return false;
}

/* Somebody else's bytes are amid ours: that will not change by trying. */
static bool give_up(struct probe_point *pt)
{
	list_del_init(&pt->optimize);
	return true;
}

/*
 * Writing its text has failed half-way, to a jump or from one: first it is a
 * trap again.  A zombie is in a list already, and tried by its own work.
 */
static bool is_whole_trap(struct probe_point *pt)
{
	LIST_HEAD(todo);

	if (!point_has_tail(pt))
		return true;
	if (!list_empty(&pt->todo))
		return false;
	list_add(&pt->todo, &todo);
	points_unjump(&todo);
	list_del_init(&pt->todo);
	return !point_has_tail(pt);
}

/* Makes a detour, if there is none yet. */
static bool has_detour(struct probe_point *pt)
{
	if (point_has_detour(pt))
		return true;
	return !arch_jump_prepare(pt) && point_move(pt, EVENT_DETOUR);
}

/* Returns false if it has to be tried again. */
static bool prepare(struct probe_point *pt, struct list_head *later)
{
	const char *why;

	if (!is_whole_trap(pt))
		return point_is_disputed(pt) ? give_up(pt) : try_later(later, pt);
	why = optimize_obstacle(pt);
	if (why && !may_pass(why)) {
		optimize_forget(pt);
		return true;
	}
	if (why || !has_detour(pt))
		return try_later(later, pt);
	list_move_tail(&pt->optimize, &ripening);
	return true;
}

/* Thousands of detours take a while: others may register meanwhile, or end what waits here. */
static void breathe(void)
{
	mutex_unlock(&kprobe_mutex);
	cond_resched_tasks_rcu_qs();
	mutex_lock(&kprobe_mutex);
}

static bool prepare_all(void)
{
	LIST_HEAD(later);
	unsigned int nr = 0;
	bool all = true;

	/* Detours then lie as their points do, and are written and given up together. */
	points_sort(&waiting, offsetof(struct probe_point, optimize));
	while (!list_empty(&waiting)) {
		all &= prepare(list_first_entry(&waiting, struct probe_point, optimize), &later);
		if (++nr % STRETCH == 0)
			breathe();
	}
	list_splice(&later, &waiting);
	return all;
}

/*
 * Ripe are those that have been traps, untouched, since before everybody moved
 * on.  Any that came meanwhile are in the waiting list.
 */
static void take_ripe(struct list_head *todo)
{
	struct probe_point *pt, *next;

	list_for_each_entry_safe(pt, next, &ripening, optimize) {
		if (optimize_obstacle(pt) || !arch_jump_fits(pt)) {
			optimize_forget(pt);
			continue;
		}
		list_del_init(&pt->optimize);
		list_add_tail(&pt->todo, todo);
	}
}

static void jump(void)
{
	struct probe_point *pt, *next;
	LIST_HEAD(todo);

	take_ripe(&todo);
	if (list_empty(&todo))
		return;
	if (points_jump(&todo))
		pr_warn("some probes stay traps for now, as their text could not be written\n");
	list_for_each_entry_safe(pt, next, &todo, todo) {
		list_del_init(&pt->todo);
		if (!point_is_jump(pt))
			optimize_consider(pt);
	}
}

/* ---- has everybody moved on ---- */

static bool still_there;

static void look_at_word(const unsigned long *word, const unsigned long *end)
{
	const struct probe_point *pt;
	unsigned int i;

	for (i = 1; i < ARCH_JUMP_SIZE; i++) {
		pt = table_find(*word - i);
		if (pt && !list_empty(&pt->optimize) && arch_jump_overwrites(pt, *word))
			still_there = true;
	}
}

/*
 * Waiting is enough where the kernel has RCU-tasks. Elsewhere a preempted task
 * is found by what lies on its stack, and then all wait for it.
 */
static bool everybody_moved_on(void)
{
	host_wait_for_preempted();
	if (host_waits_for_preempted())
		return true;
	still_there = false;
	host_scan_stacks(look_at_word);
	return !still_there;
}

static bool optimize_once(void)
{
	bool done, moved_on;

	mutex_lock(&kprobe_mutex);
	done = prepare_all();
	moved_on = list_empty(&ripening);
	mutex_unlock(&kprobe_mutex);
	if (moved_on)
		return done;
	moved_on = everybody_moved_on();
	mutex_lock(&kprobe_mutex);
	if (moved_on)
		jump();
	mutex_unlock(&kprobe_mutex);
	return done && moved_on;
}

/* Passes that have begun, and the last that has ended: only the work itself writes them. */
static unsigned long begun, ended;
static DECLARE_WAIT_QUEUE_HEAD(somebody_waits);

static void optimizer(struct work_struct *unused)
{
	unsigned long pass = begun + 1;

	WRITE_ONCE(begun, pass);
	if (!optimize_once())
		schedule_delayed_work(&work, RETRY_DELAY);
	/* Who sees that it has ended sees the jumps. */
	smp_store_release(&ended, pass);
	wake_up_all(&somebody_waits);
}

/*
 * For one that begins now.  With tens of thousands of probes on a slow machine that
 * takes minutes: no task is to look as if it hung.
 */
static int wait_for_pass(void)
{
	unsigned long before = READ_ONCE(begun);

	mod_delayed_work(system_wq, &work, 0);
	/* Pairs with the end of a pass. */
	if (wait_event_killable(somebody_waits, smp_load_acquire(&ended) > before))
		return -EINTR;
	return 0;
}

/* ---- all at once ---- */

static void consider_all(void)
{
	struct probe_point *pt;

	list_for_each_entry(pt, &points_list, all)
		optimize_consider(pt);
}

static int unjump_all(void)
{
	struct probe_point *pt, *next;
	LIST_HEAD(todo);
	int err;

	list_for_each_entry(pt, &points_list, all) {
		if (point_has_tail(pt) && list_empty(&pt->todo))
			list_add_tail(&pt->todo, &todo);
		else if (!point_has_tail(pt))
			optimize_forget(pt);
	}
	err = points_unjump(&todo);
	list_for_each_entry_safe(pt, next, &todo, todo)
		list_del_init(&pt->todo);
	return err;
}

/**
 * optimize_all() - turn optimisation on or off for all probes
 * @on: which
 *
 * When it returns all that can be are jumps, or none is.
 *
 * Context: process context, sleeps.
 * Return: 0; -EINTR if the caller was killed meanwhile, and it goes on by itself; or
 *	an error of writing text, and then some jumps are left.
 */
int optimize_all(bool on)
{
	int err = 0;

	mutex_lock(&kprobe_mutex);
	kprobes_optimization = on;
	if (on)
		consider_all();
	else
		err = unjump_all();
	mutex_unlock(&kprobe_mutex);
	return on ? wait_for_pass() : err;
}

/**
 * optimize_exit() - end the optimiser, when no point is left
 */
void optimize_exit(void)
{
	cancel_delayed_work_sync(&work);
	arch_jump_exit();
}
