/* SPDX-License-Identifier: GPL-2.0-only */
/* For host/ alone: others ask in symbols.c, names.c and named.c. */
#ifndef LKP_TEXT_SYMBOLS_H
#define LKP_TEXT_SYMBOLS_H

#include <linux/types.h>

void text_symbols_begin(bool by_name);
void text_symbols_note(const char *name, unsigned long addr);
void text_symbols_end(bool whole);
void text_symbols_free(void);

bool text_symbols_bounds(unsigned long addr, unsigned long *start, unsigned long *size);
bool text_symbols_are_silent(unsigned long addr);
bool text_symbols_have_names(void);
bool text_symbols_each(const char *name, int (*fn)(void *data, unsigned long addr), void *data);

#endif /* LKP_TEXT_SYMBOLS_H */
