// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes record: what probes record, into a file for trace-cmd and KernelShark.
 *
 * The file is trace-cmd's trace.dat, version 6, as its trace-cmd.dat.v6(5) describes it.
 */
#include <errno.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.h"
#include "ring.h"

#define MAX_CPUS	4096

/* The kinds of options in the file. */
enum { OPTION_CLOCK = 4, OPTION_UNAME = 5 };

static const char usage[] =
	"Usage: kprobes record [OPTION]... -o FILE PROBE... [-- PROGRAM [ARGUMENT]...]\n"
	"Writes the hits of probes to FILE until Ctrl-C, or the end of PROGRAM; trace-cmd report -i\n"
	"FILE, or KernelShark, shows them.  PROBE is as for kprobes trace.\n"
	"  -o, --output FILE  the file; one that exists is overwritten\n"
	"  -p, --pid PID      only of this process, and those that it starts\n"
	"  --filter FILTER    only those for which it is true\n"
	"  --stack            with the way that led there\n"
	"  --for SECONDS      how long\n"
	"  --btf FILE, --debuginfo FILE  as for kprobes trace\n"
	"  --dry-run          only print the lines for kprobe_events\n";

/**
 * struct dat - the file
 * @file: it
 * @path: its name
 * @at: how much was written: it may be a pipe, which has no place
 * @pages: what each CPU has recorded, in a temporary file; or NULL
 * @nr_cpus: up to the last one
 * @records: bytes of records
 */
struct dat {
	FILE *file;
	const char *path;
	u64 at;
	FILE *pages[MAX_CPUS];
	unsigned int nr_cpus;
	u64 bytes;
};

/* ---- parts of the file ---- */

static void put(struct dat *dat, const void *data, size_t size)
{
	if (fwrite(data, 1, size, dat->file) != size)
		die("%s: %s", dat->path, strerror(errno));
	dat->at += size;
}

static void put_number(struct dat *dat, u64 number, size_t size)
{
	put(dat, &number, size);
}

static void put_text(struct dat *dat, const char *text)
{
	put(dat, text, strlen(text) + 1);
}

/* A file of the kernel's, behind its size. */
static void put_file(struct dat *dat, char *path, size_t size_of_size)
{
	char *text = read_file(path);

	if (!text)
		die("%s: %s", path, strerror(errno));
	put_number(dat, strlen(text), size_of_size);
	put(dat, text, strlen(text));
	free(text);
	free(path);
}

static bool is_format(const char *path)
{
	return !access(path, R_OK);
}

/* The formats of a system's events. */
static void put_system(struct dat *dat, const char *system)
{
	char *path = text_of("%s/events/%s", tracing_dir(), system), *names[4096];
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned int nr = 0, i;

	while (dir && (entry = readdir(dir)) && nr < 4096) {
		names[nr] = text_of("%s/%s/format", path, entry->d_name);
		if (*entry->d_name != '.' && is_format(names[nr]))
			nr++;
		else
			free(names[nr]);
	}
	if (dir)
		closedir(dir);
	put_number(dat, nr, 4);
	for (i = 0; i < nr; i++)
		put_file(dat, names[i], 8);
	free(path);
}

static void put_option(struct dat *dat, unsigned int option, const char *text)
{
	put_number(dat, option, 2);
	put_number(dat, strlen(text) + 1, 4);
	put_text(dat, text);
}

static void put_options(struct dat *dat)
{
	char *clock = read_file(session_path("trace_clock")), *text;
	struct utsname name;

	put_text(dat, "options  ");
	put_option(dat, OPTION_CLOCK, clock ? clock : "");
	if (!uname(&name)) {
		text = text_of("%s %s %s %s", name.sysname, name.nodename, name.release,
			       name.machine);
		put_option(dat, OPTION_UNAME, text);
		free(text);
	}
	put_number(dat, 0, 2);
	free(clock);
}

static void put_head(struct dat *dat)
{
	static const unsigned char magic[] = { 0x17, 0x08, 0x44 };
	const u16 one = 1;

	put(dat, magic, sizeof(magic));
	put(dat, "tracing", 7);
	put_text(dat, "6");
	put_number(dat, !*(const u8 *)&one, 1);
	put_number(dat, sizeof(long), 1);
	put_number(dat, ring_page_size(), 4);
	put_text(dat, "header_page");
	put_file(dat, text_of("%s/events/header_page", tracing_dir()), 8);
	put_text(dat, "header_event");
	put_file(dat, text_of("%s/events/header_event", tracing_dir()), 8);
	put_system(dat, "ftrace");
	put_number(dat, 1, 4);
	put_text(dat, session_group());
	put_system(dat, session_group());
	put_file(dat, text_of("/proc/kallsyms"), 4);
	/* Formats of trace_printk(), which nobody calls here. */
	put_number(dat, 0, 4);
	put_file(dat, text_of("%s/saved_cmdlines", tracing_dir()), 8);
	put_number(dat, dat->nr_cpus, 4);
	put_options(dat);
	put_text(dat, "flyrecord");
}

/* ---- what was recorded ---- */

static void keep_page(unsigned int cpu, const u8 *page, size_t used, void *data)
{
	static const u8 nothing[4096];
	struct dat *dat = data;
	size_t rest = ring_page_size() - used, size;

	if (cpu >= MAX_CPUS)
		die("there are more than %u CPUs", MAX_CPUS);
	if (!dat->pages[cpu])
		dat->pages[cpu] = tmpfile();
	if (!dat->pages[cpu] || fwrite(page, 1, used, dat->pages[cpu]) != used)
		die("there is no temporary file: %s", strerror(errno));
	for (; rest; rest -= size) {
		size = rest < sizeof(nothing) ? rest : sizeof(nothing);
		if (fwrite(nothing, 1, size, dat->pages[cpu]) != size)
			die("there is no temporary file: %s", strerror(errno));
	}
	if (cpu >= dat->nr_cpus)
		dat->nr_cpus = cpu + 1;
}

static u64 size_of(FILE *file)
{
	return file ? ftello(file) : 0;
}

static u64 page_aligned(u64 at)
{
	return (at + ring_page_size() - 1) / ring_page_size() * ring_page_size();
}

/* Where each CPU's records are, and the records. */
static void put_pages(struct dat *dat)
{
	u64 at = page_aligned(dat->at + 16 * dat->nr_cpus);
	char buffer[65536];
	unsigned int i;
	size_t got;

	for (i = 0; i < dat->nr_cpus; i++) {
		put_number(dat, at, 8);
		put_number(dat, size_of(dat->pages[i]), 8);
		at += size_of(dat->pages[i]);
	}
	while (dat->at % ring_page_size())
		put_number(dat, 0, 1);
	for (i = 0; i < dat->nr_cpus; i++) {
		dat->bytes += size_of(dat->pages[i]);
		if (dat->pages[i])
			rewind(dat->pages[i]);
		while (dat->pages[i] && (got = fread(buffer, 1, sizeof(buffer), dat->pages[i])))
			put(dat, buffer, got);
	}
	if (fflush(dat->file))
		die("%s: %s", dat->path, strerror(errno));
}

/* ---- the command ---- */

static void record(struct run *run)
{
	static struct dat dat;
	bool more = false;
	u64 lost;

	dat.path = run->output;
	dat.file = fopen(run->output, "we");
	if (!dat.file)
		die("%s: %s", run->output, strerror(errno));
	ring_open();
	run_start(run);
	while (run_wait(run, -1, more ? 0 : 50))
		more = ring_pages(keep_page, &dat, false);
	run_stop(run);
	ring_pages(keep_page, &dat, true);
	put_head(&dat);
	put_pages(&dat);
	lost = ring_lost();
	fprintf(stderr, "kprobes: %llu bytes of records in %s", (unsigned long long)dat.bytes,
		run->output);
	if (lost)
		fprintf(stderr, "; %llu records were lost", (unsigned long long)lost);
	fputc('\n', stderr);
}

int command_record(int argc, char **argv)
{
	struct run run = { .name = "record" };

	run_parse(&run, argc, argv, "pftsodbD", usage);
	if (!run.output && !run.dry)
		die("record: a file is missing, as in: kprobes record -o trace.dat vfs_read");
	run_prepare(&run);
	record(&run);
	session_end();
	return ANSWERED;
}
