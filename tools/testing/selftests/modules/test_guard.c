// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMIs that come while a task begins to run a jprobe's function, on a CPU where another task has
 * done so before: the guard stays that task's, so no probe is hit in its function.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "ktap.h"
#include "target.h"

#define NR_TASKS	2
#define STORM		(20 * HZ)

TARGET(nop_add, ADD_NOP(nop_add));

static bool inside;
static unsigned long calls, intruders, nmis;

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
		lkp_called(40, 2);
		usleep_range(10, 20);
	}
	return 0;
}

static void storm(struct ktap *t, int cpu)
{
	struct task_struct *tasks[NR_TASKS];
	unsigned long until = jiffies + STORM;
	int i;

	for (i = 0; i < NR_TASKS; i++) {
		tasks[i] = kthread_create(call, NULL, "lkp_call/%d", i);
		if (!EXPECT(t, !IS_ERR(tasks[i])))
			break;
		kthread_bind(tasks[i], cpu);
		wake_up_process(tasks[i]);
	}
	while (time_before(jiffies, until)) {
		apic->send_IPI(cpu, NMI_VECTOR);
		usleep_range(50, 300);
	}
	while (i--)
		kthread_stop(tasks[i]);
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
			storm(t, cpu);
			unregister_nmi_handler(NMI_LOCAL, "lkp_guard");
		}
		unregister_jprobe(&jp);
	}
	unregister_kprobe(&p);
	pr_info("%lu calls, %lu NMIs\n", calls, nmis);
	EXPECT(t, calls > 100);
	EXPECT(t, nmis > 100);
	EXPECT_EQ(t, intruders, 0);
}

static const struct ktap_case cases[] = {
	CASE(an_nmi_does_not_take_the_guard_of_a_task_that_begins_to_wait),
};
KTAP_MODULE(cases);
