/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What slots.c (pools), slot_fixups.c and slot_reclaim.c share.
 */
#ifndef LKP_HOST_SLOTS_H
#define LKP_HOST_SLOTS_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "arch_host.h"

enum pool_source {
	POOL_OWN_TEXT,
	POOL_BORROWED,		/* see arch_borrow_text() */
	POOL_ALLOCATED,
};

struct slot_pool {
	struct list_head list;
	unsigned long base;
	unsigned int nr;
	unsigned int next;		/* where the search for free slots begins */
	unsigned int too_many;		/* so many in a row are not free; 0: that is not known */
	enum pool_source source;
	unsigned long *used;		/* allocated, or freed but not yet reclaimed */
	unsigned long *joined;		/* in one run with the slot before it */
	unsigned long *waiting;		/* freed, to be reclaimed */
	unsigned long *quiet;		/* being reclaimed, and not found on a stack */
	struct host_owner *owners;	/* of freed slots, as a task in one may read its owner */
};

extern struct list_head slot_pools;	/* the first is the one with fixups */
extern struct mutex slots_mutex;

static inline struct slot_pool *slot_pool_of(unsigned long addr)
{
	struct slot_pool *pool;

	list_for_each_entry(pool, &slot_pools, list)
		if (addr >= pool->base && addr < pool->base + pool->nr * ARCH_SLOT_SIZE)
			return pool;
	return NULL;
}

static inline unsigned int slot_index(const struct slot_pool *pool, unsigned long addr)
{
	return (addr - pool->base) / ARCH_SLOT_SIZE;
}

/* Behind the last slot of a run. */
static inline unsigned int slot_run_end(const struct slot_pool *pool, unsigned int i)
{
	return find_next_zero_bit(pool->joined, pool->nr, i + 1);
}

int slot_fill_with_traps(unsigned long addr, unsigned long size);

/* ---- slot_fixups.c ---- */

unsigned long slot_original(const struct slot_pool *pool, unsigned int i);
int slot_drop_fixups(unsigned long slot);
int slot_fixups_init(unsigned long slots);

/* ---- slot_reclaim.c ---- */

void slot_reclaim_soon(void);
void slot_reclaim_now(void);

#endif /* LKP_HOST_SLOTS_H */
