// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a line of kprobe_events.  Pure code.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#else
#include <errno.h>
#include <stdio.h>
#endif

#include "definition.h"

#define DEFAULT_GROUP	"lkprobes"

/**
 * parse_fail() - refuse a line
 * @parser: the line
 * @at: where in it
 * @err: the error
 * @reason: why, in words
 *
 * Return: @err.
 */
int parse_fail(struct definition_parser *parser, const char *at, int err, const char *reason)
{
	parser->error->column = at - parser->line;
	parser->error->reason = reason;
	return err;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/**
 * parse_is_name() - may an event, a group or an argument be called that
 * @name: the name, not terminated
 * @length: its length
 */
bool parse_is_name(const char *name, size_t length)
{
	size_t i;

	if (!length || !is_letter(name[0]))
		return false;
	for (i = 1; i < length; i++)
		if (!is_letter(name[i]) && !is_digit(name[i]))
			return false;
	return true;
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/**
 * parse_number() - read a number without a sign
 * @at: where it begins: 0x and hexadecimal digits, 0 and octal ones, or decimal ones
 * @number: the number
 *
 * Return: what comes behind it; NULL if there is no number, or it is too large.
 */
const char *parse_number(const char *at, unsigned long *number)
{
	unsigned int base = 10;
	unsigned long value = 0;
	const char *start;

	if (at[0] == '0' && (at[1] | 0x20) == 'x') {
		base = 16;
		at += 2;
	} else if (at[0] == '0') {
		base = 8;
	}
	for (start = at; digit_value(*at) < (int)base; at++) {
		unsigned int digit = digit_value(*at);

		if (value > (~0UL - digit) / base)
			return NULL;
		value = value * base + digit;
	}
	*number = value;
	return at == start ? NULL : at;
}

/* Ends the next word by a NUL, and moves on behind it; NULL if there is none. */
static char *next_word(char **at)
{
	char *word, *end;

	for (word = *at; is_blank(*word); word++)
		;
	if (!*word)
		return NULL;
	for (end = word; *end && !is_blank(*end); end++)
		;
	*at = end;
	if (*end) {
		*end = '\0';
		*at = end + 1;
	}
	return word;
}

/**
 * definition_words() - how many words a line has
 * @line: the line
 *
 * There are no more arguments than that.
 */
unsigned int definition_words(const char *line)
{
	unsigned int words = 0;
	bool inside = false;

	for (; *line; line++) {
		words += !inside && !is_blank(*line);
		inside = !is_blank(*line);
	}
	return words;
}

static int copy_name(struct definition_parser *parser, char *to, const char *from, size_t length,
		     const char *too_long)
{
	if (length >= DEFINITION_NAME_SIZE)
		return parse_fail(parser, from, -EINVAL, too_long);
	memcpy(to, from, length);
	to[length] = '\0';
	return 0;
}

/* [GRP/][EVENT], which comes behind a colon; or GRP.EVENT, as the kernel takes it, too. */
static int parse_names(struct definition_parser *parser, const char *names)
{
	const char *slash = strchr(names, '/') ?: strchr(names, '.');
	const char *event = slash ? slash + 1 : names;
	struct definition *def = parser->def;
	int err;

	if (slash) {
		if (!parse_is_name(names, slash - names))
			return parse_fail(parser, names, -EINVAL, "this is no name for a group");
		err = copy_name(parser, def->group, names, slash - names,
				"the name of the group is too long");
		if (err)
			return err;
	}
	if (!*names)
		return parse_fail(parser, names, -EINVAL, "a name is expected here");
	if (!*event)
		return 0;
	if (!parse_is_name(event, strlen(event)))
		return parse_fail(parser, event, -EINVAL, "this is no name for an event");
	return copy_name(parser, def->event, event, strlen(event),
			 "the name of the event is too long");
}

static int parse_max_active(struct definition_parser *parser, const char **at)
{
	const char *start = *at, *end;
	unsigned long number;

	if (!is_digit(*start))
		return 0;
	end = parse_number(start, &number);
	if (end && *end && *end != ':')
		return parse_fail(parser, start, -EINVAL, "MAXACTIVE is a number");
	if (!end || !number || number > DEFINITION_MAX_ACTIVE)
		return parse_fail(parser, start, -EINVAL, "MAXACTIVE is from 1 to 4096");
	if (parser->def->kind != DEFINE_KRETPROBE)
		return parse_fail(parser, start, -EINVAL, "only 'r' takes a MAXACTIVE");
	parser->def->max_active = number;
	*at = end;
	return 0;
}

/* The first word: what it is, and what it is called. */
static int parse_command(struct definition_parser *parser, const char *word)
{
	static const char kinds[] = "prf-";
	static const enum definition_kind kind_of[] = {
		DEFINE_KPROBE, DEFINE_KRETPROBE, DEFINE_FPROBE, DEFINE_REMOVAL,
	};
	const char *kind = strchr(kinds, *word), *at = word + 1;
	int err;

	if (!kind || !*word)
		return parse_fail(parser, word, -EINVAL, "a line begins with p, r, f or -");
	parser->def->kind = kind_of[kind - kinds];
	err = parse_max_active(parser, &at);
	if (err)
		return err;
	if (!*at)
		return 0;
	if (*at != ':')
		return parse_fail(parser, at, -EINVAL, "':' and a name are expected here");
	return parse_names(parser, at + 1);
}

/* Where the symbol ends: SYM[+offs][%return]. */
static int parse_tail(struct definition_parser *parser, char *word)
{
	struct definition *def = parser->def;
	char *percent = strchr(word, '%'), *plus;
	const char *end;

	if (percent) {
		if (strcmp(percent, "%return"))
			return parse_fail(parser, percent, -EINVAL, "only '%return' may stand here");
		if (def->kind == DEFINE_KPROBE)
			def->kind = DEFINE_KRETPROBE;
		else if (def->kind == DEFINE_FPROBE)
			def->kind = DEFINE_FPROBE_EXIT;
		*percent = '\0';
	}
	plus = strpbrk(word, "+-");
	if (!plus)
		return 0;
	end = *plus == '+' ? parse_number(plus + 1, &def->offset) : NULL;
	if (!end || *end)
		return parse_fail(parser, word, -EINVAL, "this is not SYMBOL+OFFSET");
	if (def->offset > 0x7fffffff)
		return parse_fail(parser, word, -EINVAL, "no function is that long");
	/* That of a return may lead to a function's entry, as _text+N does: who registers it finds out. */
	if (def->offset && definition_is_fprobe(def))
		return parse_fail(parser, word, -EINVAL,
				  "an fprobe has a function and no offset in it");
	*plus = '\0';
	return 0;
}

static int parse_symbol(struct definition_parser *parser, char *word)
{
	struct definition *def = parser->def;
	const char *colon;
	int err = parse_tail(parser, word);

	if (err)
		return err;
	colon = strchr(word, ':');
	if (colon && (colon == word || !colon[1] || strchr(colon + 1, ':')))
		return parse_fail(parser, word, -EINVAL, "this is not MODULE:SYMBOL");
	if (colon && definition_is_fprobe(def))
		return parse_fail(parser, colon, -EINVAL, "an fprobe takes no module");
	if (!*word)
		return parse_fail(parser, word, -EINVAL, "there is no symbol");
	if (!definition_is_fprobe(def) && strpbrk(word, "*?["))
		return parse_fail(parser, word, -EINVAL, "only 'f' takes a pattern");
	def->place = word;
	def->module_length = colon ? colon - word : 0;
	return 0;
}

/* The second word: an address, or a symbol. */
static int parse_place(struct definition_parser *parser, char *word)
{
	struct definition *def = parser->def;
	const char *end;

	def->place_column = word - parser->line;
	if (!is_digit(*word))
		return parse_symbol(parser, word);
	end = parse_number(word, &def->address);
	if (!end || *end)
		return parse_fail(parser, word, -EINVAL, "this is neither an address nor a symbol");
	if (def->kind != DEFINE_KPROBE)
		return parse_fail(parser, word, -EINVAL,
				  "a return, or an fprobe, needs the symbol of a function");
	return 0;
}

/* What is behind the place in such a name. */
static void make_tail(const struct definition *def, char *tail, size_t size)
{
	if (definition_is_fprobe(def))
		snprintf(tail, size, "__%s", definition_is_return(def) ? "exit" : "entry");
	else
		snprintf(tail, size, "_%lu", def->offset);
}

/*
 * What an event without a name is called: what can't be in a name becomes '_', and of a long place there is
 * what has room.  So places that are not the same may have the same one: see definition_may_join().
 */
static void make_name(struct definition *def)
{
	const char *head = definition_is_fprobe(def) ? "" : definition_is_return(def) ? "r_" : "p_";
	char *at = def->event, tail[24];

	def->unnamed = true;
	make_tail(def, tail, sizeof(tail));
	if (def->place)
		snprintf(def->event, sizeof(def->event), "%s%.*s%s", head,
			 (int)(sizeof(def->event) - 1 - strlen(head) - strlen(tail)), def->place, tail);
	else
		snprintf(def->event, sizeof(def->event), "p_0x%lx", def->address);
	for (; *at; at++)
		if (!is_letter(*at) && !(is_digit(*at) && at > def->event))
			*at = '_';
}

static unsigned int align(unsigned int at, unsigned int size)
{
	return (at + size - 1) / size * size;
}

/* No need to read memory, nor to make anything of the value. */
static bool is_plain(const struct argument *arg)
{
	return !argument_is_memory(arg) && arg->base != BASE_STACK_ENTRY &&
	       !type_is_string(arg->type) && !arg->bit_width;
}

static bool is_register(const struct argument *arg)
{
	return is_plain(arg) && arg->base == BASE_REGISTER && arg->type->size == sizeof(u64);
}

/* Gives each argument its place in the record: behind the addresses. */
static int lay_out(struct definition_parser *parser)
{
	struct definition *def = parser->def;
	unsigned int at = RECORD_COMMON_SIZE + (definition_is_return(def) ? 16 : 8), i;

	def->plain = true;
	def->registers = true;
	for (i = 0; i < def->nr_args; i++) {
		struct argument *arg = &def->args[i];

		arg->offset = align(at, arg->type->size);
		def->plain &= is_plain(arg);
		def->registers &= is_register(arg);
		def->gaps |= arg->offset != at;
		at = arg->offset;
		at += arg->type->size * argument_elements(arg);
		if (type_is_string(arg->type))
			def->nr_strings += argument_elements(arg);
		if (at > RECORD_MAX_FIXED)
			return parse_fail(parser, parser->line + arg->column, -E2BIG,
					  "with this argument a record has more than 1024 bytes");
	}
	def->fixed = at;
	return 0;
}

static int parse_arguments(struct definition_parser *parser, char *at)
{
	struct definition *def = parser->def;
	char *word;
	int err;

	def->end_column = at + strlen(at) - parser->line;
	while ((word = next_word(&at))) {
		if (def->nr_args == DEFINITION_MAX_ARGS || def->nr_args == parser->room)
			return parse_fail(parser, word, -E2BIG, "there are too many arguments");
		err = argument_parse(parser, word);
		if (err)
			return err;
		def->nr_args++;
	}
	return lay_out(parser);
}

static int parse_removal(struct definition_parser *parser, const char *at)
{
	while (is_blank(*at))
		at++;
	if (!parser->def->event[0] && !parser->def->group[0])
		return parse_fail(parser, parser->line, -EINVAL, "which event is to be removed?");
	if (*at && !parser->def->event[0])
		return parse_fail(parser, at, -EINVAL, "nothing may follow here");
	parser->def->place_column = at - parser->line;
	parser->def->chosen = *at ? at : NULL;
	return 0;
}

/* Moves on behind @text if that is what comes next. */
static bool skip(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length))
		return false;
	*at += length;
	return true;
}

static bool skip_number(const char **at, unsigned long wanted)
{
	unsigned long number;

	*at = parse_number(*at, &number);
	return *at && number == wanted;
}

/* Is the next word where the probe is? */
static bool skip_place(const char **at, const struct definition *def)
{
	bool found;

	if (!def->place)
		return skip_number(at, def->address);
	found = skip(at, def->place);
	if (found && **at == '+') {
		++*at;
		found = skip_number(at, def->offset);
	} else if (def->offset) {
		found = false;
	}
	if (found && definition_is_return(def))
		skip(at, "%return");
	return found;
}

/* The end of the line or of a word; moves on to the next one. */
static bool skip_blanks(const char **at)
{
	const char *start = *at;

	while (is_blank(**at))
		++*at;
	return *at > start || !**at;
}

/**
 * definition_is_chosen() - is it this probe that is to be removed
 * @def: the probe
 * @words: its place, and none, some or all of its arguments, as a removal has them
 */
bool definition_is_chosen(const struct definition *def, const char *words)
{
	const struct argument *arg = def->args, *end = def->args + def->nr_args;
	const char *at = words;

	if (!skip_place(&at, def) || !skip_blanks(&at))
		return false;
	for (; *at && arg < end; arg++) {
		if (!skip(&at, arg->name) || !skip(&at, "=") || !skip(&at, arg->words) ||
		    !skip_blanks(&at))
			return false;
	}
	return !*at;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_place(const struct definition *def, const struct definition *other)
{
	return def->kind == other->kind && def->offset == other->offset &&
	       def->address == other->address && is_same_text(def->place, other->place);
}

/**
 * definition_is_same() - do two lines define the same probe
 * @def: a probe
 * @other: another one, with arguments of the same names
 */
bool definition_is_same(const struct definition *def, const struct definition *other)
{
	unsigned int i;

	if (!is_same_place(def, other))
		return false;
	for (i = 0; i < def->nr_args; i++)
		if (strcmp(def->args[i].words, other->args[i].words))
			return false;
	return true;
}

static bool is_same_field(const struct argument *arg, const struct argument *other)
{
	return arg->type == other->type && arg->count == other->count &&
	       !strcmp(arg->name, other->name);
}

/**
 * definition_may_join() - may a probe join an event that there is
 * @def: the probe
 * @first: the event's first probe, which says what its records are like
 * @error: filled in if it may not
 *
 * Return: 0 or -EEXIST.
 */
int definition_may_join(const struct definition *def, const struct definition *first,
			struct definition_error *error)
{
	unsigned int i;

	error->column = def->place_column;
	error->reason = "an event with the name that is made of this place is of another one: name this one";
	if (def->unnamed && !is_same_place(def, first))
		return -EEXIST;
	error->column = 0;
	error->reason = "the event has probes at entries, or at returns, but not both";
	if (definition_is_return(def) != definition_is_return(first))
		return -EEXIST;
	error->reason = "the event's other probes have no such argument here";
	for (i = 0; i < def->nr_args; i++) {
		error->column = def->args[i].word_column;
		if (i >= first->nr_args || !is_same_field(&def->args[i], &first->args[i]))
			return -EEXIST;
	}
	error->column = def->end_column;
	error->reason = "the event's other probes have more arguments";
	return i < first->nr_args ? -EEXIST : 0;
}

/**
 * definition_parse() - read a line of kprobe_events
 * @def: filled in; its args must point to zeroed memory
 * @line: the line without its newline; it is changed, and must live as long as @def
 * @room: how many arguments @def->args has room for
 * @error: filled in if the line is refused
 *
 * Return: 0; -EINVAL, -E2BIG, -ERANGE.
 */
int definition_parse(struct definition *def, char *line, unsigned int room,
		     struct definition_error *error)
{
	struct definition_parser parser = {
		.def = def, .line = line, .room = room, .error = error,
	};
	struct argument *args = def->args;
	char *at = line, *word = next_word(&at);
	int err;

	memset(def, 0, sizeof(*def));
	def->args = args;
	err = word ? parse_command(&parser, word) : parse_fail(&parser, line, -EINVAL, "it is empty");
	if (err)
		return err;
	if (def->kind == DEFINE_REMOVAL)
		return parse_removal(&parser, at);
	if (!def->group[0])
		strcpy(def->group, DEFAULT_GROUP);
	word = next_word(&at);
	if (!word)
		return parse_fail(&parser, at, -EINVAL, "where the probe is to be is missing");
	err = parse_place(&parser, word);
	if (err)
		return err;
	if (!def->event[0])
		make_name(def);
	return parse_arguments(&parser, at);
}
