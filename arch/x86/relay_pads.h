/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Padding that relays are in.
 */
#ifndef LKP_X86_RELAY_PADS_H
#define LKP_X86_RELAY_PADS_H

#include <linux/list.h>
#include <linux/types.h>

#include "reach.h"

struct relay;
struct text_edit;

/* How far a point may be from padding whose relay its short jump leads to. */
#define NEIGHBOURHOOD	(128 + REACH_SHORT_SIZE + REACH_PAD_MAX)

/**
 * struct pad - padding in which there are relays
 * @node: in the table of all pads
 * @at: where it is, and its own bytes
 * @cells: the relay in each cell; NULL: none
 * @rcu: has_our_trap() of core/builtin.c looks without kprobe_mutex
 */
struct pad {
	struct hlist_node node;
	struct reach_pad at;
	struct relay *cells[REACH_PAD_CELLS];
	struct rcu_head rcu;
};

/**
 * struct relay - a jump in padding
 * @list: in retired, leaving or waited, once its detour has gone; else empty
 * @pad: where it is
 * @cell: which of its cells
 * @target: where it leads
 * @probed: the address of the point
 * @disputed: others were in the way when the padding was to get its bytes back
 */
struct relay {
	struct list_head list;
	struct pad *pad;
	unsigned int cell;
	unsigned long target;
	unsigned long probed;
	bool disputed;
};

void pad_compose(const struct pad *pad, u8 *to);
void pad_differences(const struct pad *pad, const u8 *before, const u8 *after,
		     struct text_edit *edit);
int pad_write(const struct pad *pad, const u8 *before);

struct pad *pad_find(unsigned long addr);
struct pad *pad_get(const struct reach_pad *at);
void pad_put(struct pad *pad);
bool pads_any(unsigned long from, unsigned long to, bool (*fn)(struct pad *pad, void *data),
	      void *data);

bool pad_changes_within(struct pad *pad, void *data);
bool relays_change(unsigned long from, unsigned long to);

#endif /* LKP_X86_RELAY_PADS_H */
