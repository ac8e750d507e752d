// SPDX-License-Identifier: GPL-2.0-only
/*
 * A live patch that changes the text of /proc/version, or makes a function of a module
 * return 0.
 */
#include <linux/kernel.h>
#include <linux/module.h>

#ifdef CONFIG_LIVEPATCH
#include <linux/livepatch.h>
#include <linux/seq_file.h>

static int patched_version(struct seq_file *m, void *unused)
{
	seq_puts(m, "patched\n");
	return 0;
}

static char *function = "version_proc_show", *object;
module_param(function, charp, 0400);
MODULE_PARM_DESC(function, "the function to replace");
module_param(object, charp, 0400);
MODULE_PARM_DESC(object, "the module that it is in");

static long return_0(void)
{
	return 0;
}

static struct klp_func functions[] = {
	{ .old_name = "version_proc_show", .new_func = patched_version },
	{ }
};

static struct klp_object objects[] = {
	{ .funcs = functions },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init livepatch_init(void)
{
	functions[0].old_name = function;
	if (object)
		functions[0].new_func = return_0;
	objects[0].name = object;
	return klp_enable_patch(&patch);
}

MODULE_INFO(livepatch, "Y");

#else

static int __init livepatch_init(void)
{
	return -EOPNOTSUPP;
}

#endif

static void __exit livepatch_exit(void)
{
}

module_init(livepatch_init);
module_exit(livepatch_exit);
MODULE_DESCRIPTION("A live patch to be probed beside");
MODULE_LICENSE("GPL");
