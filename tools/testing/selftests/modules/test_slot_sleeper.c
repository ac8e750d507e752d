// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that sleeps in a page fault of an instruction that others probe: then it sleeps in the
 * instruction's slot.  The page comes when the script says so.  And one that sleeps elsewhere,
 * after such a fault, and has what that wrote to the stack in a part of it that it does not use.
 */
#include <linux/anon_inodes.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "target.h"

#define ANSWER	0x1122334455667788l

TARGET(lkp_slot_load, LOAD_USER(lkp_slot_load));

static DECLARE_WAIT_QUEUE_HEAD(bed);
static bool wake, rise, spin;
static int inside, right, wrong, failed, leftovers;
static unsigned int at;

module_param(inside, int, 0400);
MODULE_PARM_DESC(inside, "how many tasks have begun to sleep");
module_param(right, int, 0400);
module_param(wrong, int, 0400);
MODULE_PARM_DESC(wrong, "loads with another result than that which is in the page");
module_param(failed, int, 0400);
MODULE_PARM_DESC(failed, "loads that say -EFAULT");
module_param(leftovers, int, 0400);
MODULE_PARM_DESC(leftovers, "words that the last sleeper elsewhere has, which are addresses in kprobes.ko");
module_param(at, uint, 0400);
MODULE_PARM_DESC(at, "offset of the load in lkp_slot_load_fn");

static vm_fault_t bed_fault(struct vm_fault *vmf)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);

	if (!page)
		return VM_FAULT_OOM;
	*(long *)page_address(page) = ANSWER;
	if (!READ_ONCE(wake))
		WRITE_ONCE(inside, inside + 1);
	if (wait_event_killable(bed, READ_ONCE(wake))) {
		__free_page(page);
		return VM_FAULT_SIGBUS;
	}
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct bed_ops = { .fault = bed_fault };

static int bed_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &bed_ops;
	return 0;
}

static const struct file_operations bed_fops = { .owner = THIS_MODULE, .mmap = bed_mmap };

static unsigned long map_bed(void)
{
	struct file *file = anon_inode_getfile("lkp_bed", &bed_fops, NULL, O_RDONLY);
	unsigned long addr;

	if (IS_ERR(file))
		return PTR_ERR(file);
	addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE, 0);
	fput(file);
	return addr;
}

static void count(long loaded)
{
	if (loaded == ANSWER)
		right++;
	else if (loaded == -EFAULT)
		failed++;
	else
		wrong++;
}

/* Reading the file sleeps in the load. */
static ssize_t doze_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	unsigned long addr = map_bed();

	if (IS_ERR_VALUE(addr))
		return addr;
	count(lkp_slot_load.fn(addr, 0));
	vm_munmap(addr, PAGE_SIZE);
	return 0;
}

static const struct file_operations doze_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = doze_read,
};

static bool is_in_kprobes(unsigned long addr)
{
	static char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, addr);
	return strstr(name, "[kprobes]");
}

#if __has_attribute(__uninitialized__)
#define NOT_WRITTEN	__attribute__((__uninitialized__))
#else
#define NOT_WRITTEN
#endif

/* Ready to run all the time, and never preempted for long. */
static void spin_until_told(void)
{
	while (!READ_ONCE(rise))
		schedule();
}

/* Its frame is where that of the fault was, if nothing else came between: then it stays. */
static noinline bool lie_on_leftovers(void)
{
	unsigned long room[192] NOT_WRITTEN;
	unsigned int i;

	barrier_data(room);
	for (i = 0; i < ARRAY_SIZE(room); i++)
		leftovers += is_in_kprobes(READ_ONCE(room[i]));
	if (!leftovers)
		return false;
	WRITE_ONCE(inside, inside + 1);
	if (READ_ONCE(spin))
		spin_until_told();
	else
		wait_event_idle(bed, READ_ONCE(rise));
	return true;
}

/* The fault's frame is deep enough that the next function's own words do not overwrite it. */
static noinline long load_deeply(unsigned long addr)
{
	unsigned long deep[32];
	long loaded;

	memset(deep, 0, sizeof(deep));
	barrier_data(deep);
	loaded = lkp_slot_load.fn(addr, 0);
	barrier_data(deep);
	return loaded;
}

#define MAX_TRIES	50

/* Reading the file sleeps after a load. */
static ssize_t lie_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	unsigned int tries;
	bool lay = false;

	leftovers = 0;
	for (tries = 0; tries < MAX_TRIES && !lay; tries++) {
		unsigned long addr = map_bed();
		long loaded;

		if (IS_ERR_VALUE(addr))
			return addr;
		loaded = load_deeply(addr);
		lay = lie_on_leftovers();
		if (lay)
			count(loaded);
		vm_munmap(addr, PAGE_SIZE);
	}
	return 0;
}

static const struct file_operations lie_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = lie_read,
};

static int set_flag(const char *val, const struct kernel_param *param)
{
	int err = kstrtobool(val, param->arg);

	wake_up_all(&bed);
	return err;
}

static const struct kernel_param_ops flag_ops = { .set = set_flag };
module_param_cb(wake, &flag_ops, &wake, 0200);
MODULE_PARM_DESC(wake, "1: the page comes, 0: the next one does not");
module_param_cb(rise, &flag_ops, &rise, 0200);
MODULE_PARM_DESC(rise, "1: who sleeps elsewhere wakes up");
module_param(spin, bool, 0600);
MODULE_PARM_DESC(spin, "1: who would sleep elsewhere is ready to run instead");

static struct dentry *doze_file, *lie_file;

static int __init sleeper_init(void)
{
	at = lkp_slot_load.at;
	doze_file = debugfs_create_file("test_slot_sleeper", 0400, NULL, NULL, &doze_fops);
	lie_file = debugfs_create_file("test_slot_leftover", 0400, NULL, NULL, &lie_fops);
	return 0;
}
module_init(sleeper_init);

static void __exit sleeper_exit(void)
{
	debugfs_remove(lie_file);
	debugfs_remove(doze_file);
}
module_exit(sleeper_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
