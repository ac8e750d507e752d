// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps perf at work while a file exists: it takes a backtrace of each CPU a thousand times a
 * second, and has breakpoints of the processor on functions of the kernel, on others in each
 * turn. Then prints on how many CPUs it was at work, and how many breakpoints were hit.
 *
 * usage: perf_noise FILE FUNCTION...
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_CPUS	64
/* The processor has four. */
#define AT_ONCE		3
#define PAGES		8
#define TURN		200000	/* microseconds */

static long nr_cpus;

static int open_event(struct perf_event_attr *attr, int cpu)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_perf_event_open, attr, -1, cpu, -1, 0);
}

static uint64_t count_of(int fd)
{
	uint64_t count = 0;

	if (fd < 0 || read(fd, &count, sizeof(count)) != sizeof(count))
		return 0;
	return count;
}

/* ---- backtraces ---- */

/* Nobody reads the records: new ones overwrite old ones. */
static int begin_sampling(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 1000,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	};
	int fd = open_event(&attr, cpu);

	if (fd >= 0)
		mmap(NULL, (PAGES + 1) * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	return fd;
}

/* ---- breakpoints ---- */

static uint64_t address_of(const char *name)
{
	char line[512], found[256];
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long addr, answer = 0;

	while (file && !answer && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx %*c %255s", &addr, found) == 2 && !strcmp(found, name))
			answer = addr;
	if (file)
		fclose(file);
	return answer;
}

static int begin_breakpoint(uint64_t addr, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = addr,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	};

	return addr ? open_event(&attr, cpu) : -1;
}

/* Returns how many were hit. */
static uint64_t one_turn(uint64_t *addresses)
{
	int fds[AT_ONCE][MAX_CPUS], i, cpu;
	uint64_t hits = 0;

	for (i = 0; i < AT_ONCE; i++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			fds[i][cpu] = begin_breakpoint(addresses[i], cpu);
	usleep(TURN);
	for (i = 0; i < AT_ONCE; i++) {
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			hits += count_of(fds[i][cpu]);
			if (fds[i][cpu] >= 0)
				close(fds[i][cpu]);
		}
	}
	return hits;
}

int main(int argc, char **argv)
{
	uint64_t cpus = 0, hits = 0, addresses[AT_ONCE];
	int fds[MAX_CPUS], cpu, i, next = 2;

	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (argc < 3 || nr_cpus > MAX_CPUS) {
		fprintf(stderr, "usage: perf_noise FILE FUNCTION...\n");
		return 2;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		fds[cpu] = begin_sampling(cpu);
	while (!access(argv[1], F_OK)) {
		for (i = 0; i < AT_ONCE; i++) {
			addresses[i] = address_of(argv[next]);
			next = next + 1 < argc ? next + 1 : 2;
		}
		hits += one_turn(addresses);
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		cpus += !!count_of(fds[cpu]);
	printf("%lu %lu\n", (unsigned long)cpus, (unsigned long)hits);
	return 0;
}
