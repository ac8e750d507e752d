/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A batch of points that are armed or disarmed together: linked by their todo, under kprobe_mutex.
 */
#ifndef LKP_CORE_TODO_H
#define LKP_CORE_TODO_H

#include <linux/list.h>

#include "core.h"

static inline void todo_add(struct list_head *todo, struct probe_point *pt)
{
	if (list_empty(&pt->todo))
		list_add_tail(&pt->todo, todo);
}

/* Ends a batch: its points are in no batch any more, and may become jumps. */
static inline void todo_clear(struct list_head *todo)
{
	struct probe_point *pt, *next;

	list_for_each_entry_safe(pt, next, todo, todo) {
		list_del_init(&pt->todo);
		if (point_is_armed(pt))
			optimize_consider(pt);
		else
			optimize_consider_around(pt);
	}
}

#endif /* LKP_CORE_TODO_H */
