// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traps that a task hits in the last steps of its exit, when it is on no list of tasks any more.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "find_kprobes.h"
#include "ktap.h"

/* A task that reaps itself calls it when it has left all lists. */
#define FUNCTION	"proc_flush_pid"

/* One on each byte: those between two instructions stay, the others are refused. */
static struct kprobe probes[64];
static bool registered[ARRAY_SIZE(probes)];
static atomic_t hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	if (current->exit_state)
		atomic_inc(&hits);
	return 0;
}

static int leave(void *unused)
{
	return 0;
}

static bool runs_and_ends(void)
{
	struct task_struct *task = kthread_create(leave, NULL, "lkp_leaver");
	unsigned int tries;
	bool ended;

	if (IS_ERR(task))
		return false;
	get_task_struct(task);
	wake_up_process(task);
	for (tries = 0; tries < 3000 && READ_ONCE(task->__state) != TASK_DEAD; tries++)
		msleep(20);
	ended = READ_ONCE(task->__state) == TASK_DEAD;
	put_task_struct(task);
	return ended;
}

/* ---- a jprobe, whose function returns to the copy ---- */

static unsigned int calls;

static void instead(struct pid *pid)
{
	if (current->exit_state)
		calls++;
	jprobe_return();
}

static bool is_pinned(struct module *mod, int before)
{
	unsigned int tries;

	for (tries = 0; tries < 3000 && module_refcount(mod) <= before; tries++)
		msleep(20);
	return module_refcount(mod) > before;
}

static void case_the_copy_of_a_jprobe_stays(struct ktap *t)
{
	struct jprobe jp = { .kp.symbol_name = FUNCTION, .entry = instead };
	struct module *mod = find_kprobes();
	int before;

	if (!EXPECT(t, mod))
		return;
	before = module_refcount(mod);
	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	EXPECT(t, runs_and_ends());
	unregister_jprobe(&jp);
	EXPECT(t, calls > 0);
	EXPECT(t, is_pinned(mod, before));
}

/* ---- several kprobes ---- */

static void case_a_task_on_no_list_hits_several_traps(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].symbol_name = FUNCTION;
		probes[i].offset = i;
		probes[i].pre_handler = count;
		registered[i] = !register_kprobe(&probes[i]);
	}
	EXPECT(t, runs_and_ends());
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (registered[i])
			unregister_kprobe(&probes[i]);
	EXPECT(t, atomic_read(&hits) > 3);
}

static const struct ktap_case cases[] = {
	CASE(the_copy_of_a_jprobe_stays),
	CASE(a_task_on_no_list_hits_several_traps),
};
KTAP_MODULE(cases);
