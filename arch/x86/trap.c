// SPDX-License-Identifier: GPL-2.0-only
/*
 * How breakpoints reach this module, and what they mean.
 *
 * The kernel announces them by the die notifier.  That comes late: after the kernel's own
 * kprobes, and through functions that cost as much as a hit.  So one call in the C code of the
 * exception is made ours, of those behind which the kernel has entered an NMI, as it does for a
 * breakpoint of its own:
 *
 * exc_int3:	...
 *		call	irqentry_nmi_enter
 *		...
 *		call	kprobe_int3_handler	-> call x86_int3_kprobes
 *
 * or, in a kernel without kprobes:
 *
 *		call	notify_die		-> call x86_int3_notify
 *
 * What is not ours goes on to where the call led, by a jump.  What comes before is as it was:
 * breakpoints of the kernel's own patching, and the kernel's debugger.  The notifier stays, for
 * kernels without that call.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/signal.h>
#include <linux/types.h>
#include <asm/processor-flags.h>
#include <asm/trapnr.h>

#include "../../core/core.h"
#include "../../host/host.h"
#include "../../host/imports_c.h"
#include "../../host/inject.h"

static __always_inline unsigned long arch_trap_address(const struct pt_regs *regs)
{
	return regs->ip - 1;
}

static __always_inline void arch_trap_resumed(struct pt_regs *regs)
{
	regs->flags &= ~X86_EFLAGS_RF;
}
#define arch_trap_resumed	arch_trap_resumed

static __always_inline u32 arch_trap_word(unsigned long addr)
{
	return READ_ONCE(*(u8 *)addr);
}

static __always_inline bool arch_is_trap(u32 word)
{
	return word == X86_INT3;
}

/*
 * An emulated processor (QEMU's TCG) may keep a translation of the trap long after
 * it is gone from memory, see write_again() in host/text.c, so a return to it would
 * trap forever.  The resume flag is part of the key of a translation: with it set,
 * the instruction is translated anew.  On a real processor the flag only suppresses
 * a debug exception.
 */
static __always_inline void arch_try_again(struct pt_regs *regs, unsigned long addr)
{
	regs->ip = addr;
	if (host_cpu_is_emulated())
		regs->flags |= X86_EFLAGS_RF;
}
#define arch_try_again	arch_try_again

#include "../trap.h"

/* ---- what the kernel calls ---- */

int arch_trap(struct pt_regs *regs)
{
	return trap_hit(regs);
}

/* In place of kprobe_int3_handler(): not 0 if it is served. */
static __kprobes int x86_int3_kprobes(struct pt_regs *regs)
{
	return trap_hit(regs) == NOTIFY_STOP ? 1 : import_kprobe_int3_handler(regs);
}

/* In place of notify_die(), of which there is a call for this exception alone. */
static __kprobes int x86_int3_notify(enum die_val event, const char *what, struct pt_regs *regs,
				     long err, int trap, int sig)
{
	if (trap_hit(regs) == NOTIFY_STOP)
		return NOTIFY_STOP;
	return import_notify_die(DIE_INT3, "int3", regs, 0, X86_TRAP_BP, SIGTRAP);
}

/* ---- the way to us ---- */

/* The second one may be inlined into the first. */
static const char * const callers[] = { "exc_int3", "do_int3" };

/* The call as the kernel has it, and as we do: of length 0 while it is theirs. */
static struct text_edit their_call, our_call;

/*
 * Steps to behind the next call of a function; false if there is none.  One whose target the kernel
 * has moved (into the padding before the function, to count calls) is none.
 */
static bool step_to_call(struct text_walk *text, unsigned long target)
{
	struct arch_step step;

	while (text->at < text->end && !text_walk_step(text, &step))
		if (step.target == target && text->bytes[text->at - step.length - text->from] ==
					     X86_CALL32)
			return true;
	return false;
}

/* Only those behind irqentry_nmi_enter() are in question, if that is called. */
static bool find_in(const char *name, unsigned long target)
{
	unsigned long enter = host_lookup("irqentry_nmi_enter");
	unsigned long addr = host_lookup(name), start, size;
	struct text_walk text;

	if (!addr || !host_core_text(addr) || !host_symbol_bounds(addr, &start, &size))
		return false;
	text_walk_begin(&text, start, start + size);
	if (!enter || !step_to_call(&text, enter))
		text_walk_begin(&text, start, start + size);
	if (!step_to_call(&text, target))
		return false;
	their_call = (struct text_edit){ .addr = text.at - X86_BRANCH32_SIZE,
					 .len = X86_BRANCH32_SIZE };
	return x86_make_branch(their_call.bytes, X86_CALL32, their_call.addr, target);
}

static bool find_call(unsigned long target)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(callers); i++)
		if (target && find_in(callers[i], target))
			return true;
	return false;
}

/*
 * An emulator's CPU that meets the breakpoint by which the kernel changes the call may keep a
 * translation of it, and would trap on the way of that trap, for ever.
 */
static int change_call(const struct text_edit *to, const struct text_edit *from)
{
	return host_cpu_is_emulated() ? host_text_replace_stopped(to, from->bytes) :
					host_text_poke(to, from->bytes);
}

/* Failure is no error: the notifier is called instead. */
void arch_trap_hurry(void)
{
	unsigned long ours = IS_ENABLED(CONFIG_KPROBES) ? (unsigned long)x86_int3_kprobes :
							  (unsigned long)x86_int3_notify;
	unsigned long theirs = IS_ENABLED(CONFIG_KPROBES) ?
			       host_import_addr[HOST_kprobe_int3_handler] :
			       host_import_addr[HOST_notify_die];

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (inject_failure() || !find_call(theirs))
		return;
	our_call = their_call;
	if (!x86_make_branch(our_call.bytes, X86_CALL32, our_call.addr, ours) ||
	    change_call(&our_call, &their_call))
		our_call.len = 0;
}

static int put_back(void)
{
	return inject_failure() ? -EBUSY : change_call(&their_call, &our_call);
}

/*
 * Nobody is in our text on this way when it is freed.  From the exception on interrupts are off
 * until the call has returned, on every model of preemption: the gate turns them off, as FRED
 * does, and for a program's breakpoint the kernel turns them on behind the call.  Nothing here
 * does, and no notifier, so it does not matter whether what is not ours is passed on by a jump
 * or, where the compiler likes that better, by a call.  The kernel's patching, and ours, ends by
 * interrupting all CPUs and waiting for them, with the hotplug lock held; and whatever that is
 * one day, removing the notifier waits for RCU, which was told of the exception before the call.
 * That holds for NMIs that trap, too.
 *
 * Who else may write there is the kernel's debugger.  What it has a copy of is the one byte that
 * is the same in both calls; while its breakpoint is there this waits.
 */
void arch_trap_unhurry(void)
{
	int err;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	while (our_call.len && (err = put_back())) {
		pr_err_once("can't restore the kernel's breakpoint call (error %d): retrying\n",
			    err);
		msleep(100);
	}
	our_call.len = 0;
}
