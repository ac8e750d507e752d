/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Into a jprobe's function and out again, for all architectures.
 *
 * Until it has ended the guard is held and interrupts are off: one at a time
 * on each CPU, so the registers to go back to can be kept with the CPU.
 *
 * An architecture brings arch_enter_jprobe() and its way back, and in probe.h
 *
 * ARCH_JPROBE_LAST_ARG	offset from the stack pointer of the last word that
 *			the function's copy of the stack arguments is made of
 * void arch_jprobe_back(void);
 *	the way back from anywhere below that function
 */
#ifndef LKP_ARCH_JPROBE_H
#define LKP_ARCH_JPROBE_H

#include <linux/percpu.h>
#include <asm/ptrace.h>

struct probe_point;

/**
 * struct jprobe_state - the jprobe's function that runs on a CPU
 * @point: where it was entered; NULL: there is none
 * @entry: the function
 * @regs: what the probed function goes on with
 */
struct jprobe_state {
	struct probe_point *point;
	void *entry;
	struct pt_regs regs;
};

DECLARE_PER_CPU(struct jprobe_state, jprobe_state);

bool jprobe_has_stack_args(unsigned long sp);
void jprobe_begin(struct probe_point *pt, const struct pt_regs *regs, void *entry);
struct probe_point *jprobe_end(void);

#endif /* LKP_ARCH_JPROBE_H */
