// SPDX-License-Identifier: GPL-2.0-only
/*
 * A notifier that lets no test_target be loaded, after all others have heard of it.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

static int refuse(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *mod = data;

	if (event != MODULE_STATE_COMING || strcmp(mod->name, "test_target"))
		return NOTIFY_DONE;
	return notifier_from_errno(-ENOMEM);
}

static struct notifier_block notifier = {
	.notifier_call = refuse,
	.priority = -1,
};

static int __init test_refuser_init(void)
{
	return register_module_notifier(&notifier);
}
module_init(test_refuser_init);

static void __exit test_refuser_exit(void)
{
	unregister_module_notifier(&notifier);
}
module_exit(test_refuser_exit);

MODULE_DESCRIPTION("Test: a module that may not be loaded");
MODULE_LICENSE("GPL");
