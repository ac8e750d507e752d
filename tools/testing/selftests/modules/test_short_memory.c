// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where there is no memory near the text for more detours, the kernel is asked for it in growing
 * intervals, and not for each probe in each pass of the optimiser: each time it flushes the TLBs of
 * all CPUs.  A probe on the kernel's allocator says that there is none.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ktap.h"
#include "optimize.h"

/* More than there is memory for detours at first. */
#define PROBES		1500
#define SECONDS		6
/* In so many seconds, with intervals that are twice the one before. */
#define MOST_ATTEMPTS	7

#define SPACE		8	/* bytes from one probe to the next: more than a jump has */

/* Two instructions for each probe.  Nobody runs them. */
asm(".pushsection .text\n"
	".globl lkp_row\n"
	".type lkp_row, %function\n"
	"lkp_row:\n"
	".rept " __stringify(PROBES) "\n"
#ifdef CONFIG_X86
	"addq $1, %rax\n"
	"addq $1, %rax\n"
#else
	"add x0, x0, #1\n"
	"add x0, x0, #1\n"
#endif
	".endr\n"
#ifdef CONFIG_X86
	"ud2\n"
#else
	"brk #0\n"
#endif
	".size lkp_row, . - lkp_row\n"
	".popsection\n");

static struct kprobe *kps;
static struct kprobe **list;

static int no_handler(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static bool register_row(struct ktap *t)
{
	unsigned int i;

	kps = kcalloc(PROBES, sizeof(*kps), GFP_KERNEL);
	list = kcalloc(PROBES, sizeof(*list), GFP_KERNEL);
	if (!EXPECT(t, kps && list))
		return false;
	for (i = 0; i < PROBES; i++) {
		kps[i].symbol_name = "lkp_row";
		kps[i].offset = i * SPACE;
		kps[i].pre_handler = no_handler;
		list[i] = &kps[i];
	}
	return EXPECT_EQ(t, register_kprobes(list, PROBES), 0);
}

static void free_row(void)
{
	kfree(list);
	kfree(kps);
}

static unsigned int jumps(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < PROBES; i++)
		nr += is_jump(&kps[i]);
	return nr;
}

static bool all_become_jumps(void)
{
	unsigned long until = jiffies + PATIENCE;

	while (jumps() < PROBES && time_before(jiffies, until))
		msleep(100);
	return jumps() == PROBES;
}

/* ---- the allocator ---- */

static atomic_t attempts;

static noinline __noclone void *lkp_no_memory(void)
{
	barrier();
	return NULL;
}

/* The optimiser is a work, and others hardly need such memory. */
static int refuse(struct kprobe *p, struct pt_regs *regs)
{
	if (!(current->flags & PF_WQ_WORKER))
		return 0;
	atomic_inc(&attempts);
	instruction_pointer_set(regs, (unsigned long)lkp_no_memory);
	return 1;
}

/* Or the probe might become a jump, from which no handler leaves on some architectures. */
static void keeps_the_trap(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe allocator;

static bool begin_shortage(struct ktap *t)
{
	static const char * const names[] = {
		"__vmalloc_node_range", "__vmalloc_node_range_noprof"
	};
	unsigned int i;
	int err = -ENOENT;

	for (i = 0; i < ARRAY_SIZE(names) && err; i++) {
		allocator = (struct kprobe){ .symbol_name = names[i], .pre_handler = refuse,
					     .post_handler = keeps_the_trap };
		err = register_kprobe(&allocator);
	}
	return EXPECT_EQ(t, err, 0);
}

static void case_memory_is_asked_for_in_growing_intervals(struct ktap *t)
{
	unsigned long until;

	atomic_set(&attempts, 0);
	if (!begin_shortage(t))
		return;
	if (!register_row(t)) {
		unregister_kprobe(&allocator);
		free_row();
		return;
	}
	msleep(SECONDS * 1000);
	/* A machine that stands still meanwhile needs longer. */
	for (until = jiffies + PATIENCE; atomic_read(&attempts) < 2 && time_before(jiffies, until);)
		msleep(100);
	seq_printf(t->m, "# %d attempts, %u of %u are jumps\n", atomic_read(&attempts), jumps(),
		   PROBES);
	EXPECT(t, atomic_read(&attempts) > 1);
	EXPECT(t, atomic_read(&attempts) <= MOST_ATTEMPTS);
	EXPECT(t, jumps() < PROBES);
	unregister_kprobe(&allocator);
	EXPECT(t, all_become_jumps());
	unregister_kprobes(list, PROBES);
	free_row();
}

static const struct ktap_case cases[] = {
	CASE(memory_is_asked_for_in_growing_intervals),
};
KTAP_MODULE(cases);
