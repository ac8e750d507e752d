// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's notifier chain for traps.
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/notifier.h>

#include "host.h"

static struct notifier_block die_notifier = {
	.priority = INT_MAX,
};

/**
 * host_trap_init() - register a notifier for the kernel's die chain
 * @fn: the notifier; called before all others, for events of every kind
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of register_die_notifier().
 */
int host_trap_init(notifier_fn_t fn)
{
	might_sleep();
	die_notifier.notifier_call = fn;
	return register_die_notifier(&die_notifier);
}

/**
 * host_trap_exit() - unregister the notifier, when no breakpoint of ours is left
 *
 * Context: process context, may sleep.
 */
void host_trap_exit(void)
{
	might_sleep();
	unregister_die_notifier(&die_notifier);
}
