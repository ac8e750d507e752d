// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "ring.h"

/* Of the record of a stack trace: its own fields come first. */
#define STACK_AT	16

static void print_symbol(u64 address)
{
	const struct kernel_symbol *symbol = symbol_at(address);
	char *text;

	if (symbol)
		text = text_of("%s+0x%llx", symbol->name,
			       (unsigned long long)(address - symbol->address));
	else
		text = text_of("0x%llx", (unsigned long long)address);
	json_string(text, strlen(text));
	free(text);
}

/* A place and a length.  What could not be read has no length. */
static void print_string(const struct record *record, unsigned int at)
{
	u32 location = record_number(record, at, 4);
	unsigned int offset = location & 0xffff, length = location >> 16;

	if (!length || length > record->size || offset > record->size - length)
		fputs("null", stdout);
	else
		json_string((const char *)record->data + offset,
			    strnlen((const char *)record->data + offset, length));
}

static void print_element(const struct field *field, const struct record *record, unsigned int i)
{
	unsigned int at = field->offset + i * field->element, unused = 64 - 8 * field->element;
	u64 value = record_number(record, at, field->element);
	char c = value;

	if (field->kind == FIELD_STRING)
		print_string(record, at);
	else if (field->kind == FIELD_SYMBOL)
		print_symbol(value);
	else if (field->kind == FIELD_CHARACTER)
		json_string(&c, 1);
	else if (field->is_signed && unused < 64)
		printf("%lld", (long long)(value << unused) >> unused);
	else
		printf("%llu", (unsigned long long)value);
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

static void print_arguments(const struct format *format, const struct record *record)
{
	const char *comma = "";
	unsigned int i;

	printf(", \"args\": {");
	for (i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (own_name(field))
			continue;
		printf("%s\"%s\": ", comma, field->name);
		print_field(field, record);
		comma = ", ";
	}
	putchar('}');
}

static void print_stack(const struct record *record)
{
	const char *comma = "";
	unsigned int at;
	u64 address;

	printf(", \"stack\": [");
	for (at = STACK_AT; at + 8 <= record->stack_size; at += 8) {
		memcpy(&address, record->stack + at, 8);
		/* Behind the last one, or no address of text but a mark of the kernel's. */
		if (!address || address == UINT64_MAX)
			break;
		fputs(comma, stdout);
		print_symbol(address);
		comma = ", ";
	}
	putchar(']');
}

void print_record_json(const struct format *format, const struct record *record)
{
	printf("{\"time\": %llu.%09llu, \"cpu\": %u, \"pid\": %d, \"event\": \"%s\"",
	       (unsigned long long)(record->time / 1000000000),
	       (unsigned long long)(record->time % 1000000000), record->cpu, record_pid(record),
	       format->spec->event);
	print_own(format, record);
	print_arguments(format, record);
	if (record->stack)
		print_stack(record);
	printf("}\n");
}
