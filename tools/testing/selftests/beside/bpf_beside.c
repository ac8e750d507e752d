// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command while BPF programs are attached to the entry and the exit of a
 * kernel function; then prints how often each was run.
 *
 * usage: bpf_beside FUNCTION COMMAND
 */
#include "bpf_programs.h"

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int count(const struct bpf_function *fn, enum bpf_attach_type type, int counters, int number)
{
	int link = bpf_count(fn, type, counters, number);

	if (link < 0)
		die("attaching a program");
	return link;
}

static unsigned long long value_of(int counters, uint32_t number)
{
	uint64_t value;

	if (bpf_counted(counters, number, &value))
		die("reading a counter");
	return value;
}

int main(int argc, char **argv)
{
	int counters, entry, exit_, status;
	struct bpf_function fn;

	if (argc != 3)
		return 2;
	if (!bpf_find(NULL, argv[1], &fn)) {
		fprintf(stderr, "%s: no such function\n", argv[1]);
		return 1;
	}
	counters = bpf_counters(2);
	if (counters < 0)
		die("making counters");
	entry = count(&fn, BPF_TRACE_FENTRY, counters, 0);
	exit_ = count(&fn, BPF_TRACE_FEXIT, counters, 1);
	status = system(argv[2]);
	close(entry);
	close(exit_);
	printf("%llu %llu\n", value_of(counters, 0), value_of(counters, 1));
	return status ? 1 : 0;
}
