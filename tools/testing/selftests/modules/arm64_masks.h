/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What masks interrupts on arm64: DAIF, and with pseudo-NMIs PMR, too.
 */
#ifndef ARM64_MASKS_H
#define ARM64_MASKS_H

#include <linux/build_bug.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/daifflags.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>

/* Newer kernels have another name for it. */
#ifdef LKP_HAVE_REGS_PMR
#define pmr_save	pmr
#endif

/**
 * struct masks - what masks interrupts
 * @daif: as in pstate
 * @pmr: with pseudo-NMIs; else 0
 */
struct masks {
	u64 daif, pmr;
};

static inline struct masks masks_now(void)
{
	return (struct masks){
		.daif = read_sysreg(daif),
		.pmr = system_uses_irq_prio_masking() ? read_sysreg_s(SYS_ICC_PMR_EL1) : 0,
	};
}

/* From a state in which DAIF masks, or to one: what comes in between does no harm. */
static inline void masks_set(struct masks masks)
{
	write_sysreg(DAIF_MASK, daif);
	if (system_uses_irq_prio_masking()) {
		write_sysreg_s(masks.pmr, SYS_ICC_PMR_EL1);
		pmr_sync();
	}
	write_sysreg(masks.daif, daif);
}

static inline struct masks masks_in(const struct pt_regs *regs)
{
	return (struct masks){
		.daif = regs->pstate & DAIF_MASK,
		.pmr = system_uses_irq_prio_masking() ? regs->pmr_save : 0,
	};
}

static inline bool masks_are(struct masks a, struct masks b)
{
	return a.daif == b.daif && a.pmr == b.pmr;
}

/*
 * How many values the kernel gives PMR while these are the masks in DAIF, and what they are. The
 * last one says that DAIF masks interrupts, which it would not do itself.
 */
static inline unsigned int masks_nr_pmrs(u64 daif)
{
	if (!system_uses_irq_prio_masking())
		return 1;
	return (daif & PSR_I_BIT) && (daif & PSR_F_BIT) ? 3 : 2;
}

static inline u64 masks_pmr(unsigned int nr)
{
	const u64 all[] = { GIC_PRIO_IRQON, GIC_PRIO_IRQOFF, GIC_PRIO_IRQON | GIC_PRIO_PSR_I_SET };

	return system_uses_irq_prio_masking() ? all[nr] : 0;
}

#endif /* ARM64_MASKS_H */
