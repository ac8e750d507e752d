// SPDX-License-Identifier: GPL-2.0-only
/*
 * A handler oopses, and its task is killed; or a task ends in a jprobe's function, or sleeps in a handler.
 * Hits on that CPU are served afterwards; and when its probe is unregistered and freed, nobody uses that any more.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ktap.h"
#include "target.h"

#define THE_CPU		0

noinline __noclone long lkp_oopsed(long a);
noinline __noclone long lkp_oopsed(long a)
{
	barrier();
	return a + 1;
}

noinline __noclone long lkp_oops_witness(long a);
noinline __noclone long lkp_oops_witness(long a)
{
	barrier();
	return a + 2;
}

static unsigned int nr_hits, nr_returns;

static void oops(void)
{
	WRITE_ONCE(*(int *)8, 1);
}

static int oops_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	oops();
	return 0;
}

static int oops_at_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	oops();
	return 0;
}

static int hit(struct kprobe *p, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	nr_returns++;
	return 0;
}

static int leave_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static int call_oopsed(void *unused)
{
	return lkp_oopsed(1);
}

static long answer;
static DECLARE_COMPLETION(answered);

/* It also takes a fault that the kernel fixes up. */
static int call_witness(void *unused)
{
	long value;
	bool read = !copy_from_kernel_nofault(&value, (void *)UNMAPPED, sizeof(value));

	answer = read ? 0 : lkp_oops_witness(1);
	complete(&answered);
	return 0;
}

static bool run_there(struct ktap *t, int (*run)(void *unused))
{
	struct task_struct *task = kthread_create(run, NULL, "lkp_oopsed");

	if (!EXPECT(t, !IS_ERR(task)))
		return false;
	kthread_bind(task, THE_CPU);
	wake_up_process(task);
	return true;
}

static void expect_served(struct ktap *t)
{
	struct kprobe witness = {
		.symbol_name = "lkp_oops_witness", .pre_handler = hit, .fault_handler = leave_fault,
	};
	struct kretprobe ret = { .kp.symbol_name = "lkp_oops_witness", .handler = returned };

	nr_hits = nr_returns = 0;
	if (!EXPECT_EQ(t, register_kprobe(&witness), 0))
		return;
	if (EXPECT_EQ(t, register_kretprobe(&ret), 0)) {
		reinit_completion(&answered);
		if (run_there(t, call_witness))
			wait_for_completion(&answered);
		EXPECT_EQ(t, answer, 3);
		EXPECT_EQ(t, nr_hits, 1);
		EXPECT_EQ(t, nr_returns, 1);
		EXPECT_EQ(t, witness.nmissed, 0);
		EXPECT_EQ(t, ret.nmissed, 0);
		unregister_kretprobe(&ret);
	}
	unregister_kprobe(&witness);
}

static void case_a_return_handler_oopses(struct ktap *t)
{
	struct kretprobe *rp = kzalloc(sizeof(*rp), GFP_KERNEL);

	if (!EXPECT(t, rp))
		return;
	rp->kp.symbol_name = "lkp_oopsed";
	rp->handler = oops_at_return;
	if (EXPECT_EQ(t, register_kretprobe(rp), 0)) {
		if (run_there(t, call_oopsed))
			msleep(1500);
		unregister_kretprobe(rp);
	}
	/* As of who has it next. */
	memset(rp, 0xa5, sizeof(*rp));
	expect_served(t);
	kfree(rp);
}

static void case_an_entry_handler_oopses(struct ktap *t)
{
	struct fprobe *fp = kzalloc(sizeof(*fp), GFP_KERNEL);
	const char *name = "lkp_oopsed";

	if (!EXPECT(t, fp))
		return;
	fp->entry_handler = oops_at_entry;
	if (EXPECT_EQ(t, register_fprobe_syms(fp, &name, 1), 0)) {
		if (run_there(t, call_oopsed))
			msleep(1500);
		unregister_fprobe(fp);
	}
	memset(fp, 0xa5, sizeof(*fp));
	expect_served(t);
	kfree(fp);
}

static pid_t victim;
static unsigned int nr_oopses;

/* If it is called again, as the kernel ends the task for that, not for ever. */
static int oops_at_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			struct pt_regs *regs, void *data)
{
	if (current->pid == READ_ONCE(victim) && nr_oopses++ < 3)
		oops();
	return 0;
}

static int become_victim(void *unused)
{
	WRITE_ONCE(victim, current->pid);
	return 0;
}

/* What the task runs to report it, and to end, calls no handler. */
static void case_a_handler_of_what_ends_the_task_oopses(struct ktap *t)
{
	struct fprobe *fp = kzalloc(sizeof(*fp), GFP_KERNEL);
	const char *name = "do_exit";

	if (!EXPECT(t, fp))
		return;
	fp->entry_handler = oops_at_exit;
	if (EXPECT_EQ(t, register_fprobe_syms(fp, &name, 1), 0)) {
		if (run_there(t, become_victim))
			msleep(1500);
		unregister_fprobe(fp);
	}
	EXPECT_EQ(t, nr_oopses, 1);
	memset(fp, 0xa5, sizeof(*fp));
	expect_served(t);
	kfree(fp);
}

static DECLARE_COMPLETION(has_ended);

/* As the kernel does for a task that an oops ends. */
static long end_here(long a)
{
	preempt_count_set(PREEMPT_ENABLED);
	local_irq_enable();
	kthread_complete_and_exit(&has_ended, 0);
	return 0;
}

/* The fault comes first: the next hit finds that the guard is nobody's. */
static void case_a_task_ends_in_a_jprobe(struct ktap *t)
{
	struct jprobe *jp = kzalloc(sizeof(*jp), GFP_KERNEL);

	if (!EXPECT(t, jp))
		return;
	jp->kp.symbol_name = "lkp_oopsed";
	jp->entry = end_here;
	if (EXPECT_EQ(t, register_jprobe(jp), 0)) {
		if (run_there(t, call_oopsed)) {
			wait_for_completion(&has_ended);
			msleep(200);
		}
		unregister_jprobe(jp);
	}
	memset(jp, 0xa5, sizeof(*jp));
	expect_served(t);
	kfree(jp);
}

static DECLARE_COMPLETION(may_die);
static DECLARE_COMPLETION(is_dying);
static DECLARE_COMPLETION(may_end);
static DECLARE_COMPLETION(has_closed);
static struct kprobe *seen;
static bool read_there;

static long oops_here(long a)
{
	oops();
	return 0;
}

/* Who reads it is killed in here: without a lock or a count that somebody waits for. */
static ssize_t die_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	wait_for_completion(&may_die);
	set_cpus_allowed_ptr(current, cpumask_of(THE_CPU));
	lkp_oopsed(1);
	return 0;
}

/* Called as the one who was killed closes its files, on the CPU whose guard is kept for it. */
static int die_release(struct inode *inode, struct file *file)
{
	long value;

	preempt_disable();
	seen = kprobe_running();
	preempt_enable();
	complete(&is_dying);
	wait_for_completion(&may_end);
	read_there = !copy_from_kernel_nofault(&value, (void *)UNMAPPED, sizeof(value));
	complete(&has_closed);
	return 0;
}

static const struct file_operations die_fops = {
	.owner = THIS_MODULE,
	.read = die_read,
	.release = die_release,
};

#define LONG_ENOUGH	(20 * HZ)

static void expect_jprobe_is_forgotten(struct ktap *t, struct jprobe *jp)
{
	struct kprobe witness = {
		.symbol_name = "lkp_oops_witness", .pre_handler = hit, .fault_handler = leave_fault,
	};

	if (!EXPECT_EQ(t, register_kprobe(&witness), 0))
		return;
	complete(&may_die);
	EXPECT(t, wait_for_completion_timeout(&is_dying, LONG_ENOUGH));
	EXPECT(t, !seen);
	unregister_jprobe(jp);
	/* As of who has it next, and has neither disabled it nor set a flag. */
	memset(jp, 0x88, sizeof(*jp));
	complete(&may_end);
	EXPECT(t, wait_for_completion_timeout(&has_closed, LONG_ENOUGH));
	EXPECT(t, !read_there);
	unregister_kprobe(&witness);
	/* It lets go of the file, and so of this module. */
	msleep(200);
}

/*
 * The task that was killed lives on for a while, on the same CPU, and may take a fault that the kernel
 * fixes up: the jprobe, which has been freed by then, is not asked.
 */
static void case_a_jprobe_oopses(struct ktap *t)
{
	struct dentry *file = debugfs_create_file_unsafe("lkp_die", 0400, NULL, NULL, &die_fops);
	struct jprobe *jp = kzalloc(sizeof(*jp), GFP_KERNEL);

	if (EXPECT(t, jp && !IS_ERR(file))) {
		jp->kp.symbol_name = "lkp_oopsed";
		jp->entry = oops_here;
		if (EXPECT_EQ(t, register_jprobe(jp), 0))
			expect_jprobe_is_forgotten(t, jp);
		expect_served(t);
	}
	debugfs_remove(file);
	kfree(jp);
}

/* ---- it sleeps ---- */

static DECLARE_COMPLETION(is_asleep);
static DECLARE_COMPLETION(may_go_on);
static DECLARE_COMPLETION(has_returned);

/* Against all rules, and so that the kernel does not notice. */
static int sleep_in_it(struct kprobe *p, struct pt_regs *regs)
{
	int count = preempt_count();

	preempt_count_set(PREEMPT_ENABLED);
	local_irq_enable();
	complete(&is_asleep);
	wait_for_completion(&may_go_on);
	local_irq_disable();
	preempt_count_set(count);
	return 0;
}

static int call_from_there(void *unused)
{
	set_cpus_allowed_ptr(current, cpumask_of(THE_CPU));
	answer = lkp_oopsed(1);
	complete(&has_returned);
	return 0;
}

/* The guard is dropped on the other CPU; that of the first one when the probe is unregistered. */
static void case_a_handler_sleeps_and_goes_on_elsewhere(struct ktap *t)
{
	struct kprobe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct task_struct *task;

	if (num_online_cpus() < 2) {
		t->skip = "there is one CPU only";
		kfree(p);
		return;
	}
	if (!EXPECT(t, p))
		return;
	p->symbol_name = "lkp_oopsed";
	p->pre_handler = sleep_in_it;
	if (EXPECT_EQ(t, register_kprobe(p), 0)) {
		/* In a trap the kernel counts more than that. */
		wait_for_kprobe_optimizer();
		task = kprobe_ftrace(p) || kprobe_optimized(p) ?
		       kthread_run(call_from_there, NULL, "lkp_sleeper") : ERR_PTR(-EINVAL);
		if (EXPECT(t, !IS_ERR(task))) {
			wait_for_completion(&is_asleep);
			set_cpus_allowed_ptr(task, cpumask_of(1 - THE_CPU));
			complete(&may_go_on);
			wait_for_completion(&has_returned);
			EXPECT_EQ(t, answer, 2);
		}
		unregister_kprobe(p);
	}
	memset(p, 0x88, sizeof(*p));
	expect_served(t);
	kfree(p);
}

static const struct ktap_case cases[] = {
	CASE(a_return_handler_oopses),
	CASE(an_entry_handler_oopses),
	CASE(a_handler_of_what_ends_the_task_oopses),
	CASE(a_task_ends_in_a_jprobe),
	CASE(a_jprobe_oopses),
	CASE(a_handler_sleeps_and_goes_on_elsewhere),
};
KTAP_MODULE(cases);
