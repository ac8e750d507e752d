// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of a record.
 *
 * A record in the buffer may be older than the event that has its number now.  So nothing is taken
 * from it that is not within it.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#ifdef LKP_EVENTS_TRACED
#include <linux/trace_seq.h>
#endif

#include "event.h"
#include "text.h"

/**
 * struct shown - a record that is shown
 * @text: where its text goes
 * @record: the record
 * @size: its size
 */
struct shown {
	struct text *text;
	const u8 *record;
	unsigned int size;
};

/**
 * text_add() - add to a text
 * @text: the text; what it has no room for is only counted
 * @format: as for printf()
 */
void text_add(struct text *text, const char *format, ...)
{
	size_t done = min(text->length, text->room);
	va_list values;

	va_start(values, format);
#ifdef LKP_EVENTS_TRACED
	if (text->seq)
		trace_seq_vprintf(text->seq, format, values);
	else
#endif
		text->length += vsnprintf(text->at ? text->at + done : NULL, text->room - done,
					  format, values);
	va_end(values);
}

static u64 take(const struct shown *shown, unsigned int at, unsigned int size)
{
	u64 value = 0;

	if (at + size <= shown->size)
		memcpy(&value, shown->record + at, size);
	return value;
}

static void show_string(const struct shown *shown, u32 location)
{
	unsigned int at = data_location_at(location), length = data_location_length(location);

	if (!length || at + length > shown->size) {
		text_add(shown->text, "(fault)");
		return;
	}
	/* What is no character may mean something to a terminal. */
	length = strnlen(shown->record + at, length);
	text_add(shown->text, "\"%*pE\"", (int)length, shown->record + at);
}

static void show_value(const struct shown *shown, const struct value_type *type, unsigned int at)
{
	u64 value = take(shown, at, type->size);
	unsigned int unused = 64 - 8 * type->size;

	switch (type->class) {
	case VALUE_UNSIGNED:
		text_add(shown->text, "%llu", value);
		break;
	case VALUE_SIGNED:
		text_add(shown->text, "%lld", (s64)(value << unused) >> unused);
		break;
	case VALUE_HEX:
		text_add(shown->text, "0x%llx", value);
		break;
	case VALUE_CHAR:
		text_add(shown->text, "'%*pE'", 1, &value);
		break;
	case VALUE_SYMBOL:
		text_add(shown->text, "%pS", (void *)(unsigned long)value);
		break;
	default:
		show_string(shown, value);
	}
}

static void show_argument(const struct shown *shown, const struct argument *arg)
{
	unsigned int i;

	text_add(shown->text, " %s=", arg->name);
	if (arg->count)
		text_add(shown->text, "{");
	for (i = 0; i < argument_elements(arg); i++) {
		if (i)
			text_add(shown->text, ",");
		show_value(shown, arg->type, arg->offset + i * arg->type->size);
	}
	if (arg->count)
		text_add(shown->text, "}");
}

/**
 * event_show() - make text of a record: the event's name, where it was, and the arguments; a line
 * @text: where it goes
 * @event: the event
 * @record: the record
 * @size: its size
 *
 * Context: process context; with tp_printk that of a hit.
 */
void event_show(struct text *text, const struct event *event, const u8 *record, unsigned int size)
{
	const struct shown shown = { .text = text, .record = record, .size = size };
	const struct definition *def = &event->first->def;
	void *ip = (void *)(unsigned long)take(&shown, RECORD_COMMON_SIZE, 8);
	unsigned int i;

	text_add(text, "%s: (", def->event);
	if (definition_is_return(def))
		text_add(text, "%pS <- %ps)",
			 (void *)(unsigned long)take(&shown, RECORD_COMMON_SIZE + 8, 8), ip);
	else
		text_add(text, "%pS)", ip);
	for (i = 0; i < def->nr_args; i++)
		show_argument(&shown, &def->args[i]);
	text_add(text, "\n");
}
