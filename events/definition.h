/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a line of kprobe_events defines: where a probe is, and what it records.
 *
 * Pure code, see ../arch/pure.h: definition.c, argument.c and fetch.c are also built into a unit
 * test and a fuzzer.
 */
#ifndef LKP_EVENTS_DEFINITION_H
#define LKP_EVENTS_DEFINITION_H

#include "../arch/pure.h"

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/trace_events.h>
#endif

#define DEFINITION_MAX_ARGS	128
#define DEFINITION_NAME_SIZE	64	/* of a group or an event, with the NUL */
#define ARGUMENT_NAME_SIZE	33
#define ARGUMENT_MAX_DEREFS	14
#define ARGUMENT_MAX_COUNT	64
#define DEFINITION_MAX_ACTIVE	4096
/* Of a function's arguments that are kept until it returns. */
#define DEFINITION_MAX_KEPT	16

/*
 * The kernel puts a header before each record: what all have in common.  Real-time kernels of before 6.6, and
 * those of some distributions, have one more member in it.
 */
#ifdef __KERNEL__
#define RECORD_COMMON_SIZE	ALIGN(sizeof(struct trace_entry), 8)
#else
#define RECORD_COMMON_SIZE	8
#endif
/*
 * A record fits a page of any ring buffer, and so does its text a page of output, where strings that have
 * bytes which are no characters may be cut off.
 */
#define RECORD_MAX_SIZE		3072
/* What is not in strings. */
#define RECORD_MAX_FIXED	1024

/**
 * enum value_class - how a value is stored and shown
 * @VALUE_UNSIGNED: a number
 * @VALUE_SIGNED: a number
 * @VALUE_HEX: a number
 * @VALUE_CHAR: a character
 * @VALUE_SYMBOL: an address, shown as symbol+offset
 * @VALUE_STRING: a string in the kernel's memory, or where its address says
 * @VALUE_USTRING: a string in the memory of the task
 * @VALUE_SYMSTR: an address, stored as the string symbol+offset/size
 */
enum value_class {
	VALUE_UNSIGNED,
	VALUE_SIGNED,
	VALUE_HEX,
	VALUE_CHAR,
	VALUE_SYMBOL,
	VALUE_STRING,
	VALUE_USTRING,
	VALUE_SYMSTR,
};

/**
 * struct value_type - a type of arguments
 * @name: as it is written
 * @c_type: as the file format has it
 * @size: bytes in the record; for a string 4, the place and the length
 * @class: how it is stored and shown
 */
struct value_type {
	const char *name;
	const char *c_type;
	u8 size;
	u8 class;
};

static inline bool type_is_string(const struct value_type *type)
{
	return type->class >= VALUE_STRING;
}

/**
 * enum argument_base - where the value of an argument begins
 * @BASE_REGISTER: a register, also one that has an argument; value is its place among them
 * @BASE_RETVAL: what the function returns
 * @BASE_ARGUMENT: an argument of the function that is in no register; value counts from 0
 * @BASE_KEPT: an argument at a return: kept since the function was entered
 * @BASE_STACK: the stack pointer
 * @BASE_STACK_ENTRY: a word on the stack; value counts from 0
 * @BASE_IMMEDIATE: value
 * @BASE_ADDRESS: what is in memory at value
 * @BASE_SYMBOL: the same; value is the distance from the symbol until it is resolved
 * @BASE_COMM: the name of the task
 * @BASE_TEXT: a string that is part of the definition
 */
enum argument_base {
	BASE_REGISTER,
	BASE_RETVAL,
	BASE_ARGUMENT,
	BASE_KEPT,
	BASE_STACK,
	BASE_STACK_ENTRY,
	BASE_IMMEDIATE,
	BASE_ADDRESS,
	BASE_SYMBOL,
	BASE_COMM,
	BASE_TEXT,
};

/**
 * struct argument_deref - a step of following pointers
 * @offset: added to the value, which gives an address
 * @user: of the task's memory
 */
struct argument_deref {
	long offset;
	bool user;
};

/**
 * struct argument - a value that is recorded
 * @name: its name
 * @words: how it was written, without its name
 * @column: where that was in the line
 * @word_column: where its name was, if it has one
 * @base: where the value begins
 * @value: of the base
 * @text: BASE_SYMBOL: the symbol's name; BASE_TEXT: the string; not terminated
 * @text_length: its length
 * @symbol_address: BASE_SYMBOL: its address, filled in by who can resolve it; 0: there is none now
 * @derefs: the steps, the first one first
 * @nr_derefs: how many there are
 * @type: its type
 * @bit_width: 0, or the bits of a bitfield
 * @bit_offset: its lowest bit
 * @count: elements of an array; 0: it is none
 * @offset: its place in the record
 */
struct argument {
	char name[ARGUMENT_NAME_SIZE];
	const char *words;
	unsigned int column;
	unsigned int word_column;
	enum argument_base base;
	unsigned long value;
	const char *text;
	unsigned int text_length;
	unsigned long symbol_address;
	struct argument_deref derefs[ARGUMENT_MAX_DEREFS];
	unsigned int nr_derefs;
	const struct value_type *type;
	u8 bit_width;
	u8 bit_offset;
	unsigned int count;
	unsigned int offset;
};

/* Is it read from memory, rather than a value of its own? */
static inline bool argument_is_memory(const struct argument *arg)
{
	return arg->nr_derefs || arg->base == BASE_ADDRESS || arg->base == BASE_SYMBOL;
}

static inline unsigned int argument_elements(const struct argument *arg)
{
	return arg->count ? arg->count : 1;
}

/**
 * enum definition_kind - what a line asks for
 * @DEFINE_KPROBE: a kprobe
 * @DEFINE_KRETPROBE: a kretprobe
 * @DEFINE_FPROBE: an fprobe, on entry
 * @DEFINE_FPROBE_EXIT: an fprobe, on return
 * @DEFINE_REMOVAL: an event to be removed
 */
enum definition_kind {
	DEFINE_KPROBE,
	DEFINE_KRETPROBE,
	DEFINE_FPROBE,
	DEFINE_FPROBE_EXIT,
	DEFINE_REMOVAL,
};

/**
 * struct definition - a line of kprobe_events
 * @kind: what it asks for
 * @max_active: of a kretprobe
 * @group: the event's group; empty in a removal that names none
 * @event: its name; empty in a removal of a whole group
 * @unnamed: the line has none, so it was made of the place
 * @place: the symbol, with its module if that is given, or the pattern; NULL if there is an
 *	address instead
 * @module_length: of the module's name at the beginning of @place, or 0
 * @offset: from @place
 * @address: if there is no @place
 * @place_column: where the place is in the line
 * @end_column: where the line ends
 * @wants_entry: the column of an argument that is only right at a function's entry, plus 1; or 0
 * @chosen: of a removal: which of the event's probes, by what their lines have behind the name;
 *	NULL: all
 * @kept: of a return: how many arguments of the function are kept since it was entered
 * @args: what is recorded
 * @nr_args: how many
 * @fixed: size of the record without strings
 * @gaps: there are bytes between the values
 * @plain: each value is a number as its base has it: not from memory, and whole
 * @registers: each value is a whole register
 * @nr_strings: strings in the record
 */
struct definition {
	enum definition_kind kind;
	unsigned int max_active;
	char group[DEFINITION_NAME_SIZE];
	char event[DEFINITION_NAME_SIZE];
	bool unnamed;
	const char *place;
	unsigned int module_length;
	unsigned long offset;
	unsigned long address;
	unsigned int place_column;
	unsigned int end_column;
	unsigned int wants_entry;
	const char *chosen;
	unsigned int kept;
	struct argument *args;
	unsigned int nr_args;
	unsigned int fixed;
	bool gaps;
	bool plain;
	bool registers;
	unsigned int nr_strings;
};

static inline bool definition_is_return(const struct definition *def)
{
	return def->kind == DEFINE_KRETPROBE || def->kind == DEFINE_FPROBE_EXIT;
}

static inline bool definition_is_fprobe(const struct definition *def)
{
	return def->kind == DEFINE_FPROBE || def->kind == DEFINE_FPROBE_EXIT;
}

/**
 * struct definition_error - why a line is refused
 * @column: where, from 0
 * @reason: why, in words
 */
struct definition_error {
	unsigned int column;
	const char *reason;
};

/**
 * struct definition_parser - a line that is being read
 * @def: what is known of it so far
 * @line: its beginning
 * @room: how many arguments @def->args has room for
 * @error: filled in if it is refused
 */
struct definition_parser {
	struct definition *def;
	char *line;
	unsigned int room;
	struct definition_error *error;
};

int definition_parse(struct definition *def, char *line, unsigned int room,
		     struct definition_error *error);
unsigned int definition_words(const char *line);
bool definition_is_chosen(const struct definition *def, const char *words);
bool definition_is_same(const struct definition *def, const struct definition *other);
int definition_may_join(const struct definition *def, const struct definition *first,
			struct definition_error *error);

/* For definition.c and argument.c. */
int argument_parse(struct definition_parser *parser, char *word);
int parse_fail(struct definition_parser *parser, const char *at, int err, const char *reason);
const char *parse_number(const char *at, unsigned long *number);
bool parse_is_name(const char *name, size_t length);

/*
 * How the pure code learns what this machine's registers are called, and which of them a function's
 * arguments are in, counted from 0: a distance in bytes, or negative.
 */
int definition_find_register(const char *name, size_t length);
int definition_find_argument(unsigned int n);

#endif /* LKP_EVENTS_DEFINITION_H */
