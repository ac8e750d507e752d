// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept about a stack beside it.
 */
#include <linux/align.h>
#include <linux/kasan.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/types.h>

#include "host.h"

#ifdef HOST_GUARDS_FRAMES

#define GRANULE		(1ul << KASAN_SHADOW_SCALE_SHIFT)

/**
 * host_frames_abandoned() - functions on this stack will never return
 * @from: lowest address of their frames
 * @to: behind the highest
 *
 * A compiler that guards the variables in a frame removes its guards when the
 * function returns. Who uses that stack next would run into those left.
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
