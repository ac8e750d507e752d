// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fills a record with the values of a probe's arguments.  Pure code.
 *
 * What can't be read is 0, or a string of length 0, which is shown as "(fault)".
 */
#ifdef __KERNEL__
#include <linux/compiler.h>
#else
/* A program has nobody beside it. */
#define READ_ONCE(x)	(x)
#endif

#include "fetch.h"

/* A read of this size and alignment never needs a page that the string may not reach. */
#define STRING_CHUNK	64

/**
 * struct filling - a record that is being filled
 * @from: where its values come from
 * @record: its beginning
 * @used: the end of what is in it, behind which strings are added
 * @strings: how many are still to come, which share the rest of the room
 */
struct filling {
	const struct fetched *from;
	u8 *record;
	unsigned int used;
	unsigned int strings;
};

static unsigned long base_value(const struct argument *arg, const struct fetched *from)
{
	unsigned long word = 0;
	void *regs = from->regs;

	switch (arg->base) {
	case BASE_REGISTER:
		return fetch_register(regs, arg->value);
	case BASE_RETVAL:
		return fetch_return_value(regs);
	case BASE_ARGUMENT:
		return fetch_function_argument(regs, arg->value);
	case BASE_KEPT:
		return from->kept[arg->value];
	case BASE_STACK:
		return fetch_stack_pointer(regs);
	case BASE_STACK_ENTRY:
		if (fetch_memory(&word, fetch_stack_pointer(regs) + arg->value * sizeof(word),
				 sizeof(word), false))
			return 0;
		return word;
	default:
		return arg->value;
	}
}

/**
 * struct source - where a value is
 * @value: the value, or its address
 * @memory: is it an address
 * @user: of the task's memory
 */
struct source {
	unsigned long value;
	bool memory;
	bool user;
};

/*
 * Follows the pointers up to the last address, at which the value's own type is read.  What is at
 * a fixed address is one more step, the first.
 */
static int find_source(const struct argument *arg, const struct fetched *from,
		       struct source *source)
{
	unsigned int i;

	source->value = base_value(arg, from);
	if (arg->base == BASE_SYMBOL) {
		/* It goes with its module. */
		unsigned long symbol = READ_ONCE(arg->symbol_address);

		if (!symbol)
			return -1;
		source->value += symbol;
	}
	source->memory = arg->base == BASE_ADDRESS || arg->base == BASE_SYMBOL;
	source->user = false;
	for (i = 0; i < arg->nr_derefs; i++) {
		unsigned long address = source->value;

		if (source->memory &&
		    fetch_memory(&source->value, address, sizeof(source->value), source->user))
			return -1;
		source->value += arg->derefs[i].offset;
		source->memory = true;
		source->user = arg->derefs[i].user;
	}
	return 0;
}

/* The size with its NUL; 0 if it can't be read. */
static size_t read_string(char *to, size_t room, unsigned long from, bool user)
{
	size_t done = 0;

	while (done < room) {
		size_t chunk = STRING_CHUNK - (from + done) % STRING_CHUNK;
		const char *end;

		if (chunk > room - done)
			chunk = room - done;
		if (fetch_memory(to + done, from + done, chunk, user))
			return 0;
		end = memchr(to + done, '\0', chunk);
		if (end)
			return end - to + 1;
		done += chunk;
	}
	to[room - 1] = '\0';
	return room;
}

static size_t copy_text(char *to, size_t room, const struct argument *arg)
{
	size_t length = arg->text_length < room ? arg->text_length : room - 1;

	memcpy(to, arg->text, length);
	to[length] = '\0';
	return length + 1;
}

/* One string, with its fair share of the room that is left. */
static u32 add_string(struct filling *filling, const struct argument *arg,
		      const struct source *source, unsigned long value)
{
	size_t room = (RECORD_MAX_SIZE - filling->used) / filling->strings, size;
	char *to = (char *)filling->record + filling->used;
	u32 location;

	filling->strings--;
	if (!room)
		return 0;
	if (arg->base == BASE_COMM)
		size = fetch_comm(to, room);
	else if (arg->base == BASE_TEXT)
		size = copy_text(to, room, arg);
	else if (arg->type->class == VALUE_SYMSTR)
		size = fetch_symbol_name(to, room, value);
	else
		size = read_string(to, room, value,
				   source->user || arg->type->class == VALUE_USTRING);
	location = size ? data_location(filling->used, size) : 0;
	filling->used += size;
	return location;
}

static u64 bits_of(u64 value, const struct argument *arg)
{
	if (!arg->bit_width)
		return value;
	value >>= arg->bit_offset;
	return arg->bit_width == 64 ? value : value & ((1ull << arg->bit_width) - 1);
}

/* A string is behind a pointer if it is in an array, and where the source says if it is not. */
static u32 string_element(struct filling *filling, const struct argument *arg,
			  const struct source *source, unsigned int i)
{
	bool pointer = source->memory && (arg->count || arg->type->class == VALUE_SYMSTR);
	unsigned long value = source->value;

	if (pointer && fetch_memory(&value, source->value + i * sizeof(value), sizeof(value),
				    source->user)) {
		filling->strings--;
		return 0;
	}
	return add_string(filling, arg, source, value);
}

static u64 number_element(const struct argument *arg, const struct source *source, unsigned int i)
{
	u64 value = 0;

	if (!source->memory)
		return bits_of(source->value, arg);
	if (fetch_memory(&value, source->value + i * arg->type->size, arg->type->size,
			 source->user))
		return 0;
	return bits_of(value, arg);
}

/* All our machines are little-endian. */
static __always_inline void store(u8 *to, u64 value, unsigned int size)
{
	if (size == 8)
		memcpy(to, &value, 8);
	else if (size == 4)
		memcpy(to, &value, 4);
	else if (size == 2)
		memcpy(to, &value, 2);
	else
		*to = value;
}

static void fill_argument(struct filling *filling, const struct argument *arg)
{
	u8 *to = filling->record + arg->offset;
	unsigned int elements = argument_elements(arg), i;
	struct source source;

	if (find_source(arg, filling->from, &source)) {
		memset(to, 0, arg->type->size * elements);
		if (type_is_string(arg->type))
			filling->strings -= elements;
		return;
	}
	for (i = 0; i < elements; i++, to += arg->type->size) {
		u64 value;

		if (type_is_string(arg->type))
			value = string_element(filling, arg, &source, i);
		else
			value = number_element(arg, &source, i);
		store(to, value, arg->type->size);
	}
}

/* No byte of an earlier record is to be seen between the values. */
static __always_inline void fill_beginning(const struct definition *def,
					   const struct fetched *from, u8 *record)
{
	if (def->gaps)
		memset(record + RECORD_COMMON_SIZE, 0, def->fixed - RECORD_COMMON_SIZE);
	memcpy(record + RECORD_COMMON_SIZE, &from->ip, 8);
	if (definition_is_return(def))
		memcpy(record + RECORD_COMMON_SIZE + 8, &from->return_ip, 8);
}

/**
 * fetch_plain() - fill a record without reading memory
 * @def: what it holds; it is plain
 * @from: where that comes from
 * @record: @def->fixed bytes; the first RECORD_COMMON_SIZE are not written to
 *
 * Context: any, NMI too.
 */
void fetch_plain(const struct definition *def, const struct fetched *from, u8 *record)
{
	const struct argument *arg, *end = def->args + def->nr_args;

	fill_beginning(def, from, record);
	for (arg = def->args; arg < end; arg++)
		store(record + arg->offset, base_value(arg, from), arg->type->size);
}

/**
 * fetch_record() - fill a record
 * @def: what it holds
 * @from: where that comes from
 * @record: RECORD_MAX_SIZE bytes, or @def->fixed if there are no strings; the first
 *	RECORD_COMMON_SIZE are not written to
 *
 * Context: any, NMI too.
 * Return: its size, at most RECORD_MAX_SIZE.
 */
unsigned int fetch_record(const struct definition *def, const struct fetched *from, u8 *record)
{
	struct filling filling = {
		.from = from, .record = record, .used = def->fixed, .strings = def->nr_strings,
	};
	unsigned int i;

	if (def->registers) {
		fetch_registers(def, from, record);
		return def->fixed;
	}
	if (def->plain) {
		fetch_plain(def, from, record);
		return def->fixed;
	}
	fill_beginning(def, from, record);
	for (i = 0; i < def->nr_args; i++)
		fill_argument(&filling, &def->args[i]);
	return filling.used;
}
