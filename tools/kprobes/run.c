// SPDX-License-Identifier: GPL-2.0-only
/*
 * What trace, stat and record have in common: their options, and a run from its beginning to its
 * end, which is a signal, the end of a program, or of a time.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "run.h"

/* ---- the command line ---- */

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "filter", required_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' },
	{ "for", required_argument, NULL, 't' },
	{ "interval", required_argument, NULL, 'i' },
	{ "stack", no_argument, NULL, 's' },
	{ "json", no_argument, NULL, 'j' },
	{ "dry-run", no_argument, NULL, 'd' },
	{ "btf", required_argument, NULL, 'b' },
	{ "debuginfo", required_argument, NULL, 'D' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static const char *option_name(int c)
{
	const struct option *option;

	for (option = long_options; option->val != c; option++)
		;
	return option->name;
}

static double seconds_of(const char *name, const char *text)
{
	char *end;
	double seconds;

	/* strtod() takes more than that. */
	if (!*text || strspn(text, "0123456789.") != strlen(text))
		die("--%s: '%s' is not a number", name, text);
	seconds = strtod(text, &end);
	if (*end)
		die("--%s: '%s' is not a number", name, text);
	if (seconds < 0.01 || seconds > 1e8)
		die("--%s: %s is not between 0.01 and 100000000", name, text);
	return seconds;
}

static void set_pid(struct run *run, const char *text)
{
	u64 pid = 0;
	const char *wrong = parse_number(text, 10, INT32_MAX, &pid);

	if (wrong)
		die("--pid: '%s' %s", text, wrong);
	if (!pid)
		die("--pid: there is no process 0");
	run->pid = pid;
}

static void set_option(struct run *run, int c, const char *usage)
{
	switch (c) {
	case 'p':
		set_pid(run, optarg);
		break;
	case 'f':
		run->filter = optarg;
		break;
	case 'o':
		run->output = optarg;
		break;
	case 't':
		run->seconds = seconds_of("for", optarg);
		break;
	case 'i':
		run->interval = seconds_of("interval", optarg);
		break;
	case 's':
		run->stack = true;
		break;
	case 'j':
		run->json = true;
		break;
	case 'd':
		run->dry = true;
		break;
	case 'b':
		run->btf = optarg;
		break;
	case 'D':
		run->debuginfo = optarg;
		break;
	default:
		fputs(usage, c == 'h' ? stdout : stderr);
		exit(c == 'h' ? ANSWERED : WRONG);
	}
}

/* Behind "--" a program follows.  getopt() would move it. */
static int find_command(struct run *run, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		if (!argv[i + 1])
			die("%s: behind -- a program is missing", run->name);
		run->command = argv + i + 1;
		argv[i] = NULL;
		return i;
	}
	return argc;
}

static bool in_name(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

/* Is it about what functions return? */
static bool names_ret(const char *filter)
{
	const char *at;

	for (at = filter ? strstr(filter, "ret") : NULL; at; at = strstr(at + 1, "ret"))
		if ((at == filter || !in_name(at[-1])) && !in_name(at[3]))
			return true;
	return false;
}

static void parse_specs(struct run *run, char **texts, unsigned int nr)
{
	unsigned int i;

	if (!nr)
		die("%s: a probe is missing, as in: kprobes %s vfs_read", run->name, run->name);
	run->waits = !strcmp(run->name, "trace") && names_ret(run->filter);
	/* Each may be followed by its return. */
	run->specs = allocate(2 * nr * sizeof(*run->specs));
	for (i = 0; i < nr; i++) {
		struct spec *spec = &run->specs[run->nr_specs];

		spec_parse(spec, texts[i], run);
		if (run->waits && !spec->returns)
			spec_wait(spec, spec + 1, run);
		spec_number(run->specs, run->nr_specs++);
		if (!spec->waits)
			continue;
		spec[1].entry = spec->event;
		spec_number(run->specs, run->nr_specs++);
	}
}

void run_parse(struct run *run, int argc, char **argv, const char *options, const char *usage)
{
	int c;

	argc = find_command(run, argc, argv);
	while ((c = getopt_long(argc, argv, "p:o:h", long_options, NULL)) != -1) {
		if (c != '?' && c != 'h' && !strchr(options, c))
			die("%s has no --%s", run->name, option_name(c));
		set_option(run, c, usage);
	}
	if (run->pid && run->command)
		die("%s: --pid and a program can't be asked for at once", run->name);
	parse_specs(run, argv + optind, argc - optind);
}

/* ---- processes ---- */

static void add_number(const char *path, int number)
{
	char *text = text_of("%d", number);
	int err = write_file(path, text, true);

	if (err)
		die("%s: %s", path, strerror(err));
	free(text);
}

/* All that a process has now; the kernel adds those that they start. */
static void add_threads(const char *path, int pid)
{
	char *name = text_of("/proc/%d/task", pid);
	DIR *dir = opendir(name);
	struct dirent *entry;

	if (!dir)
		die("there is no process %d", pid);
	while ((entry = readdir(dir)))
		if (atoi(entry->d_name))
			add_number(path, atoi(entry->d_name));
	closedir(dir);
	free(name);
}

static void set_process(const struct run *run)
{
	char *path = session_path("set_event_pid"), *fork = session_path("options/event-fork");
	char *without = session_path("set_event_notrace_pid");

	if (run->pid || run->child) {
		must_write(fork, "1");
		if (run->pid)
			add_threads(path, run->pid);
		else
			add_number(path, run->child);
	} else {
		/* Reading records makes more of them. */
		add_number(without, getpid());
	}
	free(path);
	free(fork);
	free(without);
}

/* The program is there before the probes are on, and begins behind them. */
static void start_program(struct run *run)
{
	int go[2];
	char byte;

	if (pipe2(go, O_CLOEXEC))
		die("there is no pipe: %s", strerror(errno));
	fflush(NULL);
	run->child = fork();
	if (run->child < 0)
		die("no process can be made: %s", strerror(errno));
	if (run->child) {
		close(go[0]);
		run->release = go[1];
		return;
	}
	close(go[1]);
	signal(SIGPIPE, SIG_DFL);
	if (read(go[0], &byte, 1) != 1)
		_exit(WRONG);
	execvp(*run->command, run->command);
	warn("%s: %s", *run->command, strerror(errno));
	_exit(127);
}

static bool program_has_ended(struct run *run)
{
	int status;
	pid_t got = run->child ? waitpid(run->child, &status, WNOHANG) : 0;

	if (!got || (got < 0 && errno != ECHILD))
		return false;
	run->child = 0;
	return true;
}

/* ---- a run ---- */

u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* The kernel says what is wrong with a filter in the file itself. */
static void set_filter(const struct run *run, const struct spec *spec)
{
	char *path = session_path("events/%s/%s/filter", session_group(), spec->event), *said;
	int err = write_file(path, run->filter, false);
	char *at, *line;

	if (!err) {
		free(path);
		return;
	}
	said = read_file(path);
	warn("the filter does not fit %s: %s", spec->text, strerror(err));
	for (at = said; err == EINVAL && (line = next_line(&at));)
		fprintf(stderr, "  %s\n", line);
	exit(WRONG);
}

static void dry_run(const struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr_specs; i++)
		puts(run->specs[i].line);
	exit(fflush(stdout) ? WRONG : ANSWERED);
}

void run_prepare(struct run *run)
{
	unsigned int i;

	if (run->dry)
		dry_run(run);
	session_begin();
	output_begin();
	for (i = 0; i < run->nr_specs; i++)
		spec_define(&run->specs[i]);
	for (i = 0; run->filter && i < run->nr_specs; i++)
		if (!run->specs[i].waits)
			set_filter(run, &run->specs[i]);
	must_write(session_path("trace_clock"), "mono");
	if (run->stack)
		must_write(session_path("options/stacktrace"), "1");
	if (run->command)
		start_program(run);
	set_process(run);
}

void run_start(struct run *run)
{
	must_write(session_path("events/%s/enable", session_group()), "1");
	if (run->seconds) {
		run->until = now() + (u64)(run->seconds * 1e9);
		output_until(run->until);
	}
	if (run->command && write(run->release, "", 1) != 1)
		die("%s: %s", *run->command, strerror(errno));
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "kprobes: the probes are on; Ctrl-C ends it\n");
}

void run_stop(struct run *run)
{
	must_write(session_path("events/%s/enable", session_group()), "0");
	if (run->child && ended != SIGINT)
		kill(run->child, SIGTERM);
	if (run->child)
		waitpid(run->child, NULL, 0);
}

/* Who reads what we print may have gone. */
bool run_wait(struct run *run, int fd, int milliseconds)
{
	struct pollfd files[2] = {
		{ .fd = fd, .events = POLLIN }, { .fd = STDOUT_FILENO, .events = 0 },
	};

	u64 time = now();

	if (run->until && time + milliseconds * 1000000ull > run->until)
		milliseconds = run->until > time ? (run->until - time) / 1000000 + 1 : 0;
	/* Signals that come just before are seen when this ends. */
	poll(files, 2, milliseconds > 100 ? 100 : milliseconds);
	if (ended || program_has_ended(run) || (run->until && now() >= run->until))
		return false;
	return !(files[1].revents & (POLLERR | POLLNVAL));
}
