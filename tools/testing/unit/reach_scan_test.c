// SPDX-License-Identifier: GPL-2.0-only
/*
 * arch/x86/reach_scan.c: what a function names, and whether that is all.
 */
#include <unistd.h>

#include "reach_test.h"

/* Where a thunk is said to be. */
#define THUNK		(TEXT + 0x100000)

#define MAX_NAMED	16

struct named {
	unsigned int nr;
	u64 addrs[MAX_NAMED];
};

static struct named named, taken, bases;

static void note_target(void *data, u64 addr)
{
	struct named *list = data;

	assert_true(list->nr < MAX_NAMED);
	list->addrs[list->nr++] = addr;
}

static bool is_indirect_thunk(void *data, u64 addr)
{
	(void)data;
	return addr == THUNK;
}

static void note_taken(void *data, u64 addr)
{
	(void)data;
	note_target(&taken, addr);
}

static void note_base(void *data, u64 addr)
{
	(void)data;
	note_target(&bases, addr);
}

/* The traps that it is asked about, and whether they are stray. */
static struct named traps;
static bool all_stray;

/* Are there fillers? */
static bool fillers;

static bool is_stray(void *data, const u8 *bytes, size_t avail, u64 addr)
{
	(void)data;
	assert_true(avail && bytes[0] == 0xcc);
	note_target(&traps, addr);
	return all_stray;
}

/* Where instructions begin in its midst. */
static struct named begins;

static void note_beginning(void *data, u64 addr)
{
	(void)data;
	note_target(&begins, addr);
}

static bool scan(const u8 *bytes, size_t size)
{
	const struct reach_scan who = {
		.data = &named,
		.target = note_target,
		.taken = note_taken,
		.is_indirect_thunk = is_indirect_thunk,
		.base = note_base,
		.is_stray = is_stray,
		.begins = note_beginning,
		.fillers = fillers,
	};
	u8 *exact = malloc(size);
	bool all;

	assert_non_null(exact);
	memcpy(exact, bytes, size);
	named.nr = 0;
	taken.nr = 0;
	bases.nr = 0;
	traps.nr = 0;
	begins.nr = 0;
	all = reach_scan(&who, exact, size, TEXT);
	free(exact);
	return all;
}

static bool was_named(u64 addr)
{
	unsigned int i;

	for (i = 0; i < named.nr; i++)
		if (named.addrs[i] == addr)
			return true;
	return false;
}

static bool is_only(const struct named *list, s64 offset)
{
	return list->nr == 1 && list->addrs[0] == TEXT + (u64)offset;
}

/* A branch goes to @offset from TEXT, and nothing else was named. */
static bool only(s64 offset)
{
	return !taken.nr && is_only(&named, offset);
}

/* Only @offset from TEXT was taken, and no branch was seen. */
static bool only_taken(s64 offset)
{
	return !named.nr && is_only(&taken, offset);
}

static void branches_name_their_targets(void **state)
{
	(void)state;
	assert_true(scan(BYTES(0x75, 0x10)) && only(0x12));
	assert_true(scan(BYTES(0x75, 0xfe)) && only(0));
	assert_true(scan(BYTES(0x0f, 0x84, 0x00, 0x10, 0x00, 0x00)) && only(0x1006));
	assert_true(scan(BYTES(0xeb, 0x80)) && only(-0x7e));
	assert_true(scan(BYTES(0xe9, 0x00, 0x00, 0x00, 0xff)) && only(5 - 0x1000000));
	assert_true(scan(BYTES(0xe8, 0x00, 0x01, 0x00, 0x00)) && only(0x105));
	assert_true(scan(BYTES(0xe3, 0x10)) && only(0x12));
	assert_true(scan(BYTES(0xe2, 0x10)) && only(0x12));
	assert_true(scan(BYTES(0x90, 0x90, 0xc7, 0xf8, 0x10, 0x00, 0x00, 0x00)) && only(0x18));
}

static void traps_in_the_way_are_asked_about(void **state)
{
	(void)state;
	/* nop; int3; jne; ret: what is behind it is not looked at */
	all_stray = true;
	assert_false(scan(BYTES(0x90, 0xcc, 0x75, 0x10, 0xc3)));
	assert_true(is_only(&traps, 1) && !named.nr);
	/* The first byte; behind a branch that may not be taken; behind a call. */
	assert_false(scan(BYTES(0xcc, 0x75, 0x10, 0xc3)) || !is_only(&traps, 0));
	assert_false(scan(BYTES(0x75, 0x10, 0xcc, 0xc3)) || !is_only(&traps, 2));
	assert_true(only(0x12));
	assert_false(scan(BYTES(0xff, 0xd0, 0xcc, 0xc3)) || !is_only(&traps, 2));
	/* The last byte that is no padding, with zeros behind it. */
	assert_false(scan(BYTES(0x90, 0xcc, 0, 0)) || !is_only(&traps, 1));
	all_stray = false;
	assert_true(scan(BYTES(0x90, 0xcc, 0x75, 0x10, 0xc3)) && only(0x14) && is_only(&traps, 1));
	/* No other one is: behind a jump, a ret, a trap there, ud2; behind no instruction. */
	assert_true(scan(BYTES(0xeb, 0x10, 0xcc, 0xc3)) && only(0x12) && !traps.nr);
	assert_true(scan(BYTES(0xc3, 0xcc, 0xcc, 0xcc, 0x90)) && !traps.nr);
	assert_true(scan(BYTES(0x0f, 0x0b, 0xcc, 0x90)) && !traps.nr);
	assert_true(scan(BYTES(0xff, 0xe0, 0xcc, 0x90)) && !traps.nr);
	assert_false(scan(BYTES(0x06, 0xcc, 0x90)) || traps.nr);
}

static void what_fills_up_a_jump_is_no_trap_in_the_way(void **state)
{
	(void)state;
	all_stray = fillers = true;
	/* jmp *%rax; int3; nop; int3; jne: in place of a jump to a thunk. */
	scan(BYTES(0xff, 0xe0, 0xcc, 0x66, 0x90, 0xcc, 0x75, 0x10, 0xc3));
	assert_true(!traps.nr && was_named(TEXT + 0x18));
	scan(BYTES(0x41, 0xff, 0xe0, 0xcc, 0x90, 0xcc, 0x75, 0x10, 0xc3));
	assert_true(!traps.nr && was_named(TEXT + 0x18));
	/* What runs behind it is in the way of others again. */
	scan(BYTES(0xff, 0xe0, 0xcc, 0x66, 0x90, 0xcc, 0x75, 0x10, 0xcc, 0xc3));
	assert_true(traps.nr && traps.addrs[0] == TEXT + 8);
	/* Behind other nops an int3 is not the compiler's. */
	scan(BYTES(0xff, 0xe0, 0xcc, 0x0f, 0x1f, 0x00, 0xcc, 0xc3));
	assert_true(traps.nr && traps.addrs[0] == TEXT + 6);
	/* Nor is it where compilers put none. */
	fillers = false;
	scan(BYTES(0xff, 0xe0, 0xcc, 0x66, 0x90, 0xcc, 0x75, 0x10, 0xc3));
	assert_true(traps.nr && traps.addrs[0] == TEXT + 5);
	all_stray = false;
}

static void a_check_that_is_off_is_stepped_over(void **state)
{
	(void)state;
	/* a3 seems to be a mov of nine bytes, and 53 f1 a push and a trap.  Then jne, ret. */
	assert_true(scan(BYTES(0xeb, 0x0c, 0xa3, 0x36, 0xa8, 0x54, 0x45, 0x03, 0x53, 0xf1, 0x74, 0x02,
			       0x0f, 0x0b, 0x75, 0x10, 0xc3)));
	assert_true(named.nr == 2 && was_named(TEXT + 14) && was_named(TEXT + 0x20));
}

static void what_follows_is_not_named(void **state)
{
	(void)state;
	assert_true(scan(BYTES(0xff, 0xd0, 0x90, 0xc3)));
	assert_int_equal(named.nr, 0);
	assert_true(scan(BYTES(0x48, 0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, 0xc3)));
	assert_int_equal(named.nr, 0);
}

static void taken_addresses(void **state)
{
	(void)state;
	/* lea 0x20(%rip),%rax */
	assert_true(scan(BYTES(0x48, 0x8d, 0x05, 0x20, 0, 0, 0)) && only_taken(0x27));
	/* mov $TEXT+0x30,%rax; movabs; push */
	assert_true(scan(BYTES(0x48, 0xc7, 0xc0, 0x30, 0, 0, 0x81)) && only_taken(0x30));
	assert_true(scan(BYTES(0x48, 0xb8, 0x30, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff)) &&
		    only_taken(0x30));
	assert_true(scan(BYTES(0x68, 0x30, 0, 0, 0x81)) && only_taken(0x30));
	/* lea TEXT+0x30(,%rax,8),%rax */
	assert_true(scan(BYTES(0x48, 0x8d, 0x04, 0xc5, 0x30, 0, 0, 0x81)) && only_taken(0x30));
	/* movq $TEXT+0x30,8(%rsp) */
	assert_true(scan(BYTES(0x48, 0xc7, 0x44, 0x24, 0x08, 0x30, 0, 0, 0x81)) && only_taken(0x30));
	/* A word of data is no address of a branch. */
	assert_true(scan(BYTES(0x8b, 0x04, 0x25, 0x30, 0, 0, 0x81)));
	assert_int_equal(named.nr + taken.nr, 0);
}

/* 0xdeadbeef and ~0x01000000 look like addresses of modules: no branch goes there. */
static void constants_are_no_branches(void **state)
{
	(void)state;
	assert_true(scan(BYTES(0x48, 0xc7, 0xc0, 0xef, 0xbe, 0xad, 0xde, 0xc3)));
	assert_int_equal(named.nr, 0);
	assert_true(scan(BYTES(0x25, 0xff, 0xff, 0xff, 0xfe, 0x75, 0x10)));
	assert_true(is_only(&named, 0x17));
	assert_int_equal(taken.nr, 1);
}

static void indirect_jumps_alone_are_proven(void **state)
{
	(void)state;
	assert_true(scan(BYTES(0xff, 0xe0)));
	assert_true(scan(BYTES(0xff, 0x24, 0xc5, 0, 0, 0, 0x82)));
	assert_true(scan(BYTES(0xe9, 0xfb, 0xff, 0x0f, 0x00)) && was_named(THUNK));
	assert_true(scan(BYTES(0x50, 0xc3)));
}

/* Takes the address of its own last byte, then goes somewhere. */
static bool scan_with_own_address(const u8 *end, size_t size)
{
	u8 bytes[32] = { 0x48, 0x8d, 0x05, size, 0, 0, 0 };

	memcpy(bytes + 7, end, size);
	bytes[7 + size] = 0x90;
	return scan(bytes, 8 + size);
}

static void indirect_jumps_near_an_own_address(void **state)
{
	(void)state;
	assert_false(scan_with_own_address(BYTES(0xff, 0xe0)));
	assert_false(scan_with_own_address(BYTES(0xff, 0x20)));
	assert_false(scan_with_own_address(BYTES(0xe9, 0xf4, 0xff, 0x0f, 0x00)));
	assert_false(scan_with_own_address(BYTES(0x0f, 0x84, 0xf3, 0xff, 0x0f, 0x00)));
	assert_false(scan_with_own_address(BYTES(0x50, 0xc3)));
	assert_false(scan_with_own_address(BYTES(0xff, 0x33, 0xc3)));
	assert_false(scan_with_own_address(BYTES(0x48, 0x89, 0x04, 0x24, 0xc3)));
	/* Calls, returns and other thunks don't count. */
	assert_true(scan_with_own_address(BYTES(0xff, 0xd0)));
	assert_true(scan_with_own_address(BYTES(0xe8, 0xf4, 0xff, 0x0f, 0x00)));
	assert_true(scan_with_own_address(BYTES(0xe9, 0xf5, 0xff, 0x0f, 0x00)));
	assert_true(scan_with_own_address(BYTES(0x5b, 0xc3)));
	/* push imm names what it pushes: another address within. */
	assert_false(scan(BYTES(0x68, 0x01, 0, 0, 0x81, 0xc3)));
	/* The function's first byte and the byte behind its last are not within. */
	assert_true(scan(BYTES(0x48, 0xc7, 0xc0, 0, 0, 0, 0x81, 0xff, 0xe0)));
	assert_true(scan(BYTES(0x48, 0xc7, 0xc0, 9, 0, 0, 0x81, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x48, 0xc7, 0xc0, 8, 0, 0, 0x81, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x48, 0xc7, 0xc0, 1, 0, 0, 0x81, 0xff, 0xe0)));
}

static void addresses_that_may_be_added_to(void **state)
{
	(void)state;
	/* lea 0x20(%rip),%rax; jmp *%rax, or through a thunk, or pushed */
	assert_true(scan(BYTES(0x48, 0x8d, 0x05, 0x20, 0, 0, 0, 0xff, 0xe0)));
	assert_int_equal(bases.nr, 1);
	assert_true(bases.addrs[0] == TEXT + 0x27);
	assert_true(scan(BYTES(0xe9, 0xfb, 0xff, 0x0f, 0x00, 0x48, 0xc7, 0xc0, 0x30, 0, 0, 0x81)));
	assert_int_equal(bases.nr, 1);
	assert_true(bases.addrs[0] == TEXT + 0x30);
	assert_true(scan(BYTES(0x68, 0x30, 0, 0, 0x81, 0xc3)));
	assert_int_equal(bases.nr, 1);
	/* Where branches go is none; a word in memory is whole; a call comes back. */
	assert_true(scan(BYTES(0x75, 0x30, 0xff, 0xe0)));
	assert_int_equal(bases.nr, 0);
	assert_true(scan(BYTES(0x48, 0x8d, 0x05, 0x20, 0, 0, 0, 0xff, 0x20)));
	assert_int_equal(bases.nr, 0);
	assert_true(scan(BYTES(0x48, 0x8d, 0x05, 0x20, 0, 0, 0, 0xff, 0xd0)));
	assert_int_equal(bases.nr, 0);
}

static void tables_of_offsets(void **state)
{
	(void)state;
	/* movslq (%rdx,%rax,4),%rax; mov; movzwl ,2; movzbl ,1 */
	assert_false(scan(BYTES(0x48, 0x63, 0x04, 0x82, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x8b, 0x04, 0x82, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x0f, 0xb7, 0x04, 0x42, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x48, 0x0f, 0xbf, 0x04, 0x42, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x0f, 0xb6, 0x04, 0x02, 0xff, 0xe0)));
	assert_false(scan(BYTES(0x48, 0x63, 0x04, 0x82, 0xe9, 0xf7, 0xff, 0x0f, 0x00)));
	/* r12 is an index. */
	assert_false(scan(BYTES(0x4a, 0x63, 0x04, 0xa2, 0xff, 0xe0)));
	/* Whole words, other scales, no index, a jump through memory, no jump. */
	assert_true(scan(BYTES(0x48, 0x8b, 0x04, 0xc2, 0xff, 0xe0)));
	assert_true(scan(BYTES(0x48, 0x63, 0x04, 0xc2, 0xff, 0xe0)));
	assert_true(scan(BYTES(0x48, 0x8b, 0x04, 0x82, 0xff, 0xe0)));
	assert_true(scan(BYTES(0x48, 0x63, 0x04, 0x24, 0xff, 0xe0)));
	assert_true(scan(BYTES(0x48, 0x63, 0x04, 0xa4, 0xff, 0xe0)));
	assert_true(scan(BYTES(0x48, 0x63, 0x04, 0x82, 0xff, 0x24, 0xc2)));
	assert_true(scan(BYTES(0x48, 0x63, 0x04, 0x82, 0xc3)));
}

static void what_does_not_decode(void **state)
{
	(void)state;
	assert_false(scan(BYTES(0x90, 0x06, 0xc3)));
	assert_false(scan(BYTES(0xc3, 0x0f)));
	/* What comes behind is named all the same. */
	assert_false(scan(BYTES(0x06, 0x75, 0x10)));
	assert_true(only(0x13));
	/* A branch whose target depends on the vendor of the processor. */
	assert_false(scan(BYTES(0x66, 0xeb, 0x10)));
}

static void padding_at_the_end(void **state)
{
	(void)state;
	assert_true(scan(BYTES(0xc3, 0xcc, 0xcc, 0xcc)));
	assert_true(scan(BYTES(0xc3, 0, 0, 0)));
	assert_true(scan(BYTES(0xc3, 0)));
	assert_true(scan(BYTES(0xc3, 0xcc, 0, 0xcc)));
	assert_true(scan(BYTES(0xc3, 0x0f, 0x1f, 0x00)));
	assert_false(scan(BYTES(0xc3, 0xcc, 0x06)));
	assert_true(scan((const u8 *)"", 0));
}

/* Rows of nops of five bytes, with a branch behind each. */
static size_t rows_of_nops(u8 *to, unsigned int rows, unsigned int nops)
{
	u8 *at = to;
	unsigned int i;

	while (rows--) {
		for (i = 0; i < nops; i++, at += 5)
			memcpy(at, "\x0f\x1f\x44\x00\x00", 5);
		memcpy(at, "\x75\x00", 2);
		at += 2;
	}
	memset(at, 0x90, INSN_MAX_LENGTH);
	return at - to + INSN_MAX_LENGTH;
}

static void beginnings_are_those_of_branches(void **state)
{
	u8 bytes[600];
	size_t size = rows_of_nops(bytes, 3, 20);

	(void)state;
	assert_true(scan(bytes, size));
	assert_int_equal(begins.nr, 3);
	assert_true(begins.addrs[0] == TEXT + 100 && begins.addrs[2] == TEXT + 304);
	/* Not more often than each REACH_STRIDE bytes. */
	size = rows_of_nops(bytes, 6, REACH_STRIDE / 10);
	assert_true(scan(bytes, size));
	assert_int_equal(begins.nr, 2);
	assert_true(begins.addrs[0] == TEXT + 94 && begins.addrs[1] == TEXT + 158);
}

static void nothing_begins_where_others_may_not_come(void **state)
{
	u8 bytes[600];
	size_t size = rows_of_nops(bytes, 3, 20);

	(void)state;
	/* Behind a byte that is no instruction; */
	bytes[100] = 0x06;
	assert_false(scan(bytes, size));
	assert_true(begins.nr == 1 && begins.addrs[0] == TEXT + 100);
	/* behind a trap that may be another tool's; */
	size = rows_of_nops(bytes, 3, 20);
	bytes[102] = 0xcc;
	all_stray = true;
	assert_false(scan(bytes, size));
	all_stray = false;
	assert_int_equal(begins.nr, 1);
	/* and where execution does not go on. */
	size = rows_of_nops(bytes, 2, 20);
	bytes[152] = 0xc3;
	memset(bytes + 153, 0xcc, size - 153);
	bytes[size - 1] = 0xc3;
	assert_true(scan(bytes, size));
	assert_true(begins.nr == 1 && begins.addrs[0] == TEXT + 100);
}

/* A damaged file may have a function like that. It takes no time that grows with the square. */
static void a_long_row_of_zeros(void **state)
{
	static u8 bytes[1 << 20];

	(void)state;
	bytes[sizeof(bytes) - 1] = 0xc3;
	alarm(30);
	assert_true(scan(bytes, sizeof(bytes)));
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_name_their_targets),
		cmocka_unit_test(traps_in_the_way_are_asked_about),
		cmocka_unit_test(what_fills_up_a_jump_is_no_trap_in_the_way),
		cmocka_unit_test(a_check_that_is_off_is_stepped_over),
		cmocka_unit_test(what_follows_is_not_named),
		cmocka_unit_test(taken_addresses),
		cmocka_unit_test(constants_are_no_branches),
		cmocka_unit_test(indirect_jumps_alone_are_proven),
		cmocka_unit_test(indirect_jumps_near_an_own_address),
		cmocka_unit_test(addresses_that_may_be_added_to),
		cmocka_unit_test(tables_of_offsets),
		cmocka_unit_test(what_does_not_decode),
		cmocka_unit_test(padding_at_the_end),
		cmocka_unit_test(beginnings_are_those_of_branches),
		cmocka_unit_test(nothing_begins_where_others_may_not_come),
		cmocka_unit_test(a_long_row_of_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
