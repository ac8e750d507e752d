// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer's interrupt that finds interrupts masked is an NMI for the kernel's watchdog.  It may come on
 * the last steps out of another exception, which begin anew then, from the stack pointer that these keep
 * in the CPU's data.  Each exception keeps it there on its way out, a trap's too: so one that is hit in
 * that NMI must leave behind what it has found.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
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

static struct task_struct *masks;
static long (*calls)(long a, long b);
static int hits, seen;

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
static unsigned long found_behind_nmi(void)
{
	unsigned long flags, before, found;
	u64 until;

	local_irq_save(flags);
	before = local_paca->exit_save_r1;
	local_paca->exit_save_r1 = MARK;
	WRITE_ONCE(masks, current);
	set_dec(1);
	for (until = get_tb() + tb_ticks_per_sec; !READ_ONCE(seen) && get_tb() < until;)
		cpu_relax();
	WRITE_ONCE(masks, NULL);
	found = local_paca->exit_save_r1;
	local_paca->exit_save_r1 = before;
	local_irq_restore(flags);
	return found;
}

static void expect_kept(struct ktap *t, struct kprobe p, long (*fn)(long a, long b), int wanted)
{
	hits = 0;
	seen = 0;
	calls = fn;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, found_behind_nmi(), MARK);
	EXPECT(t, seen >= 1);
	EXPECT_EQ(t, hits, seen * wanted);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void case_a_trap_in_the_watchdogs_nmi(struct ktap *t)
{
	struct ftrace_ops ops = { .func = be_traced };
	struct kprobe p = { .pre_handler = count };

	if (!EXPECT_EQ(t, ftrace_set_filter(&ops, TRACED, strlen(TRACED), 1), 0))
		return;
	if (EXPECT_EQ(t, register_ftrace_function(&ops), 0)) {
		p.addr = target_at(&emulated);
		expect_kept(t, p, emulated.fn, 1);
		p.addr = target_at(&in_slot);
		expect_kept(t, p, in_slot.fn, 1);
		p.post_handler = count_after;
		expect_kept(t, p, in_slot.fn, 2);
		unregister_ftrace_function(&ops);
	}
	ftrace_free_filter(&ops);
}

static const struct ktap_case cases[] = {
	CASE(a_trap_in_the_watchdogs_nmi),
};
KTAP_MODULE(cases);
