// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that refuses to be built without CONFIG_KPROBES. It probes a function of its
 * own: "calls" calls it, "hits" counts.
 */
#ifdef ASKS_UNDEFINES
#undef CONFIG_KPROBES
#endif
#define pr_fmt(fmt) "asks: " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/stddef.h>

#if !IS_ENABLED(CONFIG_KPROBES) && !defined(ASKS_NOT)
#error "CONFIG_KPROBES is needed"
#endif

/* For tools/testing/api/clients: the kernel's structures as this client sees them. */
static const unsigned long layout[] __used __section(".asks_layout") = {
	sizeof(struct module),
	offsetof(struct module, mkobj),
	offsetof(struct module, state),
#ifdef CONFIG_MODULE_UNLOAD
	offsetof(struct module, exit),
#endif
	sizeof(struct task_struct),
	offsetof(struct task_struct, thread),
};

static int hits;
module_param(hits, int, 0444);

static noinline int asks_target(int a)
{
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}
NOKPROBE_SYMBOL(on_hit);

static struct kprobe kp = {
	.addr = (kprobe_opcode_t *)asks_target,
	.pre_handler = on_hit,
};

static int call(const char *value, const struct kernel_param *param)
{
	return asks_target(0);
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);

static int __init asks_init(void)
{
	return register_kprobe(&kp);
}
module_init(asks_init);

static void __exit asks_exit(void)
{
	unregister_kprobe(&kp);
}
module_exit(asks_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Asks for CONFIG_KPROBES");
