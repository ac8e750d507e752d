// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reclaiming slots that were freed.  A task may still be in one, and sleep there for any time, in a
 * fault of the instruction: it is moved to where that was copied from.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "host.h"
#include "inject.h"
#include "slots.h"

#define RECLAIM_DELAY	HZ
#define STRETCH		256	/* slots */

static DEFINE_MUTEX(reclaim_mutex);	/* taken before slots_mutex */

static void reclaim_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(reclaimer, reclaim_work);

/* A task that is in a slot has some time to leave it, and others to be freed with it. */
void slot_reclaim_soon(void)
{
	lockdep_assert_held(&slots_mutex);
	/* Work that has begun, and is not pending, may have had the mutex before. */
	if (!delayed_work_pending(&reclaimer))
		schedule_delayed_work(&reclaimer, RECLAIM_DELAY);
}

/* What waits is reclaimed before this returns, if it can be. */
void slot_reclaim_now(void)
{
	might_sleep();
	flush_delayed_work(&reclaimer);
}

/* A task in one slot of a run may reach all slots of the run. */
static void note_occupied(struct slot_pool *pool, unsigned int i)
{
	unsigned int first = i;

	while (test_bit(first, pool->joined))
		first--;
	bitmap_clear(pool->quiet, first, slot_run_end(pool, i) - first);
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
	struct slot_pool *pool = slot_pool_of(addr);
	unsigned int i;

	if (!pool || !arch_stack_word_resumes(word, end))
		return;
	i = slot_index(pool, addr);
	if (!test_bit(i, pool->quiet))
		return;
	original = slot_original(pool, i);
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

static void release(struct slot_pool *pool, unsigned int i, unsigned int nr)
{
	lockdep_assert_held(&slots_mutex);
	bitmap_clear(pool->joined, i + 1, nr - 1);
	bitmap_clear(pool->waiting, i, nr);
	bitmap_clear(pool->used, i, nr);
	pool->too_many = 0;
}

/* The end of a row of adjacent quiet slots, up to a limit: they are filled at once. */
static unsigned int quiet_stretch(const struct slot_pool *pool, unsigned int i)
{
	unsigned int end = i;

	while (end < pool->nr && test_bit(end, pool->quiet) && end - i < STRETCH)
		end = slot_run_end(pool, end);
	return end;
}

static int clear_stretch(const struct slot_pool *pool, unsigned int i, unsigned int end)
{
	unsigned long base = pool->base + i * ARCH_SLOT_SIZE;
	int err = 0;

	lockdep_assert_held(&slots_mutex);
	for (; i < end && pool->source == POOL_OWN_TEXT && !err; i++)
		err = slot_drop_fixups(pool->base + i * ARCH_SLOT_SIZE);
	return err ?: slot_fill_with_traps(base, pool->base + end * ARCH_SLOT_SIZE - base);
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

/*
 * Frees the owners of slots that do not wait any more.  If somebody has taken one meanwhile, and
 * freed it, its former owner is freed the next time.
 */
static void release_owners(struct slot_pool *pool)
{
	struct host_owner **at = &pool->owners, *owner;
	unsigned int nr = 0;

	lockdep_assert_held(&slots_mutex);
	while ((owner = *at)) {
		if (++nr % STRETCH == 0)
			cond_resched_tasks_rcu_qs();
		if (test_bit(slot_index(pool, owner->slot), pool->waiting)) {
			at = &owner->next;
			continue;
		}
		*at = owner->next;
		kfree(owner);
	}
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
			next = slot_run_end(pool, i);
			release(pool, i, next - i);
		}
		yield_mutex();
	}
	release_owners(pool);
}

/* Begins a round: only slots that wait now can be released by it. */
static bool begin_round(void)
{
	struct slot_pool *pool;
	bool any = false;

	lockdep_assert_held(&reclaim_mutex);
	mutex_lock(&slots_mutex);
	list_for_each_entry(pool, &slot_pools, list) {
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
	list_for_each_entry(pool, &slot_pools, list) {
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
	struct slot_pool *own = list_first_entry(&slot_pools, struct slot_pool, list);
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&reclaim_mutex);
	mutex_lock(&slots_mutex);
	for_each_set_bit(i, own->quiet, own->nr)
		any |= slot_original(own, i) != 0;
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
