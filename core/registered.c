// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which kprobes are registered, by their addresses in memory.
 *
 * What a struct kprobe itself says is not asked: a client may have filled it in anew while it is
 * registered, as one does who clears an array of them that a failed function has left behind.
 * Registering it again would take it into a second list, whose links replace those of the first.
 */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../host/inject.h"
#include "core.h"

#define BUCKET_BITS	12

/**
 * struct registered - a registered kprobe
 * @next: in the same bucket
 * @p: the kprobe
 * @pt: the point that it is at
 * @kind: of the kprobe
 */
struct registered {
	struct registered *next;
	struct kprobe *p;
	struct probe_point *pt;
	const struct probe_kind *kind;
};

static struct registered *buckets[1u << BUCKET_BITS];	/* guarded by kprobe_mutex */

/* Where the pointer to it is, or the NULL at the end of its bucket. */
static struct registered **find(const struct kprobe *p)
{
	struct registered **at = &buckets[hash_ptr(p, BUCKET_BITS)];

	lockdep_assert_held(&kprobe_mutex);
	while (*at && (*at)->p != p)
		at = &(*at)->next;
	return at;
}

/**
 * registered_add() - a kprobe is about to be at a point
 * @p: the kprobe
 * @pt: the point
 * @kind: of the kprobe
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or -ENOMEM.
 */
int registered_add(struct kprobe *p, struct probe_point *pt, const struct probe_kind *kind)
{
	struct registered *new = inject_failure() ? NULL : kmalloc(sizeof(*new), GFP_KERNEL);

	might_sleep();
	if (!new)
		return -ENOMEM;
	*new = (struct registered){ .p = p, .pt = pt, .kind = kind };
	*find(p) = new;
	return 0;
}

/**
 * registered_drop() - a kprobe is at no point any more
 * @p: from registered_add()
 *
 * Context: kprobe_mutex held.
 */
void registered_drop(const struct kprobe *p)
{
	struct registered **at = find(p), *old = *at;

	*at = old->next;
	kfree(old);
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

/*
 * Finds its place by the links that others still have to it.  If several at a point have been
 * overwritten one may be skipped by them: it goes to an end.
 */
static void relink(struct probe_point *pt, struct kprobe *p)
{
	struct list_head *head = &pt->probes, *before = head, *behind = head;

	while (before->next && before->next != head && before->next != &p->list)
		before = before->next;
	if (before->next != head)
		while (behind->prev && behind->prev != head && behind->prev != &p->list)
			behind = behind->prev;
	if (behind->prev == head)
		before = head;
	p->list.prev = before;
	behind->prev = &p->list;
	/* Hits go from one to the next. */
	smp_store_release(&p->list.next, behind);
	/* As the one before. */
	smp_store_release(&before->next, &p->list);
}

static bool is_overwritten(const struct registered *r)
{
	const struct kprobe *p = r->p;

	return !p->list.next || !p->list.prev || p->point != r->pt || p->kind != r->kind;
}

static void mend(const struct registered *r)
{
	struct kprobe *p = r->p;

	relink(r->pt, p);
	p->point = r->pt;
	p->kind = r->kind;
	point_describe(r->pt, p);
	if (p->kind->mend)
		p->kind->mend(p);
}

/* A walk along the probes of the point needs all of them. */
static void mend_all_at(struct probe_point *pt)
{
	const struct registered *r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buckets); i++)
		for (r = buckets[i]; r; r = r->next)
			if (r->pt == pt && is_overwritten(r))
				mend(r);
	point_refresh(pt);
}

/**
 * point_of_mended() - as point_of(), and repair what the client has overwritten
 * @p: any kprobe
 *
 * So that it can be unregistered.  Nobody can help a hit before that, or the optimiser.
 *
 * Context: kprobe_mutex held, may sleep.
 */
struct probe_point *point_of_mended(struct kprobe *p)
{
	const struct registered *r = *find(p);

	if (!r)
		return NULL;
	if (is_overwritten(r))
		mend_all_at(r->pt);
	return r->pt;
}
