// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often does the kernel pass a place, now and in all?  The parameter rate shows it; the
 * log has a line when the rate passes limit=, and one when it is below that again.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

static char symbol[KSYM_NAME_LEN] = "vfs_read";
module_param_string(symbol, symbol, sizeof(symbol), 0400);
MODULE_PARM_DESC(symbol, "function to count the hits of, also as module:function");

static unsigned int offset;
module_param(offset, uint, 0400);
MODULE_PARM_DESC(offset, "bytes from its beginning");

static unsigned long limit = ULONG_MAX;
module_param(limit, ulong, 0600);
MODULE_PARM_DESC(limit, "hits in a second that are worth a line");

/* A hit costs one addition, to memory of this CPU alone: no lock, and no line in the log. */
static DEFINE_PER_CPU(unsigned long, hits);

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static struct kprobe kp = {
	.symbol_name = symbol,
	.pre_handler = on_hit,
};

static unsigned long last_rate;

static unsigned long all_hits(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&hits, cpu));
	return sum;
}

static void every_second(struct work_struct *work)
{
	static unsigned long before;
	static bool above;
	unsigned long now = all_hits(), rate = now - before;

	before = now;
	WRITE_ONCE(last_rate, rate);
	if (above != (rate > READ_ONCE(limit))) {
		above = !above;
		pr_info("%pS: %lu hits in a second\n", kp.addr, rate);
	}
	schedule_delayed_work(to_delayed_work(work), HZ);
}

static DECLARE_DELAYED_WORK(second, every_second);

static int get_rate(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lu in the last second, %lu in all, %lu missed\n",
			  READ_ONCE(last_rate), all_hits(), kp.nmissed);
}

static const struct kernel_param_ops rate_ops = { .get = get_rate };
module_param_cb(rate, &rate_ops, NULL, 0400);
MODULE_PARM_DESC(rate, "hits, now and in all (read only)");

static int __init live_rate_init(void)
{
	int err;

	kp.offset = offset;
	err = register_kprobe(&kp);
	if (err) {
		pr_err("%s: %s (error %d)\n", symbol, kprobe_refusal(&kp), err);
		return err;
	}
	schedule_delayed_work(&second, HZ);
	return 0;
}

static void __exit live_rate_exit(void)
{
	cancel_delayed_work_sync(&second);
	unregister_kprobe(&kp);
}

module_init(live_rate_init);
module_exit(live_rate_exit);
MODULE_DESCRIPTION("Counts hits, in the last second and in all");
MODULE_LICENSE("GPL");
