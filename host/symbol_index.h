/* SPDX-License-Identifier: GPL-2.0-only */
/* For symbols.c and names.c: others look names up there. */
#ifndef LKP_SYMBOL_INDEX_H
#define LKP_SYMBOL_INDEX_H

#include <linux/types.h>

#include "host.h"

void host_index_build(int (*walk)(host_symbol_fn fn, void *data), bool whole);
void host_index_free(void);
bool host_index_exists(void);
bool host_index_is_whole(void);
void host_index_each(const char *name, int (*fn)(void *data, unsigned long addr), void *data);

#endif /* LKP_SYMBOL_INDEX_H */
