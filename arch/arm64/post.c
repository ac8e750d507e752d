// SPDX-License-Identifier: GPL-2.0-only
/*
 * Post handlers without a second trap.  After the guarded copy there is a branch
 * in place of the trap, to a stub of the point's own:
 *
 *	address				of the instruction after the probe point: data
 *	save registers, as a trap does
 *	stp x29, address		frame record: no trace is hooked for a stub
 *	call arm64_post_hit
 *	cbnz -> elsewhere
 *	restore registers
 *	b to the instruction after the probe point
 * elsewhere:
 *	call arm64_resume		where a handler chose
 *
 * The stub is made for the first probe at a point that has a post_handler, if there
 * is memory in reach and the copy runs with interrupts off.  No task is ever preempted
 * or asleep in the copy or the stub, so the two can be freed independently.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"
#include "../slot.h"
#include "assembly.h"

asmlinkage unsigned long arm64_post_hit(struct probe_point *pt, struct pt_regs *regs);

/**
 * arm64_post_hit() - the copy of a guarded instruction has run
 * @pt: the point
 * @regs: registers after it
 *
 * Context: that of the probed code, interrupts off.
 * Return: true if a handler has chosen another address to resume at.
 */
asmlinkage unsigned long arm64_post_hit(struct probe_point *pt, struct pt_regs *regs)
{
	dispatch_post_guarded(pt, regs, false);
	return regs->pc != pt->addr + INSN_SIZE;
}

static void assemble(struct assembly *a, const struct probe_point *pt)
{
	unsigned int test;

	assembly_begin(a, pt->addr + INSN_SIZE);
	emit_save(a);
	emit_literal(a, 2, pt->addr + INSN_SIZE);
	emit_save_pc(a);
	emit_record(a);
	emit_literal(a, 0, (unsigned long)pt);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)arm64_post_hit);
	test = a->nr;
	emit(a, 0xb5000000);					/* cbnz x0, elsewhere */
	emit_restore(a);
	emit(a, assembly_branch(here(a), pt->addr + INSN_SIZE, &a->failed));
	a->words[test] |= (a->nr - test) << 5;
	emit_call(a, (unsigned long)arm64_resume);
	emit_literals(a);
}

/* Replaces the trap after the copy by a branch to the stub. */
static int branch_to_stub(unsigned long stub, const struct probe_point *pt)
{
	struct text_edit edit = { .addr = slot_copy(pt, SLOT_COPY_POST) + INSN_SIZE,
				  .len = INSN_SIZE };

	if (!reach_branch(edit.bytes, edit.addr, stub + ASSEMBLY_ENTRY))
		return -ERANGE;
	return host_text_write(&edit, 1);
}

/* Assembled twice, first to get the size, which does not depend on the address. */
static unsigned long make_stub(struct assembly *a, const struct probe_point *pt)
{
	a->addr = pt->addr & PAGE_MASK;
	assemble(a, pt);
	a->addr = a->failed ? 0 : host_run_alloc(a->nr * INSN_SIZE, pt->addr);
	if (!a->addr)
		return 0;
	assemble(a, pt);
	if (!a->failed && !assembly_write(a) && !branch_to_stub(a->addr, pt))
		return a->addr;
	host_slot_free(a->addr, NULL);
	return 0;
}

/*
 * Failure is no error: the trap does the same.  Before a wait it does more: its return ends the
 * wait, whatever post handlers have done.
 */
void arch_post_prepare(struct probe_point *pt)
{
	struct assembly *a;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (system_uses_ttbr0_pan() || pt->arch.post_stub || !pt->arch.slot || !pt->arch.guarded ||
	    pt->arch.insn.class != INSN_SLOT || arm64_before_wait(NULL, pt->addr))
		return;
	a = inject_failure() ? NULL : kmalloc(sizeof(*a), GFP_KERNEL);
	if (a)
		pt->arch.post_stub = make_stub(a, pt);
	kfree(a);
}
