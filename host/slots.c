// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executable memory for copies of instructions, in slots of one size, and in
 * runs of several slots.
 *
 * The first pool is a section of the module's own text, which is built filled
 * with traps.  Only this pool has entries in an exception table, the module's:
 * two for each slot, made by the assembler, since a slot holds two copies of its
 * instruction.  An unused entry names a byte at which no instruction begins.
 * Further pools come from the kernel's allocator, near the text that needs them,
 * or from unused memory within the kernel's text, if the architecture knows of
 * any.  Later pools are larger.
 *
 * A task may still be in a slot that was freed, so slots are reclaimed later.  A task may sleep in
 * one for any time, in a fault of the instruction: it is moved to where that was copied from.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "arch_host.h"
#include "host.h"
#include "inject.h"

/* An offset in a slot for faults that can't be fixed up from the module directly. */
#ifndef ARCH_SLOT_LANDING
#define ARCH_SLOT_LANDING	0
#endif

#define MIN_POOL_SIZE	SZ_64K
#define MAX_POOL_SIZE	SZ_1M
#define RECLAIM_DELAY	HZ
#define STRETCH		256	/* slots */

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
	enum pool_source source;
	unsigned long *used;		/* allocated, or freed but not yet reclaimed */
	unsigned long *joined;		/* in one run with the slot before it */
	unsigned long *waiting;		/* freed, to be reclaimed */
	unsigned long *quiet;		/* being reclaimed, and not found on a stack */
	void **owners;			/* freed with the slot, as a task in it may read them */
};

static LIST_HEAD(pools);
static DEFINE_MUTEX(slots_mutex);
static DEFINE_MUTEX(reclaim_mutex);	/* taken before slots_mutex */
static struct exception_table_entry *first_fixup;
static unsigned int nr_refused;	/* slots with fixups that were not there; by slots_mutex */

/* For each slot of the first pool: the instruction that its fixups are for; 0 if it has none. */
static unsigned long originals[ARCH_NR_SLOTS];

static void reclaim_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(reclaimer, reclaim_work);

static struct slot_pool *pool_of(unsigned long addr)
{
	struct slot_pool *pool;

	list_for_each_entry(pool, &pools, list)
		if (addr >= pool->base && addr < pool->base + pool->nr * ARCH_SLOT_SIZE)
			return pool;
	return NULL;
}

static unsigned int slot_index(const struct slot_pool *pool, unsigned long addr)
{
	return (addr - pool->base) / ARCH_SLOT_SIZE;
}

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
	kvfree(pool->owners);
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
	pool->owners = kvcalloc(nr, sizeof(*pool->owners), GFP_KERNEL);
	if (!pool->used || !pool->joined || !pool->waiting || !pool->quiet || !pool->owners) {
		free_pool(pool);
		return NULL;
	}
	pool->source = source;
	return pool;
}

/* Guarded by slots_mutex.  Writes are done in large pieces, as each needs a mapping. */
static struct text_edit fills[256];

/* Execution that strays into unused memory of a slot must trap. */
static int fill_with_traps(unsigned long addr, unsigned long size)
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
	list_for_each_entry(pool, &pools, list)
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
	if (fill_with_traps(pool->base, size)) {
		free_pool(pool);
		return NULL;
	}
	note_pool(pool);
	/* Published for host_slot_around(). */
	list_add_tail_rcu(&pool->list, &pools);
	return pool;
}

static unsigned long take_slots(struct slot_pool *pool, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&slots_mutex);
	i = bitmap_find_next_zero_area(pool->used, pool->nr, pool->next, nr, 0);
	if (i >= pool->nr && pool->next)
		i = bitmap_find_next_zero_area(pool->used, pool->nr, 0, nr, 0);
	if (i >= pool->nr)
		return 0;
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
	list_for_each_entry_reverse(pool, &pools, list) {
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
	struct slot_pool *own = list_first_entry(&pools, struct slot_pool, list);

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
	flush_delayed_work(&reclaimer);
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
	const struct slot_pool *pool;

	might_sleep();
	*area = (struct host_area){ 0, 0 };
	mutex_lock(&slots_mutex);
	list_for_each_entry(pool, &pools, list) {
		unsigned long end = pool->base + pool->nr * ARCH_SLOT_SIZE;

		if (pool->source == POOL_OWN_TEXT)
			continue;
		area->start = area->end ? min(area->start, pool->base) : pool->base;
		area->end = max(area->end, end);
	}
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

	list_for_each_entry_lockless(pool, &pools, list) {
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

/* Behind the last slot of a run. */
static unsigned int run_end(const struct slot_pool *pool, unsigned int i)
{
	return find_next_zero_bit(pool->joined, pool->nr, i + 1);
}

/**
 * host_slot_free() - free a slot or a run that is no longer reachable
 * @slot: its address
 * @owner: memory that is freed by kfree() together with it; or NULL
 *
 * No new task can enter it: text has been synced and an RCU grace period has
 * passed. A task that is still in it is safe, as it is reclaimed later.
 *
 * Context: process context, may sleep.
 */
void host_slot_free(unsigned long slot, void *owner)
{
	struct slot_pool *pool;
	unsigned int i;

	might_sleep();
	mutex_lock(&slots_mutex);
	pool = pool_of(slot);
	i = slot_index(pool, slot);
	pool->owners[i] = owner;
	bitmap_set(pool->waiting, i, run_end(pool, i) - i);
	mutex_unlock(&slots_mutex);
	schedule_delayed_work(&reclaimer, RECLAIM_DELAY);
}

/* ---- fixups ---- */

static struct exception_table_entry *fixup_of(unsigned long slot, unsigned int which)
{
	struct slot_pool *pool = pool_of(slot);

	if (!pool || pool->source != POOL_OWN_TEXT)
		return NULL;
	return first_fixup + slot_index(pool, slot) * ARCH_SLOT_COPIES + which;
}

static int write_word(void *to, u32 value)
{
	struct text_edit edit = { .addr = (unsigned long)to, .len = sizeof(value) };

	memcpy(edit.bytes, &value, sizeof(value));
	return host_text_fill(&edit, 1);
}

/* The part of an entry after insn and fixup. */
static u32 kind_as_in(const struct exception_table_entry *original,
		      const struct exception_table_entry *e)
{
	u32 kind = *(u32 *)(&original->fixup + 1);

#ifdef ARCH_FIXUPS_ARE_MADE
	/* The distance from there to a function. */
	kind += (unsigned long)original - (unsigned long)e;
#endif
	return kind;
}

/* Writes that part, on architectures that have one. */
static int write_kind(struct exception_table_entry *e, const struct exception_table_entry *original)
{
	static_assert(sizeof(*e) - offsetofend(struct exception_table_entry, fixup) <= sizeof(u32));

	if (sizeof(*e) == offsetofend(struct exception_table_entry, fixup))
		return 0;
	return write_word(&e->fixup + 1, kind_as_in(original, e));
}

/* Where a fault in a copy at this address goes on. */
static unsigned long fixup_target(const struct exception_table_entry *original, unsigned long copy)
{
	unsigned long insn = (unsigned long)&original->insn + original->insn;
	unsigned long fixup = (unsigned long)&original->fixup + original->fixup;

	return arch_fixup_is_behind(original) ? copy + (fixup - insn) : fixup;
}

/*
 * The distance from the entry to that.  If it is too far, the distance to the slot's landing,
 * from where the architecture branches to the original's fixup.
 */
static bool fixup_distance(const struct exception_table_entry *e,
			   const struct exception_table_entry *original, unsigned long copy,
			   unsigned long slot, int *distance)
{
	long far = fixup_target(original, copy) - (unsigned long)&e->fixup;

	if (far != (int)far && ARCH_SLOT_LANDING)
		far = slot + ARCH_SLOT_LANDING - (unsigned long)&e->fixup;
	*distance = far;
	return far == (int)far;
}

/* Look-ups go by insn: it is written last when an entry is set, first when it is cleared. */
static int write_fixup(struct exception_table_entry *e, unsigned long insn, unsigned long slot,
		       const struct exception_table_entry *original)
{
	int err, distance;

	if (!original)
		return e->insn == (int)(insn - (unsigned long)&e->insn) ? 0 :
		       write_word(&e->insn, insn - (unsigned long)&e->insn);
	if (!fixup_distance(e, original, insn, slot, &distance))
		return -EINVAL;
	err = write_word(&e->fixup, distance);
	if (!err)
		err = write_kind(e, original);
	return err ?: write_word(&e->insn, insn - (unsigned long)&e->insn);
}

/**
 * host_slot_set_fixup() - set where a fault in a slot is fixed up
 * @slot: from host_slot_alloc(true)
 * @which: which copy of the instruction in it, from 0
 * @original: the entry of the instruction that was copied, whose kind and
 *	target are copied; NULL: faults are not fixed up
 *
 * Context: process context, may sleep.
 * Return: 0; -EINVAL if the slot can have no fixup there; an error of
 * host_text_write().
 */
int host_slot_set_fixup(unsigned long slot, unsigned int which,
			const struct exception_table_entry *original)
{
	unsigned long copy = slot + which * ARCH_SLOT_COPY_SIZE;
	struct exception_table_entry *e = fixup_of(slot, which);

	if (!e)
		return original ? -EINVAL : 0;
	originals[slot_index(pool_of(slot), slot)] =
		original ? (unsigned long)&original->insn + original->insn : 0;
	return write_fixup(e, original ? copy : copy + ARCH_SLOT_COPY_SIZE - 1, slot, original);
}

static int find_fixups(unsigned long slots)
{
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_exentries; i++) {
		struct exception_table_entry *e = &THIS_MODULE->extable[i];

		if ((unsigned long)&e->insn + e->insn == slots + ARCH_SLOT_COPY_SIZE - 1) {
			first_fixup = e;
			return 0;
		}
	}
	pr_err("the module's exception table lacks the slots\n");
	return -ENOEXEC;
}

/* ---- reclaiming ---- */

/* The instruction that the slot is for, if it has fixups; 0 if not. */
static unsigned long original_of(const struct slot_pool *pool, unsigned int i)
{
	return pool->source == POOL_OWN_TEXT ? originals[i] : 0;
}

/* A task in one slot of a run may reach all slots of the run. */
static void note_occupied(struct slot_pool *pool, unsigned int i)
{
	unsigned int first = i;

	while (test_bit(first, pool->joined))
		first--;
	bitmap_clear(pool->quiet, first, run_end(pool, i) - first);
}

/* A task that can run may still be in a slot of this round: under reclaim_mutex. */
static bool runnable_in_slot;

/*
 * A task that sleeps in a slot does so in a fault of the copied instruction.  When the fault is
 * resolved, it runs the instruction again; so it may as well run the one that was copied, as the
 * probe is gone.  (If there is a new one, it is hit.)  If the fault is not resolved, the kernel
 * looks for a fixup of the address that is found here: it reads it from the saved registers
 * only, after it has slept.
 *
 * A task that can run may have read the address from there before it was stopped, or may have found
 * the entry in the exception table; or it woke up since preempted tasks were waited for, and is at
 * another address in the slot or in the stub behind it.  It does not sleep before it is done with
 * that.  So it is waited for once more, and what it reads later is the original.  Where the
 * kernel can't wait, the task has to be found again: its address stays.
 *
 * The word may be left over in a part of the stack that is not used: for as long as the task does
 * not write there, that can't be told.  If it is the address of a copy, nobody reads what is
 * written; others that are found on the stack of a task that sleeps can only be that.
 *
 * Runs with all CPUs stopped.
 */
static void visit_word(unsigned long *word, const unsigned long *end, bool asleep)
{
	unsigned long addr = host_stack_word(word), original;
	struct slot_pool *pool = pool_of(addr);
	unsigned int i;

	if (!pool || !arch_stack_word_resumes(word, end))
		return;
	i = slot_index(pool, addr);
	if (!test_bit(i, pool->quiet))
		return;
	original = original_of(pool, i);
	if (original && (addr - pool->base) % ARCH_SLOT_COPY_SIZE == 0 &&
	    (asleep || host_waits_for_preempted()))
		arch_stack_word_resume_at(word, original);
	if (asleep)
		return;
	if (host_waits_for_preempted())
		runnable_in_slot = true;
	else
		note_occupied(pool, i);
}

static int drop_fixups(unsigned long slot)
{
	unsigned int which;
	int err = 0;

	for (which = 0; which < ARCH_SLOT_COPIES && !err; which++)
		err = host_slot_set_fixup(slot, which, NULL);
	return err;
}

static void release(struct slot_pool *pool, unsigned int i, unsigned int nr)
{
	lockdep_assert_held(&slots_mutex);
	kfree(pool->owners[i]);
	pool->owners[i] = NULL;
	bitmap_clear(pool->joined, i + 1, nr - 1);
	bitmap_clear(pool->waiting, i, nr);
	bitmap_clear(pool->used, i, nr);
}

/* The end of a row of adjacent quiet slots, up to a limit: they are filled at once. */
static unsigned int quiet_stretch(const struct slot_pool *pool, unsigned int i)
{
	unsigned int end = i;

	while (end < pool->nr && test_bit(end, pool->quiet) && end - i < STRETCH)
		end = run_end(pool, end);
	return end;
}

static int clear_stretch(const struct slot_pool *pool, unsigned int i, unsigned int end)
{
	unsigned long base = pool->base + i * ARCH_SLOT_SIZE;
	int err = 0;

	lockdep_assert_held(&slots_mutex);
	for (; i < end && pool->source == POOL_OWN_TEXT && !err; i++)
		err = drop_fixups(pool->base + i * ARCH_SLOT_SIZE);
	return err ?: fill_with_traps(base, pool->base + end * ARCH_SLOT_SIZE - base);
}

/* Reclaiming can take long: let allocations in between. */
static void yield_mutex(void)
	__must_hold(&slots_mutex)
{
	lockdep_assert_held(&slots_mutex);
	mutex_unlock(&slots_mutex);
	cond_resched_tasks_rcu_qs();
	mutex_lock(&slots_mutex);
}

static void release_quiet_in(struct slot_pool *pool)
{
	unsigned int i, next, end;

	lockdep_assert_held(&slots_mutex);
	for (i = find_first_bit(pool->quiet, pool->nr); i < pool->nr;
	     i = find_next_bit(pool->quiet, pool->nr, end)) {
		end = quiet_stretch(pool, i);
		if (clear_stretch(pool, i, end))
			continue;
		for (; i < end; i = next) {
			next = run_end(pool, i);
			release(pool, i, next - i);
		}
		yield_mutex();
	}
}

/* Begins a round: only slots that wait now can be released by it. */
static bool begin_round(void)
{
	struct slot_pool *pool;
	bool any = false;

	lockdep_assert_held(&reclaim_mutex);
	mutex_lock(&slots_mutex);
	list_for_each_entry(pool, &pools, list) {
		bitmap_copy(pool->quiet, pool->waiting, pool->nr);
		any |= !bitmap_empty(pool->quiet, pool->nr);
	}
	mutex_unlock(&slots_mutex);
	return any;
}

static bool release_quiet(void)
{
	struct slot_pool *pool;
	bool all = true;

	lockdep_assert_held(&reclaim_mutex);
	mutex_lock(&slots_mutex);
	list_for_each_entry(pool, &pools, list) {
		release_quiet_in(pool);
		all &= bitmap_empty(pool->waiting, pool->nr);
	}
	mutex_unlock(&slots_mutex);
	return all;
}

/*
 * Can a task sleep in one of the slots of this round?  Only in a fault that is fixed up, so not in a
 * run, nor in a slot of another pool: what accesses user memory has an entry in an exception table,
 * and what accesses the kernel's does not wait for pages.  (Other code that reads user memory is a
 * mistake: ppc64 kills it at once, the others when it meets SMAP or PAN, or memory that is being
 * mapped.)
 */
static bool any_can_sleep(void)
{
	struct slot_pool *own = list_first_entry(&pools, struct slot_pool, list);
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&reclaim_mutex);
	mutex_lock(&slots_mutex);
	for_each_set_bit(i, own->quiet, own->nr)
		any |= original_of(own, i) != 0;
	mutex_unlock(&slots_mutex);
	return any;
}

/*
 * Stacks are searched only if they must be.  Returns false if that was not possible.  With the
 * second wait nobody is in any of the slots; where there is none, those that were found
 * are not quiet.
 */
static bool wait_for_tasks(void)
{
	lockdep_assert_held(&reclaim_mutex);
	host_wait_for_preempted();
	if (host_waits_for_preempted() && !any_can_sleep())
		return true;
	runnable_in_slot = false;
	if (!host_scan_stacks(visit_word))
		return false;
	if (runnable_in_slot)
		host_wait_for_preempted();
	return true;
}

/* Slots can be allocated and freed while this waits. */
static bool reclaim_once(void)
{
	bool all = true;

	mutex_lock(&reclaim_mutex);
	if (begin_round())
		all = wait_for_tasks() && release_quiet();
	mutex_unlock(&reclaim_mutex);
	return all;
}

/* It runs at any time, so failures injected for a test must not hit it. */
static void reclaim_work(struct work_struct *work)
{
	bool done;

	inject_spare(current);
	done = reclaim_once();
	inject_spare(NULL);
	if (!done)
		schedule_delayed_work(&reclaimer, RECLAIM_DELAY);
}

#define FLUSH_DELAY	50	/* milliseconds */
#define FLUSH_SILENTLY	100	/* that often, before the log says what it waits for */

/**
 * host_slots_flush() - wait until no task is in any freed slot
 *
 * Context: process context, sleeps; no longer because a task sleeps in such a slot, but for memory,
 * and, where the kernel can't wait for preempted tasks, until tasks that can run have left it.
 */
void host_slots_flush(void)
{
	unsigned int rounds = 0;

	might_sleep();
	cancel_delayed_work_sync(&reclaimer);
	while (!reclaim_once()) {
		if (++rounds == FLUSH_SILENTLY)
			pr_warn("waiting for memory, or for a task that is kept from running\n");
		msleep(FLUSH_DELAY);
	}
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
	err = find_fixups(base);
	if (err)
		return err;
	pool = new_pool(base, ARCH_NR_SLOTS, POOL_OWN_TEXT);
	if (!pool)
		return -ENOMEM;
	list_add(&pool->list, &pools);
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
	list_for_each_entry_safe(pool, next, &pools, list) {
		list_del(&pool->list);
		free_pool(pool);
	}
}
