// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel has lists of places in modules, which it changes as modules come and go, each under a
 * mutex of its own.  Who registers a probe waits for each of them before it looks.
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mutex.h>

#include "ktap.h"
#include "target.h"

TARGET(slot_add, SLOT_ADD(slot_add));

/* Their addresses; 0: there is none, or it is not known. */
static unsigned long kprobe_mutex, jump_label_mutex, static_call_mutex, ftrace_lock;
module_param(kprobe_mutex, ulong, 0600);
module_param(jump_label_mutex, ulong, 0600);
module_param(static_call_mutex, ulong, 0600);
module_param(ftrace_lock, ulong, 0600);

static DECLARE_COMPLETION(asked);

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int ask_blacklist(void *unused)
{
	within_kprobe_blacklist((unsigned long)target_at(&slot_add));
	complete_all(&asked);
	return 0;
}

static int ask_entry(void *unused)
{
	kprobe_on_func_entry(target_next(&slot_add), NULL, 0);
	complete_all(&asked);
	return 0;
}

static int register_one(void *unused)
{
	static struct kprobe probe;

	probe = (struct kprobe){ .addr = target_at(&slot_add), .pre_handler = nothing };
	if (!register_kprobe(&probe))
		unregister_kprobe(&probe);
	complete_all(&asked);
	return 0;
}

static void expect_to_wait(struct ktap *t, unsigned long mutex, int (*ask)(void *unused))
{
	struct task_struct *task;

	if (!mutex) {
		t->skip = "this kernel has no such mutex, or does not tell where it is";
		return;
	}
	reinit_completion(&asked);
	mutex_lock((struct mutex *)mutex);
	task = kthread_run(ask, NULL, "lkp_asks");
	if (EXPECT(t, !IS_ERR(task)))
		EXPECT(t, !wait_for_completion_timeout(&asked, HZ));
	mutex_unlock((struct mutex *)mutex);
	if (!IS_ERR(task))
		wait_for_completion(&asked);
}

static void case_the_blacklist_of_the_built_in_kprobes(struct ktap *t)
{
	expect_to_wait(t, kprobe_mutex, ask_blacklist);
}

static void case_jump_labels_of_a_module(struct ktap *t)
{
	expect_to_wait(t, jump_label_mutex, register_one);
}

static void case_static_calls_of_a_module(struct ktap *t)
{
	expect_to_wait(t, static_call_mutex, register_one);
}

static void case_sites_of_the_tracer(struct ktap *t)
{
	expect_to_wait(t, ftrace_lock, register_one);
}

static void case_sites_of_the_tracer_at_entries(struct ktap *t)
{
	if (IS_ENABLED(CONFIG_ARM64)) {
		t->skip = "no probe on an entry is placed at the site";
		return;
	}
	expect_to_wait(t, ftrace_lock, ask_entry);
}

static const struct ktap_case cases[] = {
	CASE(the_blacklist_of_the_built_in_kprobes),
	CASE(jump_labels_of_a_module),
	CASE(static_calls_of_a_module),
	CASE(sites_of_the_tracer),
	CASE(sites_of_the_tracer_at_entries),
};
KTAP_MODULE(cases);
