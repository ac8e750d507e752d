// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a CPU keeps while a jprobe's function runs on it: jprobe.h.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "../core/core.h"
#include "jprobe.h"

DEFINE_PER_CPU(struct jprobe_state, jprobe_state);

/**
 * jprobe_has_stack_args() - can a copy of the stack arguments be made
 * @sp: the stack pointer at the function's entry
 *
 * Near a stack's beginning there may not be that much above, and what follows
 * need not be mapped.  Stacks end with a page; those of interrupts are aligned to
 * no more.
 *
 * Context: any; does not sleep.
 * Return: false if a read of the last of them would fault.
 */
bool jprobe_has_stack_args(unsigned long sp)
{
	unsigned long last = sp + ARCH_JPROBE_LAST_ARG;
	u64 word;

	if (sp / PAGE_SIZE == (last + sizeof(word) - 1) / PAGE_SIZE)
		return true;
	__get_kernel_nofault(&word, (void *)last, u64, fault);
	return true;
fault:
	return false;
}

/**
 * jprobe_begin() - a jprobe's function is about to be entered
 * @pt: where
 * @regs: registers there
 * @entry: the function
 *
 * Context: a pre_handler: the guard is held, interrupts are off.
 */
void jprobe_begin(struct probe_point *pt, const struct pt_regs *regs, void *entry)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	state->point = pt;
	state->regs = *regs;
	state->entry = entry;
}

/**
 * jprobe_end() - it has ended, and the registers to go on with have been put back
 *
 * Context: on the way back, interrupts off.
 * Return: the point, for dispatch_resume().
 */
struct probe_point *jprobe_end(void)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);
	struct probe_point *pt = state->point;

	state->point = NULL;
	return pt;
}

void arch_leave_jprobe(void)
{
	unsigned long flags;

	raw_local_save_flags(flags);
	if (raw_irqs_disabled_flags(flags) && raw_cpu_read(jprobe_state.point))
		arch_jprobe_back();
}
