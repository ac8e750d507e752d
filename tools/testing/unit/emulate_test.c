// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/x86/emulate.c: named cases, and every form that user
 * mode may run compared with the processor itself.  The last test fails if a
 * row of the emulation's table was never run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "native.h"

#define BYTES(...)	(const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })

#define FLAG_AF		0x10ul
#define FLAG_DF		0x400ul
#define FLAG_IOPL	0x3000ul
#define FLAG_NT		0x4000ul
#define FLAG_VM		0x20000ul
#define FLAG_AC		0x40000ul
#define FLAG_VIF	0x80000ul
#define FLAG_VIP	0x100000ul
#define FLAG_ID		0x200000ul
#define FLAG_ALWAYS	0x2ul

#define STATUS_FLAGS	(EMULATE_FLAG_CF | EMULATE_FLAG_PF | FLAG_AF | EMULATE_FLAG_ZF | \
			 EMULATE_FLAG_SF | EMULATE_FLAG_OF)

#define FS_BASE		0x7700000000ul

/* How often a row has been run. */
static unsigned int row_runs[256];

/* Accesses outside the memory fault, and all of them while this is set. */
static bool fault_loads, fault_stores;

static bool in_memory(u64 addr, unsigned int size)
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

/* Deterministic random numbers. */
static u64 rnd_state = 0x243f6a8885a308d3ull;

static u64 rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state;
}

static struct insn decode_ok(const u8 *bytes, size_t len)
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

static void emulate_ok(const u8 *bytes, size_t len, struct emulate_regs *regs)
{
	assert_int_equal(emulate(bytes, len, regs), EMULATE_DONE);
}

static struct emulate_regs random_regs(void)
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

static void assert_regs_equal(const struct emulate_regs *a, const struct emulate_regs *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

static u64 load64(u64 addr)
{
	u64 val;

	memcpy(&val, (void *)addr, 8);
	return val;
}

static void store64(u64 addr, u64 val)
{
	memcpy((void *)addr, &val, 8);
}

/* Compared with the processor */

/* Run natively and by emulation from one state; registers and data must agree. */
static void compare(const u8 *bytes, size_t len, struct emulate_regs regs)
{
	static u8 before[NATIVE_DATA_SIZE], after[NATIVE_DATA_SIZE];
	struct emulate_regs native = regs;

	memcpy(before, (void *)NATIVE_DATA, sizeof(before));
	native_run(bytes, len, &native);
	memcpy(after, (void *)NATIVE_DATA, sizeof(after));
	memcpy((void *)NATIVE_DATA, before, sizeof(before));
	emulate_ok(bytes, len, &regs);
	assert_regs_equal(&regs, &native);
	assert_memory_equal((void *)NATIVE_DATA, after, sizeof(after));
}

/* @op, and a relative displacement of @size bytes to @target. */
static size_t put_branch(u8 *bytes, const u8 *op, size_t op_len, size_t size, u64 target)
{
	s32 rel = target - (NATIVE_INSN + op_len + size);

	memcpy(bytes, op, op_len);
	memcpy(bytes + op_len, &rel, size);
	return op_len + size;
}

static void compare_branch(const u8 *op, size_t op_len, size_t size, struct emulate_regs regs)
{
	u8 bytes[INSN_MAX_LENGTH];
	size_t len = put_branch(bytes, op, op_len, size, size == 1 ? NATIVE_NEAR : NATIVE_FAR);

	compare(bytes, len, regs);
}

/* The five flags that conditions look at, as the bits of @combination. */
static u64 flags_of(unsigned int combination)
{
	return EMULATE_FLAG_IF | FLAG_ALWAYS |
	       (combination & 1 ? EMULATE_FLAG_CF : 0) | (combination & 2 ? EMULATE_FLAG_PF : 0) |
	       (combination & 4 ? EMULATE_FLAG_ZF : 0) | (combination & 8 ? EMULATE_FLAG_SF : 0) |
	       (combination & 16 ? EMULATE_FLAG_OF : 0);
}

static void every_jcc_with_every_flag_as_native(void **state)
{
	unsigned int condition, combination;
	struct emulate_regs regs;

	(void)state;
	for (condition = 0; condition < 16; condition++) {
		for (combination = 0; combination < 32; combination++) {
			regs = random_regs();
			regs.flags = flags_of(combination);
			compare_branch(BYTES(0x70 + condition), 1, regs);
			compare_branch(BYTES(0x0f, 0x80 + condition), 4, regs);
		}
	}
}

static void every_loop_at_its_edges_as_native(void **state)
{
	static const u64 counts[] = {
		0, 1, 2, 0xffffffff, 0x100000000, 0x100000001, 0x100000002, ~0ull,
	};
	unsigned int op, i, zero;
	struct emulate_regs regs;

	(void)state;
	for (op = 0xe0; op <= 0xe3; op++) {
		for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			for (zero = 0; zero < 2; zero++) {
				regs = random_regs();
				regs.cx = counts[i];
				regs.flags = flags_of(zero ? 4 : 27);
				compare_branch(BYTES(op), 1, regs);
				compare_branch(BYTES(0x67, op), 1, regs);
			}
		}
	}
}

static void direct_jumps_and_calls_as_native(void **state)
{
	(void)state;
	compare_branch(BYTES(0xeb), 1, random_regs());
	compare_branch(BYTES(0xe9), 4, random_regs());
	compare_branch(BYTES(0xe8), 4, random_regs());
	compare_branch(BYTES(0x2e, 0xe9), 4, random_regs());		/* cs jmp */
	compare_branch(BYTES(0xf2, 0xe8), 4, random_regs());		/* bnd call */
	compare_branch(BYTES(0x48, 0xe8), 4, random_regs());		/* rex.W call */
	compare_branch(BYTES(0x66, 0x66, 0x48, 0xe8), 4, random_regs());
}

static void returns_as_native(void **state)
{
	struct emulate_regs regs = random_regs();

	(void)state;
	store64(regs.sp, NATIVE_FAR);
	compare(BYTES(0xc3), regs);
	compare(BYTES(0xf3, 0xc3), regs);
	compare(BYTES(0xf2, 0xc3), regs);
	compare(BYTES(0xc2, 0x10, 0x00), regs);
	compare(BYTES(0xc2, 0xff, 0xff), regs);		/* 65535, not -1 */
	compare(BYTES(0xc2, 0x00, 0x80), regs);
}

static void nops_as_native(void **state)
{
	(void)state;
	compare(BYTES(0x90), random_regs());
	compare(BYTES(0x66, 0x90), random_regs());
	compare(BYTES(0x48, 0x90), random_regs());
	compare(BYTES(0x0f, 0x1f, 0x00), random_regs());
	compare(BYTES(0x66, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0), random_regs());
	compare(BYTES(0xf3, 0x0f, 0x1e, 0xfa), random_regs());
	compare(BYTES(0xf3, 0x0f, 0x1e, 0xfb), random_regs());
}

static void pushf_as_native(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 64; i++) {
		compare(BYTES(0x9c), random_regs());
		compare(BYTES(0x66, 0x9c), random_regs());
		compare(BYTES(0x66, 0x48, 0x9c), random_regs());
	}
}

/* User mode can't change IF and IOPL, so the images have them as they are. */
static void popf_as_native(void **state)
{
	const u64 free = STATUS_FLAGS | FLAG_DF | FLAG_NT | FLAG_AC | FLAG_ID | 0x28 | 0x8000 |
			 ~0x3ffffful;
	struct emulate_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < 256; i++) {
		regs = random_regs();
		store64(regs.sp, (rnd() & free & ~FLAG_AC) | EMULATE_FLAG_IF);
		compare(BYTES(0x9d), regs);
		compare(BYTES(0x66, 0x9d), regs);
		compare(BYTES(0x66, 0x48, 0x9d), regs);
	}
}

static u64 *reg_of(struct emulate_regs *regs, unsigned int nr)
{
	u64 *const all[16] = {
		&regs->ax, &regs->cx, &regs->dx, &regs->bx, &regs->sp, &regs->bp,
		&regs->si, &regs->di, &regs->r8, &regs->r9, &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};

	return all[nr];
}

static void branches_through_every_register_as_native(void **state)
{
	struct emulate_regs regs;
	unsigned int nr;

	(void)state;
	for (nr = 0; nr < 16; nr++) {
		regs = random_regs();
		*reg_of(&regs, nr) = NATIVE_FAR;	/* sp too: the call pushes before there */
		compare(BYTES(0x40 | nr >> 3, 0xff, 0xe0 | (nr & 7)), regs);
		compare(BYTES(0x40 | nr >> 3, 0xff, 0xd0 | (nr & 7)), regs);
	}
}

/* A memory form of ff /2 or ff /4 under construction. */
struct form {
	u8 bytes[INSN_MAX_LENGTH];
	unsigned int len;
	struct emulate_regs regs;
};

static u64 seg_base(const struct insn *insn)
{
	return insn->segment == INSN_SEG_GS ? NATIVE_GS_BASE : 0;
}

/* The numbers of the base and the index register, 16 if there is none. */
static void registers_of(const struct insn *insn, unsigned int *base, unsigned int *index)
{
	unsigned int high = insn->rex & INSN_REX_B ? 8 : 0;

	*index = 16;
	if (insn->flags & INSN_RIP_RELATIVE) {
		*base = 16;
		return;
	}
	if (!(insn->flags & INSN_HAS_SIB)) {
		*base = (insn->modrm & 7) + high;
		return;
	}
	*base = (insn->sib & 7) == 5 && insn->modrm < 0x40 ? 16 : (insn->sib & 7) + high;
	*index = (insn->sib >> 3 & 7) + (insn->rex & INSN_REX_X ? 8 : 0);
	if (*index == 4)
		*index = 16;
}

static void set_disp(struct form *form, const struct insn *insn, s32 disp)
{
	memcpy(form->bytes + insn->disp_offset, &disp, insn->disp_size);
}

/* With 67 the upper halves of registers are no matter. */
static void litter_upper_half(const struct insn *insn, u64 *reg)
{
	if (insn->prefixes & INSN_PFX_67)
		*reg = (u32)*reg | rnd() << 32;
}

/* Choose registers and displacement so that the operand lies in the data. */
static void aim(struct form *form, const struct insn *insn)
{
	u64 slot = NATIVE_DATA + 0x600 + rnd() % 0x400 - seg_base(insn);
	unsigned int base, index, scale = 1u << (insn->sib >> 6);
	struct emulate_regs *regs = &form->regs;
	s64 disp = insn->disp_size == 4 ? (s64)(rnd() % 0x100) - 0x80 : (s8)rnd();

	if (!insn->disp_size)
		disp = 0;
	registers_of(insn, &base, &index);
	if (index < 16)
		*reg_of(regs, index) = rnd() % 8;
	if (base == 16)
		disp = slot - (index < 16 ? *reg_of(regs, index) * scale : 0) -
		       (insn->flags & INSN_RIP_RELATIVE ? NATIVE_INSN + insn->length : 0);
	else if (base == index)
		*reg_of(regs, base) = (slot - disp) / (1 + scale);
	else if (base != 4)
		*reg_of(regs, base) = slot - disp -
				      (index < 16 ? *reg_of(regs, index) * scale : 0);
	else
		regs->sp = slot - disp;
	set_disp(form, insn, disp);
	if (base < 16 && base != 4)
		litter_upper_half(insn, reg_of(regs, base));
	if (index < 16)
		litter_upper_half(insn, reg_of(regs, index));
}

/* Where the operand lies, worked out the slow way round. */
static u64 operand_address(const struct form *form)
{
	struct insn insn = decode_ok(form->bytes, form->len);
	struct emulate_regs regs = form->regs;
	unsigned int base, index;
	u64 addr = insn.disp;

	registers_of(&insn, &base, &index);
	if (base < 16)
		addr += *reg_of(&regs, base);
	if (index < 16)
		addr += *reg_of(&regs, index) * (1u << (insn.sib >> 6));
	if (insn.flags & INSN_RIP_RELATIVE)
		addr += regs.ip + insn.length;
	if (insn.prefixes & INSN_PFX_67)
		addr &= 0xffffffff;
	return addr + seg_base(&insn);
}

static void compare_form(u8 prefix1, u8 prefix2, u8 rex, u8 modrm, u8 sib)
{
	const u8 bytes[INSN_MAX_LENGTH] = { prefix1, prefix2, 0x40 | rex, 0xff, modrm, sib };
	struct form form = { .regs = random_regs() };
	struct insn insn;
	u64 addr;

	memcpy(form.bytes, bytes, sizeof(bytes));
	assert_int_equal(insn_decode(&insn, bytes, sizeof(bytes)), INSN_OK);
	form.len = insn.length;
	aim(&form, &insn);
	addr = operand_address(&form);
	assert_true(in_memory(addr, 8));
	store64(addr, NATIVE_FAR);
	insn = decode_ok(form.bytes, form.len);
	assert_true(emulate_address(&insn, &form.regs) == addr);
	compare(form.bytes, form.len, form.regs);
}

static void compare_modrm(u8 prefix1, u8 prefix2, u8 rex, u8 modrm)
{
	unsigned int sib;

	if ((modrm & 7) != 4) {
		compare_form(prefix1, prefix2, rex, modrm, 0);
		return;
	}
	for (sib = 0; sib < 256; sib++)
		compare_form(prefix1, prefix2, rex, modrm, sib);
}

/* Both branches, every mod, base, index, scale and REX bit, with 67 and gs and without. */
static void every_addressing_form_as_native(void **state)
{
	unsigned int mod, rm, rex, prefixes;

	(void)state;
	for (mod = 0; mod < 3; mod++) {
		for (rm = 0; rm < 8; rm++) {
			for (rex = 0; rex < 16; rex++) {
				for (prefixes = 0; prefixes < 4; prefixes++) {
					u8 p1 = prefixes & 1 ? 0x67 : 0x3e;
					u8 p2 = prefixes & 2 ? 0x65 : 0x3e;

					compare_modrm(p1, p2, rex, mod << 6 | 0x10 | rm);
					compare_modrm(p1, p2, rex, mod << 6 | 0x20 | rm);
				}
			}
		}
	}
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
