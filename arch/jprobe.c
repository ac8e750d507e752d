// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU state while a jprobe's function runs: jprobe.h.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "../core/core.h"
#include "jprobe.h"

DEFINE_PER_CPU(struct jprobe_state, jprobe_state);

/**
 * jprobe_has_stack_args() - can the stack arguments be copied
 * @sp: the stack pointer at the function's entry
 *
 * Near the beginning of a stack there may be less than that above @sp, and the page
 * that follows the stack may be unmapped.  A stack ends on a page boundary; an
 * interrupt stack has no larger alignment.
 *
 * Context: any; does not sleep.
 * Return: false if reading the last argument word would fault.
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

void arch_leave_jprobe(void)
{
	unsigned long flags;

	raw_local_save_flags(flags);
	if (raw_irqs_disabled_flags(flags) && dispatch_is_handed_on())
		arch_jprobe_back();
}
