// SPDX-License-Identifier: GPL-2.0-only
/*
 * The standard output of a run, which ends by a signal, or when its time is over: what has been
 * read until then is written all the same, unless nobody takes it.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "run.h"

/* How long nobody may take anything after the end, in nanoseconds. */
#define PATIENCE	2000000000ull

/* When the time is over; 0: it ends by a signal only. */
static u64 end_of_time;

/* Is there room in time?  A signal may come meanwhile. */
static bool has_room(void)
{
	struct pollfd file = { .fd = STDOUT_FILENO, .events = POLLOUT };
	u64 time = now(), limit = ended || !end_of_time ? 0 : end_of_time;
	int got;

	if (limit < time)
		limit = time;
	limit += PATIENCE;
	do {
		got = poll(&file, 1, (limit - time) / 1000000 + 1);
		if (got < 0 && ended && limit > now() + PATIENCE)
			limit = now() + PATIENCE;
		time = now();
	} while (got < 0 && errno == EINTR && time < limit);
	return got > 0;
}

/*
 * What nobody takes after the end counts as written.  Where poll() says that there is room, so many
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
		given_up = given_up || ((ended || end_of_time) && !has_room());
		if (given_up)
			return size;
		if ((ended || end_of_time) && piece > PIPE_BUF)
			piece = PIPE_BUF;
		got = write(STDOUT_FILENO, data + done, piece);
		if (got < 0 && errno != EINTR)
			return done;
		done += got > 0 ? got : 0;
	}
	return done;
}

void output_until(u64 time)
{
	end_of_time = time;
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
