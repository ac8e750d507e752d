/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels name otherwise; features.mk has looked for it.  Behind the kernel's headers.
 */
#ifndef OLDER_H
#define OLDER_H

#ifdef TASK_STATE_IS_PLAIN
#define __state		state
#endif

#ifdef FTRACE_PASSES_REGS
#define ftrace_regs	pt_regs
#define ftrace_get_regs(regs)	(regs)
#endif

/* Not exported: an empty filter takes the place of the old one. */
#ifdef FTRACE_KEEPS_FILTER
#define ftrace_free_filter(ops)	ftrace_set_filter_ip(ops, 0, 0, 1)
#endif

/* A reader of the log was one who is told to dump it. */
#ifdef LOG_HAS_DUMPERS
#define kmsg_dump_iter	kmsg_dumper
#define LOG_START	{ .active = true }
#else
#define LOG_START	{ }
#endif

#ifdef KTHREADS_JUST_EXIT
#define kthread_complete_and_exit	complete_and_exit
#endif

#ifndef in_hardirq
#define in_hardirq	in_irq
#endif

#ifdef CONFIG_ARM64

#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX	TASK_SIZE
#endif

#ifdef UACCESS_MAY_BE_PRIVILEGED
#define uaccess_enable_privileged	uaccess_enable
#define uaccess_disable_privileged	uaccess_disable
#endif

#ifdef SYNDROMES_ARE_INTS
#define syndrome_t	unsigned int
#else
#define syndrome_t	unsigned long
#endif

#endif /* CONFIG_ARM64 */

#endif
