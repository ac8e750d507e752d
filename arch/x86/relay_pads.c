// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padding that relays are in: where it is, what is in it, and its own bytes.  relay.c says more.
 */
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/inject.h"
#include "../detour.h"
#include "relay_pads.h"

/*
 * By blocks of text in which they begin, of about as many bytes as are asked about at once: whoever reads
 * text asks for the neighbourhood.  Guarded by kprobe_mutex.
 */
#define BLOCK	256
static DEFINE_HASHTABLE(pads, 10);
static unsigned int nr_pads;

/* ---- what is in a pad ---- */

/**
 * pad_compose() - what is in a pad with its relays
 * @pad: the pad
 * @to: REACH_PAD_MAX bytes, of which as many are written as it has
 *
 * Context: any.
 */
void pad_compose(const struct pad *pad, u8 *to)
{
	unsigned int i, used = 0;

	for (i = 0; i < reach_pad_cells(&pad->at); i++)
		used |= pad->cells[i] ? BIT(i) : 0;
	reach_pad_fill(&pad->at, used, to);
	for (i = 0; i < reach_pad_cells(&pad->at); i++)
		if (pad->cells[i])
			x86_make_branch(to + i * REACH_RELAY_SIZE, X86_JMP32,
					reach_pad_cell(&pad->at, i), pad->cells[i]->target);
}

/**
 * pad_differences() - the edit that makes some bytes of a pad others
 * @pad: the pad
 * @before: all its bytes as they are
 * @after: as they are to be
 * @edit: from the first byte that differs to the last; its length is 0 if none does
 *
 * Context: any.
 */
void pad_differences(const struct pad *pad, const u8 *before, const u8 *after,
		     struct text_edit *edit)
{
	unsigned int from = 0, to = pad->at.length;

	while (from < to && before[from] == after[from])
		from++;
	while (to > from && before[to - 1] == after[to - 1])
		to--;
	edit->addr = pad->at.addr + from;
	edit->len = to - from;
	memcpy(edit->bytes, after + from, edit->len);
}

/**
 * pad_write() - make a pad in the text what it is now
 * @pad: the pad
 * @before: what it was, see pad_compose()
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or an error of host_text_replace_if().
 */
int pad_write(const struct pad *pad, const u8 *before)
{
	u8 after[REACH_PAD_MAX];
	struct text_edit edit;

	pad_compose(pad, after);
	pad_differences(pad, before, after, &edit);
	return edit.len ? host_text_replace_if(&edit, before + (edit.addr - pad->at.addr)) : 0;
}

/* ---- finding pads in use ---- */

static unsigned long block_of(unsigned long addr)
{
	return addr / BLOCK;
}

/**
 * pad_find() - the pad in use at an address
 * @addr: where it begins
 *
 * Context: kprobe_mutex held.
 * Return: NULL if there is none.
 */
struct pad *pad_find(unsigned long addr)
{
	struct pad *pad;

	hash_for_each_possible_rcu(pads, pad, node, block_of(addr), true)
		if (pad->at.addr == addr)
			return pad;
	return NULL;
}

/**
 * pads_any() - ask about each pad in use with a byte in a range, until an answer is true
 * @from: its first byte
 * @to: behind the last
 * @fn: asked, with @data
 * @data: for @fn
 *
 * Context: any, in an RCU read-side section or with kprobe_mutex.
 */
bool pads_any(unsigned long from, unsigned long to, bool (*fn)(struct pad *pad, void *data),
	      void *data)
{
	unsigned long block;
	struct pad *pad;

	if (!READ_ONCE(nr_pads))
		return false;
	for (block = block_of(from - REACH_PAD_MAX + 1); block <= block_of(to - 1); block++)
		hash_for_each_possible_rcu(pads, pad, node, block, true)
			if (pad->at.addr < to && pad->at.addr + pad->at.length > from &&
			    fn(pad, data))
				return true;
	return false;
}

static bool is_there(struct pad *pad, void *data)
{
	return true;
}

/**
 * arch_relays_near() - are there relays in a range, or in what is left of padding beside them
 * @from: its beginning
 * @to: its end
 *
 * Context: any, in an RCU read-side section or with kprobe_mutex.
 */
bool arch_relays_near(unsigned long from, unsigned long to)
{
	return pads_any(from, to, is_there, NULL);
}

/* ---- bytes that are not the padding's own ---- */

/* Some of a relay's bytes may be what the padding has there, too, by chance. */
static bool has_relay_within(const struct pad *pad, const struct host_area *range)
{
	unsigned long cell;
	unsigned int i;

	for (i = 0; i < reach_pad_cells(&pad->at); i++) {
		cell = reach_pad_cell(&pad->at, i);
		if (pad->cells[i] && cell < range->end && cell + REACH_RELAY_SIZE > range->start)
			return true;
	}
	return false;
}

/**
 * pad_changes_within() - for pads_any(): are there bytes that are not the padding's own
 * @pad: the pad
 * @data: struct host_area, a range
 *
 * Context: kprobe_mutex held.
 */
bool pad_changes_within(struct pad *pad, void *data)
{
	const struct host_area *range = data;
	u8 now[REACH_PAD_MAX];
	unsigned long at;

	if (has_relay_within(pad, range))
		return true;
	pad_compose(pad, now);
	for (at = 0; at < pad->at.length; at++)
		if (now[at] != pad->at.bytes[at] && pad->at.addr + at >= range->start &&
		    pad->at.addr + at < range->end)
			return true;
	return false;
}

/**
 * relays_change() - are there bytes in a range that relays have changed
 * @from: its first byte
 * @to: behind the last
 *
 * Context: kprobe_mutex held.
 */
bool relays_change(unsigned long from, unsigned long to)
{
	struct host_area range = { from, to };

	lockdep_assert_held(&kprobe_mutex);
	return from < to && pads_any(from, to, pad_changes_within, &range);
}

struct reading {
	unsigned long addr;
	u8 *to;
	size_t len;
};

static void uncover_bytes(const struct reading *reading, unsigned long addr, const u8 *bytes,
			  unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (addr + i - reading->addr < reading->len)
			reading->to[addr + i - reading->addr] = bytes[i];
}

/* Others are told by what they begin with, see arch_patch_size(); this one is too common. */
static void uncover_short_jump(const struct reading *reading, const struct relay *relay)
{
	const struct probe_point *pt = table_find(relay->probed);
	unsigned int nr;
	const u8 *bytes;

	if (!pt || !point_has_tail(pt) || pt->arch.detour->relay != relay)
		return;
	bytes = arch_point_covered(pt, &nr);
	uncover_bytes(reading, pt->addr, bytes, nr);
}

static bool uncover_pad(struct pad *pad, void *data)
{
	const struct reading *reading = data;
	u8 now[REACH_PAD_MAX];
	unsigned int i;

	pad_compose(pad, now);
	for (i = 0; i < pad->at.length; i++)
		if (now[i] != pad->at.bytes[i])
			uncover_bytes(reading, pad->at.addr + i, pad->at.bytes + i, 1);
	for (i = 0; i < ARRAY_SIZE(pad->cells); i++)
		if (pad->cells[i])
			uncover_short_jump(reading, pad->cells[i]);
	return false;
}

/**
 * arch_relays_uncover() - undo relays, and the short jumps to them, in text that was read
 * @addr: where
 * @to: the bytes
 * @len: how many
 *
 * Context: kprobe_mutex held.
 */
void arch_relays_uncover(unsigned long addr, u8 *to, size_t len)
{
	struct reading reading = { addr, to, len };

	lockdep_assert_held(&kprobe_mutex);
	if (len)
		pads_any(addr - NEIGHBOURHOOD, addr + len + NEIGHBOURHOOD, uncover_pad, &reading);
}

/* ---- making and ending one ---- */

/**
 * pad_get() - the pad in use at an address, or a new one
 * @at: the padding
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: NULL if there was no memory.
 */
struct pad *pad_get(const struct reach_pad *at)
{
	struct pad *pad = pad_find(at->addr);

	if (pad)
		return pad;
	pad = inject_failure() ? NULL : kzalloc(sizeof(*pad), GFP_KERNEL);
	if (!pad)
		return NULL;
	pad->at = *at;
	hash_add_rcu(pads, &pad->node, block_of(at->addr));
	WRITE_ONCE(nr_pads, nr_pads + 1);
	return pad;
}

/**
 * pad_put() - free a pad unless it has relays
 * @pad: the pad
 *
 * Context: kprobe_mutex held.
 */
void pad_put(struct pad *pad)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pad->cells); i++)
		if (pad->cells[i])
			return;
	hash_del_rcu(&pad->node);
	WRITE_ONCE(nr_pads, nr_pads - 1);
	kfree_rcu(pad, rcu);
}
