// SPDX-License-Identifier: GPL-2.0-only
/*
 * One probe that redirects a function's entry, controlled by a script through the module's
 * parameters: a jprobe, or a kprobe that returns 0 for the function.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "target.h"

static char symbol[KSYM_NAME_LEN];
module_param_string(symbol, symbol, sizeof(symbol), 0400);

static unsigned int offset;
module_param(offset, uint, 0400);

static bool jprobe;
module_param(jprobe, bool, 0400);

static long hits;
module_param(hits, long, 0400);
MODULE_PARM_DESC(hits, "how often its handler or function was called");

static int return_for_it(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return_with(regs, 0);
	return 1;
}

static void see(void)
{
	hits++;
	jprobe_return();
}

static struct jprobe jp = { .kp.symbol_name = symbol, .entry = see };
static struct kprobe kp = { .symbol_name = symbol, .pre_handler = return_for_it };

static int get_missed(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lu\n", jprobe ? jp.kp.nmissed : kp.nmissed);
}

static const struct kernel_param_ops missed_ops = { .get = get_missed };
module_param_cb(missed, &missed_ops, NULL, 0400);

static int __init redirect_init(void)
{
	kp.offset = offset;
	return jprobe ? register_jprobe(&jp) : register_kprobe(&kp);
}
module_init(redirect_init);

static void __exit redirect_exit(void)
{
	if (jprobe)
		unregister_jprobe(&jp);
	else
		unregister_kprobe(&kp);
}
module_exit(redirect_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
