// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer's interrupt that finds interrupts masked is an NMI for the kernel's watchdog.  It may come on
 * the last steps out of another exception, which begin anew then, from the stack pointer that these keep
 * in the CPU's data.  Each exception keeps it there on its way out, a trap's too: so one that is hit in
 * that NMI must leave behind what it has found.  So must one that is hit in a reset of the CPU: the watchdog
 * resets those that are locked up, and they go on.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/hw_irq.h>
#include <asm/paca.h>
#include <asm/time.h>

#include "ktap.h"
#include "target.h"

/* Where no stack is. */
#define MARK	0x5a5a000000000000ul

/* What the watchdog's NMI calls, when all else in it is done. */
#define TRACED	"search_kernel_restart_table"

TARGET(in_slot, SLOT_ADD(in_slot));
TARGET(emulated, JMP_ADD(emulated));

static unsigned long smp_send_nmi_ipi_at;
module_param(smp_send_nmi_ipi_at, ulong, 0600);
MODULE_PARM_DESC(smp_send_nmi_ipi_at, "its address");

static struct task_struct *masks;
static long (*calls)(long a, long b);
static int hits, seen, ready;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits++;
}

static void notrace be_traced(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	if (READ_ONCE(masks) != current)
		return;
	seen += calls(40, 2) == 42;
}

/* The mark, if it is still there after the NMI; with interrupts masked nothing else is kept there. */
static unsigned long found_behind(void (*begin_nmi)(void))
{
	unsigned long before = local_paca->exit_save_r1, found;
	u64 until;

	local_paca->exit_save_r1 = MARK;
	begin_nmi();
	for (until = get_tb() + 10 * tb_ticks_per_sec; !READ_ONCE(seen) && get_tb() < until;)
		cpu_relax();
	found = local_paca->exit_save_r1;
	local_paca->exit_save_r1 = before;
	return found;
}

/* ---- a timer's interrupt ---- */

static void let_timer_end(void)
{
	WRITE_ONCE(masks, current);
	set_dec(1);
}

static unsigned long found_behind_soft_nmi(void)
{
	unsigned long flags, found;

	local_irq_save(flags);
	found = found_behind(let_timer_end);
	WRITE_ONCE(masks, NULL);
	local_irq_restore(flags);
	return found;
}

/* ---- a reset ---- */

static void call_in_reset(struct pt_regs *regs)
{
	int right = calls(40, 2) == 42;

	WRITE_ONCE(seen, seen + right);
}

static void be_ready(void)
{
	/* Pairs with the acquire in found_behind_reset(): the mark is there. */
	smp_store_release(&ready, 1);
}

struct reset {
	unsigned long found;
	int over;
};

/* Without interrupts: a reset on the first steps into one is the kernel's end. */
static void be_reset(void *data)
{
	struct reset *its = data;

	hard_irq_disable();
	its->found = found_behind(be_ready);
	/* Pairs with the acquire in found_behind_reset(): that has been found. */
	smp_store_release(&its->over, 1);
}

/* The CPU that is reset runs be_reset() with interrupts masked. */
static unsigned long found_behind_reset(void)
{
	int (*reset)(int cpu, void (*fn)(struct pt_regs *regs), u64 us) = (void *)smp_send_nmi_ipi_at;
	struct reset its = {};
	call_single_data_t call;
	int cpu;

	cpu = get_cpu();
	cpu = cpumask_any_but(cpu_online_mask, cpu);
	ready = 0;
	INIT_CSD(&call, be_reset, &its);
	if (cpu < nr_cpu_ids && !smp_call_function_single_async(cpu, &call)) {
		/* Pairs with the release in be_ready(). */
		while (!smp_load_acquire(&ready))
			cpu_relax();
		if (!reset(cpu, call_in_reset, USEC_PER_SEC))
			pr_err("CPU %d has not been reset\n", cpu);
		/* Pairs with the release in be_reset().  Neither call waits for it. */
		smp_cond_load_acquire(&its.over, VAL);
	}
	put_cpu();
	return its.found;
}

/* ---- both ---- */

static void expect_kept(struct ktap *t, struct kprobe p, const struct target *target, int wanted,
			unsigned long (*found)(void))
{
	hits = 0;
	seen = 0;
	p.addr = target_at(target);
	calls = target->fn;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, found(), MARK);
	EXPECT(t, seen >= 1);
	EXPECT_EQ(t, hits, seen * wanted);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void expect_all_kept(struct ktap *t, unsigned long (*found)(void))
{
	struct kprobe p = { .pre_handler = count };

	expect_kept(t, p, &emulated, 1, found);
	expect_kept(t, p, &in_slot, 1, found);
	p.post_handler = count_after;
	expect_kept(t, p, &in_slot, 2, found);
}

static void case_a_trap_in_the_watchdogs_nmi(struct ktap *t)
{
	struct ftrace_ops ops = { .func = be_traced };

	if (!EXPECT_EQ(t, ftrace_set_filter(&ops, TRACED, strlen(TRACED), 1), 0))
		return;
	if (EXPECT_EQ(t, register_ftrace_function(&ops), 0)) {
		expect_all_kept(t, found_behind_soft_nmi);
		unregister_ftrace_function(&ops);
	}
	ftrace_free_filter(&ops);
}

static void case_a_trap_in_a_reset(struct ktap *t)
{
	if (EXPECT(t, smp_send_nmi_ipi_at))
		expect_all_kept(t, found_behind_reset);
}

static const struct ktap_case cases[] = {
	CASE(a_trap_in_the_watchdogs_nmi),
	CASE(a_trap_in_a_reset),
};
KTAP_MODULE(cases);
