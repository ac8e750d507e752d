// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executable memory for copies of instructions, in slots of one size, and in
 * runs of several slots.
 *
 * The first pool is a section of the module's own text, which is built filled
 * with traps.  Only this pool has entries in an exception table, see slot_fixups.c.
 * Further pools come from the kernel's allocator, near the text that needs them,
 * or from unused memory within the kernel's text, if the architecture knows of
 * any.  Later pools are larger.
 *
 * A task may still be in a slot that was freed, so slots are reclaimed later: slot_reclaim.c.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "arch_host.h"
#include "host.h"
#include "inject.h"
#include "slots.h"

#define MIN_POOL_SIZE	SZ_64K
#define MAX_POOL_SIZE	SZ_1M

LIST_HEAD(slot_pools);
DEFINE_MUTEX(slots_mutex);
static unsigned int nr_refused;	/* slots with fixups that were not there; by slots_mutex */

static void free_pool_memory(enum pool_source source, unsigned long base, unsigned long size)
{
	if (source == POOL_ALLOCATED)
		host_memory_free(base, size);
	else if (source == POOL_BORROWED)
		arch_return_text(base, size);
}

static void free_pool(struct slot_pool *pool)
{
	free_pool_memory(pool->source, pool->base, pool->nr * ARCH_SLOT_SIZE);
	bitmap_free(pool->used);
	bitmap_free(pool->joined);
	bitmap_free(pool->waiting);
	bitmap_free(pool->quiet);
	kfree(pool);
}

static struct slot_pool *new_pool(unsigned long base, unsigned int nr, enum pool_source source)
{
	struct slot_pool *pool;

	pool = inject_failure() ? NULL : kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return NULL;
	pool->source = POOL_OWN_TEXT;	/* until complete, the caller owns the memory */
	pool->base = base;
	pool->nr = nr;
	pool->used = bitmap_zalloc(nr, GFP_KERNEL);
	pool->joined = bitmap_zalloc(nr, GFP_KERNEL);
	pool->waiting = bitmap_zalloc(nr, GFP_KERNEL);
	pool->quiet = inject_failure() ? NULL : bitmap_zalloc(nr, GFP_KERNEL);
	if (!pool->used || !pool->joined || !pool->waiting || !pool->quiet) {
		free_pool(pool);
		return NULL;
	}
	pool->source = source;
	return pool;
}

/* Guarded by slots_mutex.  Writes are done in large pieces, as each needs a mapping. */
static struct text_edit fills[256];

/* Execution that strays into unused memory of a slot must trap. */
int slot_fill_with_traps(unsigned long addr, unsigned long size)
{
	unsigned long end = addr + size;
	unsigned int nr;
	int err = 0;

	lockdep_assert_held(&slots_mutex);
	while (addr < end && !err) {
		for (nr = 0; addr < end && nr < ARRAY_SIZE(fills); nr++) {
			fills[nr].addr = addr;
			fills[nr].len = sizeof(fills[nr].bytes);
			arch_fill_traps(fills[nr].bytes, sizeof(fills[nr].bytes));
			addr += sizeof(fills[nr].bytes);
		}
		err = host_text_fill(fills, nr);
	}
	return err;
}

static unsigned long next_pool_size(void)
{
	unsigned long size = MIN_POOL_SIZE;
	struct slot_pool *pool;

	lockdep_assert_held(&slots_mutex);
	list_for_each_entry(pool, &slot_pools, list)
		if (pool->source != POOL_OWN_TEXT && size < MAX_POOL_SIZE)
			size *= 2;
	return size;
}

static unsigned long find_memory(unsigned long near, unsigned long size, bool again,
				 enum pool_source *source)
{
	unsigned long base = arch_borrow_text(near, size);

	*source = base ? POOL_BORROWED : POOL_ALLOCATED;
	return base ?: host_memory_alloc(near, size, again);
}

/* For who asks of any address, in any context: both ends only move apart. */
struct host_area host_pools;

static void note_pool(const struct slot_pool *pool)
{
	lockdep_assert_held(&slots_mutex);
	if (!host_pools.end || pool->base < host_pools.start)
		WRITE_ONCE(host_pools.start, pool->base);
	if (pool->base + pool->nr * ARCH_SLOT_SIZE > host_pools.end)
		WRITE_ONCE(host_pools.end, pool->base + pool->nr * ARCH_SLOT_SIZE);
}

/*
 * What an instruction in a copy does may have to be emulated by the kernel, as in guests of SEV or TDX
 * what the host emulates otherwise.  For that it is read with as many bytes as any can have, and is in
 * error if these are not there.  Behind a pool nothing is: so nothing is copied to its end.
 */
static void keep_end(struct slot_pool *pool)
{
	set_bit(pool->nr - 1, pool->used);
}

static struct slot_pool *add_slot_pool(unsigned long near, bool again)
{
	unsigned long size = next_pool_size();
	enum pool_source source;
	unsigned long base = find_memory(near, size, again, &source);
	struct slot_pool *pool;

	if (!base)
		return NULL;
	pool = new_pool(base, size / ARCH_SLOT_SIZE, source);
	if (!pool) {
		free_pool_memory(source, base, size);
		return NULL;
	}
	if (slot_fill_with_traps(pool->base, size)) {
		free_pool(pool);
		return NULL;
	}
	if (source == POOL_ALLOCATED)
		keep_end(pool);
	note_pool(pool);
	/* Published for host_slot_around(). */
	list_add_tail_rcu(&pool->list, &slot_pools);
	return pool;
}

static unsigned long take_slots(struct slot_pool *pool, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&slots_mutex);
	if (pool->too_many && nr >= pool->too_many)
		return 0;
	i = bitmap_find_next_zero_area(pool->used, pool->nr, pool->next, nr, 0);
	if (i >= pool->nr && pool->next)
		i = bitmap_find_next_zero_area(pool->used, pool->nr, 0, nr, 0);
	if (i >= pool->nr) {
		pool->too_many = nr;
		return 0;
	}
	bitmap_set(pool->used, i, nr);
	bitmap_set(pool->joined, i + 1, nr - 1);
	pool->next = i + nr;
	return pool->base + i * ARCH_SLOT_SIZE;
}

static bool is_near(const struct slot_pool *pool, unsigned long near)
{
	return arch_in_reach(near, pool->base, pool->base + pool->nr * ARCH_SLOT_SIZE);
}

static unsigned long take_from_present(unsigned int nr, unsigned long near)
{
	struct slot_pool *pool;
	unsigned long slot;

	lockdep_assert_held(&slots_mutex);
	list_for_each_entry_reverse(pool, &slot_pools, list) {
		slot = pool->source == POOL_OWN_TEXT || !is_near(pool, near) ? 0 :
		       take_slots(pool, nr);
		if (slot)
			return slot;
	}
	return 0;
}

static unsigned long take_from_new(unsigned int nr, unsigned long near, bool again)
{
	struct slot_pool *pool = add_slot_pool(near, again);

	return pool ? take_slots(pool, nr) : 0;
}

/* Copies that can't fault use the pool with fixups only if no other pool has room. */
static unsigned long take_slot(bool may_fault, unsigned long near)
{
	struct slot_pool *own = list_first_entry(&slot_pools, struct slot_pool, list);

	if (may_fault)
		return take_slots(own, 1);
	return take_from_present(1, near) ?: take_from_new(1, near, false) ?: take_slots(own, 1);
}

/**
 * host_slot_alloc() - get a slot
 * @may_fault: does the instruction need an entry in an exception table
 * @near: the text that branches there and back: within reach if possible
 *
 * Context: process context, may sleep; sleeps for a grace period if no slot of the
 * kind is free before others are reclaimed.
 * Return: its address, filled with traps; 0 if there is none.
 */
unsigned long host_slot_alloc(bool may_fault, unsigned long near)
{
	unsigned long slot;

	might_sleep();
	mutex_lock(&slots_mutex);
	slot = inject_failure() ? 0 : take_slot(may_fault, near);
	mutex_unlock(&slots_mutex);
	if (slot)
		return slot;
	slot_reclaim_now();
	mutex_lock(&slots_mutex);
	slot = inject_failure() ? 0 : take_slot(may_fault, near);
	if (!slot && may_fault)
		WRITE_ONCE(nr_refused, nr_refused + 1);
	mutex_unlock(&slots_mutex);
	return slot;
}

/**
 * host_slots_refused() - how often there was no slot for an instruction that may fault
 *
 * Context: any.
 */
unsigned int host_slots_refused(void)
{
	return READ_ONCE(nr_refused);
}

/**
 * host_run_alloc() - get several slots in a row
 * @size: bytes; a run has no fixups
 * @near: the text that branches there and back: always within reach
 *
 * Who gets none may ask as often as it likes: memory is asked for in growing intervals.
 *
 * Context: process context, may sleep.
 * Return: the address, filled with traps; 0 if there is no memory near the text.
 */
unsigned long host_run_alloc(unsigned long size, unsigned long near)
{
	unsigned int nr = DIV_ROUND_UP(size, ARCH_SLOT_SIZE);
	unsigned long run = 0;

	might_sleep();
	mutex_lock(&slots_mutex);
	if (!inject_failure()) {
		run = take_from_present(nr, near);
		if (!run && !host_memory_is_short(near))
			run = take_from_new(nr, near, true);
	}
	mutex_unlock(&slots_mutex);
	return run;
}

/**
 * host_runs() - the smallest area in which all runs are
 * @area: filled in; empty if there can be none
 *
 * Pools are not freed before the module goes, so the area only grows.
 *
 * Context: process context, sleeps.
 */
void host_runs(struct host_area *area)
{
	might_sleep();
	mutex_lock(&slots_mutex);
	*area = host_pools;
	mutex_unlock(&slots_mutex);
}

/**
 * host_slot_around() - the slot or run in which an address is
 * @addr: any address
 * @is_run: set to whether it is a run
 *
 * Context: any, NMI too, until host_slots_exit().
 * Return: its first byte, also of one that has been freed, until it is reclaimed; 0 if there is none.
 */
unsigned long host_slot_around(unsigned long addr, bool *is_run)
{
	const struct slot_pool *pool;
	unsigned int i;

	list_for_each_entry_lockless(pool, &slot_pools, list) {
		if (addr - pool->base >= pool->nr * ARCH_SLOT_SIZE)
			continue;
		i = slot_index(pool, addr);
		*is_run = test_bit(i, pool->joined) ||
			  (i + 1 < pool->nr && test_bit(i + 1, pool->joined));
		while (i && test_bit(i, pool->joined))
			i--;
		return test_bit(i, pool->used) ? pool->base + i * ARCH_SLOT_SIZE : 0;
	}
	return 0;
}

/**
 * host_in_run() - is an address in a run of several slots
 * @addr: any address
 *
 * Context: as host_slot_around().
 * Return: true also for a run that has been freed, until it is reclaimed.
 */
bool host_in_run(unsigned long addr)
{
	bool is_run = false;

	return host_slot_around(addr, &is_run) && is_run;
}

/**
 * host_slot_free() - free a slot or a run that is no longer reachable
 * @slot: its address
 * @owner: the beginning of memory that is freed by kfree() together with it; or NULL
 *
 * No new task can enter it: text has been synced and an RCU grace period has
 * passed. A task that is still in it is safe, as it is reclaimed later.
 *
 * Context: process context, may sleep.
 */
void host_slot_free(unsigned long slot, struct host_owner *owner)
{
	struct slot_pool *pool;
	unsigned int i;

	might_sleep();
	mutex_lock(&slots_mutex);
	pool = slot_pool_of(slot);
	i = slot_index(pool, slot);
	if (owner) {
		owner->slot = slot;
		owner->next = pool->owners;
		pool->owners = owner;
	}
	bitmap_set(pool->waiting, i, slot_run_end(pool, i) - i);
	slot_reclaim_soon();
	mutex_unlock(&slots_mutex);
}

/**
 * host_slots_init() - make the first pool
 *
 * Context: process context, sleeps.
 * Return: 0; -ENOMEM, -ENOEXEC if the module was built wrongly, an error of
 * host_text_write().
 */
int host_slots_init(void)
{
	unsigned long base = (unsigned long)arch_slots;
	struct slot_pool *pool;
	int err;

	might_sleep();
	/* objtool warns of addresses in text that are not valid targets of indirect branches. */
	OPTIMIZER_HIDE_VAR(base);
	err = slot_fixups_init(base);
	if (err)
		return err;
	pool = new_pool(base, ARCH_NR_SLOTS, POOL_OWN_TEXT);
	if (!pool)
		return -ENOMEM;
	list_add(&pool->list, &slot_pools);
	return 0;
}

/**
 * host_slots_exit() - free all pools
 *
 * Waits for tasks that are still in a slot.
 *
 * Context: process context, sleeps.
 */
void host_slots_exit(void)
{
	struct slot_pool *pool, *next;

	might_sleep();
	host_slots_flush();
	list_for_each_entry_safe(pool, next, &slot_pools, list) {
		list_del(&pool->list);
		free_pool(pool);
	}
}
