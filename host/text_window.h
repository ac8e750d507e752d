/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of text, mapped a second time: what text.c writes through.
 */
#ifndef LKP_HOST_TEXT_WINDOW_H
#define LKP_HOST_TEXT_WINDOW_H

#include <linux/types.h>

struct text_edit;

void text_window_lock(void);
void text_window_unlock(void);
int text_window_open(const struct text_edit *edits, unsigned int nr, bool may_stay, void **alias);
void text_window_store(void *alias, const struct text_edit *edits, unsigned int nr);
void text_window_store_code(void *to, const u8 *code, unsigned int len);
void text_window_close(void *alias);

#endif /* LKP_HOST_TEXT_WINDOW_H */
