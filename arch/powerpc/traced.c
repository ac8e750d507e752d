// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer, by the kernel's own trampoline.
 *
 * On a kernel with live patches that takes any other address to go on at for the
 * function of a patch: it is called, with r11 and r12 overwritten, and what to do
 * once it has returned is kept on a stack of its own.  Code that does not return
 * there would leave that behind at each hit, and a jprobe's function would not
 * even be found.  So there nobody leaves a site.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/irqflags.h>
#include <linux/printk.h>
#include <asm/cputable.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"

/* A call at a site can't reach code of ours. */
unsigned long arch_ftrace_trampoline(void)
{
	return 0;
}

unsigned long arch_traced_stub(unsigned int nr, void *data)
{
	return 0;
}

static unsigned long way_out(void)
{
	if (cpu_has_feature(CPU_FTR_HVMODE))
		return (unsigned long)powerpc_leave_tracer_hv;
	return (unsigned long)powerpc_leave_tracer;
}

/* Where the site goes on, as things stand: several of us may be called there. */
static unsigned long resume_of(const struct pt_regs *regs)
{
	return regs->nip == way_out() ? regs->gpr[11] : regs->nip;
}

static void leave_to(struct pt_regs *regs, unsigned long nip)
{
	regs->nip = nip;
	if (!IS_ENABLED(CONFIG_PREEMPTION) || POWERPC_SITES_ARE_KEPT)
		return;
	regs->gpr[11] = nip;
	regs->nip = way_out();
}

/* A handler has chosen where to go on. */
static void leave_as_told(struct pt_regs *regs, unsigned long site, unsigned long nip)
{
	if (!POWERPC_SITES_ARE_KEPT) {
		leave_to(regs, regs->nip);
		return;
	}
	pr_err_once("%pS: with live patches in the kernel neither a handler nor a jprobe can lead away from a call site of the function tracer\n",
		    (void *)site);
	leave_to(regs, nip);
}

/*
 * The trampoline fills in no more than it restores.  Somebody who was called
 * before may have redirected the function: it stays so.
 */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = resume_of(regs), flags;
	enum dispatched dispatched;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->trap = 0;
	dispatched = dispatch_ftrace(site, regs, nip);
	if (likely(dispatched == DISPATCHED))
		leave_to(regs, nip);
	else
		leave_as_told(regs, site, nip);
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		raw_local_irq_restore(flags);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = resume_of(regs), flags;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->trap = 0;
	fprobe_hit(data, site, regs);
	leave_to(regs, nip);
	raw_local_irq_restore(flags);
}
