// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel tells its users of a record: the record's fields, and the format by which programs make
 * its text.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "event.h"
#include "text.h"

/*
 * With the boot option tp_printk a record is shown as it is made, and its size is not told.  Then it is of
 * this very event, and its strings are where it says.
 */
static unsigned int size_of(const struct trace_iterator *iter)
{
	return iter->ent_size ?: RECORD_MAX_SIZE;
}

/*
 * The kernel's readers take a line that fits a page with what they put before it: the task, the time, and
 * what was lost.  Always the same: what finds less room, as others are before it, is shown again on a page
 * of its own.
 */
#define LINE_LIMIT	(4096 - 256)

static enum print_line_t show_record(struct trace_iterator *iter, int flags,
				     struct trace_event *trace_event)
{
	struct text text = { .seq = &iter->seq, .limit = LINE_LIMIT };

	event_show(&text, container_of(trace_event, struct event, call.event), (u8 *)iter->ent,
		   size_of(iter));
	return trace_handle_return(&iter->seq);
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
		/* Characters are, says the kernel. */
		bool is_signed = arg->type->class == VALUE_SIGNED || type_is_string(arg->type);

		err = trace_define_field(call, type_name(event, i), arg->name, arg->offset,
					 arg->type->size * argument_elements(arg), is_signed,
					 FILTER_OTHER);
	}
	return err;
}

struct trace_event_fields event_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_fields },
	{}
};

/* ---- the format for programs ---- */

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

	text_add(text, " %s=%s", arg->name, arg->count ? "{" : "");
	for (i = 0; i < argument_elements(arg); i++)
		text_add(text, "%s%s", i ? "," : "", format_of(arg->type));
	if (arg->count)
		text_add(text, "}");
}

static void add_argument_value(struct text *text, const struct argument *arg)
{
	bool is_string = type_is_string(arg->type);
	unsigned int i;

	for (i = 0; i < argument_elements(arg); i++) {
		text_add(text, is_string ? ", __get_str(%s" : ", REC->%s", arg->name);
		if (arg->count)
			text_add(text, "[%u]", i);
		if (is_string)
			text_add(text, ")");
	}
}

static void write_format(struct text *text, const struct definition *def)
{
	unsigned int i;

	text_add(text, definition_is_return(def) ? "\"(%%lx <- %%lx)" : "\"(%%lx)");
	for (i = 0; i < def->nr_args; i++)
		add_argument_format(text, &def->args[i]);
	text_add(text, definition_is_return(def) ? "\", REC->__probe_func, REC->__probe_ret_ip" :
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
	struct text text = {};

	write_format(&text, def);
	text.at = kmalloc(text.length + 1, GFP_KERNEL);
	if (!text.at)
		return NULL;
	text.room = text.length + 1;
	text.length = 0;
	write_format(&text, def);
	return text.at;
}
