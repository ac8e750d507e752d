/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failures on demand, for the tests of the error paths.  Built in only with
 * LKP_INJECT=1; otherwise the compiler removes all of it.
 *
 * The parameter fail_nth counts down at each step that can fail; the step
 * at which it reaches zero fails.  While fail_all is set, each does.
 */
#ifndef LKP_INJECT_H
#define LKP_INJECT_H

#include <linux/types.h>

struct task_struct;

#ifdef LKP_INJECT
bool inject_failure(void);
void inject_spare(const struct task_struct *task);
#else
static inline bool inject_failure(void)
{
	return false;
}

static inline void inject_spare(const struct task_struct *task)
{
}
#endif

#endif /* LKP_INJECT_H */
