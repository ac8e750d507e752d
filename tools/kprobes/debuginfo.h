/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's build has left for debuggers: names and types of arguments, and source lines.
 */
#ifndef LKP_TOOLS_DEBUGINFO_H
#define LKP_TOOLS_DEBUGINFO_H

#include "run.h"

/* ---- btf.c: libbpf ---- */

/**
 * struct word - an argument as it is written: [NAME=]VALUE[:TYPE]
 * @column: where it begins
 * @name, @name_length: its name; NULL if it has none
 * @value, @value_length: what is between
 * @type: with its colon; NULL if it has none
 */
struct word {
	size_t column;
	const char *name;
	size_t name_length;
	const char *value;
	size_t value_length;
	const char *type;
	size_t type_length;
};

/* Adds an argument that is named, as count or file->f_pos; or ends the program. */
void btf_add_argument(struct spec *spec, const struct run *run, const struct word *word);
/* Adds all, for $arg*; or ends the program. */
void btf_add_arguments(struct spec *spec, const struct run *run, size_t column);
/* The type of what the function returns, as ":s32"; NULL if it is not known. */
const char *btf_return_type(const struct spec *spec, const struct run *run);

/* ---- lines.c: libdw ---- */

/* Is it [MODULE:]FILE:LINE? */
bool lines_is_line(const char *place);
/* SYMBOL+OFFSET; or ends the program. */
char *lines_find(const struct spec *spec, const struct run *run);

#endif /* LKP_TOOLS_DEBUGINFO_H */
