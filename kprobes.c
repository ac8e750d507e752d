// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registering, unregistering, enabling and disabling kprobes.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "core/core.h"

DEFINE_MUTEX(kprobe_mutex);
bool kprobes_all_disarmed;

static void todo_add(struct list_head *todo, struct probe_point *pt)
{
	if (list_empty(&pt->todo))
		list_add_tail(&pt->todo, todo);
}

/* After a batch: points that live on are in no batch, and may become jumps. */
static void todo_clear(struct list_head *todo)
{
	struct probe_point *pt, *next;

	list_for_each_entry_safe(pt, next, todo, todo) {
		list_del_init(&pt->todo);
		if (point_is_armed(pt))
			optimize_consider(pt);
		else
			optimize_consider_around(pt->addr);
	}
}

static void todo_move(struct list_head *todo, struct probe_point *pt)
{
	list_move_tail(&pt->todo, todo);
}

/*
 * Other handlers than those that a detour calls: a jump becomes a trap, which
 * looks for itself, and the detour is made anew.
 */
static void handlers_changed(struct probe_point *pt, struct list_head *jumps)
{
	if (point_has_tail(pt)) {
		todo_add(jumps, pt);
		return;
	}
	optimize_forget(pt);
	optimize_consider(pt);
}

static void report(const struct kprobe *p, int err, const char *why)
{
	/* The addr of a registered one is its probe point's. */
	unsigned long addr = (unsigned long)p->addr + (point_of(p) ? 0 : p->offset);

	if (p->symbol_name)
		pr_info("can't probe %s+0x%x: %s (error %d)\n", p->symbol_name, p->offset, why,
			err);
	else
		pr_info("can't probe %pS: %s (error %d)\n", (void *)addr, why, err);
}

static struct probe_point *find_or_create(struct probe_address *where, const char **why)
{
	struct probe_point *pt = table_find(where->addr);

	return pt ?: point_create(where->addr, where->mechanism, where->module, why);
}

static void attach(struct kprobe *p, const struct probe_address *where, struct probe_point *pt)
{
	p->flags &= KPROBE_FLAG_DISABLED;
	if (where->on_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	p->nmissed = 0;
	p->refusal = NULL;
	p->given_addr = p->addr;
	point_attach(pt, p);
}

static bool has_jprobe(const struct probe_point *pt)
{
	const struct kprobe *p;

	list_for_each_entry(p, &pt->probes, list)
		if (p->kind == 'j')
			return true;
	return false;
}

static int attach_at_address(struct kprobe *p, struct probe_address *where,
			     struct list_head *todo, struct list_head *jumps,
			     const char **why)
{
	struct probe_point *pt = find_or_create(where, why);

	if (IS_ERR(pt))
		return PTR_ERR(pt);
	if (p->kind == 'j' && has_jprobe(pt)) {
		*why = "a function that has a jprobe already";
		return -EEXIST;
	}
	attach(p, where, pt);
	if (!point_is_armed(pt) && point_wants_arming(pt))
		todo_add(todo, pt);
	else if (point_is_armed(pt))
		handlers_changed(pt, jumps);
	return 0;
}

/* The probed module is held until its point is in the table, where its end is noticed. */
static int add_one(struct kprobe *p, struct list_head *todo, struct list_head *jumps,
		   const char **why)
{
	struct probe_address where = { };
	int err;

	err = address_find(p, &where, why);
	if (err)
		return err;
	if (p->fault_handler)
		err = faults_want(why);
	if (!err) {
		err = attach_at_address(p, &where, todo, jumps, why);
		if (err && p->fault_handler)
			faults_unwant();
	}
	module_put(where.module);
	return err;
}

static int refuse(struct kprobe *p, int err, const char *why)
{
	p->refusal = why;
	report(p, err, why);
	return err;
}

/* By the call that is under way: it is in the array twice. */
static bool detached_just_now(const struct kprobe *p)
{
	return p->point && p->list.prev == LIST_POISON2;
}

/**
 * kprobes_remove() - take the registered ones of an array off their points
 * @kps: array of pointers to kprobes; those not registered get their addr cleared
 * @num: how many
 *
 * Context: kprobe_mutex held, sleeps.
 */
void kprobes_remove(struct kprobe **kps, int num)
{
	struct probe_point *pt, *next;
	LIST_HEAD(todo);
	LIST_HEAD(jumps);
	LIST_HEAD(ending);
	int i;

	for (i = 0; i < num; i++) {
		if (!kps[i])
			continue;
		pt = point_of(kps[i]);
		if (!pt) {
			if (!detached_just_now(kps[i]))
				kps[i]->addr = NULL;
			continue;
		}
		if (kps[i]->fault_handler)
			faults_unwant();
		point_detach(pt, kps[i]);
		if (!point_wants_arming(pt) || list_empty(&pt->probes))
			todo_move(&todo, pt);
		else
			handlers_changed(pt, &jumps);
		cond_resched_tasks_rcu_qs();
	}
	points_disarm(&todo);
	points_unjump(&jumps);
	list_for_each_entry_safe(pt, next, &todo, todo)
		if (list_empty(&pt->probes))
			list_move_tail(&pt->todo, &ending);
	todo_clear(&todo);
	todo_clear(&jumps);
	points_release(&ending);
	for (i = 0; i < num; i++)
		if (kps[i] && kps[i]->addr)
			kps[i]->point = NULL;
}

/* A kprobe of a batch that failed: as its client gave it. */
static void forget(struct kprobe *p)
{
	p->addr = p->given_addr;
	p->flags &= KPROBE_FLAG_DISABLED;
}

static int add_all(struct kprobe **kps, int num, struct list_head *todo,
		   struct list_head *jumps, int *added)
{
	const char *why = NULL;
	int i, err = 0;

	for (i = 0; i < num && !err; i++) {
		err = kps[i] ? add_one(kps[i], todo, jumps, &why) : -EINVAL;
		if (err && err != -ENOMEM && kps[i] && kps[i]->may_be_refused) {
			kps[i]->refusal = why;
			err = 0;
		}
		cond_resched_tasks_rcu_qs();
	}
	*added = err ? i - 1 : i;
	if (err && kps[i - 1])
		refuse(kps[i - 1], err, why);
	return err;
}

/**
 * kprobes_add() - register several kprobes, or none
 * @kps: array of pointers to them; one that may_be_refused is passed over if it
 *	must be, and then has a refusal and no point
 * @num: how many, at least one
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: as register_kprobes().
 */
int kprobes_add(struct kprobe **kps, int num)
{
	LIST_HEAD(todo);
	LIST_HEAD(jumps);
	int added, err;

	addresses_begin(kps, num);
	err = add_all(kps, num, &todo, &jumps, &added);
	addresses_end();
	if (!err) {
		err = points_unjump(&jumps) ?: points_arm(&todo);
		if (err)
			refuse(kps[0], err, "in a batch that could not be armed");
	}
	todo_clear(&todo);
	todo_clear(&jumps);
	if (err && added > 0)
		kprobes_remove(kps, added);
	while (err && added-- > 0)
		forget(kps[added]);
	return err;
}

/**
 * register_kprobes() - register several kprobes, or none
 * @kps: array of pointers to them
 * @num: how many
 *
 * All are armed together, which costs little more than arming one.
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0. The error of the first that can't be registered, as
 * register_kprobe() would give it; those before it are unregistered again and
 * their addr is as it was. -EINVAL if @num is not positive or a pointer NULL.
 */
int register_kprobes(struct kprobe **kps, int num)
{
	int err;

	if (!kps || num <= 0)
		return -EINVAL;
	mutex_lock(&kprobe_mutex);
	err = kprobes_add(kps, num);
	mutex_unlock(&kprobe_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe() - register one kprobe
 * @p: the kprobe; stays where it is until unregister_kprobe() has returned
 *
 * Context: process context, sleeps. Not from a probe handler.
 *
 * Return: 0, and @p->addr is the probe point. On error nothing has changed,
 * one line in the log says why, and so does kprobe_refusal():
 *
 * * -EINVAL: both or neither of addr and symbol_name given; @p is registered;
 *   the address is not kernel text, is blacklisted, or belongs to somebody
 *   else (jump label, static call, alternative, BUG site, CFI preamble,
 *   another breakpoint); the instruction can't be probed
 * * -ENOENT: no such symbol; the module is being unloaded, or has dropped
 *   its init text
 * * -EILSEQ: not the first byte of an instruction
 * * -EBUSY: somebody changed the text meanwhile
 * * -ENOMEM: out of memory, or of slots
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/**
 * unregister_kprobes() - take several kprobes back
 * @kps: array of pointers to them
 * @num: how many
 *
 * One that is not registered gets its addr cleared; the others are taken back
 * all the same.  When this returns no handler of theirs is running or will run.
 *
 * Context: process context, sleeps for a grace period. Not from a probe handler.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	if (!kps || num <= 0)
		return;
	mutex_lock(&kprobe_mutex);
	kprobes_remove(kps, num);
	mutex_unlock(&kprobe_mutex);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe() - take one kprobe back
 * @p: the kprobe; if it is not registered its addr is cleared
 *
 * Context: process context, sleeps for a grace period. Not from a probe handler.
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

/**
 * internal_register() - place a probe of our own, past the blacklist
 * @p: with addr and pre_handler
 *
 * Its handler runs even while another handler is running.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or an error of point_create() or points_arm().
 */
int internal_register(struct kprobe *p)
{
	struct probe_address where = { .addr = (unsigned long)p->addr };
	struct probe_point *pt;
	const char *why;
	LIST_HEAD(todo);
	int err;

	p->flags = 0;
	pt = find_or_create(&where, &why);
	if (IS_ERR(pt))
		return PTR_ERR(pt);
	pt->internal = true;
	attach(p, &where, pt);
	todo_add(&todo, pt);
	err = points_arm(&todo);
	todo_clear(&todo);
	if (err)
		kprobes_remove(&p, 1);
	return err;
}

/**
 * internal_unregister() - take it back
 * @p: from internal_register()
 *
 * Context: kprobe_mutex held, sleeps.
 */
void internal_unregister(struct kprobe *p)
{
	kprobes_remove(&p, 1);
}

static int arm_or_disarm(struct probe_point *pt)
{
	bool want = point_wants_arming(pt);
	LIST_HEAD(todo);
	int err;

	point_refresh(pt);
	if (point_is_gone(pt) || (!want && !point_is_armed(pt)))
		return 0;
	if (want && point_is_armed(pt)) {
		handlers_changed(pt, &todo);
		err = points_unjump(&todo);
		optimize_consider(pt);
	} else {
		todo_add(&todo, pt);
		err = want ? points_arm(&todo) : points_disarm(&todo);
	}
	todo_clear(&todo);
	return err;
}

/* Its calls may return at any time, and do not come by the point. */
static void tell_kretprobe(struct kprobe *p)
{
	if (p->kind == 'r')
		kretprobe_changed(p);
}

static int set_disabled(struct kprobe *p, bool disabled)
{
	struct probe_point *pt = point_of(p);
	u32 flags = p->flags;
	int err;

	if (!pt || (point_is_gone(pt) && !disabled))
		return -EINVAL;
	p->flags = disabled ? flags | KPROBE_FLAG_DISABLED : flags & ~KPROBE_FLAG_DISABLED;
	err = arm_or_disarm(pt);
	if (err) {
		p->flags = flags;
		point_refresh(pt);
	}
	tell_kretprobe(p);
	return err;
}

static int lock_and_set_disabled(struct kprobe *p, bool disabled)
{
	int err = -EINVAL;

	mutex_lock(&kprobe_mutex);
	if (p)
		err = set_disabled(p, disabled);
	mutex_unlock(&kprobe_mutex);
	return err;
}

/**
 * disable_kprobe() - stop a kprobe's handlers for a while
 * @p: a registered kprobe
 *
 * Others at the same address go on.
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, also if it is disabled already; -EINVAL if it is not registered;
 * -ENOMEM if its trap can't be taken out, and then it is not disabled.
 */
int disable_kprobe(struct kprobe *p)
{
	return lock_and_set_disabled(p, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe() - let a disabled kprobe's handlers run again
 * @p: a registered kprobe
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, also if it is not disabled; -EINVAL if it is not registered or
 * its module is gone; an error of arming, and then it stays disabled.
 */
int enable_kprobe(struct kprobe *p)
{
	return lock_and_set_disabled(p, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

static bool any_armed(struct list_head *todo)
{
	struct probe_point *pt;

	list_for_each_entry(pt, todo, todo)
		if (point_is_armed(pt))
			return true;
	return false;
}

/* Half of them off is no state that anybody asked for: on again. */
static int disarm_or_none(struct list_head *todo)
{
	int err = points_disarm(todo);

	if (!err || !any_armed(todo))
		return 0;
	if (points_arm(todo))
		pr_err("some probes are off that should be on\n");
	return err;
}

/**
 * kprobe_is_registered() - is a kprobe registered
 * @p: any kprobe
 *
 * Context: process context, sleeps.
 */
bool kprobe_is_registered(const struct kprobe *p)
{
	bool registered;

	mutex_lock(&kprobe_mutex);
	registered = point_of(p);
	mutex_unlock(&kprobe_mutex);
	return registered;
}

/**
 * kprobes_set_armed() - arm or disarm everything
 * @armed: which
 *
 * What each kprobe's own state says is kept for when all are armed again.
 *
 * Context: process context, sleeps.
 * Return: 0 or an error of arming or disarming, and then nothing has changed.
 */
int kprobes_set_armed(bool armed)
{
	struct probe_point *pt;
	LIST_HEAD(todo);
	int err = 0;

	mutex_lock(&kprobe_mutex);
	if (kprobes_all_disarmed != armed)
		goto out;
	kprobes_all_disarmed = !armed;
	list_for_each_entry(pt, &points_list, all)
		if (!pt->internal && !point_is_gone(pt) && point_is_armed(pt) != point_wants_arming(pt))
			todo_add(&todo, pt);
	err = armed ? points_arm(&todo) : disarm_or_none(&todo);
	if (err)
		kprobes_all_disarmed = armed;
	todo_clear(&todo);
	pr_info("all probes %sarmed\n", kprobes_all_disarmed ? "dis" : "");
out:
	mutex_unlock(&kprobe_mutex);
	return err;
}

/**
 * kprobe_refusal() - why the last attempt to register a kprobe failed
 * @p: the kprobe
 *
 * Return: a phrase for people to read that stands alone, such as
 * "no such symbol"; it lasts as long as this module. NULL if the attempt
 * succeeded.
 */
const char *kprobe_refusal(const struct kprobe *p)
{
	return p->refusal;
}
EXPORT_SYMBOL_GPL(kprobe_refusal);

/**
 * get_kprobe() - the first kprobe at an address
 * @addr: the probe point
 *
 * Context: any; it stays registered only if the caller sees to that.
 * Return: the kprobe or NULL.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct probe_point *pt;
	struct kprobe *p;

	preempt_disable();
	pt = table_find((unsigned long)addr);
	p = pt ? list_first_or_null_rcu(&pt->probes, struct kprobe, list) : NULL;
	preempt_enable();
	return p;
}
EXPORT_SYMBOL_GPL(get_kprobe);

/**
 * dump_kprobe() - print what a kprobe is
 * @p: the kprobe
 */
void dump_kprobe(struct kprobe *p)
{
	pr_err("kprobe %s+0x%x at %pS, flags 0x%x, missed %lu\n", p->symbol_name ?: "",
	       p->offset, p->addr, p->flags, p->nmissed);
}
EXPORT_SYMBOL_GPL(dump_kprobe);

/**
 * within_kprobe_blacklist() - may this address never be probed
 * @addr: any address
 *
 * Context: process context, may sleep.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	bool within;

	mutex_lock(&kprobe_mutex);
	within = blacklist_reason(addr);
	mutex_unlock(&kprobe_mutex);
	return within;
}
EXPORT_SYMBOL_GPL(within_kprobe_blacklist);
