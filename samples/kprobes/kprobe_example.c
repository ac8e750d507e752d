// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kprobe on the function that the parameter symbol= names: prints the first
 * hits and counts all of them.  The parameter disabled= turns it off and on.
 * post=0 leaves the post_handler out: on some architectures a probe that has one never
 * becomes a jump.
 *
 * The function may be any that can be probed, so its handlers do not print: an
 * irq_work does that for them, when no lock of the probed code is in the way.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/smp.h>

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
static atomic_long_t posts = ATOMIC_LONG_INIT(0);
static bool disabled;

/* One of the first hits; each is printed once, when all its handlers have run. */
static struct seen {
	struct irq_work print;
	unsigned long pre_ip;
	unsigned long post_ip;
} seen[PRINTED_HITS];

static struct kprobe kp;

static void print_seen(struct irq_work *work)
{
	const struct seen *hit = container_of(work, struct seen, print);

	pr_info("pre_handler: %s at %pS, ip = %lx\n", symbol, kp.addr, hit->pre_ip);
	if (post)
		pr_info("post_handler: %s at %pS, ip = %lx\n", symbol, kp.addr, hit->post_ip);
}

/* A CPU that goes, or falls asleep with the machine, would forget an irq_work. */
static bool can_print(void)
{
	return cpu_active(raw_smp_processor_id()) && system_state != SYSTEM_SUSPEND;
}

static int handler_pre(struct kprobe *p, struct pt_regs *regs)
{
	long nr = atomic_long_fetch_inc(&hits);

	if (nr < PRINTED_HITS) {
		seen[nr].pre_ip = instruction_pointer(regs);
		if (!post && can_print())
			irq_work_queue(&seen[nr].print);
	}
	return 0;
}

static void handler_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	long nr = atomic_long_fetch_inc(&posts);

	if (nr < PRINTED_HITS) {
		seen[nr].post_ip = instruction_pointer(regs);
		if (can_print())
			irq_work_queue(&seen[nr].print);
	}
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

/* Once the handlers have ended: their irq_works must not outlive this module. */
static void end_prints(void)
{
	unsigned int i;

	for (i = 0; i < PRINTED_HITS; i++)
		irq_work_sync(&seen[i].print);
}

static int __init kprobe_example_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < PRINTED_HITS; i++)
		init_irq_work(&seen[i].print, print_seen);
	kp.offset = offset;
	kp.post_handler = post ? handler_post : NULL;
	err = register_kprobe(&kp);
	if (err) {
		end_prints();
		pr_err("register_kprobe: %s (error %d)\n", kprobe_refusal(&kp), err);
		return err;
	}
	pr_info("planted kprobe at %pS\n", kp.addr);
	return 0;
}

static void __exit kprobe_example_exit(void)
{
	unregister_kprobe(&kp);
	end_prints();
	pr_info("kprobe at %pS unregistered after %ld hits, %lu missed\n", kp.addr,
		atomic_long_read(&hits), kp.nmissed);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);
MODULE_DESCRIPTION("Example of a kprobe");
MODULE_LICENSE("GPL");
