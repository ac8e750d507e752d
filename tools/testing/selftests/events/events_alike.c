// SPDX-License-Identifier: GPL-2.0-only
/*
 * events_alike OURS OUR_LOG THEIRS THEIR_LOG [SEED TIMES]: writes each line of the standard input, and TIMES
 * random changes of each, to both files of definitions, and prints the lines that they do not treat alike:
 * taken or not, the error, the mark in the log of errors, and what is listed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE	8192

/**
 * struct answer - what a file says of a line
 * @err: the error, or 0
 * @column: of the mark, or -1
 * @text: the line as it is listed then
 */
struct answer {
	int err;
	int column;
	char text[SIZE];
};

static void clear(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* The last line. */
static void read_last(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	char line[SIZE];

	*text = '\0';
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		strcpy(text, line);
	fclose(file);
}

/* Ours and theirs have groups of their own; theirs shows the MAXACTIVE that it has chosen. */
static void make_alike(char *text)
{
	char *at = strstr(text, ":lkprobes/");

	if (at)
		memmove(at + 1, at + 2, strlen(at + 2) + 1);
	at = text + 1 + strspn(text + 1, "0123456789");
	if (*text == 'r' && *at == ':')
		memmove(text + 1, at, strlen(at) + 1);
}

static void ask(const char *path, const char *log, const char *line, struct answer *answer)
{
	size_t length = strlen(line);
	char mark[SIZE];
	int fd;

	clear(log);
	fd = open(path, O_WRONLY | O_APPEND);
	answer->err = write(fd, line, length) == (ssize_t)length ? 0 : errno;
	close(fd);
	read_last(log, mark);
	answer->column = *mark ? (int)strspn(mark, " ") - 11 : -1;
	read_last(path, answer->text);
	make_alike(answer->text);
	if (*answer->text)
		clear(path);
}

static void show(const char *who, const struct answer *answer)
{
	if (answer->err)
		printf("\t%s: %s at %d\n", who, strerror(answer->err), answer->column);
	else
		printf("\t%s: %s", who, answer->text);
}

static void compare(char **argv, const char *line)
{
	struct answer ours, theirs;

	ask(argv[1], argv[2], line, &ours);
	ask(argv[3], argv[4], line, &theirs);
	if (ours.err == theirs.err && !strcmp(ours.text, theirs.text) &&
	    (!ours.err || theirs.column < 0 || ours.column == theirs.column))
		return;
	printf("%s\n", line);
	show("ours", &ours);
	show("theirs", &theirs);
	fflush(stdout);
}

/* ---- random changes ---- */

static unsigned long state;

static unsigned long below(unsigned long limit)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (state >> 33) % limit;
}

static const char *const pieces[] = {
	"+0(", "-8(", "+u0(", ")", "$arg1", "$arg99", "$retval", "$stack", "$stack1", "$comm", "@", "@0x1000",
	"@linux_banner", "\\1", "\\-1", "\\\"text\"", "\"", ":u8", ":x64", ":s32", ":string", ":ustring",
	":symbol", ":symstr", ":char", ":b1@2/8", ":b8@8/32", "[2]", "[64]", "[65]", "[", "]", "=", "x=", " ",
	"0x", "08", "1", "-", "+", "%", "%di", "/", ".", "_", "a", "#", "%return", "$", ":", "u", "b",
	"4294967296", "18446744073709551616", "9223372036854775808",
};

static void insert(char *line, size_t at, const char *piece)
{
	memmove(line + at + strlen(piece), line + at, strlen(line + at) + 1);
	memcpy(line + at, piece, strlen(piece));
}

/* What an end of the line, or two blanks, are to them is not what this is about. */
static int is_plain(const char *line)
{
	return !strchr(line, '#') && !strstr(line, "  ") && *line != ' ' && *line != '-' &&
	       line[strlen(line) - 1] != ' ';
}

/* Behind the place, or anywhere. */
static void change(char *line)
{
	const char *first = strchr(line, ' '), *second = first ? strchr(first + 1, ' ') : NULL;
	size_t from = second && below(8) ? (size_t)(second - line) + 1 : 0;
	unsigned long changes = 1 + below(3);

	while (changes--) {
		size_t left = strlen(line) - from, at = from + below(left + 1);

		if (below(3) || left < 4)
			insert(line, at, pieces[below(sizeof(pieces) / sizeof(*pieces))]);
		else
			memmove(line + at, line + at + (line[at] != 0), strlen(line + at + (line[at] != 0)) + 1);
	}
}

int main(int argc, char **argv)
{
	unsigned long times = argc > 6 ? strtoul(argv[6], NULL, 0) : 0, i;
	char line[SIZE], changed[SIZE + 512];

	if (argc < 5)
		return 2;
	state = argc > 5 ? strtoul(argv[5], NULL, 0) : 0;
	while (fgets(line, SIZE, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		compare(argv, line);
		for (i = 0; i < times; i++) {
			strcpy(changed, line);
			change(changed);
			if (*changed && is_plain(changed))
				compare(argv, changed);
		}
	}
	return 0;
}
