// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and types of arguments, from the kernel's BTF.
 *
 * An argument that is named becomes one that kprobes_events.ko knows: count is $arg3:u64, and
 * file->f_path.dentry is +24($arg1):x64.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo.h"

#define WRITE_ARGN	"names of arguments are not known: write $arg1"

#ifdef HAVE_BTF

#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* Of types that lead to types. */
#define MAX_DEPTH	64
/* Of an array, as kprobes_events.ko has it. */
#define MAX_ELEMENTS	64

/**
 * struct value - what an argument stands for so far
 * @type: its type
 * @text: a value, or an address
 * @in_memory: it is in memory, at @text
 * @offset: from there
 * @bit_offset, @bits: of a bitfield
 */
struct value {
	u32 type;
	char *text;
	bool in_memory;
	u32 offset;
	u32 bit_offset, bits;
};

/**
 * struct namer - an argument that is looked for
 * @btf: the types
 * @spec: the probe
 * @column: where in it we are, for errors
 */
struct namer {
	const struct btf *btf;
	const struct spec *spec;
	size_t column;
};

static int no_output(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* NULL, and errno. */
static struct btf *load_kernel(const struct run *run)
{
	static struct btf *btf;
	static bool done;

	if (done)
		return btf;
	done = true;
	libbpf_set_print(no_output);
	btf = run->btf ? btf__parse(run->btf, NULL) : btf__load_vmlinux_btf();
	if (!btf && run->btf)
		die("%s has no BTF: %s", run->btf, strerror(errno));
	return btf;
}

static struct btf *load(const struct spec *spec, const struct run *run)
{
	struct btf *kernel = load_kernel(run);
	const char *colon = strchr(spec->place, ':');
	struct btf *of_module;
	char *module;

	if (!kernel || !colon || run->btf)
		return kernel;
	module = strndup(spec->place, colon - spec->place);
	of_module = module ? btf__load_module_btf(module, kernel) : NULL;
	free(module);
	return of_module;
}

/* Never NULL: a file may name what is not in it. */
static const char *name_at(const struct btf *btf, u32 offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "?";
}

/* Without const, typedef and the like. */
static const struct btf_type *resolve(const struct btf *btf, u32 *type)
{
	const struct btf_type *t = btf__type_by_id(btf, *type);
	unsigned int depth;

	for (depth = 0; t && depth < MAX_DEPTH && (btf_is_mod(t) || btf_is_typedef(t)); depth++) {
		*type = t->type;
		t = btf__type_by_id(btf, *type);
	}
	return t;
}

static const struct btf_type *find_function(const struct btf *btf, const struct spec *spec)
{
	const char *colon = strchr(spec->place, ':'), *name = colon ? colon + 1 : spec->place;
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	const struct btf_type *function = id > 0 ? btf__type_by_id(btf, id) : NULL;

	function = function ? btf__type_by_id(btf, function->type) : NULL;
	return function && btf_is_func_proto(function) ? function : NULL;
}

/* ---- types for kprobes_events.ko ---- */

/* Without its colon; NULL if there is none. */
static char *type_of_value(const struct btf *btf, u32 type)
{
	const struct btf_type *t = resolve(btf, &type);
	u32 to;

	if (!t)
		return NULL;
	if (btf_is_ptr(t)) {
		to = t->type;
		t = resolve(btf, &to);
		return text_of(t && btf_is_func_proto(t) ? "symbol" : "x64");
	}
	if (btf_is_any_enum(t) && t->size <= 8)
		return text_of("%c%u", btf_kflag(t) ? 's' : 'u', 8 * t->size);
	if (!btf_is_int(t) || t->size > 8 || (t->size & (t->size - 1)))
		return NULL;
	if (t->size == 1 && !strcmp(name_at(btf, t->name_off), "char"))
		return text_of("char");
	return text_of("%c%u", btf_int_encoding(t) & BTF_INT_SIGNED ? 's' : 'u', 8 * t->size);
}

/* An array in memory; of characters it is a string. */
static char *type_of_array(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_array *array = btf_array(t);
	char *element = type_of_value(btf, array->type), *type = NULL;

	if (element && !strcmp(element, "char"))
		type = text_of("string");
	else if (element && array->nelems && strcmp(element, "symbol"))
		type = text_of("%s[%u]", element,
			       array->nelems < MAX_ELEMENTS ? array->nelems : MAX_ELEMENTS);
	free(element);
	return type;
}

/* In the smallest number that the compiler may have used. */
static char *type_of_bits(const struct value *value)
{
	u32 size = 8, bit = value->bit_offset;

	while (bit + value->bits > size && size < 64)
		size *= 2;
	return bit + value->bits > size ? NULL : text_of("b%u@%u/%u", value->bits, bit, size);
}

static char *type_of(const struct namer *namer, const struct value *value)
{
	u32 type = value->type;
	const struct btf_type *t = resolve(namer->btf, &type);

	if (value->bits)
		return type_of_bits(value);
	if (t && btf_is_array(t) && value->in_memory)
		return type_of_array(namer->btf, t);
	return type_of_value(namer->btf, type);
}

/* ---- members ---- */

/**
 * struct found - a member
 * @type: its type
 * @bit: its offset, in bits
 * @bits: of a bitfield; or 0
 */
struct found {
	u32 type;
	u32 bit;
	u32 bits;
};

static bool is_composite(const struct btf_type *t)
{
	return t && (btf_is_struct(t) || btf_is_union(t));
}

/* In a file a struct may be within itself, several times. */
#define MAX_STRUCTS	4096

/* Also in structs without a name. */
static bool find_member(const struct btf *btf, u32 type, const char *name, size_t length,
			struct found *found, unsigned int depth)
{
	const struct btf_type *t = resolve(btf, &type);
	const struct btf_member *m = is_composite(t) ? btf_members(t) : NULL;
	static unsigned int structs;
	u32 i, inner;

	structs = depth ? structs + 1 : 0;
	for (i = 0; m && i < btf_vlen(t) && structs < MAX_STRUCTS; i++) {
		const char *is = name_at(btf, m[i].name_off);
		u32 bit = btf_member_bit_offset(t, i);

		if (strlen(is) == length && !memcmp(is, name, length)) {
			*found = (struct found){
				.type = m[i].type, .bit = found->bit + bit,
				.bits = btf_member_bitfield_size(t, i),
			};
			return true;
		}
		inner = m[i].type;
		if (*is == '\0' && is_composite(resolve(btf, &inner)) && depth < MAX_DEPTH) {
			struct found below = { .bit = found->bit + bit };

			if (find_member(btf, inner, name, length, &below, depth + 1)) {
				*found = below;
				return true;
			}
		}
	}
	return false;
}

/* What is in memory is read there. */
static void fetch(struct value *value)
{
	char *text;

	if (!value->in_memory)
		return;
	text = text_of("+%u(%s)", value->offset, value->text);
	free(value->text);
	value->text = text;
	value->in_memory = false;
}

static const char *name_of_type(const struct btf *btf, u32 type)
{
	return name_at(btf, btf__type_by_id(btf, type)->name_off);
}

static void go_to_member(struct namer *namer, struct value *value, bool arrow, const char *name,
			 size_t length)
{
	const struct btf_type *t = resolve(namer->btf, &value->type);
	struct found found = { };

	if (value->bits || (arrow ? !t || !btf_is_ptr(t) : !is_composite(t) || !value->in_memory))
		spec_fail(namer->spec, namer->column, arrow ? "this is no pointer" :
			  "this is no struct in memory: '->' follows a pointer");
	if (arrow) {
		fetch(value);
		value->type = t->type;
		value->in_memory = true;
		value->offset = 0;
	}
	if (!is_composite(resolve(namer->btf, &value->type)))
		spec_fail(namer->spec, namer->column, "this does not lead to a struct");
	if (!find_member(namer->btf, value->type, name, length, &found, 0))
		spec_fail(namer->spec, namer->column, "struct %s has no member of that name",
			  name_of_type(namer->btf, value->type));
	value->offset += found.bit / 8;
	value->bit_offset = found.bit % 8;
	value->bits = found.bits;
	value->type = found.type;
}

/* ->MEMBER and .MEMBER, as many as there are. */
static void go_to_members(struct namer *namer, struct value *value, const char *at, const char *end,
			  const char **last, size_t *last_length)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	while (at < end) {
		bool arrow = end - at > 1 && at[0] == '-' && at[1] == '>';
		const char *name = at + 1 + arrow;
		size_t length;

		namer->column = at - namer->spec->text;
		if (!arrow && *at != '.')
			spec_fail(namer->spec, namer->column, "only '->' or '.' may follow here");
		length = strspn(name, letters);
		if (length > (size_t)(end - name))
			length = end - name;
		if (!length)
			spec_fail(namer->spec, namer->column, "the name of a member is missing");
		go_to_member(namer, value, arrow, name, length);
		at = name + length;
		*last = name;
		*last_length = length;
	}
}

/* ---- arguments ---- */

static bool fits_register(const struct btf *btf, u32 type)
{
	char *is = type_of_value(btf, type);

	free(is);
	return is;
}

/* Counted from 1, if those before it are in a register each. */
static unsigned int find_param(struct namer *namer, const struct btf_type *function,
			       const char *name, size_t length)
{
	const struct btf_param *p = btf_params(function);
	unsigned int i, j;

	for (i = 0; i < btf_vlen(function); i++) {
		const char *is = name_at(namer->btf, p[i].name_off);

		if (strlen(is) != length || memcmp(is, name, length))
			continue;
		for (j = 0; j <= i; j++)
			if (!fits_register(namer->btf, p[j].type))
				spec_fail(namer->spec, namer->column,
					  "it is not known where this argument is");
		return i + 1;
	}
	return 0;
}

/* "a, b" */
static char *names_of(const struct btf *btf, const struct btf_type *function)
{
	const struct btf_param *p = btf_params(function);
	char *names = text_of("%s", ""), *longer;
	unsigned int i;

	for (i = 0; i < btf_vlen(function); i++) {
		longer = text_of("%s%s%s", names, i ? ", " : "",
				 name_at(btf, p[i].name_off));
		free(names);
		names = longer;
	}
	return names;
}

static const struct btf_type *must_find(struct namer *namer, const struct run *run)
{
	const struct spec *spec = namer->spec;
	const struct btf_type *function;

	if (spec->is_pattern || strpbrk(spec->place, "+") || *spec->place == '0')
		spec_fail(spec, namer->column,
			  "arguments have names at the entry of a function only");
	namer->btf = load(spec, run);
	if (!namer->btf)
		spec_fail(spec, namer->column, "the kernel has no BTF of this, so " WRITE_ARGN);
	function = find_function(namer->btf, spec);
	if (!function)
		spec_fail(spec, namer->column, "BTF does not have this function, so " WRITE_ARGN);
	return function;
}

static void add(struct spec *spec, size_t column, char *text)
{
	spec_add(spec, text, strlen(text), column, false);
	free(text);
}

static bool is_string(const struct word *word)
{
	return word->type && (!strncmp(word->type, ":string", 7) ||
			      !strncmp(word->type, ":ustring", 8));
}

/* A pointer leads to a string; an array is one. */
static void add_value(struct spec *spec, struct namer *namer, struct value *value,
		      const struct word *word)
{
	u32 type_id = value->type;
	const struct btf_type *t = resolve(namer->btf, &type_id);
	char *type;

	if (is_string(word) && t && btf_is_ptr(t)) {
		fetch(value);
		value->in_memory = true;
		value->offset = 0;
	}
	type = word->type ? text_of("%.*s", (int)word->type_length - 1, word->type + 1) :
			    type_of(namer, value);
	if (!type)
		spec_fail(spec, namer->column, is_composite(t) ? "this is a struct: name a member" :
			  "this can't be recorded");
	fetch(value);
	add(spec, word->column, text_of("%s:%s", value->text, type));
	free(type);
}

void btf_add_argument(struct spec *spec, const struct run *run, const struct word *word)
{
	struct namer namer = { .spec = spec, .column = word->value - spec->text };
	const struct btf_type *function = must_find(&namer, run);
	size_t length = strcspn(word->value, "-.: "), last_length;
	const char *last = word->value, *end = word->value + word->value_length;
	struct value value = { };
	unsigned int number;

	if (length > word->value_length)
		length = word->value_length;
	last_length = length;
	number = find_param(&namer, function, word->value, length);
	if (!number)
		spec_fail(spec, namer.column, "%s has no argument of that name; it has: %s",
			  spec->place, names_of(namer.btf, function));
	value.type = btf_params(function)[number - 1].type;
	value.text = text_of("$arg%u", number);
	go_to_members(&namer, &value, word->value + length, end, &last, &last_length);
	if (word->name)
		spec_add(spec, word->name, word->name_length, word->column, true);
	else
		spec_add(spec, last, last_length, last - spec->text, true);
	spec_add(spec, "=", 1, word->column, false);
	add_value(spec, &namer, &value, word);
	free(value.text);
}

void btf_add_arguments(struct spec *spec, const struct run *run, size_t column)
{
	struct namer namer = { .spec = spec, .column = column };
	const struct btf_type *function = must_find(&namer, run);
	const struct btf_param *p = btf_params(function);
	unsigned int i;

	for (i = 0; i < btf_vlen(function) && fits_register(namer.btf, p[i].type); i++) {
		char *type = type_of_value(namer.btf, p[i].type);

		const char *name = name_at(namer.btf, p[i].name_off);

		add(spec, column, text_of("%s%s=$arg%u:%s", i ? " " : "", name, i + 1, type));
		free(type);
	}
}

const char *btf_return_type(const struct spec *spec, const struct run *run)
{
	const struct btf_type *function;
	struct btf *btf = load(spec, run);
	static char text[32];
	char *type;

	function = btf ? find_function(btf, spec) : NULL;
	type = function && function->type ? type_of_value(btf, function->type) : NULL;
	if (!type)
		return NULL;
	snprintf(text, sizeof(text), ":%s", type);
	free(type);
	return text;
}

#else

void btf_add_argument(struct spec *spec, const struct run *run, const struct word *word)
{
	(void)run;
	spec_fail(spec, word->value - spec->text,
		  "this kprobes was built without libbpf, so " WRITE_ARGN);
}

void btf_add_arguments(struct spec *spec, const struct run *run, size_t column)
{
	(void)run;
	spec_fail(spec, column, "this kprobes was built without libbpf, so " WRITE_ARGN);
}

const char *btf_return_type(const struct spec *spec, const struct run *run)
{
	(void)spec;
	(void)run;
	return NULL;
}

#endif
