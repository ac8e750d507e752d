/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's timers, under the newest of their names.
 */
#ifndef LKP_TEST_TIMERS_H
#define LKP_TEST_TIMERS_H

#include <linux/hrtimer.h>
#include <linux/timer.h>

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}

static inline void hrtimer_setup_on_stack(struct hrtimer *timer,
					  enum hrtimer_restart (*fn)(struct hrtimer *timer),
					  clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init_on_stack(timer, clock, mode);
	timer->function = fn;
}
#endif

#ifndef HAVE_TIMER_DESTROY
#define timer_delete_sync		del_timer_sync
#define timer_destroy_on_stack		destroy_timer_on_stack
#endif

#endif /* LKP_TEST_TIMERS_H */
