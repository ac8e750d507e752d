// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobes: the plain kind of probe, which has only its handlers, and the queries
 * that apply to every kind.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/rculist.h>

#include "core/core.h"

static const struct probe_kind kprobe_kind = {
	.letter = 'k',
};

/**
 * register_kprobes() - register several kprobes, or none
 * @kps: array of pointers to them
 * @num: how many
 *
 * All are armed together, which costs little more than arming one.
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0. If one can't be registered, its error as from register_kprobe():
 * those before it are unregistered again and their addr is restored. -EINVAL if
 * @num is not positive or a pointer is NULL.
 */
int register_kprobes(struct kprobe **kps, int num)
{
	return probes_register(&kprobe_kind, kps, num);
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe() - register one kprobe
 * @p: the kprobe; must stay in place until unregister_kprobe() has returned
 *
 * Context: process context, sleeps. Not from a probe handler.
 *
 * Return: 0, and @p->addr is the probe point. On error nothing has changed,
 * one line in the log says why, and so does kprobe_refusal():
 *
 * * -EINVAL: both or neither of addr and symbol_name given; @p is registered;
 *   the address is not kernel text, is blacklisted, or has another owner
 *   (jump label, static call, alternative, BUG site, CFI preamble, another
 *   breakpoint); the instruction can't be probed
 * * -ENOENT: no such symbol; the module is being unloaded, or has freed its
 *   init text
 * * -EILSEQ: not the first byte of an instruction
 * * -EBUSY: the text was changed by others during the registration, or they keep a jump
 *   there whose bytes are needed
 * * -ENOMEM: out of memory, or of slots
 * * -ENODEV: the function tracer has broken down, and did not let go of the place
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/**
 * unregister_kprobes() - unregister several kprobes
 * @kps: array of pointers to them
 * @num: how many
 *
 * If one is not registered, its addr is cleared; the others are unregistered
 * all the same.  When this returns, none of their handlers is running or will run.
 *
 * Context: process context, sleeps for a grace period. Not from a probe handler.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	probes_unregister(kps, num);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe() - unregister one kprobe
 * @p: the kprobe; if it is not registered its addr is cleared
 *
 * Context: process context, sleeps for a grace period. Not from a probe handler.
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

/**
 * disable_kprobe() - stop a kprobe's handlers for a while
 * @p: a registered kprobe
 *
 * Other probes at the same address stay enabled.
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, also if it is disabled already; -EINVAL if it is not registered;
 * -ENOMEM if its trap can't be removed: then it stays enabled.  A trap that others have a
 * copy of stays as well, and calls no handler; so does a probe that a function tracer which has broken
 * down does not let go.
 */
int disable_kprobe(struct kprobe *p)
{
	return probe_set_disabled(p, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe() - let a disabled kprobe's handlers run again
 * @p: a registered kprobe
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, also if it is not disabled; -EINVAL if it is not registered or
 * its module is gone; an error of arming: then it stays disabled.  -ENODEV where a function tracer
 * that has broken down did not let it go when it was disabled.
 */
int enable_kprobe(struct kprobe *p)
{
	return probe_set_disabled(p, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/**
 * kprobe_refusal() - why the last attempt to register a kprobe failed
 * @p: the kprobe
 *
 * Return: a complete phrase for users, such as "no such symbol"; it stays valid
 * as long as this module is loaded. NULL if the attempt succeeded.
 */
const char *kprobe_refusal(const struct kprobe *p)
{
	return p->refusal;
}
EXPORT_SYMBOL_GPL(kprobe_refusal);

/**
 * get_kprobe() - the first kprobe at an address
 * @addr: the probe point
 *
 * Context: any; the caller must keep the kprobe registered while using it.
 * Return: the kprobe or NULL. Those of this module itself, which no list shows, are not found.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct probe_point *pt;
	struct kprobe *p;

	preempt_disable();
	pt = table_find((unsigned long)addr);
	p = pt && !pt->internal ? list_first_or_null_rcu(&pt->probes, struct kprobe, list) : NULL;
	preempt_enable();
	return p;
}
EXPORT_SYMBOL_GPL(get_kprobe);

/**
 * dump_kprobe() - print a kprobe to the log
 * @p: the kprobe
 */
void dump_kprobe(struct kprobe *p)
{
	pr_err("kprobe %s+0x%x at %pS, flags 0x%x, missed %lu\n", p->symbol_name ?: "",
	       p->offset, p->addr, p->flags, p->nmissed);
}
EXPORT_SYMBOL_GPL(dump_kprobe);

/**
 * within_kprobe_blacklist() - is an address on the blacklist
 * @addr: any address
 *
 * Context: process context, may sleep.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	bool within;

	mutex_lock(&kprobe_mutex);
	within = blacklist_reason(addr);
	mutex_unlock(&kprobe_mutex);
	return within;
}
EXPORT_SYMBOL_GPL(within_kprobe_blacklist);
