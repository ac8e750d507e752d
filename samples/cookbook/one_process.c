// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much does one process read and write?  The parameter pid= says which, and can be
 * changed at any time.  The parameter moved shows the sums.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static int pid;
module_param(pid, int, 0600);
MODULE_PARM_DESC(pid, "the process; 0: none");

/* All threads of the process have its number as their tgid; those of others are not followed. */
static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return task_tgid_nr(current) != READ_ONCE(pid);
}
NOKPROBE_SYMBOL(on_entry);

static atomic_long_t bytes_read, bytes_written;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs);

static struct kretprobe reads = {
	.kp.symbol_name = "vfs_read",
	.entry_handler = on_entry,
	.handler = on_return,
	.maxactive = 256,
};

static struct kretprobe writes = {
	.kp.symbol_name = "vfs_write",
	.entry_handler = on_entry,
	.handler = on_return,
	.maxactive = 256,
};

/* Both return the number of bytes, or an error. */
static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	long bytes = regs_return_value(regs);

	if (bytes > 0)
		atomic_long_add(bytes, get_kretprobe(ri) == &reads ? &bytes_read : &bytes_written);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

static int get_moved(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%ld bytes read, %ld written, %d calls missed\n",
			  atomic_long_read(&bytes_read), atomic_long_read(&bytes_written),
			  reads.nmissed + writes.nmissed);
}

static const struct kernel_param_ops moved_ops = { .get = get_moved };
module_param_cb(moved, &moved_ops, NULL, 0400);
MODULE_PARM_DESC(moved, "what it has read and written (read only)");

static struct kretprobe *rps[] = { &reads, &writes };

static int __init one_process_init(void)
{
	/* Both or none; the log says which was refused, and why. */
	return register_kretprobes(rps, ARRAY_SIZE(rps));
}

static void __exit one_process_exit(void)
{
	unregister_kretprobes(rps, ARRAY_SIZE(rps));
}

module_init(one_process_init);
module_exit(one_process_exit);
MODULE_DESCRIPTION("Counts what one process reads and writes");
MODULE_LICENSE("GPL");
