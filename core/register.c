// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registering, unregistering, enabling and disabling probes of every kind.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "core.h"
#include "return_hook.h"
#include "todo.h"

DEFINE_MUTEX(kprobe_mutex);

static void todo_move(struct list_head *todo, struct probe_point *pt)
{
	if (list_empty(&pt->todo))
		list_add_tail(&pt->todo, todo);
	else
		list_move_tail(&pt->todo, todo);
}

/*
 * The handlers are no longer those that the detour calls.  A jump becomes a trap, which
 * looks up its handlers, and a new detour is made later.
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

/**
 * probes_serve_anew() - what hits of points read has changed in all of them
 *
 * The detours of jumps are made anew, some time later.  Behind a jump that can't be removed now the
 * gate is shut, so what is new is looked up there, too.
 *
 * Context: kprobe_mutex held, sleeps.
 */
void probes_serve_anew(void)
{
	struct probe_point *pt;
	LIST_HEAD(jumps);

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	points_mend();
	list_for_each_entry(pt, &points_list, all) {
		point_refresh(pt);
		if (point_is_armed(pt) && !list_empty(&pt->probes))
			handlers_changed(pt, &jumps);
		cond_resched_tasks_rcu_qs();
	}
	points_unjump(&jumps);
	todo_clear(&jumps);
}

/**
 * point_serve_anew() - the same of one point, be it in a batch or not
 * @pt: a point whose handlers have changed, but for what reads its probes at each hit
 *
 * Context: kprobe_mutex held, sleeps.
 */
void point_serve_anew(struct probe_point *pt)
{
	LIST_HEAD(jumps);

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!point_is_armed(pt) || list_empty(&pt->probes))
		return;
	handlers_changed(pt, &jumps);
	points_unjump(&jumps);
	todo_clear(&jumps);
}

/**
 * probes_order_loads() - handlers are about to be found by hits
 *
 * They see what their client has written before.  What is in the kprobe is ordered by the pointer
 * to it; other data of the client's is not: a processor that loads out of order might have loaded
 * that before the pointer.  At a place that is about to be armed it can't have: behind the new trap
 * or branch it loads when it has fetched that.  But places may be armed already, and the tracer's
 * sites called for others.  So each CPU is interrupted once: what was on its way has not found the
 * handler, and what comes later loads later.
 *
 * Context: process context, sleeps.
 */
void probes_order_loads(void)
{
	might_sleep();
	if (!ARCH_LOADS_IN_ORDER)
		host_text_sync();
}

static void report(const struct kprobe *p, int err, const char *why)
{
	/* If it is registered, its addr includes the offset. */
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

	return pt ?: point_create(where, why);
}

/* For restore_given(). */
static void note_given(struct kprobe *p)
{
	p->given.nmissed = p->nmissed;
	p->given.addr = p->addr;
	p->given.opcode = p->opcode;
	p->given.flags = p->flags;
}

/* The kind is not set before: a refused kprobe may be registered already, as another kind. */
static int attach(const struct probe_kind *kind, struct kprobe *p, bool wants_faults,
		  const struct probe_address *where, struct probe_point *pt)
{
	int err = registered_add(p, pt, kind, wants_faults);

	if (err)
		return err;
	note_given(p);
	p->kind = kind;
	p->flags &= KPROBE_FLAG_DISABLED;
	if (where->on_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	registered_note_flags(p);
	registered_take_handlers(p);
	p->nmissed = 0;
	p->refusal = NULL;
	point_attach(pt, p);
	return 0;
}

static bool has_probe_of(const struct probe_point *pt, const struct probe_kind *kind)
{
	const struct kprobe *p;

	for_each_kprobe_at(p, pt)
		if (registered_kind(p) == kind)
			return true;
	return false;
}

static int check_place(const struct probe_kind *kind, const struct probe_point *pt,
		       const char **why)
{
	if (kind->why_one_only && has_probe_of(pt, kind)) {
		*why = kind->why_one_only;
		return -EEXIST;
	}
	if (point_may_be_deaf(pt)) {
		*why = "function tracer has broken down, and may not call us there any more";
		return -ENODEV;
	}
	return 0;
}

/* A point without a probe that nobody has armed, or may have to disarm, is of no use. */
static void release_if_new(struct probe_point *pt)
{
	LIST_HEAD(ending);

	if (!list_empty(&pt->probes) || point_is_armed(pt) || !list_empty(&pt->todo))
		return;
	list_add(&pt->todo, &ending);
	points_release(&ending);
}

static int attach_at_address(const struct probe_kind *kind, struct kprobe *p, bool wants_faults,
			     struct probe_address *where, struct list_head *todo,
			     struct list_head *jumps, const char **why)
{
	struct probe_point *pt = find_or_create(where, why);
	int err;

	if (IS_ERR(pt))
		return PTR_ERR(pt);
	point_mend(pt);
	err = check_place(kind, pt, why);
	if (err)
		return err;
	if (attach(kind, p, wants_faults, where, pt)) {
		*why = "out of memory";
		release_if_new(pt);
		return -ENOMEM;
	}
	if (!point_is_armed(pt) && point_wants_arming(pt))
		todo_add(todo, pt);
	else if (point_is_armed(pt) && !point_wants_arming(pt))
		points_disarm_later();	/* It was left there by a kprobe that has gone. */
	else if (point_is_armed(pt))
		handlers_changed(pt, jumps);
	return 0;
}

/* Is a site of the tracer free for a probe that redirects?  Later comers make it miss hits. */
static int check_redirect(const struct probe_kind *kind, const struct probe_address *where,
			  const char **why)
{
	if (!kind->redirects || where->mechanism != POINT_FTRACE)
		return 0;
	return host_ftrace_redirectable(where->addr, why);
}

/*
 * A copy of what is registered as another kind has our handler for that, which would take what is
 * behind the kprobe for the rest of such a probe.
 */
static int check_handlers(const struct probe_kind *kind, const struct kprobe *p, const char **why)
{
	if (kind->handler_of || !within_module((unsigned long)p->pre_handler, THIS_MODULE))
		return 0;
	*why = "copied from a registered kretprobe or jprobe";
	return -EINVAL;
}

/* The probed module is held until its point is in the table, where the notifier finds it. */
static int add_one(const struct probe_kind *kind, struct kprobe *p, struct list_head *todo,
		   struct list_head *jumps, const char **why)
{
	bool wants_faults = !kind->handler_of && p->fault_handler;
	struct probe_address where = { };
	int err;

	/* If it is registered, that is the reason. */
	err = point_of_mended(p) ? 0 : check_handlers(kind, p, why);
	if (!err)
		err = address_find(p, kind->entry_only, &where, why);
	if (err)
		return err;
	err = check_redirect(kind, &where, why);
	if (!err && wants_faults)
		err = faults_want(why);
	if (!err) {
		err = attach_at_address(kind, p, wants_faults, &where, todo, jumps, why);
		if (err && wants_faults)
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

/* Has this call of probes_remove() detached it, as it is in the array twice? */
static bool detached_just_now(const struct kprobe *p)
{
	return p->point && p->list.prev == LIST_POISON2;
}

/**
 * probes_remove() - unregister the registered kprobes of an array
 * @kps: array of pointers to kprobes; those not registered get their addr cleared
 * @num: how many
 *
 * Context: kprobe_mutex held, sleeps.
 */
void probes_remove(struct kprobe **kps, int num)
{
	struct probe_point *pt, *next;
	LIST_HEAD(todo);
	LIST_HEAD(jumps);
	LIST_HEAD(kept);
	int i, wanted = 0;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < num; i++) {
		if (!kps[i])
			continue;
		pt = point_of_mended(kps[i]);
		if (!pt) {
			if (!detached_just_now(kps[i]))
				kps[i]->addr = NULL;
			continue;
		}
		wanted += registered_wants_faults(kps[i]);
		point_detach(pt, kps[i]);
		if (!point_wants_arming(pt) || list_empty(&pt->probes))
			todo_move(&todo, pt);
		else
			handlers_changed(pt, &jumps);
		if (i % STRETCH == 0)
			cond_resched_tasks_rcu_qs();
	}
	points_disarm(&todo);
	points_unjump(&jumps);
	list_for_each_entry_safe(pt, next, &todo, todo) {
		if (list_empty(&pt->probes))
			continue;
		if (point_is_armed(pt))
			points_disarm_later();
		list_move_tail(&pt->todo, &kept);
	}
	todo_clear(&kept);
	todo_clear(&jumps);
	points_release(&todo);
	/* Last: it comes back here, and would end what was detached above. */
	while (wanted--)
		faults_unwant();
}

/* Restores a kprobe of a batch that failed to what its client gave. */
static void restore_given(struct kprobe *p)
{
	p->nmissed = p->given.nmissed;
	p->addr = p->given.addr;
	p->opcode = p->given.opcode;
	p->flags = p->given.flags;
}

/* A client's flags may be anything; what is ours alone is set alone. */
static bool may_be_refused(const struct kprobe *p)
{
	return (p->flags & ~KPROBE_FLAG_DISABLED) == KPROBE_FLAG_MAY_BE_REFUSED;
}

static int add_all(const struct probe_kind *kind, struct kprobe **kps, int num,
		   struct list_head *todo, struct list_head *jumps, int *added)
{
	const char *why = NULL;
	int i, err = 0;

	for (i = 0; i < num && !err; i++) {
		err = kps[i] ? add_one(kind, kps[i], todo, jumps, &why) : -EINVAL;
		if (err && err != -ENOMEM && kps[i] && may_be_refused(kps[i])) {
			kps[i]->refusal = why;
			/* It has been left as it was, and stays so if the batch fails: see restore_given(). */
			note_given(kps[i]);
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
 * probes_add() - register several probes of one kind, or none
 * @kind: the kind
 * @kps: array of pointers to them; one with KPROBE_FLAG_MAY_BE_REFUSED is skipped if it can't be
 *	registered, and then has a refusal and no point
 * @num: how many, at least one
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: as register_kprobes().
 */
int probes_add(const struct probe_kind *kind, struct kprobe **kps, int num)
{
	LIST_HEAD(todo);
	LIST_HEAD(jumps);
	int added, err;

	lockdep_assert_held(&kprobe_mutex);
	probes_order_loads();
	addresses_begin(kps, num);
	host_text_begin_many();
	err = add_all(kind, kps, num, &todo, &jumps, &added);
	host_text_end_many();
	addresses_end();
	if (!err) {
		err = points_unjump(&jumps) ?: points_arm(&todo, NULL);
		if (err)
			refuse(kps[0], err, "arming failed, so none of its batch is registered");
	}
	todo_clear(&todo);
	todo_clear(&jumps);
	if (err && added > 0)
		probes_remove(kps, added);
	while (err && added-- > 0)
		restore_given(kps[added]);
	/* It was asked, and may have no probe of ours to serve. */
	if (kind->redirects)
		host_ftrace_let_go();
	return err;
}

/**
 * probes_register() - register several probes of one kind, or none
 * @kind: which
 * @kps: array of pointers to their kprobes
 * @num: how many
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: as register_kprobes().
 */
int probes_register(const struct probe_kind *kind, struct kprobe **kps, int num)
{
	int err;

	might_sleep();
	if (!kps || num <= 0)
		return -EINVAL;
	mutex_lock(&kprobe_mutex);
	err = probes_add(kind, kps, num);
	mutex_unlock(&kprobe_mutex);
	return err;
}

/**
 * probes_unregister() - unregister several probes
 * @kps: array of pointers to their kprobes, of any kinds: what follows the calls of a return probe goes
 *	with it
 * @num: how many
 *
 * Context: process context, sleeps for a grace period. Not from a probe handler.
 */
void probes_unregister(struct kprobe **kps, int num)
{
	LIST_HEAD(ending);

	might_sleep();
	if (!kps || num <= 0)
		return;
	mutex_lock(&kprobe_mutex);
	probes_remove(kps, num);
	return_hooks_close(&ending);
	mutex_unlock(&kprobe_mutex);
	return_hooks_destroy(&ending);
	if (likely(!dispatch_is_held_for(kps, num)))
		return;
	mutex_lock(&kprobe_mutex);
	dispatch_forget(kps, num);
	mutex_unlock(&kprobe_mutex);
}

static const struct probe_kind internal_kind = {
	.letter = '-',	/* in no file */
};

/**
 * probe_add_internal() - place a probe of our own, past the blacklist
 * @p: with addr and pre_handler
 *
 * Its handler runs even while another handler is running.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or an error of point_create() or points_arm().
 */
int probe_add_internal(struct kprobe *p)
{
	struct probe_address where = { .addr = (unsigned long)p->addr };
	struct probe_point *pt;
	const char *why;
	LIST_HEAD(todo);
	int err;

	lockdep_assert_held(&kprobe_mutex);
	p->flags = 0;
	address_read(&where);
	pt = find_or_create(&where, &why);
	if (IS_ERR(pt))
		return PTR_ERR(pt);
	pt->internal = true;
	if (attach(&internal_kind, p, false, &where, pt)) {
		release_if_new(pt);
		return -ENOMEM;
	}
	todo_add(&todo, pt);
	err = points_arm(&todo, NULL);
	todo_clear(&todo);
	if (err)
		probes_remove(&p, 1);
	return err;
}

/**
 * probe_remove_internal() - remove a probe of our own
 * @p: from probe_add_internal()
 *
 * Context: kprobe_mutex held, sleeps.
 */
void probe_remove_internal(struct kprobe *p)
{
	probes_remove(&p, 1);
}

/* If a jump can't be removed now, its handlers are looked up; only some need a trap. */
static int serve_anew(struct probe_point *pt, struct list_head *todo)
{
	int err;

	handlers_changed(pt, todo);
	err = points_unjump(todo);
	optimize_consider(pt);
	return optimize_serves_all(pt) ? 0 : err;
}

/*
 * If others have overwritten the trap, it is off all the same.  If they are going to put it back, or a
 * tracer that has failed does not let it go, it has to stay, and calls nobody.
 */
static int disarm_one(struct probe_point *pt, struct list_head *todo)
{
	int err = points_disarm(todo);

	if (point_is_armed(pt) && !point_is_kept_armed(pt))
		return err;
	if (point_is_armed(pt))
		points_disarm_later();
	return 0;
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
		err = serve_anew(pt, &todo);
	} else {
		todo_add(&todo, pt);
		err = want ? points_arm(&todo, NULL) : disarm_one(pt, &todo);
	}
	todo_clear(&todo);
	return err;
}

static void flag_disabled(struct kprobe *p, bool disabled)
{
	if (disabled)
		kprobe_set_flags(p, KPROBE_FLAG_DISABLED);
	else
		kprobe_clear_flags(p, KPROBE_FLAG_DISABLED);
}

static int set_disabled(struct kprobe *p, bool disabled)
{
	struct probe_point *pt = point_of_mended(p);
	const struct probe_kind *kind;
	bool before = p->flags & KPROBE_FLAG_DISABLED;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	if (!pt || (point_is_gone(pt) && !disabled))
		return -EINVAL;
	if (!disabled && before && point_may_be_deaf(pt))
		return -ENODEV;
	if (!disabled)
		probes_order_loads();
	flag_disabled(p, disabled);
	err = arm_or_disarm(pt);
	if (err) {
		/* Other flags say what has become of the point meanwhile. */
		flag_disabled(p, before);
		point_refresh(pt);
	}
	registered_note_flags(p);
	kind = registered_kind(p);
	if (kind->changed)
		kind->changed(p);
	return err;
}

/**
 * probe_set_disabled() - disable or enable a probe
 * @p: a registered kprobe of any kind; NULL is refused
 * @disabled: true to disable it
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: as disable_kprobe() and enable_kprobe().
 */
int probe_set_disabled(struct kprobe *p, bool disabled)
{
	int err = -EINVAL;

	might_sleep();
	mutex_lock(&kprobe_mutex);
	if (p)
		err = set_disabled(p, disabled);
	mutex_unlock(&kprobe_mutex);
	return err;
}
