// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes events, and explains why one is refused: the kernel's reason, the place in what the user
 * wrote, and the nearest place that can be probed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "run.h"

/* How far from a place another one may be, in bytes. */
#define NEAR	64

void show_place(const char *text, size_t column)
{
	size_t i;

	fputs("  ", stderr);
	for (i = 0; text[i]; i++)
		fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], stderr);
	fprintf(stderr, "\n%*s^\n", (int)column + 2, "");
}

/* ---- the kernel's reason ---- */

/**
 * struct reason - why a line was refused
 * @text: in words; NULL if the kernel does not say
 * @column: the place in the line
 */
struct reason {
	char *text;
	size_t column;
};

/* The log has three lines for each: the reason, the line, and a mark below it. */
static struct reason find_reason(char *log, const char *refused)
{
	static const char error[] = "error: ", command[] = "  Command: ";
	struct reason found = { NULL, 0 };
	char *line, *text = NULL;
	bool is_ours = false;

	while ((line = next_line(&log))) {
		if (line[0] == '[' && strstr(line, error)) {
			text = strstr(line, error) + strlen(error);
			is_ours = false;
		} else if (!strncmp(line, command, strlen(command))) {
			is_ours = text && !strcmp(line + strlen(command), refused);
		} else if (is_ours && strspn(line, " ") >= strlen(command)) {
			found.text = text;
			found.column = strspn(line, " ") - strlen(command);
			is_ours = false;
		}
	}
	return found;
}

static struct reason reason_for(const char *line)
{
	char *path = text_of("%s/error_log", events_dir()), *log = read_file(path);
	struct reason reason = find_reason(log, line);

	if (reason.text)
		reason.text = text_of("%s", reason.text);
	free(log);
	free(path);
	return reason;
}

static size_t column_of(const struct spec *spec, size_t at)
{
	size_t column = spec->place_column;
	unsigned int i;

	for (i = 0; i < spec->nr_pieces; i++) {
		const struct piece *piece = &spec->pieces[i];

		if (at < piece->at)
			break;
		column = piece->column;
		if (piece->same)
			column += at - piece->at < piece->length ? at - piece->at : piece->length;
	}
	return column;
}

/* ---- the nearest place ---- */

/* Asks the kernel what probes at these places would be; what it answers, or NULL. */
static char *ask(const char *questions)
{
	char *path = text_of("%s/check", probes_dir()), *answer = NULL;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	size_t length = strlen(questions), room = 65536;
	ssize_t got = -1;

	free(path);
	if (fd < 0)
		return NULL;
	if (write(fd, questions, length) == (ssize_t)length) {
		answer = allocate(room);
		got = pread(fd, answer, room - 1, 0);
	}
	close(fd);
	if (got > 0)
		return answer;
	free(answer);
	return NULL;
}

/* The first answer that is no refusal; each begins with the place. */
static char *first_good(char *answers)
{
	char *line, *colon;

	while ((line = next_line(&answers))) {
		colon = strstr(line, ": ");
		if (!colon || !strncmp(colon + 2, "refused", 7))
			continue;
		*colon = '\0';
		return text_of("%s", line);
	}
	return NULL;
}

/* SYM+OFFS: the offset, and the symbol alone. */
static bool split_place(const char *place, char **symbol, u64 *offset)
{
	const char *plus = strchr(place, '+');

	*offset = 0;
	if (plus && parse_number(plus + 1, 0, INT32_MAX, offset))
		return false;
	*symbol = strndup(place, plus ? (size_t)(plus - place) : strlen(place));
	return *symbol && **symbol && !strpbrk(*symbol, "*?[ ");
}

/* How long the function is; what is behind it is none of it. */
static u64 size_of(const char *symbol)
{
	const char *colon = strchr(symbol, ':');
	const struct kernel_symbol *found = symbol_named(colon ? colon + 1 : symbol);

	return found ? found->size : 0;
}

/* Places near this one, the nearest first, as one question. */
static char *questions_near(const char *symbol, u64 offset, u64 size)
{
	char *text = text_of("%s", ""), *longer;
	unsigned int i, below;

	for (i = 1; i <= NEAR && strlen(text) < 3500; i++) {
		for (below = 0; below < 2; below++) {
			u64 at = below ? offset - i : offset + i;

			if ((below && i > offset) || at >= size)
				continue;
			longer = text_of("%s%s+0x%llx\n", text, symbol, (unsigned long long)at);
			free(text);
			text = longer;
		}
	}
	return text;
}

static char *nearest(const char *place)
{
	char *symbol = NULL, *questions, *answers, *found = NULL;
	u64 offset;

	if (!split_place(place, &symbol, &offset))
		return NULL;
	questions = questions_near(symbol, offset, size_of(symbol));
	answers = *questions ? ask(questions) : NULL;
	if (answers)
		found = first_good(answers);
	free(symbol);
	free(questions);
	free(answers);
	return found;
}

static void suggest(const struct spec *spec, int err)
{
	size_t length = strcspn(spec->place, "+");
	char *symbol = strndup(spec->place, length), *near = NULL;
	const char *like;

	if (!symbol || spec->is_pattern)
		return;
	if (err == ENOENT && !strchr(symbol, ':') && !symbol_named(symbol)) {
		like = symbol_like(symbol);
		if (like)
			warn("there is a function %s", like);
		return;
	}
	if (!spec->returns)
		near = nearest(spec->place);
	if (near)
		warn("the nearest place that can be probed is %s", near);
	free(near);
	free(symbol);
}

/* ---- an event ---- */

void spec_define(const struct spec *spec)
{
	int err = session_define(spec->line);
	struct reason reason;
	size_t column, end = spec->place_column + strlen(spec->place);

	if (!err)
		return;
	reason = reason_for(spec->line);
	column = column_of(spec, reason.column);
	if (!reason.text) {
		warn("%s", err == EPERM ? "the kernel is locked down" : strerror(err));
		column = spec->place_column;
	} else {
		warn("%s", reason.text);
	}
	show_place(spec->text, column);
	if (column >= spec->place_column && column < end)
		suggest(spec, err);
	exit(WRONG);
}
