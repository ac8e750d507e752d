// SPDX-License-Identifier: GPL-2.0-only
/*
 * The minimum cost of a trap through the die notifier: a breakpoint and a notifier
 * that only claims it.  To be measured before kprobes.ko is loaded.
 */
#include <linux/debugfs.h>
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/seq_file.h>

#include "bench.h"
#include "cost.h"

/* The event in the notifier chain, the offset of ip in the registers, and the size. */
#ifdef CONFIG_X86_64
#define TRAP_EVENT	DIE_INT3
#define TRAP_ADVANCES	1
#define TRAP_SIZE	1
#else
#define TRAP_EVENT	DIE_BPT
#define TRAP_ADVANCES	0
#define TRAP_SIZE	4
#endif

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != TRAP_EVENT ||
	    instruction_pointer(args->regs) != (unsigned long)bench_trap_insn + TRAP_ADVANCES)
		return NOTIFY_DONE;
	instruction_pointer_set(args->regs, (unsigned long)bench_trap_insn + TRAP_SIZE);
	return NOTIFY_STOP;
}

static struct notifier_block notifier = {
	.notifier_call = on_die,
	.priority = INT_MAX,
};

static void show_cost(struct seq_file *m, const char *name, void (*fn)(void))
{
	u64 bare, cost;

	bench_cost(bench_no_trap);
	bare = bench_cost(bench_no_trap);
	bench_cost(fn);
	cost = bench_cost(fn);
	seq_printf(m, "%s %llu %llu %u\n", name, cost, bare, BENCH_CALLS);
}

static int cost_show(struct seq_file *m, void *unused)
{
	show_cost(m, "trap", bench_trap);
	show_cost(m, "stack-trace", bench_stack_trace);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cost);

static struct dentry *folder;

static int __init floor_init(void)
{
	int err = register_die_notifier(&notifier);

	if (err)
		return err;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("cost", 0400, folder, NULL, &cost_fops);
	return 0;
}

static void __exit floor_exit(void)
{
	debugfs_remove_recursive(folder);
	unregister_die_notifier(&notifier);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_DESCRIPTION("What a breakpoint costs");
MODULE_LICENSE("GPL");
