// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the running kernel: where they are, reading and writing them.
 *
 * KPROBES_SYS names another directory than /sys, for tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"

char *format_text(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		die("out of memory");
	return text;
}

char *text_of(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_text(format, args);
	va_end(args);
	return text;
}

char *sys_path(const char *format, ...)
{
	const char *sys = getenv("KPROBES_SYS");
	va_list args;
	char *name, *path;

	va_start(args, format);
	name = format_text(format, args);
	va_end(args);
	path = text_of("%s/%s", sys ? sys : "/sys", name);
	free(name);
	return path;
}

static bool exists(const char *path, const char *name)
{
	char *whole = text_of("%s/%s", path, name);
	bool found = !access(whole, F_OK);

	free(whole);
	return found;
}

const char *tracing_dir(void)
{
	static char *dir;

	if (dir)
		return dir;
	dir = sys_path("kernel/tracing");
	if (!exists(dir, "instances"))
		dir = sys_path("kernel/debug/tracing");
	if (exists(dir, "instances"))
		return dir;
	if (geteuid())
		die("this needs root");
	die("there is no tracing in %s: is tracefs mounted?", sys_path("kernel/tracing"));
}

/* Beside built-in kprobes, kprobes is the directory of those, which have no status. */
const char *probes_dir(void)
{
	static char *dir;

	if (dir)
		return dir;
	dir = sys_path("kernel/debug/lkprobes");
	if (exists(dir, "status"))
		return dir;
	free(dir);
	dir = sys_path("kernel/debug/kprobes");
	if (exists(dir, "status"))
		return dir;
	free(dir);
	dir = NULL;
	return NULL;
}

const char *events_dir(void)
{
	static char *dir;

	if (dir)
		return dir;
	if (!probes_dir() && geteuid())
		die("this needs root");
	if (!probes_dir())
		die("kprobes.ko is not loaded, or there is no debugfs: modprobe kprobes_events");
	dir = text_of("%s/events", probes_dir());
	if (!exists(dir, "kprobe_events"))
		die("kprobes_events.ko is not loaded: modprobe kprobes_events");
	return dir;
}

void want_traced_events(void)
{
	if (exists(events_dir(), "trace_pipe"))
		die("kprobes_events.ko keeps events in a buffer of its own, see %s/trace_pipe: this kernel's tracing takes none, or own_buffer=1 was given",
		    events_dir());
}

char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0, room = 0;
	char *text = NULL;
	ssize_t got;

	if (fd < 0)
		return NULL;
	do {
		if (room - size < 4096) {
			room = room * 2 + 65536;
			text = realloc(text, room);
			if (!text)
				die("out of memory");
		}
		got = read(fd, text + size, room - size - 1);
		if (got > 0)
			size += got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(fd);
	text[size] = '\0';
	if (!got)
		return text;
	free(text);
	return NULL;
}

int write_file(const char *path, const char *text, bool append)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | (append ? O_APPEND : O_TRUNC));
	ssize_t done;
	int err = 0;

	if (fd < 0)
		return errno;
	do {
		done = write(fd, text, strlen(text));
	} while (done < 0 && errno == EINTR);
	if (done < 0)
		err = errno;
	close(fd);
	return err;
}

void must_write(const char *path, const char *text)
{
	int err = write_file(path, text, false);

	if (err)
		die("%s: '%s' can't be written: %s", path, text, strerror(err));
}

char *next_line(char **at)
{
	char *line = *at, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	*at = end;
	return line;
}
