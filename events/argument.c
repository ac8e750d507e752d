// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads an argument of a probe: [NAME=]FETCHARG[:TYPE].  Pure code.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#else
#include <errno.h>
#include <stdio.h>
#endif

#include "definition.h"

/* Of an argument, or a word on the stack: what the kernel takes where a stack has 16 kB. */
#define MAX_INDEX	2048

static const struct value_type types[] = {
	{ "u8", "u8", 1, VALUE_UNSIGNED },
	{ "u16", "u16", 2, VALUE_UNSIGNED },
	{ "u32", "u32", 4, VALUE_UNSIGNED },
	{ "u64", "u64", 8, VALUE_UNSIGNED },
	{ "s8", "s8", 1, VALUE_SIGNED },
	{ "s16", "s16", 2, VALUE_SIGNED },
	{ "s32", "s32", 4, VALUE_SIGNED },
	{ "s64", "s64", 8, VALUE_SIGNED },
	{ "x8", "u8", 1, VALUE_HEX },
	{ "x16", "u16", 2, VALUE_HEX },
	{ "x32", "u32", 4, VALUE_HEX },
	{ "x64", "u64", 8, VALUE_HEX },
	{ "char", "u8", 1, VALUE_CHAR },
	{ "symbol", "u64", 8, VALUE_SYMBOL },
	{ "string", "__data_loc char[]", 4, VALUE_STRING },
	{ "ustring", "__data_loc char[]", 4, VALUE_USTRING },
	{ "symstr", "__data_loc char[]", 4, VALUE_SYMSTR },
	{}
};

static const struct value_type *find_type(const char *name, size_t length)
{
	const struct value_type *type;

	for (type = types; type->name; type++)
		if (strlen(type->name) == length && !memcmp(type->name, name, length))
			return type;
	return NULL;
}

/* What the record and its header have already. */
static bool is_reserved(const char *name)
{
	static const char * const reserved[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid", "common_tgid",
		"__probe_ip", "__probe_func", "__probe_ret_ip", NULL
	};
	const char * const *at;

	for (at = reserved; *at; at++)
		if (!strcmp(name, *at))
			return true;
	return false;
}

static int check_name(struct definition_parser *parser, struct argument *arg, const char *at)
{
	unsigned int i;

	if (is_reserved(arg->name))
		return parse_fail(parser, at, -EINVAL, "this name has another meaning");
	for (i = 0; i < parser->def->nr_args; i++)
		if (!strcmp(parser->def->args[i].name, arg->name))
			return parse_fail(parser, at, -EINVAL, "another argument has this name");
	return 0;
}

/* The name, or one that is made of the number; the rest of the word is what is fetched. */
static int parse_name(struct definition_parser *parser, struct argument *arg, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t length = 0;

	/* A string may have a '=' in it. */
	if (equals && !strchr("%$@\\+-", word[0])) {
		length = equals - word;
		if (!parse_is_name(word, length))
			return parse_fail(parser, word, -EINVAL, "this is no name for an argument");
		if (length >= ARGUMENT_NAME_SIZE)
			return parse_fail(parser, word, -EINVAL,
					  "the name of the argument is too long");
		memcpy(arg->name, word, length);
		arg->words = equals + 1;
	} else {
		length = snprintf(arg->name, sizeof(arg->name), "arg%u", parser->def->nr_args + 1);
		arg->words = word;
	}
	arg->name[length] = '\0';
	arg->column = arg->words - parser->line;
	arg->word_column = word - parser->line;
	return check_name(parser, arg, word);
}

/* Why is there no number: is it too large, or none? */
static int number_error(const char *at)
{
	const char *digits = "0123456789";

	if (at[0] == '0' && (at[1] | 0x20) == 'x') {
		digits = "0123456789abcdefABCDEF";
		at += 2;
	}
	return *at && strchr(digits, *at) ? -ERANGE : -EINVAL;
}

/*
 * With a sign a number is one of 63 bits, or the lowest negative one.  Returns what comes behind it; NULL, with
 * the error, if there is none.
 */
static const char *parse_signed(const char *at, bool negative, unsigned long *number, int *err)
{
	const char *end = parse_number(at, number);

	*err = end ? 0 : number_error(at);
	if (end && *number > 0x7fffffffffffffffu + negative)
		*err = -ERANGE;
	if (negative)
		*number = -*number;
	return *err ? NULL : end;
}

static const char *number_reason(int err, const char *none)
{
	return err == -ERANGE ? "this number is too large" : none;
}

/* One step: +8( */
static int parse_deref(struct definition_parser *parser, struct argument_deref *deref,
		       const char **at)
{
	const char *start = *at, *end;
	unsigned long number;
	int err;

	deref->user = start[1] == 'u';
	end = parse_signed(start + 1 + deref->user, *start == '-', &number, &err);
	if (!end || (*end != '(' && strchr(end, '(')))
		return parse_fail(parser, start, err ? err : -EINVAL,
				  number_reason(err, "this is not a distance"));
	if (*end != '(')
		return parse_fail(parser, start, -EINVAL, "behind this distance '(' is missing");
	deref->offset = number;
	*at = end + 1;
	return 0;
}

/*
 * The steps of +8(-16(%di)): the last one is written first.  Of too many the inner ones have room,
 * so the first one that has is marked.
 */
static int parse_derefs(struct definition_parser *parser, struct argument *arg, const char **at)
{
	const char *first = *at;
	int err;

	while (**at == '+' || **at == '-') {
		struct argument_deref unused, *deref = &unused;

		if (arg->nr_derefs < ARGUMENT_MAX_DEREFS)
			deref = &arg->derefs[arg->nr_derefs];
		else
			first = strchr(first, '(') + 1;
		err = parse_deref(parser, deref, at);
		if (err)
			return err;
		arg->nr_derefs++;
	}
	if (arg->nr_derefs > ARGUMENT_MAX_DEREFS)
		return parse_fail(parser, first, -EINVAL, "this is nested too deeply");
	return 0;
}

/* The first step is the last one written. */
static void reverse_derefs(struct argument *arg)
{
	unsigned int i;

	for (i = 0; i < arg->nr_derefs / 2; i++) {
		struct argument_deref *first = &arg->derefs[i];
		struct argument_deref *last = &arg->derefs[arg->nr_derefs - 1 - i];
		struct argument_deref swapped = *first;

		*first = *last;
		*last = swapped;
	}
}

static const char *parse_register(struct definition_parser *parser, struct argument *arg,
				  const char *at, int *err)
{
	size_t length = strcspn(at + 1, "):");
	int place = definition_find_register(at + 1, length);

	if (place < 0)
		*err = parse_fail(parser, at, -EINVAL, "there is no register of that name");
	arg->base = BASE_REGISTER;
	arg->value = place;
	return at + 1 + length;
}

static bool is_word(const char *at, size_t length, const char *word)
{
	return length == strlen(word) && !memcmp(at, word, length);
}

/* A decimal number that ends the word, from @lowest to MAX_INDEX: that of $stack010 is ten. */
static bool parse_index(const char *at, const char *end, unsigned long lowest, unsigned long *index)
{
	const char *stop;

	*index = 0;
	for (stop = at; *stop >= '0' && *stop <= '9' && *index <= MAX_INDEX; stop++)
		*index = *index * 10 + (*stop - '0');
	return stop > at && stop == end && *index >= lowest && *index <= MAX_INDEX;
}

/* By the handler at the function's entry. */
static int keep_argument(struct definition_parser *parser, struct argument *arg, const char *at)
{
	if (arg->value > DEFINITION_MAX_KEPT)
		return parse_fail(parser, at, -EINVAL,
				  "at a return only the first 16 arguments are known");
	if (parser->def->kept < arg->value)
		parser->def->kept = arg->value;
	arg->base = BASE_KEPT;
	arg->value--;
	return 0;
}

static int fetch_argument_number(struct definition_parser *parser, struct argument *arg,
				 const char *at)
{
	struct definition *def = parser->def;
	int place;

	if (definition_is_return(def))
		return keep_argument(parser, arg, at);
	/* An offset may lead to one: who registers it finds out. */
	if (!def->place)
		return parse_fail(parser, at, -EINVAL, "$argN is only known at a function's entry");
	place = definition_find_argument(arg->value - 1);
	arg->base = place < 0 ? BASE_ARGUMENT : BASE_REGISTER;
	arg->value = place < 0 ? arg->value - 1 : (unsigned long)place;
	if (!def->wants_entry)
		def->wants_entry = at - parser->line + 1;
	return 0;
}

static const char *parse_variable(struct definition_parser *parser, struct argument *arg,
				  const char *at, int *err)
{
	size_t length = strcspn(at, "):");
	const char *end = at + length;

	if (is_word(at, length, "$retval")) {
		arg->base = BASE_RETVAL;
		if (!definition_is_return(parser->def))
			*err = parse_fail(parser, at, -EINVAL, "only a return has a $retval");
	} else if (is_word(at, length, "$comm") || is_word(at, length, "$COMM")) {
		arg->base = BASE_COMM;
	} else if (is_word(at, length, "$stack")) {
		arg->base = BASE_STACK;
	} else if (!strncmp(at, "$stack", 6) && parse_index(at + 6, end, 0, &arg->value)) {
		arg->base = BASE_STACK_ENTRY;
	} else if (!strncmp(at, "$arg", 4) && parse_index(at + 4, end, 1, &arg->value)) {
		*err = fetch_argument_number(parser, arg, at);
	} else {
		*err = parse_fail(parser, at, -EINVAL, "there is no variable of that name");
	}
	return end;
}

/* @ADDR or @SYM[+|-offs] */
static const char *parse_memory(struct definition_parser *parser, struct argument *arg,
				const char *at, int *err)
{
	const char *start = at + 1, *sign, *end;
	size_t length = strcspn(start, "):");

	if (*start >= '0' && *start <= '9') {
		arg->base = BASE_ADDRESS;
		end = parse_number(start, &arg->value);
		*err = end ? end == start + length ? 0 : -EINVAL : number_error(start);
		if (*err)
			parse_fail(parser, at, *err, number_reason(*err, "this is no address"));
		return end;
	}
	arg->base = BASE_SYMBOL;
	arg->text = start;
	arg->text_length = strcspn(start, "+-):");
	sign = start + arg->text_length;
	if (!arg->text_length) {
		*err = parse_fail(parser, at, -EINVAL, "an address or a symbol is expected here");
		return NULL;
	}
	if (*sign != '+' && *sign != '-')
		return start + length;
	end = parse_signed(sign + 1, *sign == '-', &arg->value, err);
	if (!end)
		parse_fail(parser, sign, *err, number_reason(*err, "this is not a distance"));
	return end;
}

static bool is_quoted(const char *at)
{
	return at[0] == '\\' && at[1] == '"';
}

/* The end of a string is a quote that ends the word, or is before a type; NULL if there is none. */
static const char *find_quote(const char *at)
{
	do {
		at = strchr(at + 1, '"');
	} while (at && at[1] && at[1] != ':');
	return at;
}

static const char *parse_text(struct definition_parser *parser, struct argument *arg,
			      const char *quote, int *err)
{
	const char *end = find_quote(quote);

	if (!end) {
		*err = parse_fail(parser, quote + strlen(quote), -EINVAL, "the string does not end");
		return NULL;
	}
	arg->base = BASE_TEXT;
	arg->text = quote + 1;
	arg->text_length = end - arg->text;
	return end + 1;
}

/* \IMM or \"string" */
static const char *parse_immediate(struct definition_parser *parser, struct argument *arg,
				   const char *at, int *err)
{
	const char *start = at + 1, *end;

	if (is_quoted(at))
		return parse_text(parser, arg, start, err);
	arg->base = BASE_IMMEDIATE;
	if (*start == '-' || *start == '+') {
		end = parse_signed(start + 1, *start == '-', &arg->value, err);
	} else {
		end = parse_number(start, &arg->value);
		*err = end ? 0 : number_error(start);
	}
	if (end && !strchr(arg->nr_derefs ? "):" : ":", *end))
		*err = -EINVAL;
	if (*err)
		parse_fail(parser, start, *err, number_reason(*err, "this is no number"));
	return end;
}

/* Returns what comes behind; NULL, with an error, if it can't be read. */
static const char *parse_base(struct definition_parser *parser, struct argument *arg,
			      const char *at, int *err)
{
	const char *end = NULL;

	*err = 0;
	switch (*at) {
	case '%':
		end = parse_register(parser, arg, at, err);
		break;
	case '$':
		end = parse_variable(parser, arg, at, err);
		break;
	case '@':
		end = parse_memory(parser, arg, at, err);
		break;
	case '\\':
		end = parse_immediate(parser, arg, at, err);
		break;
	default:
		*err = parse_fail(parser, at, -EINVAL,
				  "an argument begins with %, $, @, +, - or \\");
	}
	return *err ? NULL : end;
}

/* b<width>@<offset>/<size>; *end is what comes behind it */
static int parse_bitfield(struct definition_parser *parser, struct argument *arg, const char *at,
			  const char **end)
{
	unsigned long width, offset, size;

	*end = parse_number(at + 1, &width);
	*end = *end && **end == '@' ? parse_number(*end + 1, &offset) : NULL;
	*end = *end && **end == '/' ? parse_number(*end + 1, &size) : NULL;
	if (!*end || (**end && **end != '['))
		return parse_fail(parser, at, -EINVAL, "a bitfield is b<width>@<offset>/<size>");
	arg->type = size == 8 ? find_type("u8", 2) : size == 16 ? find_type("u16", 3) :
		    size == 32 ? find_type("u32", 3) : size == 64 ? find_type("u64", 3) : NULL;
	if (!arg->type)
		return parse_fail(parser, at, -EINVAL, "a bitfield is in 8, 16, 32 or 64 bits");
	if (!width || width > size || offset > size - width)
		return parse_fail(parser, at, -EINVAL, "the bitfield is not within its bits");
	arg->bit_width = width;
	arg->bit_offset = offset;
	return 0;
}

static int parse_count(struct definition_parser *parser, struct argument *arg, const char *at)
{
	const char *start = at + 1, *close = strchr(start, ']');
	unsigned long count;

	if (!close)
		return parse_fail(parser, start + strlen(start), -EINVAL, "']' is expected here");
	if (close[1])
		return parse_fail(parser, close + 1, -EINVAL, "nothing may follow here");
	if (parse_number(start, &count) != close)
		return parse_fail(parser, start, -EINVAL, "an array is TYPE[NUMBER]");
	if (!count || count > ARGUMENT_MAX_COUNT)
		return parse_fail(parser, start, -EINVAL, "an array has from 1 to 64 elements");
	arg->count = count;
	return 0;
}

static bool is_bitfield(const char *at)
{
	return at[0] == 'b' && at[1] >= '0' && at[1] <= '9';
}

static int parse_type(struct definition_parser *parser, struct argument *arg, const char *at)
{
	const char *end = at + strcspn(at, "[");
	int err;

	if (is_bitfield(at)) {
		err = parse_bitfield(parser, arg, at, &end);
		if (err)
			return err;
	} else {
		arg->type = find_type(at, end - at);
		if (!arg->type)
			return parse_fail(parser, at, -EINVAL, "there is no type of that name");
	}
	return *end ? parse_count(parser, arg, end) : 0;
}

static bool argument_is_text(const struct argument *arg)
{
	return arg->base == BASE_COMM || arg->base == BASE_TEXT;
}

static int check_type(struct definition_parser *parser, struct argument *arg, const char *at)
{
	bool is_text = argument_is_text(arg);

	if (is_text && (arg->type->class != VALUE_STRING || arg->count))
		return parse_fail(parser, at, -EINVAL, "this is a string");
	if (is_text || argument_is_memory(arg))
		return 0;
	if (arg->count)
		return parse_fail(parser, at, -EINVAL, "an array is read from memory");
	/* A constant may be the address of one. */
	if ((arg->type->class == VALUE_STRING || arg->type->class == VALUE_USTRING) &&
	    arg->base != BASE_IMMEDIATE)
		return parse_fail(parser, at, -EINVAL, "a string is read from memory");
	return 0;
}

/* Of those that are missing the place is where the first one is to be. */
static int parse_closing(struct definition_parser *parser, const struct argument *arg,
			 const char **at)
{
	const char *first = *at;
	unsigned int i;

	for (i = 0; i < arg->nr_derefs; i++, ++*at)
		if (**at != ')')
			return parse_fail(parser, **at ? *at : first, -EINVAL, "')' is missing");
	return 0;
}

/* The colon before the type, if there is one.  A string may have one in it, too. */
static const char *find_colon(const char *words)
{
	const char *quote = is_quoted(words) ? find_quote(words + 1) : NULL;

	return strchr(quote ? quote : words, ':');
}

/* What is fetched; the word ends there, or the type begins. */
static int parse_fetched(struct definition_parser *parser, struct argument *arg)
{
	const char *at = arg->words, *base;
	int err = parse_derefs(parser, arg, &at);

	if (err)
		return err;
	base = at;
	/* Whose end is not looked for here. */
	if (!arg->nr_derefs || !is_quoted(base))
		at = parse_base(parser, arg, base, &err);
	if (!at)
		return err;
	if (arg->nr_derefs && (is_quoted(base) || argument_is_text(arg)))
		return parse_fail(parser, base, -EINVAL, "this is a string, and no address");
	/* That is one more step. */
	if (arg->nr_derefs == ARGUMENT_MAX_DEREFS && (arg->base == BASE_ADDRESS || arg->base == BASE_SYMBOL))
		return parse_fail(parser, strchr(arg->words, '(') + 1, -EINVAL, "this is nested too deeply");
	err = parse_closing(parser, arg, &at);
	if (err)
		return err;
	if (*at && *at != ':')
		return parse_fail(parser, at, -EINVAL, "only ':' and a type may follow here");
	reverse_derefs(arg);
	return 0;
}

/**
 * argument_parse() - read the next argument of a probe
 * @parser: the line; its definition's kind and place are known
 * @word: the argument, which is not changed
 *
 * As in the kernel, of several things that are wrong the type is told first.
 *
 * Return: 0; -EINVAL, -ERANGE.
 */
int argument_parse(struct definition_parser *parser, char *word)
{
	struct argument *arg = &parser->def->args[parser->def->nr_args];
	const char *colon;
	int err = parse_name(parser, arg, word);

	if (err)
		return err;
	colon = find_colon(arg->words);
	if (colon) {
		err = parse_type(parser, arg, colon + 1);
		if (err)
			return err;
	}
	err = parse_fetched(parser, arg);
	if (err)
		return err;
	if (!colon)
		arg->type = argument_is_text(arg) ? find_type("string", 6) : find_type("x64", 3);
	return check_type(parser, arg, colon ? colon + 1 : arg->words);
}
