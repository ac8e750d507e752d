// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the kernel and its users see a record: its fields, the text of a line in the trace, and the
 * format by which programs make that text.
 *
 * A record in the buffer may be older than the event that has its number now.  So nothing is taken
 * from it that is not within it.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "event.h"

/**
 * struct shown - a record that is shown
 * @seq: where its text goes
 * @record: the record
 * @size: its size
 */
struct shown {
	struct trace_seq *seq;
	const u8 *record;
	unsigned int size;
};

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
		trace_seq_puts(shown->seq, "(fault)");
		return;
	}
	/* What is no character may mean something to a terminal. */
	length = strnlen(shown->record + at, length);
	trace_seq_printf(shown->seq, "\"%*pE\"", (int)length, shown->record + at);
}

static void show_value(const struct shown *shown, const struct value_type *type, unsigned int at)
{
	u64 value = take(shown, at, type->size);
	unsigned int unused = 64 - 8 * type->size;

	switch (type->class) {
	case VALUE_UNSIGNED:
		trace_seq_printf(shown->seq, "%llu", value);
		break;
	case VALUE_SIGNED:
		trace_seq_printf(shown->seq, "%lld", (s64)(value << unused) >> unused);
		break;
	case VALUE_HEX:
		trace_seq_printf(shown->seq, "0x%llx", value);
		break;
	case VALUE_CHAR:
		trace_seq_printf(shown->seq, "'%*pE'", 1, &value);
		break;
	case VALUE_SYMBOL:
		trace_seq_printf(shown->seq, "%pS", (void *)(unsigned long)value);
		break;
	default:
		show_string(shown, value);
	}
}

static void show_argument(const struct shown *shown, const struct argument *arg)
{
	unsigned int i;

	trace_seq_printf(shown->seq, " %s=", arg->name);
	if (arg->count)
		trace_seq_putc(shown->seq, '{');
	for (i = 0; i < argument_elements(arg); i++) {
		if (i)
			trace_seq_putc(shown->seq, ',');
		show_value(shown, arg->type, arg->offset + i * arg->type->size);
	}
	if (arg->count)
		trace_seq_putc(shown->seq, '}');
}

static enum print_line_t show_record(struct trace_iterator *iter, int flags,
				     struct trace_event *trace_event)
{
	struct event *event = container_of(trace_event, struct event, call.event);
	struct shown shown = {
		.seq = &iter->seq, .record = (u8 *)iter->ent, .size = iter->ent_size,
	};
	const struct definition *def = &event->first->def;
	void *ip = (void *)(unsigned long)take(&shown, RECORD_COMMON_SIZE, 8);
	unsigned int i;

	trace_seq_printf(shown.seq, "%s: (", def->event);
	if (definition_is_return(def))
		trace_seq_printf(shown.seq, "%pS <- %ps)",
				 (void *)(unsigned long)take(&shown, RECORD_COMMON_SIZE + 8, 8), ip);
	else
		trace_seq_printf(shown.seq, "%pS)", ip);
	for (i = 0; i < def->nr_args; i++)
		show_argument(&shown, &def->args[i]);
	trace_seq_putc(shown.seq, '\n');
	return trace_handle_return(shown.seq);
}

/* The kernel fills in those that are missing. */
struct trace_event_functions event_functions = { .trace = show_record };

/* ---- fields ---- */

static const char *type_name(const struct event *event, unsigned int i)
{
	const struct argument *arg = &event->first->def.args[i];

	return arg->count ? event->types[i] : arg->type->c_type;
}

/**
 * event_name_types() - names for the types of arrays, which the kernel does not copy
 * @event: the event; its definition is complete
 *
 * Return: 0 or -ENOMEM.
 */
int event_name_types(struct event *event)
{
	unsigned int i;

	event->types = kcalloc(event->first->def.nr_args ?: 1, EVENT_TYPE_SIZE, GFP_KERNEL);
	if (!event->types)
		return -ENOMEM;
	for (i = 0; i < event->first->def.nr_args; i++) {
		const struct argument *arg = &event->first->def.args[i];

		snprintf(event->types[i], EVENT_TYPE_SIZE, "%s[%u]", arg->type->c_type, arg->count);
	}
	return 0;
}

static int define_address(struct trace_event_call *call, const char *name, unsigned int at)
{
	return trace_define_field(call, "unsigned long", name, at, sizeof(long), 0, FILTER_OTHER);
}

static int define_fields(struct trace_event_call *call)
{
	struct event *event = event_of(call);
	const struct definition *def = &event->first->def;
	unsigned int i;
	int err;

	if (definition_is_return(def)) {
		err = define_address(call, "__probe_func", RECORD_COMMON_SIZE) ?:
		      define_address(call, "__probe_ret_ip", RECORD_COMMON_SIZE + 8);
	} else {
		err = define_address(call, "__probe_ip", RECORD_COMMON_SIZE);
	}
	for (i = 0; !err && i < def->nr_args; i++) {
		const struct argument *arg = &def->args[i];

		err = trace_define_field(call, type_name(event, i), arg->name, arg->offset,
					 arg->type->size * argument_elements(arg),
					 arg->type->class == VALUE_SIGNED, FILTER_OTHER);
	}
	return err;
}

struct trace_event_fields event_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_fields },
	{}
};

/* ---- the format for programs ---- */

/**
 * struct text - a text that is written twice: the first time it has no room, and is measured
 * @at: where it goes, or NULL
 * @room: bytes there
 * @length: how long it is so far
 */
struct text {
	char *at;
	size_t room;
	size_t length;
};

static __printf(2, 3) void add(struct text *text, const char *format, ...)
{
	size_t done = min(text->length, text->room);
	va_list values;

	va_start(values, format);
	text->length += vsnprintf(text->at ? text->at + done : NULL, text->room - done, format,
				  values);
	va_end(values);
}

static const char *format_of(const struct value_type *type)
{
	bool is_long = type->size == 8;

	switch (type->class) {
	case VALUE_UNSIGNED:
		return is_long ? "%llu" : "%u";
	case VALUE_SIGNED:
		return is_long ? "%lld" : "%d";
	case VALUE_HEX:
		return is_long ? "0x%llx" : "0x%x";
	case VALUE_CHAR:
		return "'%c'";
	case VALUE_SYMBOL:
		return "%pS";
	default:
		return "\\\"%s\\\"";
	}
}

static void add_argument_format(struct text *text, const struct argument *arg)
{
	unsigned int i;

	add(text, " %s=%s", arg->name, arg->count ? "{" : "");
	for (i = 0; i < argument_elements(arg); i++)
		add(text, "%s%s", i ? "," : "", format_of(arg->type));
	if (arg->count)
		add(text, "}");
}

static void add_argument_value(struct text *text, const struct argument *arg)
{
	bool is_string = type_is_string(arg->type);
	unsigned int i;

	for (i = 0; i < argument_elements(arg); i++) {
		add(text, is_string ? ", __get_str(%s" : ", REC->%s", arg->name);
		if (arg->count)
			add(text, "[%u]", i);
		if (is_string)
			add(text, ")");
	}
}

static void write_format(struct text *text, const struct definition *def)
{
	unsigned int i;

	add(text, definition_is_return(def) ? "\"(%%lx <- %%lx)" : "\"(%%lx)");
	for (i = 0; i < def->nr_args; i++)
		add_argument_format(text, &def->args[i]);
	add(text, definition_is_return(def) ? "\", REC->__probe_func, REC->__probe_ret_ip" :
					      "\", REC->__probe_ip");
	for (i = 0; i < def->nr_args; i++)
		add_argument_value(text, &def->args[i]);
}

/**
 * event_print_format() - how a program makes text of a record
 * @def: what the record holds
 *
 * Return: the format, to be freed by kfree(); NULL if there is no memory.
 */
char *event_print_format(const struct definition *def)
{
	struct text text = { NULL, 0, 0 };

	write_format(&text, def);
	text.at = kmalloc(text.length + 1, GFP_KERNEL);
	if (!text.at)
		return NULL;
	text.room = text.length + 1;
	text.length = 0;
	write_format(&text, def);
	return text.at;
}
