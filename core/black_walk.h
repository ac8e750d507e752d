/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the blacklist is found by following calls.
 */
#ifndef LKP_BLACK_WALK_H
#define LKP_BLACK_WALK_H

#include <linux/types.h>

struct black_reason;
struct host_symbol;

bool black_walk_avoids(const struct host_symbol *sym);
int black_walk_all(const char * const *roots, const struct black_reason *reason);
int black_walk_some(const char * const *roots, const char * const *within,
		    const char * const *without, const struct black_reason *reason);
int black_walk_callees(const char * const *roots, const char * const *ends,
		       const struct black_reason *reason);
int black_walk_guests(void);

#endif /* LKP_BLACK_WALK_H */
