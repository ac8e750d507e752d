// SPDX-License-Identifier: GPL-2.0-only
/*
 * Into a jprobe's function and out again, see trampoline.S.
 *
 * Until it has ended the guard is held and interrupts are off: one at a time
 * on each CPU, so the registers to go back to can be kept with the CPU.
 */
#include <linux/percpu.h>
#include <linux/irqflags.h>
#include <linux/mm.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "emulate.h"

struct jprobe_state {
	struct probe_point *point;
	void *entry;
	struct pt_regs regs;
};

static DEFINE_PER_CPU(struct jprobe_state, jprobe_state);

/*
 * Near a stack's beginning there may not be that much above, and what follows
 * need not be mapped.  Stacks end with a page.
 */
static bool has_stack_args(unsigned long sp)
{
	unsigned long last = sp + ARM64_JPROBE_STACK_ARGS - sizeof(u64);
	u64 word;

	return sp / PAGE_SIZE == last / PAGE_SIZE || emulate_load(last, &word, sizeof(word));
}

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	state->point = pt;
	state->regs = *regs;
	state->entry = entry;
	regs->pc = (unsigned long)arm64_jprobe_enter;
	regs->pstate = (regs->pstate & ~(u64)PSR_BTYPE_MASK) | ARM64_IRQ_BITS;
}

/**
 * arm64_jprobe_begin() - a jprobe's function is about to be called
 *
 * Context: on the way there, interrupts off.
 */
asmlinkage struct arm64_jprobe arm64_jprobe_begin(void)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	handlers_enter();
	return (struct arm64_jprobe){ state->entry, has_stack_args(state->regs.sp) };
}

/**
 * arm64_jprobe_stack() - a jprobe's function has ended: where the stack was
 *
 * Context: on the way back, interrupts off; the trap that follows needs the place
 * below that.
 */
asmlinkage unsigned long arm64_jprobe_stack(void)
{
	unsigned long sp = raw_cpu_ptr(&jprobe_state)->regs.sp;

	host_frames_abandoned(current_stack_pointer, sp);
	return sp;
}

/**
 * arm64_trap_jprobe() - all that has ended
 * @regs: to be filled with what the probed function goes on with; the stack pointer
 *	is what it was
 *
 * Context: in the trap at the end of arm64_jprobe_back(), interrupts off.
 */
void arm64_trap_jprobe(struct pt_regs *regs)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);
	struct probe_point *pt = state->point;

	regs->user_regs = state->regs.user_regs;
	state->point = NULL;
	dispatch_resume(pt, regs);
}

void arch_leave_jprobe(void)
{
	unsigned long flags;

	raw_local_save_flags(flags);
	if (raw_irqs_disabled_flags(flags) && raw_cpu_read(jprobe_state.point))
		arm64_jprobe_back();
}
