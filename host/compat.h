/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels name otherwise.  Kbuild has looked for it.  See also tracing.h, sysctl.h.
 */
#ifndef LKP_HOST_COMPAT_H
#define LKP_HOST_COMPAT_H

#include <linux/kcsan-checks.h>
#include <linux/sched.h>

/* A task's state, as a member. */
#ifdef LKP_TASK_HAS_UNDERSCORE_STATE
#define HOST_TASK_STATE	__state
#else
#define HOST_TASK_STATE	state
#define task_is_running(task)	(READ_ONCE((task)->state) == TASK_RUNNING)
#endif

/* Older detectors of data races know nothing of barriers. */
#ifndef kcsan_release
#define kcsan_release()		do { } while (0)
#endif

#endif /* LKP_HOST_COMPAT_H */
