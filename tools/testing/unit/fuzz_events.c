// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a line of kprobe_events: it is refused with a place within the line, or it defines
 * what its own words define again, and a record that stays within its bounds.
 *
 * Input: a byte for each of the registers, and the line.
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
	struct fetched from = { .regs = &machine };
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct definition_error error = { 0 };
	struct definition def;
	unsigned int room;
	char *line;

	if (size < NR_REGISTERS)
		return -1;
	line = malloc(size - NR_REGISTERS + 1);
	CHECK(line);
	memcpy(line, data + NR_REGISTERS, size - NR_REGISTERS);
	line[size - NR_REGISTERS] = '\0';
	size = strlen(line);
	room = definition_words(line);
	def.args = calloc(room + !room, sizeof(*def.args));
	CHECK(def.args);
	if (definition_parse(&def, line, room, &error)) {
		CHECK(error.reason && error.column <= size);
	} else if (def.kind != DEFINE_REMOVAL) {
		check_layout(&def);
		check_record(&def, data);
	}
	free(def.args);
	free(line);
	return 0;
}
