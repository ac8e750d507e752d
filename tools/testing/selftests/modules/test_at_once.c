// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that does several things to one probe at once, in two tasks.
 */
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "kinds.h"
#include "ktap.h"

/* One takes half a second, where two tasks wait for each other all the time. */
#define ROUNDS	6

noinline long lkp_at_once(long a, long b);
noinline long lkp_at_once(long a, long b)
{
	barrier();
	return a + b;
}

static const struct kind {
	union probe given;
	int (*add)(union probe *p);
	void (*remove)(union probe *p);
} kinds[] = {
	{ { .kp = { .pre_handler = count } }, add_kprobe, remove_kprobe },
	{ { .rp = { .handler = count_return } }, add_kretprobe, remove_kretprobe },
	{ { .jp = { .entry = count_call } }, add_jprobe, remove_jprobe },
};

/* ---- the other task ---- */

/**
 * struct other - what another task does, again and again, while a probe is unregistered
 * @act: that
 * @kind: of the probe
 * @p: the probe
 * @acts: how often it has done it in this round
 * @wrong: it has returned what it may not
 */
struct other {
	void (*act)(struct other *other);
	const struct kind *kind;
	union probe *p;
	unsigned int acts;
	bool wrong;
};

static union probe anew(const struct kind *kind)
{
	union probe p = kind->given;

	p.kp.addr = (void *)lkp_at_once;
	return p;
}

static void note(struct other *other, int err)
{
	if (err && err != -EINVAL)
		other->wrong = true;
}

static void unregister_it(struct other *other)
{
	other->kind->remove(other->p);
}

static void unregister_it_as_a_kprobe(struct other *other)
{
	unregister_kprobe(&other->p->kp);
}

static void register_it(struct other *other)
{
	note(other, other->kind->add(other->p));
}

static void disable_and_enable_it(struct other *other)
{
	note(other, disable_kprobe(&other->p->kp));
	note(other, enable_kprobe(&other->p->kp));
}

/* As one does who believes that it is not registered. */
static void fill_it_in_anew(struct other *other)
{
	*other->p = anew(other->kind);
}

static int run_other(void *data)
{
	struct other *other = data;

	while (!kthread_should_stop()) {
		other->act(other);
		WRITE_ONCE(other->acts, other->acts + 1);
		/* The tracer waits for RCU-tasks. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Unregistered while the other is at it. */
static void one_round(struct ktap *t, struct other *other)
{
	struct task_struct *task;
	union probe p = anew(other->kind);

	other->p = &p;
	WRITE_ONCE(other->acts, 0);
	if (!EXPECT_EQ(t, other->kind->add(&p), 0))
		return;
	task = kthread_run(run_other, other, "lkp_at_once");
	if (EXPECT(t, !IS_ERR(task))) {
		while (!READ_ONCE(other->acts))
			cond_resched_tasks_rcu_qs();
		other->kind->remove(&p);
		kthread_stop(task);
	}
	other->kind->remove(&p);
	EXPECT_EQ(t, calls_of(lkp_at_once), 0);
	EXPECT(t, !get_kprobe((void *)lkp_at_once));
}

static void while_another(struct ktap *t, void (*act)(struct other *other))
{
	const struct kind *kind;
	unsigned int i;

	for (kind = kinds; kind < kinds + ARRAY_SIZE(kinds); kind++) {
		struct other other = { .act = act, .kind = kind };

		for (i = 0; i < ROUNDS && !t->failed; i++)
			one_round(t, &other);
		EXPECT(t, !other.wrong);
	}
}

static void case_another_task_unregisters_it(struct ktap *t)
{
	while_another(t, unregister_it);
}

static void case_another_task_unregisters_it_as_a_kprobe(struct ktap *t)
{
	while_another(t, unregister_it_as_a_kprobe);
}

static void case_another_task_registers_it(struct ktap *t)
{
	while_another(t, register_it);
}

static void case_another_task_disables_and_enables_it(struct ktap *t)
{
	while_another(t, disable_and_enable_it);
}

static void case_another_task_fills_it_in_anew(struct ktap *t)
{
	while_another(t, fill_it_in_anew);
}

static const struct ktap_case cases[] = {
	CASE(another_task_fills_it_in_anew),
	CASE(another_task_unregisters_it),
	CASE(another_task_unregisters_it_as_a_kprobe),
	CASE(another_task_registers_it),
	CASE(another_task_disables_and_enables_it),
};
KTAP_MODULE(cases);
