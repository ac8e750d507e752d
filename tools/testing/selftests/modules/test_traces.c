// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack traces beside probes: a trace names the same callers as without any probe, to the end of
 * the stack.  One that is interrupted anywhere is whole, or says that it is not reliable.
 *
 * All calls go through one chain of functions, from one place, so that the same callers have
 * the same return addresses in every trace.
 */
#include <linux/completion.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "optimize.h"
#include "target.h"
#include "trace.h"

/*
 * What functions of the chain, and others, have for themselves: they may lie side by side.  Calls
 * by a pointer are longer where types are checked.
 */
#if defined(CONFIG_X86) && !defined(CONFIG_CFI_CLANG) && !defined(CONFIG_CFI)
#define SMALL		32
#else
#define SMALL		(IS_ENABLED(CONFIG_PPC64) ? 128 : 64)
#endif
#define APART		__aligned(SMALL)

/* What it takes that traces go through stubs and detours; and the first function of a stack. */
#ifdef CONFIG_X86
#define WHOLE	(!IS_ENABLED(CONFIG_UNWINDER_GUESS) && IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))
#define FIRST_PREFIX	"entry_"
#elif defined(CONFIG_PPC64)
#define WHOLE	can_walk()
#define FIRST_PREFIX	"system_call_"
#else
#define WHOLE	can_walk()
#define FIRST_PREFIX	"el0t_"
#endif

/* Is what is printed: there the unwinder is another one, which asks only with the graph tracer. */
#define WHOLE_IN_LOG	(!IS_ENABLED(CONFIG_PPC64) || IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))

/* So many traces of interrupts are enough. */
#define ENOUGH	400
/* Of fewer, the part that is whole may be anything by chance. */
#define FEW	100

/*
 * So many of them may name a caller twice.  On ppc64 nothing tells a function that
 * has a frame, but does not save LR, from one that does: what an earlier callee has saved there is shown.
 */
#define TWICE_ALLOWED	(IS_ENABLED(CONFIG_PPC64) ? ENOUGH / 100 : 0)

/* Does the walk in place of the kernel's name more: what is interrupted, and who is in LR only? */
#define NAMES_MORE	IS_ENABLED(CONFIG_PPC64)
/*
 * So many percent of the traces of interrupts at least; and those in slots and detours are.  On
 * x86-64 95 are, but samples are of a hundred or two.
 */
#ifdef CONFIG_X86
static bool orc_inlined;
module_param(orc_inlined, bool, 0600);
MODULE_PARM_DESC(orc_inlined, "the kernel has inlined orc_find(): traces end in slots and detours");
#define TRAPS_WHOLE		(orc_inlined ? 1 : 80)
#define JUMPS_WHOLE		(orc_inlined ? 1 : 80)
#define OUT_OF_LINE_WHOLE	(WHOLE && !orc_inlined)
#else
#define TRAPS_WHOLE		1
#define JUMPS_WHOLE		25
#define OUT_OF_LINE_WHOLE	false
#endif

static bool cannot(struct ktap *t)
{
	if (!WHOLE)
		t->skip = "traces are not whole on this kernel";
	return !WHOLE;
}

static struct trace seen, wanted;
static bool seen_reliable;

/*
 * Does the graph tracer see the chain?  What it adds to a call is interrupted more often than the
 * chain itself; it runs in memory without a name, as slots do, and ends traces at its own stub.
 */
static bool traced;
module_param(traced, bool, 0600);

/*
 * A task on its way through a stub that was added is told to have no trace: nothing describes it.
 * On ppc64 no stack that has one is reliable.
 */
static bool added_stubs;
module_param(added_stubs, bool, 0600);
#define STUBS_ARE_RELIABLE	(!IS_ENABLED(CONFIG_PPC64) || !added_stubs)

static unsigned int hits;

/* How traces are taken. */
static enum { SAVED, PRINTED, RELIABLY, PROFILED } taken;

/* @regs: of where a handler was called, or NULL */
static noinline void take(struct pt_regs *regs)
{
	hits++;
	if (taken == PRINTED)
		dump_stack();
	else if (taken == RELIABLY)
		seen_reliable = walk_reliably(current, &seen);
	else if (taken == PROFILED && regs)
		profile(regs, &seen);
	else
		seen.nr = stack_trace_save(seen.at, MAX_TRACE, 0);
}

/* ---- the chain ---- */

noinline __noclone APART long lkp_chain_inner(long (*fn)(long a, long b));
noinline __noclone long lkp_chain_inner(long (*fn)(long a, long b))
{
	long sum = fn(40, 2);

	barrier();
	return sum;
}

noinline __noclone APART long lkp_chain_middle(long (*fn)(long a, long b));
noinline __noclone long lkp_chain_middle(long (*fn)(long a, long b))
{
	long sum = lkp_chain_inner(fn);

	barrier();
	return sum;
}

noinline __noclone APART long lkp_chain_outer(long (*fn)(long a, long b));
noinline __noclone long lkp_chain_outer(long (*fn)(long a, long b))
{
	long sum = lkp_chain_middle(fn);

	barrier();
	return sum;
}

/* ---- what is called ---- */

noinline __noclone APART long lkp_takes(long a, long b);
noinline __noclone long lkp_takes(long a, long b)
{
	take(NULL);
	return a + b;
}

noinline __noclone APART long lkp_plain(long a, long b);
noinline __noclone long lkp_plain(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(first, FIRST_ADD(first));
TARGET(nop_first, NOP_ADD(nop_first));
TARGET(push_first, PUSH_FIRST_ADD(push_first));
TARGET(with_frame, FRAME_ADD(with_frame));
#ifdef CONFIG_X86
TARGET(copied_call, CALLS_TO(copied_call, lkp_plain));
#endif

static int take_before(struct kprobe *p, struct pt_regs *regs)
{
	take(regs);
	return 0;
}

static void take_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	take(regs);
}

static int take_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	take(regs);
	return 0;
}

static long take_instead(long a, long b)
{
	take(NULL);
	jprobe_return();
	return 0;
}

static int take_at_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	take(regs);
	return 0;
}

static void take_at_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	take(regs);
}

static int just_follow(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* The last of these does not fit into registers on x86-64. */
static noinline __noclone long take_seven(long a, long b, long c, long d, long e, long f, long g)
{
	take(NULL);
	return a + b + c + d + e + f + g;
}

/*
 * Where such a function pushes arguments onto a stack that it has aligned, gcc keeps a copy of its
 * return address beside its frame pointer on x86-64, for unwinders.
 */
noinline __noclone APART long lkp_takes_aligned(long a, long b);
noinline __noclone long lkp_takes_aligned(long a, long b)
{
	u64 word __aligned(64) = a;
	long sum;

	barrier_data(&word);
	sum = take_seven(word, b, 0, 0, 0, 0, 0);
	barrier_data(&word);
	return sum;
}

/*
 * With frame pointers the kernel asks the graph tracer for what was at the place of the copy, which
 * that does not know: its own stub is shown.
 */
static bool copies_are_understood(void)
{
	return !traced || !IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER);
}

/* ---- comparing ---- */

struct way;
static noinline void expect_whole(struct ktap *t, const struct way *way);

/* The compiler may have made two calls of the one in expect_whole(). */
static bool is_same_frame(unsigned long one, unsigned long other)
{
	unsigned long from = (unsigned long)expect_whole;

	return one == other || (one - from < 512 && other - from < 512);
}

/* The callers of what took the trace, from the call in @first on, are the same to the last. */
static bool callers_are_whole(const struct trace *trace, const void *first)
{
	unsigned int from = 0, at, i;

	while (from < wanted.nr && wanted.at[from] - (unsigned long)first >= SMALL)
		from++;
	if (from == wanted.nr)
		return false;
	at = find(trace, wanted.at[from]);
	if (trace->nr - at != wanted.nr - from)
		return false;
	for (i = from; i < wanted.nr; i++)
		if (!is_same_frame(wanted.at[i], trace->at[at + i - from]))
			return false;
	return true;
}

/* Kernel threads come from there; ppc64 has called it so since 6.6. */
static bool begins_as_thread(const struct trace *trace)
{
	return ends_in(trace, "ret_from_") || ends_in(trace, "start_kernel_thread");
}

/* Whatever has been there before this module's probes. */
static bool is_whole(const struct trace *trace)
{
	return count_in(trace, lkp_chain_inner, SMALL) == 1 &&
	       count_in(trace, lkp_chain_middle, SMALL) == 1 &&
	       count_in(trace, lkp_chain_outer, SMALL) == 1 &&
	       (ends_in(trace, FIRST_PREFIX) || begins_as_thread(trace) ||
		(taken == RELIABLY && ends_in(trace, "kthread")));
}

struct way {
	long (*fn)(long a, long b);
	bool (*begin)(struct ktap *t, const struct way *way);
	void (*end)(void);
	const struct target *target;
	bool gone;	/* the function has returned when the trace is taken */
	bool unhooked;	/* such a probe, alone, leaves the unwinder as it is */
	unsigned int extra;	/* so many return probes on each function of the chain */
};

static struct kretprobe around[3 * 3];

static void unregister_around(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < 3 * nr; i++)
		unregister_kretprobe(&around[i]);
}

/* None stays if one is refused. */
static bool surround(struct ktap *t, unsigned int nr)
{
	void *const functions[] = { lkp_chain_inner, lkp_chain_middle, lkp_chain_outer };
	unsigned int i;

	for (i = 0; i < 3 * nr; i++) {
		around[i] = (struct kretprobe){
			.kp.addr = functions[i % 3],
			.handler = just_follow,
		};
		if (EXPECT_EQ(t, register_kretprobe(&around[i]), 0))
			continue;
		while (i--)
			unregister_kretprobe(&around[i]);
		return false;
	}
	return true;
}

static const struct target *const with_a_frame = &with_frame;

static bool begin_jprobe(struct ktap *t, const struct way *way);

/* There are frames for the probed function and its caller then. */
static bool replaces(const struct way *way)
{
	return way->begin == begin_jprobe;
}

static bool is_hooked(const struct way *way)
{
	return way->extra || !way->unhooked;
}

/*
 * Until a function has its frame, an unwinder that goes by frame records does not find its
 * caller, with and without probes, but the caller's caller.  Nor does one that goes by back chains.
 */
static const void *first_caller(const struct way *way)
{
	bool frameless = way->target ? way->target != with_a_frame : way->fn == lkp_plain;

	frameless &= !way->gone;
	if (CALLER_ON_STACK || replaces(way) || (NAMES_MORE && taken == SAVED && is_hooked(way)))
		return lkp_chain_inner;
	return frameless ? lkp_chain_middle : lkp_chain_inner;
}

static void compare(struct ktap *t, const struct way *way)
{
	bool whole;

	EXPECT_EQ(t, hits, 1);
	EXPECT(t, is_whole(&wanted));
	if (taken == RELIABLY && !seen_reliable)
		return;
	whole = EXPECT(t, callers_are_whole(&seen, first_caller(way)));
	if ((way->target || replaces(way)) && taken == SAVED && (!NAMES_MORE || is_hooked(way)))
		whole &= EXPECT_EQ(t, count_in(&seen, way->fn, SMALL), !way->gone);
	if (first_caller(way) == lkp_chain_inner)
		whole &= EXPECT_EQ(t, count_in(&seen, lkp_chain_inner, SMALL), 1);
	if (whole)
		return;
	show(t, "wanted", &wanted);
	show(t, "got", &seen);
}

static noinline void expect_whole(struct ktap *t, const struct way *way)
{
	unsigned int round;

	for (round = 0; round < 2; round++) {
		if (round && (!surround(t, way->extra) || (way->begin && !way->begin(t, way))))
			break;
		hits = 0;
		EXPECT_EQ(t, lkp_chain_outer(round ? way->fn : lkp_takes), 42);
		if (!round)
			wanted = seen;
	}
	if (round == 2)
		compare(t, way);
	if (way->end)
		way->end();
	unregister_around(way->extra);
}

/* ---- the ways into a handler ---- */

static struct kprobe kp;
static struct kretprobe rps[3];

static bool begin_trap(struct ktap *t, const struct way *way)
{
	kp = (struct kprobe){
		.addr = way->target ? target_at(way->target) : (void *)way->fn,
		.pre_handler = take_before,
	};
	return EXPECT_EQ(t, register_kprobe(&kp), 0);
}

static bool begin_jump(struct ktap *t, const struct way *way)
{
	return begin_trap(t, way) && EXPECT(t, becomes_jump(&kp));
}

static bool begin_post(struct ktap *t, const struct way *way)
{
	kp = (struct kprobe){ .addr = target_at(way->target), .post_handler = take_behind };
	return EXPECT_EQ(t, register_kprobe(&kp), 0);
}

static bool begin_post_by_jump(struct ktap *t, const struct way *way)
{
	return begin_post(t, way) && EXPECT(t, becomes_jump(&kp));
}

static void end_kprobe(void)
{
	unregister_kprobe(&kp);
}

static struct jprobe jp;

static bool begin_jprobe(struct ktap *t, const struct way *way)
{
	jp = (struct jprobe){ .kp.addr = (void *)way->fn, .entry = take_instead };
	return EXPECT_EQ(t, register_jprobe(&jp), 0);
}

static bool begin_jprobe_by_jump(struct ktap *t, const struct way *way)
{
	return begin_jprobe(t, way) && EXPECT(t, becomes_jump(&jp.kp));
}

static void end_jprobe(void)
{
	unregister_jprobe(&jp);
}

static struct fprobe fp;

static bool begin_entry(struct ktap *t, const struct way *way)
{
	unsigned long addr = (unsigned long)way->fn;

	fp = (struct fprobe){ .entry_handler = take_at_entry };
	return EXPECT_EQ(t, register_fprobe_ips(&fp, &addr, 1), 0);
}

static bool begin_exit(struct ktap *t, const struct way *way)
{
	unsigned long addr = (unsigned long)way->fn;

	fp = (struct fprobe){ .exit_handler = take_at_exit };
	return EXPECT_EQ(t, register_fprobe_ips(&fp, &addr, 1), 0);
}

static void end_fprobe(void)
{
	unregister_fprobe(&fp);
}

static bool begin_return(struct ktap *t, const struct way *way)
{
	rps[0] = (struct kretprobe){ .kp.addr = (void *)way->fn, .handler = take_at_return };
	return EXPECT_EQ(t, register_kretprobe(&rps[0]), 0);
}

static bool begin_return_by_jump(struct ktap *t, const struct way *way)
{
	return begin_return(t, way) && EXPECT(t, becomes_jump(&rps[0].kp));
}

static void end_return(void)
{
	unregister_kretprobe(&rps[0]);
}

static bool begin_three_returns(struct ktap *t, const struct way *way)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		rps[i] = (struct kretprobe){ .kp.addr = (void *)way->fn, .handler = just_follow };
		if (!EXPECT_EQ(t, register_kretprobe(&rps[i]), 0))
			return false;
	}
	return true;
}

static void end_three_returns(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		unregister_kretprobe(&rps[i]);
}

/* With and without return probes on all callers. */
static void expect_each(struct ktap *t, struct way way)
{
	if (cannot(t))
		return;
	for (way.extra = 0; way.extra <= 3; way.extra += 3)
		expect_whole(t, &way);
}

static const struct target *const targets[] = { &first, &push_first, &with_frame };

static void expect_at_targets(struct ktap *t, struct way way)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		/* Behind a trap the unwinder looks one byte too far. */
		if (way.begin == begin_trap && targets[i] == &push_first)
			continue;
		way.target = targets[i];
		way.fn = targets[i]->fn;
		expect_each(t, way);
	}
}

static void case_in_a_trap(struct ktap *t)
{
	EXPECT_EQ(t, turn_optimization(false), 0);
	expect_at_targets(t, (struct way){ .begin = begin_trap, .end = end_kprobe,
					   .unhooked = true });
	EXPECT_EQ(t, turn_optimization(true), 0);
}

static void case_in_a_jump(struct ktap *t)
{
	expect_at_targets(t, (struct way){ .begin = begin_jump, .end = end_kprobe });
}

static void case_in_a_post_handler(struct ktap *t)
{
	EXPECT_EQ(t, turn_optimization(false), 0);
	expect_at_targets(t, (struct way){ .begin = begin_post, .end = end_kprobe,
					   .unhooked = true });
	EXPECT_EQ(t, turn_optimization(true), 0);
	expect_at_targets(t, (struct way){ .begin = begin_post_by_jump, .end = end_kprobe });
	/* Behind an instruction that is emulated. */
	expect_each(t, (struct way){ nop_first.fn, begin_post_by_jump, end_kprobe, &nop_first });
}

static void case_at_a_site_of_the_tracer(struct ktap *t)
{
	expect_each(t, (struct way){ lkp_plain, begin_trap, end_kprobe });
}

static void case_in_a_return_handler(struct ktap *t)
{
	struct way way = { first.fn, begin_return, end_return, &first, .gone = true };

	EXPECT_EQ(t, turn_optimization(false), 0);
	expect_each(t, way);
	EXPECT_EQ(t, turn_optimization(true), 0);
	way.begin = begin_return_by_jump;
	expect_each(t, way);
	expect_each(t, (struct way){ lkp_plain, begin_return, end_return, .gone = true });
}

static void case_in_a_jprobe(struct ktap *t)
{
	expect_each(t, (struct way){ lkp_plain, begin_jprobe, end_jprobe });
	expect_each(t, (struct way){ first.fn, begin_jprobe, end_jprobe });
	expect_each(t, (struct way){ first.fn, begin_jprobe_by_jump, end_jprobe });
}

static void case_in_an_fprobe(struct ktap *t)
{
	expect_each(t, (struct way){ lkp_plain, begin_entry, end_fprobe });
	expect_each(t, (struct way){ lkp_plain, begin_exit, end_fprobe, .gone = true });
}

static void case_in_the_function_itself(struct ktap *t)
{
	expect_each(t, (struct way){ lkp_takes, begin_three_returns, end_three_returns });
	if (copies_are_understood())
		expect_each(t, (struct way){ lkp_takes_aligned, begin_three_returns,
					     end_three_returns });
}

/* ---- those that must be reliable ---- */

/* Whole, or not reliable: then nothing is said of it. */
static void expect_reliable(struct ktap *t, struct way way)
{
	taken = RELIABLY;
	for (way.extra = 0; way.extra <= 3; way.extra += 3)
		expect_whole(t, &way);
	taken = SAVED;
}

static void case_reliable(struct ktap *t)
{
	if (!can_walk_reliably()) {
		t->skip = "this kernel has no reliable traces that can be called";
		return;
	}
	expect_reliable(t, (struct way){ lkp_takes, begin_three_returns, end_three_returns });
	EXPECT_EQ(t, seen_reliable, STUBS_ARE_RELIABLE);
	if (copies_are_understood())
		expect_reliable(t, (struct way){ lkp_takes_aligned, begin_three_returns,
						 end_three_returns });
	EXPECT_EQ(t, seen_reliable, STUBS_ARE_RELIABLE);
	expect_reliable(t, (struct way){ lkp_plain, begin_trap, end_kprobe });
	expect_reliable(t, (struct way){ lkp_plain, begin_return, end_return, .gone = true });
	expect_reliable(t, (struct way){ lkp_plain, begin_jprobe, end_jprobe });
	expect_reliable(t, (struct way){ first.fn, begin_jump, end_kprobe, &first });
	expect_reliable(t, (struct way){ first.fn, begin_return_by_jump, end_return, &first,
					 .gone = true });
}

/* ---- of profiles ---- */

static void case_profiled(struct ktap *t)
{
	const struct way way = { lkp_plain, begin_trap, end_kprobe, .extra = 3 };

	if (!can_profile()) {
		t->skip = "what profiles are made of can't be called on this kernel";
		return;
	}
	if (cannot(t))
		return;
	if (!EXPECT(t, begin_profiles()))
		return;
	taken = PROFILED;
	expect_whole(t, &way);
	taken = SAVED;
	end_profiles();
}

/* ---- in the log ---- */

static struct kmsg_dump_iter at_end = LOG_START;

static bool next_line(char *line, size_t size)
{
	size_t len;

	if (!kmsg_dump_get_line(&at_end, false, line, size - 1, &len))
		return false;
	line[len] = 0;
	return true;
}

/*
 * How many callers the log names since the last time, from the first that any unwinder finds; those that the
 * kernel is not sure of have a question mark.
 */
static unsigned int named_in_log(struct ktap *t)
{
	const char *from = CALLER_ON_STACK ? "lkp_chain_inner+0x" : "lkp_chain_middle+0x";
	unsigned int nr = 0;
	char line[256];

	while (next_line(line, sizeof(line))) {
		bool sure = strstr(line, "+0x") && !strstr(line, " ? ");

		if (sure && (nr || strstr(line, from))) {
			nr++;
			seq_printf(t->m, "# log: %s", line);
		}
	}
	return nr;
}

static void expect_in_log(struct ktap *t, struct way way)
{
	unsigned int without;
	char line[256];

	kmsg_dump_rewind(&at_end);
	while (next_line(line, sizeof(line)))
		;
	taken = PRINTED;
	lkp_chain_outer(lkp_takes);
	without = named_in_log(t);
	EXPECT(t, without > 4);
	if (surround(t, 2) && way.begin(t, &way)) {
		lkp_chain_outer(way.fn);
		EXPECT_EQ(t, named_in_log(t), without);
	}
	taken = SAVED;
	way.end();
	unregister_around(2);
}

static void case_printed(struct ktap *t)
{
	if (cannot(t))
		return;
	if (!WHOLE_IN_LOG) {
		t->skip = "the log's are not whole on this kernel";
		return;
	}
	expect_in_log(t, (struct way){ lkp_plain, begin_trap, end_kprobe });
	expect_in_log(t, (struct way){ first.fn, begin_jump, end_kprobe, &first });
	expect_in_log(t, (struct way){ first.fn, begin_return_by_jump, end_return, &first });
}

/* ---- traces of others ---- */

static DECLARE_COMPLETION(inside);
static DECLARE_COMPLETION(go_on);

noinline __noclone APART long lkp_sleeps(long a, long b);
noinline __noclone long lkp_sleeps(long a, long b)
{
	complete(&inside);
	wait_for_completion(&go_on);
	return a + b;
}

static int sleeper(void *unused)
{
	lkp_chain_outer(lkp_sleeps);
	return 0;
}

/* @stubs: there are some on its stack */
static bool take_of(struct ktap *t, struct trace *trace, bool stubs)
{
	struct task_struct *task = kthread_create(sleeper, NULL, "lkp_sleeper");

	if (!EXPECT(t, !IS_ERR(task)))
		return false;
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&inside);
	while (READ_ONCE(task->__state) == TASK_RUNNING || READ_ONCE(task->on_cpu))
		msleep(20);
	if (taken == RELIABLY) {
		seen_reliable = walk_reliably(task, trace);
		EXPECT_EQ(t, seen_reliable, !stubs || STUBS_ARE_RELIABLE);
	} else {
		EXPECT(t, walk(task, trace));
	}
	complete(&go_on);
	kthread_stop(task);
	put_task_struct(task);
	return true;
}

static void expect_of_a_sleeping_task(struct ktap *t)
{
	const struct way way = { .fn = lkp_sleeps };

	if (!take_of(t, &wanted, false) || !surround(t, 3))
		return;
	hits = 1;
	if (begin_three_returns(t, &way) && take_of(t, &seen, true))
		compare(t, &way);
	end_three_returns();
	unregister_around(3);
}

static void case_of_a_sleeping_task(struct ktap *t)
{
	if (cannot(t))
		return;
	expect_of_a_sleeping_task(t);
	if (!can_walk_reliably())
		return;
	taken = RELIABLY;
	expect_of_a_sleeping_task(t);
	taken = SAVED;
}

/* ---- interrupted anywhere ---- */

static bool looping, stop_looping;
static unsigned int interrupted, whole, wrong, nr_out_of_line, out_of_line_whole;
static struct trace cut_short;

static int nothing_before(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void nothing_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static int looper(void *fn)
{
	WRITE_ONCE(looping, true);
	while (!READ_ONCE(stop_looping)) {
		lkp_chain_outer(fn);
		cond_resched_tasks_rcu_qs();
	}
	WRITE_ONCE(looping, false);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* Its size, or a bit less: KASAN's checks make it longer. */
#define LOOPER_SIZE	(IS_ENABLED(CONFIG_KASAN) ? 288 : 4 * SMALL)

#ifdef CONFIG_X86_64
/*
 * An NMI may find an exception's entry just behind its call of error_entry(), which has saved
 * all registers on the stack: the kernel describes that only for the instruction behind,
 * mov %rax,%rsp.
 */
static bool ends_in_an_entry(void)
{
	static const u8 mov_rax_rsp[] = { 0x48, 0x89, 0xc4 };

	return in_nmi() && ends_in(&seen, "asm_") &&
	       !memcmp((void *)seen.at[seen.nr - 1], mov_rax_rsp, sizeof(mov_rax_rsp));
}
#else
static bool ends_in_an_entry(void)
{
	return false;
}
#endif

/* What the kernel itself describes as the end of a stack, and is not. */
static bool ends_in_undescribed(void)
{
	return ends_in(&seen, "__x86_") || ends_in(&seen, "return_to_handler") ||
	       ends_in_an_entry();
}

/* Where callers are found by frame records, one is missed while the function has none. */
static bool is_in_order(const unsigned int nr[3], unsigned int loopers)
{
	if (CALLER_ON_STACK)
		return nr[0] <= nr[1] && nr[1] <= nr[2] && nr[2] <= 1 && loopers == 1;
	return nr[0] <= 1 && nr[1] <= 1 && nr[2] <= 1 && loopers <= 1 &&
	       begins_as_thread(&seen);
}

/* Is this in a slot or a detour?  They have no names, or that of the slots in kprobes.ko. */
static bool is_out_of_line(unsigned long ip)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", (void *)ip);
	return strstarts(name, "0x") || strstarts(name, "arch_slots");
}

static bool look_at(struct task_struct *task)
{
	static const void *const chain[] = { lkp_chain_inner, lkp_chain_middle, lkp_chain_outer };
	unsigned int i, nr[3];

	if (!walk(task, &seen))
		return false;
	for (i = 0; i < 3; i++)
		nr[i] = count_in(&seen, chain[i], SMALL);
	/* On others, what an interrupted function has not saved yet may be any word. */
	if (is_in_order(nr, count_in(&seen, looper, LOOPER_SIZE)) &&
	    (!IS_ENABLED(CONFIG_X86) || traced || is_named(&seen)))
		return true;
	if (!ends_in_undescribed() && !wrong++)
		wanted = seen;
	return false;
}

/*
 * By an interrupt.  While the task is in the chain all of it must be named, once: that is where
 * its innermost function is.
 */
static void look(struct task_struct *task, struct pt_regs *regs)
{
	bool is_whole, out_of_line = regs && is_out_of_line(instruction_pointer(regs));

	if (current != task || !READ_ONCE(looping))
		return;
	is_whole = look_at(task);
	/* The more calls the interrupted code makes, as handlers do, the more often. */
	if (!is_whole && !out_of_line && ends_in_undescribed())
		return;
	interrupted++;
	whole += is_whole;
	if (!out_of_line)
		return;
	nr_out_of_line++;
	if (is_whole)
		out_of_line_whole++;
	else if (!cut_short.nr)
		cut_short = seen;
}

/* Of a call from another CPU the kernel keeps no registers but on the stack. */
#ifdef CONFIG_X86
static struct pt_regs *interrupted_regs(void)
{
	struct unwind_state state;
	struct pt_regs *regs = NULL;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state) && !regs;
	     unwind_next_frame(&state))
		regs = unwind_get_entry_regs(&state, NULL);
	return regs;
}
#else
static struct pt_regs *interrupted_regs(void)
{
	return NULL;
}
#endif

static void look_in_irq(void *task)
{
	look(task, interrupted_regs());
}

#ifdef CONFIG_X86_64
static struct task_struct *nmi_looks_at;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct task_struct *task = READ_ONCE(nmi_looks_at);

	if (!task)
		return NMI_DONE;
	if (!user_mode(regs))
		look(task, regs);
	WRITE_ONCE(nmi_looks_at, NULL);
	return NMI_HANDLED;
}

static void look_by_nmi(unsigned int cpu, struct task_struct *task)
{
	unsigned int i;

	WRITE_ONCE(nmi_looks_at, task);
	apic->send_IPI(cpu, NMI_VECTOR);
	/* One that comes when nobody waits for it is unknown to the kernel. */
	for (i = 0; i < 600000 && READ_ONCE(nmi_looks_at); i++)
		udelay(100);
}

static bool nmis_begin(struct ktap *t)
{
	return EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_test_traces"), 0);
}

static void nmis_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "lkp_test_traces");
}
#else
static void look_by_nmi(unsigned int cpu, struct task_struct *task) {}
static bool nmis_begin(struct ktap *t) { return false; }
static void nmis_end(void) {}
#endif

/* An NMI finds a trap's handler far more often than the one instruction in its slot. */
static bool must_be_out_of_line(bool by_nmi)
{
	return OUT_OF_LINE_WHOLE && !traced &&
	       (!by_nmi || (kp.flags & KPROBE_FLAG_OPTIMIZED));
}

static bool has_seen_some(bool by_nmi)
{
	return interrupted > FEW && (nr_out_of_line || !must_be_out_of_line(by_nmi));
}

static void interrupt_until_enough(struct task_struct *task, unsigned int cpu, bool by_nmi)
{
	/* A busy or slow machine gets a few only in the first time. */
	unsigned long until = jiffies + 4 * HZ, end = until + 60 * HZ;
	unsigned int i;

	for (i = 0; has_seen_some(by_nmi) ? time_before(jiffies, until) && interrupted < ENOUGH :
					    time_before(jiffies, end); i++) {
		if (by_nmi)
			look_by_nmi(cpu, task);
		else
			smp_call_function_single(cpu, look_in_irq, task, true);
		udelay(i % 64);
		cond_resched();
	}
}

/* What has no description is some instructions of ours and of the kernel's. */
static void expect_most_whole(struct ktap *t, bool by_nmi, unsigned int percent)
{
	EXPECT(t, interrupted > 20);
	seq_printf(t->m, "# %u traces, %u whole; out of line: %u, %u whole\n", interrupted, whole,
		   nr_out_of_line, out_of_line_whole);
	if (WHOLE)
		EXPECT(t, whole * 100 > interrupted * (traced ? min(percent, 40u) : percent));
	if (OUT_OF_LINE_WHOLE && !traced) {
		EXPECT(t, nr_out_of_line || !must_be_out_of_line(by_nmi));
		if (!(added_stubs ? EXPECT(t, out_of_line_whole * 2 > nr_out_of_line) :
		      EXPECT_EQ(t, out_of_line_whole, nr_out_of_line)))
			show(t, "cut short", &cut_short);
	}
	if (!EXPECT(t, wrong <= TWICE_ALLOWED))
		show(t, "got", &wanted);
}

static void interrupt_often(struct ktap *t, const struct target *target, bool by_nmi,
			    unsigned int percent)
{
	struct task_struct *task = kthread_create(looper, target->fn, "lkp_looper");
	unsigned int cpu = num_online_cpus() - 1;

	if (!EXPECT(t, !IS_ERR(task)))
		return;
	interrupted = whole = nr_out_of_line = out_of_line_whole = wrong = 0;
	cut_short.nr = 0;
	stop_looping = false;
	kthread_bind(task, cpu);
	wake_up_process(task);
	interrupt_until_enough(task, cpu, by_nmi);
	WRITE_ONCE(stop_looping, true);
	kthread_stop(task);
	expect_most_whole(t, by_nmi, percent);
}

/* A call is emulated in the trap. */
static bool has_slot(const struct target *target)
{
	return target == &with_frame || target == &push_first;
}

static void interrupt_at(struct ktap *t, const struct target *target, bool by_nmi)
{
	if (!surround(t, 1))
		return;
	kp = (struct kprobe){ .addr = target_at(target), .pre_handler = nothing_before };
	if (EXPECT_EQ(t, register_kprobe(&kp), 0)) {
		/* Traps mask interrupts: most come in the first instruction behind, in a slot. */
		if (has_slot(target))
			interrupt_often(t, target, by_nmi, TRAPS_WHOLE);
		EXPECT(t, becomes_jump(&kp));
		interrupt_often(t, target, by_nmi, JUMPS_WHOLE);
	}
	end_kprobe();
	unregister_around(1);
}

static void case_of_a_task_that_is_interrupted(struct ktap *t)
{
	interrupt_at(t, &push_first, false);
	interrupt_at(t, &with_frame, false);
}

#ifdef CONFIG_X86
static void case_of_a_task_that_is_interrupted_in_a_copied_call(struct ktap *t)
{
	interrupt_at(t, &copied_call, false);
}
#endif

/* In the copy between the two handlers, too. */
static void interrupt_between_handlers(struct ktap *t, const struct target *target)
{
	kp = (struct kprobe){
		.addr = target_at(target),
		.pre_handler = nothing_before,
		.post_handler = nothing_behind,
	};
	if (EXPECT_EQ(t, register_kprobe(&kp), 0) && EXPECT(t, becomes_jump(&kp)))
		interrupt_often(t, target, true, JUMPS_WHOLE);
	end_kprobe();
}

/* In handlers, too.  Behind a trap the unwinder looks one byte too far, so none at a push. */
static void case_of_a_task_in_an_nmi(struct ktap *t)
{
	if (!IS_ENABLED(CONFIG_X86_64)) {
		t->skip = "NMIs are sent on x86-64 only";
		return;
	}
	if (!nmis_begin(t))
		return;
	interrupt_at(t, &with_frame, true);
	interrupt_between_handlers(t, &with_frame);
	interrupt_between_handlers(t, &push_first);
	nmis_end();
}

/* ---- while probes come and go ---- */

/* An unwinder by frame records complains of a running task that has left a traced function. */
static bool is_walked(struct task_struct *task)
{
	return CALLER_ON_STACK || !READ_ONCE(task->on_cpu);
}

/* Of all tasks, those that run, too, where that may be: what is found does not matter. */
static int walker(void *unused)
{
	struct task_struct *leader, *task;
	static DEFINE_PER_CPU(struct trace, found);

	while (!kthread_should_stop()) {
		rcu_read_lock();
		for_each_process_thread(leader, task) {
			preempt_disable();
			if (is_walked(task))
				walk(task, this_cpu_ptr(&found));
			preempt_enable();
		}
		rcu_read_unlock();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void come_and_go(struct ktap *t)
{
	unsigned long until = jiffies + 10 * HZ;
	struct kprobe *p = &kp;
	unsigned int i;

	for (i = 0; time_before(jiffies, until); i++) {
		kp = (struct kprobe){
			.addr = target_at(&push_first),
			.pre_handler = nothing_before,
		};
		if (!EXPECT_EQ(t, register_kprobe(p), 0))
			return;
		if (!surround(t, 1 + i % 3)) {
			unregister_kprobe(p);
			return;
		}
		if (i % 8 == 1)
			becomes_jump(p);
		disable_kretprobe(&around[i % 3]);
		msleep(i % 8);
		unregister_around(1 + i % 3);
		unregister_kprobe(p);
	}
	seq_printf(t->m, "# %u times\n", i);
}

static void case_while_probes_come_and_go(struct ktap *t)
{
	struct task_struct *walkers[2], *called;
	unsigned int i;

	stop_looping = false;
	called = kthread_run(looper, push_first.fn, "lkp_looper");
	for (i = 0; i < ARRAY_SIZE(walkers); i++)
		walkers[i] = kthread_run(walker, NULL, "lkp_walker");
	come_and_go(t);
	for (i = 0; i < ARRAY_SIZE(walkers); i++)
		kthread_stop(walkers[i]);
	WRITE_ONCE(stop_looping, true);
	kthread_stop(called);
}

static const struct ktap_case cases[] = {
	CASE(in_a_trap),
	CASE(in_a_jump),
	CASE(in_a_post_handler),
	CASE(at_a_site_of_the_tracer),
	CASE(in_a_return_handler),
	CASE(in_a_jprobe),
	CASE(in_an_fprobe),
	CASE(in_the_function_itself),
	CASE(reliable),
	CASE(profiled),
	CASE(printed),
	CASE(of_a_sleeping_task),
	CASE(of_a_task_that_is_interrupted),
#ifdef CONFIG_X86
	CASE(of_a_task_that_is_interrupted_in_a_copied_call),
#endif
	CASE(of_a_task_in_an_nmi),
	CASE(while_probes_come_and_go),
};
KTAP_MODULE(cases);
