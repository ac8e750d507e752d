// SPDX-License-Identifier: GPL-2.0-only
/*
 * Post handlers without a second trap.  After the guarded copy there is a branch
 * in place of the trap, to a stub of the point's own:
 *
 *	a call of powerpc_post_hit(): see assembly.c
 *	b to the instruction after the probe point
 *
 * The stub is made for the first probe at a point that has a post_handler, if there
 * is memory in reach and the copy runs with interrupts off.  No task is ever preempted
 * or asleep in the copy or the stub, so the two can be freed independently.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "assembly.h"

asmlinkage void powerpc_post_hit(struct probe_point *pt, struct pt_regs *regs);

/**
 * powerpc_post_hit() - the copy of a guarded instruction has run in its slot
 * @pt: the point
 * @regs: registers after the instruction, except nip and softe, which are set here
 *
 * If a handler has changed nip or r1, a trap resumes with them: powerpc_trap_left().
 *
 * Context: that of the probed code, interrupts off.
 */
asmlinkage void powerpc_post_hit(struct probe_point *pt, struct pt_regs *regs)
{
	unsigned long behind = pt->addr + pt->arch.insn.length;
	unsigned long sp = regs->gpr[1];
	struct handler_context ctx;

	powerpc_keep_access(&ctx);
	regs->nip = behind;
	regs->softe = IRQS_DISABLED;
	assembly_frame_is_of(regs, behind);
	dispatch_post_guarded(pt, regs, false);
	if (unlikely(regs->nip != behind || regs->gpr[1] != sp))
		assembly_return_to(regs, (unsigned long)powerpc_detour_left);
	/* The guarded copy ran with interrupts masked: restore what @regs say now. */
	ctx.flags = regs->softe;
	arch_handlers_leave(&ctx);
}

static bool make_stub(const struct probe_point *pt, unsigned long addr)
{
	struct assembly a = { .addr = addr };
	unsigned long behind = pt->addr + pt->arch.insn.length;

	if (!assembly_begin(&a, powerpc_post_hit, pt) ||
	    !reach_branch(a.bytes + a.nr, addr + a.nr, behind))
		return false;
	a.nr += INSN_SIZE;
	return !assembly_write(&a);
}

/* Replaces the trap after the copy by a branch to the stub. */
static bool branch_to_stub(unsigned long addr, const struct probe_point *pt)
{
	struct text_edit edit = { .addr = powerpc_behind_copy(pt), .len = INSN_SIZE };

	return reach_branch(edit.bytes, edit.addr, addr + ASSEMBLY_ENTRY) &&
	       !host_text_write(&edit, 1);
}

/*
 * Failure is no error: the trap does the same.  With CONFIG_TRACE_IRQFLAGS only the trap
 * is used, as lockdep and the irq tracer must be told.
 */
void arch_post_prepare(struct probe_point *pt)
{
	unsigned long addr;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (IS_ENABLED(CONFIG_TRACE_IRQFLAGS) || pt->arch.post_stub || !pt->arch.slot ||
	    !pt->arch.guarded || pt->arch.insn.class != INSN_SLOT)
		return;
	addr = host_run_alloc(ASSEMBLY_CALL_SIZE + INSN_SIZE, pt->addr);
	if (!addr)
		return;
	if (make_stub(pt, addr) && branch_to_stub(addr, pt))
		pt->arch.post_stub = addr;
	else
		host_slot_free(addr, NULL);
}
