// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executable memory for copies of instructions, in slots of one size, and in
 * runs of several slots.
 *
 * The first pool is a section of the module's own text, which comes filled with
 * traps.  It alone has entries in an exception table, the module's: two for
 * each slot, prepared by the assembler, since a slot holds two copies of its
 * instruction.  An entry that is not in use names a byte at which no
 * instruction begins.  Further pools come from the kernel's allocator, near
 * the text that needs them, or from unused room amid the kernel's text, where an
 * architecture knows of any.  The more there are the larger they get.
 *
 * What was freed may still have a task in it: it is collected later.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/extable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"

/* An offset in a slot for faults that can't be fixed up from the module directly. */
#ifndef ARCH_SLOT_LANDING
#define ARCH_SLOT_LANDING	0
#endif

#define MIN_POOL_SIZE	SZ_64K
#define MAX_POOL_SIZE	SZ_1M
#define COLLECT_DELAY	HZ
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
	unsigned int next;		/* where to look for free ones */
	enum pool_source source;
	unsigned long *used;		/* handed out, or not yet collected */
	unsigned long *joined;		/* one run with the slot before it */
	unsigned long *waiting;		/* freed, to be collected */
	unsigned long *quiet;		/* being collected, and not yet seen on a stack */
	void **owners;			/* freed with the slot: who is in it may look at them */
};

static LIST_HEAD(pools);
static DEFINE_MUTEX(slots_mutex);
static DEFINE_MUTEX(collect_mutex);
static struct exception_table_entry *first_fixup;

static void collect(struct work_struct *work);
static DECLARE_DELAYED_WORK(collector, collect);

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

static void give_back(enum pool_source source, unsigned long base, unsigned long size)
{
	if (source == POOL_ALLOCATED)
		vfree((void *)base);
	else if (source == POOL_BORROWED)
		arch_return_text(base, size);
}

static void free_pool(struct slot_pool *pool)
{
	give_back(pool->source, pool->base, pool->nr * ARCH_SLOT_SIZE);
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
	pool->source = POOL_OWN_TEXT;	/* until it is complete the memory is the caller's */
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

/* Used with slots_mutex held: memory is written in large pieces, as each has to be mapped. */
static struct text_edit fills[256];

/* Nothing may ever run in a slot but what was put there. */
static int fill_with_traps(unsigned long addr, unsigned long size)
{
	unsigned long end = addr + size;
	unsigned int nr;
	int err = 0;

	while (addr < end && !err) {
		for (nr = 0; addr < end && nr < ARRAY_SIZE(fills); nr++) {
			fills[nr].addr = addr;
			fills[nr].len = sizeof(fills[nr].bytes);
			arch_fill_traps(fills[nr].bytes, sizeof(fills[nr].bytes));
			addr += sizeof(fills[nr].bytes);
		}
		err = host_text_write(fills, nr);
	}
	return err;
}

/* Kernels that keep accounts of allocations have it under another name. */
static void *alloc_between(unsigned long start, unsigned long end, unsigned long size)
{
	const void *caller = __builtin_return_address(0);
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;

	if (import_has(__vmalloc_node_range))
		return import___vmalloc_node_range(size, PAGE_SIZE, start, end, gfp,
						   ARCH_SLOT_PGPROT, 0, NUMA_NO_NODE, caller);
	if (import_has(__vmalloc_node_range_noprof))
		return import___vmalloc_node_range_noprof(size, PAGE_SIZE, start, end, gfp,
							  ARCH_SLOT_PGPROT, 0, NUMA_NO_NODE,
							  caller);
	return NULL;
}

static unsigned long alloc_near(unsigned long near, unsigned long size)
{
	unsigned long start, end;

	if (inject_failure())
		return 0;
	arch_near_text_range(near, &start, &end);
	return (unsigned long)alloc_between(start, end, size);
}

static unsigned long next_pool_size(void)
{
	unsigned long size = MIN_POOL_SIZE;
	struct slot_pool *pool;

	list_for_each_entry(pool, &pools, list)
		if (pool->source != POOL_OWN_TEXT && size < MAX_POOL_SIZE)
			size *= 2;
	return size;
}

static unsigned long find_memory(unsigned long near, unsigned long size, enum pool_source *source)
{
	unsigned long base = arch_borrow_text(near, size);

	*source = base ? POOL_BORROWED : POOL_ALLOCATED;
	return base ?: alloc_near(near, size);
}

static struct slot_pool *grow(unsigned long near)
{
	unsigned long size = next_pool_size();
	enum pool_source source;
	unsigned long base = find_memory(near, size, &source);
	struct slot_pool *pool;

	if (!base)
		return NULL;
	pool = new_pool(base, size / ARCH_SLOT_SIZE, source);
	if (!pool) {
		give_back(source, base, size);
		return NULL;
	}
	if (fill_with_traps(pool->base, size)) {
		free_pool(pool);
		return NULL;
	}
	list_add_tail(&pool->list, &pools);
	return pool;
}

static unsigned long take(struct slot_pool *pool, unsigned int nr)
{
	unsigned int i = bitmap_find_next_zero_area(pool->used, pool->nr, pool->next, nr, 0);

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

static unsigned long take_from_grown(unsigned int nr, unsigned long near)
{
	struct slot_pool *pool;
	unsigned long slot;

	list_for_each_entry_reverse(pool, &pools, list) {
		slot = pool->source == POOL_OWN_TEXT || !is_near(pool, near) ? 0 : take(pool, nr);
		if (slot)
			return slot;
	}
	pool = grow(near);
	return pool ? take(pool, nr) : 0;
}

/* Copies that cannot fault are kept out of the pool that has fixups, while there is another. */
static unsigned long take_any(bool may_fault, unsigned long near)
{
	struct slot_pool *own = list_first_entry(&pools, struct slot_pool, list);

	if (may_fault)
		return take(own, 1);
	return take_from_grown(1, near) ?: take(own, 1);
}

/**
 * host_slot_alloc() - get a slot
 * @may_fault: does the instruction need an entry in an exception table
 * @near: where the text is that goes there and back: best within a branch's reach
 *
 * Context: process context, may sleep; sleeps for a grace period if all slots
 * of the kind wait to be collected.
 * Return: its address, filled with traps; 0 if there is none.
 */
unsigned long host_slot_alloc(bool may_fault, unsigned long near)
{
	unsigned long slot;

	mutex_lock(&slots_mutex);
	slot = inject_failure() ? 0 : take_any(may_fault, near);
	mutex_unlock(&slots_mutex);
	if (slot)
		return slot;
	flush_delayed_work(&collector);
	mutex_lock(&slots_mutex);
	slot = inject_failure() ? 0 : take_any(may_fault, near);
	mutex_unlock(&slots_mutex);
	return slot;
}

/**
 * host_run_alloc() - get several slots in a row
 * @size: bytes; there are no fixups
 * @near: where the text is that goes there and back: within a branch's reach
 *
 * Context: process context, may sleep.
 * Return: the address, filled with traps; 0 if there is no memory near the text.
 */
unsigned long host_run_alloc(unsigned long size, unsigned long near)
{
	unsigned long run;

	mutex_lock(&slots_mutex);
	run = inject_failure() ? 0 : take_from_grown(DIV_ROUND_UP(size, ARCH_SLOT_SIZE), near);
	mutex_unlock(&slots_mutex);
	return run;
}

/* Behind the last slot of a run. */
static unsigned int run_end(const struct slot_pool *pool, unsigned int i)
{
	return find_next_zero_bit(pool->joined, pool->nr, i + 1);
}

/**
 * host_slot_free() - give back a slot, or a run, to which nothing leads any more
 * @slot: its address
 * @owner: memory that is freed, by kfree(), together with it; or NULL
 *
 * No new task enters it, as text has been synced and an RCU grace period has
 * passed; a task that is in it stays safe.
 *
 * Context: process context, may sleep.
 */
void host_slot_free(unsigned long slot, void *owner)
{
	struct slot_pool *pool;
	unsigned int i;

	mutex_lock(&slots_mutex);
	pool = pool_of(slot);
	i = slot_index(pool, slot);
	pool->owners[i] = owner;
	bitmap_set(pool->waiting, i, run_end(pool, i) - i);
	mutex_unlock(&slots_mutex);
	schedule_delayed_work(&collector, COLLECT_DELAY);
}

/**
 * host_slot_contains() - is an address in any slot
 * @addr: any address
 *
 * Context: process context, may sleep.
 */
bool host_slot_contains(unsigned long addr)
{
	bool found;

	mutex_lock(&slots_mutex);
	found = pool_of(addr);
	mutex_unlock(&slots_mutex);
	return found;
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
	return host_text_write(&edit, 1);
}

/* What there is in an entry behind insn and fixup, on architectures where there is any. */
static int write_kind(struct exception_table_entry *e, const struct exception_table_entry *original)
{
	static_assert(sizeof(*e) - offsetofend(struct exception_table_entry, fixup) <= sizeof(u32));

	if (sizeof(*e) == offsetofend(struct exception_table_entry, fixup))
		return 0;
	return write_word(&e->fixup + 1, *(u32 *)(&original->fixup + 1));
}

/*
 * Where the original's fixup is, relative to the entry; if it is too far away
 * for that, the slot's landing, from where the architecture leads there.
 */
static bool fixup_distance(const struct exception_table_entry *e,
			   const struct exception_table_entry *original, unsigned long slot,
			   int *distance)
{
	long far = (unsigned long)&original->fixup + original->fixup - (unsigned long)&e->fixup;

	if (far != (int)far && ARCH_SLOT_LANDING)
		far = slot + ARCH_SLOT_LANDING - (unsigned long)&e->fixup;
	*distance = far;
	return far == (int)far;
}

/* The entry is found by its insn: it goes last when the entry comes to life, first when it ends. */
static int write_fixup(struct exception_table_entry *e, unsigned long insn, unsigned long slot,
		       const struct exception_table_entry *original)
{
	int err, distance;

	if (!original)
		return e->insn == (int)(insn - (unsigned long)&e->insn) ? 0 :
		       write_word(&e->insn, insn - (unsigned long)&e->insn);
	if (!fixup_distance(e, original, slot, &distance))
		return -EINVAL;
	err = write_word(&e->fixup, distance);
	if (!err)
		err = write_kind(e, original);
	return err ?: write_word(&e->insn, insn - (unsigned long)&e->insn);
}

/**
 * host_slot_set_fixup() - say where a fault in a slot is to be fixed up
 * @slot: from host_slot_alloc(true)
 * @which: which copy of the instruction in it, from 0
 * @original: the entry of the instruction that was copied, whose kind and
 *	target are taken over; NULL: faults are not fixed up
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

/* ---- collecting ---- */

/* A task that is in one slot of a run may go through all of them. */
static void note_busy(const unsigned long *word, const unsigned long *end)
{
	struct slot_pool *pool = pool_of(*word);
	unsigned int first, i;

	if (!pool || !arch_stack_word_resumes(word, end))
		return;
	i = first = slot_index(pool, *word);
	while (test_bit(first, pool->joined))
		first--;
	bitmap_clear(pool->quiet, first, run_end(pool, i) - first);
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
	kfree(pool->owners[i]);
	pool->owners[i] = NULL;
	bitmap_clear(pool->joined, i + 1, nr - 1);
	bitmap_clear(pool->waiting, i, nr);
	bitmap_clear(pool->used, i, nr);
}

/* Those that lie side by side, up to a limit: they are filled in one go. */
static unsigned int quiet_stretch(const struct slot_pool *pool, unsigned int i)
{
	unsigned int end = i;

	while (end < pool->nr && test_bit(end, pool->quiet) && end - i < STRETCH)
		end = run_end(pool, end);
	return end;
}

static int empty_stretch(const struct slot_pool *pool, unsigned int i, unsigned int end)
{
	unsigned long base = pool->base + i * ARCH_SLOT_SIZE;
	int err = 0;

	for (; i < end && pool->source == POOL_OWN_TEXT && !err; i++)
		err = drop_fixups(pool->base + i * ARCH_SLOT_SIZE);
	return err ?: fill_with_traps(base, pool->base + end * ARCH_SLOT_SIZE - base);
}

/* Allocations may come in between: this can take long. */
static void breathe(void)
{
	mutex_unlock(&slots_mutex);
	cond_resched_tasks_rcu_qs();
	mutex_lock(&slots_mutex);
}

static void release_quiet_in(struct slot_pool *pool)
{
	unsigned int i, next, end;

	for (i = find_first_bit(pool->quiet, pool->nr); i < pool->nr;
	     i = find_next_bit(pool->quiet, pool->nr, end)) {
		end = quiet_stretch(pool, i);
		if (empty_stretch(pool, i, end))
			continue;
		for (; i < end; i = next) {
			next = run_end(pool, i);
			release(pool, i, next - i);
		}
		breathe();
	}
}

/* Begin: what waits now is what this round may release. */
static bool choose(void)
{
	struct slot_pool *pool;
	bool any = false;

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

	mutex_lock(&slots_mutex);
	list_for_each_entry(pool, &pools, list) {
		release_quiet_in(pool);
		all &= bitmap_empty(pool->waiting, pool->nr);
	}
	mutex_unlock(&slots_mutex);
	return all;
}

/* Slots can be handed out and freed while this waits. */
static bool collect_once(void)
{
	bool all = true;

	mutex_lock(&collect_mutex);
	if (choose()) {
		host_wait_for_preempted();
		host_scan_stacks(note_busy);
		all = release_quiet();
	}
	mutex_unlock(&collect_mutex);
	return all;
}

/* Whenever it runs: not for it are the failures that somebody waits for. */
static void collect(struct work_struct *work)
{
	bool done;

	inject_spare(current);
	done = collect_once();
	inject_spare(NULL);
	if (!done)
		schedule_delayed_work(&collector, COLLECT_DELAY);
}

/**
 * host_slots_flush() - wait until no task is in any freed slot
 *
 * Context: process context, sleeps; for as long as such a task does.
 */
void host_slots_flush(void)
{
	cancel_delayed_work_sync(&collector);
	while (!collect_once())
		msleep(50);
}

/**
 * host_slots_init() - make the first pool
 *
 * Return: 0; -ENOMEM, -ENOEXEC if the module was built wrongly, an error of
 * host_text_write().
 */
int host_slots_init(void)
{
	unsigned long base = (unsigned long)arch_slots;
	struct slot_pool *pool;
	int err;

	/* objtool minds addresses within text that no indirect branch may reach. */
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
 * host_slots_exit() - give all pools back
 *
 * Waits for tasks that are still in a slot.
 *
 * Context: process context, sleeps.
 */
void host_slots_exit(void)
{
	struct slot_pool *pool, *next;

	host_slots_flush();
	list_for_each_entry_safe(pool, next, &pools, list) {
		list_del(&pool->list);
		free_pool(pool);
	}
}
