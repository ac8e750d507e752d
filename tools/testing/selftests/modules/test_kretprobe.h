/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of kretprobes share: functions to probe, and handlers that take notes.
 * Each module has its own copy of both.
 */
#ifndef LKP_TEST_KRETPROBE_H
#define LKP_TEST_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/sched.h>

#include "ktap.h"
#include "target.h"

/* ---- the probed functions ---- */

noinline __noclone long lkp_traced_add(long a, long b);
noinline __noclone long lkp_traced_add(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(asm_add, FIRST_ADD(asm_add));

/* Begins with an instruction that needs a slot, and that pushes. */
TARGET(asm_push, PUSH_FIRST_ADD(asm_push));

/* The sum of depth and all below it. */
noinline __noclone long lkp_recurse(long depth, long unused);
noinline __noclone long lkp_recurse(long depth, long unused)
{
	long below = depth > 1 ? lkp_recurse(depth - 1, unused) : 0;

	barrier();
	return below + depth;
}

noinline __noclone long lkp_inner(long a, long b);
noinline __noclone long lkp_inner(long a, long b)
{
	barrier();
	return a - b;
}

noinline __noclone long lkp_outer(long a, long b);
noinline __noclone long lkp_outer(long a, long b)
{
	long sum = lkp_inner(a, b);

	barrier();
	return sum + 2 * b;
}

/* One at a call site of the tracer, where there is one, and two by trap. */
static long (*const traced)(long a, long b) = lkp_traced_add;
static long (*const *const functions[])(long a, long b) __maybe_unused = {
	&traced, &asm_add.fn, &asm_push.fn,
};

#define for_each_function(f)							\
	for ((f) = functions; (f) < functions + ARRAY_SIZE(functions); (f)++)

/* ---- a handler that takes notes ---- */

struct note {
	struct kretprobe *rp;
	struct task_struct *task;
	unsigned long ret_addr;
	/* The same, as clients spell it that were written for a kernel with or without rethook. */
	unsigned long of_node, as_pointer;
	unsigned long ip;
	struct kprobe *running;
	struct pt_regs regs;
	long data;
};

#define MAX_NOTES	64

static struct note notes[MAX_NOTES];
static int nr_notes, entries;

static inline int take_note(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct note *note = &notes[nr_notes++ % MAX_NOTES];

	note->rp = get_kretprobe(ri);
	note->task = ri->task;
	note->ret_addr = get_kretprobe_retaddr(ri);
	note->of_node = ri->node.ret_addr;
	note->as_pointer = (unsigned long)ri->ret_addr;
	note->ip = instruction_pointer(regs);
	note->running = kprobe_running();
	note->regs = *regs;
	if (note->rp->data_size >= sizeof(long))
		note->data = *(long *)ri->data;
	return 0;
}

static inline struct kretprobe probe_on(void *fn)
{
	return (struct kretprobe){ .kp.addr = fn, .handler = take_note };
}

static inline bool plant(struct ktap *t, struct kretprobe *rp)
{
	nr_notes = 0;
	entries = 0;
	return EXPECT_EQ(t, register_kretprobe(rp), 0);
}

#endif /* LKP_TEST_KRETPROBE_H */
