// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list behind the blacklist, see blacklist.c.
 *
 * Filled when our module is loaded, before there is any probe; then guarded by kprobe_mutex.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../host/host.h"
#include "../host/inject.h"
#include "black_ranges.h"

#define FIRST_SIZE	256

static struct black_range *ranges;
static unsigned int nr_ranges, max_ranges;

/* All bytes of the first nr_covered ranges, sorted, no overlaps: most addresses are in none. */
static struct host_area *cover;
static unsigned int nr_cover, nr_covered;

static int make_room(void)
{
	unsigned int max = max_ranges ? 2 * max_ranges : FIRST_SIZE;
	struct black_range *more;

	if (nr_ranges < max_ranges)
		return 0;
	more = inject_failure() ? NULL : kvcalloc(max, sizeof(*more), GFP_KERNEL);
	if (!more)
		return -ENOMEM;
	if (nr_ranges)
		memcpy(more, ranges, nr_ranges * sizeof(*more));
	kvfree(ranges);
	ranges = more;
	max_ranges = max;
	return 0;
}

static struct black_range *find_same(unsigned long start, unsigned long end)
{
	unsigned int i;

	for (i = 0; i < nr_ranges; i++)
		if (ranges[i].start == start && ranges[i].end == end)
			return &ranges[i];
	return NULL;
}

/**
 * black_add() - put text on the list
 * @start: first byte
 * @end: behind the last
 * @reason: why; of two reasons for the same text the stricter one is kept, or the first
 * @mod: the module with which it is forgotten, or NULL
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int black_add(unsigned long start, unsigned long end, const struct black_reason *reason,
	      struct module *mod)
{
	struct black_range *same = find_same(start, end);

	might_sleep();
	if (same) {
		if (same->reason.traps_only && !reason->traps_only)
			same->reason = *reason;
		return 0;
	}
	if (make_room())
		return -ENOMEM;
	ranges[nr_ranges++] = (struct black_range){ start, end, *reason, mod };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct host_area *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/* Joins areas that touch or overlap. */
static void join_cover(void)
{
	unsigned int i;

	for (i = 0; i < nr_covered; i++) {
		if (nr_cover && cover[i].start <= cover[nr_cover - 1].end)
			cover[nr_cover - 1].end = max(cover[nr_cover - 1].end, cover[i].end);
		else
			cover[nr_cover++] = cover[i];
	}
}

/**
 * black_seal() - most of the list is there, and is going to be searched often
 *
 * What is added later is searched one by one, as all is if there is no memory.
 *
 * Context: process context, may sleep; once.
 */
void black_seal(void)
{
	unsigned int i;

	might_sleep();
	cover = inject_failure() ? NULL : kvmalloc_array(nr_ranges, sizeof(*cover), GFP_KERNEL);
	if (!cover)
		return;
	for (i = 0; i < nr_ranges; i++)
		cover[i] = (struct host_area){ ranges[i].start, ranges[i].end };
	nr_covered = nr_ranges;
	sort(cover, nr_covered, sizeof(*cover), by_start, NULL);
	join_cover();
}

/* Of a range that was forgotten since the bytes are still among them. */
static bool is_covered(unsigned long addr)
{
	unsigned int first = 0, end = nr_cover, mid;

	while (first < end) {
		mid = (first + end) / 2;
		if (addr >= cover[mid].end)
			first = mid + 1;
		else
			end = mid;
	}
	return first < nr_cover && addr >= cover[first].start;
}

static const struct black_range *find(unsigned long addr, bool for_calls)
{
	unsigned int i;

	for (i = is_covered(addr) ? 0 : nr_covered; i < nr_ranges; i++)
		if (addr >= ranges[i].start && addr < ranges[i].end &&
		    !(for_calls && ranges[i].reason.traps_only))
			return &ranges[i];
	return NULL;
}

/**
 * black_find() - find what is on the list
 * @addr: any address
 *
 * Return: the range that was added first; NULL if there is none.
 */
const struct black_range *black_find(unsigned long addr)
{
	return find(addr, false);
}

/**
 * black_find_for_calls() - find what holds for calls of the function tracer, too
 * @addr: any address
 *
 * Return: as black_find().
 */
const struct black_range *black_find_for_calls(unsigned long addr)
{
	return find(addr, true);
}

/**
 * black_knows() - is an address on the list, for a reason as strict as this one
 * @addr: any address
 * @reason: the reason
 */
bool black_knows(unsigned long addr, const struct black_reason *reason)
{
	return find(addr, !reason->traps_only);
}

/**
 * black_add_new() - as black_add(), of the kernel's text, unless it is known
 * @start: first byte, of a function
 * @end: behind the last
 * @reason: why
 *
 * Context: as black_add().
 * Return: 0 or -ENOMEM.
 */
int black_add_new(unsigned long start, unsigned long end, const struct black_reason *reason)
{
	return black_knows(start, reason) ? 0 : black_add(start, end, reason, NULL);
}

/**
 * black_add_function() - as black_add(), of a whole function, unless it is known
 * @addr: in the function; if no symbol covers it nothing is added
 * @reason: why
 * @mod: as for black_add()
 *
 * Context: as black_add().
 * Return: 0 or -ENOMEM.
 */
int black_add_function(unsigned long addr, const struct black_reason *reason, struct module *mod)
{
	unsigned long start, size;

	if (black_knows(addr, reason) || !host_symbol_bounds(addr, &start, &size))
		return 0;
	return black_add(start, start + size, reason, mod);
}

/**
 * black_nth() - one range after the other
 * @i: from 0 on
 *
 * Return: the range; NULL behind the last.
 */
const struct black_range *black_nth(unsigned int i)
{
	return i < nr_ranges ? &ranges[i] : NULL;
}

/**
 * black_forget_module() - remove what was added with a module
 * @mod: the module
 */
void black_forget_module(const struct module *mod)
{
	unsigned int i, kept = 0, kept_covered = 0;

	for (i = 0; i < nr_ranges; i++) {
		if (ranges[i].module == mod)
			continue;
		ranges[kept++] = ranges[i];
		kept_covered += i < nr_covered;
	}
	nr_ranges = kept;
	nr_covered = kept_covered;
}

/**
 * black_free() - remove all
 */
void black_free(void)
{
	kvfree(ranges);
	kvfree(cover);
	ranges = NULL;
	cover = NULL;
	nr_ranges = max_ranges = nr_cover = nr_covered = 0;
}
