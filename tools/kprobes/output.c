// SPDX-License-Identifier: GPL-2.0-only
/*
 * The standard output of a run, which a signal may interrupt: it ends the run, and what has been
 * read until then is written all the same, unless nobody takes it.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "run.h"

/* How long nobody may take anything after a signal. */
#define PATIENCE_MS	2000

/* After a signal: is there room in time? */
static bool has_room(void)
{
	struct pollfd file = { .fd = STDOUT_FILENO, .events = POLLOUT };
	u64 until = now() + PATIENCE_MS * 1000000ull;
	int got;

	do {
		got = poll(&file, 1, PATIENCE_MS);
	} while (got < 0 && errno == EINTR && now() < until);
	return got > 0;
}

/*
 * What nobody takes after a signal counts as written.  Where poll() says that there is room, so many
 * bytes as PIPE_BUF can be written without waiting.
 */
static ssize_t write_output(void *cookie, const char *data, size_t size)
{
	static bool given_up;
	size_t done = 0, piece;
	ssize_t got;

	(void)cookie;
	while (done < size) {
		piece = size - done;
		given_up = given_up || (ended && !has_room());
		if (given_up)
			return size;
		if (ended && piece > PIPE_BUF)
			piece = PIPE_BUF;
		got = write(STDOUT_FILENO, data + done, piece);
		if (got < 0 && errno != EINTR)
			return done;
		done += got > 0 ? got : 0;
	}
	return done;
}

void output_begin(void)
{
	FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_output });

	if (!file)
		die("out of memory");
	setvbuf(file, NULL, _IOFBF, 65536);
	fflush(stdout);
	stdout = file;
}
