// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who calls a function with NULL?  Counts such calls, and prints the first ones.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/fprobe.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#define PRINTED	8

static char func[KSYM_NAME_LEN] = "kfree";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function that is watched");

static unsigned int arg;
module_param(arg, uint, 0400);
MODULE_PARM_DESC(arg, "which of its arguments, from 0");

static atomic_long_t found;

/* A handler must not print, as the function may be called with any lock held. */
static struct call {
	struct irq_work print;
	unsigned long caller;
	pid_t pid;
	char comm[TASK_COMM_LEN];
} first[PRINTED];

static void print_call(struct irq_work *work)
{
	const struct call *call = container_of(work, struct call, print);

	pr_info("%s(NULL) from %pB, in %.*s-%d\n", func, (void *)call->caller, TASK_COMM_LEN,
		call->comm, call->pid);
}

/* A CPU that goes, or falls asleep with the machine, would forget an irq_work. */
static bool can_print(void)
{
	return cpu_active(raw_smp_processor_id()) && system_state != SYSTEM_SUSPEND;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	struct call *call;
	long nr;

	if (regs_get_kernel_argument(regs, arg))
		return 0;
	nr = atomic_long_fetch_inc(&found);
	if (nr >= PRINTED)
		return 0;
	call = &first[nr];
	call->caller = ret_ip;
	call->pid = task_tgid_nr(current);
	memcpy(call->comm, current->comm, TASK_COMM_LEN);
	if (can_print())
		irq_work_queue(&call->print);
	return 0;
}

static struct fprobe fp = { .entry_handler = on_entry };

/* Once the handlers have ended: their irq_works must not outlive this module. */
static void end_prints(void)
{
	unsigned int i;

	for (i = 0; i < PRINTED; i++)
		irq_work_sync(&first[i].print);
}

static int __init find_null_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < PRINTED; i++)
		init_irq_work(&first[i].print, print_call);
	err = register_fprobe(&fp, func, NULL);
	if (err) {
		end_prints();
		pr_err("%s: error %d\n", func, err);
	}
	return err;
}

static void __exit find_null_exit(void)
{
	unregister_fprobe(&fp);
	end_prints();
	pr_info("%ld calls of %s with NULL, %lu missed\n", atomic_long_read(&found), func,
		fp.nmissed);
}

module_init(find_null_init);
module_exit(find_null_exit);
MODULE_DESCRIPTION("Finds who calls a function with NULL");
MODULE_LICENSE("GPL");
