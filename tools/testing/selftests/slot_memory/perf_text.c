// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command, and prints what perf has told meanwhile of executable memory and of changes
 * of text, a line for each, which begins with the time; each CPU's are in order:
 *   memory ADDRESS LENGTH NAME new|gone
 *   text ADDRESS OLD NEW          bytes in hexadecimal, "-" if none
 *   lost NUMBER
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_CPUS	64
#define RING		(1ul << 20)	/* bytes for records */

static char *rings[MAX_CPUS];
static long page_size;

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.ksymbol = 1,
		.text_poke = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static void open_ring(int cpu)
{
	int fd = open_event(cpu);

	if (fd < 0) {
		fprintf(stderr, "perf_event_open: %s\n", strerror(errno));
		exit(access("/proc/sys/kernel/perf_event_paranoid", F_OK) ? 4 : 1);
	}
	rings[cpu] = mmap(NULL, page_size + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (rings[cpu] == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
}

static void print_bytes(const uint8_t *bytes, unsigned int nr)
{
	printf(" %s", nr ? "" : "-");
	while (nr--)
		printf("%02x", *bytes++);
}

static void print_memory(const char *data)
{
	uint64_t addr;
	uint32_t len;
	uint16_t flags;

	memcpy(&addr, data, sizeof(addr));
	memcpy(&len, data + 8, sizeof(len));
	memcpy(&flags, data + 14, sizeof(flags));
	printf("memory %016llx %u %s %s\n", (unsigned long long)addr, len, data + 16,
	       flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ? "gone" : "new");
}

static void print_text(const char *data)
{
	uint64_t addr;
	uint16_t old, new;

	memcpy(&addr, data, sizeof(addr));
	memcpy(&old, data + 8, sizeof(old));
	memcpy(&new, data + 10, sizeof(new));
	printf("text %016llx", (unsigned long long)addr);
	print_bytes((const uint8_t *)data + 12, old);
	print_bytes((const uint8_t *)data + 12 + old, new);
	printf("\n");
}

static void print_record(const struct perf_event_header *header)
{
	const char *data = (const char *)(header + 1);
	uint64_t when;

	memcpy(&when, (const char *)header + header->size - sizeof(when), sizeof(when));
	printf("%020llu ", (unsigned long long)when);
	if (header->type == PERF_RECORD_KSYMBOL)
		print_memory(data);
	else if (header->type == PERF_RECORD_TEXT_POKE)
		print_text(data);
	else if (header->type == PERF_RECORD_LOST)
		printf("lost %llu\n", *((unsigned long long *)data + 1));
	else
		printf("other\n");
}

/* A record may continue at the ring's beginning, so each is copied. */
static void print_ring(const char *ring)
{
	const struct perf_event_mmap_page *page = (const void *)ring;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = 0;
	struct perf_event_header header;
	static uint64_t record[(1 << 16) / sizeof(uint64_t)];
	unsigned int i;

	while (at < head) {
		for (i = 0; i < sizeof(header); i++)
			((char *)&header)[i] = ring[page_size + (at + i) % RING];
		for (i = 0; i < header.size; i++)
			((char *)record)[i] = ring[page_size + (at + i) % RING];
		print_record((const void *)record);
		at += header.size;
	}
}

int main(int argc, char **argv)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_ONLN);
	int status;

	if (argc != 2 || nr > MAX_CPUS) {
		fprintf(stderr, "usage: perf_text COMMAND\n");
		return 2;
	}
	page_size = sysconf(_SC_PAGESIZE);
	for (cpu = 0; cpu < nr; cpu++)
		open_ring(cpu);
	status = system(argv[1]);
	for (cpu = 0; cpu < nr; cpu++)
		print_ring(rings[cpu]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
