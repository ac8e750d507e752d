// SPDX-License-Identifier: GPL-2.0-only
/*
 * The copies of arch/x86/reach.c on the processor: random code runs as it is,
 * and again with a jump to its copy over its first bytes, from one state.
 * Registers, flags, memory and the address at which execution leaves must
 * agree.  The last test fails if a form of instruction was never run so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../../../arch/x86/reach.h"
#include "bytes.h"
#include "native.h"

#define ROUNDS		150000

/* Where copies are: in front of the code, and 1.5 GB away. */
#define COPY_NEAR	(NATIVE_CODE + 0x100)
#define COPY_FAR	0x70000000ul
#define COPY_FAR_SIZE	0x1000ul

/* A word of memory that holds NATIVE_FAR, which operands lead to. */
#define POINTER		(NATIVE_DATA + 0x10)

#define STATUS_FLAGS	0x8d5ul
#define FLAG_ALWAYS	0x2ul

/* What may not get into the flags by way of popf: TF, NT, AC. */
#define NO_FLAGS	0x44100ul

static u64 rnd_state = 0x13198a2e03707344ull;

static u64 rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state;
}

/* ---- code that is being put together ---- */

struct code {
	u8 bytes[64];
	unsigned int len;
	bool ended;	/* nothing behind is run */
	bool called;	/* the last is a call */
};

static void put(struct code *code, const u8 *bytes, size_t len)
{
	assert_true(code->len + len <= sizeof(code->bytes));
	memcpy(code->bytes + code->len, bytes, len);
	code->len += len;
}

/* A displacement of @size bytes, with @behind more bytes of the instruction behind it. */
static void put_rel(struct code *code, u64 target, unsigned int size, unsigned int behind)
{
	s64 rel = target - (NATIVE_INSN + code->len + size + behind);

	put(code, (const u8 *)&rel, size);
}

/* Which forms have run by way of a copy. */
enum form {
	FORM_PLAIN, FORM_NOP, FORM_FLAGS, FORM_RIP, FORM_RIP_IMM,
	FORM_JCC8, FORM_JCC32, FORM_LOOP, FORM_LOOP_67, FORM_LOOP_SELF,
	FORM_JMP8, FORM_JMP32, FORM_RET, FORM_RET_IMM, FORM_JMP_REG, FORM_JMP_MEM, FORM_JMP_RIP,
	FORM_CALL, FORM_CALL_REG, FORM_CALL_MEM, FORM_CALL_SIB, FORM_CALL_RIP, FORM_CALL_GS,
	NR_FORMS
};

static unsigned int form_runs[NR_FORMS];

static void put_plain(struct code *code)
{
	switch (rnd() % 8) {
	case 0: return put(code, BYTES(0x53));				/* push %rbx */
	case 1: return put(code, BYTES(0x5a));				/* pop %rdx */
	case 2: return put(code, BYTES(0x49, 0x89, 0xe0));		/* mov %rsp,%r8 */
	case 3: return put(code, BYTES(0x48, 0x01, 0xd7));		/* add %rdx,%rdi */
	case 4: return put(code, BYTES(0x49, 0x89, 0x7c, 0x24, 0x40));	/* mov %rdi,0x40(%r12) */
	case 5: return put(code, BYTES(0x68, 0x00, 0x18, 0, 0x10));	/* push $NATIVE_FAR */
	case 6: return put(code, BYTES(0xff, 0xce));			/* dec %esi */
	default:							/* movabs $...,%r10 */
		return put(code, BYTES(0x49, 0xba, 1, 2, 3, 4, 5, 6, 7, 8));
	}
}

static void put_nop(struct code *code)
{
	switch (rnd() % 4) {
	case 0: return put(code, BYTES(0x90));
	case 1: return put(code, BYTES(0x66, 0x90));
	case 2: return put(code, BYTES(0x0f, 0x1f, 0x40, 0x00));
	default: return put(code, BYTES(0x0f, 0x1f, 0x44, 0x00, 0x00));
	}
}

static void put_flags(struct code *code)
{
	switch (rnd() % 4) {
	case 0: return put(code, BYTES(0x9c));
	case 1: return put(code, BYTES(0x9d));
	case 2: return put(code, BYTES(0xf9));		/* stc */
	default: return put(code, BYTES(0xf5));		/* cmc */
	}
}

static void put_rip(struct code *code)
{
	static const u8 ops[][3] = {
		{ 0x48, 0x8b, 0x05 },	/* mov POINTER,%rax */
		{ 0x48, 0x8d, 0x3d },	/* lea POINTER,%rdi */
		{ 0x4c, 0x03, 0x15 },	/* add POINTER,%r10 */
	};

	put(code, ops[rnd() % 3], 3);
	put_rel(code, POINTER, 4, 0);
}

/* addl $1,POINTER+0x20; cmpb $5,... */
static void put_rip_imm(struct code *code)
{
	if (rnd() & 1) {
		put(code, BYTES(0x81, 0x05));
		put_rel(code, POINTER + 0x20, 4, 4);
		put(code, BYTES(1, 2, 3, 0));
	} else {
		put(code, BYTES(0x80, 0x3d));
		put_rel(code, POINTER, 4, 1);
		put(code, BYTES(5));
	}
}

static void put_jcc8(struct code *code)
{
	put(code, BYTES(0x70 | (rnd() & 15)));
	put_rel(code, NATIVE_NEAR, 1, 0);
}

static void put_jcc32(struct code *code)
{
	put(code, BYTES(0x0f, 0x80 | (rnd() & 15)));
	put_rel(code, rnd() & 1 ? NATIVE_NEAR : NATIVE_FAR, 4, 0);
}

static void put_loop(struct code *code)
{
	put(code, BYTES(0xe0 | (rnd() & 3)));
	put_rel(code, NATIVE_NEAR, 1, 0);
}

static void put_loop_67(struct code *code)
{
	put(code, BYTES(0x67));
	put_loop(code);
}

/* To the first byte: over the jump, and once more through the copy. */
static void put_loop_self(struct code *code)
{
	put(code, BYTES(0xe0 | (rnd() % 3)));
	put_rel(code, NATIVE_INSN, 1, 0);
}

static void put_jmp8(struct code *code)
{
	put(code, BYTES(0xeb));
	put_rel(code, NATIVE_NEAR, 1, 0);
}

static void put_jmp32(struct code *code)
{
	put(code, BYTES(0xe9));
	put_rel(code, NATIVE_FAR, 4, 0);
}

static void put_ret(struct code *code)
{
	put(code, BYTES(0xc3));
}

static void put_ret_imm(struct code *code)
{
	put(code, BYTES(0xc2, 0x18, 0x00));
}

/* rbx holds NATIVE_FAR. */
static void put_jmp_reg(struct code *code)
{
	put(code, BYTES(0xff, 0xe3));
}

static void put_jmp_mem(struct code *code)
{
	put(code, BYTES(0x41, 0xff, 0x64, 0x24, 0x10));
}

static void put_jmp_rip(struct code *code)
{
	put(code, BYTES(0xff, 0x25));
	put_rel(code, POINTER, 4, 0);
}

static void put_call(struct code *code)
{
	put(code, BYTES(0xe8));
	put_rel(code, rnd() & 1 ? NATIVE_NEAR : NATIVE_FAR, 4, 0);
}

static void put_call_reg(struct code *code)
{
	if (rnd() & 1)
		put(code, BYTES(0x3e));		/* notrack */
	put(code, BYTES(0xff, 0xd3));
}

/* r12 holds NATIVE_DATA. */
static void put_call_mem(struct code *code)
{
	if (rnd() & 1)
		put(code, BYTES(0x41, 0xff, 0x54, 0x24, 0x10));
	else
		put(code, BYTES(0x41, 0xff, 0x94, 0x24, 0x10, 0, 0, 0));
}

/* r13 holds 2: *(%r12,%r13,8) */
static void put_call_sib(struct code *code)
{
	put(code, BYTES(0x43, 0xff, 0x14, 0xec));
}

static void put_call_rip(struct code *code)
{
	put(code, BYTES(0xff, 0x15));
	put_rel(code, POINTER, 4, 0);
}

static void put_call_gs(struct code *code)
{
	u32 disp = POINTER - NATIVE_GS_BASE;

	put(code, BYTES(0x65, 0xff, 0x14, 0x25));
	put(code, (const u8 *)&disp, 4);
}

static void (*const put_form[NR_FORMS])(struct code *code) = {
	[FORM_PLAIN] = put_plain, [FORM_NOP] = put_nop, [FORM_FLAGS] = put_flags,
	[FORM_RIP] = put_rip, [FORM_RIP_IMM] = put_rip_imm,
	[FORM_JCC8] = put_jcc8, [FORM_JCC32] = put_jcc32,
	[FORM_LOOP] = put_loop, [FORM_LOOP_67] = put_loop_67, [FORM_LOOP_SELF] = put_loop_self,
	[FORM_JMP8] = put_jmp8, [FORM_JMP32] = put_jmp32,
	[FORM_RET] = put_ret, [FORM_RET_IMM] = put_ret_imm,
	[FORM_JMP_REG] = put_jmp_reg, [FORM_JMP_MEM] = put_jmp_mem, [FORM_JMP_RIP] = put_jmp_rip,
	[FORM_CALL] = put_call, [FORM_CALL_REG] = put_call_reg, [FORM_CALL_MEM] = put_call_mem,
	[FORM_CALL_SIB] = put_call_sib, [FORM_CALL_RIP] = put_call_rip,
	[FORM_CALL_GS] = put_call_gs,
};

static void add_form(struct code *code, enum form form)
{
	put_form[form](code);
	code->ended = form >= FORM_JMP8 && form <= FORM_JMP_RIP;
	code->called = form >= FORM_CALL;
}

/*
 * Two that count down can miss zero and go around for ever.  A return goes to
 * what was pushed last, which pushf makes no address.
 */
static bool do_not_mix(u32 forms, enum form form)
{
	u32 loops = 1u << FORM_LOOP | 1u << FORM_LOOP_67 | 1u << FORM_LOOP_SELF;

	if (form == FORM_RET || form == FORM_RET_IMM)
		return forms >> FORM_FLAGS & 1;
	return loops >> form & 1 && forms & loops;
}

/* Half of it is plain: long regions of short instructions. */
static enum form random_form(u32 forms)
{
	enum form form;

	do
		form = rnd() & 1 ? rnd() % FORM_RIP : rnd() % NR_FORMS;
	while (do_not_mix(forms, form));
	return form;
}

/* Whole instructions up to the jump's end, or what a jump behind them leaves dead. */
static struct code random_code(u32 *forms)
{
	struct code code = { .len = 0 };
	enum form form;

	*forms = 0;
	while (code.len < REACH_JUMP_SIZE && !code.ended) {
		form = random_form(*forms);
		*forms |= 1u << form;
		add_form(&code, form);
		if (code.called && code.len < REACH_JUMP_SIZE)
			return random_code(forms);
	}
	while (code.len < REACH_JUMP_SIZE)
		put(&code, BYTES(0xcc));
	return code;
}

/* ---- running it ---- */

static bool no_at(void *data, u64 addr)
{
	(void)data;
	(void)addr;
	return false;
}

static bool no_range(void *data, u64 start, u64 end)
{
	(void)data;
	(void)start;
	(void)end;
	return false;
}

static const struct reach_facts no_facts = {
	.is_target = no_at, .is_owned = no_range, .has_fixup = no_at,
};

static struct emulate_regs random_regs(void)
{
	struct emulate_regs regs;
	u64 *word = (u64 *)&regs;
	unsigned int i;

	for (i = 0; i < sizeof(regs) / 8; i++)
		word[i] = rnd() & ~NO_FLAGS;
	regs.bx = NATIVE_FAR;
	regs.r12 = NATIVE_DATA;
	regs.r13 = 2;
	regs.cx = 1 + rnd() % 3;
	regs.sp = NATIVE_STACK;
	regs.flags = (rnd() & STATUS_FLAGS) | EMULATE_FLAG_IF | FLAG_ALWAYS;
	return regs;
}

/* Whatever is taken from the stack as an address must be one. */
static void fill_data(void)
{
	u64 addr, far = NATIVE_FAR;

	for (addr = NATIVE_DATA; addr < NATIVE_DATA + NATIVE_DATA_SIZE; addr += 8)
		memcpy((void *)addr, &far, 8);
}

static void run(const struct code *code, struct emulate_regs *regs, u8 *data)
{
	fill_data();
	native_run(code->bytes, code->len, regs);
	memcpy(data, (void *)NATIVE_DATA, NATIVE_DATA_SIZE);
}

/* Put a copy at @to, and a jump there over the first bytes of @code. */
static void divert(struct code *code, const struct reach_region *region, u64 to)
{
	u8 copy[REACH_MAX_COPY];
	unsigned int len = reach_copy(region, copy, code->bytes, NATIVE_INSN, to);
	s32 rel = to - (NATIVE_INSN + REACH_JUMP_SIZE);

	assert_in_range(len, 1, REACH_MAX_COPY);
	memset((void *)to, 0xcc, 2 * REACH_MAX_COPY);
	memcpy((void *)to, copy, len);
	code->bytes[0] = 0xe9;
	memcpy(code->bytes + 1, &rel, sizeof(rel));
}

static void compare(struct code code, const struct emulate_regs *regs, u64 to)
{
	static u8 data[2][NATIVE_DATA_SIZE];
	struct emulate_regs plain = *regs, diverted = *regs;
	struct reach_region region;

	assert_int_equal(reach_region(&region, code.bytes, code.len, NATIVE_INSN, &no_facts),
			 REACH_OK);
	assert_int_equal(region.flows_on, !code.ended);
	run(&code, &plain, data[0]);
	divert(&code, &region, to);
	run(&code, &diverted, data[1]);
	assert_memory_equal(&plain, &diverted, sizeof(plain));
	assert_memory_equal(data[0], data[1], NATIVE_DATA_SIZE);
}

static u64 random_place(void)
{
	return (rnd() & 1 ? COPY_NEAR : COPY_FAR) + rnd() % 0x400;
}

static void random_code_as_its_copy(void **state)
{
	struct emulate_regs regs;
	struct code code;
	unsigned int round, form;
	u32 forms;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		code = random_code(&forms);
		regs = random_regs();
		if (!(forms >> FORM_LOOP_SELF & 1))
			regs.cx = (rnd() % 4) << 32 | (rnd() % 3);
		compare(code, &regs, random_place());
		for (form = 0; form < NR_FORMS; form++)
			form_runs[form] += forms >> form & 1;
	}
}

/* dec %ecx; jne to itself: more than once around. */
static void conditional_jump_to_the_first_byte(void **state)
{
	struct code code = { .len = 0 };
	struct emulate_regs regs = random_regs();

	(void)state;
	put(&code, BYTES(0x50, 0xff, 0xc9, 0x75, 0xfb));
	regs.cx = 7;
	compare(code, &regs, COPY_NEAR);
	compare(code, &regs, COPY_FAR);
}

/* Both ways of every condition. */
static void every_condition(void **state)
{
	struct emulate_regs regs = random_regs();
	unsigned int op, flags;

	(void)state;
	for (op = 0; op < 16; op++) {
		for (flags = 0; flags < 64; flags++) {
			struct code code = { .len = 0 };

			regs.flags = EMULATE_FLAG_IF | FLAG_ALWAYS |
				     (flags & 1) | (flags & 2) << 1 | (flags & 4) << 2 |
				     (flags & 8) << 3 | (flags & 16) << 3 | (flags & 32) << 6;
			put(&code, BYTES(0x50, 0x70 | op));
			put_rel(&code, NATIVE_NEAR, 1, 0);
			put(&code, BYTES(0x48, 0x89, 0xe0));
			compare(code, &regs, random_place());
		}
	}
}

static void every_loop_at_its_edges(void **state)
{
	static const u64 counts[] = { 0, 1, 2, 0x100000000, 0x100000001, ~0ull };
	struct emulate_regs regs;
	unsigned int op, i, zero, prefix;

	(void)state;
	for (op = 0; op < 4; op++) {
		for (i = 0; i < 6 * 4; i++) {
			struct code code = { .len = 0 };

			zero = i & 1;
			prefix = i >> 1 & 1;
			regs = random_regs();
			regs.cx = counts[i / 4];
			regs.flags = EMULATE_FLAG_IF | FLAG_ALWAYS | (zero ? EMULATE_FLAG_ZF : 0);
			if (prefix)
				put(&code, BYTES(0x67));
			put(&code, BYTES(0xe0 | op));
			put_rel(&code, NATIVE_NEAR, 1, 0);
			put(&code, BYTES(0x48, 0x89, 0xe0));
			compare(code, &regs, random_place());
		}
	}
}

/* Three loops of two bytes, the most that a copy grows by. */
static void the_copy_that_grows_most(void **state)
{
	struct emulate_regs regs = random_regs();
	struct code code = { .len = 0 };
	u64 count;

	(void)state;
	put_loop(&code);
	put_loop(&code);
	put_loop(&code);
	for (count = 0; count < 5; count++) {
		regs.cx = count;
		compare(code, &regs, COPY_NEAR);
	}
}

static void every_form_was_run(void **state)
{
	unsigned int form;

	(void)state;
	for (form = 0; form < NR_FORMS; form++) {
		if (!form_runs[form])
			fail_msg("form %u was never run", form);
	}
}

static int set_up(void **state)
{
	void *far = mmap((void *)COPY_FAR, COPY_FAR_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	(void)state;
	return far == (void *)COPY_FAR && native_init() ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_code_as_its_copy),
		cmocka_unit_test(conditional_jump_to_the_first_byte),
		cmocka_unit_test(every_condition),
		cmocka_unit_test(every_loop_at_its_edges),
		cmocka_unit_test(the_copy_that_grows_most),
		cmocka_unit_test(every_form_was_run),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
