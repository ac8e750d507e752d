// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in: the kernel's chain of those who want to hear of a trap.
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>

#include "../core/core.h"
#include "arch_host.h"
#include "host.h"

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

/**
 * host_trap_init() - be called for each breakpoint the kernel runs into
 *
 * Return: 0 or the error of register_die_notifier().
 */
int host_trap_init(void)
{
	return register_die_notifier(&die_notifier);
}

/**
 * host_trap_exit() - be called no more, when no breakpoint of ours is left
 */
void host_trap_exit(void)
{
	unregister_die_notifier(&die_notifier);
}
