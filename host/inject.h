/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failures on demand, for the tests of the error paths.  Built in only with
 * LKP_INJECT=1; otherwise the compiler removes all of it.
 *
 * The parameter fail_nth counts down at each step that can fail; the step
 * at which it reaches zero fails.  While fail_all is set, each does.
 *
 * While locks_held is set, locks of hits seem to be held by CPUs that never go on.
 *
 * And a test's module may stand in for the kernel's debugger, which few kernels have.
 */
#ifndef LKP_INJECT_H
#define LKP_INJECT_H

#include <linux/types.h>

struct task_struct;

#ifdef LKP_INJECT
bool inject_failure(void);
bool inject_holds_locks(void);
void inject_spare(const struct task_struct *task);
bool inject_stands_in(const char *printed);
#else
static inline bool inject_failure(void)
{
	return false;
}

static inline bool inject_holds_locks(void)
{
	return false;
}

static inline void inject_spare(const struct task_struct *task)
{
}

static inline bool inject_stands_in(const char *printed)
{
	return false;
}
#endif

#endif /* LKP_INJECT_H */
