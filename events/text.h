/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that is made piece by piece.
 */
#ifndef LKP_EVENTS_TEXT_H
#define LKP_EVENTS_TEXT_H

#include <linux/compiler.h>
#include <linux/types.h>

struct event;
struct trace_seq;

/**
 * struct text - where text goes: to the kernel's tracing, or to memory
 * @seq: the former, or NULL
 * @at: the latter; NULL: it is only measured
 * @room: bytes there
 * @length: how long it is so far
 * @limit: how long a record's text may become by its strings
 */
struct text {
	struct trace_seq *seq;
	char *at;
	size_t room;
	size_t length;
	size_t limit;
};

/* output.c */
__printf(2, 3) void text_add(struct text *text, const char *format, ...);
void event_show(struct text *text, const struct event *event, const u8 *record, unsigned int size);

#endif /* LKP_EVENTS_TEXT_H */
