// SPDX-License-Identifier: GPL-2.0-only
/*
 * One kprobe, controlled by a script through the module's parameters.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>

static char symbol[KSYM_NAME_LEN];
module_param_string(symbol, symbol, sizeof(symbol), 0400);

static unsigned int offset;
module_param(offset, uint, 0400);

static bool post;
module_param(post, bool, 0400);
MODULE_PARM_DESC(post, "with a post_handler");

static bool fault;
module_param(fault, bool, 0400);
MODULE_PARM_DESC(fault, "with a fault_handler");

static bool off;
module_param(off, bool, 0400);
MODULE_PARM_DESC(off, "disabled from the beginning");

static bool lazy;
module_param(lazy, bool, 0400);
MODULE_PARM_DESC(lazy, "wait with the registration");

static bool forget;
module_param(forget, bool, 0600);
MODULE_PARM_DESC(forget, "leave it registered on exit");

static int when;
module_param(when, int, 0400);
MODULE_PARM_DESC(when, "module state at which test_target is probed: 1 coming, 2 going");

static long hits, posts;
module_param(hits, long, 0400);
module_param(posts, long, 0400);

static int error = -1;	/* no registration yet */
module_param(error, int, 0400);
MODULE_PARM_DESC(error, "what the last registration said");

static int handler_pre(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void handler_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

static int handler_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static struct kprobe kp;

static int plant(void)
{
	kp = (struct kprobe){ .symbol_name = symbol, .offset = offset, .pre_handler = handler_pre };
	if (post)
		kp.post_handler = handler_post;
	if (fault)
		kp.fault_handler = handler_fault;
	if (off)
		kp.flags = KPROBE_FLAG_DISABLED;
	error = register_kprobe(&kp);
	return error;
}

static int set_planted(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (err)
		return err;
	if (want)
		return plant();
	unregister_kprobe(&kp);
	return 0;
}

static const struct kernel_param_ops planted_ops = { .set = set_planted };
module_param_cb(planted, &planted_ops, NULL, 0200);
MODULE_PARM_DESC(planted, "register and unregister it");

static int set_disabled(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (err)
		return err;
	return want ? disable_kprobe(&kp) : enable_kprobe(&kp);
}

static const struct kernel_param_ops disabled_ops = { .set = set_disabled };
module_param_cb(disabled, &disabled_ops, NULL, 0200);

static int settle(const char *val, const struct kernel_param *param)
{
	wait_for_kprobe_optimizer();
	return 0;
}

static const struct kernel_param_ops settle_ops = { .set = settle };
module_param_cb(settle, &settle_ops, NULL, 0200);
MODULE_PARM_DESC(settle, "written: wait until the text stays as it is");

static int get_flags(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s%s%s\n", kprobe_gone(&kp) ? "gone " : "",
			  kprobe_disabled(&kp) ? "disabled " : "",
			  kprobe_ftrace(&kp) ? "ftrace " : "");
}

static const struct kernel_param_ops flags_ops = { .get = get_flags };
module_param_cb(flags, &flags_ops, NULL, 0400);

static int get_missed(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lu\n", kp.nmissed);
}

static const struct kernel_param_ops missed_ops = { .get = get_missed };
module_param_cb(missed, &missed_ops, NULL, 0400);

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	/* Once: insmod tries again when a module does not load. */
	if (error == -1 && state == when && !strcmp(mod->name, "test_target"))
		plant();
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = on_module,
};

static int __init probe_init(void)
{
	int err = register_module_notifier(&notifier);

	if (err || lazy || when)
		return err;
	err = plant();
	if (err)
		unregister_module_notifier(&notifier);
	return err;
}
module_init(probe_init);

static void __exit probe_exit(void)
{
	unregister_module_notifier(&notifier);
	if (!forget)
		unregister_kprobe(&kp);
}
module_exit(probe_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
