// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which part of a stack is in use, and data about it that is kept outside of it: KASAN's shadow.
 */
#include <linux/kasan.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <linux/types.h>

#include "arch_host.h"
#include "host.h"

/**
 * host_used_stack() - the part of a task's stack that is in use
 * @task: held, or idle; not dead
 * @end: set to behind the last word
 *
 * A task may have been switched out on a stack that is not its own: calls of EFI's runtime services
 * have one on arm64, from 6.19 on, where they can be preempted.  What it has saved then does not
 * tell how much of its own stack is in use, and may not be compared with it, nor be read.
 *
 * Context: any. Of a task that runs the answer is out of date.
 * Return: the first word; @end if it is not known.
 */
unsigned long *host_used_stack(struct task_struct *task, unsigned long **end)
{
	unsigned long *stack = task_stack_page(task);
	unsigned long *word = (unsigned long *)arch_task_stack_pointer(task);

	*end = (void *)stack + THREAD_SIZE;
	return word >= stack && word < *end && IS_ALIGNED((unsigned long)word, sizeof(*word)) ?
	       word : *end;
}

#ifdef HOST_GUARDS_FRAMES

#define GRANULE		(1ul << KASAN_SHADOW_SCALE_SHIFT)

/**
 * host_frames_abandoned() - clear KASAN's marks of frames that will never return
 * @from: lowest address of their frames
 * @to: behind the highest
 *
 * KASAN poisons the gaps between the variables of a frame until the function
 * returns. Marks that are left would make later uses of that stack fail.
 *
 * Context: any.
 */
void host_frames_abandoned(unsigned long from, unsigned long to)
{
	from = ALIGN(from, GRANULE);
	to = ALIGN_DOWN(to, GRANULE);
	if (from < to && to - from < THREAD_SIZE)
		__asan_set_shadow_00(kasan_mem_to_shadow((void *)from),
				     (to - from) >> KASAN_SHADOW_SCALE_SHIFT);
}

#endif
