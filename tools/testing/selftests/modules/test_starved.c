// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that a real-time task keeps off their CPU, for longer than anybody waits, from where
 * nobody could find them: from the last steps of their exit, when they are on no list of tasks any
 * more, inside a function whose return is followed; and from the end of such a return.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/segment.h>

#include "ktap.h"

/* A task that reaps itself calls it when it has left all lists. */
#define LAST_FUNCTION	"proc_flush_pid"
#define OTHER_CPU	1
/* Less than the kernel's detectors of hangs allow. */
#define LONGEST		(90 * HZ)

static struct task_struct *hog, *victim;
static bool hogging, released;
static unsigned int returns;

/* Spins at real-time priority, so that nothing else runs on its CPU. */
static int be_a_hog(void *unused)
{
	unsigned long end;

	set_current_state(TASK_INTERRUPTIBLE);
	schedule();
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(hogging, true);
	for (end = jiffies + LONGEST; !READ_ONCE(released) && time_before(jiffies, end);)
		cpu_relax();
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void start_hogging(struct irq_work *unused)
{
	wake_up_process(hog);
}

/* Its interrupt comes as soon as interrupts are on again, and preempts the task. */
static DEFINE_IRQ_WORK(starter, start_hogging);

static struct task_struct *start_on(unsigned int cpu, int (*fn)(void *), const char *name)
{
	struct task_struct *task = kthread_create(fn, NULL, "%s", name);

	if (IS_ERR(task))
		return NULL;
	kthread_bind(task, cpu);
	return get_task_struct(task);
}

static bool becomes(const bool *what)
{
	unsigned int tries;

	for (tries = 0; tries < 3000 && !READ_ONCE(*what); tries++)
		msleep(20);
	return READ_ONCE(*what);
}

static bool has_ended(const struct task_struct *task)
{
	return READ_ONCE(task->__state) == TASK_DEAD;
}

static bool ends(const struct task_struct *task)
{
	unsigned int tries;

	for (tries = 0; tries < 3000 && !has_ended(task); tries++)
		msleep(20);
	return has_ended(task);
}

/* Starts a task whose probe wakes the hog, and waits until that has preempted it. */
static bool starve(struct ktap *t, int (*fn)(void *))
{
	hogging = false;
	released = false;
	returns = 0;
	set_cpus_allowed_ptr(current, cpumask_of(0));
	hog = start_on(OTHER_CPU, be_a_hog, "lkp_hog");
	victim = start_on(OTHER_CPU, fn, "lkp_victim");
	if (!EXPECT(t, hog && victim))
		return false;
	sched_set_fifo(hog);
	wake_up_process(hog);
	msleep(100);
	wake_up_process(victim);
	return EXPECT(t, becomes(&hogging));
}

static void feed(struct ktap *t)
{
	WRITE_ONCE(released, true);
	EXPECT(t, ends(victim));
	put_task_struct(victim);
	kthread_stop(hog);
	put_task_struct(hog);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* ---- in the last steps of its exit ---- */

static int leave(void *unused)
{
	return 0;
}

static int hog_on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (current != READ_ONCE(victim))
		return 1;
	irq_work_queue(&starter);
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return 0;
}

static void case_an_instance_of_a_task_on_no_list_outlives_its_probe(struct ktap *t)
{
	struct kretprobe rp = { .kp.symbol_name = LAST_FUNCTION, .entry_handler = hog_on_entry,
				.handler = count_return, .maxactive = 10 };
	unsigned long began;

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	if (starve(t, leave)) {
		EXPECT(t, !pid_alive(victim));
		EXPECT(t, !has_ended(victim));
	}
	began = jiffies;
	unregister_kretprobe(&rp);
	EXPECT(t, time_before(jiffies, began + LONGEST / 2));
	/* If its instance were free, it would be given to others by now, or freed. */
	msleep(3000);
	EXPECT(t, !has_ended(victim));
	feed(t);
	EXPECT_EQ(t, returns, 0);
}

/* ---- at the end of a return ---- */

static noinline __noclone long lkp_starved(void)
{
	barrier();
	return 4711;
}

static long answer;

static int call(void *unused)
{
	WRITE_ONCE(answer, lkp_starved());
	return 0;
}

static int hog_on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	irq_work_queue(&starter);
	return 0;
}

/* Does an interrupt return there?  The task does not run. */
static bool was_interrupted_at(const unsigned long *word, const unsigned long *end)
{
	return word + 5 <= end && word[1] == __KERNEL_CS && word[3] > (unsigned long)word &&
	       word[3] <= (unsigned long)end;
}

static bool is_in_kprobes(struct ktap *t, struct task_struct *task)
{
	const unsigned long *end = task_stack_page(task) + THREAD_SIZE;
	const unsigned long *word = (unsigned long *)task->thread.sp;
	static char name[KSYM_SYMBOL_LEN];

	for (; word < end; word++) {
		if (!was_interrupted_at(word, end))
			continue;
		sprint_symbol(name, *word);
		seq_printf(t->m, "# interrupted in %s\n", name);
		if (strstr(name, "[kprobes]"))
			return true;
	}
	return false;
}

static void case_no_task_is_preempted_in_our_text_when_its_instance_is_free(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (kprobe_opcode_t *)lkp_starved,
				.handler = hog_on_return, .maxactive = 10 };

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	answer = 0;
	if (starve(t, call)) {
		EXPECT_EQ(t, returns, 1);
		EXPECT_EQ(t, READ_ONCE(answer), 0);
		EXPECT(t, !is_in_kprobes(t, victim));
	}
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, READ_ONCE(answer), 0);
	feed(t);
	EXPECT_EQ(t, answer, 4711);
}

static const struct ktap_case cases[] = {
	CASE(an_instance_of_a_task_on_no_list_outlives_its_probe),
	CASE(no_task_is_preempted_in_our_text_when_its_instance_is_free),
};
KTAP_MODULE(cases);
