// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function whose arguments and memory are known, for events to look at.
 *
 * "call" is written with what the last argument, a string of the task's, is to be.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/uaccess.h>

struct events_thing {
	u8 byte;			/* at 0 */
	s8 small;			/* at 1 */
	u16 word;			/* at 2 */
	u32 bits;			/* at 4 */
	s64 negative;			/* at 8 */
	u16 numbers[4];			/* at 16 */
	const char *name;		/* at 24 */
	const char *names[2];		/* at 32 */
	void *function;			/* at 48 */
	char text[8];			/* at 56 */
	struct events_thing *self;	/* at 64 */
};

noinline long lkp_events_target(struct events_thing *thing, long n, char c, const char __user *s);
noinline long lkp_events_target(struct events_thing *thing, long n, char c, const char __user *s)
{
	barrier_data(thing);
	/* Compilers do not pass what is not used. */
	OPTIMIZER_HIDE_VAR(c);
	OPTIMIZER_HIDE_VAR(s);
	return n + 1;
}

/*
 * A symbol that is found by its name, but is not where the kernel has a function begin: to kallsyms a name
 * like that says what the bytes are.
 */
#define INSIDE	"\"$x.lkp_events_inside\""

noinline __noclone long lkp_events_other(struct events_thing *thing, long n);
noinline __noclone long lkp_events_other(struct events_thing *thing, long n)
{
	long result = n + 1;

	asm volatile("nop\n" INSIDE ":\n\tnop");
	OPTIMIZER_HIDE_VAR(thing);
	OPTIMIZER_HIDE_VAR(result);
	/* Leaves nothing of our arguments where they were. */
	return full_name_hash(NULL, "text", 4) ? result : -1;
}

/* Found by its name, where the kernel knows the names of data. */
static u32 lkp_events_number __used = 0xabcdef01;

static struct events_thing thing = {
	.byte = 200, .small = -2, .word = 0xbeef, .bits = 0x12345678, .negative = -3,
	.numbers = { 1, 20, 300, 4000 }, .name = "a name", .names = { "one", "two" },
	.function = lkp_events_target, .text = "t\001xt", .self = &thing,
};

static long call_with(const char __user *user)
{
	if (lkp_events_other(&thing, 7) != 8)
		return -EIO;
	return lkp_events_target(&thing, 41, 'x', user) == 42 ? 0 : -EIO;
}

/* Two pages of the task; the second one is unmapped again. */
static unsigned long map_page(void)
{
	unsigned long at = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (!IS_ERR_VALUE(at))
		vm_munmap(at + PAGE_SIZE, PAGE_SIZE);
	return at;
}

static int call_with_page(bool ends)
{
	unsigned long at = map_page();
	char __user *page = (char __user *)at;
	unsigned long i;
	int err = 0;

	if (IS_ERR_VALUE(at))
		return at;
	for (i = 0; i < PAGE_SIZE; i++)
		err |= put_user('u', page + i);
	if (ends)
		err |= copy_to_user(page + PAGE_SIZE - 6, "in us", 6);
	err = err ? -EFAULT : call_with(page + PAGE_SIZE - 6);
	vm_munmap(at, PAGE_SIZE);
	return err;
}

/* Never touched, so it has no page yet. */
static int call_with_no_page(void)
{
	unsigned long at = map_page();
	int err;

	if (IS_ERR_VALUE(at))
		return at;
	err = call_with((char __user *)at);
	vm_munmap(at, PAGE_SIZE);
	return err;
}

static int call_from_kthread(void *done)
{
	call_with((char __user *)0x1000);
	complete(done);
	return 0;
}

static int call_in_kthread(void)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task = kthread_run(call_from_kthread, &done, "lkp_events");

	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&done);
	return 0;
}

/* A string of bytes that are no characters, each of which becomes four when it is shown. */
static long call_with_bytes(void)
{
	char *bytes = kmalloc(1200, GFP_KERNEL);
	struct events_thing other = thing;
	long err;

	if (!bytes)
		return -ENOMEM;
	memset(bytes, 1, 1199);
	bytes[1199] = '\0';
	other.name = bytes;
	err = lkp_events_target(&other, 41, 'x', NULL) == 42 ? 0 : -EIO;
	kfree(bytes);
	return err;
}

static int call(const char *val, const struct kernel_param *param)
{
	if (sysfs_streq(val, "string"))
		return call_with_page(true);
	if (sysfs_streq(val, "unended"))
		return call_with_page(false);
	if (sysfs_streq(val, "unmapped"))
		return call_with((char __user *)0x1000);
	if (sysfs_streq(val, "absent"))
		return call_with_no_page();
	if (sysfs_streq(val, "kernel"))
		return call_with((__force char __user *)thing.name);
	if (sysfs_streq(val, "kthread"))
		return call_in_kthread();
	if (sysfs_streq(val, "bytes"))
		return call_with_bytes();
	return -EINVAL;
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "written: string, unended, unmapped, absent, kernel, kthread, bytes");

/* ---- many calls ---- */

static int flood(const char *val, const struct kernel_param *param)
{
	unsigned int nr, i;
	int err = kstrtouint(val, 0, &nr);

	for (i = 0; !err && i < nr; i++) {
		err = call_with((char __user *)0x1000);
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops flood_ops = { .set = flood };
module_param_cb(flood, &flood_ops, NULL, 0200);
MODULE_PARM_DESC(flood, "written: how often the function is called");

/* ---- calls all the time ---- */

#define MAX_CALLERS	8

static struct task_struct *callers[MAX_CALLERS];

static int call_all_the_time(void *unused)
{
	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 50; i++)
			WARN_ON_ONCE(call_with((char __user *)0x1000));
		/* What patches text waits until each task has slept; who patches it needs a CPU. */
		usleep_range(1000, 2000);
	}
	return 0;
}

static void stop_callers(void)
{
	int i;

	for (i = 0; i < MAX_CALLERS; i++) {
		if (!IS_ERR_OR_NULL(callers[i]))
			kthread_stop(callers[i]);
		callers[i] = NULL;
	}
}

static int storm(const char *val, const struct kernel_param *param)
{
	int nr, i, err = kstrtoint(val, 0, &nr);

	if (err || nr < 0 || nr > MAX_CALLERS)
		return err ?: -EINVAL;
	stop_callers();
	for (i = 0; i < nr; i++)
		callers[i] = kthread_run(call_all_the_time, NULL, "lkp_events/%d", i);
	return 0;
}

static const struct kernel_param_ops storm_ops = { .set = storm };
module_param_cb(storm, &storm_ops, NULL, 0200);
MODULE_PARM_DESC(storm, "written: how many threads call the function all the time");

static int __init test_events_init(void)
{
	return 0;
}
module_init(test_events_init);

static void __exit test_events_exit(void)
{
	stop_callers();
}
module_exit(test_events_exit);

MODULE_DESCRIPTION("Target of the tests of kprobes_events");
MODULE_LICENSE("GPL");
