// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function that is never called, and the only one here that is built with a
 * call site of the tracer.  To the tracer an empty filter means all functions:
 * this function is in each of our filters, so none is ever empty.
 */
#include <linux/compiler.h>

#include "host.h"

void host_ftrace_anchor(void)
{
	barrier();
}
