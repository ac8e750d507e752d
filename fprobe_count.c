// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: hits and misses of each function, counted while an operator wants to know them:
 * core/profile.h.  It is the same whoever serves the entries: while hits are counted the
 * entry_handler is called by way of a function that counts.
 */
#include <linux/compiler.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/core.h"
#include "core/profile.h"
#include "fprobe_private.h"
#include "host/inject.h"

/* More than fit into a block can't be had in one piece for each CPU. */
#define BLOCK	256

/**
 * struct fprobe_counts - the counters of an fprobe's functions
 * @nr: how many functions
 * @addrs: their entries, sorted; those of modules that have gone, too
 * @blocks: counters of BLOCK functions each
 */
struct fprobe_counts {
	unsigned int nr;
	unsigned long *addrs;
	struct probe_counts __percpu **blocks;
};

static void free_counts(struct fprobe_counts *counts)
{
	unsigned int i;

	for (i = 0; counts->blocks && i < DIV_ROUND_UP(counts->nr, BLOCK); i++)
		free_percpu(counts->blocks[i]);
	kvfree(counts->blocks);
	kvfree(counts->addrs);
	kfree(counts);
}

static bool fill(struct fprobe_counts *counts, const struct function_set *functions)
{
	unsigned int i, nr_blocks = DIV_ROUND_UP(functions->nr, BLOCK);
	size_t size = functions->nr * sizeof(*counts->addrs);

	counts->nr = functions->nr;
	counts->addrs = kvmalloc(size, GFP_KERNEL);
	counts->blocks = kvcalloc(nr_blocks, sizeof(*counts->blocks), GFP_KERNEL);
	if (!counts->addrs || !counts->blocks)
		return false;
	memcpy(counts->addrs, functions->addrs, size);
	for (i = 0; i < nr_blocks; i++) {
		counts->blocks[i] = counts_new(BLOCK);
		if (!counts->blocks[i])
			return false;
	}
	return true;
}

/* Hits read addrs while the hook's own are changed, as modules go: so this has a copy. */
static struct fprobe_counts *new_counts(const struct function_set *functions)
{
	struct fprobe_counts *counts;

	might_sleep();
	counts = inject_failure() ? NULL : kzalloc(sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return NULL;
	if (fill(counts, functions))
		return counts;
	free_counts(counts);
	return NULL;
}

/**
 * fprobe_counts_of() - the counters of a function on this CPU
 * @hook: the fprobe
 * @site: its entry
 *
 * Context: that of handlers, or kprobe_mutex held.
 * Return: NULL if there are none.
 */
struct probe_counts __percpu *fprobe_counts_of(const struct fprobe_hook *hook, unsigned long site)
{
	const struct fprobe_counts *counts = READ_ONCE(hook->counts);
	unsigned int i;

	if (!counts)
		return NULL;
	i = host_first_from(counts->addrs, counts->nr, site);
	if (i == counts->nr || counts->addrs[i] != site)
		return NULL;
	return counts->blocks[i / BLOCK] + i % BLOCK;
}

/* A struct fprobe may have been overwritten; what is running is ours.  Only a site's has a kind. */
static const struct fprobe_hook *running_hook(void)
{
	struct kprobe *p = kprobe_running();

	return p->kind ? container_of(p, struct fprobe_site, kp)->hook :
			 container_of(p, struct fprobe_hook, kp);
}

static int counted_entry(struct fprobe *fp, unsigned long site, unsigned long addr,
			 struct pt_regs *regs, void *data)
{
	const struct fprobe_hook *hook = running_hook();

	counts_hit(fprobe_counts_of(hook, site));
	return hook->entry(fp, site, addr, regs, data);
}

/**
 * fprobe_counts_begin() - give counters to an fprobe
 * @hook: the fprobe, which has none
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or -ENOMEM.
 */
int fprobe_counts_begin(struct fprobe_hook *hook)
{
	struct fprobe_counts *counts = new_counts(&hook->functions);

	lockdep_assert_held(&kprobe_mutex);
	if (!counts)
		return -ENOMEM;
	/* Orders the contents before the pointer that a hit reads. */
	smp_store_release(&hook->counts, counts);
	WRITE_ONCE(hook->on_entry, counted_entry);
	return 0;
}

/**
 * fprobe_counts_begin_all() - give counters to fprobes
 * @hooks: a list of those, which have none
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or -ENOMEM; then some may have theirs, until fprobe_counts_end().
 */
int fprobe_counts_begin_all(struct list_head *hooks)
{
	struct fprobe_hook *hook;
	int err = 0;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(hook, hooks, list) {
		err = fprobe_counts_begin(hook);
		if (err)
			break;
	}
	return err;
}

/**
 * fprobe_counts_free() - free the counters of an fprobe
 * @hook: the fprobe, which no hit uses; or its counters have been taken from hits
 *
 * Context: kprobe_mutex held, sleeps.
 */
void fprobe_counts_free(struct fprobe_hook *hook)
{
	struct fprobe_counts *counts = hook->counts ?: hook->left_counts;

	might_sleep();
	hook->left_counts = NULL;
	if (counts)
		free_counts(counts);
}

/**
 * fprobe_counts_end() - take the counters of fprobes back
 * @hooks: a list of all that may have some
 *
 * Context: kprobe_mutex held, sleeps.
 */
void fprobe_counts_end(struct list_head *hooks)
{
	struct fprobe_hook *hook;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(hook, hooks, list) {
		WRITE_ONCE(hook->on_entry, hook->entry);
		hook->left_counts = hook->counts;
		WRITE_ONCE(hook->counts, NULL);
	}
	table_wait();
	list_for_each_entry(hook, hooks, list)
		fprobe_counts_free(hook);
}
