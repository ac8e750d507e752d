// SPDX-License-Identifier: GPL-2.0-only
/*
 * How breakpoints reach this module.
 *
 * If the kernel has a list of breakpoint hooks, ours is on it.  Otherwise one call
 * of the kernel's is redirected:
 *
 * el1_brk64:	...
 *		bl	do_el1_brk64	-> bl veneer
 * veneer:	b	arm64_el1_brk64		over any distance
 *
 * See trampoline.S for what follows.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <asm/debug-monitors.h>
#include <asm/esr.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "../../host/imports_c.h"
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

static noinline bool handle_other(unsigned int imm, struct pt_regs *regs)
{
	switch (imm) {
	case ARM64_IMM_BACK:
		arm64_trap_back(regs);
		return true;
	case ARM64_IMM_POST:
		arm64_trap_post(regs);
		return true;
	case ARM64_IMM_JPROBE:
		arm64_trap_jprobe(regs);
		return true;
	case ARM64_IMM_LEAVE:
		arm64_trap_leave(regs);
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

int arch_trap_init(void)
{
	might_sleep();
	if (!import_has(register_kernel_break_hook) || !import_has(unregister_kernel_break_hook)) {
		pr_err("this kernel offers no way to handle breakpoints\n");
		return -ENOENT;
	}
	import_register_kernel_break_hook(&hook);
	return 0;
}

void arch_trap_exit(void)
{
	might_sleep();
	import_unregister_kernel_break_hook(&hook);
}

#else /* !LKP_HAVE_BREAK_HOOK */

/* Possible callers of do_el1_brk64(): the first may be inlined into the second. */
static const char * const callers[] = { "el1_brk64", "el1h_64_sync_handler" };

static unsigned long call_site, veneer;

/**
 * arm64_serve_brk() - a breakpoint in the kernel's own code
 * @esr: the exception syndrome
 * @regs: registers there
 *
 * Context: that of the code, in a trap, interrupts off.
 * Return: false if it is not ours.
 */
asmlinkage bool arm64_serve_brk(unsigned long esr, struct pt_regs *regs)
{
	return handle(esr, regs);
}

static unsigned long find_call(void)
{
	unsigned long found = 0;
	unsigned int i;

	if (!import_has(do_el1_brk64))
		return 0;
	for (i = 0; i < ARRAY_SIZE(callers) && !found; i++)
		found = redirect_find(callers[i], host_import_addr[HOST_do_el1_brk64]);
	return found;
}

static int make_veneer(void)
{
	int err;

	veneer = host_run_alloc(ARM64_VENEER_SIZE, call_site);
	if (!veneer)
		return -ENOMEM;
	err = arch_bind_veneer((void *)veneer, (unsigned long)arm64_el1_brk64);
	if (err)
		return err;
	host_text_sync();
	return 0;
}

int arch_trap_init(void)
{
	int err;

	might_sleep();
	call_site = find_call();
	if (!call_site) {
		pr_err("this kernel offers no way to handle breakpoints\n");
		return -ENOENT;
	}
	err = make_veneer() ?: redirect_call(call_site, veneer);
	if (err && veneer)
		host_slot_free(veneer, NULL);
	return err;
}

/*
 * Interrupts are off from the trap on, so no CPU is in the veneer once the sync is
 * over.  Breakpoints that are not ours are passed on by a branch, not by a call that
 * might never return.
 */
void arch_trap_exit(void)
{
	might_sleep();
	redirect_back(call_site, host_import_addr[HOST_do_el1_brk64]);
	host_slot_free(veneer, NULL);
}

#endif /* !LKP_HAVE_BREAK_HOOK */
