// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counter behind inject_failure(), and what a test may pretend.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "inject.h"

#ifdef LKP_INJECT

static int fail_nth;
module_param(fail_nth, int, 0600);
MODULE_PARM_DESC(fail_nth, "which fallible step from now on fails (0: none)");

static bool fail_all;
module_param(fail_all, bool, 0600);
MODULE_PARM_DESC(fail_all, "every fallible step fails");

static bool locks_held;
module_param(locks_held, bool, 0600);
MODULE_PARM_DESC(locks_held, "no hit gets a lock");

/* No failure is injected into this task. */
static const struct task_struct *spared;

bool inject_failure(void)
{
	if (current == READ_ONCE(spared))
		return false;
	return READ_ONCE(fail_all) || (READ_ONCE(fail_nth) > 0 && --fail_nth == 0);
}

bool inject_holds_locks(void)
{
	return READ_ONCE(locks_held);
}

void inject_spare(const struct task_struct *task)
{
	WRITE_ONCE(spared, task);
}

/* By a symbol as sprint_symbol() prints it. */
bool inject_stands_in(const char *printed)
{
	return strstr(printed, "[test_debugger]");
}

#endif
