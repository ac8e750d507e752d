// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's notifier chain for traps.
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>

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

/* More notifiers of the highest priority than any kernel has. */
#define MAX_BEFORE	16

/* Without CONFIG_KALLSYMS_ALL the chain can't be found; this one is in most kernels. */
static unsigned int known_before(unsigned long *functions)
{
	functions[0] = host_lookup("hw_breakpoint_exceptions_notify");
	return !!functions[0];
}

static unsigned int find_before(unsigned long *functions)
{
	struct atomic_notifier_head *chain = (void *)host_lookup("die_chain");
	struct notifier_block *nb;
	unsigned int nr = 0;

	if (!chain)
		return known_before(functions);
	rcu_read_lock();
	nb = rcu_dereference(chain->head);
	while (nb && nb != &die_notifier && nb->priority == INT_MAX && nr < MAX_BEFORE) {
		functions[nr++] = (unsigned long)nb->notifier_call;
		nb = rcu_dereference(nb->next);
	}
	rcu_read_unlock();
	return nr;
}

/**
 * host_trap_each_before() - go through the notifiers that are called before ours
 * @fn: called with the address of each; an error ends the walk
 *
 * Of those with the same priority the one that was registered first is called first.
 * Those that are registered after ours are called after ours.
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of @fn.
 */
int host_trap_each_before(int (*fn)(unsigned long addr))
{
	unsigned long functions[MAX_BEFORE];
	unsigned int i, nr;
	int err = 0;

	might_sleep();
	nr = find_before(functions);
	for (i = 0; i < nr && !err; i++)
		err = fn(functions[i]);
	return err;
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
