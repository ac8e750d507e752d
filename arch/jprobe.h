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

bool jprobe_can_read(unsigned long addr);

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
static __always_inline bool jprobe_has_stack_args(unsigned long sp)
{
	unsigned long last = sp + ARCH_JPROBE_LAST_ARG;

	return sp / PAGE_SIZE == (last + sizeof(u64) - 1) / PAGE_SIZE || jprobe_can_read(last);
}

/**
 * jprobe_begin() - record that a jprobe's function is about to be entered
 * @pt: the probe point
 * @regs: registers at the point
 * @entry: the function
 *
 * Context: a pre_handler: the guard is held, interrupts are off.
 */
static __always_inline void jprobe_begin(struct probe_point *pt, const struct pt_regs *regs,
					 void *entry)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	state->point = pt;
	state->regs = *regs;
	state->entry = entry;
}

/**
 * jprobe_end() - record that the function has ended and the registers are restored
 *
 * Context: on the way back, interrupts off.
 * Return: the point, for dispatch_resume().
 */
static __always_inline struct probe_point *jprobe_end(void)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);
	struct probe_point *pt = state->point;

	state->point = NULL;
	return pt;
}

#endif /* LKP_ARCH_JPROBE_H */
