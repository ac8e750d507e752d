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
 * jprobe_can_read() - can a word be read
 * @addr: its address
 *
 * Context: any; does not sleep.
 * Return: false if it would fault.
 */
bool jprobe_can_read(unsigned long addr)
{
	u64 word;

	__get_kernel_nofault(&word, (void *)addr, u64, fault);
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
