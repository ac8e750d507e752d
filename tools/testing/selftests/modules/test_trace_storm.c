// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks are followed everywhere, of all tasks and by NMIs of all CPUs, while probes of all kinds
 * come and go.  A trace that the kernel says is reliable names no stub and no bare address.
 *
 * Traces of tasks that ran meanwhile may be anything, but no more than wrong.
 */
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/stacktrace.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "optimize.h"
#include "target.h"
#include "trace.h"

static unsigned int duration = 30;
module_param(duration, uint, 0600);
MODULE_PARM_DESC(duration, "seconds");

/* ---- what is called ---- */

noinline __noclone long lkp_ts_inner(long a, long b);
noinline __noclone long lkp_ts_inner(long a, long b)
{
	barrier();
	return a + b;
}

noinline __noclone long lkp_ts_outer(long a, long b);
noinline __noclone long lkp_ts_outer(long a, long b)
{
	long sum = lkp_ts_inner(a, b);

	/* Some are asleep in here while others look. */
	if (a & 1)
		usleep_range(100, 1000);
	return sum;
}

TARGET(ts_slot, FRAME_ADD(ts_slot));
TARGET(ts_first, FIRST_ADD(ts_first));

/* ---- traces ---- */

static atomic_long_t taken, reliable, bad;
static struct trace first_bad;	/* by whoever has made "bad" not 0 */

static unsigned long is_text;
module_param(is_text, ulong, 0600);
MODULE_PARM_DESC(is_text, "address of __kernel_text_address()");

/* The kernel's tracer has code without a name, too, but knows that it is text. */
static bool is_kernels(unsigned long addr)
{
	int (*ask)(unsigned long addr) = (void *)is_text;

	return is_text && ask(addr);
}

/* In a stub, a slot or a detour. */
static bool is_bad(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", (void *)addr);
	return (strstarts(name, "0x") && !is_kernels(addr)) ||
	       strstarts(name, "arch_return_stubs") || strstarts(name, "arch_slots");
}

/*
 * What the graph tracer's function returns to is a trampoline of the tracer's.  The kernel no longer
 * says so if the tracer has been turned off since the trace was taken.
 */
static bool is_called_by_trampoline(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", (void *)addr);
	return strstarts(name, "prepare_ftrace_return") || strstarts(name, "ftrace_graph_func");
}

static void judge(const struct trace *trace)
{
	unsigned int i;

	for (i = 0; i < trace->nr; i++)
		if (is_bad(trace->at[i]) && !(i && is_called_by_trampoline(trace->at[i - 1])))
			break;
	if (i < trace->nr && atomic_long_inc_return(&bad) == 1)
		first_bad = *trace;
}

/* One for each CPU and context: a task, an interrupt, an NMI. */
#define CONTEXTS	3
static DEFINE_PER_CPU(struct trace [CONTEXTS], room);

/* Not of a task that runs, or has run meanwhile.  Preemption is off. */
static void take_of(struct task_struct *task, unsigned int context)
{
	struct trace *trace = this_cpu_ptr(&room[context]);
	unsigned long switches = READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
	bool is_whole;

	if (task != current && READ_ONCE(task->on_cpu))
		return;
	is_whole = walk(task, trace);
	atomic_long_inc(&taken);
	if (!is_whole || (task != current && (READ_ONCE(task->on_cpu) ||
			  switches != READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw))))
		return;
	atomic_long_inc(&reliable);
	judge(trace);
}

static int walker(void *unused)
{
	struct task_struct *leader, *task;

	while (!kthread_should_stop()) {
		rcu_read_lock();
		for_each_process_thread(leader, task) {
			preempt_disable();
			take_of(task, 0);
			preempt_enable();
		}
		rcu_read_unlock();
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void take_in_irq(void *unused)
{
	take_of(current, 1);
}

#ifdef CONFIG_X86_64
static struct cpumask due;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!cpumask_test_cpu(smp_processor_id(), &due))
		return NMI_DONE;
	if (!user_mode(regs))
		take_of(current, 2);
	cpumask_clear_cpu(smp_processor_id(), &due);
	return NMI_HANDLED;
}

/* One that comes when nobody waits for it is unknown to the kernel. */
static void send_nmi(unsigned int cpu)
{
	unsigned int i;

	cpumask_set_cpu(cpu, &due);
	apic->send_IPI(cpu, NMI_VECTOR);
	for (i = 0; i < 6000 && cpumask_test_cpu(cpu, &due); i++)
		usleep_range(100, 10000);
}

static int nmis_begin(void)
{
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_trace_storm");
}

static void nmis_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "lkp_trace_storm");
}
#else
static void send_nmi(unsigned int cpu) {}
static int nmis_begin(void) { return 0; }
static void nmis_end(void) {}
#endif

static int interrupter(void *unused)
{
	unsigned int cpu;

	while (!kthread_should_stop()) {
		for_each_online_cpu(cpu) {
			smp_call_function_single(cpu, take_in_irq, NULL, true);
			send_nmi(cpu);
		}
		usleep_range(100, 2000);
	}
	return 0;
}

/* ---- those who are looked at ---- */

static atomic_long_t wrong_sums;

static int caller(void *nr)
{
	long i;

	for (i = 0; !kthread_should_stop(); i++) {
		long sum = lkp_ts_outer((long)nr + (i & 64), 2) + ts_slot.fn(i, 1) +
			   ts_first.fn(i, 1);

		if (sum != (long)nr + (i & 64) + 2 + 2 * (i + 1))
			atomic_long_inc(&wrong_sums);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* ---- probes ---- */

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	take_of(current, 1);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	take_of(current, 1);
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *entry_data)
{
	take_of(current, 1);
}

static long jumped_to(long a, long b)
{
	jprobe_return();
	return 0;
}

static struct jprobe jp;
static struct fprobe fp;
static struct kprobe at_slot, with_post, at_entry;
static struct kretprobe rp_inner, rp_outer, rp_asm;

static int plant(void)
{
	unsigned long traced = (unsigned long)lkp_ts_outer;
	void *inner = lkp_ts_inner, *outer = lkp_ts_outer;

	at_slot = (struct kprobe){ .addr = target_at(&ts_slot), .pre_handler = on_hit };
	with_post = (struct kprobe){ .addr = target_at(&ts_first), .post_handler = on_post };
	at_entry = (struct kprobe){ .addr = inner, .pre_handler = on_hit };
	rp_inner = (struct kretprobe){ .kp.addr = inner, .handler = on_return, .maxactive = 64 };
	rp_outer = (struct kretprobe){ .kp.addr = outer, .handler = on_return, .maxactive = 64 };
	rp_asm = (struct kretprobe){ .kp.addr = (void *)ts_slot.fn, .handler = on_return,
				     .maxactive = 64 };
	jp = (struct jprobe){ .kp.addr = inner, .entry = jumped_to };
	fp = (struct fprobe){ .exit_handler = on_exit, .nr_maxactive = 64 };
	return register_fprobe_ips(&fp, &traced, 1) ?: register_jprobe(&jp) ?:
	       register_kprobe(&at_slot) ?: register_kprobe(&with_post) ?:
	       register_kprobe(&at_entry) ?: register_kretprobe(&rp_inner) ?:
	       register_kretprobe(&rp_outer) ?: register_kretprobe(&rp_asm);
}

static void uproot(void)
{
	unregister_kretprobe(&rp_outer);
	unregister_kprobe(&at_slot);
	unregister_kretprobe(&rp_asm);
	unregister_kprobe(&with_post);
	unregister_kretprobe(&rp_inner);
	unregister_kprobe(&at_entry);
	unregister_fprobe(&fp);
	unregister_jprobe(&jp);
}

static unsigned int come_and_go(struct ktap *t)
{
	unsigned long end = jiffies + duration * HZ;
	unsigned int round, jumps = 0;

	for (round = 0; time_before(jiffies, end); round++) {
		if (!EXPECT_EQ(t, plant(), 0))
			break;
		/* Every other time they become jumps. */
		if (round % 2)
			jumps += becomes_jump(&at_slot);
		disable_kretprobe(&rp_inner);
		msleep(round % 8 * 20);
		uproot();
	}
	seq_printf(t->m, "# %u rounds, %u with jumps\n", round, jumps);
	return round;
}

#define NR_CALLERS	4

/* A walker on each CPU, and one who interrupts them all. */
static struct task_struct *threads[NR_CALLERS + 8 + 1];
static unsigned int nr_threads;

static void start(struct ktap *t, int (*fn)(void *data), long data)
{
	struct task_struct *task = kthread_run(fn, (void *)data, "lkp_trace_storm");

	if (EXPECT(t, !IS_ERR(task)))
		threads[nr_threads++] = task;
}

static void case_storm(struct ktap *t)
{
	unsigned int i;

	if (!EXPECT_EQ(t, nmis_begin(), 0))
		return;
	for (i = 0; i < NR_CALLERS; i++)
		start(t, caller, i);
	for (i = 0; i < min(num_online_cpus(), 8u); i++)
		start(t, walker, 0);
	start(t, interrupter, 0);
	EXPECT(t, come_and_go(t));
	while (nr_threads)
		kthread_stop(threads[--nr_threads]);
	nmis_end();
	seq_printf(t->m, "# %ld traces, %ld reliable\n", atomic_long_read(&taken),
		   atomic_long_read(&reliable));
	EXPECT(t, atomic_long_read(&reliable) > 100);
	EXPECT_EQ(t, atomic_long_read(&wrong_sums), 0);
	if (!EXPECT_EQ(t, atomic_long_read(&bad), 0))
		show(t, "bad", &first_bad);
}

static const struct ktap_case cases[] = { CASE(storm) };
KTAP_MODULE(cases);
