// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kprobes: the kind of probe that is nothing but its handlers, and what clients
 * may ask about any kind.
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
 * Return: 0. The error of the first that can't be registered, as
 * register_kprobe() would give it; those before it are unregistered again and
 * their addr is as it was. -EINVAL if @num is not positive or a pointer NULL.
 */
int register_kprobes(struct kprobe **kps, int num)
{
	return probes_register(&kprobe_kind, kps, num);
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe() - register one kprobe
 * @p: the kprobe; stays where it is until unregister_kprobe() has returned
 *
 * Context: process context, sleeps. Not from a probe handler.
 *
 * Return: 0, and @p->addr is the probe point. On error nothing has changed,
 * one line in the log says why, and so does kprobe_refusal():
 *
 * * -EINVAL: both or neither of addr and symbol_name given; @p is registered;
 *   the address is not kernel text, is blacklisted, or belongs to somebody
 *   else (jump label, static call, alternative, BUG site, CFI preamble,
 *   another breakpoint); the instruction can't be probed
 * * -ENOENT: no such symbol; the module is being unloaded, or has dropped
 *   its init text
 * * -EILSEQ: not the first byte of an instruction
 * * -EBUSY: somebody changed the text meanwhile
 * * -ENOMEM: out of memory, or of slots
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/**
 * unregister_kprobes() - take several kprobes back
 * @kps: array of pointers to them
 * @num: how many
 *
 * One that is not registered gets its addr cleared; the others are taken back
 * all the same.  When this returns no handler of theirs is running or will run.
 *
 * Context: process context, sleeps for a grace period. Not from a probe handler.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	probes_unregister(kps, num);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe() - take one kprobe back
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
 * Others at the same address go on.
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, also if it is disabled already; -EINVAL if it is not registered;
 * -ENOMEM if its trap can't be taken out, and then it is not disabled.
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
 * its module is gone; an error of arming, and then it stays disabled.
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
 * Return: a phrase for people to read that stands alone, such as
 * "no such symbol"; it lasts as long as this module. NULL if the attempt
 * succeeded.
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
 * Context: any; it stays registered only if the caller sees to that.
 * Return: the kprobe or NULL.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct probe_point *pt;
	struct kprobe *p;

	preempt_disable();
	pt = table_find((unsigned long)addr);
	p = pt ? list_first_or_null_rcu(&pt->probes, struct kprobe, list) : NULL;
	preempt_enable();
	return p;
}
EXPORT_SYMBOL_GPL(get_kprobe);

/**
 * dump_kprobe() - print what a kprobe is
 * @p: the kprobe
 */
void dump_kprobe(struct kprobe *p)
{
	pr_err("kprobe %s+0x%x at %pS, flags 0x%x, missed %lu\n", p->symbol_name ?: "",
	       p->offset, p->addr, p->flags, p->nmissed);
}
EXPORT_SYMBOL_GPL(dump_kprobe);

/**
 * within_kprobe_blacklist() - may this address never be probed
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
