// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does a program do when a function of the kernel fails?  Replaces the value that each
 * N-th call by the programs of one name returns.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

static char func[KSYM_NAME_LEN] = "vfs_fsync_range";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function that is to fail; it returns 0 or an error");

static char comm[TASK_COMM_LEN];
module_param_string(comm, comm, sizeof(comm), 0400);
MODULE_PARM_DESC(comm, "name of the programs for which it fails");

static int error = -EIO;
module_param(error, int, 0400);
MODULE_PARM_DESC(error, "what it returns to them");

static unsigned int every = 1;
module_param(every, uint, 0400);
MODULE_PARM_DESC(every, "fail in each N-th of their calls");

static atomic_long_t calls, injected;

/* Calls by others are not followed: they cost no more than this. */
static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return strncmp(current->comm, comm, TASK_COMM_LEN) ? 1 : 0;
}
NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (atomic_long_inc_return(&calls) % every)
		return 0;
	regs_set_return_value(regs, error);
	atomic_long_inc(&injected);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

static struct kretprobe rp = {
	.kp.symbol_name = func,
	.entry_handler = on_entry,
	.handler = on_return,
	.maxactive = 256,
};

static int __init inject_error_init(void)
{
	int err;

	if (!*comm || !every) {
		pr_err("say comm= and no every=0\n");
		return -EINVAL;
	}
	err = register_kretprobe(&rp);
	if (err)
		pr_err("%s: %s (error %d)\n", func, kprobe_refusal(&rp.kp), err);
	return err;
}

static void __exit inject_error_exit(void)
{
	unregister_kretprobe(&rp);
	pr_info("%s failed in %ld of %ld calls by %s\n", func, atomic_long_read(&injected),
		atomic_long_read(&calls), comm);
}

module_init(inject_error_init);
module_exit(inject_error_exit);
MODULE_DESCRIPTION("Makes a function fail for one program");
MODULE_LICENSE("GPL");
