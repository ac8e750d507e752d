// SPDX-License-Identifier: GPL-2.0-only
/*
 * Once in a few thousand times a signed return address looks unsigned: the
 * signature happens to equal the unsigned bits.
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/wait.h>
#include <asm/cpufeature.h>
#include <asm/stack_pointer.h>

#include "ktap.h"

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

static int see(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static void case_a_signature_that_looks_like_none(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (void *)nap, .handler = see, .maxactive = 1 };
	struct task_struct *sleeper;
	long answer = 0;

	if (!IS_ENABLED(CONFIG_ARM64_PTR_AUTH_KERNEL) || !system_supports_address_auth()) {
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
	nap(true);
	sleeper = start_sleeper(&answer);
	unregister_kretprobe(&rp);
	WRITE_ONCE(wake, true);
	wake_up_all(&bed);
	if (!EXPECT(t, sleeper))
		return;
	kthread_stop(sleeper);
	EXPECT_EQ(t, answer, SLEPT);
}

static const struct ktap_case cases[] = {
	CASE(a_signature_that_looks_like_none),
};
KTAP_MODULE(cases);
