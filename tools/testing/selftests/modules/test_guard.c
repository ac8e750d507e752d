// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMIs that come while a task begins to run a jprobe's function, on a CPU where another task has
 * done so before: the guard stays that task's, so no probe is hit in its function.  And NMIs that
 * come between a pre_handler and a post_handler behind a jump.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

#define NR_TASKS	2
#define STORM		(20 * HZ)
#define ENOUGH		100
/* By then a machine that is busy has come so far, too. */
#define AT_LAST		(100 * HZ)

TARGET(nop_add, ADD_NOP(nop_add));
TARGET(pair, PAIR_ADD(pair));

static bool inside;
static unsigned long calls, intruders, nmis, wrong;
static long (*called)(long a, long b);

static int intrude(struct kprobe *p, struct pt_regs *regs)
{
	intruders += READ_ONCE(inside);
	return 0;
}

noinline long lkp_called(long a, long b);
noinline long lkp_called(long a, long b)
{
	barrier();
	return a + b;
}

static long look(long a, long b)
{
	WRITE_ONCE(inside, true);
	calls++;
	nop_add.fn(a, b);
	WRITE_ONCE(inside, false);
	jprobe_return();
	return 0;
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	nmis++;
	return nop_add.fn(40, 2) == 42 ? NMI_HANDLED : NMI_DONE;
}

/* They take turns, all on one CPU. */
static int call(void *unused)
{
	while (!kthread_should_stop()) {
		wrong += called(40, 2) != 42 || irqs_disabled() || preempt_count();
		usleep_range(10, 20);
	}
	return 0;
}

static bool had_enough(void)
{
	return READ_ONCE(calls) > ENOUGH && READ_ONCE(nmis) > ENOUGH;
}

static void storm(struct ktap *t, int cpu, long (*fn)(long a, long b))
{
	struct task_struct *tasks[NR_TASKS];
	unsigned long begin = jiffies;
	int i;

	called = fn;
	calls = intruders = nmis = wrong = 0;
	for (i = 0; i < NR_TASKS; i++) {
		tasks[i] = kthread_create(call, NULL, "lkp_call/%d", i);
		if (!EXPECT(t, !IS_ERR(tasks[i])))
			break;
		kthread_bind(tasks[i], cpu);
		wake_up_process(tasks[i]);
	}
	while (time_before(jiffies, begin + STORM) ||
	       (!had_enough() && time_before(jiffies, begin + AT_LAST))) {
		apic->send_IPI(cpu, NMI_VECTOR);
		usleep_range(50, 300);
	}
	while (i--)
		kthread_stop(tasks[i]);
	pr_info("%lu calls, %lu NMIs\n", calls, nmis);
	EXPECT(t, had_enough());
	EXPECT_EQ(t, intruders, 0);
	EXPECT_EQ(t, wrong, 0);
}

static void case_an_nmi_does_not_take_the_guard_of_a_task_that_begins_to_wait(struct ktap *t)
{
	struct jprobe jp = { .kp.symbol_name = "lkp_called", .entry = look };
	struct kprobe p = { .addr = target_at(&nop_add), .pre_handler = intrude };
	int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	if (!EXPECT(t, cpu < nr_cpu_ids) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (EXPECT_EQ(t, register_jprobe(&jp), 0)) {
		if (EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_guard"), 0)) {
			storm(t, cpu, lkp_called);
			unregister_nmi_handler(NMI_LOCAL, "lkp_guard");
		}
		unregister_jprobe(&jp);
	}
	unregister_kprobe(&p);
}

/* ---- from a pre_handler to the post_handler ---- */

static unsigned long posts, intruder_pres, intruder_posts;

static int come_in(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(inside, true);
	calls++;
	return 0;
}

static void go_out(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	WRITE_ONCE(inside, false);
}

static int intrude_before(struct kprobe *p, struct pt_regs *regs)
{
	intruder_pres++;
	return intrude(p, regs);
}

static void intrude_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	intruders += READ_ONCE(inside);
	intruder_posts++;
}

/* The instruction between them is in the detour; that of the NMIs' probe is emulated. */
static void case_no_nmi_is_served_between_the_two_handlers_of_a_jump(struct ktap *t)
{
	struct kprobe p = {
		.addr = target_at(&pair), .pre_handler = come_in, .post_handler = go_out,
	};
	struct kprobe intruder = {
		.addr = target_at(&nop_add),
		.pre_handler = intrude_before,
		.post_handler = intrude_after,
	};
	int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	if (!EXPECT(t, cpu < nr_cpu_ids) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (EXPECT_EQ(t, register_kprobe(&intruder), 0)) {
		EXPECT(t, becomes_jump(&p) && becomes_jump(&intruder));
		if (EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_guard"), 0)) {
			storm(t, cpu, pair.fn);
			unregister_nmi_handler(NMI_LOCAL, "lkp_guard");
		}
		unregister_kprobe(&intruder);
	}
	unregister_kprobe(&p);
	EXPECT_EQ(t, posts, calls);
	EXPECT_EQ(t, p.nmissed, 0);
	/* Those that come while it is inside miss it. */
	EXPECT(t, intruder_pres > 0);
	EXPECT_EQ(t, intruder_posts, intruder_pres);
}

static const struct ktap_case cases[] = {
	CASE(an_nmi_does_not_take_the_guard_of_a_task_that_begins_to_wait),
	CASE(no_nmi_is_served_between_the_two_handlers_of_a_jump),
};
KTAP_MODULE(cases);
