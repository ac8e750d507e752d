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
 *	restore registers, but pstate
 *	brk				resumes where a handler chose
 *
 * The stub is made for the first probe at a point that has a post_handler, if there
 * is memory in reach and the copy runs with interrupts off.  No task is ever preempted
 * or asleep in the copy or the stub, so the two can be freed independently.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"
#include "../slot.h"
#include "assembly.h"

asmlinkage unsigned long arm64_post_hit(struct probe_point *pt, struct pt_regs *regs);

/*
 * What a handler chose, from arm64_post_hit() to the brk that follows.  The trap of that is on the
 * stack where the stub's registers were.  Who comes between the two, as SDEI and watchpoints can,
 * might run such a stub, too, and has left it when we go on.
 */
struct choice {
	unsigned long pc, pstate, pmr, limit;
};

/* A task, a watchpoint, and both events of SDEI, each with a watchpoint. */
#define MAX_CHOICES	8

struct choices {
	unsigned int nr;
	struct choice made[MAX_CHOICES];
};

static DEFINE_PER_CPU(struct choices, all_choices);

/* Returns false if there are more than can be. */
static bool choose(const struct pt_regs *regs)
{
	struct choices *choices = raw_cpu_ptr(&all_choices);
	unsigned int i = choices->nr;

	if (i == MAX_CHOICES)
		return false;
	WRITE_ONCE(choices->nr, i + 1);
	barrier();
	choices->made[i] = (struct choice){
		regs->pc, regs->pstate, arm64_pmr(regs), arm64_limit(regs),
	};
	return true;
}

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
	return unlikely(regs->pc != pt->addr + INSN_SIZE) && choose(regs);
}

/* What emit_save() saves of pstate, UAO where the kernel sets it.  The rest (SSBS, DIT) is in the trap's. */
#define SAVED_STATE	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT | PSR_D_BIT | PSR_A_BIT |	\
			 PSR_I_BIT | PSR_F_BIT | PSR_PAN_BIT | PSR_UAO_BIT | PSR_TCO_BIT |	\
			 PSR_MODE_MASK)

/**
 * arm64_trap_leave() - resume where a post_handler chose
 * @regs: complete but for pc, and for the state that stubs save
 *
 * An exception returns with the stack pointer that it came with, whatever is in @regs.
 *
 * Context: in the trap after arm64_post_hit(), interrupts off. The guard is free again, so nothing
 *	is called: a probe there might bring us here for ever.
 */
void arm64_trap_leave(struct pt_regs *regs)
{
	struct choices *choices = raw_cpu_ptr(&all_choices);
	const struct choice *last = &choices->made[choices->nr - 1];
	u64 kept = regs->pstate & ~(u64)SAVED_STATE;

	regs->pc = READ_ONCE(last->pc);
	regs->pstate = (READ_ONCE(last->pstate) & SAVED_STATE) | kept;
	arm64_set_pmr(regs, READ_ONCE(last->pmr));
	arm64_set_limit(regs, READ_ONCE(last->limit));
	barrier();
	WRITE_ONCE(choices->nr, choices->nr - 1);
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
	emit_restore_general(a);
	emit(a, ARM64_BRK(ARM64_IMM_LEAVE));
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
