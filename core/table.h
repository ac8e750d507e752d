/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of probe points, as far as a hit reads it: inline, since a hit in
 * most cases needs no more than one look.
 */
#ifndef LKP_TABLE_H
#define LKP_TABLE_H

#include <linux/hash.h>
#include <linux/rcupdate.h>

#include "core.h"

/**
 * struct table - points by address
 * @shift: what takes the product of the hash down to an index
 * @used: places that are not empty, those that were left too
 * @live: points
 * @points: each place has one; table_empty or table_left if it has none
 */
struct table {
	unsigned int shift;
	unsigned int used;
	unsigned int live;
	struct probe_point *points[];
};

extern struct table __rcu *points_table;

static __always_inline unsigned long table_index(const struct table *t, unsigned long addr)
{
	return addr * GOLDEN_RATIO_64 >> t->shift;
}

/**
 * table_peek() - what is at the place where the point of an address should be
 * @addr: any address
 *
 * Context: as table_find().
 * Return: a point, or one that stands for none; only if its addr is @addr it
 * is the one, and else table_find() must be asked.
 */
static __always_inline struct probe_point *table_peek(unsigned long addr)
{
	const struct table *t = rcu_dereference_raw_check(points_table);

	return READ_ONCE(t->points[table_index(t, addr)]);
}

#endif /* LKP_TABLE_H */
