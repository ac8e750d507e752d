// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function that nobody calls, built with a call site of the tracer as nothing
 * else here is.  To the tracer an empty filter means all functions: this one
 * keeps our filters from ever being empty.
 */
#include <linux/compiler.h>

#include "host.h"

void host_ftrace_anchor(void)
{
	barrier();
}
