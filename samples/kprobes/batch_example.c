// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many kprobes, registered and unregistered as one batch. The parameter symbols=
 * names functions; the parameter hits shows how often each was called.  They may be any
 * that can be probed, as the handler does nothing but count.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#define MAX_PROBES	32

static char *symbols[MAX_PROBES] = { "vfs_read", "vfs_write", "kernel_clone" };
static unsigned int nr_symbols = 3;
module_param_array(symbols, charp, &nr_symbols, 0400);
MODULE_PARM_DESC(symbols, "functions to count the calls of, also as module:function");

static struct counter {
	struct kprobe kp;
	atomic_long_t hits;
} counters[MAX_PROBES];

/* register_kprobes() takes an array of pointers. */
static struct kprobe *kps[MAX_PROBES];

static int handler_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counter *counter = container_of(p, struct counter, kp);

	atomic_long_inc(&counter->hits);
	return 0;
}

static int get_hits(char *buffer, const struct kernel_param *param)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < nr_symbols; i++)
		len += sysfs_emit_at(buffer, len, "%s %ld\n", symbols[i],
				     atomic_long_read(&counters[i].hits));
	return len;
}

static const struct kernel_param_ops hits_ops = { .get = get_hits };
module_param_cb(hits, &hits_ops, NULL, 0400);
MODULE_PARM_DESC(hits, "number of hits of each (read only)");

/* Only the refused kprobe has a reason. */
static void report(int err)
{
	unsigned int i;

	for (i = 0; i < nr_symbols; i++)
		if (kprobe_refusal(kps[i]))
			pr_err("register_kprobes: %s: %s (error %d)\n", symbols[i],
			       kprobe_refusal(kps[i]), err);
}

static int __init batch_example_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr_symbols; i++) {
		counters[i].kp.symbol_name = symbols[i];
		counters[i].kp.pre_handler = handler_pre;
		kps[i] = &counters[i].kp;
	}
	err = register_kprobes(kps, nr_symbols);
	if (err) {
		report(err);
		return err;
	}
	pr_info("planted %d kprobes\n", nr_symbols);
	return 0;
}

static void __exit batch_example_exit(void)
{
	unsigned int i;

	unregister_kprobes(kps, nr_symbols);
	for (i = 0; i < nr_symbols; i++)
		pr_info("%s: %ld hits, %lu missed\n", symbols[i],
			atomic_long_read(&counters[i].hits), counters[i].kp.nmissed);
}

module_init(batch_example_init);
module_exit(batch_example_exit);
MODULE_DESCRIPTION("Example of kprobes registered in a batch");
MODULE_LICENSE("GPL");
