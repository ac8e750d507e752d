// SPDX-License-Identifier: GPL-2.0-only
/*
 * The smallest useful client: how often is vfs_read() called, and how many bytes are
 * asked for?  The third argument of vfs_read() is the number of bytes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>

static atomic_long_t calls, bytes;

static int on_call(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&calls);
	atomic_long_add(regs_get_kernel_argument(regs, 2), &bytes);
	return 0;
}

static struct kprobe kp = {
	.symbol_name = "vfs_read",
	.pre_handler = on_call,
};

static int __init first_example_init(void)
{
	int err = register_kprobe(&kp);

	if (err)
		pr_err("%s (error %d)\n", kprobe_refusal(&kp), err);
	return err;
}

static void __exit first_example_exit(void)
{
	unregister_kprobe(&kp);
	pr_info("%ld calls ask for %ld bytes\n", atomic_long_read(&calls),
		atomic_long_read(&bytes));
}

module_init(first_example_init);
module_exit(first_example_exit);
MODULE_DESCRIPTION("The first example of the manual");
MODULE_LICENSE("GPL");
