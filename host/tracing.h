/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the functions that the kernel's function tracer calls: how they find the
 * tracing that they serve; see tracing.c.
 */
#ifndef LKP_HOST_TRACING_H
#define LKP_HOST_TRACING_H

#include <linux/ftrace.h>
#include <linux/kernel.h>

#ifdef LKP_HAVE_FTRACE

/* Older tracers pass the registers themselves. */
#ifndef LKP_FTRACE_HAS_REGS
#define ftrace_regs	pt_regs

static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return fregs;
}
#endif

struct host_many;

/**
 * struct host_tracing - a set of call sites with one callback
 * @ops: registered with the tracer
 * @data: passed to host_tracing_start()
 * @many: its sites, if it has no filter; see tracing_many.c
 * @stub: number of its trampoline; ARCH_NR_TRACED_STUBS if none was free
 */
struct host_tracing {
	struct ftrace_ops ops;
	void *data;
	struct host_many *many;
	unsigned int stub;
};

#ifndef LKP_FTRACE_TAKES_SITES

bool host_many_are(unsigned int nr);
int host_many_take(struct host_tracing *tracing, const unsigned long *sites, unsigned int nr);
void host_many_leave(struct host_many *many, const unsigned long *sites, unsigned int nr);
void host_many_free(struct host_many *many);

#else

static inline bool host_many_are(unsigned int nr)
{
	return false;
}

static inline int host_many_take(struct host_tracing *tracing, const unsigned long *sites,
				 unsigned int nr)
{
	return -EOPNOTSUPP;
}

static inline void host_many_leave(struct host_many *many, const unsigned long *sites, unsigned int nr)
{
}

static inline void host_many_free(struct host_many *many)
{
}

#endif

/* For the function that the tracer calls: the data that was passed to host_tracing_start(). */
static __always_inline void *host_tracing_data(struct ftrace_ops *ops)
{
	return container_of(ops, struct host_tracing, ops)->data;
}

bool host_ftrace_overridden(const struct ftrace_ops *ops, unsigned long site);
int host_ftrace_init(ftrace_func_t probed, ftrace_func_t traced);

#else /* !LKP_HAVE_FTRACE */

/* Nothing calls what asks this. */
static inline bool host_ftrace_overridden(const struct ftrace_ops *ops, unsigned long site)
{
	return false;
}

#endif /* LKP_HAVE_FTRACE */

#endif /* LKP_HOST_TRACING_H */
