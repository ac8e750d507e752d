/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ftrace.c (the tracer, and the ops of the probes) and tracing.c (the ops of tracings) share.
 */
#ifndef LKP_HOST_FTRACE_PRIVATE_H
#define LKP_HOST_FTRACE_PRIVATE_H

#include <linux/ftrace.h>
#include <linux/mutex.h>

#ifdef LKP_HAVE_FTRACE

/* Who does not ask for protection from recursion does not get it; older tracers want to be told. */
#ifdef LKP_FTRACE_RECURSION_SAFE
#define UNPROTECTED	FTRACE_OPS_FL_RECURSION_SAFE
#else
#define UNPROTECTED	0
#endif

/* Permanent: the sysctl kernel.ftrace_enabled can't be 0 beside them, as hits would be lost. */
#define OPS_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT | UNPROTECTED)

extern struct mutex tracer_mutex;		/* guards all of both files that changes */
extern unsigned int tracer_nr_tracings;
extern ftrace_func_t tracer_on_traced;

int tracer_set_filter(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr, bool remove);
void tracer_free_filter(struct ftrace_ops *ops);
int tracer_attach(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr, bool unfiltered);
int tracer_leave_sites(struct ftrace_ops *ops);
int tracer_detach(struct ftrace_ops *ops);
int tracer_begin(void);
bool tracer_has_begun(void);
bool tracer_has_probes(void);
void tracer_stop_if_unused(void);

#endif /* LKP_HAVE_FTRACE */

#endif /* LKP_HOST_FTRACE_PRIVATE_H */
