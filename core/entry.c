// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel calls when a probe is hit.  These functions are passed to host/, which
 * registers them with the kernel and knows nothing of core/.
 */
#include <linux/ftrace.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>

#include "../host/tracing.h"
#include "core.h"

/* ---- breakpoints ---- */

#ifdef ARCH_TRAP_EVENT

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != ARCH_TRAP_EVENT || user_mode(args->regs))
		return NOTIFY_DONE;
	return arch_trap(args->regs);
}

/* There may be a shorter way than the notifier's. */
static void hurry(bool on)
{
#ifdef ARCH_TRAP_HURRIES
	mutex_lock(&kprobe_mutex);
	if (on)
		arch_trap_hurry();
	else
		arch_trap_unhurry();
	mutex_unlock(&kprobe_mutex);
#endif
}

/**
 * entry_trap_init() - have arch_trap() called for each breakpoint in the kernel
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of host_trap_init().
 */
int entry_trap_init(void)
{
	int err = host_trap_init(on_die);

	if (!err)
		hurry(true);
	return err;
}

/**
 * entry_each_before_trap() - go through what runs for each breakpoint before arch_trap()
 * @fn: called with the address of each notifier; an error ends the walk
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of @fn.
 */
int entry_each_before_trap(int (*fn)(unsigned long addr))
{
	return host_trap_each_before(fn);
}

/**
 * entry_trap_exit() - undo entry_trap_init(), when no breakpoint of ours is left
 *
 * Context: process context, may sleep.
 */
void entry_trap_exit(void)
{
	hurry(false);
	host_trap_exit();
}

#else /* !ARCH_TRAP_EVENT */

int entry_trap_init(void)
{
	return arch_trap_init();
}

/* Breakpoints are not announced by the chain of notifiers. */
int entry_each_before_trap(int (*fn)(unsigned long addr))
{
	return 0;
}

void entry_trap_exit(void)
{
	arch_trap_exit();
}

#endif /* ARCH_TRAP_EVENT */

/* ---- call sites of the function tracer ---- */

#ifdef LKP_HAVE_FTRACE

/*
 * Our guard detects recursive hits and counts them as missed.  So the tracer is not asked
 * for recursion protection, which would drop them before.
 */
static void notrace on_probed(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (regs)
		arch_ftrace_hit(ops, ip, regs);
}

static void notrace on_traced(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (regs)
		arch_traced_hit(host_tracing_data(ops), ip, regs);
}

/**
 * entry_ftrace_init() - look for a function tracer, and tell host/ what to call
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of host_ftrace_init(); a kernel without a tracer is no error.
 */
int entry_ftrace_init(void)
{
	return host_ftrace_init(on_probed, on_traced);
}

#else /* !LKP_HAVE_FTRACE */

int entry_ftrace_init(void)
{
	return 0;
}

#endif /* LKP_HAVE_FTRACE */
