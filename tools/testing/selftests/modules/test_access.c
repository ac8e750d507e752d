// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory that is open to the probed function stays open behind a handler that closes it,
 * as one does that has read user memory, where no exception saves and restores AMR.
 */
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <asm/kup.h>
#include <asm/reg.h>

#include "ktap.h"

noinline long lkp_test_open(long a, long b);
noinline long lkp_test_open(long a, long b)
{
	barrier();
	return a + b;
}

static int hits;

static void set_access(unsigned long amr)
{
	isync();
	mtspr(SPRN_AMR, amr);
	isync();
}

static void expect_open_behind(struct ktap *t)
{
	unsigned long before = mfspr(SPRN_AMR), flags, found;
	long sum;

	hits = 0;
	local_irq_save(flags);
	set_access(0);
	sum = lkp_test_open(40, 2);
	found = mfspr(SPRN_AMR);
	set_access(before);
	local_irq_restore(flags);
	EXPECT_EQ(t, sum, 42);
	EXPECT_EQ(t, found, 0);
	EXPECT_EQ(t, hits, 1);
}

static int close_access(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	set_access(AMR_KUAP_BLOCKED);
	return 0;
}

static int close_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return close_access(NULL, regs);
}

static void case_behind_a_site_of_the_tracer(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_open", .pre_handler = close_access };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_open_behind(t);
	unregister_kprobe(&p);
}

static void case_behind_a_return(struct ktap *t)
{
	struct kretprobe rp = {
		.kp.symbol_name = "lkp_test_open",
		.handler = close_at_return,
	};

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	expect_open_behind(t);
	unregister_kretprobe(&rp);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

static void notrace look(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
}

/* The other user brings the hits through the kernel's trampoline. */
static void case_behind_a_site_with_another_user(struct ktap *t)
{
	struct ftrace_ops ops = { .func = look, .flags = FTRACE_OPS_FL_SAVE_REGS };
	struct kprobe p = { .symbol_name = "lkp_test_open", .pre_handler = close_access };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, ftrace_set_filter_ip(&ops, (unsigned long)p.addr, 0, 1), 0);
	if (EXPECT_EQ(t, register_ftrace_function(&ops), 0)) {
		expect_open_behind(t);
		unregister_ftrace_function(&ops);
	}
	unregister_kprobe(&p);
	ftrace_free_filter(&ops);
}

static int close_at_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			  struct pt_regs *regs, void *data)
{
	return close_access(NULL, regs);
}

static void case_behind_the_entry_of_an_fprobe(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = close_at_entry };

	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_test_open", NULL), 0))
		return;
	expect_open_behind(t);
	unregister_fprobe(&fp);
}

#endif

static const struct ktap_case cases[] = {
	CASE(behind_a_site_of_the_tracer),
	CASE(behind_a_return),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	CASE(behind_a_site_with_another_user),
	CASE(behind_the_entry_of_an_fprobe),
#endif
};
KTAP_MODULE(cases);
