// SPDX-License-Identifier: GPL-2.0-only
/*
 * A notifier of the highest priority in the chain that is called for each trap.
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>

int lkp_notified(struct notifier_block *nb, unsigned long event, void *data);

notrace noinline int lkp_notified(struct notifier_block *nb, unsigned long event, void *data)
{
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = lkp_notified,
	.priority = INT_MAX,
};

static int __init test_notifier_init(void)
{
	return register_die_notifier(&notifier);
}
module_init(test_notifier_init);

static void __exit test_notifier_exit(void)
{
	unregister_die_notifier(&notifier);
}
module_exit(test_notifier_exit);

MODULE_DESCRIPTION("Test: a notifier for traps");
MODULE_LICENSE("GPL");
