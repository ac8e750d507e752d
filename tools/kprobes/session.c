// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a run sets up in the kernel, and takes back: an instance of tracing, in which nobody else's
 * tracing is disturbed, and a group of events.  Both are named after its pid.
 *
 * A run holds a lock on its instance, which goes with it, however it ends.  So an instance without
 * a lock was left behind.  Who looks for those, or makes an instance, holds that on the directory
 * of all instances.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "live.h"

volatile sig_atomic_t ended;

static char *instance;
static int instance_fd = -1;

/* Files of the instance, which can't go while they are open. */
static int *files;
static unsigned int nr_files;

/* ---- locks ---- */

static char *instance_of(int pid)
{
	return text_of("%s/instances/%s%d", tracing_dir(), RUN_PREFIX, pid);
}

/* Does its run hold the lock? */
static bool is_locked(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked;

	if (fd < 0)
		return false;
	locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

/* Or -1, also if a signal ends the wait; what is taken back is taken back without it then. */
static int lock_all(void)
{
	char *dir = text_of("%s/instances", tracing_dir());
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	free(dir);
	if (fd < 0 || !flock(fd, LOCK_EX))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* ---- runs ---- */

/* RUN_PREFIX and a number, and nothing else; or 0. */
static int run_pid(const char *name)
{
	size_t length = strlen(RUN_PREFIX);
	u64 pid;

	if (strncmp(name, RUN_PREFIX, length) || parse_number(name + length, 10, INT32_MAX, &pid))
		return 0;
	return pid;
}

static void add_run(struct runs *runs, int pid)
{
	char *dir = instance_of(pid);
	unsigned int i;

	for (i = 0; i < runs->nr; i++)
		if (runs->run[i].pid == pid)
			goto out;
	runs->run = realloc(runs->run, (runs->nr + 1) * sizeof(*runs->run));
	if (!runs->run)
		die("out of memory");
	runs->run[runs->nr].pid = pid;
	runs->run[runs->nr++].alive = is_locked(dir);
out:
	free(dir);
}

struct runs runs_find(void)
{
	char *path = text_of("%s/instances", tracing_dir());
	DIR *dir = opendir(path);
	struct event_line *events;
	struct runs runs = { };
	struct dirent *entry;
	unsigned int nr, i;

	while (dir && (entry = readdir(dir)))
		if (run_pid(entry->d_name))
			add_run(&runs, run_pid(entry->d_name));
	if (dir)
		closedir(dir);
	free(path);
	events = events_read(&nr);
	for (i = 0; i < nr; i++)
		if (run_pid(events[i].group))
			add_run(&runs, run_pid(events[i].group));
	events_free(events, nr);
	return runs;
}

const char *session_group(void)
{
	static char *group;

	if (!group)
		group = text_of("%s%d", RUN_PREFIX, getpid());
	return group;
}

/* ---- taking back ---- */

static int run_line(const char *line)
{
	char *path = text_of("%s/kprobe_events", events_dir());
	int err = write_file(path, line, true);

	free(path);
	return err;
}

static int remove_events(const char *of)
{
	unsigned int nr, i;
	struct event_line *events = events_read(&nr);
	int err = 0, now;

	for (i = 0; i < nr; i++) {
		char *line;

		if (strcmp(events[i].group, of))
			continue;
		line = text_of("-:%s/%s", events[i].group, events[i].name);
		now = run_line(line);
		err = now && now != ENOENT ? now : err;
		free(line);
	}
	events_free(events, nr);
	return err;
}

static int turn_off(const char *dir, const char *of)
{
	char *path = text_of("%s/events/%s/enable", dir, of);
	int err = write_file(path, "0", false);

	free(path);
	return err == ENOENT ? 0 : err;
}

/* The instance goes last, so that none is without what belongs to it. */
static int take_back(const char *dir, const char *of)
{
	int err = turn_off(dir, of), now = remove_events(of);

	err = err ? err : now;
	if (rmdir(dir) && errno != ENOENT)
		err = err ? err : errno;
	return err;
}

static void clean_up(void)
{
	struct runs runs = runs_find();
	unsigned int i;

	for (i = 0; i < runs.nr; i++) {
		char *dir = instance_of(runs.run[i].pid);
		char *of = text_of("%s%d", RUN_PREFIX, runs.run[i].pid);
		int err = runs.run[i].alive ? 0 : take_back(dir, of);

		if (err)
			warn("what run %d left behind can't be taken back: %s", runs.run[i].pid,
			     strerror(err));
		else if (!runs.run[i].alive)
			warn("took back what run %d left behind", runs.run[i].pid);
		free(dir);
		free(of);
	}
	free(runs.run);
}

static void close_files(void)
{
	while (nr_files)
		close(files[--nr_files]);
	close(instance_fd);
}

/* Also called when the program exits.  Warnings may have nobody who reads them. */
void session_end(void)
{
	char *dir = instance;
	int all, err;

	if (!dir)
		return;
	/* Once, also if an error leads here again. */
	instance = NULL;
	all = lock_all();
	close_files();
	err = take_back(dir, session_group());
	if (err)
		warn("%s can't be taken back: %s", dir, strerror(err));
	if (all >= 0)
		close(all);
	free(dir);
}

/* ---- beginning ---- */

static void on_signal(int sig)
{
	ended = sig;
}

/* nohup keeps SIGHUP from us. */
static bool is_ignored(int sig)
{
	struct sigaction action;

	return sig == SIGHUP && !sigaction(sig, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* They interrupt what waits.  A second one changes nothing: there is something to take back. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!is_ignored(signals[i]))
			sigaction(signals[i], &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	/* Where it is ignored, who waits for a process waits for all. */
	action.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &action, NULL);
}

static void make_instance(void)
{
	char *dir = instance_of(getpid());

	if (mkdir(dir, 0700))
		die("%s can't be made: %s", dir, strerror(errno));
	instance = dir;
	instance_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (instance_fd < 0 || flock(instance_fd, LOCK_EX | LOCK_NB))
		die("%s can't be locked: %s", dir, strerror(errno));
}

void session_begin(void)
{
	int all;

	want_traced_events();
	catch_signals();
	all = lock_all();
	if (all < 0)
		die("%s/instances: %s", tracing_dir(),
		    errno == EACCES ? "this needs root" : strerror(errno));
	clean_up();
	atexit(session_end);
	make_instance();
	close(all);
}

int session_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	files = realloc(files, (nr_files + 1) * sizeof(*files));
	if (!files)
		die("out of memory");
	files[nr_files++] = fd;
	return fd;
}

char *session_path(const char *format, ...)
{
	va_list args;
	char *name, *path;

	va_start(args, format);
	name = format_text(format, args);
	va_end(args);
	path = text_of("%s/%s", instance, name);
	free(name);
	return path;
}

int session_define(const char *line)
{
	return run_line(line);
}
