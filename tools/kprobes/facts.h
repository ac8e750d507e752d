/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers of facts.c for the code that reads the tables of one architecture.
 */
#ifndef LKP_TOOLS_FACTS_H
#define LKP_TOOLS_FACTS_H

#include "machine.h"

#define NR_LIST(list)	(sizeof(list) / sizeof((list)[0]))

/* A table: a section of its own, or between two symbols. */
struct table {
	const char *section;
	const char *start, *end;
	unsigned int entry;	/* bytes */
};

bool begins_with(const char *name, const char *prefix);
void facts_mark(const struct image *image, u64 addr, unsigned int flag);
void facts_mark_range(const struct image *image, u64 start, u64 end, unsigned int flag);
bool facts_marked(const struct image *image, u64 start, u64 end, unsigned int flags);
void facts_mark_between(struct image *image, const char *start, const char *end);
bool facts_find_table(const struct image *image, const struct table *table, u64 *start, u64 *end);
void facts_each_entry(struct image *image, const struct table *table,
		      void (*found)(struct image *image, u64 entry));
u64 facts_relative(const struct image *image, u64 at);
u64 facts_word(const struct image *image, u64 at);

#endif /* LKP_TOOLS_FACTS_H */
