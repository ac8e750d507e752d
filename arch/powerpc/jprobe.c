// SPDX-License-Identifier: GPL-2.0-only
/*
 * Into a jprobe's function and out again, see trampoline.S.
 *
 * Until it has ended the guard is held and interrupts are off: one at a time
 * on each CPU, so the registers to go back to can be kept with the CPU.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "emulate.h"

struct jprobe_state {
	struct probe_point *point;
	struct pt_regs regs;
};

static DEFINE_PER_CPU(struct jprobe_state, jprobe_state);

asmlinkage void powerpc_jprobe_enter_no_args(void);

/* Near a stack's beginning there may not be that much above, and what follows need not be mapped. */
static bool has_stack_args(unsigned long sp)
{
	unsigned long last = sp + POWERPC_FRAME_ARGS + POWERPC_JPROBE_STACK_ARGS;
	u64 word;

	if (sp / PAGE_SIZE == (last + sizeof(word) - 1) / PAGE_SIZE)
		return true;
	return emulate_load(last, &word, sizeof(word));
}

/* This hit can't be handed on: the jprobe has missed it, and it goes on behind the site. */
static void keep(void)
{
	struct hit_state *hit = raw_cpu_ptr(&hit_state);

	hit->waiting = NULL;
	hit->handed_on = false;
	atomic_long_inc((atomic_long_t *)&hit->running->nmissed);
}

void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);

	if (pt->mechanism == POINT_FTRACE && powerpc_site_is_kept()) {
		keep();
		return;
	}
	handlers_enter();
	state->point = pt;
	state->regs = *regs;
	regs->gpr[12] = (unsigned long)entry;
	regs->softe |= IRQS_DISABLED;
	powerpc_resume_at(regs, has_stack_args(regs->gpr[1]) ?
			  (unsigned long)powerpc_jprobe_enter :
			  (unsigned long)powerpc_jprobe_enter_no_args);
}

/**
 * powerpc_put_back() - have an exception end with other registers
 * @regs: its registers
 * @saved: those
 *
 * What it is to put back beside registers is its own, and has not been filled in where
 * no exception has saved them.
 *
 * Context: the exception.
 */
void powerpc_put_back(struct pt_regs *regs, const struct pt_regs *saved)
{
	memcpy(regs->gpr, saved->gpr, sizeof(regs->gpr));
	regs->nip = saved->nip;
	regs->ctr = saved->ctr;
	regs->link = saved->link;
	regs->xer = saved->xer;
	regs->ccr = saved->ccr;
	arch_set_irq_state(regs, saved->softe);
}

/**
 * powerpc_jprobe_end() - a jprobe's function has ended
 * @regs: at the trap behind it; filled with what the probed function goes on with
 *
 * Context: trap, interrupts off.
 */
void powerpc_jprobe_end(struct pt_regs *regs)
{
	struct jprobe_state *state = raw_cpu_ptr(&jprobe_state);
	struct probe_point *pt = state->point;
	unsigned long from = regs->gpr[1];

	state->point = NULL;
	powerpc_put_back(regs, &state->regs);
	host_frames_abandoned(from, regs->gpr[1]);
	dispatch_resume(pt, regs);
	powerpc_resume_at(regs, regs->nip);
}

void arch_leave_jprobe(void)
{
	unsigned long flags;

	raw_local_save_flags(flags);
	if (raw_irqs_disabled_flags(flags) && raw_cpu_read(jprobe_state.point))
		powerpc_jprobe_back();
}
