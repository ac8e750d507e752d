// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that ends in a jprobe's function never gives its CPU's guard back, nor one that ends by a
 * fault of the copy between a pre_handler and a post_handler.  The next hit of any other task must
 * be served, also of one that lives in the memory of the one that ended.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#ifdef CONFIG_ARM64
#include <asm/daifflags.h>
#endif
#ifdef CONFIG_X86_64
#include <linux/kdebug.h>
#endif

#include "ktap.h"
#include "optimize.h"
#include "target.h"
#include "test_jprobe.h"

/* Enough to use all memory of tasks that is free. */
#define NR_TASKS	400
#define ROUNDS		8
#define THE_CPU		0

TARGET(witness, SLOT_ADD(witness));

static struct task_struct *ended;
static DECLARE_COMPLETION(has_ended);

/*
 * As the kernel does for a task that an oops ends.  With pseudo-NMIs it leaves the masks of an
 * exception, which end when the CPU next returns to user mode.
 */
static void end_task(void)
{
	preempt_count_set(PREEMPT_ENABLED);
	local_irq_enable();
#ifdef CONFIG_ARM64
	if (system_uses_irq_prio_masking())
		local_daif_restore(DAIF_PROCCTX);
#endif
	kthread_complete_and_exit(&has_ended, 0);
}

static long end_here(long a, long b)
{
	calls++;
	end_task();
	return 0;
}

static int enter_and_end(void *unused)
{
	ended = current;
	lkp_args2(1, 2);
	return 0;
}

static int nr_hits;

static int hit(struct kprobe *p, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static struct kprobe observer = { .pre_handler = hit };

static struct task_struct *run_there(int (*run)(void *unused))
{
	struct task_struct *task = kthread_create(run, NULL, "lkp_test");

	if (IS_ERR(task))
		return NULL;
	kthread_bind(task, THE_CPU);
	return task;
}

/* Leaves the guard of that CPU held by a task that has ended. */
static bool end_one_by(struct ktap *t, int (*run)(void *unused))
{
	struct task_struct *task = run_there(run);

	if (!EXPECT(t, task))
		return false;
	reinit_completion(&has_ended);
	wake_up_process(task);
	wait_for_completion(&has_ended);
	EXPECT_EQ(t, calls, 1);
	msleep(100);
	rcu_barrier();
	return true;
}

static bool end_one(struct ktap *t)
{
	return end_one_by(t, enter_and_end);
}

static bool begin(struct ktap *t, struct jprobe *jp)
{
	observer = (struct kprobe){ .addr = target_at(&witness), .pre_handler = hit };
	nr_hits = 0;
	return plant(t, jp, lkp_args2, end_here) && EXPECT_EQ(t, register_kprobe(&observer), 0);
}

static void end(struct jprobe *jp)
{
	unregister_kprobe(&observer);
	unregister_jprobe(jp);
}

static int call_witness(void *unused)
{
	witness.fn(1, 2);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void case_another_task_takes_the_guard(struct ktap *t)
{
	struct task_struct *task;
	struct jprobe jp;

	if (!begin(t, &jp))
		return;
	task = run_there(call_witness);
	if (EXPECT(t, task) && end_one(t)) {
		wake_up_process(task);
		msleep(100);
		kthread_stop(task);
		EXPECT_EQ(t, nr_hits, 1);
		EXPECT_EQ(t, observer.nmissed, 0);
	}
	end(&jp);
}

static int has_returned;

static int call_jprobe_return(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	jprobe_return();
	local_irq_restore(flags);
	WRITE_ONCE(has_returned, 1);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* The registers that a dead task would have gone on with are nobody's any more. */
static void case_jprobe_return_by_another_task_just_returns(struct ktap *t)
{
	struct task_struct *task;
	struct jprobe jp;

	if (!begin(t, &jp))
		return;
	has_returned = 0;
	task = run_there(call_jprobe_return);
	if (EXPECT(t, task) && end_one(t)) {
		wake_up_process(task);
		msleep(100);
		EXPECT_EQ(t, READ_ONCE(has_returned), 1);
		kthread_stop(task);
	}
	end(&jp);
}

/* They stay until all are there, each in memory of its own. */
static bool run_in_its_memory(struct ktap *t)
{
	struct task_struct **tasks = kcalloc(NR_TASKS, sizeof(*tasks), GFP_KERNEL);
	bool found = false;
	int i, nr = 0;

	if (!EXPECT(t, tasks))
		return true;
	while (nr < NR_TASKS && !found) {
		tasks[nr] = run_there(call_witness);
		if (!EXPECT(t, tasks[nr]))
			break;
		found = tasks[nr++] == ended;
	}
	if (found)
		wake_up_process(ended);
	msleep(100);
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	kfree(tasks);
	return found;
}

static void case_a_task_in_the_same_memory_takes_the_guard(struct ktap *t)
{
	struct jprobe jp;
	bool found = false;
	int i;

	for (i = 0; i < ROUNDS && !found && begin(t, &jp); i++) {
		found = end_one(t) && run_in_its_memory(t);
		if (found) {
			EXPECT_EQ(t, nr_hits, 1);
			EXPECT_EQ(t, observer.nmissed, 0);
		}
		end(&jp);
	}
	EXPECT(t, found);
}

#ifdef CONFIG_X86_64

/* ---- by a fault ---- */

TARGET(loads, LOAD(loads));

static int load_and_end(void *unused)
{
	ended = current;
	loads.fn(STRANGE, 0);
	return 0;
}

static int nr_posts;

static void never(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	nr_posts++;
}

/* In place of an oops. */
static int on_die(struct notifier_block *nb, unsigned long why, void *data)
{
	struct die_args *args = data;

	if (why != DIE_GPF || current != ended)
		return NOTIFY_DONE;
	calls++;
	args->regs->ip = (unsigned long)end_task;
	return NOTIFY_STOP;
}

static struct notifier_block at_die = { .notifier_call = on_die };

static void expect_guard_is_taken(struct ktap *t, bool in_its_memory)
{
	struct task_struct *task = in_its_memory ? NULL : run_there(call_witness);

	calls = nr_hits = nr_posts = 0;
	if (!end_one_by(t, load_and_end))
		return;
	EXPECT_EQ(t, nr_posts, 0);
	if (in_its_memory && !run_in_its_memory(t))
		return;
	if (!in_its_memory && EXPECT(t, task)) {
		wake_up_process(task);
		msleep(100);
		kthread_stop(task);
	}
	EXPECT_EQ(t, nr_hits, 1);
	EXPECT_EQ(t, observer.nmissed, 0);
}

static void expect_guards_are_taken(struct ktap *t, bool by_jumps)
{
	struct kprobe p = { .addr = target_at(&loads), .post_handler = never };
	int i;

	observer = (struct kprobe){ .addr = target_at(&witness), .pre_handler = hit };
	EXPECT_EQ(t, turn_optimization(by_jumps), 0);
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (EXPECT_EQ(t, register_kprobe(&observer), 0)) {
		EXPECT(t, by_jumps ? becomes_jump(&p) && becomes_jump(&observer) : is_trap(&p));
		for (i = 0; i < 4; i++)
			expect_guard_is_taken(t, i % 2);
		unregister_kprobe(&observer);
	}
	unregister_kprobe(&p);
}

static void case_the_guard_of_a_task_that_a_fault_ended_is_taken(struct ktap *t)
{
	if (!EXPECT_EQ(t, register_die_notifier(&at_die), 0))
		return;
	expect_guards_are_taken(t, false);
	expect_guards_are_taken(t, true);
	unregister_die_notifier(&at_die);
}

#endif /* CONFIG_X86_64 */

static const struct ktap_case cases[] = {
	CASE(another_task_takes_the_guard),
	CASE(jprobe_return_by_another_task_just_returns),
	CASE(a_task_in_the_same_memory_takes_the_guard),
#ifdef CONFIG_X86_64
	CASE(the_guard_of_a_task_that_a_fault_ended_is_taken),
#endif
};
KTAP_MODULE(cases);
