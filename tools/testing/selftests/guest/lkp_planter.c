// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobes at any number of addresses, one for each that is written to the parameter "plant".
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>

static struct planted {
	struct kprobe kp;
	struct planted *next;
} *all;

static atomic_long_t hits = ATOMIC_LONG_INIT(0);
static int planted;
module_param(planted, int, 0400);

static int count(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&hits);
	return 0;
}
NOKPROBE_SYMBOL(count);

static int plant(const char *val, const struct kernel_param *param)
{
	struct planted *new = kzalloc(sizeof(*new), GFP_KERNEL);
	unsigned long addr;
	int err;

	if (!new)
		return -ENOMEM;
	err = kstrtoul(val, 0, &addr);
	new->kp.addr = (void *)addr;
	new->kp.pre_handler = count;
	err = err ?: register_kprobe(&new->kp);
	if (err) {
		kfree(new);
		return err;
	}
	new->next = all;
	all = new;
	planted++;
	return 0;
}

static const struct kernel_param_ops plant_ops = { .set = plant };
module_param_cb(plant, &plant_ops, NULL, 0200);

static int get_hits(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(&hits));
}

static const struct kernel_param_ops hits_ops = { .get = get_hits };
module_param_cb(hits, &hits_ops, NULL, 0400);

static int __init planter_init(void)
{
	return 0;
}
module_init(planter_init);

static void __exit planter_exit(void)
{
	struct planted *p, *next;

	for (p = all; p; p = next) {
		next = p->next;
		unregister_kprobe(&p->kp);
		kfree(p);
	}
}
module_exit(planter_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
