// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/x86/emulate.c: named cases, and those of emulate_native.c.  The
 * last test fails if a row of the emulation's table was never run.
 */
#include <stdio.h>

#include "emulate_test.h"

/* How often a row has been run. */
static unsigned int row_runs[256];

/* Accesses outside the memory fault, and all of them while this is set. */
static bool fault_loads, fault_stores;

bool in_memory(u64 addr, unsigned int size)
{
	return addr >= NATIVE_BASE &&
	       addr + size <= NATIVE_BASE + NATIVE_CODE_SIZE + NATIVE_DATA_SIZE;
}

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	if (fault_loads || !in_memory(addr, size))
		return false;
	memcpy(val, (void *)addr, size);
	return true;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	if (fault_stores || !in_memory(addr, size))
		return false;
	memcpy((void *)addr, val, size);
	return true;
}

u64 emulate_segment_base(enum insn_segment segment)
{
	return segment == INSN_SEG_GS ? NATIVE_GS_BASE : FS_BASE;
}

static unsigned int address_bits = 57;

unsigned int emulate_address_bits(void)
{
	return address_bits;
}

/* Deterministic random numbers. */
static u64 rnd_state = 0x243f6a8885a308d3ull;

u64 rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state;
}

struct insn decode_ok(const u8 *bytes, size_t len)
{
	struct insn insn;

	assert_int_equal(insn_decode(&insn, bytes, len), INSN_OK);
	assert_int_equal(insn.length, len);
	return insn;
}

static enum emulate_result emulate(const u8 *bytes, size_t len, struct emulate_regs *regs)
{
	struct insn insn = decode_ok(bytes, len);
	enum emulate_result result = emulate_insn(&insn, regs);

	if (result == EMULATE_DONE)
		row_runs[emulate_row(&insn)]++;
	return result;
}

void emulate_ok(const u8 *bytes, size_t len, struct emulate_regs *regs)
{
	assert_int_equal(emulate(bytes, len, regs), EMULATE_DONE);
}

struct emulate_regs random_regs(void)
{
	struct emulate_regs regs;
	u64 *word = (u64 *)&regs;
	unsigned int i;

	for (i = 0; i < sizeof(regs) / 8; i++)
		word[i] = rnd();
	regs.ip = NATIVE_INSN;
	regs.sp = NATIVE_STACK;
	regs.flags = (rnd() & (STATUS_FLAGS | FLAG_DF)) | EMULATE_FLAG_IF | FLAG_ALWAYS;
	return regs;
}

void assert_regs_equal(const struct emulate_regs *a, const struct emulate_regs *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

u64 load64(u64 addr)
{
	u64 val;

	memcpy(&val, (void *)addr, 8);
	return val;
}

void store64(u64 addr, u64 val)
{
	memcpy((void *)addr, &val, 8);
}

/* Named cases */

static void call_pushes_the_address_of_the_next_instruction(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	emulate_ok(BYTES(0x48, 0xe8, 0x10, 0x00, 0x00, 0x00), &regs);
	assert_int_equal(regs.sp, NATIVE_STACK - 8);
	assert_int_equal(load64(regs.sp), NATIVE_INSN + 6);
	assert_int_equal(regs.ip, NATIVE_INSN + 6 + 0x10);
}

static void call_mem_pushes_address_after_operand_read(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	/* call *-8(%rsp): the operand is where the return address goes */
	store64(NATIVE_STACK - 8, NATIVE_FAR);
	emulate_ok(BYTES(0xff, 0x54, 0x24, 0xf8), &regs);
	assert_int_equal(regs.ip, NATIVE_FAR);
	assert_int_equal(load64(NATIVE_STACK - 8), NATIVE_INSN + 4);
}

static void call_mem_of_rsp_uses_the_old_rsp(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	/* call *(%rsp) */
	store64(NATIVE_STACK, NATIVE_FAR);
	store64(NATIVE_STACK - 8, 0xdead);
	emulate_ok(BYTES(0xff, 0x14, 0x24), &regs);
	assert_int_equal(regs.ip, NATIVE_FAR);
	assert_int_equal(load64(NATIVE_STACK), NATIVE_FAR);
	assert_int_equal(load64(NATIVE_STACK - 8), NATIVE_INSN + 3);
}

static void call_rsp_goes_to_the_old_rsp(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	emulate_ok(BYTES(0xff, 0xd4), &regs);
	assert_int_equal(regs.ip, NATIVE_STACK);
	assert_int_equal(regs.sp, NATIVE_STACK - 8);
}

static void fs_and_gs_bases_are_added_after_truncation(void **state)
{
	struct emulate_regs regs = random_regs();
	struct insn insn;

	(void)state;
	/* jmp *%fs:0x10(%eax) */
	regs.ax = 0xffffffff00000020;
	insn = decode_ok(BYTES(0x64, 0x67, 0xff, 0x60, 0x10));
	assert_true(emulate_address(&insn, &regs) == FS_BASE + 0x30);
	insn = decode_ok(BYTES(0x64, 0xff, 0x60, 0x10));
	assert_true(emulate_address(&insn, &regs) == FS_BASE + 0xffffffff00000030);
	insn = decode_ok(BYTES(0xff, 0x60, 0x10));
	assert_true(emulate_address(&insn, &regs) == 0xffffffff00000030);
}

static void cli_and_sti_change_the_interrupt_flag_alone(void **state)
{
	struct emulate_regs regs = random_regs(), before;

	(void)state;
	before = regs;
	emulate_ok(BYTES(0xfa), &regs);
	before.ip++;
	before.flags &= ~EMULATE_FLAG_IF;
	assert_regs_equal(&regs, &before);
	emulate_ok(BYTES(0xfb), &regs);
	before.ip++;
	before.flags |= EMULATE_FLAG_IF;
	assert_regs_equal(&regs, &before);
}

static void popf_writes_what_cpl_0_may(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	/* from all clear to all set: not VM, RF, VIF, VIP and what is reserved */
	regs.flags = FLAG_ALWAYS;
	store64(regs.sp, ~0ull);
	emulate_ok(BYTES(0x9d), &regs);
	assert_int_equal(regs.flags, STATUS_FLAGS | EMULATE_FLAG_TF | EMULATE_FLAG_IF | FLAG_DF |
			 FLAG_IOPL | FLAG_NT | FLAG_AC | FLAG_ID | FLAG_ALWAYS);
	assert_int_equal(regs.sp, NATIVE_STACK + 8);
	/* and back: VM, VIF, VIP stay, RF goes */
	regs = random_regs();
	regs.flags = 0x3f7fd7;
	store64(regs.sp, 0);
	emulate_ok(BYTES(0x9d), &regs);
	assert_int_equal(regs.flags, FLAG_VM | FLAG_VIF | FLAG_VIP | FLAG_ALWAYS);
}

static void popfw_leaves_the_upper_flags(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	regs.flags = FLAG_ALWAYS | FLAG_AC | FLAG_ID | EMULATE_FLAG_RF;
	store64(regs.sp, 0xffff);
	emulate_ok(BYTES(0x66, 0x9d), &regs);
	assert_int_equal(regs.flags, STATUS_FLAGS | EMULATE_FLAG_TF | EMULATE_FLAG_IF | FLAG_DF |
			 FLAG_IOPL | FLAG_NT | FLAG_AC | FLAG_ID | FLAG_ALWAYS);
	assert_int_equal(regs.sp, NATIVE_STACK + 2);
}

static void pushf_stores_neither_rf_nor_vm(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	regs.flags = 0x3f7fd7;
	emulate_ok(BYTES(0x9c), &regs);
	assert_int_equal(load64(regs.sp), 0x3f7fd7 & ~(EMULATE_FLAG_RF | FLAG_VM));
	assert_int_equal(regs.sp, NATIVE_STACK - 8);
}

static void pushfw_stores_two_bytes(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	store64(NATIVE_STACK - 8, ~0ull);
	regs.flags = 0x246;
	emulate_ok(BYTES(0x66, 0x9c), &regs);
	assert_int_equal(regs.sp, NATIVE_STACK - 2);
	assert_true(load64(NATIVE_STACK - 8) == 0x0246ffffffffffff);
}

static void completion_clears_the_resume_flag(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	regs.flags |= EMULATE_FLAG_RF;
	emulate_ok(BYTES(0x90), &regs);
	assert_false(regs.flags & EMULATE_FLAG_RF);
}

/* Faults */

static void assert_fault(const u8 *bytes, size_t len, struct emulate_regs regs)
{
	static u8 memory[NATIVE_DATA_SIZE];
	struct emulate_regs before;

	regs.flags |= EMULATE_FLAG_RF;
	before = regs;
	memcpy(memory, (void *)NATIVE_DATA, sizeof(memory));
	assert_int_equal(emulate(bytes, len, &regs), EMULATE_FAULT);
	assert_regs_equal(&regs, &before);
	assert_memory_equal((void *)NATIVE_DATA, memory, sizeof(memory));
}

static void a_fault_on_the_stack_changes_nothing(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	regs.sp = 0x1000;
	assert_fault(BYTES(0xe8, 0, 0, 0, 0), regs);
	assert_fault(BYTES(0x9c), regs);
	assert_fault(BYTES(0x66, 0x9c), regs);
	assert_fault(BYTES(0x9d), regs);
	assert_fault(BYTES(0x66, 0x9d), regs);
	assert_fault(BYTES(0xc3), regs);
	assert_fault(BYTES(0xc2, 0x08, 0x00), regs);
	regs.ax = NATIVE_FAR;
	assert_fault(BYTES(0xff, 0xd0), regs);
}

static void a_fault_on_the_operand_changes_nothing(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	regs.ax = 0x1000;
	assert_fault(BYTES(0xff, 0x10), regs);		/* call *(%rax) */
	assert_fault(BYTES(0xff, 0x20), regs);		/* jmp *(%rax) */
	regs.ax = NATIVE_DATA;
	store64(NATIVE_DATA, NATIVE_FAR);
	fault_stores = true;				/* the operand is read, the push faults */
	assert_fault(BYTES(0xff, 0x10), regs);
	fault_stores = false;
}

static void a_branch_to_no_canonical_address_faults_first(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	regs.ax = 0xdead000000000100;
	assert_fault(BYTES(0xff, 0xe0), regs);
	assert_fault(BYTES(0xff, 0xd0), regs);
	store64(regs.sp, 0x6b6b6b6b6b6b6b6b);
	assert_fault(BYTES(0xc3), regs);
	assert_fault(BYTES(0xff, 0x24, 0x24), regs);
	assert_fault(BYTES(0xff, 0x14, 0x24), regs);
	/* the highest and the lowest canonical addresses are fine */
	regs.ax = 0x00ffffffffffffff;
	emulate_ok(BYTES(0xff, 0xe0), &regs);
	assert_int_equal(regs.ip, 0x00ffffffffffffff);
	regs.ax = 0xff00000000000000;
	emulate_ok(BYTES(0xff, 0xe0), &regs);
	assert_true(regs.ip == 0xff00000000000000);
	/* but not for a processor of 48 bits */
	address_bits = 48;
	regs.ax = 0x0080000000000000;
	assert_fault(BYTES(0xff, 0xe0), regs);
	assert_fault(BYTES(0xff, 0xd0), regs);
	regs.ax = 0xffff800000000000;
	emulate_ok(BYTES(0xff, 0xe0), &regs);
	address_bits = 57;
}

static void others_are_not_emulated(void **state)
{
	struct emulate_regs regs = random_regs(), before = regs;

	(void)state;
	assert_int_equal(emulate(BYTES(0x01, 0xc0), &regs), EMULATE_NONE);	/* add */
	assert_int_equal(emulate(BYTES(0xcc), &regs), EMULATE_NONE);		/* int3 */
	assert_int_equal(emulate(BYTES(0x66, 0xc3), &regs), EMULATE_NONE);	/* data16 ret */
	assert_regs_equal(&regs, &before);
}

/* Must be the last one. */
static void every_row_was_run(void **state)
{
	unsigned int i, missing = 0;

	(void)state;
	assert_in_range(emulate_nr_rows(), 1, 256);
	for (i = 0; i < emulate_nr_rows(); i++) {
		assert_non_null(emulate_row_name(i));
		if (!row_runs[i]) {
			fprintf(stderr, "# row never run: %s\n", emulate_row_name(i));
			missing++;
		}
	}
	fprintf(stderr, "# %u of %u rows run\n", emulate_nr_rows() - missing, emulate_nr_rows());
	assert_int_equal(missing, 0);
	assert_string_equal(emulate_row_name(emulate_nr_rows()), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_jcc_with_every_flag_as_native),
		cmocka_unit_test(every_loop_at_its_edges_as_native),
		cmocka_unit_test(direct_jumps_and_calls_as_native),
		cmocka_unit_test(returns_as_native),
		cmocka_unit_test(nops_as_native),
		cmocka_unit_test(pushf_as_native),
		cmocka_unit_test(popf_as_native),
		cmocka_unit_test(branches_through_every_register_as_native),
		cmocka_unit_test(every_addressing_form_as_native),
		cmocka_unit_test(call_pushes_the_address_of_the_next_instruction),
		cmocka_unit_test(call_mem_pushes_address_after_operand_read),
		cmocka_unit_test(call_mem_of_rsp_uses_the_old_rsp),
		cmocka_unit_test(call_rsp_goes_to_the_old_rsp),
		cmocka_unit_test(fs_and_gs_bases_are_added_after_truncation),
		cmocka_unit_test(cli_and_sti_change_the_interrupt_flag_alone),
		cmocka_unit_test(popf_writes_what_cpl_0_may),
		cmocka_unit_test(popfw_leaves_the_upper_flags),
		cmocka_unit_test(pushf_stores_neither_rf_nor_vm),
		cmocka_unit_test(pushfw_stores_two_bytes),
		cmocka_unit_test(completion_clears_the_resume_flag),
		cmocka_unit_test(a_fault_on_the_stack_changes_nothing),
		cmocka_unit_test(a_fault_on_the_operand_changes_nothing),
		cmocka_unit_test(a_branch_to_no_canonical_address_faults_first),
		cmocka_unit_test(others_are_not_emulated),
		cmocka_unit_test(every_row_was_run),
	};

	if (!native_init()) {
		fprintf(stderr, "no memory for native runs\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
