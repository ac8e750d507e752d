// SPDX-License-Identifier: GPL-2.0-only
/*
 * How breakpoints reach this module, and what they mean.
 *
 * The kernel announces them by the die notifier.  That comes late: after the kernel's own
 * kprobes, and through functions that cost more than a hit.  So if the kernel has kprobes, its
 * call of them is redirected:
 *
 * do_program_check:	...
 *			bl	kprobe_handler	-> bl copy of powerpc_trap_jump
 * powerpc_trap_jump:	load the address of powerpc_trap_entry, branch there
 *
 * See trampoline.S for what follows: what is not ours goes on to kprobe_handler().  So does a
 * breakpoint of theirs over a jump of ours: it is the same word, but ours is not there.  The
 * notifier stays, for traps that come another way, and for kernels without that call.
 *
 * The watchdog's NMI and resets are met on their way, too: what for is said below.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kernel.h>
#include <linux/kdebug.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/ptrace.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../core/table.h"
#include "../../host/arch_host.h"
#include "../../host/imports_c.h"
#include "../redirect.h"
#include "../slot.h"
#include "assembly.h"
#include "emulate.h"

/* ---- what they mean ---- */

/* The trap after a copy: the instruction has been executed. */
static void copy_done(struct pt_regs *regs)
{
	struct probe_point *pt = slot_owner(regs->nip);

	if (regs->nip % ARCH_SLOT_SIZE >= ARCH_SLOT_COPY_SIZE)
		slot_post(pt, regs, true);
	else
		powerpc_resume_at(regs, slot_behind(pt));
}

static __always_inline unsigned long arch_trap_address(const struct pt_regs *regs)
{
	return regs->nip;
}

/* Code in real mode can neither return to this module's text nor find what handlers would. */
static __always_inline bool arch_trap_is_foreign(const struct pt_regs *regs)
{
	return (regs->msr & (MSR_IR | MSR_DR)) != (MSR_IR | MSR_DR);
}
#define arch_trap_is_foreign	arch_trap_is_foreign

/*
 * With MSR[RI] clear the kernel gives up behind a trap, as what the trap has overwritten, SRR0 and
 * SRR1, might have been in use.  At a probe point it is not: such text is refused.  The C code of
 * the watchdog's NMI and of early machine checks runs so, and calls what it likes; the assembly
 * behind that clears RI itself before it needs it.
 */
static __always_inline void set_recoverable(struct pt_regs *regs)
{
	if (unlikely(regs_is_unrecoverable(regs)))
		regs_set_recoverable(regs);
}

/* A handler may have written nip directly, so the kernel must be told; and the other registers. */
static __always_inline void arch_trap_left(struct pt_regs *regs)
{
	powerpc_resume_at(regs, regs->nip);
	set_recoverable(regs);
}
#define arch_trap_left	arch_trap_left

static u32 arch_trap_word(unsigned long addr)
{
	return READ_ONCE(*(u32 *)addr);
}

static bool arch_is_trap(u32 word)
{
	u32 extended = word >> 1 & 0x3ff;

	return word >> 26 == 2 || word >> 26 == 3 ||
	       (word >> 26 == 31 && (extended == 4 || extended == 68));
}

/*
 * A hit in real mode.  The kernel has taken the trap in its own mode, so all data can be reached.
 * There are no slots in reach only where an instruction has an exception table entry, or where
 * the memory within the kernel's text is used up: then the trap is not served.
 */
static bool miss_in_real_mode(struct probe_point *pt, struct pt_regs *regs)
{
	if (pt->arch.slot && is_vmalloc_addr((void *)pt->arch.slot))
		return false;
	if (!pt->internal)
		dispatch_miss(pt);
	arch_execute(pt, regs, false);
	return true;
}

static bool serve_in_real_mode(unsigned long addr, struct pt_regs *regs)
{
	struct probe_point *pt = table_find(addr);
	u32 word;

	regs->nip = addr;
	if (pt)
		return miss_in_real_mode(pt, regs);
	/* Firmware traps, too, and its memory need not be mapped. */
	if (!emulate_load(addr, &word, sizeof(word)))
		return false;
	if (word == POWERPC_TRAP_SLOT) {
		powerpc_resume_at(regs, slot_behind(slot_owner(addr)));
		return true;
	}
	if (word == POWERPC_TRAP_REAL)
		powerpc_detour_missed(regs);
	else if (word == POWERPC_TRAP_TRACED)
		powerpc_site_missed(regs);
	else
		return !arch_is_trap(word);
	powerpc_resume_at(regs, addr + INSN_SIZE);
	return true;
}

/* There addresses may lack their highest bits. */
static int arch_foreign_trap(struct pt_regs *regs)
{
	unsigned long addr = regs->nip;

	if (addr < PAGE_OFFSET)
		addr += PAGE_OFFSET;
	return virt_addr_valid((void *)addr) && serve_in_real_mode(addr, regs) ? NOTIFY_STOP :
										  NOTIFY_DONE;
}

static bool arch_serve_trap(u32 word, struct pt_regs *regs)
{
	switch (word) {
	case POWERPC_TRAP_SLOT:
		copy_done(regs);
		return true;
	case POWERPC_TRAP_FIXED:
		powerpc_resume_at(regs, slot_owner(regs->nip)->arch.fixup);
		return true;
	case POWERPC_TRAP_JPROBE:
		powerpc_jprobe_end(regs);
		set_recoverable(regs);
		return true;
	case POWERPC_TRAP_LEFT:
		powerpc_trap_left(regs);
		set_recoverable(regs);
		return true;
	default:
		return false;
	}
}
#define arch_serve_trap	arch_serve_trap

#include "../trap.h"

/*
 * A kernel's, in its own mode, with MSR[RI] set: as at almost all probe points.  Then it is still
 * set behind, unless a handler has led elsewhere, see arch_trap_left(), or registers were put back.
 */
#define USUAL_MSR	(MSR_IR | MSR_DR | MSR_RI)

static __always_inline bool is_usual(const struct pt_regs *regs)
{
	return (regs->msr & (MSR_PR | USUAL_MSR)) == USUAL_MSR;
}

static noinline __kprobes unsigned long serve_unusual(struct pt_regs *regs)
{
	if (user_mode(regs) || trap_hit(regs) != NOTIFY_STOP)
		return 0;
	set_recoverable(regs);
	return 1;
}

/**
 * powerpc_serve_trap() - a breakpoint
 * @regs: registers there
 *
 * Context: that of the code that hit it, interrupts off.
 * Return: 0 if it is not ours; a whole register, which needs no extension.
 */
asmlinkage __kprobes unsigned long powerpc_serve_trap(struct pt_regs *regs)
{
	return likely(is_usual(regs)) ? trap_hit_from(regs, false) == NOTIFY_STOP :
					serve_unusual(regs);
}

int arch_trap(struct pt_regs *regs)
{
	return powerpc_serve_trap(regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/* ---- the way to us ---- */

/**
 * struct way - a call of the kernel's that is made ours
 * @shared: what it leads to then, where it is in reach
 * @is_early: it is made where MSR[RI] is clear, and with hashed page tables only what is mapped for ever
 *	can be run: so what it leads to is all that it runs of ours
 * @site: its address; 0 while it is the kernel's
 * @theirs: where it led
 * @jump: where it leads
 */
struct way {
	struct powerpc_shared shared;
	bool is_early;
	unsigned long site;
	unsigned long theirs;
	unsigned long jump;
};

/* Guarded by kprobe_mutex. */
static struct way of_traps = {
	.shared = { powerpc_trap_jump, powerpc_trap_load, powerpc_trap_end, powerpc_trap_entry },
};

/* Failure is no error: all is as without it. */
static void redirect(struct way *way, unsigned long site, unsigned long theirs)
{
	way->theirs = theirs;
	way->jump = site ? powerpc_place(&way->shared, site) : 0;
	if (!way->jump)
		return;
	host_text_sync();
	if (!(way->is_early && is_vmalloc_addr((void *)way->jump)) && !redirect_call(site, way->jump)) {
		way->site = site;
		return;
	}
	host_slot_free(way->jump, NULL);
	way->jump = 0;
}

static void give_back(struct way *way)
{
	if (!way->site)
		return;
	redirect_back(way->site, way->theirs);
	host_slot_free(way->jump, NULL);
	way->site = way->jump = 0;
}

/*
 * Exits of exceptions keep their stack pointer in the CPU's data.  On their last steps, where interrupts
 * are masked without being disabled, an NMI may come: it makes them begin anew, from that pointer.  But
 * what the NMI calls may be probed, and a trap's own exit keeps another pointer there; the registers
 * that are restored then are those of a trap that is over.  Such NMIs are the watchdog's, and the reset of a
 * CPU that it has found locked up, or that is asked where it is: their calls are made ours, which leaves
 * behind what it has found.  They may come within each other; each has a stack of its own.  The performance
 * monitor's is masked on those steps.
 *
 * Not covered are early machine checks and, on bare metal, what is called early of a maintenance interrupt:
 * these run in real mode, and a trap there leaves as any.  The same might do; no machine to try it on was had.
 */
static struct nmi {
	const char *in;
	const char *calls;
	struct way way;
} nmis[] = {
#define NMI(in, calls)	{ in, calls, {							\
	.shared = { powerpc_nmi, powerpc_nmi_load, powerpc_nmi_end },			\
	.is_early = true,								\
} }
	NMI("soft_nmi_common", "soft_nmi_interrupt"),
	NMI("system_reset_common", "system_reset_exception"),
#undef NMI
};

static void redirect_nmi(struct nmi *nmi)
{
	unsigned long theirs = host_lookup(nmi->calls);

	if (!theirs)
		return;
	theirs = arch_entry_address(theirs);
	nmi->way.shared.calls = (void *)theirs;
	redirect(&nmi->way, redirect_find(nmi->in, theirs), theirs);
	if (!nmi->way.site)
		pr_notice("a trap in what %s() calls may end the exception that it has interrupted\n",
			  nmi->calls);
}

/* Possible callers of kprobe_handler(): the first may be inlined into the second. */
static const char * const callers[] = { "do_program_check", "program_check_exception" };

static void redirect_traps(void)
{
	unsigned long found = 0, theirs;
	unsigned int i;

	if (!import_has(kprobe_handler))
		return;
	theirs = arch_entry_address(host_import_addr[HOST_kprobe_handler]);
	for (i = 0; i < ARRAY_SIZE(callers) && !found; i++)
		found = redirect_find(callers[i], theirs);
	redirect(&of_traps, found, theirs);
}

/* Failure is no error: the notifier is called instead. */
void arch_trap_hurry(void)
{
	unsigned int i;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(nmis); i++)
		redirect_nmi(&nmis[i]);
	redirect_traps();
}

/*
 * Interrupts are masked from the trap on, and in those NMIs, so no CPU is on its way through our text once
 * the sync is over.  What is not ours is passed on by a call that returns through our text, with
 * interrupts masked, too.
 */
void arch_trap_unhurry(void)
{
	unsigned int i;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	give_back(&of_traps);
	for (i = 0; i < ARRAY_SIZE(nmis); i++)
		give_back(&nmis[i].way);
}
