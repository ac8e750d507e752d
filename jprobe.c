// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jprobes: a client's function with the prototype of the probed function.  It
 * runs when the probed function is called.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/printk.h>

#include "core/core.h"
#include "core/dispatch.h"

/* An array of pointers to jprobes is used as an array of pointers to kprobes. */
static_assert(offsetof(struct jprobe, kp) == 0);

static int on_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct jprobe *jp = container_of(p, struct jprobe, kp);
	struct probe_point *pt = READ_ONCE(p->point);
	void *entry = READ_ONCE(jp->entry);

	/* A client may have cleared what it has not unregistered. */
	if (unlikely(!entry || !pt))
		return 0;
	dispatch_hand_on();
	arch_enter_jprobe(pt, regs, entry);
	return 1;
}

static void print_no_jprobe(const struct late_note *note)
{
	pr_err("jprobe_return() called by %ps, which is no jprobe\n", note->addr);
}

static struct late_note no_jprobe = { .print = print_no_jprobe };

/**
 * jprobe_return() - end a jprobe's function
 *
 * Does not return. A jprobe's function that returns without calling this ends
 * in the same way. Called from elsewhere, this only writes an error to the log.
 *
 * Context: a jprobe's entry function.
 */
void jprobe_return(void)
{
	arch_leave_jprobe();
	late_note(&no_jprobe, __builtin_return_address(0), NULL);
}
EXPORT_SYMBOL_GPL(jprobe_return);

static int refuse(struct jprobe *jp, const char *why)
{
	jp->kp.refusal = why;
	pr_info("can't probe a call of %s: %s (error %d)\n", jp->kp.symbol_name ?: "an address", why,
		-EINVAL);
	return -EINVAL;
}

static int check(struct jprobe *jp)
{
	lockdep_assert_held(&kprobe_mutex);
	if (!jp)
		return -EINVAL;
	if (point_of_mended(&jp->kp))
		return refuse(jp, "already registered");
	return jp->entry ? 0 : refuse(jp, "no entry given");
}

static kprobe_pre_handler_t handler_of(const struct kprobe *p)
{
	return on_entry;
}

static bool belongs_to(const struct kprobe *p, const struct module *mod)
{
	const struct jprobe *jp = container_of(p, struct jprobe, kp);

	return within_module((unsigned long)jp->entry, mod);
}

static const struct probe_kind jprobe_kind = {
	.letter = 'j',
	.entry_only = true,
	.redirects = true,
	.enters = true,
	.why_one_only = "function already has a jprobe",
	.handler_of = handler_of,
	.belongs_to = belongs_to,
};

/**
 * register_jprobes() - register several jprobes, or none
 * @jps: array of pointers to them
 * @num: how many
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0. If one can't be registered, its error as from register_jprobe():
 * those before it are unregistered again. -EINVAL if @num is not positive or a
 * pointer is NULL.
 */
int register_jprobes(struct jprobe **jps, int num)
{
	int i, err = 0;

	might_sleep();
	if (!jps || num <= 0)
		return -EINVAL;
	mutex_lock(&kprobe_mutex);
	for (i = 0; i < num && !err; i++)
		err = check(jps[i]);
	if (!err)
		err = probes_add(&jprobe_kind, (struct kprobe **)jps, num);
	mutex_unlock(&kprobe_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(register_jprobes);

/**
 * register_jprobe() - register one jprobe
 * @jp: the jprobe; must stay in place until unregister_jprobe() has returned
 *
 * Context: process context, sleeps. Not from a probe handler.
 *
 * Return: 0, or what register_kprobe() returns, and also:
 *
 * * -EINVAL: not the entry of a function; entry is NULL
 * * -EEXIST: the function has a jprobe already
 * * -EBUSY: a live patch or BPF program decides where the function goes on
 */
int register_jprobe(struct jprobe *jp)
{
	return register_jprobes(&jp, 1);
}
EXPORT_SYMBOL_GPL(register_jprobe);

/**
 * unregister_jprobes() - unregister several jprobes
 * @jps: array of pointers to them
 * @num: how many
 *
 * If one is not registered, its kp.addr is cleared; the others are unregistered
 * all the same.  When this returns, none of their functions is running or will
 * run.
 *
 * Context: process context, sleeps. Not from a probe handler.
 */
void unregister_jprobes(struct jprobe **jps, int num)
{
	probes_unregister((struct kprobe **)jps, num);
}
EXPORT_SYMBOL_GPL(unregister_jprobes);

/**
 * unregister_jprobe() - unregister one jprobe
 * @jp: the jprobe; if it is not registered its kp.addr is cleared
 *
 * Context: process context, sleeps. Not from a probe handler.
 */
void unregister_jprobe(struct jprobe *jp)
{
	unregister_jprobes(&jp, 1);
}
EXPORT_SYMBOL_GPL(unregister_jprobe);

/**
 * disable_jprobe() - stop calling a jprobe's function for a while
 * @jp: a registered jprobe
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: as disable_kprobe().
 */
int disable_jprobe(struct jprobe *jp)
{
	return probe_set_disabled(jp ? &jp->kp : NULL, true);
}
EXPORT_SYMBOL_GPL(disable_jprobe);

/**
 * enable_jprobe() - call the function of a disabled jprobe again
 * @jp: a registered jprobe
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: as enable_kprobe().
 */
int enable_jprobe(struct jprobe *jp)
{
	return probe_set_disabled(jp ? &jp->kp : NULL, false);
}
EXPORT_SYMBOL_GPL(enable_jprobe);
