// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of kprobe_events, and the records that they make.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>

#include <cmocka.h>

#include "events_machine.h"


/* Everything of one line. */
struct parsed {
	char *line;
	struct definition def;
	struct definition_error error;
	int err;
};

static struct parsed parse(const char *line)
{
	struct parsed parsed = { .line = strdup(line) };
	unsigned int room = definition_words(line);

	parsed.def.args = calloc(room + !room, sizeof(struct argument));
	assert_non_null(parsed.def.args);
	parsed.err = definition_parse(&parsed.def, parsed.line, room, &parsed.error);
	return parsed;
}

static void release(struct parsed *parsed)
{
	free(parsed->def.args);
	free(parsed->line);
}

/* ---- where and what ---- */

struct place {
	const char *line;
	enum definition_kind kind;
	const char *group;
	const char *event;
	const char *place;
	unsigned long offset;
	unsigned long address;
	unsigned int max_active;
	unsigned int module_length;
};

static const struct place places[] = {
	{ "p vfs_read", DEFINE_KPROBE, "lkprobes", "p_vfs_read_0", "vfs_read", 0, 0, 0, 0 },
	{ "p:one vfs_read+0x10", DEFINE_KPROBE, "lkprobes", "one", "vfs_read", 16, 0, 0, 0 },
	{ "p:a/b vfs_read+8", DEFINE_KPROBE, "a", "b", "vfs_read", 8, 0, 0, 0 },
	{ "p:a/ vfs_read", DEFINE_KPROBE, "a", "p_vfs_read_0", "vfs_read", 0, 0, 0, 0 },
	{ "p:a.b vfs_read", DEFINE_KPROBE, "a", "b", "vfs_read", 0, 0, 0, 0 },
	{ "p:a. vfs_read", DEFINE_KPROBE, "a", "p_vfs_read_0", "vfs_read", 0, 0, 0, 0 },
	{ "  p \t vfs_read  ", DEFINE_KPROBE, "lkprobes", "p_vfs_read_0", "vfs_read", 0, 0, 0, 0 },
	{ "p 0xffffffff81000000", DEFINE_KPROBE, "lkprobes", "p_0xffffffff81000000", NULL, 0,
	  0xffffffff81000000, 0, 0 },
	{ "p ext4:f.isra.0", DEFINE_KPROBE, "lkprobes", "p_ext4_f_isra_0_0", "ext4:f.isra.0", 0, 0,
	  0, 4 },
	{ "r vfs_read", DEFINE_KRETPROBE, "lkprobes", "r_vfs_read_0", "vfs_read", 0, 0, 0, 0 },
	{ "r20:x vfs_read+0", DEFINE_KRETPROBE, "lkprobes", "x", "vfs_read", 0, 0, 20, 0 },
	{ "r:x _text+0x10", DEFINE_KRETPROBE, "lkprobes", "x", "_text", 16, 0, 0, 0 },
	{ "p:x _text+8%return", DEFINE_KRETPROBE, "lkprobes", "x", "_text", 8, 0, 0, 0 },
	{ "p vfs_read%return", DEFINE_KRETPROBE, "lkprobes", "r_vfs_read_0", "vfs_read", 0, 0, 0, 0 },
	{ "p a23456789b23456789c23456789d23456789e23456789f23456789g", DEFINE_KPROBE, "lkprobes",
	  "p_a23456789b23456789c23456789d23456789e23456789f23456789g_0",
	  "a23456789b23456789c23456789d23456789e23456789f23456789g", 0, 0, 0, 0 },
	{ "p a23456789b23456789c23456789d23456789e23456789f23456789g2345678+255", DEFINE_KPROBE, "lkprobes",
	  "p_a23456789b23456789c23456789d23456789e23456789f23456789g23_255",
	  "a23456789b23456789c23456789d23456789e23456789f23456789g2345678", 255, 0, 0, 0 },
	{ "f a23456789b23456789c23456789d23456789e23456789f23456789g2345678", DEFINE_FPROBE, "lkprobes",
	  "a23456789b23456789c23456789d23456789e23456789f23456789g2__entry",
	  "a23456789b23456789c23456789d23456789e23456789f23456789g2345678", 0, 0, 0, 0 },
	{ "f vfs_*", DEFINE_FPROBE, "lkprobes", "vfs____entry", "vfs_*", 0, 0, 0, 0 },
	{ "f:y vfs_read%return", DEFINE_FPROBE_EXIT, "lkprobes", "y", "vfs_read", 0, 0, 0, 0 },
	{ "-:y", DEFINE_REMOVAL, "", "y", NULL, 0, 0, 0, 0 },
	{ "-:g/y", DEFINE_REMOVAL, "g", "y", NULL, 0, 0, 0, 0 },
	{ "-:g/", DEFINE_REMOVAL, "g", "", NULL, 0, 0, 0, 0 },
	{}
};

static void a_place_is_read(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; places[i].line; i++) {
		const struct place *want = &places[i];
		struct parsed got = parse(want->line);

		print_message("# %s\n", want->line);
		assert_int_equal(got.err, 0);
		assert_int_equal(got.def.kind, want->kind);
		assert_string_equal(got.def.group, want->group);
		assert_string_equal(got.def.event, want->event);
		if (want->place)
			assert_string_equal(got.def.place, want->place);
		else
			assert_null(got.def.place);
		assert_int_equal(got.def.offset, want->offset);
		assert_int_equal(got.def.address, want->address);
		assert_int_equal(got.def.max_active, want->max_active);
		assert_int_equal(got.def.module_length, want->module_length);
		release(&got);
	}
}

/* What is refused, where, and how. */
struct wrong {
	const char *line;
	unsigned int column;
	int err;
};

#define A64	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define D12	"+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0("

static const struct wrong wrongs[] = {
	{ "", 0, -EINVAL },
	{ "   ", 0, -EINVAL },
	{ "x f", 0, -EINVAL },
	{ " :a f", 1, -EINVAL },
	{ "p", 1, -EINVAL },
	{ "p:x", 3, -EINVAL },
	{ "p: f", 2, -EINVAL },
	{ "px f", 1, -EINVAL },
	{ "p5 f", 1, -EINVAL },
	{ "r5000 f", 1, -EINVAL },
	{ "r0 f", 1, -EINVAL },
	{ "r1a f", 1, -EINVAL },
	{ "r99999999999999999999 f", 1, -EINVAL },
	{ "p:1x f", 2, -EINVAL },
	{ "p:a/b/c f", 4, -EINVAL },
	{ "p:a-b/c f", 2, -EINVAL },
	{ "p:/c f", 2, -EINVAL },
	{ "p:.c f", 2, -EINVAL },
	{ "p:a.b.c f", 4, -EINVAL },
	{ "p:a/b.c f", 4, -EINVAL },
	{ "p:a.b/c f", 2, -EINVAL },
	{ "p:" A64 " f", 2, -EINVAL },
	{ "p:" A64 "/x f", 2, -EINVAL },
	{ "p 0x", 2, -EINVAL },
	{ "p 0x1g", 2, -EINVAL },
	{ "p 0x10000000000000000", 2, -EINVAL },
	{ "p 08", 2, -EINVAL },
	{ "r 0x10", 2, -EINVAL },
	{ "f 0x10", 2, -EINVAL },
	{ "p f+", 2, -EINVAL },
	{ "p f+x", 2, -EINVAL },
	{ "p f-4", 2, -EINVAL },
	{ "p f+1-1", 2, -EINVAL },
	{ "p f+0x80000000", 2, -EINVAL },
	{ "p +4", 2, -EINVAL },
	{ "p :f", 2, -EINVAL },
	{ "p m:", 2, -EINVAL },
	{ "p m:n:f", 2, -EINVAL },
	{ "f m:f", 3, -EINVAL },
	{ "p f*", 2, -EINVAL },
	{ "p f%entry", 3, -EINVAL },
	{ "f f+4", 2, -EINVAL },
	{ "f f+4%return", 2, -EINVAL },
	{ "-", 0, -EINVAL },
	{ "-:", 2, -EINVAL },
	{ "-:x/ f", 5, -EINVAL },
	{ "p f arg", 4, -EINVAL },
	{ "p f 5", 4, -EINVAL },
	{ "p f %r9", 4, -EINVAL },
	{ "p f %", 4, -EINVAL },
	{ "p f x=", 6, -EINVAL },
	{ "p f =%r0", 4, -EINVAL },
	{ "p f 1=%r0", 4, -EINVAL },
	{ "p f x-y=%r0", 4, -EINVAL },
	{ "p f aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=%r0", 4, -EINVAL },
	{ "p f x=%r0 x=%r1", 10, -EINVAL },
	{ "p f arg2=%r0 %r1", 13, -EINVAL },
	{ "p f common_pid=%r0", 4, -EINVAL },
	{ "p f __probe_ip=%r0", 4, -EINVAL },
	{ "p f $", 4, -EINVAL },
	{ "p f $x", 4, -EINVAL },
	{ "p f $retval", 4, -EINVAL },
	{ "p f $arg0", 4, -EINVAL },
	{ "p f $arg", 4, -EINVAL },
	{ "p f $arg1x", 4, -EINVAL },
	{ "p f $arg2049", 4, -EINVAL },
	{ "p 0x10 $arg1", 7, -EINVAL },
	{ "r f $arg17", 4, -EINVAL },
	{ "f f%return $arg17", 11, -EINVAL },
	{ "p f $stack-1", 4, -EINVAL },
	{ "p f $stack2049", 4, -EINVAL },
	{ "p f $stack0x4", 4, -EINVAL },
	{ "p f $stack18446744073709551616", 4, -EINVAL },
	{ "p f \\16:string[2]", 8, -EINVAL },
	{ "p f @", 4, -EINVAL },
	{ "p f @+4", 4, -EINVAL },
	{ "p f @0x", 4, -EINVAL },
	{ "p f @0x1g", 4, -EINVAL },
	{ "p f @1a", 4, -EINVAL },
	{ "p f @s+", 6, -EINVAL },
	{ "p f @s+1-", 8, -EINVAL },
	{ "p f +0", 4, -EINVAL },
	{ "p f +0@0)", 4, -EINVAL },
	{ "p f +0a(%r0)", 4, -EINVAL },
	{ "p f +0(+0(%r0)", 13, -EINVAL },
	{ "p f +0(+0(%r0)x", 14, -EINVAL },
	{ "p f +(%r0)", 4, -EINVAL },
	{ "p f +-4(%r0)", 4, -EINVAL },
	{ "p f +0x8000000000000000(%r0)", 4, -ERANGE },
	{ "p f +0(%r0", 10, -EINVAL },
	{ "p f +0(%r0))", 11, -EINVAL },
	{ "p f +0()", 7, -EINVAL },
	{ "p f " D12 "+0(+0(+0(%r0)))))))))))))))", 7, -EINVAL },
	{ "p f " D12 "+0(+0(+0(+0(%r0))))))))))))))))", 10, -EINVAL },
	{ "p f " D12 "+0(+0(@0))))))))))))))", 7, -EINVAL },
	{ "p f \\", 5, -EINVAL },
	{ "p f \\x", 5, -EINVAL },
	{ "p f \\1x", 5, -EINVAL },
	{ "p f \\08", 5, -EINVAL },
	{ "p f \\18446744073709551616", 5, -ERANGE },
	{ "p f \\+18446744073709551615", 5, -ERANGE },
	{ "p f \\-9223372036854775809", 5, -ERANGE },
	{ "p f -9223372036854775809(%r0)", 4, -ERANGE },
	{ "p f @0x10000000000000000", 4, -ERANGE },
	{ "p f @0xfffffffffffffffff", 4, -ERANGE },
	{ "p f \\1)", 5, -EINVAL },
	{ "p f @sym-18446744073709551615", 8, -ERANGE },
	{ "p f @sym+9223372036854775808", 8, -ERANGE },
	{ "p f +0(\\\"a\")", 7, -EINVAL },
	{ "p f %none:u7", 10, -EINVAL },
	{ "p f $none:u8[65]", 13, -EINVAL },
	{ "p f \\\"abc", 9, -EINVAL },
	{ "p f \\\"abc\"x", 11, -EINVAL },
	{ "p f %r0:", 8, -EINVAL },
	{ "p f %r0:u7", 8, -EINVAL },
	{ "p f %r0:string", 8, -EINVAL },
	{ "p f %r0:ustring", 8, -EINVAL },
	{ "p f %r0:u8[4]", 8, -EINVAL },
	{ "p f +0(%r0):u8[0]", 15, -EINVAL },
	{ "p f +0(%r0):u8[65]", 15, -EINVAL },
	{ "p f +0(%r0):u8[4", 16, -EINVAL },
	{ "p f +0(%r0):u8[4]x", 17, -EINVAL },
	{ "p f +0(%r0):u8[4a]", 15, -EINVAL },
	{ "p f +0(%r0):u8[]", 15, -EINVAL },
	{ "p f +0(%r0):b3@30/32", 12, -EINVAL },
	{ "p f +0(%r0):b0@3/32", 12, -EINVAL },
	{ "p f +0(%r0):b3@3/24", 12, -EINVAL },
	{ "p f +0(%r0):b3@3", 12, -EINVAL },
	{ "p f +0(%r0):b3@3/8x", 12, -EINVAL },
	{ "p f +0(%r0):b3@3/8[2", 20, -EINVAL },
	{ "p f %r0:b3@3/8[2]", 8, -EINVAL },
	{ "p f \\+-5", 5, -EINVAL },
	{ "p f +0(%r0):b3@18446744073709551615/8", 12, -EINVAL },
	{ "p f $comm:u8", 10, -EINVAL },
	{ "p f +0($comm)", 7, -EINVAL },
	{ "p f \\\"abc\":u8", 11, -EINVAL },
	{ "p f a=+0(%r0):u64[64] b=+0(%r0):u64[64]", 24, -E2BIG },
	{}
};

static void what_is_wrong_is_refused_with_its_place(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; wrongs[i].line; i++) {
		struct parsed got = parse(wrongs[i].line);

		print_message("# %s: column %u, %s\n", wrongs[i].line, got.error.column,
			      got.err ? got.error.reason : "accepted");
		assert_int_equal(got.err, wrongs[i].err);
		assert_int_equal(got.error.column, wrongs[i].column);
		assert_non_null(got.error.reason);
		release(&got);
	}
}

static void there_are_at_most_128_arguments(void **state)
{
	char line[1000] = "p f";
	struct parsed got;
	unsigned int i;

	(void)state;
	for (i = 0; i < DEFINITION_MAX_ARGS; i++)
		strcat(line, " \\1:u8");
	got = parse(line);
	assert_int_equal(got.err, 0);
	assert_int_equal(got.def.nr_args, DEFINITION_MAX_ARGS);
	assert_string_equal(got.def.args[127].name, "arg128");
	release(&got);
	strcat(line, " \\1:u8");
	got = parse(line);
	assert_int_equal(got.err, -E2BIG);
	release(&got);
}

/* ---- values ---- */

static struct events_machine *new_machine(void)
{
	struct events_machine *machine = calloc(1, sizeof(*machine));
	unsigned int i;

	assert_non_null(machine);
	machine->registers[0] = 0xfedcba9876543210;
	machine->registers[1] = KERNEL_MEMORY;
	machine->registers[2] = USER_MEMORY;
	machine->registers[3] = KERNEL_MEMORY + 0x200;
	for (i = 0; i < 0x100; i++)
		machine->kernel[i] = i;
	/* Pointers to what is at 0x40, to a string of the kernel's, and to one of the task's. */
	*(u64 *)(machine->kernel + 0x100) = KERNEL_MEMORY + 0x40;
	*(u64 *)(machine->kernel + 0x108) = KERNEL_MEMORY + 0x180;
	*(u64 *)(machine->kernel + 0x110) = USER_MEMORY + 0x20;
	strcpy((char *)machine->kernel + 0x180, "of the kernel");
	*(u64 *)(machine->kernel + 0x200) = 0x1111;
	*(u64 *)(machine->kernel + 0x210) = 0x3333;
	strcpy((char *)machine->user + 0x20, "of the task");
	*(u64 *)(machine->user + 8) = USER_MEMORY + 0x20;
	memset(machine->user + 0x1000, 'x', 0x1000);
	memset(machine->kernel + 0x1000, 'y', 0x1000);
	return machine;
}

/* A record in a buffer of its own, of which AddressSanitizer sees both ends. */
static unsigned int record(const struct parsed *parsed, u8 **at)
{
	static const unsigned long kept[] = { 0x1001, 0x1002, 0x1003 };
	struct fetched from = {
		.regs = new_machine(), .ip = 0x1234, .return_ip = 0x5678, .kept = kept,
	};
	unsigned int size;

	events_machine = from.regs;
	*at = malloc(RECORD_MAX_SIZE);
	assert_non_null(*at);
	memset(*at, 0xaa, RECORD_MAX_SIZE);
	size = fetch_record(&parsed->def, &from, *at);
	assert_true(size >= parsed->def.fixed && size <= RECORD_MAX_SIZE);
	free(from.regs);
	return size;
}

struct value {
	const char *argument;
	u64 value;
};

static const struct value values[] = {
	{ "%r0", 0xfedcba9876543210 },
	{ "%r0:u8", 0x10 },
	{ "%r0:s16", 0x3210 },
	{ "%r0:x32", 0x76543210 },
	{ "%r0:b4@4/32", 1 },
	{ "%r0:b64@0/64", 0xfedcba9876543210 },
	{ "%r0:b1@63/64", 1 },
	{ "%r0:symbol", 0xfedcba9876543210 },
	{ "$arg1", 100 },
	{ "$arg3:u8", 102 },
	{ "$arg2", 0xfedcba9876543210 },
	{ "$stack", KERNEL_MEMORY + 0x200 },
	{ "$stack0", 0x1111 },
	{ "$stack2", 0x3333 },
	{ "$stack02", 0x3333 },
	{ "$stack0900:u8", 'y' },
	{ "$stack900:u8", 'y' },
	{ "\\5", 5 },
	{ "\\-5", -5ull },
	{ "\\-9223372036854775808", 1ull << 63 },
	{ "\\18446744073709551615", -1ull },
	{ "\\+5", 5 },
	{ "$stack2048", 0 },
	{ "\\0x10:u8", 16 },
	{ "+0(%r1)", 0x0706050403020100 },
	{ "+3(%r1):u8", 3 },
	{ "+3(%r1):u16", 0x0403 },
	{ "-1(%r1):u8", 0 },
	{ "-0x1f0($stack):u32", 0x13121110 },
	{ "+4(+0x100(%r1)):u8", 0x44 },
	{ "-8(+8(+0xf8(%r1))):x32", 0 },
	{ "+0(%r1):b4@4/8", 0 },
	{ "+0x55(%r1):b4@4/8", 5 },
	{ "+0x55(%r1):b9@3/32", 0xca },
	{ "@0xffff888000010009:u8", 9 },
	{ "+1(@0xffff888000010100):u8", 0x41 },
	{ "+0(%r2):u8", 0 },
	{ "+u0x20(%r2):char", 'o' },
	{ "+u0x20(%r1):char", 0 },
	{ "+u3(+u8(%r2)):char", 't' },
	{ "+0(\\0xffff888000010040):u8", 0x40 },
	{ "+0x1ff9(%r1)", 0 },
	{ "+0x1ff8(%r1)", 0x7979797979797979 },
	{}
};

static void a_number_is_recorded(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; values[i].argument; i++) {
		struct parsed got;
		char line[100];
		u64 value = 0;
		u8 *at;

		snprintf(line, sizeof(line), "p f %s", values[i].argument);
		print_message("# %s\n", line);
		got = parse(line);
		assert_int_equal(got.err, 0);
		assert_int_equal(record(&got, &at), got.def.fixed);
		memcpy(&value, at + got.def.args[0].offset, got.def.args[0].type->size);
		if (values[i].value != value)
			fail_msg("%s is 0x%llx", line, (unsigned long long)value);
		free(at);
		release(&got);
	}
}

struct string {
	const char *argument;
	const char *string;
};

static const struct string strings[] = {
	{ "$comm", "task" },
	{ "$COMM:string", "task" },
	{ "\\\"a=b:c\"", "a=b:c" },
	{ "x=\\\"\"", "" },
	{ "x=\\\"a\"b\"", "a\"b" },
	{ "x=\\\"a\"b\":string", "a\"b" },
	{ "+0x180(%r1):string", "of the kernel" },
	{ "+0(+0x108(%r1)):string", "of the kernel" },
	{ "@0xffff888000010187:string", "kernel" },
	{ "\\0xffff888000010187:string", "kernel" },
	{ "\\0x7f0000010020:ustring", "of the task" },
	{ "\\0x7f0000010020:string", NULL },
	{ "\\16:string", NULL },
	{ "+0x20(%r2):ustring", "of the task" },
	{ "+u0(+u8(%r2)):string", "of the task" },
	{ "+0(+0x110(%r1)):ustring", "of the task" },
	{ "+0x20(%r2):string", NULL },
	{ "+0x180(%r1):ustring", NULL },
	{ "+0(%r0):string", NULL },
	{ "+0(+0(%r0)):string", NULL },
	{ "%r3:symstr", "symbol+0xffff888000010200" },
	{ "+0x100(%r1):symstr", "symbol+0xffff888000010040" },
	{ "+0(%r0):symstr", NULL },
	{}
};

static void string_is(const struct parsed *got, const u8 *at, unsigned int size,
			  unsigned int element, const char *want)
{
	unsigned int place, length;
	u32 location;

	memcpy(&location, at + got->def.args[0].offset + 4 * element, 4);
	place = data_location_at(location);
	length = data_location_length(location);
	if (!want) {
		assert_int_equal(location, 0);
		return;
	}
	assert_true(place >= got->def.fixed && place + length <= size);
	assert_int_equal(length, strlen(want) + 1);
	assert_string_equal((const char *)at + place, want);
}

static void a_string_is_recorded(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; strings[i].argument; i++) {
		struct parsed got;
		unsigned int size;
		char line[100];
		u8 *at;

		snprintf(line, sizeof(line), "p f %s", strings[i].argument);
		print_message("# %s\n", line);
		got = parse(line);
		assert_int_equal(got.err, 0);
		size = record(&got, &at);
		string_is(&got, at, size, 0, strings[i].string);
		free(at);
		release(&got);
	}
}

static void an_array_is_recorded(void **state)
{
	struct parsed numbers = parse("p f +4(%r1):u16[3]");
	struct parsed bits = parse("p f +4(%r1):b2@1/8[3]");
	struct parsed texts = parse("p f +0x100(%r1):string[3]");
	unsigned int size;
	u8 *at;

	(void)state;
	assert_int_equal(numbers.err, 0);
	record(&numbers, &at);
	assert_memory_equal(at + numbers.def.args[0].offset, "\4\5\6\7\10\11", 6);
	free(at);
	release(&numbers);

	assert_int_equal(bits.err, 0);
	record(&bits, &at);
	assert_memory_equal(at + bits.def.args[0].offset, "\2\2\3", 3);
	free(at);
	release(&bits);

	assert_int_equal(texts.err, 0);
	assert_int_equal(texts.def.nr_strings, 3);
	size = record(&texts, &at);
	string_is(&texts, at, size, 1, "of the kernel");
	/* A pointer to the task's memory, taken for one of the kernel's. */
	string_is(&texts, at, size, 2, NULL);
	free(at);
	release(&texts);
}

/* A string that does not end is cut off, or faults where the memory ends first. */
static void a_string_without_end_is_bounded(void **state)
{
	struct parsed cut = parse("p f a=+0x1000(%r1):string b=+0x1000(%r2):ustring c=$comm");
	struct parsed faults = parse("p f +0x1f00(%r1):string");
	unsigned int size, length;
	u32 location;
	u8 *at;

	(void)state;
	assert_int_equal(cut.err, 0);
	size = record(&cut, &at);
	memcpy(&location, at + cut.def.args[0].offset, 4);
	length = data_location_length(location);
	assert_int_equal(length, (RECORD_MAX_SIZE - cut.def.fixed) / 3);
	assert_int_equal(strlen((char *)at + data_location_at(location)), length - 1);
	/* What is left is for the others. */
	memcpy(&location, at + cut.def.args[1].offset, 4);
	assert_true(data_location_length(location) >= length);
	memcpy(&location, at + cut.def.args[2].offset, 4);
	assert_int_equal(data_location_length(location), 5);
	assert_int_equal(data_location_at(location) + 5, size);
	free(at);
	release(&cut);

	size = record(&faults, &at);
	string_is(&faults, at, size, 0, NULL);
	free(at);
	release(&faults);
}

static void no_byte_of_an_earlier_record_is_left(void **state)
{
	struct parsed got = parse("r f a=$retval:u8 b=$retval c=+0(%r0):u64[2] d=+0(+0(%r0)):u32");
	u8 *at;
	int i;

	(void)state;
	assert_int_equal(got.err, 0);
	record(&got, &at);
	/* In front of it the kernel's own. */
	for (i = 0; i < RECORD_COMMON_SIZE; i++)
		assert_int_equal(at[i], 0xaa);
	assert_memory_equal(at + 8, "\x34\x12\0\0\0\0\0\0\x78\x56\0\0\0\0\0\0", 16);
	assert_int_equal(at[24], 0x10);
	for (i = 25; i < 32; i++)
		assert_int_equal(at[i], 0);
	for (i = 40; i < 60; i++)
		assert_int_equal(at[i], 0);
	assert_int_equal(got.def.fixed, 60);
	assert_false(got.def.plain);
	free(at);
	release(&got);

	got = parse("r f a=$retval:u8 b=$retval");
	assert_int_equal(got.err, 0);
	assert_true(got.def.plain);
	record(&got, &at);
	assert_int_equal(at[24], 0x10);
	for (i = 25; i < 32; i++)
		assert_int_equal(at[i], 0);
	free(at);
	release(&got);
}

/* What is read from memory is read when the function returns. */
static void a_return_has_arguments_that_were_kept(void **state)
{
	struct parsed got = parse("r f a=$arg3:u32 b=$arg1 c=+0($arg2):u8");
	u8 *at;

	(void)state;
	assert_int_equal(got.err, 0);
	assert_int_equal(got.def.kept, 3);
	record(&got, &at);
	assert_memory_equal(at + got.def.args[0].offset, "\x03\x10\0\0", 4);
	assert_memory_equal(at + got.def.args[1].offset, "\x01\x10\0\0\0\0\0\0", 8);
	free(at);
	release(&got);

	got = parse("f f%return $arg16");
	assert_int_equal(got.err, 0);
	assert_int_equal(got.def.kept, 16);
	release(&got);
	got = parse("f f $arg1");
	assert_int_equal(got.err, 0);
	assert_int_equal(got.def.kept, 0);
	release(&got);
}

/* ---- several probes of one event ---- */

struct choice {
	const char *line;
	const char *words;
	bool chosen;
};

static const struct choice choices[] = {
	{ "p:x f", "f", true },
	{ "p:x f", "f+0", true },
	{ "p:x f", "f+1", false },
	{ "p:x f", "f+", false },
	{ "p:x f", "g", false },
	{ "p:x f", "fg", false },
	{ "p:x fg", "f", false },
	{ "p:x f", "f%return", false },
	{ "p:x f+16", "f", false },
	{ "p:x f+16", "f+0x10", true },
	{ "p:x m:f+16", "m:f+16", true },
	{ "p:x m:f", "f", false },
	{ "r:x f", "f", true },
	{ "r:x f", "f%return", true },
	{ "p:x 0x1000", "0x1000", true },
	{ "p:x 0x1000", "4096  ", true },
	{ "p:x 0x1000", "0x1001", false },
	{ "p:x 0x1000", "f", false },
	{ "p:x f a=%r0 %r1:u8", "f", true },
	{ "p:x f a=%r0 %r1:u8", "f  a=%r0", true },
	{ "p:x f a=%r0 %r1:u8", "f a=%r0 arg2=%r1:u8 ", true },
	{ "p:x f a=%r0 %r1:u8", "f a=%r0 arg2=%r1:u8 b=%r2", false },
	{ "p:x f a=%r0 %r1:u8", "f a=%r1", false },
	{ "p:x f a=%r0 %r1:u8", "f a", false },
	{ "p:x f a=%r0 %r1:u8", "f a=%r0x", false },
	{ "p:x f a=%r0 %r1:u8", "f arg2=%r1:u8", false },
	{}
};

static void a_removal_chooses_by_words(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; choices[i].line; i++) {
		struct parsed got = parse(choices[i].line), removal;
		char line[100];

		snprintf(line, sizeof(line), "-:x  %s", choices[i].words);
		print_message("# %s: %s\n", choices[i].line, line);
		removal = parse(line);
		assert_int_equal(got.err, 0);
		assert_int_equal(removal.err, 0);
		assert_int_equal(removal.def.place_column, 5);
		assert_string_equal(removal.def.chosen, choices[i].words);
		assert_int_equal(definition_is_chosen(&got.def, removal.def.chosen),
				 choices[i].chosen);
		release(&removal);
		release(&got);
	}
}

struct joining {
	const char *first;
	const char *line;
	int column;	/* -1: it may */
	bool same;
};

static const struct joining joinings[] = {
	{ "p:x f", "p:x g", -1, false },
	{ "p:x f", "p:x f+1", -1, false },
	{ "p:x f", "p:x 0x1000", -1, false },
	{ "p:x f", "f:x f", -1, false },
	{ "p:x f", "p:x f+0", -1, true },
	{ "p:x 0x1000", "p:x 4096", -1, true },
	{ "p:x f a=%r0", "p:x f a=%r1", -1, false },
	{ "p:x f a=%r0", "p:x f a=%r0", -1, true },
	{ "p:x f %r0:u8", "p:x f +0(%r1):u8", -1, false },
	{ "p:x f", "r:x g", 0, false },
	{ "p f", "p f", -1, true },
	{ "p f", "p:p_f_0 g", -1, false },
	{ "p f a=%r0", "p f a=%r1", -1, false },
	{ "p:p_f_0 f", "p f", -1, true },
	{ "p a.b", "p a_b", 2, false },
	{ "p m:f", "p m_f", 2, false },
	{ "p:p_f_0 g", "p f", 2, false },
	{ "f:f__entry g", "f f", 2, false },
	{ "r:x f", "p:x g%return", -1, false },
	{ "p:x f a=%r0", "p:x f b=%r0", 6, false },
	{ "p:x f a=%r0", "p:x f a=%r0:u8", 6, false },
	{ "p:x f a=%r0", "p:x f a=\\\"s\"", 6, false },
	{ "p:x f a=+0(%r0):u8[4]", "p:x f a=+0(%r0):u8[5]", 6, false },
	{ "p:x f a=+0(%r0):string", "p:x f a=+0(%r0):ustring", 6, false },
	{ "p:x f a=%r0", "p:x f a=%r0 b=%r1", 12, false },
	{ "p:x f a=%r0 b=%r1", "p:x g a=%r0", 11, false },
	{}
};

static void probes_of_an_event_have_the_same_fields(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; joinings[i].first; i++) {
		const struct joining *want = &joinings[i];
		struct parsed first = parse(want->first), got = parse(want->line);
		int err;

		print_message("# %s: %s\n", want->first, want->line);
		assert_int_equal(first.err, 0);
		assert_int_equal(got.err, 0);
		err = definition_may_join(&got.def, &first.def, &got.error);
		assert_int_equal(err, want->column < 0 ? 0 : -EEXIST);
		if (err)
			assert_int_equal(got.error.column, want->column);
		else
			assert_int_equal(definition_is_same(&got.def, &first.def), want->same);
		release(&got);
		release(&first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_read),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
		cmocka_unit_test(there_are_at_most_128_arguments),
		cmocka_unit_test(a_number_is_recorded),
		cmocka_unit_test(a_string_is_recorded),
		cmocka_unit_test(an_array_is_recorded),
		cmocka_unit_test(a_string_without_end_is_bounded),
		cmocka_unit_test(no_byte_of_an_earlier_record_is_left),
		cmocka_unit_test(a_return_has_arguments_that_were_kept),
		cmocka_unit_test(a_removal_chooses_by_words),
		cmocka_unit_test(probes_of_an_event_have_the_same_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
