/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a function in an interrupt or in a softirq, and waits for it.
 *
 * A call on another CPU would do for neither: an idle one may run it without an interrupt.
 */
#ifndef LKP_TEST_CONTEXTS_H
#define LKP_TEST_CONTEXTS_H

#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/preempt.h>

#include "timers.h"

/*
 * What preempt_count() has in a softirq.  With PREEMPT_RT it is a thread's; then there is what a
 * handler has everywhere.
 */
#define SOFTIRQ_CONTEXT	(IS_ENABLED(CONFIG_PREEMPT_RT) ? ~0UL : (unsigned long)SOFTIRQ_MASK)

struct one_shot {
	union {
		struct hrtimer hrtimer;
		struct timer_list timer;
	};
	void (*fn)(void);
	struct completion ran;
};

static inline enum hrtimer_restart one_shot_in_interrupt(struct hrtimer *timer)
{
	struct one_shot *shot = container_of(timer, struct one_shot, hrtimer);

	shot->fn();
	complete(&shot->ran);
	return HRTIMER_NORESTART;
}

static inline void one_shot_in_softirq(struct timer_list *timer)
{
	struct one_shot *shot = container_of(timer, struct one_shot, timer);

	shot->fn();
	complete(&shot->ran);
}

static inline void run_in_interrupt(void (*fn)(void))
{
	struct one_shot shot = {
		.fn = fn, .ran = COMPLETION_INITIALIZER_ONSTACK(shot.ran)
	};

	hrtimer_setup_on_stack(&shot.hrtimer, one_shot_in_interrupt, CLOCK_MONOTONIC,
			       HRTIMER_MODE_REL_HARD);
	hrtimer_start(&shot.hrtimer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	wait_for_completion(&shot.ran);
	hrtimer_cancel(&shot.hrtimer);
	destroy_hrtimer_on_stack(&shot.hrtimer);
}

static inline void run_in_softirq(void (*fn)(void))
{
	struct one_shot shot = {
		.fn = fn, .ran = COMPLETION_INITIALIZER_ONSTACK(shot.ran)
	};

	timer_setup_on_stack(&shot.timer, one_shot_in_softirq, 0);
	mod_timer(&shot.timer, jiffies + 1);
	wait_for_completion(&shot.ran);
	timer_delete_sync(&shot.timer);
	timer_destroy_on_stack(&shot.timer);
}

#endif /* LKP_TEST_CONTEXTS_H */
