// SPDX-License-Identifier: GPL-2.0-only
/*
 * Post handlers without a second trap.  Behind the copy that they follow there
 * is a branch then, in place of the trap, to code of the point's own:
 *
 *	save registers, as behind a trap
 *	call arm64_post_hit
 *	cbnz -> elsewhere
 *	restore registers
 *	b to what follows the probe point
 * elsewhere:
 *	add sp
 *	brk				a trap restores all, and goes where a handler wants
 *
 * It is made for the first probe at a point that has a post_handler, where there
 * is memory that near, and where the copy runs with interrupts off: nobody is in
 * both, preempted or asleep, so the two can be freed independently.
 */
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"
#include "../slot.h"
#include "assembly.h"

/* What goes on elsewhere: interrupts are off until it has. */
static DEFINE_PER_CPU(struct user_pt_regs, leaving);

asmlinkage unsigned long arm64_post_hit(struct probe_point *pt, struct pt_regs *regs);

/**
 * arm64_post_hit() - the copy of a guarded instruction has run
 * @pt: the point
 * @regs: registers behind it
 *
 * Context: that of the probed code, interrupts off.
 * Return: whether a handler has chosen another place to go on at.
 */
asmlinkage unsigned long arm64_post_hit(struct probe_point *pt, struct pt_regs *regs)
{
	dispatch_post_guarded(pt, regs, false);
	if (likely(regs->pc == pt->addr + INSN_SIZE))
		return false;
	*raw_cpu_ptr(&leaving) = regs->user_regs;
	return true;
}

/**
 * arm64_trap_leave() - go on where a post_handler wants
 * @regs: to be filled; the stack pointer is what it was
 *
 * Context: in the trap behind arm64_post_hit(), interrupts off.
 */
void arm64_trap_leave(struct pt_regs *regs)
{
	unsigned long sp = regs->sp;

	regs->user_regs = *raw_cpu_ptr(&leaving);
	regs->sp = sp;
}

static void assemble(struct assembly *a, const struct probe_point *pt)
{
	unsigned int test;

	a->nr = a->nr_literals = 0;
	a->failed = false;
	emit_save(a, pt->addr + INSN_SIZE);
	emit_literal(a, 0, (unsigned long)pt);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)arm64_post_hit);
	test = a->nr;
	emit(a, 0xb5000000);					/* cbnz x0, elsewhere */
	emit_restore(a);
	emit(a, assembly_branch(here(a), pt->addr + INSN_SIZE, &a->failed));
	a->words[test] |= (a->nr - test) << 5;
	emit_add(a, STACK, STACK, sizeof(struct pt_regs));
	emit(a, ARM64_BRK(ARM64_IMM_LEAVE));
	emit_literals(a);
}

/* The word behind the copy: a trap, until it branches there. */
static int lead_to(unsigned long stub, const struct probe_point *pt)
{
	struct text_edit edit = { .addr = slot_copy(pt, SLOT_COPY_POST) + INSN_SIZE,
				  .len = INSN_SIZE };

	if (!reach_branch(edit.bytes, edit.addr, stub))
		return -ERANGE;
	return host_text_write(&edit, 1);
}

/* It is as long wherever it is. */
static unsigned long make_stub(struct assembly *a, const struct probe_point *pt)
{
	a->addr = pt->addr & PAGE_MASK;
	assemble(a, pt);
	a->addr = a->failed ? 0 : host_run_alloc(a->nr * INSN_SIZE, pt->addr);
	if (!a->addr)
		return 0;
	assemble(a, pt);
	if (!a->failed && !assembly_write(a) && !lead_to(a->addr, pt))
		return a->addr;
	host_slot_free(a->addr, NULL);
	return 0;
}

/* What cannot be made is no error: the trap does the same. */
void arch_post_prepare(struct probe_point *pt)
{
	struct assembly *a;

	if (system_uses_ttbr0_pan() || pt->arch.post_stub || !pt->arch.slot || !pt->arch.guarded ||
	    pt->arch.insn.class != INSN_SLOT)
		return;
	a = inject_failure() ? NULL : kmalloc(sizeof(*a), GFP_KERNEL);
	if (a)
		pt->arch.post_stub = make_stub(a, pt);
	kfree(a);
}
