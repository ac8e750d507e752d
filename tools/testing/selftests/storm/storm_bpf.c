// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs at the entries and exits of the same functions. They decide where a function goes
 * on, as a live patch does.
 */
#include "bpf_programs.h"
#include "storm.h"

#define CLIENT	"lkp_storm"

/* The numbers of the counters. */
enum { ENTERED, LEFT, NR_COUNTERS };

static struct bpf_function functions[2];
static int counters = -1, entries[2] = { -1, -1 }, exits[2] = { -1, -1 };
static unsigned long times;
static uint64_t calls;

static bool is_attached(int group)
{
	return model.programs & (1u << PLACE(group, STORM_IN_C));
}

/* The counts are known for the functions that are called as often as we say. */
static void compare(const char *what, int number)
{
	uint64_t value;

	if (bpf_counted(counters, number, &value))
		die("reading a counter");
	if (value != calls)
		wrong("BPF's program at %s: got %llu, expected %llu", what,
		      (unsigned long long)value, (unsigned long long)calls);
}

void bpf_compare(void)
{
	if (counters < 0)
		return;
	compare("entries", ENTERED);
	compare("exits", LEFT);
}

void bpf_called(int place)
{
	if (place == PLACE(STORM_HOME, STORM_IN_C) && is_attached(STORM_HOME))
		calls++;
}

static void attach(int group)
{
	const char *name = model.places[PLACE(group, STORM_IN_C)].name;
	/* The wind is counted apart, where nobody looks. */
	int from = group == STORM_HOME ? 0 : NR_COUNTERS;

	note("BPF's programs at %s", name);
	entries[group] = bpf_count(&functions[group], BPF_TRACE_FENTRY, counters, from + ENTERED);
	if (entries[group] < 0)
		die("a program at an entry");
	exits[group] = bpf_count(&functions[group], BPF_TRACE_FEXIT, counters, from + LEFT);
	if (exits[group] < 0)
		die("a program at an exit");
	model.programs |= 1u << PLACE(group, STORM_IN_C);
	times++;
}

static void detach(int group)
{
	note("no BPF at %s", model.places[PLACE(group, STORM_IN_C)].name);
	close(exits[group]);
	close(entries[group]);
	model.programs &= ~(1u << PLACE(group, STORM_IN_C));
}

/*
 * Not beside a live patch: without any probe of ours 6.1 loses the patch then, and complains in
 * arch_ftrace_ops_list_func().
 */
void bpf_turn(void)
{
	int group = roll(2);

	if (counters < 0)
		return;
	if (is_attached(group))
		detach(group);
	else if (!model.patched || PLACE(group, STORM_IN_C) != STORM_PATCHED)
		attach(group);
}

/* The kernel may know no types of the client. */
void bpf_begin(void)
{
	int group;

	for (group = 0; group < 2; group++)
		if (!bpf_find(CLIENT, model.places[PLACE(group, STORM_IN_C)].name,
			      &functions[group]))
			return;
	counters = bpf_counters(2 * NR_COUNTERS);
	if (counters < 0)
		die("making counters");
}

void bpf_end(void)
{
	int group;

	if (counters < 0)
		return;
	bpf_compare();
	for (group = 0; group < 2; group++) {
		if (is_attached(group))
			detach(group);
		close(functions[group].types);
	}
	printf("# BPF's programs were attached %lu times, and counted %llu calls\n", times,
	       (unsigned long long)calls);
}
