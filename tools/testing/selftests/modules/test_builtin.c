// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kprobe of the kernel's own at any address: that of kprobe_events refuses functions that are not
 * traced, such as all of ours.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/types.h>

#include "builtin_kprobe.h"

static unsigned int hits;
module_param(hits, uint, 0444);
MODULE_PARM_DESC(hits, "how often it was hit");

#ifdef CONFIG_KPROBES

static struct builtin_kprobe probe;

static int on_hit(struct builtin_kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void remove(void)
{
	if (probe.addr)
		unregister_kprobe(&probe);
	memset(&probe, 0, sizeof(probe));
}

static int place(unsigned long addr)
{
	int err;

	hits = 0;
	probe.addr = (void *)addr;
	probe.pre_handler = on_hit;
	err = register_kprobe(&probe);
	if (err)
		memset(&probe, 0, sizeof(probe));
	return err;
}

#else

static void remove(void)
{
}

static int place(unsigned long addr)
{
	return -ENODEV;
}

#endif

static int set_at(const char *val, const struct kernel_param *kp)
{
	unsigned long addr;
	int err = kstrtoul(val, 0, &addr);

	if (err)
		return err;
	remove();
	return addr ? place(addr) : 0;
}

static const struct kernel_param_ops at_ops = { .set = set_at };
module_param_cb(at, &at_ops, NULL, 0200);
MODULE_PARM_DESC(at, "its address; 0 removes it");

static int __init builtin_init(void)
{
	return 0;
}

static void __exit builtin_exit(void)
{
	remove();
}

module_init(builtin_init);
module_exit(builtin_exit);
MODULE_DESCRIPTION("A kprobe of the kernel's own, for a test");
MODULE_LICENSE("GPL");
