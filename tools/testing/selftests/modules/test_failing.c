// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of all kinds come and go on several CPUs, one by one and in arrays, while any step of kprobes.ko
 * may fail and their functions are called.  What was refused, or was unregistered, calls nobody, and its
 * memory is somebody else's at once.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fail_nth.h"
#include "ktap.h"
#include "target.h"

static unsigned int operations = 300;
module_param(operations, uint, 0400);
static unsigned int seed = 1;
module_param(seed, uint, 0400);

#define FUNCTION(name)						\
	noinline __noclone long name(long a, long b);		\
	noinline __noclone long name(long a, long b)		\
	{							\
		barrier();					\
		return a + b;					\
	}

FUNCTION(lkp_failing_one)
FUNCTION(lkp_failing_two)
FUNCTION(lkp_failing_three)
FUNCTION(lkp_failing_four)
TARGET(lkp_failing_slot, SLOT_ADD(lkp_failing_slot));
TARGET(lkp_failing_nop, ADD_NOP(lkp_failing_nop));
TARGET(lkp_failing_long, LONG_ADD(lkp_failing_long));

static long (*const in_c[])(long a, long b) = {
	lkp_failing_one, lkp_failing_two, lkp_failing_three, lkp_failing_four,
};

static const struct target *const in_asm[] = {
	&lkp_failing_slot, &lkp_failing_nop, &lkp_failing_long,
};

enum kind { KPROBE, KRETPROBE, JPROBE, FPROBE, NR_KINDS };

#define ALIVE	0x600d600du
#define FREED	0x88

/**
 * struct item - a probe
 * @magic: ALIVE from before it is registered until it has been refused, or unregistered
 * @kind: which member it is
 * @kp: if it is a kprobe
 * @rp: if it is a kretprobe
 * @jp: if it is a jprobe
 * @fp: if it is an fprobe
 */
struct item {
	u32 magic;
	enum kind kind;
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct jprobe jp;
		struct fprobe fp;
	};
};

static atomic_t ghosts, strange, hits;
static atomic_t done[NR_KINDS], failed[NR_KINDS];
static atomic_t starved;	/* of those that failed: by a step, and not for what they ask for */
static atomic_t nr_changes;

static void note_hit(const struct item *item)
{
	atomic_inc(READ_ONCE(item->magic) == ALIVE ? &hits : &ghosts);
}

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	note_hit(container_of(p, struct item, kp));
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	note_hit(container_of(p, struct item, kp));
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	note_hit(container_of(ri->rp, struct item, rp));
	return 0;
}

static long on_jprobe(long a, long b)
{
	atomic_inc(&hits);
	jprobe_return();
	return 0;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	note_hit(container_of(fp, struct item, fp));
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	note_hit(container_of(fp, struct item, fp));
}

/* ---- those who change ---- */

/**
 * struct changer - a task that registers and unregisters
 * @random: what it does next
 * @items: what is registered
 */
struct changer {
	struct rnd_state random;
	struct item *items[24];
};

#define NR_CHANGERS	3

static struct changer changers[NR_CHANGERS];

static unsigned int any(struct changer *c, unsigned int below)
{
	return prandom_u32_state(&c->random) % below;
}

static void choose_place(struct changer *c, struct kprobe *p)
{
	const struct target *target = in_asm[any(c, ARRAY_SIZE(in_asm))];

	/* That one comes and goes. */
	if (!any(c, 8))
		p->symbol_name = "lkp_target_in_c";
	else if (any(c, 2))
		p->addr = (void *)in_c[any(c, ARRAY_SIZE(in_c))];
	else
		p->addr = target_at(target);
}

static struct item *new_item(struct changer *c, enum kind kind)
{
	struct item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	item->kind = kind;
	item->magic = ALIVE;
	if (kind == FPROBE) {
		item->fp.entry_handler = any(c, 3) ? on_entry : NULL;
		item->fp.exit_handler = item->fp.entry_handler && any(c, 2) ? NULL : on_exit;
		return item;
	}
	choose_place(c, &item->kp);
	item->kp.flags = any(c, 6) ? 0 : KPROBE_FLAG_DISABLED;
	if (kind == KPROBE) {
		item->kp.pre_handler = any(c, 6) ? on_pre : NULL;
		item->kp.post_handler = any(c, 3) ? NULL : on_post;
		item->kp.fault_handler = any(c, 6) ? NULL : on_fault;
	} else {
		if (!item->kp.symbol_name)
			item->kp.addr = (void *)in_c[any(c, ARRAY_SIZE(in_c))];
		if (kind == KRETPROBE) {
			item->rp.handler = on_call;
			item->rp.entry_handler = any(c, 2) ? on_call : NULL;
		} else {
			item->jp.entry = on_jprobe;
		}
	}
	return item;
}

static void end_item(struct item *item)
{
	WRITE_ONCE(item->magic, 0);
	memset(item, FREED, sizeof(*item));
	kfree(item);
}

static int add_fprobe(struct changer *c, struct item *item)
{
	const char *names[2] = { "lkp_failing_one", "lkp_failing_three" };

	if (any(c, 2))
		return register_fprobe_syms(&item->fp, names, 1 + any(c, 2));
	return register_fprobe(&item->fp, "lkp_failing_t*,lkp_target_in_c", NULL);
}

/* One, or as many as there are of a kind. */
static int add(struct changer *c, struct item **items, unsigned int nr)
{
	struct kprobe *kps[4];
	unsigned int i;

	for (i = 0; i < nr; i++)
		kps[i] = &items[i]->kp;
	switch (items[0]->kind) {
	case KPROBE:
		return register_kprobes(kps, nr);
	case KRETPROBE:
		return register_kretprobes((struct kretprobe **)kps, nr);
	case JPROBE:
		return register_jprobes((struct jprobe **)kps, nr);
	default:
		return add_fprobe(c, items[0]);
	}
}

static void expect_error(const struct item *item, int err)
{
	bool known = err == -ENOMEM || err == -EBUSY ||
		     (err == -EEXIST && item->kind == JPROBE) ||
		     /* The module is not there, or was when the names were looked up. */
		     ((err == -ENOENT || err == -EINVAL) &&
		      (item->kind == FPROBE || item->kp.symbol_name));

	if (known)
		return;
	atomic_inc(&strange);
	pr_warn("%s: kind %u is refused by %d: %s\n", KBUILD_MODNAME, item->kind, err,
		item->kind == FPROBE ? "" : kprobe_refusal(&item->kp));
}

static void register_some(struct changer *c, unsigned int at)
{
	unsigned int i, nr = any(c, 3) ? 1 : 1 + any(c, 4);
	enum kind kind = any(c, NR_KINDS);
	struct item *items[4];
	int err;

	nr = min_t(unsigned int, nr, ARRAY_SIZE(c->items) - at);
	for (i = 0; i < nr; i++)
		if (c->items[at + i] || kind == FPROBE)
			break;
	nr = i ?: 1;
	for (i = 0; i < nr; i++) {
		items[i] = new_item(c, kind);
		if (!items[i])
			break;
	}
	nr = i;
	if (!nr)
		return;
	err = add(c, items, nr);
	atomic_inc(err ? &failed[kind] : &done[kind]);
	if (err == -ENOMEM)
		atomic_inc(&starved);
	/* In an array another one may be the reason. */
	if (err && nr == 1)
		expect_error(items[0], err);
	for (i = 0; i < nr; i++) {
		if (err)
			end_item(items[i]);
		else
			c->items[at + i] = items[i];
	}
}

static void unregister_some(struct changer *c, unsigned int at)
{
	struct kprobe *kps[4];
	struct item *items[4];
	unsigned int i, nr = any(c, 3) ? 1 : 4;

	if (c->items[at]->kind == FPROBE) {
		if (unregister_fprobe(&c->items[at]->fp))
			atomic_inc(&strange);
		end_item(c->items[at]);
		c->items[at] = NULL;
		return;
	}
	for (i = 0; i < nr && at + i < ARRAY_SIZE(c->items); i++) {
		items[i] = c->items[at + i];
		if (!items[i] || items[i]->kind == FPROBE)
			break;
		kps[i] = &items[i]->kp;
		c->items[at + i] = NULL;
	}
	/* Of whatever kinds they are. */
	unregister_kprobes(kps, i);
	while (i--)
		end_item(items[i]);
}

static void turn(struct changer *c, struct item *item)
{
	bool off = any(c, 2), before;
	int err;

	if (item->kind == FPROBE) {
		if (off)
			disable_fprobe(&item->fp);
		else
			enable_fprobe(&item->fp);
		return;
	}
	before = item->kp.flags & KPROBE_FLAG_DISABLED;
	err = off ? disable_kprobe(&item->kp) : enable_kprobe(&item->kp);
	if (!!(item->kp.flags & KPROBE_FLAG_DISABLED) != (err ? before : off))
		atomic_inc(&strange);
	if (err && err != -ENOMEM && err != -EBUSY && !(err == -EINVAL && kprobe_gone(&item->kp)))
		atomic_inc(&strange);
}

static void change(struct changer *c)
{
	unsigned int at = any(c, ARRAY_SIZE(c->items));

	atomic_inc(&nr_changes);
	if (!c->items[at])
		register_some(c, at);
	else if (any(c, 2))
		unregister_some(c, at);
	else
		turn(c, c->items[at]);
}

static int run_changer(void *data)
{
	struct changer *c = data;
	unsigned int at;

	while (!kthread_should_stop()) {
		change(c);
		cond_resched();
	}
	for (at = 0; at < ARRAY_SIZE(c->items); at++)
		if (c->items[at])
			unregister_some(c, at);
	return 0;
}

/* ---- those who call ---- */

static void expect_sum(long (*fn)(long a, long b))
{
	OPTIMIZER_HIDE_VAR(fn);
	if (fn(40, 2) != 42)
		atomic_inc(&strange);
}

static int run_caller(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < ARRAY_SIZE(in_c); i++)
			expect_sum(in_c[i]);
		for (i = 0; i < ARRAY_SIZE(in_asm); i++)
			expect_sum(in_asm[i]->fn);
		usleep_range(50, 200);
	}
	return 0;
}

/* ---- what fails ---- */

static int run_failer(void *unused)
{
	struct rnd_state random;

	prandom_seed_state(&random, seed + NR_CHANGERS);
	while (!kthread_should_stop()) {
		/* For a while nothing does. */
		fail_step(prandom_u32_state(&random) % 4 ? 1 + prandom_u32_state(&random) % 16 : 0);
		msleep(1 + prandom_u32_state(&random) % 40);
	}
	fail_step(0);
	return 0;
}

static struct task_struct *start(int (*run)(void *data), void *data)
{
	struct task_struct *task = kthread_run(run, data, "lkp_failing");

	return IS_ERR(task) ? NULL : task;
}

#define NR_TASKS	(NR_CHANGERS + 3)

static void case_all_kinds_come_and_go_while_steps_fail(struct ktap *t)
{
	struct task_struct *tasks[NR_TASKS] = { };
	unsigned int i, nr_failed = 0;

	if (!find_fail_nth(t))
		return;
	for (i = 0; i < NR_CHANGERS; i++) {
		prandom_seed_state(&changers[i].random, seed + i);
		tasks[i] = start(run_changer, &changers[i]);
	}
	tasks[i++] = start(run_caller, NULL);
	tasks[i++] = start(run_caller, NULL);
	tasks[i++] = start(run_failer, NULL);
	while (atomic_read(&nr_changes) < operations && !fatal_signal_pending(current))
		msleep(100);
	while (i--)
		if (EXPECT(t, tasks[i]))
			kthread_stop(tasks[i]);
	fail_step(0);
	EXPECT_EQ(t, atomic_read(&ghosts), 0);
	EXPECT_EQ(t, atomic_read(&strange), 0);
	EXPECT(t, atomic_read(&hits) > 0);
	for (i = 0; i < NR_KINDS; i++) {
		seq_printf(t->m, "# kind %u: %d done, %d failed\n", i, atomic_read(&done[i]),
			   atomic_read(&failed[i]));
		EXPECT(t, atomic_read(&done[i]) > 0);
		nr_failed += atomic_read(&failed[i]);
	}
	EXPECT(t, nr_failed > operations / 50);
	seq_printf(t->m, "# %d of them for want of memory\n", atomic_read(&starved));
	EXPECT(t, atomic_read(&starved) > 0);
	wait_for_kprobe_optimizer();
}

static const struct ktap_case cases[] = {
	CASE(all_kinds_come_and_go_while_steps_fail),
};
KTAP_MODULE(cases);
