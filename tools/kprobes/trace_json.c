// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "ring.h"

static void print_symbol(u64 address)
{
	char *text = symbol_text(address);

	json_string(text, strlen(text));
	free(text);
}

static void print_string(const struct record *record, unsigned int at)
{
	size_t length;
	const char *text = record_string(record, at, &length);

	if (text)
		json_string(text, length);
	else
		fputs("null", stdout);
}

static void print_element(const struct field *field, const struct record *record, unsigned int i)
{
	unsigned int at = field->offset + i * field->element;
	u64 value = record_number(record, at, field->element);
	char c = value;

	if (field->kind == FIELD_STRING)
		print_string(record, at);
	else if (field->kind == FIELD_SYMBOL)
		print_symbol(value);
	else if (field->kind == FIELD_CHARACTER)
		json_string(&c, 1);
	else
		printf(field->is_signed ? "%lld" : "%llu",
		       (long long)field_number(field, record, i));
}

static void print_field(const struct field *field, const struct record *record)
{
	unsigned int i;

	if (!field->is_array) {
		print_element(field, record, 0);
		return;
	}
	putchar('[');
	for (i = 0; i < field->count; i++) {
		fputs(i ? ", " : "", stdout);
		print_element(field, record, i);
	}
	putchar(']');
}

/* Where a probe was, or the task's name, which have places of their own. */
static const char *own_name(const struct field *field)
{
	static const char * const names[][2] = {
		{ "__probe_ip", "at" }, { "__probe_func", "at" }, { "__probe_ret_ip", "to" },
		{ "comm", "comm" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(field->name, names[i][0]))
			return names[i][1];
	return NULL;
}

static void print_own(const struct format *format, const struct record *record)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];
		const char *name = own_name(field);

		if (!name)
			continue;
		printf(", \"%s\": ", name);
		if (!strncmp(field->name, "__probe", 7))
			print_symbol(record_number(record, field->offset, field->element));
		else
			print_field(field, record);
	}
}

/* Returns what comes before the next one. */
static const char *print_arguments(const struct format *format, const struct record *record,
				   const char *comma)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field_is_own(field))
			continue;
		printf("%s\"%s\": ", comma, field->name);
		print_field(field, record);
		comma = ", ";
	}
	return comma;
}

static void print_stack(const struct record *record)
{
	unsigned int i;
	u64 address;

	printf(", \"stack\": [");
	for (i = 0; record_caller(record, i, &address); i++) {
		fputs(i ? ", " : "", stdout);
		print_symbol(address);
	}
	putchar(']');
}

void print_record_json(const struct format *format, const struct record *record,
		       const struct format *back_format, const struct record *back)
{
	const char *comma;

	printf("{\"time\": %llu.%09llu, \"cpu\": %u, \"pid\": %d, \"event\": \"%s\"",
	       (unsigned long long)(record->time / 1000000000),
	       (unsigned long long)(record->time % 1000000000), record->cpu, record_pid(record),
	       format->spec->event);
	print_own(format, record);
	printf(", \"args\": {");
	comma = print_arguments(format, record, "");
	if (back)
		print_arguments(back_format, back, comma);
	putchar('}');
	if (record->stack)
		print_stack(record);
	printf("}\n");
}
