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
 * @measures: it is only learned how long the text is
 * @wanted: characters of the strings that are still to come; of all when it was measured
 * @room: for them
 * @strings: how many are still to come that have any
 */
struct shown {
	struct text *text;
	const u8 *record;
	unsigned int size;
	bool measures;
	size_t wanted;
	size_t room;
	unsigned int strings;
};

/* Behind a string that is cut off. */
#define CUT	"..."

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

/* What is no character may mean something to a terminal, and becomes up to four that are. */
static size_t escaped_length(const u8 *string, unsigned int length)
{
	return snprintf(NULL, 0, "%*pE", (int)length, string);
}

/* The bytes of a string that have room. */
static unsigned int bytes_for(const u8 *string, unsigned int length, size_t room)
{
	unsigned int fit = 0;

	while (fit < length) {
		unsigned int middle = fit + (length - fit + 1) / 2;

		if (escaped_length(string, middle) <= room)
			fit = middle;
		else
			length = middle - 1;
	}
	return fit;
}

/* Room for the next string: its fair share, or all that the others do not want. */
static size_t take_room(struct shown *shown, size_t wanted)
{
	/* None are only left if the record was overwritten meanwhile. */
	size_t share = shown->room / (shown->strings ?: 1), free;

	shown->strings--;
	shown->wanted -= wanted;
	free = shown->room > shown->wanted ? shown->room - shown->wanted : 0;
	wanted = min(wanted, max(share, free));
	shown->room -= wanted;
	return wanted;
}

static unsigned int cut(struct shown *shown, const u8 *string, unsigned int length)
{
	size_t wanted;

	if (!length)
		return 0;
	wanted = escaped_length(string, length);
	if (!shown->measures)
		return bytes_for(string, length, take_room(shown, wanted));
	shown->wanted += wanted;
	shown->strings++;
	return length;
}

static void show_string(struct shown *shown, u32 location)
{
	unsigned int at = data_location_at(location), length = data_location_length(location), fit;

	if (!length || at + length > shown->size) {
		text_add(shown->text, "(fault)");
		return;
	}
	length = strnlen(shown->record + at, length);
	fit = cut(shown, shown->record + at, length);
	text_add(shown->text, "\"%*pE\"%s", (int)fit, shown->record + at, fit < length ? CUT : "");
}

static void show_value(struct shown *shown, const struct value_type *type, unsigned int at)
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

static void show_argument(struct shown *shown, const struct argument *arg)
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

static void show_line(struct shown *shown, const struct definition *def)
{
	void *ip = (void *)(unsigned long)take(shown, RECORD_COMMON_SIZE, 8);
	unsigned int i;

	text_add(shown->text, "%s: (", def->event);
	if (definition_is_return(def))
		text_add(shown->text, "%pS <- %ps)",
			 (void *)(unsigned long)take(shown, RECORD_COMMON_SIZE + 8, 8), ip);
	else
		text_add(shown->text, "%pS)", ip);
	for (i = 0; i < def->nr_args; i++)
		show_argument(shown, &def->args[i]);
	text_add(shown->text, "\n");
}

/* Gives the strings the room that the rest leaves. */
static void measure(struct shown *shown, const struct definition *def)
{
	struct text *text = shown->text, measured = { 0 };
	size_t rest;

	shown->measures = true;
	shown->text = &measured;
	show_line(shown, def);
	shown->measures = false;
	shown->text = text;
	rest = measured.length - shown->wanted;
	if (measured.length > text->limit)
		rest += shown->strings * strlen(CUT);
	shown->room = text->limit > rest ? text->limit - rest : 0;
}

/**
 * event_show() - make text of a record: the event's name, where it was, and the arguments; a line
 * @text: where it goes; strings are cut off where with them it became longer than its limit
 * @event: the event
 * @record: the record
 * @size: its size
 *
 * Context: process context; with tp_printk that of a hit.
 */
void event_show(struct text *text, const struct event *event, const u8 *record, unsigned int size)
{
	struct shown shown = { .text = text, .record = record, .size = size };
	const struct definition *def = &event->first->def;

	if (def->nr_strings)
		measure(&shown, def);
	show_line(&shown, def);
}
