/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the table of probe points that hits read: inline, since most hits need
 * only one look.
 */
#ifndef LKP_TABLE_H
#define LKP_TABLE_H

#include <linux/rcupdate.h>

#include "core.h"

/**
 * struct table - points by address
 * @factor: of the hash product; some processors load it from here faster than they make it
 * @shift: right shift from the product to an index
 * @used: how many places are not empty, including those that were left
 * @points: the places; table_empty or table_left if a place has no point
 */
struct table {
	unsigned long factor;
	unsigned int shift;
	unsigned int used;
	struct probe_point *points[];
};

extern struct table __rcu *points_table;
extern struct probe_point table_empty;

static __always_inline unsigned long table_index(const struct table *t, unsigned long addr)
{
	return addr * t->factor >> t->shift;
}

/**
 * table_peek() - the point at the first place for an address
 * @addr: any address
 *
 * Context: as table_find().
 * Return: a point or a dummy, never NULL.  If its addr is not @addr, call table_find().
 */
static __always_inline struct probe_point *table_peek(unsigned long addr)
{
	const struct table *t = rcu_dereference_raw_check(points_table);

	return READ_ONCE(t->points[table_index(t, addr)]);
}

/* Is what table_peek() has found the end of a search? Then table_find() would find nothing. */
static __always_inline bool table_ends_at(const struct probe_point *pt)
{
	return pt == &table_empty;
}

#endif /* LKP_TABLE_H */
