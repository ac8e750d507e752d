// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kprobe on the function that the parameter symbol= names: prints the first
 * hits and counts all of them.  The parameter disabled= turns it off and on.
 * post=0 leaves the post_handler out: a probe that has one never becomes a jump.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#define PRINTED_HITS	3

static char symbol[KSYM_NAME_LEN] = "vfs_read";
module_param_string(symbol, symbol, sizeof(symbol), 0400);
MODULE_PARM_DESC(symbol, "function to probe, also as module:function");

static unsigned int offset;
module_param(offset, uint, 0400);
MODULE_PARM_DESC(offset, "bytes from its beginning");

static bool post = true;
module_param(post, bool, 0400);
MODULE_PARM_DESC(post, "with a post_handler, too");

static atomic_long_t hits = ATOMIC_LONG_INIT(0);
static bool disabled;

static int handler_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (atomic_long_inc_return(&hits) <= PRINTED_HITS)
		pr_info("pre_handler: %s at %pS, ip = %lx\n", p->symbol_name, p->addr,
			instruction_pointer(regs));
	return 0;
}

static void handler_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	if (atomic_long_read(&hits) <= PRINTED_HITS)
		pr_info("post_handler: %s at %pS, ip = %lx\n", p->symbol_name, p->addr,
			instruction_pointer(regs));
}

static struct kprobe kp = {
	.symbol_name = symbol,
	.pre_handler = handler_pre,
};

static int get_hits(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(&hits));
}

static const struct kernel_param_ops hits_ops = { .get = get_hits };
module_param_cb(hits, &hits_ops, NULL, 0400);
MODULE_PARM_DESC(hits, "number of hits (read only)");

static int set_disabled(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (!err && kp.addr)
		err = want ? disable_kprobe(&kp) : enable_kprobe(&kp);
	if (!err)
		disabled = want;
	return err;
}

static const struct kernel_param_ops disabled_ops = {
	.set = set_disabled,
	.get = param_get_bool,
};
module_param_cb(disabled, &disabled_ops, &disabled, 0600);
MODULE_PARM_DESC(disabled, "turn the probe off and on");

static int __init kprobe_example_init(void)
{
	int err;

	kp.offset = offset;
	kp.post_handler = post ? handler_post : NULL;
	err = register_kprobe(&kp);
	if (err) {
		pr_err("register_kprobe: %s (error %d)\n", kprobe_refusal(&kp), err);
		return err;
	}
	pr_info("planted kprobe at %pS\n", kp.addr);
	return 0;
}

static void __exit kprobe_example_exit(void)
{
	unregister_kprobe(&kp);
	pr_info("kprobe at %pS unregistered after %ld hits, %lu missed\n", kp.addr,
		atomic_long_read(&hits), kp.nmissed);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);
MODULE_DESCRIPTION("Example of a kprobe");
MODULE_LICENSE("GPL");
