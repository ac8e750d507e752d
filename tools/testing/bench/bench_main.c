// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a hit, in instructions of the guest.  One source for the kernel's
 * kprobes and for ours: the first <linux/kprobes.h> on the path decides.
 *
 * debugfs has a directory with the module's name:
 *   cases	their names
 *   cost	a line for each case (parameter only=): its name, the cost of the calls
 *		with the probe and without, and the number of calls
 *   scaling	the rate of calls on more and more CPUs, see bench_scaling.c
 *   hold	write the name of a case: it is called until the writer is killed, for
 *		a debugger
 *   lines	write the name of a case, also one of those that are in "line_cases" only: each CPU
 *		calls it, marked for an emulator, see bench_lines.c
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "bench.h"
#include "bench_lines.h"
#include "bench_scaling.h"
#include "cost.h"

/* Our header defines the debugfs directory, the kernel's does not. */
#ifdef KPROBES_DEBUGFS_DIR
#define HAVE_JPROBES
#define HAVE_FPROBES
#include <linux/fprobe.h>
#endif

static unsigned int others = 5000;
module_param(others, uint, 0400);
MODULE_PARM_DESC(others, "how many other probes there are in the case that has some");

static char *only = "";
module_param(only, charp, 0400);
MODULE_PARM_DESC(only, "the name of the case to measure; all if empty");

/**
 * struct bench_case - what to measure
 * @name: for the table
 * @target: the function that is probed, and called
 * @instead: a function that is called in its place, and not probed
 * @kprobes: the number of kprobes on its first instruction
 * @post: the kprobes have a post_handler
 * @ret: the function has a kretprobe
 * @entry: which has an entry_handler
 * @maxactive: of the kretprobe
 * @jump: the function has a jprobe
 * @function: the function has an fprobe with one handler or two
 * @optimized: the point may become a jump, and is measured when it has
 * @event: whoever reads the result has defined an event there, by a line of kprobe_events
 * @used: how often the function had such probes before
 * @crowd: there are other probes
 * @lines_only: is not in the tables
 * @handler: instead of the one that counts
 */
struct bench_case {
	const char *name;
	void (*target)(void);
	void (*instead)(void);
	unsigned int kprobes;
	bool post;
	bool ret;
	bool entry;
	int maxactive;
	bool jump;
	unsigned int function;
	bool optimized;
	bool event;
	unsigned int used;
	enum { NO_CROWD, CROWD_BEFORE, CROWD_AFTER } crowd;
	bool lines_only;
	kprobe_pre_handler_t handler;
};

/* ---- handlers: they count and do nothing else ---- */

static DEFINE_PER_CPU(unsigned long, hits);

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	this_cpu_inc(hits);
}

static int on_call_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

/* What a handler should not do: all CPUs write one word, or neighbouring ones, or read it. */
static unsigned long of_all, of_each[NR_CPUS];

static int on_pre_shared(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(of_all, of_all + 1);
	return on_pre(p, regs);
}

static int on_pre_neighbours(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(of_each[smp_processor_id()], 1);
	return on_pre(p, regs);
}

static int on_pre_reading(struct kprobe *p, struct pt_regs *regs)
{
	if (smp_processor_id())
		(void)READ_ONCE(of_all);
	else
		WRITE_ONCE(of_all, 1);
	return on_pre(p, regs);
}

/* Another function runs instead. */
static int on_pre_leaving(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	instruction_pointer_set(regs, (unsigned long)bench_address_of(bench_emulated));
	return 1;
}

/* The second kprobe is where it leads. */
static int on_pre_hitting(struct kprobe *p, struct pt_regs *regs)
{
	bench_slot();
	return on_pre(p, regs);
}

/* On arm64 the call site of the tracer is not the entry: only a kprobe can be there. */
#ifdef CONFIG_ARM64
#define SITE_OFFSET	(IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) ? 8 : 4)
#else
#define SITE_OFFSET	0
#define ENTRY_IS_SITE
#endif

static const struct bench_case cases[] = {
	{ "int3-slot", bench_slot, .kprobes = 1 },
	{ "int3-long", bench_long, .kprobes = 1 },
	{ "int3-emulated", bench_emulated, .kprobes = 1 },
	{ "int3-slot-post", bench_slot, .kprobes = 1, .post = true },
	{ "int3-long-post", bench_long, .kprobes = 1, .post = true },
	{ "int3-emulated-post", bench_emulated, .kprobes = 1, .post = true },
	{ "int3-slot-two", bench_slot, .kprobes = 2 },
	{ "int3-slot-used", bench_slot, .kprobes = 1, .used = 20 },
	{ "int3-long-crowd-before", bench_long, .kprobes = 1, .crowd = CROWD_BEFORE },
	{ "int3-long-crowd-after", bench_long, .kprobes = 1, .crowd = CROWD_AFTER },
	{ "ftrace", bench_traced, .kprobes = 1 },
	{ "ftrace-post", bench_traced, .kprobes = 1, .post = true },
	{ "ftrace-two", bench_traced, .kprobes = 2 },
	{ "kretprobe-int3", bench_slot, .ret = true },
	{ "kretprobe-int3-long", bench_long, .ret = true },
#ifdef ENTRY_IS_SITE
	{ "kretprobe-ftrace", bench_traced, .ret = true },
	{ "kprobe+kretprobe-ftrace", bench_traced, .kprobes = 1, .ret = true },
#endif
	{ "jump", bench_long, .kprobes = 1, .optimized = true },
	{ "jump-post", bench_long, .kprobes = 1, .post = true, .optimized = true },
	{ "jump-two", bench_long, .kprobes = 2, .optimized = true },
	{ "jump-crowd-before", bench_long, .kprobes = 1, .optimized = true,
	  .crowd = CROWD_BEFORE },
	{ "jump-crowd-after", bench_long, .kprobes = 1, .optimized = true, .crowd = CROWD_AFTER },
#ifdef CONFIG_X86_64
	{ "jump-event", bench_traced_long, .event = true, .optimized = true },
	{ "jump-own-event", bench_traced_long, .event = true, .optimized = true },
#endif
	{ "kretprobe-jump", bench_long, .ret = true, .optimized = true },
	{ "kprobe+kretprobe-jump", bench_long, .kprobes = 1, .ret = true, .optimized = true },
#ifdef HAVE_JPROBES
	{ "jprobe-int3", bench_slot, .jump = true },
	{ "jprobe-jump", bench_long, .jump = true, .optimized = true },
#ifdef ENTRY_IS_SITE
	{ "jprobe-ftrace", bench_traced, .jump = true },
#endif
#endif
#ifdef HAVE_FPROBES
	{ "fprobe-entry", bench_traced, .function = 1 },
	{ "fprobe", bench_traced, .function = 2 },
	/* Where jumps serve a few functions in place of the tracer, or there is none. */
#ifndef ENTRY_IS_SITE
	{ "fprobe-entry-jump", bench_traced, .function = 1, .optimized = true },
	{ "fprobe-jump", bench_traced, .function = 2, .optimized = true },
#endif
#endif
	{ "stack-trace-beside", bench_slot, bench_stack_trace, .ret = true },
	{ "no-probe", bench_slot, .lines_only = true },
	{ "shared-word", bench_slot, .kprobes = 1, .lines_only = true, .handler = on_pre_shared },
	{ "shared-line", bench_slot, .kprobes = 1, .lines_only = true,
	  .handler = on_pre_neighbours },
	{ "shared-read", bench_slot, .kprobes = 1, .lines_only = true, .handler = on_pre_reading },
	{ "missed", bench_long, .kprobes = 1, .lines_only = true, .handler = on_pre_hitting },
	{ "int3-left", bench_slot, .kprobes = 1, .lines_only = true, .handler = on_pre_leaving },
#ifdef HAVE_JPROBES
	{ "jump-left", bench_long, .kprobes = 1, .optimized = true, .lines_only = true,
	  .handler = on_pre_leaving },
#endif
#if defined(HAVE_FPROBES) && defined(ENTRY_IS_SITE)
	{ "fprobe-two-returns", bench_traced, .ret = true, .function = 2, .lines_only = true },
#endif
	{ "int3-two-post", bench_slot, .kprobes = 2, .post = true, .lines_only = true },
	{ "kretprobe-handler", bench_slot, .ret = true, .entry = true, .lines_only = true },
	{ "kretprobe-each-one", bench_slot, .ret = true, .maxactive = -1, .lines_only = true },
	{ "kretprobe-only-one", bench_slot, .ret = true, .maxactive = 1, .lines_only = true },
#ifdef CONFIG_X86_64
	{ "event-return", bench_traced_long, .event = true, .lines_only = true },
#endif
};

static unsigned long take_hits(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		sum += per_cpu(hits, cpu);
		per_cpu(hits, cpu) = 0;
	}
	return sum;
}

noinline void bench_traced(void)
{
	asm volatile("");
}

#ifdef CONFIG_X86_64
/* Behind its call site there is room for a jump: the kernel has events in traced functions only. */
noinline void bench_traced_long(void)
{
	asm volatile("movq $1, %%rax\n\tmovq %%rdi, %%rax\n\tmovq %%rdi, %%rax" : : : "rax");
}
#endif

/* ---- planting ---- */

static struct kprobe kprobes[2];
static struct kretprobe kretprobe;
static struct kprobe *crowd;
static struct kprobe **crowd_list;

/* By name: the name stands for the call site of the tracer. */
static struct kprobe place_of(const struct bench_case *c)
{
	if (c->target == bench_traced)
		return (struct kprobe){ .symbol_name = "bench_traced", .offset = SITE_OFFSET };
	return (struct kprobe){ .addr = bench_address_of(c->target) };
}

static int plant_kprobes(const struct bench_case *c)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < c->kprobes && !err; i++) {
		kprobes[i] = place_of(c);
		kprobes[i].pre_handler = c->handler ?: on_pre;
		kprobes[i].post_handler = c->post ? on_post : NULL;
		err = register_kprobe(&kprobes[i]);
	}
	if (!err && c->handler == on_pre_hitting) {
		kprobes[1] = (struct kprobe){
			.addr = bench_address_of(bench_slot),
			.pre_handler = on_pre,
		};
		err = register_kprobe(&kprobes[1]);
	}
	return err;
}

static int plant_kretprobe(const struct bench_case *c)
{
	kretprobe = (struct kretprobe){
		.kp = place_of(c),
		.handler = on_return,
		.entry_handler = c->entry ? on_call_entry : NULL,
		.maxactive = c->maxactive < 0 ? num_online_cpus() : c->maxactive,
	};
	return register_kretprobe(&kretprobe);
}

#ifdef HAVE_JPROBES

static struct jprobe jprobe;

static void on_call(void)
{
	this_cpu_inc(hits);
	jprobe_return();
}

static int plant_jprobe(const struct bench_case *c)
{
	jprobe = (struct jprobe){ .kp = place_of(c), .entry = on_call };
	return register_jprobe(&jprobe);
}

static void uproot_jprobe(void)
{
	unregister_jprobe(&jprobe);
}

#else

static int plant_jprobe(const struct bench_case *c)
{
	return -EOPNOTSUPP;
}

static void uproot_jprobe(void)
{
}

#endif

#ifdef HAVE_FPROBES

static int on_function(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	this_cpu_inc(hits);
	return 0;
}

static void on_function_return(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *data)
{
	this_cpu_inc(hits);
}

static struct fprobe fprobe;

static int plant_fprobe(const struct bench_case *c)
{
	unsigned long addr = (unsigned long)c->target;

	fprobe = (struct fprobe){
		.entry_handler = on_function,
		.exit_handler = c->function > 1 ? on_function_return : NULL,
		.nr_maxactive = 16,
	};
	return register_fprobe_ips(&fprobe, &addr, 1);
}

static void uproot_fprobe(void)
{
	unregister_fprobe(&fprobe);
}

#else

static int plant_fprobe(const struct bench_case *c)
{
	return -EOPNOTSUPP;
}

static void uproot_fprobe(void)
{
}

#endif

static void free_crowd(void)
{
	kvfree(crowd);
	kvfree(crowd_list);
	crowd = NULL;
	crowd_list = NULL;
}

/* Spread over the field, to spread the addresses over a hash table. */
static int plant_crowd(void)
{
	char *field = bench_field_insns;
	unsigned int i;
	int err;

	/* objtool warns about addresses in text that no indirect branch may reach. */
	OPTIMIZER_HIDE_VAR(field);
	others = min_t(unsigned int, others, BENCH_FIELD_INSNS);
	crowd = kvcalloc(others, sizeof(*crowd), GFP_KERNEL);
	crowd_list = kvcalloc(others, sizeof(*crowd_list), GFP_KERNEL);
	if (!crowd || !crowd_list) {
		free_crowd();
		return -ENOMEM;
	}
	for (i = 0; i < others; i++) {
		crowd[i].addr = (kprobe_opcode_t *)&field[i * BENCH_FIELD_INSN_SIZE];
		crowd[i].pre_handler = on_pre;
		crowd_list[i] = &crowd[i];
	}
	err = register_kprobes(crowd_list, others);
	if (err)
		free_crowd();
	return err;
}

static void uproot_crowd(void)
{
	unregister_kprobes(crowd_list, others);
	free_crowd();
}

static int plant_target(const struct bench_case *c)
{
	int err = plant_kprobes(c);

	if (!err && c->ret)
		err = plant_kretprobe(c);
	if (!err && c->jump)
		err = plant_jprobe(c);
	if (!err && c->function)
		err = plant_fprobe(c);
	return err;
}

static void uproot_target(const struct bench_case *c)
{
	unsigned int i;

	if (c->function)
		uproot_fprobe();
	if (c->jump)
		uproot_jprobe();
	if (c->ret)
		unregister_kretprobe(&kretprobe);
	for (i = 0; i < c->kprobes; i++)
		unregister_kprobe(&kprobes[i]);
	if (c->handler == on_pre_hitting)
		unregister_kprobe(&kprobes[1]);
}

/* At the first byte, or behind a landing pad, a call site of the tracer, or both. */
static bool is_jump(const u8 *text)
{
#ifdef CONFIG_X86_64
	return READ_ONCE(text[0]) == 0xe9 || READ_ONCE(text[4]) == 0xe9 ||
	       READ_ONCE(text[5]) == 0xe9 || READ_ONCE(text[9]) == 0xe9;
#elif defined(CONFIG_ARM64)
	return READ_ONCE(*(u32 *)text) >> 26 == 5;
#else
	return READ_ONCE(*(u32 *)text) >> 26 == 18;
#endif
}

/* Of the built-in ones none is that has a post_handler. */
#ifdef KPROBES_DEBUGFS_DIR
#define CAN_BE_JUMP(c)	true
#else
#define CAN_BE_JUMP(c)	(!(c)->post)
#endif

/* The built-in kprobes mark an internal kprobe, not the client's: look at the text. */
static int wait_for_jump(const struct bench_case *c)
{
	const u8 *text = bench_address_of(c->target);
	unsigned int i;

	OPTIMIZER_HIDE_VAR(text);
	for (i = 0; i < 500; i++) {
		if (is_jump(text))
			return 0;
		msleep(20);
	}
	return -ETIMEDOUT;
}

static int plant(const struct bench_case *c)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < c->used && !err; i++) {
		err = plant_target(c);
		if (!err)
			uproot_target(c);
	}
	if (!err && c->crowd == CROWD_BEFORE)
		err = plant_crowd();
	if (!err)
		err = plant_target(c);
	if (!err && c->crowd == CROWD_AFTER)
		err = plant_crowd();
	if (!err && c->optimized && CAN_BE_JUMP(c))
		err = wait_for_jump(c);
	return err;
}

static void uproot(const struct bench_case *c)
{
	if (c->crowd)
		uproot_crowd();
	uproot_target(c);
	/* The built-in kprobes remove jumps later, and refuse some new probes until then. */
	if (c->optimized)
		msleep(1000);
}

int bench_plant_return(void (*target)(void))
{
	const struct bench_case c = { .target = target, .ret = true };

	return plant(&c);
}

void bench_uproot_return(void)
{
	unregister_kretprobe(&kretprobe);
}

int bench_plant_kprobe(void (*target)(void))
{
	const struct bench_case c = { .target = target, .kprobes = 1 };

	return plant(&c);
}

void bench_uproot_kprobe(void)
{
	unregister_kprobe(&kprobes[0]);
}

/* ---- measuring ---- */

static unsigned long handlers_of(const struct bench_case *c)
{
	if (c->instead)
		return 0;
	return c->kprobes * (c->post ? 2 : 1) + c->ret + c->entry + c->jump + c->function;
}

/* Of the function of events, when nothing can be there yet. */
static u64 cost_at_first;

/* The first calls fault in pages and allocate lazily. */
static u64 second_cost(void (*called)(void))
{
	bench_cost(called);
	return bench_cost(called);
}

static void measure(struct seq_file *m, const struct bench_case *c)
{
	void (*called)(void) = c->instead ?: c->target;
	u64 bare, probed;
	int err;

	bare = c->event ? cost_at_first : second_cost(called);
	err = plant(c);
	if (err) {
		uproot(c);
		seq_printf(m, "%s error %d\n", c->name, err);
		return;
	}
	bench_cost(called);
	take_hits();
	probed = bench_cost(called);
	if (take_hits() == handlers_of(c) * BENCH_CALLS)
		seq_printf(m, "%s %llu %llu %u\n", c->name, probed, bare, BENCH_CALLS);
	else
		seq_printf(m, "%s error: not every call was a hit\n", c->name);
	uproot(c);
}

static void (*event_target(void))(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (cases[i].event)
			return cases[i].target;
	return bench_long;
}

static int cost_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!cases[i].lines_only && (!*only || !strcmp(only, cases[i].name)))
			measure(m, &cases[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cost);

static int cases_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!cases[i].lines_only)
			seq_printf(m, "%s\n", cases[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cases);

static int line_cases_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (cases[i].lines_only)
			seq_printf(m, "%s\n", cases[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(line_cases);

static int scaling_show(struct seq_file *m, void *unused)
{
	return bench_scaling(m);
}
DEFINE_SHOW_ATTRIBUTE(scaling);

/* ---- for a debugger ---- */

static const struct bench_case *find_case(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strcmp(cases[i].name, name))
			return &cases[i];
	return NULL;
}

static const struct bench_case *given_case(const char __user *from, size_t len)
{
	const struct bench_case *c;
	char name[32] = "";

	if (len >= sizeof(name))
		return ERR_PTR(-EINVAL);
	if (copy_from_user(name, from, len))
		return ERR_PTR(-EFAULT);
	c = find_case(strim(name));
	return c ?: ERR_PTR(-ENOENT);
}

static ssize_t hold_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	const struct bench_case *c = given_case(from, len);
	int err;

	if (IS_ERR(c))
		return PTR_ERR(c);
	err = plant(c);
	if (err)
		return err;
	while (!signal_pending(current)) {
		bench_cost(c->target);
		cond_resched();
	}
	uproot(c);
	return len;
}

static const struct file_operations hold_fops = {
	.owner = THIS_MODULE,
	.write = hold_write,
};

/* ---- for an emulator ---- */

static int call_in_turns(const struct bench_case *c)
{
	unsigned long calls;

	take_hits();
	calls = bench_lines(c->instead ?: c->target);
	if (take_hits() != handlers_of(c) * calls)
		return -EIO;
	if (c->handler == on_pre_hitting && kprobes[1].nmissed != calls)
		return -EIO;
	return 0;
}

static ssize_t lines_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	const struct bench_case *c;
	int err;

	bench_lines_case();
	c = given_case(from, len);
	if (IS_ERR(c))
		return PTR_ERR(c);
	err = plant(c);
	if (!err)
		err = call_in_turns(c);
	uproot(c);
	return err ?: len;
}

static const struct file_operations lines_fops = {
	.owner = THIS_MODULE,
	.write = lines_write,
};

/* ---- the module ---- */

static struct dentry *folder;

static int __init bench_init(void)
{
	cost_at_first = second_cost(event_target());
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("cases", 0400, folder, NULL, &cases_fops);
	debugfs_create_file("cost", 0400, folder, NULL, &cost_fops);
	debugfs_create_file("scaling", 0400, folder, NULL, &scaling_fops);
	debugfs_create_file("hold", 0200, folder, NULL, &hold_fops);
	debugfs_create_file("line_cases", 0400, folder, NULL, &line_cases_fops);
	debugfs_create_file("lines", 0200, folder, NULL, &lines_fops);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove_recursive(folder);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("What kprobes cost");
MODULE_LICENSE("GPL");
