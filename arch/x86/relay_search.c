// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the padding that a short jump reaches: relay.c says what for, and who else has to do with
 * padding; reach_pad.c which it is.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/inject.h"
#include "../detour.h"
#include "relay.h"
#include "relay_pads.h"

static bool is_target(void *unused, u64 addr)
{
	return x86_targets_has(addr);
}

/*
 * A relay in text that may not be probed would be an address there that interrupts come from: the
 * kernel acts upon those in its entry text.
 */
static bool is_owned_pad(void *unused, u64 start, u64 end)
{
	return host_ftrace_within(start, end) || host_reserved(start, end) ||
	       traces_within(start, end) || blacklist_reason(start);
}

static bool is_stray(void *unused, const u8 *bytes, size_t avail, u64 addr)
{
	return text_trap_is_stray(bytes, avail, addr);
}

static const struct reach_facts facts = {
	.is_target = is_target,
	.is_owned = is_owned_pad,
	.is_stray = is_stray,
};

/*
 * The cell that was found last.  Before a relay is made it is asked up to three times whether there is
 * room: none before this cell would do.  Its padding is such for as long as the text is the same, which is
 * compared when it is written.  Guarded by kprobe_mutex.
 */
static struct {
	bool lasts;
	unsigned long from;	/* 0: none */
	struct reach_pad pad;
	unsigned int cell;
} remembered;

/**
 * pads_remember() - begin or end to remember the cell that was found last
 * @on: begin; the caller keeps kprobe_mutex until it ends
 *
 * Context: kprobe_mutex held.
 */
void pads_remember(bool on)
{
	lockdep_assert_held(&kprobe_mutex);
	remembered.lasts = on;
	remembered.from = 0;
}

static void remember(const struct pad_search *search, const struct reach_pad *pad, unsigned int cell)
{
	if (!remembered.lasts)
		return;
	remembered.from = search->from;
	remembered.pad = *pad;
	remembered.cell = cell;
}

/* The last one first: jumps of ours that overwrite padding have its beginning. */
static bool try_cells(void *data, const struct reach_pad *pad)
{
	struct pad_search *search = data;
	unsigned int i = reach_pad_cells(pad);

	while (i-- && !search->found)
		if (reach_short_reaches(search->from, reach_pad_cell(pad, i)))
			search->found = search->each(search, pad, i);
	if (search->found)
		remember(search, pad, i + 1);
	return !search->found;
}

#ifdef CONFIG_FUNCTION_PADDING_BYTES

/* A function's size without what belongs to the next one, in front of it: see reach_pad.c. */
static unsigned long size_for_pads(unsigned long start, unsigned long size)
{
	struct host_symbol next;

	if (host_symbol_at(start + size, &next) &&
	    (str_has_prefix(next.name, "__pfx_") || str_has_prefix(next.name, "__cfi_")))
		return size;
	return size > CONFIG_FUNCTION_PADDING_BYTES ? size - CONFIG_FUNCTION_PADDING_BYTES : 0;
}

#else

static unsigned long size_for_pads(unsigned long start, unsigned long size)
{
	return size;
}

#endif

/*
 * Reads a function from an instruction on that is before all padding that matters.  Where that begins
 * the survey of targets knows.  Returns its address; 0 if the text is not known.
 */
static unsigned long read_function(const struct pad_search *search, unsigned long start, u8 *bytes,
				   unsigned long size)
{
	unsigned long pads = reach_pads_from(search->from), from = max(start, pads), end = start + size;

	do {
		from = x86_targets_begin_before(start, from);
		if (from == start)
			return text_function(start, bytes, size) ? start : 0;
		if (text_original(from, bytes, end - from) < end - from)
			return 0;
	} while (reach_may_be_pad(bytes, end - from));
	return from;
}

static void search_bytes(struct pad_search *search, unsigned long start, u8 *bytes, unsigned long size)
{
	unsigned long from = read_function(search, start, bytes, size);
	unsigned long end = start + size_for_pads(start, size);

	if (from && from < end)
		reach_pads(&facts, bytes, end - from, from, reach_pads_from(search->from),
			   reach_pads_to(search->from), try_cells, search);
}

#define MAX_FUNCTION	SZ_256K

static void search_function(struct pad_search *search, unsigned long start, unsigned long size)
{
	u8 *bytes;

	if (size > MAX_FUNCTION || x86_targets_know(start, search->mod))
		return;
	bytes = inject_failure() ? NULL : kvmalloc(size, GFP_KERNEL);
	if (!bytes) {
		search->failed = true;
		return;
	}
	search_bytes(search, start, bytes, size);
	kvfree(bytes);
}

static bool try_remembered(struct pad_search *search)
{
	struct reach_pad pad = remembered.pad;

	return remembered.from == search->from && search->each(search, &pad, remembered.cell);
}

/**
 * pads_search() - go through the padding that a short jump reaches
 * @search: what to look for
 *
 * What has no name, or is not in the same text, has only targets.
 *
 * Context: kprobe_mutex held, sleeps.
 */
void pads_search(struct pad_search *search)
{
	unsigned long at = reach_pads_from(search->from), end = reach_pads_to(search->from);
	unsigned long start, size;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	search->found = try_remembered(search);
	while (at < end && !search->found) {
		if (!host_symbol_bounds(at, &start, &size) || !size) {
			at++;
			continue;
		}
		search_function(search, start, size);
		at = start + size;
	}
}
