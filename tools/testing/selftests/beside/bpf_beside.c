// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command while BPF programs are attached to the entry and the exit of a
 * kernel function; then prints how often each was run.
 *
 * usage: bpf_beside FUNCTION COMMAND
 *
 * It uses no BPF library: there is none for every architecture that it runs on.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))
#define TYPES		"/sys/kernel/btf/vmlinux"
#define TYPES_MAX	(64 << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* ---- the kernel's types ---- */

/* The file has no size in stat(). */
static const char *read_types(void)
{
	char *types = malloc(TYPES_MAX);
	int file = open(TYPES, O_RDONLY);
	ssize_t got, size = 0;

	if (!types || file < 0)
		die(TYPES);
	while ((got = read(file, types + size, TYPES_MAX - size)) > 0)
		size += got;
	if (got < 0 || size < (ssize_t)sizeof(struct btf_header))
		die(TYPES);
	close(file);
	return types;
}

/* The bytes that follow the description of a type. */
static size_t size_behind(const struct btf_type *type)
{
	unsigned int nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return nr * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return nr * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return nr * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	default:
		return 0;
	}
}

/* A type is identified by its position, from 1 on; 0 if there is none. */
static uint32_t find_function(const char *name)
{
	const char *types = read_types();
	const struct btf_header *header = (const void *)types;
	const char *at = types + header->hdr_len + header->type_off;
	const char *end = at + header->type_len;
	const char *strings = types + header->hdr_len + header->str_off;
	const struct btf_type *type;
	uint32_t id;

	for (id = 1; at < end; id++) {
		type = (const void *)at;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(strings + type->name_off, name))
			return id;
		at += sizeof(*type) + size_behind(type);
	}
	return 0;
}

/* ---- programs ---- */

static int make_counters(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 2,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int load_program(uint32_t function, enum bpf_attach_type type,
			const struct bpf_insn *insns, unsigned int nr)
{
	union bpf_attr attr = { };

	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = type;
	attr.attach_btf_id = function;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = nr;
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int program, enum bpf_attach_type type)
{
	union bpf_attr attr = { };

	attr.link_create.prog_fd = program;
	attr.link_create.attach_type = type;
	return bpf(BPF_LINK_CREATE, &attr);
}

/* Adds one to the counter of that number. */
static int load(uint32_t function, enum bpf_attach_type type, int counters, int number)
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
	int fd = load_program(function, type, program, LENGTH(program)), link;

	if (fd < 0)
		die("loading a program");
	link = attach(fd, type);
	if (link < 0)
		die("attaching a program");
	return link;
}

static uint64_t value_of(int counters, uint32_t number)
{
	uint64_t value;
	union bpf_attr attr = { };

	attr.map_fd = counters;
	attr.key = (uintptr_t)&number;
	attr.value = (uintptr_t)&value;
	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		die("reading a counter");
	return value;
}

int main(int argc, char **argv)
{
	int counters, entry, exit_, status;
	uint32_t function;

	if (argc != 3)
		return 2;
	function = find_function(argv[1]);
	if (!function) {
		fprintf(stderr, "%s: no such function\n", argv[1]);
		return 1;
	}
	counters = make_counters();
	if (counters < 0)
		die("making counters");
	entry = load(function, BPF_TRACE_FENTRY, counters, 0);
	exit_ = load(function, BPF_TRACE_FEXIT, counters, 1);
	status = system(argv[2]);
	close(entry);
	close(exit_);
	printf("%llu %llu\n", (unsigned long long)value_of(counters, 0),
	       (unsigned long long)value_of(counters, 1));
	return status ? 1 : 0;
}
