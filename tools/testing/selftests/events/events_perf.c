// SPDX-License-Identifier: GPL-2.0-only
/*
 * events_perf ID FILE WORD [VALUE [OFFSET]]: counts with perf how often this task hits the event with this
 * number while it writes WORD to FILE.
 *
 * With VALUE a program of BPF's is attached to the event, which lets hits pass that have VALUE in the 64 bits
 * at OFFSET of the record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/perf_event.h>

/* Behind the header, which has 8 bytes on most kernels, and the address. */
#define FIRST_VALUE	16

static void fail(const char *what)
{
	fprintf(stderr, "events_perf: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int load_program(int value, int offset)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 2, .src_reg = 1, .off = offset },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 2, .off = 1, .imm = value },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static char log[4096];
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uintptr_t)"GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = sizeof(log);
	attr.log_level = 1;
	fd = syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		fail(log);
	return fd;
}

static int open_event(const char *id)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.size = sizeof(attr);
	attr.config = strtoull(id, NULL, 0);
	fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		fail("perf_event_open");
	return fd;
}

int main(int argc, char **argv)
{
	uint64_t count;
	int event, file;

	if (argc < 4)
		return 2;
	event = open_event(argv[1]);
	if (argc > 4 && ioctl(event, PERF_EVENT_IOC_SET_BPF, load_program(atoi(argv[4]),
		argc > 5 ? atoi(argv[5]) : FIRST_VALUE)))
		fail("attach");
	file = open(argv[2], O_WRONLY);
	if (file < 0 || write(file, argv[3], strlen(argv[3])) < 0)
		fail(argv[2]);
	if (read(event, &count, sizeof(count)) != sizeof(count))
		fail("read");
	printf("%llu\n", (unsigned long long)count);
	return 0;
}
