// SPDX-License-Identifier: GPL-2.0-only
/*
 * The optimiser: replaces traps by jumps.
 *
 * A jump is longer than a trap, so it may overwrite several instructions.  Once
 * the trap is in place no task newly reaches the second of them, but a task may
 * still be preempted or interrupted there.  So a point first gets its detour
 * buffer.  It then waits until the bytes are quiescent, that is, until no task
 * can resume in them.  Then it becomes a jump, together with all other points
 * that have waited long enough.  On a preemptible kernel without RCU-tasks nobody can
 * wait for that, so there are no jumps.
 *
 * Any change of a point turns it back into a trap at once, and puts it at the
 * end of this queue.
 *
 * All this happens behind the clients' backs.  One that checks the text itself can
 * wait until nothing is left to do: wait_for_kprobe_optimizer().
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/core.h"
#include "core/dispatch.h"

/* Probes are often registered one by one: wait, to handle them together. */
#define DELAY		(HZ / 20 + 1)

/* When memory is short, or another tool's breakpoint is in the way: neither changes soon. */
#define RETRY_DELAY	(HZ / 2)

bool kprobes_optimization = true;
module_param_named(optimization, kprobes_optimization, bool, 0444);
MODULE_PARM_DESC(optimization, "0: no probe becomes a jump until the sysctl is set to 1");

/*
 * How many tasks wait until the text stays as it is.  As long as there are any, a point
 * that does not become a jump is not tried again.  Guarded by kprobe_mutex.
 */
static unsigned int settlers;

static LIST_HEAD(waiting);	/* without a detour */
static LIST_HEAD(quiescing);	/* with a detour; a trap until its bytes are quiescent */

static void optimizer(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, optimizer);

/*
 * A work runs once at a time only if all queue it to one workqueue, so it must have a name here: that of
 * schedule_delayed_work() and system_wq are two in newer kernels (6.12.117, 7.2).  A pass may take minutes.
 */
#define passes_wq	system_long_wq

/* No pass is to begin any more.  Set under kprobe_mutex. */
static bool passes_over;

/* kprobe_mutex is held, or this is the work itself. */
static void queue_pass(unsigned long delay)
{
	if (!READ_ONCE(passes_over))
		queue_delayed_work(passes_wq, &work, delay);
}

/* ---- eligibility: can a point be a jump ---- */

static const char *probe_obstacle(const struct probe_point *pt, const struct kprobe *p)
{
	if (p->fault_handler && !arch_detour_tells_faults(pt))
		return "a probe here has a fault_handler";
	return NULL;
}

static const char *handler_obstacle(const struct probe_point *pt)
{
	const struct kprobe *p;
	const char *why = NULL;

	for_each_kprobe_at(p, pt)
		if (!kprobe_disabled(p) && !why)
			why = probe_obstacle(pt, p);
	return why;
}

/**
 * optimize_serves_all() - does each enabled probe of a point get what it needs behind a jump
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 * Return: false if one of them needs a trap.
 */
bool optimize_serves_all(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return !handler_obstacle(pt);
}

static bool has_armed_neighbour(const struct probe_point *pt)
{
	const struct probe_point *other;
	unsigned int i;

	for (i = 1; i < point_jump_size(pt); i++) {
		other = table_find(pt->addr + i);
		if (other && point_is_armed(other))
			return true;
	}
	return false;
}

/* There is no notification when memory is free again or a foreign breakpoint is removed. */
static bool is_temporary(const char *why)
{
	return why == arch_jump_unknown || why == text_foreign;
}

static const char *text_obstacle(struct probe_point *pt)
{
	bool is_short = false;
	const char *why;

	if (pt->verdict == JUMP_UNKNOWN) {
		why = arch_jump_verdict(pt->addr, point_module(pt), &is_short);
		if (!is_temporary(why))
			point_judge(pt, why, is_short);
		/* Others' probes have been asked for, too. */
		return why;
	}
	if (pt->verdict == JUMP_NEVER)
		return pt->stays;
	/* The verdict is final, but built-in probes come and go. */
	if (host_foreign_within(pt->addr, pt->addr + point_jump_size(pt)))
		return text_foreign;
	return NULL;
}

/**
 * optimize_never() - why no point can ever be a jump on this kernel
 *
 * Return: a complete phrase; NULL if points can be jumps.
 */
const char *optimize_never(void)
{
	if (host_waits_for_preempted())
		return NULL;
	return "this kernel is preemptible and has no RCU-tasks (CONFIG_TASKS_RCU)";
}

/**
 * optimize_obstacle() - why a point can't be a jump at present
 * @pt: a point
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: a complete phrase; NULL if it can be a jump.
 */
const char *optimize_obstacle(struct probe_point *pt)
{
	const char *why;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (pt->mechanism != POINT_TRAP || pt->internal)
		return "served by ftrace, not by a trap";
	/* Or it could not be disarmed, and calls nobody. */
	if (!point_is_armed(pt) || !point_wants_arming(pt))
		return "probe point is disarmed";
	if (!kprobes_optimization)
		return "optimisation is turned off";
	why = optimize_never();
	if (why)
		return why;
	if (point_is_disputed(pt))
		return "the text here was changed by others";
	why = handler_obstacle(pt) ?: text_obstacle(pt);
	if (!why && has_armed_neighbour(pt))
		why = "another probe lies within the bytes of the jump";
	return why ?: arch_jump_obstacle(pt);
}

/**
 * optimize_prospect() - why a point is a trap and not a jump
 * @pt: an armed point that is a trap
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: a complete phrase, also if it is going to be a jump.
 */
const char *optimize_prospect(struct probe_point *pt)
{
	const char *why = optimize_obstacle(pt);

	if (why)
		return why;
	if (!point_is_queued(pt))
		return "not tried again until 1 is written to the sysctl";
	return "about to become a jump";
}

/* ---- queueing ---- */

/**
 * optimize_consider() - queue a point that may have become eligible for a jump
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 */
void optimize_consider(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (optimize_never() || !kprobes_optimization)
		return;
	if (pt->mechanism != POINT_TRAP || pt->internal || pt->verdict == JUMP_NEVER)
		return;
	/* A jump whose gate is shut could not be removed from the text; it is made anew. */
	if (!point_is_armed(pt) || point_is_open_jump(pt) || list_empty(&pt->probes) ||
	    point_is_queued(pt))
		return;
	list_add_tail(&pt->optimize, &waiting);
	queue_pass(DELAY);
}

/**
 * optimize_consider_around() - queue the points that a probe has blocked
 * @pt: its point, which may be in the queue, too
 *
 * Context: kprobe_mutex held.
 */
void optimize_consider_around(struct probe_point *pt)
{
	struct probe_point *other;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < ARCH_JUMP_SIZE; i++) {
		other = table_find(pt->addr - i);
		if (other)
			optimize_consider(other);
	}
	arch_relays_unblock(pt);
}

/**
 * optimize_consider_between() - queue the points that what was in the text has blocked
 * @from: first address
 * @to: behind the last
 *
 * Not while a task waits until the text stays as it is.
 *
 * Context: kprobe_mutex held.
 */
void optimize_consider_between(unsigned long from, unsigned long to)
{
	struct probe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	for (; from < to && !settlers; from++) {
		pt = table_find(from);
		if (pt)
			optimize_consider(pt);
	}
}

/**
 * optimize_clean_up() - have a pass of the optimiser wait for tasks and put text back
 *
 * Context: kprobe_mutex held.
 */
void optimize_clean_up(void)
{
	lockdep_assert_held(&kprobe_mutex);
	queue_pass(DELAY);
}

/**
 * optimize_forget() - remove a point from the queue and discard its detour
 * @pt: a point that is not a jump
 *
 * Context: kprobe_mutex held, may sleep.
 */
void optimize_forget(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	point_unqueue(pt);
	if (point_has_detour(pt) && !point_has_tail(pt))
		point_move(pt, EVENT_WITHDRAW);
}

/**
 * optimize_unjump_over() - find the jumps that cover a point, or whose relays do
 * @pt: the point
 * @todo: list to which they are added, by their todo
 *
 * Context: kprobe_mutex held.
 * Return: 0; -EBUSY if one of them could not be removed from the text earlier.
 */
int optimize_unjump_over(struct probe_point *pt, struct list_head *todo)
{
	struct probe_point *other;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 1; i < ARCH_JUMP_SIZE; i++) {
		other = table_find(pt->addr - i);
		if (!other || !point_jump_covers(other, pt->addr))
			continue;
		/* Of one that is not judged yet nothing has been made, and its jump may be short. */
		if (!point_has_tail(other) && other->verdict == JUMP_UNKNOWN)
			continue;
		if (!point_has_tail(other))
			optimize_forget(other);
		else if (list_empty(&other->todo))
			list_add_tail(&other->todo, todo);
		else if (list_empty(&other->probes))
			return -EBUSY;
	}
	arch_relays_clear(pt, todo);
	return 0;
}

/* ---- one pass of the optimiser ---- */

static bool retry_later(struct list_head *later, struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (settlers) {
		optimize_forget(pt);
		return true;
	}
	list_move_tail(&pt->optimize, later);
	return false;
}

/* The text at the point was changed by others that nobody knows: retrying does not help. */
static bool stop_retrying(struct probe_point *pt)
{
	list_del_init(&pt->optimize);
	return true;
}

/*
 * If an earlier change to or from a jump failed half-way, first restores the trap.
 * A zombie is linked by its todo already, and its own work retries it.
 */
static bool restore_trap(struct probe_point *pt)
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

/* Makes a detour if the point has none yet. */
static bool has_detour(struct probe_point *pt)
{
	if (point_has_detour(pt))
		return true;
	return !arch_jump_prepare(pt) && point_move(pt, EVENT_DETOUR);
}

/* Returns false if it must be retried later. */
static bool prepare(struct probe_point *pt, struct list_head *later)
{
	const char *why;

	/* Who has a probe or breakpoint over ours, takes it back one day. */
	if (point_has_tail(pt) && point_is_copied(pt))
		return retry_later(later, pt);
	if (!restore_trap(pt))
		return point_is_disputed(pt) ? stop_retrying(pt) : retry_later(later, pt);
	why = optimize_obstacle(pt);
	if (why && !is_temporary(why)) {
		optimize_forget(pt);
		return true;
	}
	if (!why && has_detour(pt))
		list_move_tail(&pt->optimize, &quiescing);
	else if (pt->verdict == JUMP_NEVER)
		optimize_forget(pt);	/* A detour can't be made there. */
	else
		return retry_later(later, pt);
	return true;
}

/*
 * Preparing thousands of detours takes long.  While the mutex is released other tasks
 * may register probes, or unregister those that wait here.
 */
static void yield_mutex(void)
	__must_hold(&kprobe_mutex)
{
	lockdep_assert_held(&kprobe_mutex);
	mutex_unlock(&kprobe_mutex);
	cond_resched_tasks_rcu_qs();
	mutex_lock(&kprobe_mutex);
}

static bool prepare_all(void)
{
	LIST_HEAD(later);
	unsigned int nr = 0;
	bool all = true;

	lockdep_assert_held(&kprobe_mutex);
	/* Sorted: neighbours get adjacent detours, which are written and freed together. */
	points_sort(&waiting, offsetof(struct probe_point, optimize));
	host_text_begin_many();
	traces_begin_many();
	while (!list_empty(&waiting)) {
		arch_jump_begin();
		all &= prepare(list_first_entry(&waiting, struct probe_point, optimize), &later);
		arch_jump_end();
		if (++nr % STRETCH == 0)
			yield_mutex();
	}
	traces_end_many();
	host_text_end_many();
	list_splice(&later, &waiting);
	return all;
}

/*
 * Moves the quiescent points to a batch: those that have been traps, unchanged, since
 * before the wait for tasks began.  Later ones are still in the list "waiting".
 */
static void collect_quiescent(struct list_head *todo)
{
	struct probe_point *pt, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(pt, next, &quiescing, optimize) {
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

	lockdep_assert_held(&kprobe_mutex);
	collect_quiescent(&todo);
	if (list_empty(&todo))
		return;
	if (points_jump(&todo))
		pr_warn("some probes stay traps for now: their text could not be written\n");
	list_for_each_entry_safe(pt, next, &todo, todo) {
		list_del_init(&pt->todo);
		if (point_is_jump(pt))
			continue;
		if (settlers)
			optimize_forget(pt);
		else
			optimize_consider(pt);
	}
}

/*
 * Gives text back that jumps needed beside the bytes that they overwrite.  Before new jumps are
 * made, which may need the same.
 */
static bool clean_up(void)
{
	bool done = true, waits;

	mutex_lock(&kprobe_mutex);
	waits = arch_relays_begin(&done);
	mutex_unlock(&kprobe_mutex);
	if (!waits)
		return done;
	host_wait_for_preempted();
	mutex_lock(&kprobe_mutex);
	done &= arch_relays_end();
	mutex_unlock(&kprobe_mutex);
	return done;
}

static bool optimize_once(void)
{
	bool done, quiescent;

	done = clean_up();
	mutex_lock(&kprobe_mutex);
	done &= prepare_all();
	quiescent = list_empty(&quiescing);
	mutex_unlock(&kprobe_mutex);
	/* Detours may have been given up, here and by jump(). */
	traces_settle();
	if (quiescent)
		return done;
	host_wait_for_preempted();
	mutex_lock(&kprobe_mutex);
	jump();
	mutex_unlock(&kprobe_mutex);
	traces_settle();
	return done;
}

/* Number of the last pass that began, and that ended.  Only the work writes them. */
static unsigned long begun, ended;
static DECLARE_WAIT_QUEUE_HEAD(pass_waiters);

static void optimizer(struct work_struct *unused)
{
	unsigned long pass = begun + 1;

	/* What it quiesces for is its own: two at once would write jumps under tasks' feet. */
	WARN_ON_ONCE(begun != READ_ONCE(ended));
	WRITE_ONCE(begun, pass);
	if (!optimize_once())
		queue_pass(RETRY_DELAY);
	/* Pairs with the acquire in wait_for_pass(): a task that sees the end sees the jumps. */
	smp_store_release(&ended, pass);
	wake_up_all(&pass_waiters);
}

/* Returns a number for has_ended(), for a pass that begins from now on. */
static unsigned long begin_pass(void)
{
	unsigned long before = READ_ONCE(begun);

	mod_delayed_work(passes_wq, &work, 0);
	return before;
}

static bool has_ended(unsigned long before)
{
	/* Pairs with the release in optimizer(). */
	return smp_load_acquire(&ended) > before;
}

/*
 * With tens of thousands of probes on a slow machine a pass takes minutes: killable, so
 * that the hung task detector stays quiet.
 */
static int wait_for_pass(void)
{
	unsigned long before = begin_pass();

	return wait_event_killable(pass_waiters, has_ended(before)) ? -EINTR : 0;
}

/* The same, for callers that can't be told of a signal. */
static void wait_for_pass_idly(void)
{
	unsigned long before = begin_pass();

	wait_event_idle(pass_waiters, has_ended(before));
}

/* ---- optimisation on and off ---- */

static void consider_all(void)
{
	struct probe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(pt, &points_list, all)
		optimize_consider(pt);
}

static int unjump_all(void)
{
	struct probe_point *pt, *next;
	LIST_HEAD(todo);
	int err;

	lockdep_assert_held(&kprobe_mutex);
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
 * @on: true for on
 *
 * When it returns, every eligible point is a jump, or no point is.
 *
 * Context: process context, sleeps.
 * Return: 0; -EINTR if the caller was killed: then the optimiser goes on without it; or
 *	an error of writing text: then some jumps are left.
 */
int optimize_all(bool on)
{
	int err = 0;

	might_sleep();
	host_memory_try_again();
	mutex_lock(&kprobe_mutex);
	WRITE_ONCE(kprobes_optimization, on);
	if (on)
		consider_all();
	else
		err = unjump_all();
	mutex_unlock(&kprobe_mutex);
	return on ? wait_for_pass() : err;
}

/* ---- text that stays as it is ---- */

static void count_settlers(int more)
{
	mutex_lock(&kprobe_mutex);
	settlers += more;
	mutex_unlock(&kprobe_mutex);
}

/*
 * To be asked when a pass has ended that began after count_settlers(1): it leaves no
 * point to be tried later, so the two lists hold all points that may become jumps.
 */
static bool is_settled(void)
{
	bool settled;

	mutex_lock(&kprobe_mutex);
	settled = points_settle() && list_empty(&waiting) && list_empty(&quiescing) &&
		  arch_relays_settled();
	mutex_unlock(&kprobe_mutex);
	return settled;
}

/**
 * wait_for_kprobe_optimizer() - wait until the text stays as it is
 *
 * For clients that compare text with what it was before. Waits until all probes that
 * can become jumps have done so, what was unregistered has been removed from the text,
 * and the slots of unregistered probes have been cleared. From then on kprobes.ko
 * changes no text of its own accord. It changes text again when probes are registered,
 * unregistered, enabled or disabled, when the sysctl or one of the files in debugfs is
 * written to, and when modules come or go. Then wait again.
 *
 * A probe that can't become a jump for the moment, because another tool's breakpoint is
 * in the way or memory is short, stays a trap until it is enabled anew, or 1 is
 * written to the sysctl.
 *
 * Context: process context, sleeps: for a grace period of RCU-tasks, and for as long as
 * memory to remove a breakpoint is missing. Not from a probe handler.
 */
void wait_for_kprobe_optimizer(void)
{
	might_sleep();
	/* What is in the way for an instant only is gone when this pass is followed by another. */
	wait_for_pass_idly();
	count_settlers(1);
	wait_for_pass_idly();
	while (!is_settled()) {
		schedule_timeout_idle(DELAY);
		wait_for_pass_idly();
	}
	count_settlers(-1);
	host_slots_flush();
}
EXPORT_SYMBOL_GPL(wait_for_kprobe_optimizer);

/**
 * optimize_exit() - stop the optimiser, when no point is left
 *
 * Context: process context, sleeps.
 */
void optimize_exit(void)
{
	might_sleep();
	/* A module that goes while this one does may still have its text put in order. */
	mutex_lock(&kprobe_mutex);
	WRITE_ONCE(passes_over, true);
	mutex_unlock(&kprobe_mutex);
	cancel_delayed_work_sync(&work);
	arch_jump_exit();
}
