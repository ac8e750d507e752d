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
	struct pt_regs regs;
};

static DEFINE_PER_CPU(struct jprobe_state, jprobe_state);
DEFINE_PER_CPU(void *, x86_jprobe_entry);

/*
 * Near a stack's beginning there may not be that much above, and what follows
 * need not be mapped.  Stacks end with a page; interrupts' are aligned to no more.
 */
static bool has_stack_args(unsigned long sp)
{
	unsigned long last = sp + X86_JPROBE_STACK_ARGS;
	u64 word;

	if (sp / PAGE_SIZE == (last + sizeof(word) - 1) / PAGE_SIZE)
		return true;
	return emulate_load(last, &word, sizeof(word));
}

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	state->point = pt;
	state->regs = *regs;
	raw_cpu_write(x86_jprobe_entry, entry);
	regs->ip = has_stack_args(regs->sp) ? (unsigned long)x86_jprobe_enter :
					      (unsigned long)x86_jprobe_enter_no_args;
	regs->flags &= ~X86_EFLAGS_IF;
}

#ifdef CONFIG_TRACE_IRQFLAGS
asmlinkage void x86_jprobe_irqs_off(void)
{
	handlers_enter();
}
#endif

/**
 * x86_jprobe_restore() - a jprobe's function has ended
 * @regs: to be filled with what the probed function goes on with
 */
asmlinkage void x86_jprobe_restore(struct pt_regs *regs)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);
	struct probe_point *pt = state->point;

	*regs = state->regs;
	state->point = NULL;
	host_frames_abandoned((unsigned long)regs, regs->sp);
	dispatch_resume(pt, regs);
}

void arch_leave_jprobe(void)
{
	unsigned long flags;

	raw_local_save_flags(flags);
	if (raw_irqs_disabled_flags(flags) && raw_cpu_read(jprobe_state.point))
		x86_jprobe_back();
}
