// SPDX-License-Identifier: GPL-2.0-only
/*
 * A jprobe on kernel_clone(): a function with the same prototype gets its
 * arguments.  Prints the first calls and counts all of them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/task.h>

#define PRINTED_CALLS	3

static atomic_long_t calls = ATOMIC_LONG_INIT(0);

/*
 * Has the prototype of kernel_clone(); the return value is ignored.  It may print, as
 * kernel_clone() is never called with a lock held, nor by what prints.
 */
static pid_t see_kernel_clone(struct kernel_clone_args *args)
{
	if (atomic_long_inc_return(&calls) <= PRINTED_CALLS)
		pr_info("kernel_clone: flags = 0x%llx, exit signal = %d, by %s\n", args->flags,
			args->exit_signal, current->comm);
	jprobe_return();
	return 0;
}

static struct jprobe jp = {
	.kp = { .symbol_name = "kernel_clone" },
	.entry = see_kernel_clone,
};

static int __init jprobe_example_init(void)
{
	int err = register_jprobe(&jp);

	if (err) {
		pr_err("register_jprobe: %s (error %d)\n", kprobe_refusal(&jp.kp), err);
		return err;
	}
	pr_info("planted jprobe at %pS\n", jp.kp.addr);
	return 0;
}

static void __exit jprobe_example_exit(void)
{
	unregister_jprobe(&jp);
	pr_info("jprobe at %pS unregistered after %ld calls, %lu missed\n", jp.kp.addr,
		atomic_long_read(&calls), jp.kp.nmissed);
}

module_init(jprobe_example_init);
module_exit(jprobe_example_exit);
MODULE_DESCRIPTION("Example of a jprobe");
MODULE_LICENSE("GPL");
