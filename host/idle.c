// SPDX-License-Identifier: GPL-2.0-only
/*
 * What idle CPUs run: the functions of the driver of cpuidle that is in use.
 *
 * The kernel marks most of them, and from 6.3 on all (".cpuidle.text").  Before, a driver needed no
 * mark.
 */
#include <linux/build_bug.h>
#include <linux/cpuidle.h>
#include <linux/minmax.h>
#include <linux/preempt.h>

#include "host.h"

static unsigned int take(unsigned long *functions, unsigned int nr, unsigned long function)
{
	if (function)
		functions[nr++] = function;
	return nr;
}

/**
 * host_idle_functions() - what the idle loop calls to have a CPU sleep
 * @functions: written, room for HOST_IDLE_FUNCTIONS; some may be there more than once
 *
 * While preemption is off, a module whose driver was found here does not go.  Where each CPU may
 * have a driver of its own, all have the same functions.
 *
 * Context: any.
 * Return: how many there are; 0 without a driver.
 */
unsigned int host_idle_functions(unsigned long *functions)
{
	const struct cpuidle_driver *driver;
	unsigned int i, nr = 0, states;

	BUILD_BUG_ON(HOST_IDLE_FUNCTIONS < 2 * CPUIDLE_STATE_MAX);
	preempt_disable();
	driver = cpuidle_get_driver();
	states = driver ? clamp(READ_ONCE(driver->state_count), 0, CPUIDLE_STATE_MAX) : 0;
	for (i = 0; i < states; i++) {
		const struct cpuidle_state *state = &driver->states[i];

		nr = take(functions, nr, (unsigned long)state->enter);
		nr = take(functions, nr, (unsigned long)state->enter_s2idle);
	}
	preempt_enable();
	return nr;
}
