// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory that is open to the probed function stays open behind a handler that closes it,
 * as one does that has read user memory, where no exception saves and restores AMR.  Nobody else
 * finds it open when interrupts and tasks that were waiting for the handler's end run before.
 */
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <asm/kup.h>
#include <asm/mmu.h>
#include <asm/reg.h>

#include "ktap.h"

/* Older kernels have another name for it. */
#ifdef MMU_FTR_BOOK3S_KUAP
#define FTR_KUAP	MMU_FTR_BOOK3S_KUAP
#else
#define FTR_KUAP	MMU_FTR_KUAP
#endif

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

/* ---- who waits for the handler's end ---- */

#define TWO_TICKS_MS	25
#define NOT_SEEN	1	/* no value that AMR has */

static struct task_struct *urgent;	/* woken by the handler, on its CPU */
static bool slow;			/* the handler waits for a timer of its CPU */
static unsigned long amr_of_urgent, amr_of_timer;
static int urgent_ran;

/* Leaves user memory shut, as all do that access it. */
static int run_urgent(void *unused)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
		amr_of_urgent = mfspr(SPRN_AMR);
		set_access(AMR_KUAP_BLOCKED);
		urgent_ran++;
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void on_timer(struct timer_list *unused)
{
	amr_of_timer = mfspr(SPRN_AMR);
}
static struct timer_list timer;

static int close_access(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	set_access(AMR_KUAP_BLOCKED);
	if (urgent)
		wake_up_process(urgent);
	if (slow)
		mdelay(TWO_TICKS_MS);
	return 0;
}

static bool start_urgent(struct ktap *t)
{
	struct task_struct *task = kthread_create(run_urgent, NULL, "urgent");

	if (!EXPECT(t, !IS_ERR(task)))
		return false;
	kthread_bind(task, smp_processor_id());
	sched_set_fifo(task);
	wake_up_process(task);
	msleep(50);
	urgent_ran = 0;
	amr_of_urgent = AMR_KUAP_BLOCKED;
	urgent = task;
	return true;
}

static void stop_urgent(void)
{
	struct task_struct *task = urgent;

	urgent = NULL;
	kthread_stop(task);
}

/* Calls with interrupts on. Returns AMR behind the call. */
static unsigned long call_open_slowly_once(void)
{
	unsigned long found;

	amr_of_timer = NOT_SEEN;
	timer_setup(&timer, on_timer, TIMER_PINNED);
	mod_timer(&timer, jiffies + 1);
	slow = true;
	set_access(0);
	lkp_test_open(40, 2);
	found = mfspr(SPRN_AMR);
	set_access(AMR_KUAP_BLOCKED);
	slow = false;
	del_timer_sync(&timer);
	return found;
}

/*
 * The CPU that counts the ticks may stand still meanwhile: then the timer is not due. And if ksoftirqd
 * was woken, softirqs are its business, and it has to come to run.
 */
static unsigned long call_open_slowly(void)
{
	unsigned long found = 0;
	unsigned int i;

	for (i = 0; i == 0 || (amr_of_timer == NOT_SEEN && i < 200); i++) {
		found |= call_open_slowly_once();
		cond_resched();
	}
	return found;
}

/* What else the case expects is expected all the same. */
static bool is_never_shut(struct ktap *t)
{
	if (mmu_has_feature(FTR_KUAP))
		return false;
	t->skip = "this CPU does not shut user memory: to others it is open anyway";
	return true;
}

/* This task stays on its CPU. */
static void expect_shut_to_others(struct ktap *t)
{
	if (is_never_shut(t))
		return;
	migrate_disable();
	if (start_urgent(t)) {
		EXPECT_EQ(t, call_open_slowly(), 0);
		stop_urgent();
		EXPECT_EQ(t, amr_of_urgent, AMR_KUAP_BLOCKED);
		EXPECT_EQ(t, amr_of_timer, AMR_KUAP_BLOCKED);
		if (IS_ENABLED(CONFIG_PREEMPT))
			EXPECT(t, urgent_ran);
	}
	migrate_enable();
}

/*
 * The kernel's trampoline itself calls the scheduler behind all callbacks, and then user memory is
 * open, whoever traces.  So nobody is woken, and what is found behind the call may be changed.
 */
static void __maybe_unused expect_shut_to_interrupts(struct ktap *t)
{
	if (is_never_shut(t))
		return;
	migrate_disable();
	call_open_slowly();
	migrate_enable();
	EXPECT_EQ(t, amr_of_timer, AMR_KUAP_BLOCKED);
}

static void expect_all(struct ktap *t)
{
	expect_open_behind(t);
	expect_shut_to_others(t);
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
	expect_all(t);
	unregister_kprobe(&p);
}

/* Behind the tracer's site, whose place depends on the kernel. */
static int register_jump(struct kprobe *p)
{
	unsigned int offset;

	for (offset = 12; offset <= 24; offset += 4) {
		*p = (struct kprobe){ .symbol_name = "lkp_test_open", .offset = offset,
				      .pre_handler = close_access };
		if (register_kprobe(p))
			continue;
		wait_for_kprobe_optimizer();
		if (p->flags & KPROBE_FLAG_OPTIMIZED)
			return 0;
		unregister_kprobe(p);
	}
	return -EINVAL;
}

static void case_behind_a_detour(struct ktap *t)
{
	struct kprobe p;

	if (!EXPECT_EQ(t, register_jump(&p), 0))
		return;
	expect_all(t);
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
	expect_all(t);
	unregister_kretprobe(&rp);
}

static long close_instead(long a, long b)
{
	close_access(NULL, NULL);
	jprobe_return();
	return 0;
}

static void case_behind_a_jprobe(struct ktap *t)
{
	struct jprobe jp = {
		.kp.symbol_name = "lkp_test_open",
		.entry = close_instead,
	};

	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	expect_open_behind(t);
	unregister_jprobe(&jp);
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
		expect_shut_to_interrupts(t);
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
	expect_shut_to_interrupts(t);
	unregister_fprobe(&fp);
}

#endif

static const struct ktap_case cases[] = {
	CASE(behind_a_site_of_the_tracer),
	CASE(behind_a_detour),
	CASE(behind_a_return),
	CASE(behind_a_jprobe),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	CASE(behind_a_site_with_another_user),
	CASE(behind_the_entry_of_an_fprobe),
#endif
};
KTAP_MODULE(cases);
