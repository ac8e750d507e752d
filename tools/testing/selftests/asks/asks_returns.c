// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that has a half for CONFIG_KRETPROBES, which its Kbuild or the compiler may drop
 * in silence: "returns" stays 0 then.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static int returns;
module_param(returns, int, 0444);

static noinline int asks_returning(int a)
{
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

#ifdef CONFIG_KRETPROBES
static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return 0;
}

static struct kretprobe rp = {
	.kp.addr = (kprobe_opcode_t *)asks_returning,
	.handler = on_return,
};
#endif

static int call(const char *value, const struct kernel_param *param)
{
	return asks_returning(0);
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);

static int __init asks_init(void)
{
#ifdef CONFIG_KRETPROBES
	return register_kretprobe(&rp);
#else
	return 0;
#endif
}
module_init(asks_init);

static void __exit asks_exit(void)
{
#ifdef CONFIG_KRETPROBES
	unregister_kretprobe(&rp);
#endif
}
module_exit(asks_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Has a half for CONFIG_KRETPROBES");
