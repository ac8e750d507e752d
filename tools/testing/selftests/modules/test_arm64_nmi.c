// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pseudo-NMIs, by which the counters of cycles sample: they come anywhere, and hit probes themselves.
 * Nothing is lost or left masked, and each call is counted.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>

#include "arm64_masks.h"
#include "optimize.h"
#include "trace.h"

static unsigned int duration = 20;
module_param(duration, uint, 0600);
MODULE_PARM_DESC(duration, "seconds");

static unsigned int period = 1000000;
module_param(period, uint, 0600);
MODULE_PARM_DESC(period, "cycles between NMIs");

/* ---- what is probed: each adds its arguments ---- */

TARGET(slot_add, SLOT_ADD(slot_add));		/* a trap, or with a post_handler a guarded copy */
TARGET(post_add, SLOT_ADD(post_add));
TARGET(jump_add, PAIR_ADD(jump_add));
TARGET(leave_add, FIRST_ADD(leave_add));
TARGET(jprobe_add, FIRST_ADD(jprobe_add));
TARGET(ret_add, MOVE_ADD(ret_add));

noinline __noclone long lkp_nmi_sum(long a, long b);
noinline __noclone long lkp_nmi_sum(long a, long b)
{
	barrier();
	return a + b;
}

static long call_all(long a, long b)
{
	return slot_add.fn(a, b) + post_add.fn(a, b) + jump_add.fn(a, b) + leave_add.fn(a, b) +
	       jprobe_add.fn(a, b) + ret_add.fn(a, b) + lkp_nmi_sum(a, b);
}

#define NR_CALLED	7

/* ---- who calls: tasks and NMIs ---- */

static atomic_long_t calls, nmis, amid_masked, wrong_sums, wrong_masks, open_handlers;

static void call_counted(void)
{
	atomic_long_inc(&calls);
	if (call_all(40, 2) != NR_CALLED * 42)
		atomic_long_inc(&wrong_sums);
}

static DEFINE_PER_CPU(struct trace, room);

/* Also follows the stack from wherever it came. */
static void on_sample(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct trace *trace = this_cpu_ptr(&room);
	struct masks before = masks_now();

	if (!in_nmi())
		return;
	atomic_long_inc(&nmis);
	if (!interrupts_enabled(regs))
		atomic_long_inc(&amid_masked);
	trace->nr = stack_trace_save(trace->at, ARRAY_SIZE(trace->at), 0);
	call_counted();
	if (!masks_are(before, masks_now()))
		atomic_long_inc(&wrong_masks);
}

static void call_with(struct masks masks)
{
	struct masks found, after;

	preempt_disable();
	found = masks_now();
	masks_set(masks);
	call_counted();
	after = masks_now();
	masks_set(found);
	preempt_enable();
	if (!masks_are(after, masks))
		atomic_long_inc(&wrong_masks);
}

/* With interrupts on and off: NMIs come in both. */
static int caller(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 50; i++)
			call_with((struct masks){ 0, masks_pmr(i % masks_nr_pmrs(0)) });
		cond_resched_tasks_rcu_qs();
		usleep_range(10, 50);
	}
	return 0;
}

/* ---- handlers ---- */

static void look(void)
{
	if (!irqs_disabled() || !(read_sysreg(daif) & PSR_I_BIT))
		atomic_long_inc(&open_handlers);
}

static atomic_long_t hits;

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&hits);
	look();
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look();
}

static long sum(long a, long b)
{
	return a + b;
}

/* The probed instruction is the function's first, so nothing has been done twice. */
static void on_leave(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_long_inc(&hits);
	look();
	instruction_pointer_set(regs, (unsigned long)sum);
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look();
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&hits);
	look();
	return 0;
}

static long on_jprobe(long a, long b)
{
	atomic_long_inc(&hits);
	look();
	jprobe_return();
	return 0;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	look();
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	atomic_long_inc(&hits);
	look();
}

/* ---- probes ---- */

static struct kprobe at_slot, at_post, at_jump, at_leave;
static struct jprobe jp;
static struct kretprobe rp;
static struct fprobe fp;

static int plant(void)
{
	at_slot = (struct kprobe){ .addr = target_at(&slot_add), .pre_handler = on_pre };
	at_post = (struct kprobe){ .addr = target_at(&post_add), .pre_handler = on_pre,
				   .post_handler = on_post };
	at_jump = (struct kprobe){ .addr = target_at(&jump_add), .pre_handler = on_pre };
	at_leave = (struct kprobe){ .addr = target_at(&leave_add), .post_handler = on_leave };
	jp = (struct jprobe){ .kp.addr = (void *)jprobe_add.fn, .entry = on_jprobe };
	rp = (struct kretprobe){ .kp.addr = (void *)ret_add.fn, .entry_handler = on_call,
				 .handler = on_return, .maxactive = 64 };
	fp = (struct fprobe){ .entry_handler = on_entry, .exit_handler = on_exit,
			      .nr_maxactive = 64 };
	return register_kprobe(&at_slot) ?: register_kprobe(&at_post) ?: register_kprobe(&at_jump) ?:
	       register_kprobe(&at_leave) ?: register_jprobe(&jp) ?: register_kretprobe(&rp) ?:
	       register_fprobe(&fp, "lkp_nmi_sum", NULL);
}

static void uproot(void)
{
	unregister_fprobe(&fp);
	unregister_kretprobe(&rp);
	unregister_jprobe(&jp);
	unregister_kprobe(&at_leave);
	unregister_kprobe(&at_jump);
	unregister_kprobe(&at_post);
	unregister_kprobe(&at_slot);
}

static unsigned long nr_missed(void)
{
	return at_slot.nmissed + at_post.nmissed + at_jump.nmissed + at_leave.nmissed +
	       jp.kp.nmissed + rp.nmissed + rp.kp.nmissed + fp.nmissed;
}

/* ---- counters and callers on all CPUs ---- */

#define MAX_CPUS	8

static struct perf_event *events[MAX_CPUS];
static struct task_struct *callers[MAX_CPUS];

static void begin_nmis(struct ktap *t)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr), .pinned = 1, .sample_period = period,
	};
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct perf_event *event;

		event = perf_event_create_kernel_counter(&attr, cpu, NULL, on_sample, NULL);
		if (EXPECT(t, !IS_ERR(event)))
			events[cpu] = event;
	}
}

static void end_nmis(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (events[cpu])
			perf_event_release_kernel(events[cpu]);
	memset(events, 0, sizeof(events));
}

static void begin_callers(struct ktap *t)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct task_struct *task;

		task = kthread_create(caller, NULL, "lkp_nmi/%u", cpu);
		if (!EXPECT(t, !IS_ERR(task)))
			continue;
		kthread_bind(task, cpu);
		wake_up_process(task);
		callers[cpu] = task;
	}
}

static void end_callers(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (callers[cpu])
			kthread_stop(callers[cpu]);
	memset(callers, 0, sizeof(callers));
}

static void expect_good(struct ktap *t)
{
	seq_printf(t->m, "# %ld calls, %ld NMIs, %ld while interrupts were off\n",
		   atomic_long_read(&calls), atomic_long_read(&nmis), atomic_long_read(&amid_masked));
	EXPECT(t, atomic_long_read(&nmis) > 100);
	EXPECT(t, atomic_long_read(&amid_masked) > 10);
	EXPECT_EQ(t, atomic_long_read(&wrong_sums), 0);
	EXPECT_EQ(t, atomic_long_read(&wrong_masks), 0);
	EXPECT_EQ(t, atomic_long_read(&open_handlers), 0);
}

/* A machine that is busy with others needs longer for so many. */
static void wait_for_nmis(void)
{
	unsigned long until = jiffies + PATIENCE;

	while ((atomic_long_read(&nmis) <= 100 || atomic_long_read(&amid_masked) <= 10) &&
	       time_before(jiffies, until))
		msleep(20);
}

static void forget(void)
{
	atomic_long_set(&calls, 0);
	atomic_long_set(&hits, 0);
	atomic_long_set(&nmis, 0);
	atomic_long_set(&amid_masked, 0);
}

/* The probes are there before the first call and after the last one. */
static void case_each_call_is_counted(struct ktap *t)
{
	forget();
	if (!EXPECT_EQ(t, plant(), 0))
		return;
	EXPECT(t, becomes_jump(&at_jump));
	begin_callers(t);
	begin_nmis(t);
	msleep(duration * 1000 / 2);
	wait_for_nmis();
	end_nmis();
	end_callers();
	EXPECT_EQ(t, atomic_long_read(&hits), NR_CALLED * atomic_long_read(&calls));
	EXPECT_EQ(t, nr_missed(), 0);
	expect_good(t);
	uproot();
}

static unsigned int come_and_go(struct ktap *t)
{
	unsigned long end = jiffies + duration * HZ / 2;
	unsigned int round;

	for (round = 0; time_before(jiffies, end); round++) {
		if (!EXPECT_EQ(t, plant(), 0))
			break;
		if (round % 2)
			EXPECT(t, becomes_jump(&at_jump));
		msleep(round % 4 * 20);
		uproot();
	}
	return round;
}

static void case_probes_come_and_go(struct ktap *t)
{
	forget();
	begin_callers(t);
	begin_nmis(t);
	seq_printf(t->m, "# %u rounds\n", come_and_go(t));
	wait_for_nmis();
	end_nmis();
	end_callers();
	EXPECT(t, atomic_long_read(&hits) > 0);
	expect_good(t);
}

static const struct ktap_case cases[] = {
	CASE(each_call_is_counted),
	CASE(probes_come_and_go),
};
KTAP_MODULE(cases);
