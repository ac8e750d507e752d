// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/x86/emulate.c: every form that user mode may run compared with
 * the processor itself.
 */
#include "emulate_test.h"

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

void every_jcc_with_every_flag_as_native(void **state)
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

void every_loop_at_its_edges_as_native(void **state)
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

void direct_jumps_and_calls_as_native(void **state)
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

void returns_as_native(void **state)
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

void nops_as_native(void **state)
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

void pushf_as_native(void **state)
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
void popf_as_native(void **state)
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

void branches_through_every_register_as_native(void **state)
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
void every_addressing_form_as_native(void **state)
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
