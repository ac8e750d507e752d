// SPDX-License-Identifier: GPL-2.0-only
/*
 * The formats of events, as the kernel describes them: which fields a record has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

static char *format_text_of(const char *group, const char *event)
{
	char *path = text_of("%s/events/%s/%s/format", tracing_dir(), group, event);
	char *text = read_file(path);

	if (!text)
		die("%s: %s", path, strerror(errno));
	free(path);
	return text;
}

static unsigned int parse_id(const char *text)
{
	const char *at = strstr(text, "\nID: ");

	return at ? strtoul(at + 5, NULL, 10) : 0;
}

unsigned int format_id(const char *group, const char *event)
{
	char *text = format_text_of(group, event);
	unsigned int id = parse_id(text);

	free(text);
	return id;
}

/* Of a type's name. */
static unsigned int element_size(const char *type, unsigned int size)
{
	if (strstr(type, "__data_loc"))
		return 4;
	if (strlen(type) < 2 || !strchr("us", *type))
		return size;
	return type[1] == '8' ? 1 : !strncmp(type + 1, "16", 2) ? 2 :
	       !strncmp(type + 1, "32", 2) ? 4 : !strncmp(type + 1, "64", 2) ? 8 : size;
}

/* Is that how the kernel would print it, or its elements? */
static bool is_printed(const char *print, const char *name, const char *as)
{
	char *one = text_of(" %s=%s", name, as), *array = text_of(" %s={%s", name, as);
	bool found = print && (strstr(print, one) || strstr(print, array));

	free(one);
	free(array);
	return found;
}

static enum field_kind kind_of(const char *type, const char *name, const char *print)
{
	if (strstr(type, "__data_loc"))
		return FIELD_STRING;
	if (is_printed(print, name, "%pS"))
		return FIELD_SYMBOL;
	if (is_printed(print, name, "0x%"))
		return FIELD_HEX;
	return is_printed(print, name, "'%c'") ? FIELD_CHARACTER : FIELD_NUMBER;
}

/* "\tfield:TYPE NAME[N];\toffset:N;\tsize:N;\tsigned:N;" */
static bool parse_field(char *line, struct field *field, const char *print)
{
	char *type = strstr(line, "field:"), *end = strchr(line, ';'), *name, *bracket;
	unsigned int size, is_signed;

	if (!type || !end || type > end ||
	    sscanf(end, ";\toffset:%u;\tsize:%u;\tsigned:%u", &field->offset, &size,
		   &is_signed) != 3)
		return false;
	type += strlen("field:");
	*end = '\0';
	name = strrchr(type, ' ');
	if (!name || !strncmp(name + 1, "common_", 7))
		return false;
	*name++ = '\0';
	bracket = strchr(name, '[');
	if (bracket)
		*bracket = '\0';
	field->name = text_of("%s", name);
	field->is_signed = is_signed || *type == 's';
	field->element = element_size(type, size);
	field->count = field->element ? size / field->element : 0;
	field->kind = kind_of(type, name, print);
	/* Also one of one element is shown as an array. */
	field->is_array = field->count > 1 || is_printed(print, field->name, "{");
	return true;
}

static void read_format(struct format *format)
{
	char *text = format_text_of(session_group(), format->spec->event), *at = text, *line;
	char *print = strstr(text, "print fmt:");

	print = print ? text_of("%s", print) : NULL;
	format->id = parse_id(text);
	while ((line = next_line(&at))) {
		format->fields = realloc(format->fields,
					 (format->nr_fields + 1) * sizeof(*format->fields));
		if (!format->fields)
			die("out of memory");
		format->nr_fields += parse_field(line, &format->fields[format->nr_fields], print);
	}
	free(print);
	free(text);
}

struct format *formats_read(const struct run *run)
{
	struct format *formats = allocate(run->nr_specs * sizeof(*formats));
	unsigned int i;

	for (i = 0; i < run->nr_specs; i++) {
		formats[i].spec = &run->specs[i];
		read_format(&formats[i]);
	}
	return formats;
}

const struct format *format_find(const struct format *formats, unsigned int nr,
				 const struct record *record)
{
	unsigned int type = record_number(record, 0, 2), i;

	for (i = 0; i < nr; i++)
		if (formats[i].id == type)
			return &formats[i];
	return NULL;
}

const struct field *format_field(const struct format *format, const char *name)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

bool field_is_own(const struct field *field)
{
	return !strncmp(field->name, "__probe_", 8) || !strcmp(field->name, "comm");
}

u64 field_number(const struct field *field, const struct record *record, unsigned int i)
{
	u64 value = record_number(record, field->offset + i * field->element, field->element);
	unsigned int unused = 64 - 8 * field->element;

	if (!field->is_signed || unused >= 64)
		return value;
	return (s64)(value << unused) >> unused;
}

u64 format_number(const struct format *format, const struct record *record, const char *name)
{
	const struct field *field = format_field(format, name);

	return field ? record_number(record, field->offset, field->element) : 0;
}
