// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes stat: how often functions are called, and how long they take.
 *
 * Each probe becomes two events, at the entry and at the return.  A task's calls are nested, so its
 * last call that has not returned is the one that returns.
 */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.h"
#include "histogram.h"
#include "ring.h"

/* Deeper calls of one task are counted, and their time is not known. */
#define MAX_DEPTH	64
#define NR_CHAINS	4096

static const char usage[] =
	"Usage: kprobes stat [OPTION]... PLACE... [-- PROGRAM [ARGUMENT]...]\n"
	"Counts and times the calls of functions until Ctrl-C, or the end of PROGRAM.\n"
	"PLACE is [MODULE:]SYMBOL, or a pattern as 'vfs_*'.\n"
	"  -p, --pid PID       only by this process, and those that it starts\n"
	"  --interval SECONDS  between two tables on a terminal (1)\n"
	"  --json              an object, at the end\n"
	"  --for SECONDS       how long\n"
	"  --dry-run           only print the lines for kprobe_events\n";

/**
 * struct called - a function
 * @address: where it begins
 * @name: its name
 * @spec: the place that it belongs to
 * @calls: how often it was called
 * @times: of those that have returned
 * @next: in its chain
 */
struct called {
	u64 address;
	char *name;
	unsigned int spec;
	u64 calls;
	struct histogram times;
	struct called *next;
};

/**
 * struct task - a task
 * @id: as record_task() has it
 * @gone: it has gone
 * @depth: how many of its calls have not returned
 * @calls: those, the last one last
 */
struct task {
	int id;
	bool gone;
	unsigned int depth;
	struct {
		u64 address;
		u64 time;
	} calls[MAX_DEPTH];
};

/**
 * struct stat_run - what is counted
 * @run: the run; two probes for each place
 * @formats: of the events
 * @called, @nr_called: the functions
 * @chains: the same, by address
 * @tasks, @nr_tasks: in the order of their ids
 * @lost: records
 */
struct stat_run {
	struct run run;
	struct format *formats;
	struct called **called;
	unsigned int nr_called;
	struct called *chains[NR_CHAINS];
	struct task **tasks;
	unsigned int nr_tasks;
	u64 lost;
};

/* ---- counting ---- */

static struct called *new_called(struct stat_run *stat, u64 address, unsigned int spec)
{
	const struct kernel_symbol *symbol = symbol_at(address);
	struct called *new = allocate(sizeof(*new));

	new->address = address;
	new->spec = spec;
	new->name = symbol ? text_of("%s", symbol->name) :
			     text_of("0x%llx", (unsigned long long)address);
	stat->called = realloc(stat->called, (stat->nr_called + 1) * sizeof(*stat->called));
	if (!stat->called)
		die("out of memory");
	stat->called[stat->nr_called++] = new;
	return new;
}

static struct called *find_called(struct stat_run *stat, u64 address, unsigned int spec)
{
	struct called **chain, *called;

	address = symbol_start(address);
	chain = &stat->chains[address / 16 % NR_CHAINS];
	for (called = *chain; called; called = called->next)
		if (called->address == address && called->spec == spec)
			return called;
	called = new_called(stat, address, spec);
	called->next = *chain;
	*chain = called;
	return called;
}

static struct task *find_task(struct stat_run *stat, int id)
{
	unsigned int low = 0, high = stat->nr_tasks;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (stat->tasks[middle]->id == id)
			return stat->tasks[middle];
		if (stat->tasks[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	stat->tasks = realloc(stat->tasks, (stat->nr_tasks + 1) * sizeof(*stat->tasks));
	if (!stat->tasks)
		die("out of memory");
	memmove(stat->tasks + low + 1, stat->tasks + low,
		(stat->nr_tasks - low) * sizeof(*stat->tasks));
	stat->tasks[low] = allocate(sizeof(**stat->tasks));
	stat->tasks[low]->id = id;
	stat->nr_tasks++;
	return stat->tasks[low];
}

static void on_call(struct task *task, struct called *called, u64 time)
{
	called->calls++;
	/* The oldest one will not be found. */
	if (task->depth == MAX_DEPTH) {
		memmove(task->calls, task->calls + 1, sizeof(task->calls) - sizeof(task->calls[0]));
		task->depth--;
	}
	task->calls[task->depth].address = called->address;
	task->calls[task->depth++].time = time;
}

/* Calls whose returns were missed, or lost, are given up. */
static void on_return(struct task *task, struct called *called, u64 time)
{
	unsigned int i;

	for (i = task->depth; i--;) {
		if (task->calls[i].address != called->address)
			continue;
		histogram_add(&called->times, time - task->calls[i].time);
		task->depth = i;
		return;
	}
}

static void count(const struct record *record, void *data)
{
	struct stat_run *stat = data;
	const struct format *format = format_find(stat->formats, stat->run.nr_specs, record);
	unsigned int spec;
	struct task *task;
	u64 address;

	if (!format)
		return;
	spec = (format->spec - stat->run.specs) / 2;
	task = find_task(stat, record_task(record));
	if (format->spec->returns) {
		address = format_number(format, record, "__probe_func");
		on_return(task, find_called(stat, address, spec), record->time);
	} else {
		address = format_number(format, record, "__probe_ip");
		on_call(task, find_called(stat, address, spec), record->time);
	}
}

static void sweep_tasks(struct stat_run *stat, u64 taken)
{
	static struct sweep sweep;
	enum sweep_step step = sweep_next(&sweep, stat->nr_tasks, taken);
	unsigned int left = 0, i;

	for (i = 0; step != SWEEP_NOTHING && i < stat->nr_tasks; i++) {
		struct task *task = stat->tasks[i];

		if (step == SWEEP_FREE && task->gone) {
			free(task);
			continue;
		}
		if (step == SWEEP_MARK)
			task->gone = task_has_gone(task->id);
		stat->tasks[left++] = task;
	}
	if (step != SWEEP_NOTHING)
		stat->nr_tasks = left;
	sweep_done(&sweep, step, stat->nr_tasks);
}

/* ---- the table ---- */

/* The most often called first. */
static int by_calls(const void *a, const void *b)
{
	const struct called *x = *(struct called * const *)a, *y = *(struct called * const *)b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return strcmp(x->name, y->name);
}

static const char *time_text(u64 time)
{
	static char texts[4][32];
	static unsigned int next;
	static const char * const units[] = { "ns", "us", "ms", "s" };
	double value = time;
	char *text = texts[next++ % 4];
	unsigned int unit = 0;

	while (value >= 1000 && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(text, sizeof(texts[0]), unit && value < 100 ? "%.1f%s" : "%.0f%s", value,
		 units[unit]);
	return text;
}

/* The powers of two that all pictures show. */
static bool find_range(const struct stat_run *stat, unsigned int *first, unsigned int *last)
{
	unsigned int i, power;

	*first = HISTOGRAM_POWERS;
	*last = 0;
	for (i = 0; i < stat->nr_called; i++) {
		for (power = 0; power < HISTOGRAM_POWERS; power++) {
			if (!histogram_power(&stat->called[i]->times, power))
				continue;
			*first = power < *first ? power : *first;
			*last = power > *last ? power : *last;
		}
	}
	return *first <= *last;
}

/* Hits that the two probes of a place missed. */
static u64 missed_at(const struct stat_run *stat, unsigned int spec)
{
	unsigned int nr, i;
	struct event_line *events = events_read(&nr);
	u64 missed = 0;

	for (i = 0; i < nr; i++)
		if (!strcmp(events[i].group, session_group()) &&
		    (!strcmp(events[i].name, stat->run.specs[2 * spec].event) ||
		     !strcmp(events[i].name, stat->run.specs[2 * spec + 1].event)))
			missed += events[i].missed;
	events_free(events, nr);
	return missed;
}

/* Of a pattern it is not known which of the functions. */
static void print_missed(const struct stat_run *stat, const struct called *called)
{
	if (stat->run.specs[2 * called->spec].is_pattern)
		printf(" %8s", "");
	else
		printf(" %8llu", (unsigned long long)missed_at(stat, called->spec));
}

static void print_row(const struct stat_run *stat, const struct called *called,
		      unsigned int first, unsigned int last, bool blocks)
{
	const struct histogram *times = &called->times;

	printf("%-32s %10llu", called->name, (unsigned long long)called->calls);
	print_missed(stat, called);
	if (!times->count) {
		printf(" %9s %9s\n", "-", "-");
		return;
	}
	printf(" %9s %9s  |", time_text(times->sum / times->count),
	       time_text(histogram_quantile(times, 990)));
	histogram_draw(times, first, last, blocks);
	printf("|\n");
}

static bool has_note(const struct stat_run *stat, unsigned int i)
{
	return stat->run.specs[i].is_pattern && missed_at(stat, i / 2);
}

static void print_notes(const struct stat_run *stat)
{
	unsigned int i;

	for (i = 0; i < stat->run.nr_specs; i += 2)
		if (has_note(stat, i))
			printf("%s: %llu hits were missed\n", stat->run.specs[i].place,
			       (unsigned long long)missed_at(stat, i / 2));
	if (stat->lost)
		printf("%llu records were lost: there were more calls than that\n",
		       (unsigned long long)stat->lost);
}

/* So many functions are shown on the terminal, with a heading, "more", notes, and the cursor. */
static unsigned int rows_that_fit(const struct stat_run *stat)
{
	unsigned int others = 3 + !!stat->lost, i;
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return stat->nr_called;
	for (i = 0; i < stat->run.nr_specs; i += 2)
		others += has_note(stat, i);
	/* What would be the last one takes no more than "more". */
	if (stat->nr_called + others - 1 <= size.ws_row)
		return stat->nr_called;
	return size.ws_row > others ? size.ws_row - others : 0;
}

/* What does not fit on a terminal, from whose beginning the table is drawn again, would scroll. */
static void print_table(struct stat_run *stat, bool again, bool whole)
{
	bool blocks = !strcmp(nl_langinfo(CODESET), "UTF-8");
	unsigned int rows = whole ? stat->nr_called : rows_that_fit(stat);
	unsigned int first, last, i;

	if (stat->nr_called)
		qsort(stat->called, stat->nr_called, sizeof(*stat->called), by_calls);
	/* To the beginning of the screen; what was below goes. */
	if (again)
		fputs("\033[H\033[J", stdout);
	printf("%-32s %10s %8s %9s %9s", "FUNCTION", "CALLS", "MISSED", "AVERAGE", "P99");
	if (find_range(stat, &first, &last))
		printf("  FROM %s TO %s", time_text(1ull << first), time_text((2ull << last) - 1));
	printf("\n");
	for (i = 0; i < rows; i++)
		print_row(stat, stat->called[i], first, last, blocks);
	if (rows < stat->nr_called)
		printf("... and %u more\n", stat->nr_called - rows);
	print_notes(stat);
	fflush(stdout);
}

static void print_function_json(const struct called *called)
{
	const struct histogram *times = &called->times;
	const char *comma = "";
	unsigned int power;

	printf("{\"function\": ");
	json_string(called->name, strlen(called->name));
	printf(", \"place\": %u, \"calls\": %llu, \"returned\": %llu", called->spec,
	       (unsigned long long)called->calls, (unsigned long long)times->count);
	if (times->count)
		printf(", \"average\": %llu, \"p99\": %llu",
		       (unsigned long long)(times->sum / times->count),
		       (unsigned long long)histogram_quantile(times, 990));
	printf(", \"histogram\": {");
	for (power = 0; power < HISTOGRAM_POWERS; power++) {
		if (!histogram_power(times, power))
			continue;
		printf("%s\"%llu\": %llu", comma, power ? 1ull << power : 0,
		       (unsigned long long)histogram_power(times, power));
		comma = ", ";
	}
	printf("}}");
}

static void print_json(const struct stat_run *stat)
{
	unsigned int i;

	printf("{\"lost\": %llu, \"places\": [", (unsigned long long)stat->lost);
	for (i = 0; i < stat->run.nr_specs; i += 2) {
		printf("%s{\"place\": ", i ? ", " : "");
		json_string(stat->run.specs[i].place, strlen(stat->run.specs[i].place));
		printf(", \"missed\": %llu}", (unsigned long long)missed_at(stat, i / 2));
	}
	printf("], \"functions\": [");
	for (i = 0; i < stat->nr_called; i++) {
		fputs(i ? ", " : "", stdout);
		print_function_json(stat->called[i]);
	}
	printf("]}\n");
}

/* ---- the command ---- */

/* Each place is followed by its return. */
static void add_returns(struct run *run)
{
	struct spec *specs = allocate(2 * run->nr_specs * sizeof(*specs));
	unsigned int i;

	for (i = 0; i < run->nr_specs; i++) {
		const struct spec *spec = &run->specs[i];

		if (spec->returns)
			spec_fail(spec, spec->place_column + strlen(spec->place),
				  "stat takes functions, and looks at both ends of each");
		if (spec->text[spec->place_column + strlen(spec->place)])
			spec_fail(spec, spec->place_column + strlen(spec->place),
				  "stat takes no arguments");
		specs[2 * i] = *spec;
		spec_return(&specs[2 * i], &specs[2 * i + 1]);
		spec_number(specs, 2 * i + 1);
	}
	free(run->specs);
	run->specs = specs;
	run->nr_specs *= 2;
}

/* Is there more to be read? */
static bool read_until(struct stat_run *stat, u64 until, bool all)
{
	bool more = ring_read(all);

	sweep_tasks(stat, ring_take(until, count, stat));
	stat->lost = ring_lost();
	return more;
}

static void count_calls(struct stat_run *stat)
{
	bool table = isatty(STDOUT_FILENO) && !stat->run.json, more = false;
	u64 interval = stat->run.interval * 1e9, next;

	ring_open();
	run_start(&stat->run);
	next = now() + interval;
	while (run_wait(&stat->run, -1, more ? 0 : 50)) {
		more = read_until(stat, now() - RING_DELAY, false);
		if (table && now() >= next) {
			print_table(stat, true, false);
			next = now() + interval;
		}
	}
	run_stop(&stat->run);
	read_until(stat, UINT64_MAX, true);
	if (stat->run.json)
		print_json(stat);
	else
		print_table(stat, table, true);
}

int command_stat(int argc, char **argv)
{
	static struct stat_run stat = {
		.run = { .name = "stat", .interval = 1, .fprobes = true },
	};

	setlocale(LC_ALL, "");
	run_parse(&stat.run, argc, argv, "ptijd", usage);
	add_returns(&stat.run);
	run_prepare(&stat.run);
	stat.formats = formats_read(&stat.run);
	count_calls(&stat);
	session_end();
	return ANSWERED;
}
