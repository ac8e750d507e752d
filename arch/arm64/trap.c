// SPDX-License-Identifier: GPL-2.0-only
/*
 * How breakpoints reach this module.
 *
 * One call in the C code of the exception is made ours:
 *
 * el1_brk64:	...
 *		bl	do_el1_brk64		-> bl veneer
 * veneer:	b	arm64_breakpoint	over any distance
 *
 * or, where the kernel has one function for all debug exceptions, which goes through a list of
 * breakpoint hooks:
 *
 * el1_dbg:	...
 *		bl	do_debug_exception	-> bl veneer
 *
 * See trampoline.S for what follows: what is not ours goes on to where the call led.  What comes
 * before is as it was: the kernel has entered an NMI, so RCU watches.  Our hook stays on the list,
 * for kernels without that call.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <asm/debug-monitors.h>
#include <asm/esr.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "../../host/imports_c.h"
#include "../../host/inject.h"
#include "../redirect.h"
#include "emulate.h"

static __always_inline unsigned long arch_trap_address(const struct pt_regs *regs)
{
	return regs->pc;
}

static u32 arch_trap_word(unsigned long addr)
{
	return READ_ONCE(*(u32 *)addr);
}

static bool arch_is_trap(u32 word)
{
	return word == ARM64_BRK(ARM64_IMM_POINT);
}

#include "../trap.h"

static_assert(ARM64_BRK_SYNDROME == ((u32)ESR_ELx_EC_BRK64 << ESR_ELx_EC_SHIFT | (u32)ESR_ELx_IL |
				     ARM64_IMM_POINT));

static noinline bool handle_other(unsigned int imm, struct pt_regs *regs)
{
	switch (imm) {
	case ARM64_IMM_BACK:
		arm64_trap_back(regs);
		return true;
	case ARM64_IMM_POST:
		arm64_trap_post(regs);
		return true;
	default:
		return false;
	}
}

/* Returns false if the breakpoint is not ours. */
static __always_inline bool handle(unsigned long esr, struct pt_regs *regs)
{
	unsigned int imm = esr & ESR_ELx_BRK64_ISS_COMMENT_MASK;

	return likely(imm == ARM64_IMM_POINT) ? trap_hit(regs) != NOTIFY_DONE :
						handle_other(imm, regs);
}

/* ---- what the kernel calls ---- */

/*
 * Called in place of theirs, with its arguments, for our breakpoints only: see trampoline.S.  None
 * of these is left for others, unless it is in no table: then the kernel has to complain.
 */
#ifdef LKP_HAVE_BREAK_HOOK

asmlinkage __kprobes void arm64_serve_brk(unsigned long far, unsigned long esr,
					  struct pt_regs *regs)
{
	if (!handle(esr, regs))
		import_do_debug_exception(far, esr, regs);
}

#define THEIR_IMPORT	HOST_do_debug_exception

/* Possible callers: the first may be inlined into the others, of which a kernel has one. */
static const char * const callers[] = { "el1_dbg", "el1h_64_sync_handler", "el1_sync_handler" };

#else

asmlinkage __kprobes void arm64_serve_brk(unsigned long esr, struct pt_regs *regs)
{
	if (!handle(esr, regs))
		import_do_el1_brk64(esr, regs);
}

#define THEIR_IMPORT	HOST_do_el1_brk64

static const char * const callers[] = { "el1_brk64", "el1h_64_sync_handler" };

#endif

/* ---- the way to us ---- */

/* The call, and where it leads; the latter is 0 while it is the kernel's. */
static unsigned long call_site, veneer;

static unsigned long find_call(void)
{
	unsigned long theirs = host_import_addr[THEIR_IMPORT], found = 0;
	unsigned int i;

	for (i = 0; theirs && i < ARRAY_SIZE(callers) && !found; i++)
		found = redirect_find(callers[i], theirs);
	return found;
}

static int make_veneer(void)
{
	int err;

	veneer = host_run_alloc(ARM64_VENEER_SIZE, call_site);
	if (!veneer)
		return -ENOMEM;
	err = arch_bind_veneer((void *)veneer, (unsigned long)arm64_breakpoint);
	if (!err)
		host_text_sync();
	return err;
}

static int lead_here(void)
{
	int err;

	call_site = inject_failure() ? 0 : find_call();
	if (!call_site)
		return -ENOENT;
	err = make_veneer() ?: redirect_call(call_site, veneer);
	if (err && veneer)
		host_slot_free(veneer, NULL);
	if (err)
		veneer = 0;
	return err;
}

/*
 * Nobody is in our text on this way when it is freed, nor in the veneer.  From the exception on all
 * interrupts are off, pseudo-NMIs too, until the call has returned, and the change ends by
 * interrupting all CPUs and waiting for them.  Firmware's events (SDEI) come nevertheless, and may
 * trap: while one is served this CPU takes no interrupt, either.  What is not ours is passed on by
 * a branch: it might never return.
 */
static void lead_back(void)
{
	if (!veneer)
		return;
	redirect_back(call_site, host_import_addr[THEIR_IMPORT]);
	host_slot_free(veneer, NULL);
	veneer = 0;
}

#ifdef LKP_HAVE_BREAK_HOOK

#ifdef LKP_BREAK_HOOK_TAKES_INT
static int on_break(struct pt_regs *regs, unsigned int esr)
#else
static int on_break(struct pt_regs *regs, unsigned long esr)
#endif
{
	return handle(esr, regs) ? DBG_HOOK_HANDLED : DBG_HOOK_ERROR;
}

/* The kernel walks its whole list each time: one entry serves all our breakpoints. */
static struct break_hook hook = {
	.fn = on_break, .imm = ARM64_IMM_POINT, .mask = ARM64_IMM_MASK,
};

/* That the call is not found is no error: the hook is called instead. */
int arch_trap_init(void)
{
	might_sleep();
	arm64_resume_init();
	if (!import_has(register_kernel_break_hook) || !import_has(unregister_kernel_break_hook)) {
		pr_err("this kernel offers no way to handle breakpoints\n");
		return -ENOENT;
	}
	import_register_kernel_break_hook(&hook);
	lead_here();
	return 0;
}

void arch_trap_exit(void)
{
	might_sleep();
	lead_back();
	import_unregister_kernel_break_hook(&hook);
}

#else /* !LKP_HAVE_BREAK_HOOK */

int arch_trap_init(void)
{
	int err;

	might_sleep();
	arm64_resume_init();
	err = lead_here();
	if (err == -ENOENT)
		pr_err("this kernel offers no way to handle breakpoints\n");
	return err;
}

void arch_trap_exit(void)
{
	might_sleep();
	lead_back();
}

#endif /* !LKP_HAVE_BREAK_HOOK */
