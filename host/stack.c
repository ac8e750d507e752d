// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data about a stack that is kept outside of it: KASAN's shadow.
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
