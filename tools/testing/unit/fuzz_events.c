// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a line of kprobe_events: it is refused with a place within the line, or it defines
 * what its own words define again, and a record that stays within its bounds.
 *
 * Input: a byte for each of the registers, the line, and behind a newline another one, for the same
 * event.
 */
#include "events_machine.h"
#include "fuzz.h"

static void check_strings(const struct definition *def, const struct argument *arg,
			  const u8 *record, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < argument_elements(arg); i++) {
		unsigned int at, length;
		u32 location;

		memcpy(&location, record + arg->offset + i * 4, 4);
		at = data_location_at(location);
		length = data_location_length(location);
		if (!length)
			continue;
		CHECK(at >= def->fixed && at + length <= size);
		CHECK(record[at + length - 1] == '\0');
	}
}

static void check_record(const struct definition *def, const uint8_t *bytes)
{
	static struct events_machine machine;
	static const unsigned long kept[DEFINITION_MAX_KEPT] = { KERNEL_MEMORY, USER_MEMORY };
	struct fetched from = { .regs = &machine, .kept = kept };
	/* Without strings no more than that is written to. */
	u8 *record = malloc(def->nr_strings ? RECORD_MAX_SIZE : def->fixed);
	unsigned int size, i;

	CHECK(record);
	for (i = 0; i < NR_REGISTERS; i++)
		machine.registers[i] = (bytes[i] & 1 ? KERNEL_MEMORY : USER_MEMORY) + bytes[i] * 32;
	memset(machine.user, 'x', sizeof(machine.user) - 64);
	memset(machine.kernel, 'y', sizeof(machine.kernel));
	events_machine = &machine;
	size = fetch_record(def, &from, record);
	CHECK(size >= def->fixed && size <= RECORD_MAX_SIZE);
	for (i = 0; i < def->nr_args; i++)
		if (type_is_string(def->args[i].type))
			check_strings(def, &def->args[i], record, size);
	free(record);
}

static void check_layout(const struct definition *def)
{
	unsigned int end = RECORD_COMMON_SIZE + (definition_is_return(def) ? 16 : 8), i;

	CHECK(parse_is_name(def->group, strlen(def->group)));
	CHECK(parse_is_name(def->event, strlen(def->event)));
	CHECK(strlen(def->group) < DEFINITION_NAME_SIZE && strlen(def->event) < DEFINITION_NAME_SIZE);
	for (i = 0; i < def->nr_args; i++) {
		const struct argument *arg = &def->args[i];

		CHECK(parse_is_name(arg->name, strlen(arg->name)));
		CHECK(arg->offset >= end && arg->offset % arg->type->size == 0);
		CHECK(arg->bit_width + arg->bit_offset <= 8 * arg->type->size);
		end = arg->offset + arg->type->size * argument_elements(arg);
	}
	CHECK(end == def->fixed && end <= RECORD_MAX_FIXED);
}

struct line {
	char *text;
	struct definition def;
	bool read;
};

static struct line read_line(const char *text, size_t size)
{
	struct line line = { .text = malloc(size + 1) };
	struct definition_error error = { 0 };
	unsigned int room;

	CHECK(line.text);
	memcpy(line.text, text, size);
	line.text[size] = '\0';
	size = strlen(line.text);
	room = definition_words(line.text);
	line.def.args = calloc(room + !room, sizeof(*line.def.args));
	CHECK(line.def.args);
	line.read = !definition_parse(&line.def, line.text, room, &error);
	if (!line.read)
		CHECK(error.reason && error.column <= size);
	return line;
}

static void free_line(struct line *line)
{
	free(line->def.args);
	free(line->text);
}

/* One that may join has the same record but for what is in it. */
static void check_two(const struct definition *first, const struct definition *def, size_t size)
{
	struct definition_error error = { 0 };

	if (def->kind == DEFINE_REMOVAL) {
		if (def->chosen)
			definition_is_chosen(first, def->chosen);
	} else if (definition_may_join(def, first, &error)) {
		CHECK(error.reason && error.column <= size);
	} else {
		CHECK(def->fixed == first->fixed && def->nr_strings == first->nr_strings);
		definition_is_same(def, first);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *start = (const char *)data + NR_REGISTERS, *newline;
	struct line first, second = { .read = false };
	size_t length = size - NR_REGISTERS;

	if (size < NR_REGISTERS)
		return -1;
	newline = memchr(start, '\n', length);
	first = read_line(start, newline ? (size_t)(newline - start) : length);
	if (first.read && first.def.kind != DEFINE_REMOVAL) {
		check_layout(&first.def);
		check_record(&first.def, data);
		if (newline)
			second = read_line(newline + 1, start + length - newline - 1);
		if (second.read)
			check_two(&first.def, &second.def, length);
	}
	free_line(&second);
	free_line(&first);
	return 0;
}
