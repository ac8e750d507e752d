// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in: how we hear of breakpoints.
 *
 * Where the kernel keeps a list of those who want to hear of one, we are on it.
 * Elsewhere one call of the kernel's leads to us:
 *
 * el1_brk64:	...
 *		bl	do_el1_brk64	-> bl gate
 * gate:	b	arm64_el1_brk64		over any distance
 *
 * See trampoline.S for what follows.  A call may be exchanged for another one
 * while CPUs run it.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/debug-monitors.h>
#include <asm/esr.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "../../host/imports_c.h"
#include "reach.h"

static noinline bool serve_other(unsigned int imm, struct pt_regs *regs)
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

/* Returns false if it is nobody's here. */
static __always_inline bool serve(unsigned long esr, struct pt_regs *regs)
{
	unsigned int imm = esr & ESR_ELx_BRK64_ISS_COMMENT_MASK;

	return likely(imm == ARM64_IMM_POINT) ? arch_trap(regs) != NOTIFY_DONE :
						serve_other(imm, regs);
}

#ifdef LKP_HAVE_BREAK_HOOK

static int on_break(struct pt_regs *regs, unsigned long esr)
{
	return serve(esr, regs) ? DBG_HOOK_HANDLED : DBG_HOOK_ERROR;
}

/* The kernel goes through all of its list each time: one entry is for all of ours. */
static struct break_hook hook = {
	.fn = on_break, .imm = ARM64_IMM_POINT, .mask = ARM64_IMM_MASK,
};

int arch_trap_init(void)
{
	if (!import_has(register_kernel_break_hook) || !import_has(unregister_kernel_break_hook)) {
		pr_err("this kernel offers no way to hear of breakpoints\n");
		return -ENOENT;
	}
	import_register_kernel_break_hook(&hook);
	return 0;
}

void arch_trap_exit(void)
{
	import_unregister_kernel_break_hook(&hook);
}

#else /* !LKP_HAVE_BREAK_HOOK */

/* Those that may call do_el1_brk64(): the compiler may have put the first into the second. */
static const char * const callers[] = { "el1_brk64", "el1h_64_sync_handler" };

static unsigned long call_site, gate;

/**
 * arm64_serve_brk() - a breakpoint in the kernel's own code
 * @esr: which one
 * @regs: registers there
 *
 * Context: that of the code, in a trap, interrupts off.
 * Return: false if it is none of ours.
 */
asmlinkage bool arm64_serve_brk(unsigned long esr, struct pt_regs *regs)
{
	return serve(esr, regs);
}

static bool calls(unsigned long addr, unsigned long target)
{
	struct insn insn;

	return insn_decode(&insn, (void *)addr, INSN_SIZE) == INSN_OK && insn.class == INSN_BL &&
	       insn_branch_target(&insn, addr) == target;
}

/* The one call there is from a function; 0 if there are none, or several. */
static unsigned long find_call_in(const char *name, unsigned long target)
{
	unsigned long addr = host_lookup(name), found = 0, start, size, end;

	if (!addr || !host_symbol_bounds(addr, &start, &size))
		return 0;
	for (end = start + size; addr < end; addr += INSN_SIZE) {
		if (!calls(addr, target))
			continue;
		if (found)
			return 0;
		found = addr;
	}
	return found;
}

static unsigned long find_call(void)
{
	unsigned long found = 0;
	unsigned int i;

	if (!import_has(do_el1_brk64))
		return 0;
	for (i = 0; i < ARRAY_SIZE(callers) && !found; i++)
		found = find_call_in(callers[i], host_import_addr[HOST_do_el1_brk64]);
	return found;
}

#define BL_BIT	0x80000000	/* what makes a call of a branch */

static int lead_to(unsigned long target)
{
	struct text_edit edit = { .addr = call_site, .len = INSN_SIZE };
	u32 word = 0;

	if (!reach_branch((u8 *)&word, call_site, target))
		return -ERANGE;
	word |= BL_BIT;
	memcpy(edit.bytes, &word, sizeof(word));
	return host_text_replace(&edit, 1);
}

static int make_gate(void)
{
	int err;

	gate = host_run_alloc(ARM64_VENEER_SIZE, call_site);
	if (!gate)
		return -ENOMEM;
	err = arch_bind_veneer((void *)gate, (unsigned long)arm64_el1_brk64);
	if (err)
		return err;
	host_text_sync();
	return 0;
}

int arch_trap_init(void)
{
	int err;

	call_site = find_call();
	if (!call_site) {
		pr_err("this kernel offers no way to hear of breakpoints\n");
		return -ENOENT;
	}
	err = make_gate() ?: lead_to(gate);
	if (err && gate)
		host_slot_free(gate, NULL);
	return err;
}

/*
 * Interrupts are off from the trap on, so whoever is on the way through the gate
 * has left it when the sync is over.  What is not ours is not called from here,
 * but gone on to: it may never end.
 */
void arch_trap_exit(void)
{
	int err;

	while ((err = lead_to(host_import_addr[HOST_do_el1_brk64]))) {
		pr_err_once("can't give breakpoints back (error %d): trying on\n", err);
		msleep(100);
	}
	host_slot_free(gate, NULL);
}

#endif /* !LKP_HAVE_BREAK_HOOK */
