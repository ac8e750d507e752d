// SPDX-License-Identifier: GPL-2.0-only
/*
 * Our own buffer: a ring for each CPU, to which hits on that CPU write, and from which one reader at a time
 * takes the oldest entry of all.
 *
 * Positions only grow.  A hit may neither wait for the reader nor take a lock, so a full ring either has no
 * room for it, or loses its oldest entries.  Then the reader may be copying one of these: it looks
 * afterwards if that was still there.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "definition.h"
#include "ring.h"

/* Of an entry. */
#define MAX_SIZE	ALIGN(sizeof(struct ring_entry) + RECORD_MAX_SIZE, sizeof(u64))
#define MIN_KILOBYTES	64
#define MAX_KILOBYTES	(1 << 20)

/**
 * struct ring - the ring of a CPU
 * @data: its memory; behind it there is room for an entry, which a reader that comes too late may read
 * @head: where the next entry goes; written by hits
 * @first: entries before this position are gone; written by hits
 * @next_number: of the next hit; the same
 * @busy: an entry is being made
 * @read: the reader has come to here
 * @taken: hits before this number were taken, or lost; the reader's
 * @lost: how many were lost; the reader's
 * @holds: @held is the next entry; the reader's
 * @held: a copy
 */
struct ring {
	u8 *data;
	u64 head;
	u64 first;
	u64 next_number;
	bool busy;
	u64 read ____cacheline_aligned;
	u64 taken;
	u64 lost;
	bool holds;
	struct ring_entry *held;
};

/* Does a full ring lose its oldest entries, rather than the new one? */
bool ring_overwrites = true;

static struct ring __percpu *rings;
static u64 ring_size;	/* a power of two */

static struct ring_entry *entry_at(const struct ring *ring, u64 position)
{
	return (struct ring_entry *)(ring->data + (position & (ring_size - 1)));
}

/* ---- hits ---- */

/* Up to this position. */
static bool make_room(struct ring *ring, u64 end)
{
	if (!READ_ONCE(ring_overwrites)) {
		/* With the release in copy_next(): it has been copied. */
		u64 read = smp_load_acquire(&ring->read);

		if (read > ring->first)
			WRITE_ONCE(ring->first, read);
		return end - ring->first <= ring_size;
	}
	while (end - ring->first > ring_size)
		WRITE_ONCE(ring->first, ring->first + entry_at(ring, ring->first)->size);
	/* With that in copy_next(): who reads what is written next finds that the old entry is gone. */
	smp_wmb();
	return true;
}

/**
 * ring_reserve() - get room for an entry on this CPU
 * @room: for its record, at most RECORD_MAX_SIZE
 *
 * Handlers exclude each other on a CPU, so an entry is never begun within another.  If it were, it would
 * be lost.
 *
 * Context: any, NMI too; interrupts off until ring_commit().
 * Return: the entry, of which the number is known; NULL if there is no room.
 */
struct ring_entry *ring_reserve(unsigned int room)
{
	unsigned int size = ALIGN(sizeof(struct ring_entry) + room, sizeof(u64));
	struct ring *ring = this_cpu_ptr(rings);
	u64 number = ring->next_number++, left = ring_size - (ring->head & (ring_size - 1));
	u64 at = ring->head;
	struct ring_entry *entry;

	if (ring->busy)
		return NULL;
	ring->busy = true;
	barrier();
	if (left < size)
		at += left;
	if (!make_room(ring, at + size)) {
		ring->busy = false;
		return NULL;
	}
	if (at != ring->head) {
		entry = entry_at(ring, ring->head);
		entry->size = left;
		entry->used = 0;
		/* With the acquire in copy_next(). */
		smp_store_release(&ring->head, at);
	}
	entry = entry_at(ring, at);
	entry->number = number;
	return entry;
}

/**
 * ring_commit() - an entry is complete
 * @entry: what ring_reserve() gave
 * @used: bytes of its record, at most those that were reserved
 *
 * Context: as ring_reserve().
 */
void ring_commit(struct ring_entry *entry, unsigned int used)
{
	struct ring *ring = this_cpu_ptr(rings);

	entry->used = used;
	entry->size = ALIGN(sizeof(*entry) + used, sizeof(u64));
	/* With the acquire in copy_next(): who sees this sees the entry. */
	smp_store_release(&ring->head, ring->head + entry->size);
	barrier();
	ring->busy = false;
}

/* ---- the reader ---- */

/* What is copied while it is overwritten may be anything; it is dropped. */
static unsigned int copy_entry(struct ring_entry *to, const struct ring_entry *from)
{
	unsigned int size = READ_ONCE(from->size);

	/* With hits that overwrite it. */
	data_race(memcpy(to, from, min_t(unsigned int, size, MAX_SIZE)));
	return size;
}

static bool copy_next(struct ring *ring)
{
	for (;;) {
		/* Read before the head, which then is not before it. */
		u64 first = smp_load_acquire(&ring->first), at = max(ring->read, first);
		unsigned int size;

		/* With the releases in ring_reserve() and ring_commit(). */
		if (at == smp_load_acquire(&ring->head))
			return false;
		size = copy_entry(ring->held, entry_at(ring, at));
		/* With the barrier in make_room(). */
		smp_rmb();
		if (READ_ONCE(ring->first) > at)
			continue;
		/* With the acquire in make_room(). */
		smp_store_release(&ring->read, at + size);
		if (ring->held->used)
			return true;
	}
}

/**
 * ring_take() - take the oldest entry of all CPUs
 * @taken: filled in; its entry stays until the next call
 *
 * Context: process context; one at a time.
 * Return: is there one?
 */
bool ring_take(struct ring_taken *taken)
{
	struct ring *oldest = NULL;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct ring *ring = per_cpu_ptr(rings, cpu);

		if (!ring->holds)
			ring->holds = copy_next(ring);
		if (ring->holds && (!oldest || ring->held->when < oldest->held->when)) {
			oldest = ring;
			taken->cpu = cpu;
		}
	}
	if (!oldest)
		return false;
	oldest->holds = false;
	taken->entry = oldest->held;
	taken->lost = oldest->held->number - oldest->taken;
	oldest->taken = oldest->held->number + 1;
	WRITE_ONCE(oldest->lost, oldest->lost + taken->lost);
	return true;
}

/**
 * ring_lost() - how many hits were lost, as far as the reader knows
 */
u64 ring_lost(void)
{
	unsigned int cpu;
	u64 lost = 0;

	for_each_possible_cpu(cpu)
		lost += READ_ONCE(per_cpu_ptr(rings, cpu)->lost);
	return lost;
}

/**
 * ring_exit() - the opposite of ring_init()
 */
void ring_exit(void)
{
	unsigned int cpu;

	if (!rings)
		return;
	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(rings, cpu)->data);
		kfree(per_cpu_ptr(rings, cpu)->held);
	}
	free_percpu(rings);
	rings = NULL;
}

/**
 * ring_init() - get memory
 * @kilobytes: for each CPU, made a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int ring_init(unsigned int kilobytes)
{
	unsigned int cpu;

	ring_size = 1024ull * roundup_pow_of_two(clamp_t(unsigned int, kilobytes, MIN_KILOBYTES,
							 MAX_KILOBYTES));
	rings = alloc_percpu(struct ring);
	if (!rings)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct ring *ring = per_cpu_ptr(rings, cpu);

		ring->data = vzalloc(ring_size + MAX_SIZE);
		ring->held = kmalloc(MAX_SIZE, GFP_KERNEL);
		if (!ring->data || !ring->held) {
			ring_exit();
			return -ENOMEM;
		}
	}
	return 0;
}
