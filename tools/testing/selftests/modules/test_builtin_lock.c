// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in kprobes hold their mutex from their look at the text until a new probe of theirs is in
 * the table in which others find it.  We wait for that before we write.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mutex.h>

#include "ktap.h"
#include "target.h"

TARGET(slot_add, SLOT_ADD(slot_add));

static unsigned long builtin;
module_param(builtin, ulong, 0600);
MODULE_PARM_DESC(builtin, "address of their mutex");

static struct kprobe probe;
static DECLARE_COMPLETION(registered);

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int do_register(void *result)
{
	*(int *)result = register_kprobe(&probe);
	complete_all(&registered);
	return 0;
}

static void case_text_is_not_written_while_a_built_in_probe_is_registered(struct ktap *t)
{
	struct task_struct *task;
	int err = 1;

	probe = (struct kprobe){ .addr = target_at(&slot_add), .pre_handler = nothing };
	mutex_lock((struct mutex *)builtin);
	task = kthread_run(do_register, &err, "lkp_registers");
	if (EXPECT(t, !IS_ERR(task))) {
		EXPECT(t, !wait_for_completion_timeout(&registered, HZ));
		EXPECT_EQ(t, err, 1);
	}
	mutex_unlock((struct mutex *)builtin);
	if (IS_ERR(task))
		return;
	wait_for_completion(&registered);
	EXPECT_EQ(t, err, 0);
	unregister_kprobe(&probe);
}

static const struct ktap_case cases[] = {
	CASE(text_is_not_written_while_a_built_in_probe_is_registered),
};
KTAP_MODULE(cases);
