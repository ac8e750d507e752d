// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes trace: what probes record, as it comes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "waiting.h"

static const char usage[] =
	"Usage: kprobes trace [OPTION]... PROBE... [-- PROGRAM [ARGUMENT]...]\n"
	"Shows the hits of probes on the running kernel until Ctrl-C, or the end of PROGRAM.\n"
	"PROBE is one word for the shell: [EVENT=]PLACE[%return] [ARGUMENT]...\n"
	"PLACE is [MODULE:]SYMBOL[+OFFSET], 0xADDRESS, a pattern of functions, or [MODULE:]FILE:LINE.\n"
	"ARGUMENT is as in kprobe_events, or a name, as count, or file->f_pos; $arg* is all.\n"
	"  -p, --pid PID    only of this process, and those that it starts\n"
	"  --filter FILTER  only those for which it is true; 'ret < 0' also decides about entries\n"
	"  --stack          with the way that led there\n"
	"  --json           an object a line\n"
	"  --for SECONDS    how long\n"
	"  --btf FILE       names and types of arguments from FILE, in the place of the kernel's BTF\n"
	"  --debuginfo FILE lines from this vmlinux or module\n"
	"  --dry-run        only print the lines for kprobe_events\n";

/* Also those of U+0080 and up, of which UTF-8 has two bytes, and other codes one. */
static bool steers_terminal(unsigned char c, unsigned char before)
{
	if (c >= 0x80 && c < 0xa0)
		return before < 0x80 || before == 0xc2;
	return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

/* Each task may call itself what it likes, and the kernel's text has that as it is. */
static void make_harmless(char *text, size_t length)
{
	static unsigned char before;
	unsigned char c;

	for (; length--; text++) {
		c = *text;
		if (steers_terminal(c, before))
			*text = '?';
		before = c;
	}
}

/* Writes what there is now, or all.  False if nobody reads it. */
static bool pass_on(int fd, bool all)
{
	static char buffer[65536];
	unsigned int i;
	ssize_t got;

	for (i = 0; all || i < READS_A_ROUND; i++) {
		got = read(fd, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			die("what is recorded can't be read: %s", strerror(errno));
		if (got <= 0)
			break;
		make_harmless(buffer, got);
		if (fwrite(buffer, 1, got, stdout) != (size_t)got)
			return false;
	}
	return !fflush(stdout);
}

/* As the kernel writes it, but for what steers a terminal. */
static void trace_text(struct run *run)
{
	char *path = session_path("trace_pipe");
	int fd = session_open(path);
	bool read = true;

	run_start(run);
	while (read && run_wait(run, fd, 100))
		read = pass_on(fd, false);
	run_stop(run);
	if (read)
		pass_on(fd, true);
	free(path);
}

/**
 * struct raw_trace - records that are printed by us
 * @run: the run
 * @formats: of its events
 */
struct raw_trace {
	struct run *run;
	struct format *formats;
};

static void print(const struct raw_trace *trace, const struct record *record,
		  const struct format *back_format, const struct record *back)
{
	const struct format *format = format_find(trace->formats, trace->run->nr_specs, record);

	if (trace->run->json)
		print_record_json(format, record, back_format, back);
	else
		print_record_text(format, record, back_format, back);
}

static void print_one(const struct record *record, void *data)
{
	const struct raw_trace *trace = data;
	const struct format *format = format_find(trace->formats, trace->run->nr_specs, record);
	const struct record *entry;

	if (!format)
		return;
	if (format->spec->waits) {
		waiting_keep(format, record);
	} else if (format->spec->entry) {
		entry = waiting_take(format, record);
		if (entry)
			print(trace, entry, format, record);
	} else {
		print(trace, record, NULL, NULL);
	}
}

/* False if nobody reads it. */
static bool print_until(struct raw_trace *trace, u64 until)
{
	waiting_sweep(ring_take(until, print_one, trace));
	return !fflush(stdout);
}

static void trace_raw(struct run *run)
{
	struct raw_trace trace = { .run = run, .formats = formats_read(run) };
	bool read = true, more = false;
	u64 lost, until;

	ring_open();
	run_start(run);
	while (read && run_wait(run, -1, more ? 0 : 100)) {
		until = now() - RING_DELAY;
		more = ring_read(false);
		read = print_until(&trace, until);
	}
	run_stop(run);
	ring_read(true);
	if (read)
		print_until(&trace, UINT64_MAX);
	lost = ring_lost();
	if (lost)
		warn("%llu records were lost", (unsigned long long)lost);
}

int command_trace(int argc, char **argv)
{
	struct run run = { .name = "trace" };

	run_parse(&run, argc, argv, "pftsjdbD", usage);
	run_prepare(&run);
	if (run.json || run.waits)
		trace_raw(&run);
	else
		trace_text(&run);
	session_end();
	return ANSWERED;
}
