// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack traces by frame records: in each of several handlers of one return, in the function of a
 * jprobe, where several tracers have replaced one return address, and those that live patches take.
 */
#include <linux/completion.h>
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/stacktrace.h>

#include "optimize.h"
#include "target.h"
#include "trace.h"

static struct trace seen;
static unsigned int hits;

static noinline void take(void)
{
	hits++;
	seen.nr = stack_trace_save(seen.at, MAX_TRACE, 0);
}

/* ---- what is called ---- */

#define SMALL	64

noinline __noclone __aligned(SMALL) long lkp_calls(long (*fn)(long a, long b));
noinline __noclone long lkp_calls(long (*fn)(long a, long b))
{
	long sum = fn(40, 2);

	barrier();
	return sum;
}

noinline __noclone __aligned(SMALL) long lkp_follows(long (*fn)(long a, long b));
noinline __noclone long lkp_follows(long (*fn)(long a, long b))
{
	long sum = lkp_calls(fn);

	barrier();
	return sum;
}

noinline __noclone __aligned(SMALL) long lkp_begins(long (*fn)(long a, long b));
noinline __noclone long lkp_begins(long (*fn)(long a, long b))
{
	long sum = lkp_follows(fn);

	barrier();
	return sum;
}

noinline __noclone __aligned(SMALL) long lkp_just_takes(long a, long b);
noinline __noclone long lkp_just_takes(long a, long b)
{
	take();
	return a + b;
}

noinline __noclone __aligned(SMALL) long lkp_nothing(long a, long b);
noinline __noclone long lkp_nothing(long a, long b)
{
	barrier();
	return a + b;
}

/* ---- what is found ---- */

static bool has_leftover(const struct trace *trace)
{
	static const char * const prefixes[] = {
		"0x", "arch_return_stubs", "return_to_handler", "__kretprobe_trampoline",
		"arch_rethook_trampoline"
	};
	char name[KSYM_SYMBOL_LEN];
	unsigned int i, k;

	for (i = 0; i < trace->nr; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)trace->at[i]);
		for (k = 0; k < ARRAY_SIZE(prefixes); k++)
			if (strstarts(name, prefixes[k]))
				return true;
	}
	return false;
}

static void expect_whole(struct ktap *t, const struct trace *trace)
{
	bool whole = EXPECT(t, !has_leftover(trace));

	whole &= EXPECT_EQ(t, count_in(trace, lkp_calls, SMALL), 1);
	whole &= EXPECT_EQ(t, count_in(trace, lkp_follows, SMALL), 1);
	whole &= EXPECT_EQ(t, count_in(trace, lkp_begins, SMALL), 1);
	whole &= EXPECT(t, ends_in(trace, "el0t_") || ends_in(trace, "ret_from_fork"));
	if (!whole)
		show(t, "got", trace);
}

/* ---- handlers ---- */

#define NR	3

static struct kretprobe rps[NR];
static unsigned int who_takes, calls;

static int take_if_its_turn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (calls++ == who_takes)
		take();
	return 0;
}

static unsigned int follow(struct ktap *t, void *const *functions)
{
	unsigned int nr;

	for (nr = 0; nr < NR; nr++) {
		rps[nr] = (struct kretprobe){
			.kp.addr = functions[nr],
			.handler = take_if_its_turn,
		};
		if (!EXPECT_EQ(t, register_kretprobe(&rps[nr]), 0))
			break;
	}
	return nr;
}

static void follow_no_more(unsigned int nr)
{
	while (nr--)
		unregister_kretprobe(&rps[nr]);
}

static void case_in_each_handler_of_one_return(struct ktap *t)
{
	void *const functions[NR] = { lkp_nothing, lkp_nothing, lkp_nothing };
	unsigned int nr = follow(t, functions);

	for (who_takes = 0; who_takes < nr; who_takes++) {
		calls = hits = 0;
		EXPECT_EQ(t, lkp_begins(lkp_nothing), 42);
		EXPECT_EQ(t, hits, 1);
		expect_whole(t, &seen);
	}
	follow_no_more(nr);
}

static long of_a_jprobe(long a, long b)
{
	take();
	jprobe_return();
	return 0;
}

static void case_in_the_function_of_a_jprobe(struct ktap *t)
{
	struct jprobe jp = { .kp.addr = (void *)lkp_nothing, .entry = of_a_jprobe };

	hits = 0;
	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	EXPECT_EQ(t, lkp_begins(lkp_nothing), 42);
	unregister_jprobe(&jp);
	EXPECT_EQ(t, hits, 1);
	expect_whole(t, &seen);
	EXPECT_EQ(t, count_in(&seen, lkp_nothing, SMALL), 1);
}

/* The script brings others to the same function. */
static void at_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
}

/* A kprobe of the kernel's own is at the site of the tracer: on newer kernels that is refused. */
static bool beside;
module_param(beside, bool, 0600);

static void case_where_several_follow_one_call(struct ktap *t)
{
	void *const functions[NR] = { lkp_just_takes, lkp_calls, lkp_begins };
	const char *name = "lkp_follows";
	struct fprobe fp = { .exit_handler = at_exit };
	unsigned int nr;
	int err;

	who_takes = NR + 1;
	calls = hits = 0;
	nr = follow(t, functions);
	err = register_fprobe_syms(&fp, &name, 1);
	if (err && beside) {
		EXPECT_EQ(t, err, -EINVAL);
	} else if (EXPECT_EQ(t, err, 0)) {
		EXPECT_EQ(t, lkp_begins(lkp_just_takes), 42);
		unregister_fprobe(&fp);
		EXPECT_EQ(t, hits, 1);
		expect_whole(t, &seen);
	}
	follow_no_more(nr);
}

/* ---- for live patches ---- */

static DECLARE_COMPLETION(inside);
static DECLARE_COMPLETION(go_on);

noinline __noclone __aligned(SMALL) long lkp_waits(long a, long b);
noinline __noclone long lkp_waits(long a, long b)
{
	complete(&inside);
	wait_for_completion(&go_on);
	return a + b;
}

static int sleeper(void *unused)
{
	lkp_begins(lkp_waits);
	return 0;
}

static void take_reliably(struct ktap *t, struct task_struct *task)
{
	while (READ_ONCE(task->__state) == TASK_RUNNING || READ_ONCE(task->on_cpu))
		msleep(20);
	if (!EXPECT(t, walk_reliably(task, &seen)))
		return;
	expect_whole(t, &seen);
	EXPECT_EQ(t, count_in(&seen, lkp_waits, SMALL), 1);
}

static void case_reliable_of_a_task_in_followed_calls(struct ktap *t)
{
	void *const functions[NR] = { lkp_waits, lkp_follows, lkp_follows };
	struct task_struct *task;
	unsigned int nr;

	if (!can_walk_reliably()) {
		t->skip = "this kernel takes no reliable traces";
		return;
	}
	who_takes = NR + 1;
	nr = follow(t, functions);
	task = kthread_create(sleeper, NULL, "lkp_sleeper");
	if (EXPECT(t, !IS_ERR(task))) {
		get_task_struct(task);
		wake_up_process(task);
		wait_for_completion(&inside);
		take_reliably(t, task);
		complete(&go_on);
		kthread_stop(task);
		put_task_struct(task);
	}
	follow_no_more(nr);
}

static const struct ktap_case cases[] = {
	CASE(in_each_handler_of_one_return),
	CASE(in_the_function_of_a_jprobe),
	CASE(where_several_follow_one_call),
	CASE(reliable_of_a_task_in_followed_calls),
};
KTAP_MODULE(cases);
