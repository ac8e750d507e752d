// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long is a CPU interrupted?  A timer interrupts the CPU on which the module was loaded every
 * 50 microseconds; the parameter "longest" is the longest time between two such interrupts,
 * which is how long they were kept off, be it that all CPUs were stopped.  Writing to it
 * begins anew.
 *
 * In a VM with --icount a nanosecond of the guest's clock is one of its instructions.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "timers.h"

#define PERIOD	(50 * NSEC_PER_USEC)

static struct hrtimer ticker;
static u64 last, longest;

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	u64 now = ktime_get_mono_fast_ns();

	if (now - last > READ_ONCE(longest))
		WRITE_ONCE(longest, now - last);
	last = now;
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD));
	return HRTIMER_RESTART;
}

static int get_longest(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(longest));
}

static int reset_longest(const char *val, const struct kernel_param *param)
{
	WRITE_ONCE(longest, 0);
	return 0;
}

static const struct kernel_param_ops longest_ops = { .get = get_longest, .set = reset_longest };
module_param_cb(longest, &longest_ops, NULL, 0600);

static int __init interrupted_init(void)
{
	hrtimer_setup(&ticker, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	last = ktime_get_mono_fast_ns();
	hrtimer_start(&ticker, ns_to_ktime(PERIOD), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}
module_init(interrupted_init);

static void __exit interrupted_exit(void)
{
	hrtimer_cancel(&ticker);
}
module_exit(interrupted_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
