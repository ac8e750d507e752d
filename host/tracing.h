/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is called by the kernel's function tracer, and how it finds what it
 * serves.  For those who bring the functions that are called; see ftrace.c.
 */
#ifndef LKP_HOST_TRACING_H
#define LKP_HOST_TRACING_H

#include <linux/ftrace.h>
#include <linux/kernel.h>

#ifdef LKP_HAVE_FTRACE

/**
 * struct host_tracing - a set of call sites that lead to one place
 * @ops: what the tracer knows of it
 * @data: what the place is told
 * @stub: which of the trampolines it has; ARCH_NR_TRACED_STUBS if none was left
 */
struct host_tracing {
	struct ftrace_ops ops;
	void *data;
	unsigned int stub;
};

/* The data that host_tracing_start() was given, for the function that the tracer calls. */
static __always_inline void *host_tracing_data(struct ftrace_ops *ops)
{
	return container_of(ops, struct host_tracing, ops)->data;
}

int host_ftrace_init(ftrace_func_t probed, ftrace_func_t traced);

#endif /* LKP_HAVE_FTRACE */

#endif /* LKP_HOST_TRACING_H */
