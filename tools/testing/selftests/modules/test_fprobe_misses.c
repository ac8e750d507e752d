// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: which calls are missed, hits in interrupts, and tasks that sleep inside while
 * an fprobe is unregistered.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "contexts.h"
#include "ktap.h"
#include "target.h"
#include "test_fprobe.h"

/* ---- the probed functions ---- */

/* The sum of depth and all below it. */
noinline __noclone long lkp_fp_recurse(long depth, long unused);
noinline __noclone long lkp_fp_recurse(long depth, long unused)
{
	long below = depth > 1 ? lkp_fp_recurse(depth - 1, unused) : 0;

	barrier();
	return below + depth;
}

static DECLARE_COMPLETION(wake);
static atomic_t inside = ATOMIC_INIT(0);

noinline __noclone long lkp_fp_asleep(long a, long b);
noinline __noclone long lkp_fp_asleep(long a, long b)
{
	atomic_inc(&inside);
	wait_for_completion(&wake);
	return a + b;
}

/* ---- misses ---- */

static void case_each_level_of_a_recursion_returns(struct ktap *t)
{
	struct client client = client_of_both();

	client.fp.nr_maxactive = 30;
	if (!EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_recurse"), 0))
		return;
	EXPECT_EQ(t, lkp_fp_recurse(30, 0), 465);
	EXPECT_EQ(t, client.entries, 30);
	EXPECT_EQ(t, client.exits, 30);
	EXPECT_EQ(t, client.fp.nmissed, 0);
	uproot(t, &client);
}

/* If it asks for no data the entry_handler runs; otherwise neither handler does. */
static void case_what_cannot_be_followed_is_counted(struct ktap *t)
{
	int size;

	for (size = 0; size <= 8; size += 8) {
		struct client client = client_of_both();

		client.fp.nr_maxactive = 10;
		client.fp.entry_data_size = size;
		if (!EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_recurse"), 0))
			return;
		EXPECT_EQ(t, lkp_fp_recurse(30, 0), 465);
		EXPECT_EQ(t, client.entries, size ? 10 : 30);
		EXPECT_EQ(t, client.exits, 10);
		EXPECT_EQ(t, client.fp.nmissed, 20);
		EXPECT_EQ(t, lkp_fp_recurse(10, 0), 55);
		EXPECT_EQ(t, client.exits, 20);
		EXPECT_EQ(t, client.fp.nmissed, 20);
		uproot(t, &client);
	}
}

static int call_two(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	return lkp_fp_two(44, 2) + lkp_fp_one(1, 1) - 44;
}

static void call_two_on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			     struct pt_regs *regs, void *data)
{
	lkp_fp_two(44, 2);
	RETURNED(regs) += lkp_fp_one(0, 0);
}

static int count_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* Its own function, and another one that has probes of both kinds. */
static void case_a_handler_that_calls_probed_functions(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = call_two, .exit_handler = call_two_on_exit };
	struct kprobe p = { .symbol_name = "lkp_fp_two", .pre_handler = count_kprobe };
	struct client other = client_of_both();

	if (!EXPECT_EQ(t, register_named(&other.fp, "lkp_fp_two"), 0))
		return;
	EXPECT_EQ(t, register_kprobe(&p), 0);
	if (EXPECT_EQ(t, register_named(&fp, "lkp_fp_one"), 0)) {
		EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
		EXPECT_EQ(t, fp.nmissed, 2);
		EXPECT_EQ(t, other.fp.nmissed, 2);
		EXPECT_EQ(t, p.nmissed, 2);
		EXPECT_EQ(t, other.entries + other.exits, 0);
		EXPECT_EQ(t, unregister_fprobe(&fp), 0);
	}
	EXPECT_EQ(t, lkp_fp_two(44, 2), 42);
	EXPECT_EQ(t, other.entries + other.exits, 2);
	EXPECT_EQ(t, p.nmissed, 2);
	unregister_kprobe(&p);
	EXPECT_EQ(t, unregister_fprobe(&other.fp), 0);
}

static int call_one(struct kprobe *p, struct pt_regs *regs)
{
	lkp_fp_one(1, 1);
	return 0;
}

static void case_hits_of_a_kprobes_handler_are_counted_as_missed(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_fp_two", .pre_handler = call_one };
	struct client client = client_of_both();

	if (!plant(t, &client))
		return;
	if (EXPECT_EQ(t, register_kprobe(&p), 0)) {
		EXPECT_EQ(t, lkp_fp_two(44, 2), 42);
		EXPECT_EQ(t, client.entries, 0);
		EXPECT_EQ(t, client.fp.nmissed, 1);
		unregister_kprobe(&p);
	}
	uproot(t, &client);
}

/* ---- contexts ---- */

static long result_in_irq;

static void call_in_irq(void)
{
	result_in_irq = in_hardirq() ? lkp_fp_one(40, 2) : 0;
}

static void case_hit_in_an_interrupt(struct ktap *t)
{
	struct client client = client_of_both();

	if (!plant(t, &client))
		return;
	run_in_interrupt(call_in_irq);
	EXPECT_EQ(t, result_in_irq, 42);
	EXPECT_EQ(t, client.entries, 1);
	EXPECT_EQ(t, client.exits, 1);
	uproot(t, &client);
}

#ifdef CONFIG_X86_64

static atomic_t nmis;
static long nmi_result;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (atomic_read(&nmis) <= 0)
		return NMI_DONE;
	nmi_result = in_nmi() ? lkp_fp_one(40, 2) : 0;
	atomic_dec_return(&nmis);
	return NMI_HANDLED;
}

static void send_nmi(int cpu)
{
	int i;

	atomic_inc(&nmis);
	apic->send_IPI(cpu, NMI_VECTOR);
	/* One that comes when nobody waits for it is unknown to the kernel. */
	for (i = 0; i < 60000 && atomic_read(&nmis); i++)
		udelay(1000);
}

static void case_hit_in_an_nmi(struct ktap *t)
{
	struct client client = client_of_both();
	int i;

	if (!EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_test_fprobe"), 0))
		return;
	if (plant(t, &client)) {
		for (i = 1; i <= 5; i++) {
			nmi_result = 0;
			send_nmi(raw_smp_processor_id());
			EXPECT_EQ(t, nmi_result, 42);
			EXPECT_EQ(t, client.entries, i);
			EXPECT_EQ(t, client.exits, i);
		}
		uproot(t, &client);
	}
	unregister_nmi_handler(NMI_LOCAL, "lkp_test_fprobe");
}

#endif /* CONFIG_X86_64 */

/* ---- tasks inside ---- */

static int sleeper(void *result)
{
	*(long *)result = lkp_fp_asleep(40, 2);
	atomic_dec(&inside);
	return 0;
}

static bool becomes(atomic_t *what, int value)
{
	int i;

	for (i = 0; i < 1000 && atomic_read(what) != value; i++)
		msleep(20);
	return atomic_read(what) == value;
}

#define NR_SLEEPERS	3

static void case_unregistered_while_tasks_sleep_inside(struct ktap *t)
{
	struct client client = client_of_both();
	long results[NR_SLEEPERS] = { };
	int i;

	reinit_completion(&wake);
	if (!EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_asleep"), 0))
		return;
	for (i = 0; i < NR_SLEEPERS; i++)
		EXPECT(t, !IS_ERR(kthread_run(sleeper, &results[i], "lkp_fprobe")));
	EXPECT(t, becomes(&inside, NR_SLEEPERS));
	EXPECT_EQ(t, client.entries, NR_SLEEPERS);
	uproot(t, &client);
	memset(&client.fp, 0x6b, sizeof(client.fp));
	complete_all(&wake);
	EXPECT(t, becomes(&inside, 0));
	EXPECT_EQ(t, client.exits, 0);
	for (i = 0; i < NR_SLEEPERS; i++)
		EXPECT_EQ(t, results[i], 42);
	msleep(100);
}

static const struct ktap_case cases[] = {
	CASE(each_level_of_a_recursion_returns),
	CASE(what_cannot_be_followed_is_counted),
	CASE(a_handler_that_calls_probed_functions),
	CASE(hits_of_a_kprobes_handler_are_counted_as_missed),
	CASE(hit_in_an_interrupt),
#ifdef CONFIG_X86_64
	CASE(hit_in_an_nmi),
#endif
	CASE(unregistered_while_tasks_sleep_inside),
};
KTAP_MODULE(cases);
