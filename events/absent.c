// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes_events.ko on a kernel without event tracing, or one whose tracing takes no events of
 * modules: who builds and installs modules finds the same ones everywhere.
 */
#define pr_fmt(fmt) "kprobes_events: " fmt

#include <linux/module.h>
#include <linux/printk.h>

static int __init events_init(void)
{
#ifdef CONFIG_EVENT_TRACING
	pr_err("this kernel does not let modules add events\n");
#else
	pr_err("this kernel was built without CONFIG_EVENT_TRACING\n");
#endif
	return -ENODEV;
}
module_init(events_init);

MODULE_DESCRIPTION("Events of tracing at probes: not on this kernel");
MODULE_LICENSE("GPL");
