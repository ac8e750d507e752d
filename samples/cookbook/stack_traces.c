// SPDX-License-Identifier: GPL-2.0-only
/*
 * By which ways does the kernel come to a function, and how often by each?  Shows the stack
 * traces in /sys/kernel/debug/stack_traces.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#define TRACES	16
#define DEPTH	24

static char func[KSYM_NAME_LEN] = "vfs_write";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function whose callers are shown");

static struct trace {
	u32 hash;
	unsigned int depth;
	unsigned long entries[DEPTH];
	unsigned long calls;
} traces[TRACES];

static unsigned int nr_traces;
static unsigned long others;

/* Only the handler takes it.  Handlers do not nest on a CPU, so it can't wait for itself. */
static DEFINE_RAW_SPINLOCK(traces_lock);

static void count(const unsigned long *entries, unsigned int depth)
{
	u32 hash = jhash(entries, depth * sizeof(*entries), 0);
	struct trace *trace = traces;

	while (trace < traces + nr_traces && (trace->hash != hash || trace->depth != depth))
		trace++;
	if (trace == traces + TRACES) {
		others++;
		return;
	}
	WRITE_ONCE(trace->calls, trace->calls + 1);
	if (trace < traces + nr_traces)
		return;
	trace->hash = hash;
	trace->depth = depth;
	memcpy(trace->entries, entries, depth * sizeof(*entries));
	/* Readers take no lock: they see a trace when it is complete. */
	smp_store_release(&nr_traces, nr_traces + 1);
}

/*
 * On the function's return, as its caller is on the stack for sure: at the entry of a function
 * that has no frame yet arm64's unwinder can't see it.
 */
static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long entries[DEPTH];
	unsigned int depth = stack_trace_save(entries, DEPTH, 0);

	raw_spin_lock(&traces_lock);
	count(entries, depth);
	raw_spin_unlock(&traces_lock);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

static struct kretprobe rp = {
	.kp.symbol_name = func,
	.handler = on_return,
	.maxactive = 256,
};

static int traces_show(struct seq_file *m, void *unused)
{
	/* Pairs with smp_store_release() in count(). */
	unsigned int i, n, nr = smp_load_acquire(&nr_traces);

	for (i = 0; i < nr; i++) {
		seq_printf(m, "%lu calls:\n", READ_ONCE(traces[i].calls));
		for (n = 0; n < traces[i].depth; n++)
			seq_printf(m, "  %pB\n", (void *)traces[i].entries[n]);
	}
	seq_printf(m, "%lu by other ways, %d missed\n", READ_ONCE(others), rp.nmissed);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(traces);

static struct dentry *file;

static int __init stack_traces_init(void)
{
	int err = register_kretprobe(&rp);

	if (err) {
		pr_err("%s: %s (error %d)\n", func, kprobe_refusal(&rp.kp), err);
		return err;
	}
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &traces_fops);
	return 0;
}

static void __exit stack_traces_exit(void)
{
	debugfs_remove(file);
	unregister_kretprobe(&rp);
}

module_init(stack_traces_init);
module_exit(stack_traces_exit);
MODULE_DESCRIPTION("Shows by which ways the kernel comes to a function");
MODULE_LICENSE("GPL");
