/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs that count the entries and exits of functions, for programs that are built apart
 * from each other.
 *
 * They use no BPF library: there is none for every architecture that they run on.  What fails
 * is told by a negative number, and errno.
 */
#ifndef BPF_PROGRAMS_H
#define BPF_PROGRAMS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BPF_TYPES_MAX	(64 << 20)

/**
 * struct bpf_function - a function to which programs can be attached
 * @types: a file of the types that it is described in; 0: the kernel's own
 * @id: of its type
 */
struct bpf_function {
	int types;
	uint32_t id;
};

static inline long bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* ---- the kernel's types ---- */

/* The file has no size in stat(). */
static inline char *bpf_read_types(const char *of)
{
	char path[96], *types = malloc(BPF_TYPES_MAX);
	ssize_t got = -1, size = 0;
	int file;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", of);
	file = open(path, O_RDONLY);
	while (types && file >= 0 && (got = read(file, types + size, BPF_TYPES_MAX - size)) > 0)
		size += got;
	if (file >= 0)
		close(file);
	if (!got && size >= (ssize_t)sizeof(struct btf_header))
		return types;
	free(types);
	return NULL;
}

/* The bytes that follow the description of a type. */
static inline size_t bpf_size_behind(const struct btf_type *type)
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

/*
 * The types of a module go on where the kernel's end, in their numbers and in their strings.
 * The number of the function called name, or 0; without a name, how many types there are.
 */
static inline uint32_t bpf_scan_types(const char *types, const char *name, uint32_t id,
				      uint32_t base_strings)
{
	const struct btf_header *header = (const void *)types;
	const char *at = types + header->hdr_len + header->type_off;
	const char *end = at + header->type_len;
	const char *strings = types + header->hdr_len + header->str_off;

	for (; at < end; id++) {
		const struct btf_type *type = (const void *)at;

		if (name && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    type->name_off >= base_strings &&
		    !strcmp(strings + type->name_off - base_strings, name))
			return id;
		at += sizeof(*type) + bpf_size_behind(type);
	}
	return name ? 0 : id;
}

/* A module's types as a file; -1 if it has none. */
static inline int bpf_open_types(const char *module)
{
	union bpf_attr attr = { };
	struct bpf_btf_info info;
	char name[64];
	int fd;

	while (!bpf(BPF_BTF_GET_NEXT_ID, &attr)) {
		uint32_t id = attr.next_id;

		memset(&attr, 0, sizeof(attr));
		attr.btf_id = id;
		fd = bpf(BPF_BTF_GET_FD_BY_ID, &attr);
		if (fd < 0)
			return -1;
		memset(&attr, 0, sizeof(attr));
		info = (struct bpf_btf_info){ .name = (uintptr_t)name, .name_len = sizeof(name) };
		attr.info.bpf_fd = fd;
		attr.info.info = (uintptr_t)&info;
		attr.info.info_len = sizeof(info);
		if (!bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) && !strcmp(name, module))
			return fd;
		close(fd);
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
	}
	return -1;
}

/**
 * bpf_find() - look for a function
 * @module: whose it is; NULL: the kernel's
 * @name: of the function
 * @fn: is filled in
 *
 * Return: is there one whose type is known?
 */
static inline bool bpf_find(const char *module, const char *name, struct bpf_function *fn)
{
	char *own = NULL, *types = bpf_read_types("vmlinux");

	*fn = (struct bpf_function){ };
	if (!types)
		return false;
	if (module)
		own = bpf_read_types(module);
	if (!module) {
		fn->id = bpf_scan_types(types, name, 1, 0);
	} else if (own) {
		fn->id = bpf_scan_types(own, name, bpf_scan_types(types, NULL, 1, 0),
					((struct btf_header *)types)->str_len);
		fn->types = bpf_open_types(module);
	}
	free(types);
	free(own);
	return fn->id && fn->types >= 0;
}

/* ---- programs ---- */

/**
 * bpf_counters() - make counters
 * @nr: how many
 *
 * Return: a file.
 */
static inline int bpf_counters(unsigned int nr)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = nr,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static inline int bpf_load(const struct bpf_function *fn, enum bpf_attach_type type,
			   const struct bpf_insn *insns, unsigned int nr)
{
	union bpf_attr attr = { };

	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = type;
	attr.attach_btf_id = fn->id;
	attr.attach_btf_obj_fd = fn->types;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = nr;
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

static inline int bpf_attach(int program, enum bpf_attach_type type)
{
	union bpf_attr attr = { };
	int link;

	attr.link_create.prog_fd = program;
	attr.link_create.attach_type = type;
	link = bpf(BPF_LINK_CREATE, &attr);
	if (link >= 0 || errno != EINVAL)
		return link;
	/* Before 5.18 these programs had no link of that kind. */
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = program;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/**
 * bpf_count() - add one to a counter whenever a function begins, or ends
 * @fn: the function
 * @type: BPF_TRACE_FENTRY or BPF_TRACE_FEXIT
 * @counters: the file
 * @number: of the counter
 *
 * Return: a file; it counts until that is closed.
 */
static inline int bpf_count(const struct bpf_function *fn, enum bpf_attach_type type,
			    int counters, int number)
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
	int link, program_fd = bpf_load(fn, type, program,
					sizeof(program) / sizeof(program[0]));

	if (program_fd < 0)
		return program_fd;
	link = bpf_attach(program_fd, type);
	close(program_fd);
	return link;
}

/**
 * bpf_counted() - read a counter
 * @counters: the file
 * @number: of the counter
 * @value: is filled in
 *
 * Return: 0 if it could be read.
 */
static inline int bpf_counted(int counters, uint32_t number, uint64_t *value)
{
	union bpf_attr attr = { };

	attr.map_fd = counters;
	attr.key = (uintptr_t)&number;
	attr.value = (uintptr_t)value;
	return bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

#endif /* BPF_PROGRAMS_H */
