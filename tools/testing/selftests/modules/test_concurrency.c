// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits on all CPUs while kprobes are registered and unregistered, in any context, and
 * in tasks that sleep or are preempted in the middle of a probed instruction.
 */
#include <linux/anon_inodes.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/numa.h>
#include <linux/slab.h>

#include "contexts.h"
#include "ktap.h"
#include "target.h"

#define MAX_THREADS	8
#define STORM		(2 * HZ)

TARGET(slot_add, SLOT_ADD(slot_add));
TARGET(nop_add, ADD_NOP(nop_add));
TARGET(long_add, LONG_ADD(long_add));

noinline long lkp_test_entry(long a, long b);
noinline long lkp_test_entry(long a, long b)
{
	barrier();
	return a + b;
}

static long call_entry(long a, long b)
{
	return lkp_test_entry(a, b);
}

static atomic_long_t calls, wrong, pres, posts, served, ghosts;
static bool alive;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&pres);
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_long_inc(&posts);
}

/* It runs only between registering and the return from unregistering. */
static int pre_while_alive(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(READ_ONCE(alive) ? &served : &ghosts);
	return 0;
}

static void post_while_alive(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_long_inc(READ_ONCE(alive) ? &served : &ghosts);
}

static void reset_counts(void)
{
	atomic_long_set(&calls, 0);
	atomic_long_set(&wrong, 0);
	atomic_long_set(&pres, 0);
	atomic_long_set(&posts, 0);
	atomic_long_set(&served, 0);
	atomic_long_set(&ghosts, 0);
}

/* ---- threads that call ---- */

static int caller(void *data)
{
	long (*fn)(long, long) = data;

	while (!kthread_should_stop()) {
		if (fn(40, 2) != 42)
			atomic_long_inc(&wrong);
		atomic_long_inc(&calls);
		/* The tracer waits for RCU-tasks, for which a preempted task is not quiescent. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

struct crowd {
	struct task_struct *threads[MAX_THREADS];
	unsigned int nr;
};

/* More threads than CPUs, so that they are preempted. */
static bool gather(struct ktap *t, struct crowd *crowd, long (*fn)(long, long))
{
	unsigned int i, nr = min_t(unsigned int, MAX_THREADS, 2 * num_online_cpus());
	struct task_struct *thread;

	crowd->nr = 0;
	for (i = 0; i < nr; i++) {
		thread = kthread_create(caller, fn, "lkp_caller/%u", i);
		if (!EXPECT(t, !IS_ERR(thread)))
			return false;
		kthread_bind(thread, cpumask_local_spread(i, NUMA_NO_NODE));
		wake_up_process(thread);
		crowd->threads[crowd->nr++] = thread;
	}
	return true;
}

/* A machine that has stood still meanwhile needs longer. */
static void wait_for_calls(void)
{
	unsigned long until = jiffies + 60 * HZ;

	while (atomic_long_read(&calls) <= 100 && time_before(jiffies, until))
		msleep(20);
}

static void disperse(struct crowd *crowd)
{
	while (crowd->nr)
		kthread_stop(crowd->threads[--crowd->nr]);
}

static void place_probe(struct kprobe *p, const struct target *target)
{
	*p = (struct kprobe){ .pre_handler = count_pre, .post_handler = count_post };
	if (target)
		p->addr = target_at(target);
	else
		p->symbol_name = "lkp_test_entry";
}

static long (*function_of(const struct target *target))(long, long)
{
	return target ? target->fn : call_entry;
}

/* NULL: the entry of a C function. */
static const struct target * const targets[] = { &slot_add, &nop_add, NULL };

static void expect_all_counted(struct ktap *t, const struct kprobe *p)
{
	long nr = atomic_long_read(&calls);

	EXPECT(t, nr > 100);
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
	EXPECT_EQ(t, atomic_long_read(&pres), nr);
	EXPECT_EQ(t, atomic_long_read(&posts), nr);
	EXPECT_EQ(t, p->nmissed, 0);
}

static void case_every_hit_on_every_cpu_is_counted(struct ktap *t)
{
	struct crowd crowd;
	struct kprobe p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		reset_counts();
		place_probe(&p, targets[i]);
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		if (gather(t, &crowd, function_of(targets[i]))) {
			msleep(1000);
			wait_for_calls();
		}
		disperse(&crowd);
		expect_all_counted(t, &p);
		unregister_kprobe(&p);
	}
}

/* ---- while others come and go ---- */

static bool storm_of_others(struct ktap *t, struct kprobe *model)
{
	unsigned long until = jiffies + STORM;
	bool good = true;

	while (good && time_before(jiffies, until)) {
		struct kprobe p = *model, q = *model;

		good = EXPECT_EQ(t, register_kprobe(&p), 0);
		if (!good)
			break;
		good = EXPECT_EQ(t, register_kprobe(&q), 0);
		good &= EXPECT_EQ(t, disable_kprobe(&p), 0);
		good &= EXPECT_EQ(t, enable_kprobe(&p), 0);
		unregister_kprobe(&p);
		unregister_kprobe(&q);
	}
	return good;
}

static int nothing_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void case_no_hit_is_lost_while_others_come_and_go(struct ktap *t)
{
	struct kprobe p, other;
	struct crowd crowd;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		reset_counts();
		place_probe(&p, targets[i]);
		place_probe(&other, targets[i]);
		other.pre_handler = nothing_pre;
		other.post_handler = NULL;
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		if (gather(t, &crowd, function_of(targets[i])))
			storm_of_others(t, &other);
		wait_for_calls();
		disperse(&crowd);
		expect_all_counted(t, &p);
		unregister_kprobe(&p);
	}
}

/* ---- none afterwards ---- */

/* Where CPUs take turns, others may have had none since a probe came. */
static void wait_for_a_hit(void)
{
	unsigned long until = jiffies + 10 * HZ;
	long before = atomic_long_read(&served);

	while (atomic_long_read(&served) == before && time_before(jiffies, until))
		usleep_range(1000, 2000);
}

static bool one_life(struct ktap *t, const struct target *target, bool with_post)
{
	struct kprobe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	static unsigned int lives;
	bool good;

	if (!EXPECT(t, p))
		return false;
	place_probe(p, target);
	p->pre_handler = pre_while_alive;
	p->post_handler = with_post ? post_while_alive : NULL;
	WRITE_ONCE(alive, true);
	good = EXPECT_EQ(t, register_kprobe(p), 0);
	/* Of each kind some go at once, and some do not. */
	if (good && lives++ % 5 == 0)
		wait_for_a_hit();
	if (good)
		unregister_kprobe(p);
	WRITE_ONCE(alive, false);
	memset(p, 0x6b, sizeof(*p));
	kfree(p);
	return good;
}

static void expect_no_ghosts(struct ktap *t, const struct target *target)
{
	unsigned long until = jiffies + STORM;
	struct crowd crowd;
	bool good = true;

	reset_counts();
	if (gather(t, &crowd, function_of(target)))
		while (good && time_before(jiffies, until))
			good = one_life(t, target, false) && one_life(t, target, true);
	wait_for_calls();
	disperse(&crowd);
	EXPECT(t, atomic_long_read(&calls) > 100);
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
	EXPECT(t, atomic_long_read(&served) > 0);
	EXPECT_EQ(t, atomic_long_read(&ghosts), 0);
}

static void case_no_handler_runs_after_unregister_has_returned(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		expect_no_ghosts(t, targets[i]);
}

/* The text does not change then, so that nothing but a grace period tells. */
static void case_no_handler_runs_afterwards_beside_one_that_stays(struct ktap *t)
{
	struct kprobe p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		place_probe(&p, targets[i]);
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		expect_no_ghosts(t, targets[i]);
		EXPECT_EQ(t, p.nmissed, 0);
		unregister_kprobe(&p);
	}
}

/* Tasks are preempted in slots that are freed and filled with something else. */
static void case_slots_are_not_reused_under_preempted_tasks(struct ktap *t)
{
	unsigned long until = jiffies + 2 * STORM;
	struct crowd crowd;
	bool good = true;

	reset_counts();
	if (gather(t, &crowd, long_add.fn))
		while (good && time_before(jiffies, until))
			good = one_life(t, &long_add, false) && one_life(t, &slot_add, false) &&
			       one_life(t, &long_add, true);
	disperse(&crowd);
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
	EXPECT(t, atomic_long_read(&served) > 0);
	EXPECT_EQ(t, atomic_long_read(&ghosts), 0);
}

/* ---- contexts ---- */

static unsigned long seen_context;

static int see_context(struct kprobe *p, struct pt_regs *regs)
{
	seen_context = preempt_count();
	atomic_long_inc(&pres);
	return 0;
}

static void hit_all(void)
{
	slot_add.fn(40, 2);
	nop_add.fn(40, 2);
	lkp_test_entry(40, 2);
}

static void expect_context(struct ktap *t, void (*run)(void (*fn)(void)), unsigned long mask)
{
	struct kprobe p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		reset_counts();
		place_probe(&p, targets[i]);
		p.pre_handler = see_context;
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			return;
		run(hit_all);
		EXPECT_EQ(t, atomic_long_read(&pres), 1);
		EXPECT_EQ(t, atomic_long_read(&posts), 1);
		EXPECT(t, seen_context & mask);
		unregister_kprobe(&p);
	}
}

static void case_a_hit_in_an_interrupt(struct ktap *t)
{
	expect_context(t, run_in_interrupt, HARDIRQ_MASK);
}

static void case_a_hit_in_a_softirq(struct ktap *t)
{
	expect_context(t, run_in_softirq, SOFTIRQ_CONTEXT);
}

/* ---- functions that sleep ---- */

static DECLARE_COMPLETION(asleep);
static DECLARE_COMPLETION(wake);

noinline long lkp_test_sleep(long a, long b);
noinline long lkp_test_sleep(long a, long b)
{
	complete(&asleep);
	wait_for_completion(&wake);
	return a + b;
}

TARGET(call_sleep, CALLS_TO(call_sleep, lkp_test_sleep));

static int sleeper(void *data)
{
	if (call_sleep.fn(40, 2) != 42)
		atomic_long_inc(&wrong);
	return 0;
}

static void case_unregistered_while_the_probed_function_sleeps(struct ktap *t)
{
	struct kprobe call = { .addr = target_at(&call_sleep), .pre_handler = count_pre,
			       .post_handler = count_post };
	struct kprobe entry = { .symbol_name = "lkp_test_sleep", .pre_handler = count_pre };
	struct task_struct *thread;

	reset_counts();
	reinit_completion(&asleep);
	reinit_completion(&wake);
	if (!EXPECT_EQ(t, register_kprobe(&call), 0) || !EXPECT_EQ(t, register_kprobe(&entry), 0))
		return;
	thread = kthread_create(sleeper, NULL, "lkp_sleeper");
	if (!EXPECT(t, !IS_ERR(thread)))
		return;
	get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&asleep);
	EXPECT_EQ(t, atomic_long_read(&pres), 2);
	EXPECT_EQ(t, atomic_long_read(&posts), 1);
	unregister_kprobe(&call);
	unregister_kprobe(&entry);
	complete(&wake);
	kthread_stop(thread);
	put_task_struct(thread);
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
}

/* ---- asleep in a slot: a page fault that takes its time ---- */

TARGET(load_user, LOAD_USER(load_user));

static vm_fault_t slow_fault(struct vm_fault *vmf)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);

	if (!page)
		return VM_FAULT_OOM;
	*(long *)page_address(page) = 4711;
	complete(&asleep);
	wait_for_completion(&wake);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct slow_vm_ops = {
	.fault = slow_fault,
};

static int slow_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &slow_vm_ops;
	return 0;
}

static const struct file_operations slow_fops = {
	.owner = THIS_MODULE,
	.mmap = slow_mmap,
};

static unsigned long map_slow(struct ktap *t)
{
	struct file *file = anon_inode_getfile("lkp_slow", &slow_fops, NULL, O_RDWR);
	unsigned long addr;

	if (!EXPECT(t, !IS_ERR(file)))
		return 0;
	addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	fput(file);
	return EXPECT(t, !IS_ERR_VALUE(addr)) ? addr : 0;
}

struct disturbance {
	struct ktap *t;
	struct kprobe *p;
};

/* While the reader sleeps in its slot: take the probe away, wear the slots out. */
static int disturb(void *data)
{
	struct disturbance *d = data;
	unsigned long until;

	wait_for_completion(&asleep);
	unregister_kprobe(d->p);
	memset(d->p, 0x6b, sizeof(*d->p));
	WRITE_ONCE(alive, false);
	for (until = jiffies + 2 * STORM; time_before(jiffies, until); ) {
		struct kprobe p = { .addr = target_at(&load_user) };
		struct kprobe q = { .addr = target_at(&slot_add) };

		if (!EXPECT_EQ(d->t, register_kprobe(&p), 0))
			break;
		if (EXPECT_EQ(d->t, register_kprobe(&q), 0))
			unregister_kprobe(&q);
		unregister_kprobe(&p);
	}
	complete(&wake);
	return 0;
}

static void sleep_in_slot(struct ktap *t, bool with_post)
{
	struct kprobe p = { .addr = target_at(&load_user), .pre_handler = pre_while_alive };
	struct disturbance d = { .t = t, .p = &p };
	struct task_struct *thread;
	unsigned long addr = map_slow(t);

	reset_counts();
	reinit_completion(&asleep);
	reinit_completion(&wake);
	if (with_post)
		p.post_handler = post_while_alive;
	WRITE_ONCE(alive, true);
	if (!addr || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	thread = kthread_create(disturb, &d, "lkp_disturb");
	if (!EXPECT(t, !IS_ERR(thread)))
		return;
	get_task_struct(thread);
	wake_up_process(thread);
	EXPECT_EQ(t, load_user.fn(addr, 0), 4711);
	kthread_stop(thread);
	put_task_struct(thread);
	EXPECT(t, atomic_long_read(&served) > 0);
	EXPECT_EQ(t, atomic_long_read(&ghosts), 0);
	EXPECT(t, may_sleep_here());
	vm_munmap(addr, PAGE_SIZE);
}

static void case_a_task_asleep_in_a_slot_that_is_freed(struct ktap *t)
{
	sleep_in_slot(t, false);
}

static void case_a_task_asleep_in_a_slot_before_its_post_handler(struct ktap *t)
{
	sleep_in_slot(t, true);
}

/* ---- a writer whom others outrank ---- */

static unsigned int outranked = 4;
module_param(outranked, uint, 0400);
MODULE_PARM_DESC(outranked, "seconds");

/*
 * An emulator may keep a trap that has been removed, until its bytes are written a second time:
 * all callers may come to run that trap without end.  If the writer waited for a CPU in between, it
 * would wait for ever, too, on a kernel without preemption.
 */
static void case_unregistered_by_a_task_whom_callers_outrank(struct ktap *t)
{
	unsigned long until = jiffies + outranked * HZ;
	struct crowd crowd;
	int lives = 0;

	reset_counts();
	set_user_nice(current, MAX_NICE);
	/* One may take longer than that: what matters is that it ends. */
	if (gather(t, &crowd, nop_add.fn))
		while (one_life(t, &nop_add, false) && ++lives && time_before(jiffies, until))
			;
	set_user_nice(current, 0);
	disperse(&crowd);
	pr_info("%d lives\n", lives);
	EXPECT(t, lives > 0);
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
	EXPECT(t, atomic_long_read(&served) > 0);
	EXPECT_EQ(t, atomic_long_read(&ghosts), 0);
}

static const struct ktap_case cases[] = {
	CASE(every_hit_on_every_cpu_is_counted),
	CASE(no_hit_is_lost_while_others_come_and_go),
	CASE(no_handler_runs_after_unregister_has_returned),
	CASE(no_handler_runs_afterwards_beside_one_that_stays),
	CASE(slots_are_not_reused_under_preempted_tasks),
	CASE(a_hit_in_an_interrupt),
	CASE(a_hit_in_a_softirq),
	CASE(unregistered_while_the_probed_function_sleeps),
	CASE(a_task_asleep_in_a_slot_that_is_freed),
	CASE(a_task_asleep_in_a_slot_before_its_post_handler),
	CASE(unregistered_by_a_task_whom_callers_outrank),
};
KTAP_MODULE(cases);
