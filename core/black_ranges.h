/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list behind the blacklist: text, and why there may be no probe in it.
 */
#ifndef LKP_BLACK_RANGES_H
#define LKP_BLACK_RANGES_H

#include <linux/types.h>

struct module;

/**
 * struct black_reason - why there may be no probe
 * @why: a phrase that stands alone
 * @traps_only: that is so for traps, but a call of the function tracer does no harm
 */
struct black_reason {
	const char *why;
	bool traps_only;
};

/**
 * struct black_range - text that is on the blacklist
 * @start: first byte
 * @end: behind the last
 * @reason: why
 * @module: if the module goes, the range is forgotten; NULL: it stays
 */
struct black_range {
	unsigned long start;
	unsigned long end;
	struct black_reason reason;
	struct module *module;
};

int black_add(unsigned long start, unsigned long end, const struct black_reason *reason,
	      struct module *mod);
int black_add_new(unsigned long start, unsigned long end, const struct black_reason *reason);
int black_add_function(unsigned long addr, const struct black_reason *reason, struct module *mod);
void black_seal(void);
const struct black_range *black_find(unsigned long addr);
const struct black_range *black_find_for_calls(unsigned long addr);
bool black_knows(unsigned long addr, const struct black_reason *reason);
const struct black_range *black_nth(unsigned int i);
void black_forget_module(const struct module *mod);
void black_free(void);

#endif /* LKP_BLACK_RANGES_H */
