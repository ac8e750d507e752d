// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signatures of return addresses that mislead.  Once in a few thousand times a signed address
 * looks unsigned: the signature happens to equal the unsigned bits.  And the stack may hold what
 * an earlier call has left, with its signature.
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/wait.h>
#include <asm/cpufeature.h>
#include <asm/stack_pointer.h>

#include "ktap.h"

/* Older kernels sign their own wherever they can sign those of programs. */
#ifdef SIGNS_ALIKE
#define SIGNS_RETURNS	IS_ENABLED(CONFIG_ARM64_PTR_AUTH)
#else
#define SIGNS_RETURNS	IS_ENABLED(CONFIG_ARM64_PTR_AUTH_KERNEL)
#endif

#define DEPTH		200	/* frames, within half a stack */
#define THREADS		3000	/* each has a key of its own */
#define SLEPT		4711
#define NOT_FOUND	-1

static DECLARE_WAIT_QUEUE_HEAD(bed);
static DECLARE_COMPLETION(searched);
static bool wake, asleep;
static unsigned long stub;

static unsigned long signature_of(unsigned long addr, unsigned long modifier)
{
	register unsigned long x16 asm("x16") = modifier;
	register unsigned long x17 asm("x17") = addr;

	asm volatile("hint #8" : "+r" (x17) : "r" (x16));	/* pacia1716 */
	return x17;
}

/* Where is it going to return to? Or it sleeps. */
static noinline __noclone long nap(bool ask)
{
	if (ask) {
		/* Stubs have several ways in. */
		stub = (unsigned long)__builtin_return_address(0) & ~7UL;
		return 0;
	}
	asleep = true;
	complete(&searched);
	wait_event(bed, READ_ONCE(wake));
	return SLEPT;
}

/* Sleeps where the stub's signature looks as if there were none. */
static noinline __noclone long descend(unsigned int depth)
{
	long answer;

	if (signature_of(stub, current_stack_pointer) == stub)
		answer = nap(false);
	else
		answer = depth ? descend(depth - 1) : NOT_FOUND;
	barrier();
	return answer;
}

static int search(void *answer)
{
	*(long *)answer = descend(DEPTH);
	if (*(long *)answer == NOT_FOUND)
		complete(&searched);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* A thread that sleeps in there, or NULL. */
static struct task_struct *start_sleeper(long *answer)
{
	struct task_struct *task;
	unsigned int i;

	asleep = false;
	for (i = 0; i < THREADS; i++) {
		task = kthread_run(search, answer, "lkp_signed");
		if (IS_ERR(task))
			break;
		wait_for_completion(&searched);
		if (asleep)
			return task;
		kthread_stop(task);
	}
	return NULL;
}

static unsigned int hits;

static int see(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void case_a_signature_that_looks_like_none(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (void *)nap, .handler = see, .maxactive = 1 };
	struct task_struct *sleeper;
	long answer = 0;

	if (!SIGNS_RETURNS || !system_supports_address_auth()) {
		t->skip = "the kernel does not sign return addresses here";
		return;
	}
	if (CONFIG_ARM64_VA_BITS < 48) {
		t->skip = "addresses are so short, and signatures so long, that none is found";
		return;
	}
	wake = false;
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	hits = 0;
	nap(true);
	/* Else what it has seen is no stub. */
	EXPECT_EQ(t, hits, 1);
	sleeper = start_sleeper(&answer);
	unregister_kretprobe(&rp);
	WRITE_ONCE(wake, true);
	wake_up_all(&bed);
	if (!EXPECT(t, sleeper))
		return;
	kthread_stop(sleeper);
	EXPECT_EQ(t, answer, SLEPT);
}

/* ---- a leftover ---- */

static unsigned long leftover_of(unsigned long addr)
{
	register unsigned long x30 asm("x30") = addr;

	asm volatile("hint #7" : "+r" (x30));	/* xpaclri */
	return signature_of(x30, current_stack_pointer - 256);
}

/* Sleeps with its return address in its frame once more, as another call would have signed it. */
static noinline __noclone long nap_beside_leftover(void)
{
	unsigned long *record = __builtin_frame_address(0);
	unsigned long leftover = leftover_of(record[1]);

	asm volatile("" : : "r" (&leftover) : "memory");
	complete(&searched);
	wait_event(bed, READ_ONCE(wake));
	asm volatile("" : : "r" (&leftover) : "memory");
	return SLEPT;
}

static int sleep_beside_leftover(void *answer)
{
	*(long *)answer = nap_beside_leftover();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* How long does it take to unregister the probe? */
static unsigned long time_unregister(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (void *)nap_beside_leftover, .handler = see,
				.maxactive = 1 };
	struct task_struct *sleeper;
	unsigned long since;
	long answer = 0;

	wake = false;
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return 0;
	sleeper = kthread_run(sleep_beside_leftover, &answer, "lkp_leftover");
	if (EXPECT(t, !IS_ERR(sleeper)))
		wait_for_completion(&searched);
	since = jiffies;
	unregister_kretprobe(&rp);
	since = jiffies - since;
	EXPECT_EQ(t, rp.nmissed, 0);
	WRITE_ONCE(wake, true);
	wake_up_all(&bed);
	if (!IS_ERR(sleeper)) {
		kthread_stop(sleeper);
		EXPECT_EQ(t, answer, SLEPT);
	}
	return since;
}

/*
 * If the stub can't be taken back, that takes almost four seconds, each time; on a busy machine
 * it may take as long otherwise, now and then.
 */
static void case_a_leftover_with_another_signature(struct ktap *t)
{
	unsigned int i;

	if (!SIGNS_RETURNS || !system_supports_address_auth()) {
		t->skip = "the kernel does not sign return addresses here";
		return;
	}
	for (i = 0; i < 10; i++)
		if (time_unregister(t) < 3 * HZ)
			return;
	EXPECT(t, !"the stub is taken back at once");
}

static const struct ktap_case cases[] = {
	CASE(a_signature_that_looks_like_none),
	CASE(a_leftover_with_another_signature),
};
KTAP_MODULE(cases);
