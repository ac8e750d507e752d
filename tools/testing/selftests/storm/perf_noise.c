// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps perf at work while a file exists: it takes a backtrace of each CPU a thousand times a
 * second. Then prints on how many CPUs it was at work.
 *
 * usage: perf_noise FILE
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_CPUS	64
#define PAGES		8

/* Nobody reads the records: new ones overwrite old ones. */
static int begin_sampling(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 1000,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

	if (fd >= 0)
		mmap(NULL, (PAGES + 1) * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	return fd;
}

static int has_counted(int fd)
{
	uint64_t count = 0;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) && count;
}

int main(int argc, char **argv)
{
	int fds[MAX_CPUS], cpu, cpus = 0, nr_cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (argc != 2 || nr_cpus > MAX_CPUS) {
		fprintf(stderr, "usage: perf_noise FILE\n");
		return 2;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		fds[cpu] = begin_sampling(cpu);
	while (!access(argv[1], F_OK))
		usleep(100000);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		cpus += has_counted(fds[cpu]);
	printf("%d\n", cpus);
	return 0;
}
