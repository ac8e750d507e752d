// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in: the kernel's chain of those who want to hear of a trap, or what an
 * architecture has in its place.
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>

#include "../core/core.h"
#include "arch_host.h"
#include "host.h"

#ifdef ARCH_TRAP_EVENT

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != ARCH_TRAP_EVENT || user_mode(args->regs))
		return NOTIFY_DONE;
	return arch_trap(args->regs);
}

static struct notifier_block die_notifier = {
	.notifier_call = on_die,
	.priority = INT_MAX,
};

static int arch_trap_init(void)
{
	return register_die_notifier(&die_notifier);
}

static void arch_trap_exit(void)
{
	unregister_die_notifier(&die_notifier);
}

#endif /* ARCH_TRAP_EVENT */

/**
 * host_trap_init() - be called for each breakpoint the kernel runs into
 *
 * Return: 0 or an error, and then it has been said why if that is not obvious.
 */
int host_trap_init(void)
{
	return arch_trap_init();
}

/**
 * host_trap_exit() - be called no more, when no breakpoint of ours is left
 */
void host_trap_exit(void)
{
	arch_trap_exit();
}
