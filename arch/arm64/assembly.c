// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assembles code that saves all registers, as a trap does, and calls C: assembly.h.
 */
#include <linux/irqchip/arm-gic-v3.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/arch_gicv3.h>
#include <asm/cpufeature.h>
#include <asm/virt.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "assembly.h"

#define PT_REGS_SIZE	sizeof(struct pt_regs)
#define PT_REGS_LR	offsetof(struct pt_regs, regs[ARM64_LINK_REGISTER])
#define PT_REGS_PC	offsetof(struct pt_regs, pc)
#define PT_REGS_PSTATE	offsetof(struct pt_regs, pstate)
#define PT_REGS_FRAME	offsetof(struct pt_regs, stackframe)
#define PT_REGS_PMR	offsetof(struct pt_regs, pmr_save)
static_assert(sizeof(struct pt_regs) % 16 == 0 && sizeof(struct pt_regs) < 512);
static_assert(offsetof(struct pt_regs, pstate) == offsetof(struct pt_regs, pc) + 8);
static_assert(ASSEMBLY_ENTRY == 2 * INSN_SIZE);

void emit(struct assembly *a, u32 word)
{
	if (a->nr == ASSEMBLY_MAX_WORDS)
		a->failed = true;
	else
		a->words[a->nr++] = word;
}

unsigned long here(const struct assembly *a)
{
	return a->addr + a->nr * INSN_SIZE;
}

u32 assembly_branch(unsigned long from, unsigned long target, bool *failed)
{
	u32 word = 0;

	if (!reach_branch((u8 *)&word, from, target))
		*failed = true;
	return word;
}

/* stp and ldp of two registers; ldr; add of an immediate. */

static void emit_stp(struct assembly *a, unsigned int rt, unsigned int rt2, unsigned int offset)
{
	emit(a, 0xa9000000 | offset / 8 << 15 | rt2 << 10 | STACK << 5 | rt);
}

void emit_ldp(struct assembly *a, unsigned int rt, unsigned int rt2, unsigned int rn,
	      unsigned int offset)
{
	emit(a, 0xa9400000 | offset / 8 << 15 | rt2 << 10 | rn << 5 | rt);
}

/* The same with sp changed before, or behind that. */

static void emit_push(struct assembly *a, unsigned int rt, unsigned int rt2, unsigned int size)
{
	emit(a, 0xa9800000 | (-(size / 8) & 0x7f) << 15 | rt2 << 10 | STACK << 5 | rt);
}

static void emit_pop(struct assembly *a, unsigned int rt, unsigned int rt2, unsigned int size)
{
	emit(a, 0xa8c00000 | size / 8 << 15 | rt2 << 10 | STACK << 5 | rt);
}

void emit_ldr(struct assembly *a, unsigned int rt, unsigned int rn, unsigned int offset)
{
	emit(a, 0xf9400000 | offset / 8 << 10 | rn << 5 | rt);
}

void emit_add(struct assembly *a, unsigned int rd, unsigned int rn, unsigned int value)
{
	emit(a, 0x91000000 | value << 10 | rn << 5 | rd);
}

/* Emits the ldr of a literal, which emit_literals() puts after the code. */
void emit_literal(struct assembly *a, unsigned int rt, u64 value)
{
	if (a->nr_literals == ASSEMBLY_MAX_LITERALS) {
		a->failed = true;
		return;
	}
	a->literals[a->nr_literals] = value;
	a->used_by[a->nr_literals++] = a->nr;
	emit(a, 0x58000000 | rt);
}

void emit_literals(struct assembly *a)
{
	unsigned int i;

	if (a->nr % 2)
		emit(a, ARM64_NOP);
	for (i = 0; i < a->nr_literals && !a->failed; i++) {
		a->words[a->used_by[i]] |= (a->nr - a->used_by[i]) << 5;
		emit(a, (u32)a->literals[i]);
		emit(a, a->literals[i] >> 32);
	}
}

/* ldr x8, function; blr x8 */
void emit_call(struct assembly *a, unsigned long function)
{
	emit_literal(a, 8, function);
	emit(a, 0xd63f0100);
}

/* Adds what is read to x4 to pstate in x3. */
static void emit_save_field(struct assembly *a, u32 mrs)
{
	emit(a, mrs | 4);
	emit(a, 0xaa040063);					/* orr x3, x3, x4 */
}

/*
 * PSTATE.PAN, whether user memory can be accessed; TCO, whether tags of memory are checked; UAO, where
 * the kernel sets it, whether instructions for user memory access the kernel's.
 */
static void emit_save_fields(struct assembly *a)
{
	if (system_uses_hw_pan())
		emit_save_field(a, 0xd5384260);			/* mrs x4, pan */
	if (system_supports_mte())
		emit_save_field(a, 0xd53b42e0);			/* mrs x4, tco */
	if (arm64_has_uao())
		emit_save_field(a, 0xd5384280);			/* mrs x4, uao */
}

/* addr_limit becomes USER_DS, and what it was again. */
#ifdef LKP_HAVE_ADDR_LIMIT
#define ADDR_LIMIT	(offsetof(struct task_struct, thread_info) + \
			 offsetof(struct thread_info, addr_limit))
#define PT_REGS_LIMIT	offsetof(struct pt_regs, orig_addr_limit)
static_assert(ADDR_LIMIT % 8 == 0 && ADDR_LIMIT < 4096 * 8);
static_assert(USER_DS == (1ul << VA_BITS) - 1);

static void emit_str(struct assembly *a, unsigned int rt, unsigned int rn, unsigned int offset)
{
	emit(a, 0xf9000000 | offset / 8 << 10 | rn << 5 | rt);
}

static void emit_limit_enter(struct assembly *a)
{
	emit(a, 0xd5384100 | 4);				/* mrs x4, sp_el0 */
	emit_ldr(a, 5, 4, ADDR_LIMIT);
	emit_str(a, 5, STACK, PT_REGS_LIMIT);
	emit(a, 0xb24003e0 | (VA_BITS - 1) << 10 | 5);		/* mov x5, #USER_DS */
	emit_str(a, 5, 4, ADDR_LIMIT);
	if (arm64_has_uao())
		emit(a, 0xd500407f);				/* msr uao, #0 */
}

static void emit_limit_leave(struct assembly *a)
{
	emit(a, 0xd5384100 | 4);				/* mrs x4, sp_el0 */
	emit_ldr(a, 5, STACK, PT_REGS_LIMIT);
	emit_str(a, 5, 4, ADDR_LIMIT);
	if (arm64_has_uao())
		emit(a, 0xd5184280 | 2);			/* msr uao, x2 */
}
#else
static void emit_limit_enter(struct assembly *a)
{
}

static void emit_limit_leave(struct assembly *a)
{
}
#endif

/* arm64_return_masks of trampoline.S, where pseudo-NMIs are in use: nothing elsewhere. */

/* str or ldr of what registers have of PMR: 64 bits, or 32. */
static void emit_pmr(struct assembly *a, bool load, unsigned int reg)
{
	const unsigned int size = sizeof_field(struct pt_regs, pmr_save);

	emit(a, (size == 8 ? 0xf9000000 : 0xb9000000) | load << 22 | PT_REGS_PMR / size << 10 |
		STACK << 5 | reg);
}

static void emit_pmr_enter(struct assembly *a)
{
	if (!system_uses_irq_prio_masking())
		return;
	emit(a, 0xd5384600 | 4);				/* mrs x4, icc_pmr_el1 */
	emit_pmr(a, false, 4);
	emit(a, 0xd2800000 | ARM64_PMR_MASKED << 5 | 4);	/* mov x4, #ARM64_PMR_MASKED */
	emit(a, 0xd5184600 | 4);				/* msr icc_pmr_el1, x4 */
}

static void emit_pmr_leave(struct assembly *a)
{
	if (!system_uses_irq_prio_masking())
		return;
	emit_pmr(a, true, 3);
	emit(a, 0xd5184600 | 3);				/* msr icc_pmr_el1, x3 */
	if (gic_read_ctlr() & ICC_CTLR_EL1_PMHE_MASK)
		emit(a, 0xd5033f9f);				/* dsb sy */
}

/* HANDLERS_ENTER of trampoline.S, and PAN: amid a function user access may be enabled. */
static void emit_handlers_enter(struct assembly *a)
{
	if (system_uses_hw_pan())
		emit(a, 0xd500419f);				/* msr pan, #1 */
	emit(a, 0xd50343df);					/* msr daifset, #3 */
	emit_pmr_enter(a);
	emit_limit_enter(a);
}

/* x2 holds the saved pstate. */
static void emit_handlers_leave(struct assembly *a)
{
	emit_limit_leave(a);
	if (system_supports_mte())
		emit(a, 0xd51b42e0 | 2);			/* msr tco, x2 */
	if (system_uses_hw_pan())
		emit(a, 0xd5184260 | 2);			/* msr pan, x2 */
	emit_pmr_leave(a);
	emit(a, 0xd51b4220 | 2);				/* msr daif, x2 */
}

void assembly_begin(struct assembly *a, unsigned long addr)
{
	a->nr = a->nr_literals = 0;
	a->failed = false;
	emit(a, (u32)addr);
	emit(a, addr >> 32);
}

void emit_save(struct assembly *a)
{
	unsigned int i;

	emit_push(a, 0, 1, PT_REGS_SIZE);
	for (i = 2; i < 30; i += 2)
		emit_stp(a, i, i + 1, i * 8);
	emit_add(a, 2, STACK, PT_REGS_SIZE);
	emit_stp(a, ARM64_LINK_REGISTER, 2, PT_REGS_LR);	/* and sp */
	emit(a, 0xd53b4200 | 3);				/* mrs x3, nzcv */
	emit(a, 0xd53b4220 | 4);				/* mrs x4, daif */
	emit(a, 0xaa040063);					/* orr x3, x3, x4 */
	emit_add(a, 3, 3, is_kernel_in_hyp_mode() ? PSR_MODE_EL2h : PSR_MODE_EL1h);
	emit_save_fields(a);
	emit_handlers_enter(a);
}

void emit_save_pc(struct assembly *a)
{
	emit_stp(a, 2, 3, PT_REGS_PC);				/* and pstate */
}

void emit_record(struct assembly *a)
{
	emit_stp(a, 29, 2, PT_REGS_FRAME);
	emit_add(a, 29, STACK, PT_REGS_FRAME);
}

void emit_restore(struct assembly *a)
{
	int i;

	emit_ldr(a, 2, STACK, PT_REGS_PSTATE);
	emit(a, 0xd51b4200 | 2);				/* msr nzcv, x2 */
	emit_handlers_leave(a);
	emit_ldr(a, ARM64_LINK_REGISTER, STACK, PT_REGS_LR);
	for (i = 28; i > 0; i -= 2)
		emit_ldp(a, i, i + 1, STACK, i * 8);
	emit_pop(a, 0, 1, PT_REGS_SIZE);
}

int assembly_write(const struct assembly *a)
{
	might_sleep();
	return host_text_write_code(a->addr, (const u8 *)a->words, a->nr * INSN_SIZE);
}
