// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the probe point of an address, in constant time.
 *
 * A hash table with open addressing and linear probing, at most half full.  A hit reads
 * it in any context, without a lock.  Each place points to a point.  A place that is empty,
 * or was left, points to a dummy that no address can match, so a hit needs only one
 * comparison.  To grow, the table is copied and replaced as a whole.
 */
#include <linux/cpu.h>
#include <linux/hash.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../host/inject.h"
#include "core.h"
#include "table.h"

#define MIN_BITS	8

/* A non-canonical address: nothing runs there, so no hit looks it up. */
#define NOWHERE		(1ul << (BITS_PER_LONG - 1))

struct probe_point table_empty = { .addr = NOWHERE };
static struct probe_point table_left = { .addr = NOWHERE };

struct table __rcu *points_table;

static unsigned int nr_points;	/* guarded by kprobe_mutex */

static struct table *current_table(void)
{
	return rcu_dereference_protected(points_table, true);
}

static unsigned int table_bits(const struct table *t)
{
	return BITS_PER_LONG - t->shift;
}

static unsigned long table_mask(const struct table *t)
{
	return (1ul << table_bits(t)) - 1;
}

static struct table *new_table(unsigned int bits)
{
	struct table *t;
	unsigned long i;

	if (inject_failure())
		return NULL;
	t = kvzalloc(struct_size(t, points, 1ul << bits), GFP_KERNEL);
	if (!t)
		return NULL;
	t->factor = GOLDEN_RATIO_64;
	t->shift = BITS_PER_LONG - bits;
	for (i = 0; i < 1ul << bits; i++)
		t->points[i] = &table_empty;
	return t;
}

static bool is_point(const struct probe_point *pt)
{
	return pt->addr != NOWHERE;
}

static void put(struct table *t, struct probe_point *pt)
{
	unsigned long i = table_index(t, pt->addr);

	while (is_point(t->points[i]))
		i = (i + 1) & table_mask(t);
	t->used += t->points[i] == &table_empty;
	/* Orders the contents of the point before the pointer that table_peek() reads. */
	smp_store_release(&t->points[i], pt);
}

/**
 * table_wait() - wait until no CPU uses what it has found in the table
 *
 * What is no longer in it, nor in a list of probes, may be freed then.
 *
 * Who reads it? Hits, and the handlers behind them, run with interrupts off, so each CPU answers
 * the interrupt when it has left them. RCU alone would not do: it waits for no idle CPU, and
 * neither a call of the tracer nor a detour, nor a trap on powerpc, makes it watch one.
 * get_kprobe() has preemption disabled only: for that RCU waits. A CPU that comes or goes would
 * not be asked, so there is none meanwhile.
 *
 * It costs one interrupt on each CPU, and an expedited grace period, for a whole batch.
 *
 * Context: kprobe_mutex held, sleeps.
 */
void table_wait(void)
{
	might_sleep();
	cpus_read_lock();
	host_text_sync();
	cpus_read_unlock();
	/* All CPUs have just been interrupted, so expedited adds little. */
	synchronize_rcu_expedited();
}

static int rebuild(struct table *old, unsigned int bits)
{
	struct table *t = new_table(bits);
	unsigned long i;

	if (!t)
		return -ENOMEM;
	for (i = 0; i <= table_mask(old); i++)
		if (is_point(old->points[i]))
			put(t, old->points[i]);
	rcu_assign_pointer(points_table, t);
	table_wait();
	kvfree(old);
	return 0;
}

/**
 * table_insert() - add a point
 * @pt: with addr set; no other point has it
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or -ENOMEM.
 */
int table_insert(struct probe_point *pt)
{
	struct table *t = current_table();
	unsigned int bits = table_bits(t);
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (2ul * (t->used + 1) > 1ul << bits) {
		if (4ul * nr_points > 1ul << bits)
			bits++;
		err = rebuild(t, bits);
		if (err)
			return err;
	}
	put(current_table(), pt);
	nr_points++;
	return 0;
}

static __always_inline struct probe_point *find_in(const struct table *t, unsigned long addr,
						   unsigned long *place)
{
	unsigned long i = table_index(t, addr);
	struct probe_point *pt;

	for (;; i = (i + 1) & table_mask(t)) {
		pt = READ_ONCE(t->points[i]);
		*place = i;
		if (pt->addr == addr)
			return pt;
		if (pt == &table_empty)
			return NULL;
	}
}

/**
 * table_find() - the point at an address
 * @addr: any address
 *
 * Context: any, NMI too, with interrupts or preemption off; or kprobe_mutex held.
 * Return: the point or NULL.
 */
__kprobes struct probe_point *table_find(unsigned long addr)
{
	unsigned long place;

	if (addr == NOWHERE)
		return NULL;
	return find_in(rcu_dereference_raw_check(points_table), addr, &place);
}

/**
 * table_remove() - remove a point
 * @pt: from table_insert()
 *
 * Context: kprobe_mutex held. The point may be freed after table_wait().
 */
void table_remove(struct probe_point *pt)
{
	struct table *t = current_table();
	unsigned long place;

	lockdep_assert_held(&kprobe_mutex);
	if (find_in(t, pt->addr, &place) != pt)
		return;
	WRITE_ONCE(t->points[place], &table_left);
	nr_points--;
}

/**
 * table_init() - create an empty table
 *
 * Return: 0 or -ENOMEM.
 */
int table_init(void)
{
	struct table *t = new_table(MIN_BITS);

	RCU_INIT_POINTER(points_table, t);
	return t ? 0 : -ENOMEM;
}

/**
 * table_exit() - free the table, when no point can be hit any more
 */
void table_exit(void)
{
	kvfree(current_table());
}
