// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe is unregistered while an idle CPU, for which no RCU waits, is in its handler: when the
 * call returns the handler has ended, however it was reached, and whether or not other probes
 * stay at the point.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "ktap.h"

#define IDLE_FUNCTION	"arch_cpu_idle"
#define BEHIND_SITE	(IS_ENABLED(CONFIG_PPC64) ? 20 : 4)
#define ROUNDS		5
/* How long the handler goes on when it has been seen, and how long it waits for that. */
#define HANDLER_MS	100
#define UNSEEN_MS	10000
#define WAIT_MS		200
#define TRIES		300

static atomic_t inside, idle_hits;
static int unwatched;		/* handlers for which no RCU waits */
static bool spins, seen;

/* Interrupts are off, and either CPU may stand still for seconds: who sees it says so. */
static int spin(struct kprobe *p, struct pt_regs *regs)
{
	unsigned int ms;

	if (!is_idle_task(current))
		return 0;
	atomic_inc(&idle_hits);
	if (!xchg(&spins, false))
		return 0;
	unwatched += !rcu_is_watching();
	atomic_inc(&inside);
	for (ms = 0; ms < UNSEEN_MS && !READ_ONCE(seen); ms++)
		mdelay(1);
	mdelay(HANDLER_MS);
	atomic_dec(&inside);
	return 0;
}

static int stand_by(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void nothing(struct work_struct *work)
{
}
static DECLARE_WORK(work, nothing);

/* Another CPU wakes up and idles again, until it is in the handler. */
static bool call_handler(void)
{
	unsigned int ms, other;

	other = cpumask_any_but(cpu_online_mask, smp_processor_id());
	WRITE_ONCE(seen, false);
	WRITE_ONCE(spins, true);
	for (ms = 0; ms < WAIT_MS && !atomic_read(&inside); ms++) {
		schedule_work_on(other, &work);
		mdelay(1);
	}
	WRITE_ONCE(spins, false);
	/* One that has begun now would wait for this, too. */
	WRITE_ONCE(seen, true);
	return atomic_read(&inside);
}

/* While this task does not sleep, its own CPU is not idle. */
static bool call_handler_elsewhere(struct ktap *t)
{
	unsigned int i;
	bool called;

	atomic_set(&idle_hits, 0);
	for (i = 0; i < TRIES; i++) {
		preempt_disable();
		called = call_handler();
		preempt_enable();
		if (called)
			return true;
		msleep(20);
	}
	seq_printf(t->m, "# %d hits of idle tasks in %u tries\n", atomic_read(&idle_hits), i);
	return false;
}

#define EXPECT_ENDED(t, unregister) ({						\
	EXPECT(t, call_handler_elsewhere(t));					\
	unregister;								\
	EXPECT_EQ(t, atomic_read(&inside), 0);					\
	while (atomic_read(&inside))						\
		msleep(20);							\
})

/* Says why not. */
static bool registered(struct ktap *t, struct kprobe *p)
{
	if (EXPECT_EQ(t, register_kprobe(p), 0))
		return true;
	seq_printf(t->m, "# %s\n", kprobe_refusal(p) ?: "no reason");
	return false;
}

/* A place in the function that the tracer does not serve. */
static int register_within(struct kprobe *p, kprobe_pre_handler_t handler)
{
	unsigned int offset;

	for (offset = BEHIND_SITE; offset < 64; offset++) {
		*p = (struct kprobe){ .symbol_name = IDLE_FUNCTION, .offset = offset,
				      .pre_handler = handler };
		if (register_kprobe(p))
			continue;
		if (!(p->flags & KPROBE_FLAG_FTRACE))
			return 0;
		unregister_kprobe(p);
	}
	return -EINVAL;
}

static void expect_ended_beside(struct ktap *t, struct kprobe *goes, struct kprobe *stays)
{
	struct kprobe *array[] = { stays, goes };
	int round;

	for (round = 0; round < ROUNDS && !t->failed; round++) {
		if (!registered(t, goes))
			break;
		EXPECT_ENDED(t, unregister_kprobe(goes));
	}
	unregister_kprobes(array, 1);
}

static void case_a_trap_with_another_probe(struct ktap *t)
{
	struct kprobe goes = { .pre_handler = spin }, stays;

	if (!EXPECT_EQ(t, register_within(&stays, stand_by), 0))
		return;
	goes.addr = stays.addr;
	expect_ended_beside(t, &goes, &stays);
}

static void case_the_last_probe_of_a_trap(struct ktap *t)
{
	struct kprobe p;
	int round;

	for (round = 0; round < ROUNDS && !t->failed; round++) {
		if (EXPECT_EQ(t, register_within(&p, spin), 0))
			EXPECT_ENDED(t, unregister_kprobe(&p));
	}
}

/* Both are in one detour, if it can be a jump at all. */
static void case_a_jump_with_another_probe(struct ktap *t)
{
	struct kprobe goes, stays;

	if (!EXPECT_EQ(t, register_within(&goes, spin), 0))
		return;
	stays = (struct kprobe){ .addr = goes.addr, .pre_handler = stand_by };
	if (registered(t, &stays)) {
		wait_for_kprobe_optimizer();
		if (!(goes.flags & KPROBE_FLAG_OPTIMIZED))
			t->skip = "it stays a trap";
		EXPECT_ENDED(t, unregister_kprobe(&goes));
		unregister_kprobe(&stays);
	} else {
		unregister_kprobe(&goes);
	}
}

static void case_the_entry_with_another_probe(struct ktap *t)
{
	struct kprobe goes = { .symbol_name = IDLE_FUNCTION, .pre_handler = spin };
	struct kprobe stays = { .symbol_name = IDLE_FUNCTION, .pre_handler = stand_by };

	if (!registered(t, &stays))
		return;
	/* Registered by its address from the second round on. */
	goes.symbol_name = NULL;
	goes.addr = stays.addr;
	expect_ended_beside(t, &goes, &stays);
}

static void case_the_last_probe_of_the_entry(struct ktap *t)
{
	int round;

	for (round = 0; round < ROUNDS && !t->failed; round++) {
		struct kprobe p = { .symbol_name = IDLE_FUNCTION, .pre_handler = spin };

		if (registered(t, &p))
			EXPECT_ENDED(t, unregister_kprobe(&p));
	}
}

static int spin_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return spin(NULL, regs);
}

static void case_a_return(struct ktap *t)
{
	int round;

	for (round = 0; round < ROUNDS && !t->failed; round++) {
		struct kretprobe rp = { .kp.symbol_name = IDLE_FUNCTION, .handler = spin_at_return };

		if (EXPECT_EQ(t, register_kretprobe(&rp), 0))
			EXPECT_ENDED(t, unregister_kretprobe(&rp));
	}
}

static int spin_at_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	return spin(NULL, regs);
}

static void case_an_fprobe(struct ktap *t)
{
	int round;

	for (round = 0; round < ROUNDS && !t->failed; round++) {
		struct fprobe fp = { .entry_handler = spin_at_entry };

		if (EXPECT_EQ(t, register_fprobe(&fp, IDLE_FUNCTION, NULL), 0))
			EXPECT_ENDED(t, unregister_fprobe(&fp));
	}
}

static void case_rcu_did_not_watch_all_of_them(struct ktap *t)
{
	seq_printf(t->m, "# %d of them\n", unwatched);
	EXPECT(t, unwatched > 0);
}

static const struct ktap_case cases[] = {
	CASE(a_trap_with_another_probe),
	CASE(the_last_probe_of_a_trap),
	CASE(a_jump_with_another_probe),
	CASE(the_entry_with_another_probe),
	CASE(the_last_probe_of_the_entry),
	CASE(a_return),
	CASE(an_fprobe),
	CASE(rcu_did_not_watch_all_of_them),
};
KTAP_MODULE(cases);
