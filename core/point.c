// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe points: created for the first probe at an address, released after the last.
 *
 * A point whose trap can't be removed from the text (no memory to map it) must not be
 * released.  It stays in the table as a zombie: it has no probes, its hits still execute
 * the instruction, and it keeps the module loaded until a later attempt succeeds.  If kprobes
 * that nobody wants armed are left at the point, or come to it, it is no zombie, but idle, and
 * tried again with those.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/list_sort.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../host/inject.h"
#include "core.h"
#include "profile.h"

#define RETRY_DELAY	HZ

/* Some points that nobody wants armed are, and have kprobes.  By kprobe_mutex. */
static bool idle_are_armed;

LIST_HEAD(points_list);
LIST_HEAD(gone_list);
static LIST_HEAD(zombies);	/* guarded by kprobe_mutex */

static void retry_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry, retry_work);

/**
 * point_create() - create the probe point for an address that passed all checks
 * @where: the address
 * @why: on error, the reason: a phrase that stands alone
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: the point, in the table and not armed; an ERR_PTR() of
 * arch_point_prepare(), or -ENOMEM.
 */
struct probe_point *point_create(const struct probe_address *where, const char **why)
{
	struct probe_point *pt = inject_failure() ? NULL : kzalloc(sizeof(*pt), GFP_KERNEL);
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	*why = "out of memory";
	if (!pt)
		return ERR_PTR(-ENOMEM);
	pt->addr = where->addr;
	pt->mechanism = where->mechanism;
	INIT_LIST_HEAD(&pt->probes);
	INIT_LIST_HEAD(&pt->registered);
	INIT_LIST_HEAD(&pt->todo);
	INIT_LIST_HEAD(&pt->optimize);

	*why = text_foreign;
	err = where->known ? arch_point_prepare(pt, where->bytes, where->known, why) : -EINVAL;
	if (err) {
		kfree(pt);
		return ERR_PTR(err);
	}
	err = table_insert(pt);
	if (err) {
		*why = "out of memory";
		arch_point_release(pt);
		return ERR_PTR(err);
	}
	/* Fault handling walks the list without a lock. */
	list_add_tail_rcu(&pt->all, &points_list);
	return pt;
}

static bool any_enabled(const struct probe_point *pt)
{
	const struct kprobe *p;

	for_each_kprobe_at(p, pt)
		if (!kprobe_disabled(p))
			return true;
	return false;
}

/**
 * point_wants_arming() - should this point be armed now
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 */
bool point_wants_arming(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (pt->internal)
		return !list_empty(&pt->probes);
	return !point_is_gone(pt) && !kprobes_all_disarmed && any_enabled(pt);
}

/* The only kprobe, if it is enabled and the point is not apart. */
static struct kprobe *solo_of(struct probe_point *pt)
{
	struct kprobe *p = list_first_entry_or_null(&pt->probes, struct kprobe, list);

	if (!p || !list_is_singular(&pt->probes) || pt->apart || kprobe_disabled(p))
		return NULL;
	return p;
}

/**
 * point_refresh() - recompute what a hit reads in place of each kprobe
 * @pt: a point whose kprobes have changed
 *
 * Context: kprobe_mutex held.
 */
void point_refresh(struct probe_point *pt)
{
	struct kprobe *solo, *solo_post;
	bool has_post = false, apart = pt->internal || profile_on || kprobes_all_disarmed;
	const struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	for_each_kprobe_at(p, pt) {
		has_post |= p->post_handler && !kprobe_disabled(p);
		apart |= !!p->fault_handler;
	}
	if (has_post && !point_is_gone(pt))
		arch_post_prepare(pt);
	WRITE_ONCE(pt->has_post, has_post);
	WRITE_ONCE(pt->apart, apart);
	solo = solo_of(pt);
	solo_post = solo && solo->post_handler ? solo : NULL;
	/* Orders the contents of the kprobe before the pointer that a hit reads. */
	smp_store_release(&pt->solo, solo && solo->pre_handler && !solo_post ? solo : NULL);
	/* The same for this one. */
	smp_store_release(&pt->solo_post, solo_post);
}

/**
 * point_leave_zombies() - do not try again by itself to release a point
 * @pt: a point, a zombie or not; it is on no other list by its todo
 *
 * Context: kprobe_mutex held, which the caller keeps until the point is gone or has a probe.
 */
void point_leave_zombies(struct probe_point *pt)
{
	struct probe_point *at;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(at, &zombies, todo) {
		if (at == pt) {
			list_del_init(&pt->todo);
			module_put(THIS_MODULE);
			return;
		}
	}
}

/*
 * A probe that redirects goes last; a point has one at most.  Probes of a kind that goes
 * first are ordered as by the tracer, the newest at the head.
 */
static struct list_head *place_before(struct probe_point *pt, const struct kprobe *p)
{
	struct kprobe *last;

	if (p->kind->goes_first)
		return pt->probes.next;
	if (list_empty(&pt->probes))
		return &pt->probes;
	last = list_last_entry(&pt->probes, struct kprobe, list);
	return registered_kind(last)->redirects ? &last->list : &pt->probes;
}

/**
 * point_describe() - tell the client of a kprobe what its point is
 * @pt: the point
 * @p: a kprobe there
 *
 * Context: kprobe_mutex held.
 */
void point_describe(const struct probe_point *pt, struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	p->addr = (kprobe_opcode_t *)pt->addr;
	p->opcode = *(const kprobe_opcode_t *)arch_point_bytes(pt);
	if (pt->mechanism == POINT_FTRACE)
		kprobe_set_flags(p, KPROBE_FLAG_FTRACE);
	if (point_is_jump(pt))
		kprobe_set_flags(p, KPROBE_FLAG_OPTIMIZED);
	if (point_is_gone(pt))
		kprobe_set_flags(p, KPROBE_FLAG_GONE);
}

/**
 * point_attach() - add a kprobe to a point
 * @pt: the point
 * @p: a kprobe that is at no point, with its kind set; registered_add() knows it
 *
 * Context: kprobe_mutex held. If the point is armed, @p may be hit at once.
 */
void point_attach(struct probe_point *pt, struct kprobe *p)
{
	struct list_head *before;

	lockdep_assert_held(&kprobe_mutex);
	point_leave_zombies(pt);
	p->point = pt;
	point_describe(pt, p);
	before = place_before(pt, p);
	registered_place(p, before == &pt->probes ? NULL : list_entry(before, struct kprobe, list));
	point_refresh(pt);
}

/**
 * point_detach() - remove a kprobe from its point
 * @pt: the point
 * @p: a kprobe there
 *
 * Context: kprobe_mutex held. A handler may still be running until points_release() returns.
 */
void point_detach(struct probe_point *pt, struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	registered_drop(p);
	kprobe_clear_flags(p, KPROBE_FLAG_OPTIMIZED);
	point_refresh(pt);
}

static void mark_optimized(struct probe_point *pt, bool optimized)
{
	struct kprobe *p;

	for_each_kprobe_at(p, pt) {
		if (optimized)
			kprobe_set_flags(p, KPROBE_FLAG_OPTIMIZED);
		else
			kprobe_clear_flags(p, KPROBE_FLAG_OPTIMIZED);
	}
}

/**
 * point_move() - change the state of a point after an event
 * @pt: the point
 * @event: what has happened
 *
 * The only place that writes the state.  It also does what depends on it: a detour is
 * published when the point enters a state that has one, and discarded when it leaves
 * such states.
 *
 * Context: kprobe_mutex held, may sleep.
 * Return: false if the event is illegal in the point's state, and nothing has changed.
 */
bool point_move(struct probe_point *pt, enum point_event event)
{
	enum point_state to = state_after(pt->state, event);
	bool had_detour = point_has_detour(pt), was_jump = point_is_jump(pt);

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (WARN_ON_ONCE(to == STATE_ILLEGAL))
		return false;
	WRITE_ONCE(pt->state, to);
	if (point_is_jump(pt) != was_jump)
		mark_optimized(pt, !was_jump);
	if (point_has_detour(pt) && !had_detour)
		arch_jump_publish(pt);
	else if (!point_has_detour(pt) && had_detour)
		arch_jump_discard(pt);
	return true;
}

/**
 * point_mark_gone() - the text of a point is about to vanish
 * @pt: a point that no task executes any more
 *
 * Its kprobes stay registered until their owners unregister them.  If the tracer could not be told
 * to leave its site alone, that goes as well.
 *
 * Context: kprobe_mutex held.
 */
void point_mark_gone(struct probe_point *pt)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	point_leave_zombies(pt);
	point_unqueue(pt);
	if (pt->state == STATE_TRACED)
		host_ftrace_forget();
	point_move(pt, EVENT_VANISH);
	for_each_kprobe_at(p, pt)
		kprobe_set_flags(p, KPROBE_FLAG_GONE);
	point_refresh(pt);
	table_remove(pt);
	/* Nobody asks any more why it is no jump. */
	pt->verdict = JUMP_UNKNOWN;
	list_add_tail(&pt->gone_all, &gone_list);
}

/**
 * point_show_in_traces() - have stack traces go through the slot of a point, or no longer
 * @pt: a point that is about to be armed, or is not armed any more
 * @armed: which of both
 * @again: another one was shown right before, and all slots of both existed then
 *
 * While nothing is armed the unwinder is as the kernel has it.  A task that is still in the slot of
 * a point that was disarmed has a trace that is not reliable.
 *
 * Context: kprobe_mutex held, sleeps; text_mutex not held.
 * Return: is it shown, and was not before.
 */
bool point_show_in_traces(struct probe_point *pt, bool armed, bool again)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!ARCH_TRACES_SLOTS || !pt->arch.slot || pt->described == armed)
		return false;
	pt->described = armed;
	if (!armed)
		traces_release();
	else if (again)
		traces_hold_again();
	else
		traces_hold();
	return armed;
}

static bool is_kept_by_tracer(const struct probe_point *pt)
{
	return pt->mechanism == POINT_FTRACE && point_is_armed(pt) && host_ftrace_keeps_sites();
}

/**
 * point_is_kept_armed() - does somebody keep what is ours in the text, for any time
 * @pt: an armed point
 *
 * Whoever waits for points to settle does not wait for this one.
 *
 * Context: kprobe_mutex held.
 */
bool point_is_kept_armed(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return point_is_disputed(pt) || is_kept_by_tracer(pt);
}

/**
 * point_may_be_deaf() - is it armed only because a tracer that has failed did not let it go
 * @pt: a point, before a probe there is added or enabled
 *
 * The tracer may have failed before it has changed this site, or behind that: nobody knows whether it
 * calls us.
 *
 * Context: kprobe_mutex held.
 */
bool point_may_be_deaf(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return is_kept_by_tracer(pt) && !point_wants_arming(pt);
}

/* One that the tracer keeps is not tried again: nothing changes for it any more. */
static void retry_later(const struct probe_point *pt)
{
	if (!is_kept_by_tracer(pt))
		schedule_delayed_work(&retry, RETRY_DELAY);
}

static void keep_zombie(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	__module_get(THIS_MODULE);
	point_unqueue(pt);
	list_move_tail(&pt->todo, &zombies);
	retry_later(pt);
}

static unsigned long addr_of(const struct list_head *at, size_t link)
{
	return ((const struct probe_point *)((const void *)at - link))->addr;
}

static int by_address(void *link, const struct list_head *a, const struct list_head *b)
{
	unsigned long addr_a = addr_of(a, (size_t)link), addr_b = addr_of(b, (size_t)link);

	return addr_a < addr_b ? -1 : addr_a > addr_b;
}

/* From this many on digits are faster than comparisons. */
#define MANY_TO_SORT	128

#define DIGIT_BITS	8
#define NR_DIGITS	(1u << DIGIT_BITS)

/* One bucket for each value of a digit.  Both are guarded by kprobe_mutex. */
static struct list_head *buckets[NR_DIGITS], **bucket_ends[NR_DIGITS];

/* Sorts by one digit, and leaves those with the same one in their order. */
static struct list_head *sort_by_digit(struct list_head *at, size_t link, unsigned int shift)
{
	struct list_head *first, **end = &first;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < NR_DIGITS; i++)
		bucket_ends[i] = &buckets[i];
	for (; at; at = at->next) {
		i = addr_of(at, link) >> shift & (NR_DIGITS - 1);
		*bucket_ends[i] = at;
		bucket_ends[i] = &at->next;
	}
	for (i = 0; i < NR_DIGITS; i++) {
		if (bucket_ends[i] == &buckets[i])
			continue;
		*end = buckets[i];
		end = bucket_ends[i];
	}
	*end = NULL;
	return first;
}

/* @differ has the bits in which the addresses differ. */
static void sort_by_digits(struct list_head *points, size_t link, unsigned long differ)
{
	struct list_head *at = points->next, *last = points;
	unsigned int shift;

	points->prev->next = NULL;
	for (shift = 0; shift < BITS_PER_LONG; shift += DIGIT_BITS)
		if (differ >> shift & (NR_DIGITS - 1))
			at = sort_by_digit(at, link, shift);
	points->next = at;
	for (; at; last = at, at = at->next)
		at->prev = last;
	last->next = points;
	points->prev = last;
}

/**
 * points_sort() - sort points by address
 * @points: a list of points, which nobody else walks meanwhile
 * @link: offset of the member that links them
 *
 * Context: kprobe_mutex held.
 */
void points_sort(struct list_head *points, size_t link)
{
	unsigned long differ = 0;
	struct list_head *at;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each(at, points) {
		differ |= addr_of(at, link) ^ addr_of(points->next, link);
		nr++;
	}
	if (nr < MANY_TO_SORT)
		list_sort((void *)link, points, by_address);
	else
		sort_by_digits(points, link, differ);
}

static void let_others_run(unsigned int *nr)
{
	if (++*nr % STRETCH == 0)
		cond_resched_tasks_rcu_qs();
}

/* Nobody finds it any more, but who has found it before. */
static void leave_lists(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	table_remove(pt);
	list_del_rcu(&pt->all);
	if (point_is_gone(pt))
		list_del_init(&pt->gone_all);
	optimize_forget(pt);
}

/**
 * points_release() - release points that have no kprobe left
 * @points: linked by their todo; those that are still armed are kept as zombies
 *
 * Every way to unregister ends here, also if no point is released: when it returns no handler of
 * a kprobe that was detached before is running, on any CPU.
 *
 * Context: kprobe_mutex held, sleeps for a grace period.
 */
void points_release(struct list_head *points)
{
	struct probe_point *pt, *next;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_for_each_entry_safe(pt, next, points, todo) {
		if (point_is_armed(pt))
			keep_zombie(pt);
		else
			leave_lists(pt);
		let_others_run(&nr);
	}
	/* Where these were, others may become jumps now. */
	list_for_each_entry(pt, points, todo) {
		if (list_empty(&points_list))
			break;
		optimize_consider_around(pt);
		let_others_run(&nr);
	}
	table_wait();
	list_for_each_entry_safe(pt, next, points, todo) {
		list_del(&pt->todo);
		point_show_in_traces(pt, false, false);
		arch_point_release(pt);
		let_others_run(&nr);
	}
	registered_free_dropped();
	/* Their detours have gone. */
	traces_settle();
}

static bool is_idle_but_armed(const struct probe_point *pt)
{
	return !list_empty(&pt->probes) && !point_is_gone(pt) && point_is_armed(pt) &&
	       !point_wants_arming(pt);
}

/**
 * points_disarm_later() - some points are armed, have kprobes, and nobody wants them armed
 *
 * They could not be disarmed.  Their hits call nobody: each kprobe is disabled, or all are off.
 *
 * Context: kprobe_mutex held.
 */
void points_disarm_later(void)
{
	lockdep_assert_held(&kprobe_mutex);
	idle_are_armed = true;
	schedule_delayed_work(&retry, RETRY_DELAY);
}

static void retry_idle(void)
{
	struct probe_point *pt, *next;
	LIST_HEAD(batch);

	lockdep_assert_held(&kprobe_mutex);
	if (!idle_are_armed)
		return;
	list_for_each_entry(pt, &points_list, all)
		if (is_idle_but_armed(pt) && list_empty(&pt->todo))
			list_add_tail(&pt->todo, &batch);
	idle_are_armed = false;
	if (!list_empty(&batch))
		points_disarm(&batch);
	list_for_each_entry_safe(pt, next, &batch, todo) {
		list_del_init(&pt->todo);
		if (!point_is_armed(pt))
			optimize_consider_around(pt);
		else if (!is_kept_by_tracer(pt))
			points_disarm_later();
	}
}

/*
 * Tries again to disarm and release zombies.  Each holds a reference to this module.
 * One that stays a zombie takes a new reference before the old one is dropped, or
 * rmmod could succeed in between.
 */
static void retry_zombies(void)
{
	struct probe_point *pt;
	unsigned int held = 0;
	LIST_HEAD(batch);

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_splice_init(&zombies, &batch);
	if (list_empty(&batch))
		return;
	list_for_each_entry(pt, &batch, todo)
		held++;
	points_disarm(&batch);
	points_release(&batch);
	while (held--)
		module_put(THIS_MODULE);
}

static void retry_all(void)
{
	retry_zombies();
	retry_idle();
}

/**
 * points_settle() - disarm now what could not be disarmed before
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: false if memory is still missing.  Points whose text others have changed do
 * not count: when those restore it, ours is removed as well.  Nor those that a tracer which has
 * failed never lets go.
 */
bool points_settle(void)
{
	const struct probe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	retry_all();
	list_for_each_entry(pt, &zombies, todo)
		if (!point_is_kept_armed(pt))
			return false;
	if (!idle_are_armed)
		return true;
	list_for_each_entry(pt, &points_list, all)
		if (is_idle_but_armed(pt) && !point_is_kept_armed(pt))
			return false;
	return true;
}

static void retry_work(struct work_struct *work)
{
	mutex_lock(&kprobe_mutex);
	retry_all();
	mutex_unlock(&kprobe_mutex);
}

/**
 * point_exit() - stop retrying zombies, when no point is left
 */
void point_exit(void)
{
	cancel_delayed_work_sync(&retry);
}
