// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which kprobes are registered, by their addresses in memory.
 *
 * What a struct kprobe itself says is not asked: a client may have filled it in anew while it is
 * registered, as one does who clears an array of them that a failed function has left behind.
 * Registering it again would take it into a second list, whose links replace those of the first.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/poison.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "../host/inject.h"
#include "core.h"
#include "profile.h"

#define BUCKET_BITS	12

/**
 * struct handlers - those of a kprobe
 * @pre: its pre_handler
 * @post: its post_handler
 * @fault: its fault_handler
 */
struct handlers {
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	kprobe_fault_handler_t fault;
};

/**
 * struct registered - a registered kprobe
 * @next: in the same bucket, or among those that were dropped
 * @at_point: in its point's list of these, in the order of the point's kprobes
 * @p: the kprobe
 * @pt: the point that it is at
 * @kind: of the kprobe
 * @wants_faults: faults_want() was called for it
 * @counts: its counters, or NULL
 * @flags: those that only its client and the place decide
 * @given: its handlers when it was registered
 * @served: its handlers when a detour may have been made last
 */
struct registered {
	struct registered *next;
	struct list_head at_point;
	struct kprobe *p;
	struct probe_point *pt;
	const struct probe_kind *kind;
	bool wants_faults;
	struct probe_counts __percpu *counts;
	u32 flags;
	struct handlers given;
	struct handlers served;
};

/* Both are guarded by kprobe_mutex. */
static struct registered *buckets[1u << BUCKET_BITS];
static struct registered *dropped;

/* Where the pointer to it is, or the NULL at the end of its bucket. */
static struct registered **find(const struct kprobe *p)
{
	struct registered **at = &buckets[hash_ptr(p, BUCKET_BITS)];

	lockdep_assert_held(&kprobe_mutex);
	while (*at && (*at)->p != p)
		at = &(*at)->next;
	return at;
}

static struct handlers handlers_of(const struct kprobe *p)
{
	/* Clients may write them at any time. */
	return (struct handlers){
		.pre = READ_ONCE(p->pre_handler),
		.post = READ_ONCE(p->post_handler),
		.fault = READ_ONCE(p->fault_handler),
	};
}

/* The hits of our own probes are of no interest. */
static bool is_counted(const struct registered *r)
{
	return !r->kind->counts && !r->pt->internal;
}

static bool count(struct registered *r)
{
	r->counts = counts_new(1);
	/* Orders the zeros in them before the pointer that a hit reads. */
	smp_store_release(&r->p->counts, r->counts);
	return r->counts;
}

/**
 * registered_add() - a kprobe is about to be at a point
 * @p: the kprobe; registered_place() says where it is at the point
 * @pt: the point
 * @kind: of the kprobe
 * @wants_faults: faults_want() was called for it
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or -ENOMEM.
 */
int registered_add(struct kprobe *p, struct probe_point *pt, const struct probe_kind *kind,
		   bool wants_faults)
{
	struct registered *new = inject_failure() ? NULL : kmalloc(sizeof(*new), GFP_KERNEL);

	might_sleep();
	if (!new)
		return -ENOMEM;
	*new = (struct registered){
		.p = p,
		.pt = pt,
		.kind = kind,
		.wants_faults = wants_faults,
	};
	INIT_LIST_HEAD(&new->at_point);
	p->counts = NULL;
	if (profile_on && is_counted(new) && !count(new)) {
		kfree(new);
		return -ENOMEM;
	}
	*find(p) = new;
	return 0;
}

static struct list_head *link_of(struct probe_point *pt, struct list_head *at_point)
{
	return at_point == &pt->registered ? &pt->probes :
	       &list_entry(at_point, struct registered, at_point)->p->list;
}

/* Hits go from one to the next meanwhile.  No link of a client's is followed: it may lead anywhere. */
static void join(struct list_head *link, struct list_head *next)
{
	next->prev = link;
	/* A hit that comes to it finds what is behind it. */
	smp_store_release(&link->next, next);
}

/**
 * registered_place() - put a kprobe into the list of its point
 * @p: from registered_add()
 * @before: the kprobe behind it, which is at the same point; NULL if it is the last
 *
 * Context: kprobe_mutex held.  If the point is armed, @p may be hit at once.
 */
void registered_place(struct kprobe *p, const struct kprobe *before)
{
	struct registered *r = *find(p);

	list_add_tail(&r->at_point, before ? &(*find(before))->at_point : &r->pt->registered);
	r->given = handlers_of(p);
	r->served = r->given;
	join(&p->list, link_of(r->pt, r->at_point.next));
	join(link_of(r->pt, r->at_point.prev), &p->list);
}

/**
 * registered_drop() - a kprobe is at no point any more
 * @p: from registered_add()
 *
 * Context: kprobe_mutex held.  Hits may use it until registered_free_dropped().
 */
void registered_drop(struct kprobe *p)
{
	struct registered **at = find(p), *old = *at;

	if (old->kind->leave)
		old->kind->leave(p);
	*at = old->next;
	join(link_of(old->pt, old->at_point.prev), link_of(old->pt, old->at_point.next));
	list_del(&old->at_point);
	p->list.prev = LIST_POISON2;
	old->next = dropped;
	dropped = old;
}

/*
 * A handler of its kind would find nothing behind it, if the client went on to register it as a
 * plain kprobe.
 */
static void leave(const struct registered *r)
{
	struct kprobe *p = r->p;

	p->point = NULL;
	if (r->kind->handler_of)
		p->pre_handler = NULL;
	if (r->kind->left)
		r->kind->left(p);
}

/**
 * registered_free_dropped() - no hit uses what has been dropped any more
 *
 * What the kprobes themselves say is not asked here either: their clients may write to them while we
 * wait for hits.
 *
 * Context: kprobe_mutex held, sleeps.
 */
void registered_free_dropped(void)
{
	struct registered *old;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	while ((old = dropped)) {
		dropped = old->next;
		leave(old);
		free_percpu(old->counts);
		kfree(old);
	}
}

/**
 * registered_wants_faults() - is faults_unwant() to be called when a kprobe goes
 * @p: a registered kprobe; what it says itself may have been overwritten
 *
 * Context: kprobe_mutex held.
 */
bool registered_wants_faults(const struct kprobe *p)
{
	return (*find(p))->wants_faults;
}

/**
 * registered_kind() - the kind of a kprobe
 * @p: a registered kprobe; what it says itself may have been overwritten
 *
 * Context: kprobe_mutex held.
 */
const struct probe_kind *registered_kind(const struct kprobe *p)
{
	return (*find(p))->kind;
}

/**
 * registered_calls() - does a kprobe call a module, or may have when it was registered
 * @p: a registered kprobe; what it says itself may have been overwritten
 * @mod: the module
 *
 * Context: kprobe_mutex held.
 */
bool registered_calls(const struct kprobe *p, const struct module *mod)
{
	const struct handlers *given = &(*find(p))->given, now = handlers_of(p);

	return within_module((unsigned long)given->pre, mod) ||
	       within_module((unsigned long)given->post, mod) ||
	       within_module((unsigned long)given->fault, mod) ||
	       within_module((unsigned long)now.pre, mod) ||
	       within_module((unsigned long)now.post, mod) ||
	       within_module((unsigned long)now.fault, mod);
}

/**
 * registered_note_flags() - the flags of a kprobe have been set
 * @p: a registered kprobe
 *
 * Context: kprobe_mutex held.
 */
void registered_note_flags(const struct kprobe *p)
{
	(*find(p))->flags = p->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_ON_FUNC_ENTRY);
}

/**
 * registered_take_handlers() - let the kind of a kprobe serve its hits, if it does that itself
 * @p: a registered kprobe; its client may not set handlers then
 *
 * Context: kprobe_mutex held.
 */
void registered_take_handlers(struct kprobe *p)
{
	const struct probe_kind *kind = registered_kind(p);

	if (!kind->handler_of)
		return;
	/* Hits read them, if a client has overwritten them. */
	WRITE_ONCE(p->pre_handler, kind->handler_of(p));
	WRITE_ONCE(p->post_handler, NULL);
	WRITE_ONCE(p->fault_handler, NULL);
}

/**
 * registered_first() - the first kprobe at a point
 * @pt: the point
 *
 * Context: kprobe_mutex held.
 * Return: NULL if there is none.
 */
struct kprobe *registered_first(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (list_empty(&pt->registered))
		return NULL;
	return list_first_entry(&pt->registered, struct registered, at_point)->p;
}

/**
 * registered_next() - the kprobe behind another one at a point
 * @p: the other one, registered
 *
 * Context: kprobe_mutex held.
 * Return: NULL if there is none.
 */
struct kprobe *registered_next(const struct kprobe *p)
{
	const struct registered *r = *find(p);

	if (list_is_last(&r->at_point, &r->pt->registered))
		return NULL;
	return list_next_entry(r, at_point)->p;
}

/**
 * point_of() - the point that a kprobe is registered at
 * @p: any kprobe; it is not read
 *
 * Context: kprobe_mutex held.
 * Return: the point; NULL if @p is not registered.
 */
struct probe_point *point_of(const struct kprobe *p)
{
	const struct registered *r = *find(p);

	return r ? r->pt : NULL;
}

/* Its own, or those that it has of its kind. */
static bool handlers_differ(const struct registered *r)
{
	const struct handlers now = handlers_of(r->p);

	return now.pre != r->served.pre || now.post != r->served.post ||
	       now.fault != r->served.fault;
}

static bool is_overwritten(const struct registered *r)
{
	const struct kprobe *p = r->p;

	return handlers_differ(r) || p->point != r->pt || p->kind != r->kind ||
	       (unsigned long)p->addr != r->pt->addr || p->counts != r->counts ||
	       p->list.next != link_of(r->pt, r->at_point.next) ||
	       p->list.prev != link_of(r->pt, r->at_point.prev);
}

static void mend(struct registered *r)
{
	struct kprobe *p = r->p;

	pr_warn("a client has overwritten its %c probe at %pS, which is registered\n",
		r->kind->letter, (void *)r->pt->addr);
	/* Hits read them meanwhile. */
	WRITE_ONCE(p->point, r->pt);
	WRITE_ONCE(p->kind, r->kind);
	WRITE_ONCE(p->counts, r->counts);
	WRITE_ONCE(p->flags, r->flags);
	point_describe(r->pt, p);
	if (r->kind->mend)
		r->kind->mend(p);
	registered_take_handlers(p);
	r->served = handlers_of(p);
}

static void relink(struct probe_point *pt)
{
	struct list_head *at;

	list_for_each_prev(at, &pt->registered)
		join(link_of(pt, at), link_of(pt, at->next));
	join(&pt->probes, link_of(pt, pt->registered.next));
}

/**
 * point_mend() - repair what clients have overwritten of the kprobes at a point
 * @pt: the point
 *
 * So that its list can be walked by hits.  Before that, those behind one that was cleared are not
 * found by them, and one that was filled with anything else leads them astray: nobody can help.
 *
 * Context: kprobe_mutex held, may sleep.
 */
void point_mend(struct probe_point *pt)
{
	struct registered *r;
	bool any = false;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(r, &pt->registered, at_point) {
		if (!is_overwritten(r))
			continue;
		mend(r);
		any = true;
	}
	if (!any)
		return;
	relink(pt);
	point_refresh(pt);
	/* A detour may have been made when handlers were missing. */
	point_serve_anew(pt);
}

/**
 * points_mend() - as point_mend(), of all points
 *
 * Context: as point_mend().
 */
void points_mend(void)
{
	struct probe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(pt, &points_list, all)
		point_mend(pt);
}

/**
 * point_of_mended() - as point_of(), and repair what clients have overwritten there
 * @p: any kprobe
 *
 * Context: kprobe_mutex held, may sleep.
 */
struct probe_point *point_of_mended(struct kprobe *p)
{
	struct probe_point *pt = point_of(p);

	if (pt)
		point_mend(pt);
	return pt;
}

/* ---- counters ---- */

/**
 * registered_begin_counts() - give counters to all that the engine counts
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -ENOMEM, and then some have counters.
 */
int registered_begin_counts(void)
{
	struct registered *r;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	for (i = 0; i < ARRAY_SIZE(buckets); i++) {
		for (r = buckets[i]; r; r = r->next)
			if (is_counted(r) && !count(r))
				return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/**
 * registered_end_counts() - take all counters back
 *
 * Context: kprobe_mutex held, sleeps.
 */
void registered_end_counts(void)
{
	struct registered *r;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	for (i = 0; i < ARRAY_SIZE(buckets); i++)
		for (r = buckets[i]; r; r = r->next)
			WRITE_ONCE(r->p->counts, NULL);
	table_wait();
	for (i = 0; i < ARRAY_SIZE(buckets); i++) {
		for (r = buckets[i]; r; r = r->next) {
			free_percpu(r->counts);
			r->counts = NULL;
		}
		cond_resched();
	}
}

/**
 * registered_counts() - the counters of a kprobe
 * @p: a registered kprobe
 *
 * Context: kprobe_mutex held.
 * Return: NULL if it has none.
 */
struct probe_counts __percpu *registered_counts(const struct kprobe *p)
{
	return (*find(p))->counts;
}
