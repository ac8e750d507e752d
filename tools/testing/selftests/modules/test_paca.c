// SPDX-License-Identifier: GPL-2.0-only
/*
 * r13 points to the data of the CPU. A task that is preempted while registers are
 * saved may continue on another CPU. The saved value of r13 is then wrong and must
 * not be restored.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/cputable.h>
#include <asm/reg.h>

#include "ktap.h"
#include "target.h"

#define OTHER_CPU	0x5a5a000000000000ul	/* what is no CPU's */

noinline long lkp_test_traced(long a, long b);
noinline long lkp_test_traced(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(in_slot, SLOT_ADD(in_slot));
TARGET(emulated, JMP_ADD(emulated));

TARGET(reads_msr, AT(reads_msr) "mfmsr 5\n" NEXT(reads_msr) "mr 3, 5\n");

/* The CPU's own copy of r13 is in a register that is called one way or another. */
static unsigned long true_r13(void)
{
	return cpu_has_feature(CPU_FTR_HVMODE) ? mfspr(SPRN_HSPRG0) : mfspr(SPRN_SPRG1);
}

/*
 * Is r13 correct after a call? If not, it is repaired before it is used: interrupts
 * are hard-disabled in between.
 */
static bool keeps_r13(struct ktap *t, long (*fn)(long a, long b))
{
	unsigned long right, found, flags;
	long sum;

	local_irq_save(flags);
	hard_irq_disable();
	right = true_r13();
	sum = fn(40, 2);
	asm volatile("mr %0, 13; mr 13, %1" : "=&r" (found) : "r" (right) : "memory");
	local_irq_restore(flags);
	EXPECT_EQ(t, sum, 42);
	return found == right;
}

static int hits;

static int move_r13(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	regs->gpr[13] = OTHER_CPU;
	return 0;
}

static void move_r13_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	move_r13(p, regs);
}

static int move_r13_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return move_r13(NULL, regs);
}

static void expect_kept(struct ktap *t, struct kprobe p, long (*fn)(long a, long b), int wanted)
{
	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT(t, keeps_r13(t, fn));
	EXPECT_EQ(t, hits, wanted);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

/* As in soft_nmi_interrupt(), which calls what may be probed, and may be traced. */
static long call_unrecoverably(long (*fn)(long a, long b))
{
	unsigned long flags, msr;
	long sum;

	local_irq_save(flags);
	hard_irq_disable();
	msr = mfmsr();
	__mtmsrd(msr & ~MSR_RI, 1);
	sum = fn(40, 2);
	__mtmsrd(msr, 1);
	local_irq_restore(flags);
	return sum;
}

static int count_recovered(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_recovered_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits++;
}

static void expect_recovered(struct ktap *t, struct kprobe p, long (*fn)(long a, long b))
{
	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, call_unrecoverably(fn), 42);
	EXPECT_EQ(t, hits, p.post_handler ? 2 : 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void case_a_trap_where_none_is_recoverable(struct ktap *t)
{
	kprobe_opcode_t *slot = target_at(&in_slot);
	kprobe_opcode_t *at = target_at(&emulated);

	expect_recovered(t, (struct kprobe){ .addr = slot, .pre_handler = count_recovered },
			 in_slot.fn);
	expect_recovered(t, (struct kprobe){ .addr = at, .pre_handler = count_recovered },
			 emulated.fn);
	expect_recovered(t, (struct kprobe){ .addr = slot, .pre_handler = count_recovered,
					     .post_handler = count_recovered_after }, in_slot.fn);
}

static void case_behind_a_trap(struct ktap *t)
{
	struct kprobe p = { .pre_handler = move_r13, .post_handler = move_r13_after };

	p.addr = target_at(&in_slot);
	expect_kept(t, p, in_slot.fn, 2);
	p.addr = target_at(&emulated);
	expect_kept(t, p, emulated.fn, 2);
}

static void case_behind_a_site_of_the_tracer(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_traced", .pre_handler = move_r13 };

	expect_kept(t, p, lkp_test_traced, 1);
	p.post_handler = move_r13_after;
	expect_kept(t, p, lkp_test_traced, 2);
}

static void case_behind_a_return(struct ktap *t)
{
	struct kretprobe rp = {
		.kp.symbol_name = "lkp_test_traced",
		.handler = move_r13_at_return,
	};

	hits = 0;
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT(t, keeps_r13(t, lkp_test_traced));
	EXPECT_EQ(t, hits, 1);
	unregister_kretprobe(&rp);
}

static int count_before(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits++;
}

static void nothing(void *unused)
{
}

static int interrupt_others(void *unused)
{
	while (!kthread_should_stop()) {
		smp_call_function(nothing, NULL, 1);
		cond_resched();
	}
	return 0;
}

static struct task_struct *interrupted_by_others(struct ktap *t)
{
	unsigned int other = cpumask_any_but(cpu_online_mask, smp_processor_id());
	struct task_struct *task;

	task = kthread_create(interrupt_others, NULL, "lkp_interrupts");
	if (!EXPECT(t, !IS_ERR(task)))
		return NULL;
	if (other < nr_cpu_ids)
		kthread_bind(task, other);
	wake_up_process(task);
	return task;
}

/*
 * Many: an interrupt from outside that comes in the trap finds interrupts off, and closes them for
 * the CPU, until it is served.
 */
#define READS	20000

static void case_msr_is_read_as_it_was(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&reads_msr), .pre_handler = count_before,
			    .post_handler = count_post };
	struct task_struct *others;
	int i, closed = 0;

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	migrate_disable();
	others = interrupted_by_others(t);
	for (i = 0; i < READS; i++)
		closed += !(reads_msr.fn(0, 0) & MSR_EE);
	migrate_enable();
	if (others)
		kthread_stop(others);
	EXPECT_EQ(t, closed, 0);
	EXPECT_EQ(t, hits, 2 * READS);
	unregister_kprobe(&p);
}

#ifdef CONFIG_PREEMPTION

static void notrace be_traced(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	move_r13(NULL, ftrace_get_regs(fregs));
}

/* A task in the kernel's trampoline while the last probe is removed: nothing repairs r13 then. */
static void case_behind_the_kernels_trampoline(struct ktap *t)
{
	struct ftrace_ops ops = { .func = be_traced, .flags = FTRACE_OPS_FL_SAVE_REGS };
	struct kprobe p = { .symbol_name = "lkp_test_traced" };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, ftrace_set_filter_ip(&ops, (unsigned long)p.addr, 0, 1), 0);
	unregister_kprobe(&p);
	if (EXPECT_EQ(t, register_ftrace_function(&ops), 0)) {
		EXPECT(t, keeps_r13(t, lkp_test_traced));
		EXPECT_EQ(t, hits, 1);
		unregister_ftrace_function(&ops);
	}
	ftrace_free_filter(&ops);
}

#endif

static const struct ktap_case cases[] = {
	CASE(behind_a_trap),
	CASE(a_trap_where_none_is_recoverable),
	CASE(behind_a_site_of_the_tracer),
	CASE(behind_a_return),
	CASE(msr_is_read_as_it_was),
#ifdef CONFIG_PREEMPTION
	CASE(behind_the_kernels_trampoline),
#endif
};
KTAP_MODULE(cases);
