// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command while programs of BPF's are at the entry and at the exit of a
 * kernel function; then says how often each was run.
 *
 * usage: bpf_beside FUNCTION COMMAND
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Adds one to the counter of that number. */
static int load(const char *function, enum bpf_attach_type type, int counters, int number)
{
	const struct bpf_insn program[] = {
		/* key = number, on the stack */
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4, .imm = number },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = counters },
		{ },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_1, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = type);
	int id = libbpf_find_vmlinux_btf_id(function, type);
	int fd, link;

	if (id < 0)
		die(function);
	options.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "beside", "GPL", program, LENGTH(program),
			   &options);
	if (fd < 0)
		die("bpf_prog_load");
	link = bpf_link_create(fd, 0, type, NULL);
	if (link < 0)
		die("bpf_link_create");
	return link;
}

static uint64_t value_of(int counters, uint32_t number)
{
	uint64_t value;

	if (bpf_map_lookup_elem(counters, &number, &value))
		die("bpf_map_lookup_elem");
	return value;
}

int main(int argc, char **argv)
{
	int counters, entry, exit_, status;

	if (argc != 3)
		return 2;
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	counters = bpf_map_create(BPF_MAP_TYPE_ARRAY, "counters", 4, 8, 2, NULL);
	if (counters < 0)
		die("bpf_map_create");
	entry = load(argv[1], BPF_TRACE_FENTRY, counters, 0);
	exit_ = load(argv[1], BPF_TRACE_FEXIT, counters, 1);
	status = system(argv[2]);
	close(entry);
	close(exit_);
	printf("%llu %llu\n", (unsigned long long)value_of(counters, 0),
	       (unsigned long long)value_of(counters, 1));
	return status ? 1 : 0;
}
