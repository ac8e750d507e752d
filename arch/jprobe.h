/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entering and leaving a jprobe's function, for all architectures.
 *
 * The guard is held and interrupts are off until the function has ended.  At most one
 * runs on each CPU, so the registers to restore are kept per CPU.
 *
 * An architecture provides arch_enter_jprobe() and the way back, and in probe.h
 *
 * ARCH_JPROBE_LAST_ARG	offset from the stack pointer of the last word of the
 *			stack arguments that is copied for the function
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
 * @point: the point where it was entered; NULL: no such function runs
 * @entry: the function
 * @regs: the registers with which the probed function resumes
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
