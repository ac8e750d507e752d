/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What return_hook.c, return_retire.c and return_retract.c share: hooks, and the state of instances.
 */
#ifndef LKP_RETURN_PRIVATE_H
#define LKP_RETURN_PRIVATE_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "return_hook.h"

extern struct list_head return_hooks_list;
extern struct mutex return_hooks_mutex;	/* guards the list, and which stubs are used */

struct return_call *return_call_at(unsigned long addr);
void return_hook_forget(struct return_hook *hook);
void return_hook_free(struct return_hook *hook);
void return_retire_exit(void);
bool return_calls_retract(const struct list_head *hooks);
bool return_calls_mark_dead(const struct list_head *hooks);
bool return_calls_mark_left(const struct list_head *hooks, bool *left);
bool return_calls_of_idle(struct return_hook *hook);

/* Who asks need not be the task that called, nor on its CPU. */
static inline unsigned long return_call_frame(const struct return_call *ri)
{
	/*
	 * Pairs with the release in return_call_arm(): what is read of the instance behind this is of
	 * that call, or of a later one.
	 */
	return smp_load_acquire(&ri->frame) & ~RETURN_SUSPECT;
}

static inline bool return_call_is_pending(const struct return_call *ri)
{
	/* As above. */
	return smp_load_acquire(&ri->frame);
}

/*
 * Is all that has been read of the instance, since it had this frame, of the same call?  Before
 * any of it is written for the next call the frame is reset: by return_call_put(), or by cmpxchg().
 * Between the two the instance goes through a pool, which orders them: by a release and an xchg(),
 * or by a lock.
 */
static inline bool return_call_is_still(const struct return_call *ri, unsigned long frame)
{
	/* Orders what has been read before the frame. */
	smp_rmb();
	return return_call_frame(ri) == frame;
}

static inline struct return_call *return_hook_nth(struct return_hook *hook, unsigned int i)
{
	return hook->instances + i * hook->size;
}

#endif /* LKP_RETURN_PRIVATE_H */
