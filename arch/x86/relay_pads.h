/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Padding that relays are in.
 */
#ifndef LKP_X86_RELAY_PADS_H
#define LKP_X86_RELAY_PADS_H

#include <linux/list.h>
#include <linux/types.h>

#include "reach.h"

struct module;
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

/**
 * struct pad_search - a search for padding
 * @from: the short jump
 * @mod: the module whose text that is
 * @each: called for each cell that it reaches; returns true to end the search
 * @data: for @each
 * @found: @each has returned true; that cell is remembered
 * @failed: there was no memory to read all
 * @hidden: others have probes there, whose jumps may come to it
 */
struct pad_search {
	unsigned long from;
	struct module *mod;
	bool (*each)(struct pad_search *search, const struct reach_pad *pad, unsigned int cell);
	void *data;
	bool found;
	bool failed;
	bool hidden;
};

void pads_remember(bool on);
void pads_search(struct pad_search *search);

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
