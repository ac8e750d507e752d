// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record as text, as the kernel writes it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

static void print_symbol(u64 address)
{
	char *text = symbol_text(address);

	fputs(text, stdout);
	free(text);
}

/* What is no character may mean something to a terminal. */
static void print_bytes(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		printf(isprint((unsigned char)text[i]) ? "%c" : "\\%03o", (unsigned char)text[i]);
}

static void print_string(const struct record *record, unsigned int at)
{
	size_t length;
	const char *text = record_string(record, at, &length);

	if (!text) {
		fputs("(fault)", stdout);
		return;
	}
	putchar('"');
	print_bytes(text, length);
	putchar('"');
}

static void print_element(const struct field *field, const struct record *record, unsigned int i)
{
	unsigned int at = field->offset + i * field->element;
	u64 value = record_number(record, at, field->element);
	char c = value;

	switch (field->kind) {
	case FIELD_STRING:
		print_string(record, at);
		break;
	case FIELD_SYMBOL:
		print_symbol(value);
		break;
	case FIELD_CHARACTER:
		putchar('\'');
		print_bytes(&c, 1);
		putchar('\'');
		break;
	case FIELD_HEX:
		printf("0x%llx", (unsigned long long)value);
		break;
	default:
		printf(field->is_signed ? "%lld" : "%llu",
		       (long long)field_number(field, record, i));
	}
}

static void print_arguments(const struct format *format, const struct record *record)
{
	unsigned int i, j;

	for (i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field_is_own(field))
			continue;
		printf(" %s=%s", field->name, field->is_array ? "{" : "");
		for (j = 0; j < field->count; j++) {
			fputs(j ? "," : "", stdout);
			print_element(field, record, j);
		}
		fputs(field->is_array ? "}" : "", stdout);
	}
}

/* The task's name, which is a field here. */
static void print_task(const struct format *format, const struct record *record)
{
	const struct field *field = format_field(format, "comm");
	size_t length = 0;
	const char *name = field ? record_string(record, field->offset, &length) : NULL;
	unsigned int i;

	for (i = length; i < 16; i++)
		putchar(' ');
	print_bytes(name, length);
	printf("-%-7d [%03u] ..... %5llu.%06llu: %s: (", record_pid(record), record->cpu,
	       (unsigned long long)(record->time / 1000000000),
	       (unsigned long long)(record->time / 1000 % 1000000), format->spec->event);
}

void print_record_text(const struct format *format, const struct record *record,
		       const struct format *back_format, const struct record *back)
{
	u64 address;
	unsigned int i;

	print_task(format, record);
	print_symbol(format_number(format, record, format->spec->returns ? "__probe_func" :
				   "__probe_ip"));
	putchar(')');
	print_arguments(format, record);
	if (back)
		print_arguments(back_format, back);
	putchar('\n');
	for (i = 0; record_caller(record, i, &address); i++) {
		fputs(" => ", stdout);
		print_symbol(address);
		putchar('\n');
	}
}
