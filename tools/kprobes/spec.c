// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a probe as it is written on the command line, [EVENT=]PLACE[%return] [ARGUMENT]..., and
 * makes the line for kprobe_events of it.  That is in the same syntax, so the kernel reads the rest
 * and says what is wrong; the line's pieces say where that is in what the user wrote.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "debuginfo.h"

/* Of an event's name; the kernel has 64 bytes, and a number may be added. */
#define NAME_SIZE	56

void spec_fail(const struct spec *spec, size_t column, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_text(format, args);
	va_end(args);
	warn("%s", text);
	show_place(spec->text, column);
	exit(WRONG);
}

void spec_add(struct spec *spec, const char *text, size_t length, size_t column, bool same)
{
	size_t at = spec->line ? strlen(spec->line) : 0;

	spec->line = realloc(spec->line, at + length + 1);
	spec->pieces = realloc(spec->pieces, (spec->nr_pieces + 1) * sizeof(*spec->pieces));
	if (!spec->line || !spec->pieces)
		die("out of memory");
	memcpy(spec->line + at, text, length);
	spec->line[at + length] = '\0';
	spec->pieces[spec->nr_pieces++] = (struct piece){
		.at = at, .length = length, .column = column, .same = same,
	};
}

static void add_made(struct spec *spec, const char *text, size_t column)
{
	spec_add(spec, text, strlen(text), column, false);
}

/* What would end the line, or what the kernel takes for a comment. */
static void check_bytes(const struct spec *spec)
{
	const char *at;

	for (at = spec->text; *at; at++)
		if (iscntrl((unsigned char)*at) || *at == '#')
			spec_fail(spec, at - spec->text, "this character can't be in a probe");
	if (at - spec->text > 3500)
		spec_fail(spec, 0, "the probe is too long");
}

static bool is_name(const char *text, size_t length)
{
	size_t i;

	if (!length || isdigit((unsigned char)*text))
		return false;
	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

/* Behind the module, and directories of a file. */
static const char *short_place(const char *place)
{
	const char *slash = strrchr(place, '/'), *colon = strchr(place, ':');

	if (!lines_is_line(place))
		return colon ? colon + 1 : place;
	if (slash)
		return slash + 1;
	return colon < strrchr(place, ':') ? colon + 1 : place;
}

/* What can't be in a name becomes '_'. */
static char *name_of_place(const char *place, bool returns)
{
	const char *is = short_place(place);
	const char *before = isdigit((unsigned char)*is) ? "at_" : "";
	char *name = text_of("%s%.*s%s", before, NAME_SIZE - 8, is, returns ? "_return" : ""), *at;

	for (at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	return name;
}

/* [EVENT=]PLACE[%return] */
static const char *parse_place(struct spec *spec, const char *at)
{
	size_t length = strcspn(at, " "), tail = strlen("%return");
	const char *equals = memchr(at, '=', length);

	if (equals && !is_name(at, equals - at))
		spec_fail(spec, at - spec->text, "this is no name for an event");
	if (equals && equals - at > NAME_SIZE)
		spec_fail(spec, at - spec->text, "the name of the event is too long");
	if (equals) {
		spec->event = strndup(at, equals - at);
		length -= equals + 1 - at;
		at = equals + 1;
	}
	if (!length)
		spec_fail(spec, at - spec->text, "where the probe is to be is missing");
	spec->place_column = at - spec->text;
	spec->returns = length > tail && !memcmp(at + length - tail, "%return", tail);
	spec->place = strndup(at, spec->returns ? length - tail : length);
	if (!spec->place)
		die("out of memory");
	spec->is_pattern = strpbrk(spec->place, "*?[");
	if (!spec->event)
		spec->event = name_of_place(spec->place, spec->returns);
	return at + length;
}

/* A line becomes a symbol and an offset. */
static void add_place(struct spec *spec, const struct run *run)
{
	size_t length = strlen(spec->place) + (spec->returns ? strlen("%return") : 0);

	if (!lines_is_line(spec->place)) {
		spec_add(spec, spec->text + spec->place_column, length, spec->place_column, true);
		return;
	}
	spec->place = lines_find(spec, run);
	add_made(spec, spec->place, spec->place_column);
}

/* [NAME=]VALUE[:TYPE].  A string may have '=' and ':' in it; it begins otherwise. */
static struct word split_word(const struct spec *spec, const char *at, size_t length)
{
	struct word word = { .column = at - spec->text, .value = at, .value_length = length };
	const char *equals = memchr(at, '=', length), *colon;

	if (equals && !strchr("%$@\\+-", *at)) {
		word.name = at;
		word.name_length = equals - at;
		word.value = equals + 1;
		word.value_length = length - (equals + 1 - at);
	}
	colon = memchr(word.value, ':', word.value_length);
	if (colon) {
		word.type = colon;
		word.type_length = word.value + word.value_length - colon;
		word.value_length = colon - word.value;
	}
	return word;
}

static bool is_value(const struct word *word, const char *text)
{
	return word->value_length == strlen(text) && !memcmp(word->value, text, word->value_length);
}

/* It gets a name and a type of its own: it is a number that may be negative. */
static void add_retval(struct spec *spec, const struct run *run, const struct word *word,
		       size_t length)
{
	const char *type = word->type ? NULL : btf_return_type(spec, run);

	if (!word->name)
		add_made(spec, "ret=", word->column);
	spec_add(spec, spec->text + word->column, length, word->column, true);
	if (!word->type)
		add_made(spec, type ? type : ":s64", word->column);
}

static void add_argument(struct spec *spec, const struct run *run, const char *at, size_t length)
{
	struct word word = split_word(spec, at, length);

	add_made(spec, " ", word.column);
	if (spec->returns && is_value(&word, "$retval"))
		add_retval(spec, run, &word, length);
	else if (!word.name && !word.type && is_value(&word, "$arg*"))
		btf_add_arguments(spec, run, word.column);
	else if (word.value_length && (isalpha((unsigned char)*word.value) || *word.value == '_'))
		btf_add_argument(spec, run, &word);
	else
		spec_add(spec, at, length, word.column, true);
}

/* The name of the event is only known when the others are: see spec_number(). */
void spec_parse(struct spec *spec, const char *text, const struct run *run)
{
	const char *at;
	size_t length;

	*spec = (struct spec){ .text = text };
	check_bytes(spec);
	at = parse_place(spec, text + strspn(text, " "));
	/* Those take no module. */
	spec->is_fprobe = spec->is_pattern || (run->fprobes && !strchr(spec->place, ':'));
	add_place(spec, run);
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		length = strcspn(at, " ");
		add_argument(spec, run, at, length);
		at += length;
	}
	/* Records do not have the task's name. */
	if ((run->json || run->waits) && !run->dry && !run->fprobes && !strstr(spec->line, " comm="))
		add_made(spec, " comm=$comm", spec->place_column);
}

static bool is_taken(const struct spec *specs, unsigned int i)
{
	unsigned int j;

	for (j = 0; j < i; j++)
		if (!strcmp(specs[j].event, specs[i].event))
			return true;
	return false;
}

/* Two probes may be at one place. */
void spec_number(struct spec *specs, unsigned int i)
{
	struct spec *spec = &specs[i];
	char *name = spec->event, *head, *line;
	unsigned int number = 2, j;

	while (is_taken(specs, i))
		spec->event = text_of("%s_%u", name, number++);
	head = text_of("%c:%s/%s ", spec->is_fprobe ? 'f' : 'p', session_group(), spec->event);
	line = text_of("%s%s", head, spec->line);
	for (j = 0; j < spec->nr_pieces; j++)
		spec->pieces[j].at += strlen(head);
	free(spec->line);
	free(head);
	spec->line = line;
}

void spec_return(struct spec *entry, struct spec *spec)
{
	char *place;

	*spec = (struct spec){
		.text = entry->text, .place = entry->place, .place_column = entry->place_column,
		.returns = true, .is_pattern = entry->is_pattern, .is_fprobe = entry->is_fprobe,
	};
	spec->event = text_of("%.*s_return", NAME_SIZE - 8, entry->event);
	place = text_of("%s%%return", entry->place);
	spec_add(spec, place, strlen(place), spec->place_column, true);
	free(place);
}

void spec_wait(struct spec *spec, struct spec *back, const struct run *run)
{
	const char *type;

	/* An argument may have that name. */
	if (strstr(spec->line, " ret="))
		return;
	if (strchr(spec->place, '+') || isdigit((unsigned char)*spec->place))
		spec_fail(spec, spec->place_column,
			  "what is returned is known of functions only, and not behind their entry");
	spec->waits = true;
	spec_return(spec, back);
	type = spec->is_pattern ? NULL : btf_return_type(back, run);
	add_made(back, " ret=$retval", spec->place_column);
	add_made(back, type ? type : ":s64", spec->place_column);
}
