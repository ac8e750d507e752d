// SPDX-License-Identifier: GPL-2.0-only
/*
 * States and registers of 64-bit Power.
 */
#include <linux/string.h>
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include <asm/reg.h>
#include <asm/switch_to.h>

#include "differential.h"

extern const struct diff_case diff_cases_prefixed[];

/* SO, OV, CA, and what of those is of 32 bits */
#define XER_RANDOM	0xe00c0000ul

/* ---- hooks of the emulator, of which only the table is used ---- */

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	return false;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	return false;
}

/* ---- states ---- */

void diff_prepare(u64 need)
{
	u64 *special = diff_in.special;

	special[SPECIAL_CR] = (u32)diff_random();
	special[SPECIAL_XER] = diff_random() & XER_RANDOM;
	special[SPECIAL_CTR] = need & COUNT_FEW ? diff_random() % 4 : diff_random_value();
	special[SPECIAL_LR] = diff_random_value();
	special[SPECIAL_MASKED] = diff_random() % 2;
}

void diff_begin_run(u64 need)
{
	if (need & VECTORS)
		enable_kernel_vsx();
	if (diff_in.special[SPECIAL_MASKED])
		local_irq_disable();
}

/*
 * A case may have masked interrupts.  One that came while they were masked has turned them
 * off in the processor, too.  Vectors stay on for the task until it is next scheduled.
 */
static u64 steady_msr(void)
{
	u64 unsteady = MSR_FP | MSR_VEC | MSR_VSX | (irqs_disabled() ? MSR_EE : 0);

	return mfmsr() & ~unsteady;
}

void diff_end_run(u64 need)
{
	diff_out.special[SPECIAL_MASKED] = irqs_disabled();
	diff_out.special[SPECIAL_MSR] = steady_msr();
	local_irq_enable();
	if (need & VECTORS)
		disable_kernel_vsx();
}

/* ---- what this processor can run ---- */

static bool runs_prefixed(void)
{
	return cpu_has_feature(CPU_FTR_ARCH_31);
}

unsigned int diff_nr_cases(void)
{
	return (runs_prefixed() ? diff_cases_end : diff_cases_prefixed) - diff_cases;
}

/* Branches to addresses in the instruction don't reach the kernel; prefixed ones begin with a p. */
bool diff_row_runs(unsigned int row)
{
	const char *name = emulate_row_name(row);

	return strcmp(name, "ba") && strcmp(name, "bla") && (*name != 'p' || runs_prefixed());
}

/* ---- what a post handler was shown ---- */

bool diff_post_saw(const struct pt_regs *s, const struct diff_regs *regs)
{
	const u64 *special = regs->special;

	return !memcmp(s->gpr, regs->gpr, sizeof(regs->gpr)) &&
	       s->ccr == special[SPECIAL_CR] && s->xer == special[SPECIAL_XER] &&
	       s->ctr == special[SPECIAL_CTR] && s->link == special[SPECIAL_LR];
}
