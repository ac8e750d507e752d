// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes: a kprobe on the entry of a function, whose handler hooks the
 * return of the call.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "host/inject.h"
#include "core/core.h"
#include "core/return_hook.h"

/* An array of pointers to kretprobes is used as an array of pointers to kprobes. */
static_assert(offsetof(struct kretprobe, kp) == 0);

static void count_missed(struct kretprobe *rp)
{
	atomic_inc((atomic_t *)&rp->nmissed);
}

static noinline int miss(struct kretprobe *rp)
{
	count_missed(rp);
	dispatch_count_as_miss();
	return_hooks_reap_soon();
	return 0;
}

/* No instance is ready on this CPU, or the caller is a function with a hooked return, too. */
static noinline int follow_slowly(struct kretprobe *rp, struct return_call *ri,
				  struct pt_regs *regs)
{
	struct return_hook *hook = READ_ONCE(rp->hook);
	unsigned long *slot = arch_return_slot(regs);

	if (!ri && hook)
		ri = return_call_get_slowly(hook);
	if (!ri)
		return miss(rp);
	return_call_describe(ri, return_address_of(*slot));
	return_call_arm(ri, *slot, slot, arch_return_frame(regs));
	return 0;
}

/*
 * A client may have cleared what it has not unregistered.  Behind a jump we are called all the same,
 * and what is at offset 0 of each CPU's data is not ours.
 */
static int on_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct return_pool __percpu *pools = READ_ONCE(rp->pools);
	unsigned long frame = arch_return_frame(regs);
	unsigned long *slot = arch_return_slot(regs);
	struct return_call *ri;
	unsigned long addr;

	if (unlikely(!pools))
		return miss(rp);
	ri = return_call_get(pools);
	addr = READ_ONCE(*slot);
	if (unlikely(!ri || return_address_may_be_stub(addr)))
		return follow_slowly(rp, ri, regs);
	return_call_describe(ri, addr);
	return_call_arm(ri, addr, slot, frame);
	return 0;
}

/* If the entry handler returns non-zero, this call is not followed. */
static int on_entry_with_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	kretprobe_handler_t entry_handler = READ_ONCE(rp->entry_handler);
	struct return_pool __percpu *pools = READ_ONCE(rp->pools);
	struct return_hook *hook = READ_ONCE(rp->hook);
	struct return_call *ri = likely(pools) ? return_call_get(pools) : NULL;
	unsigned long *slot = arch_return_slot(regs);

	if (!ri && hook)
		ri = return_call_get_slowly(hook);
	if (unlikely(!ri))
		return miss(rp);
	return_call_describe(ri, return_address_of(*slot));
	/* Cleared as the rest, or without it. */
	if (likely(entry_handler) && entry_handler(&ri->public, regs))
		return_call_put(ri);
	else
		return_call_arm(ri, *slot, slot, arch_return_frame(regs));
	return 0;
}

static kprobe_pre_handler_t handler_of(const struct kprobe *p)
{
	const struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	return rp->entry_handler ? on_entry_with_handler : on_entry;
}

static int maxactive_of(const struct kretprobe *rp)
{
	return rp->maxactive > 0 ? rp->maxactive :
				   clamp_t(int, 2 * num_possible_cpus(), 10, KRETPROBE_MAX_ACTIVE);
}

static const char *bad_request(const struct kretprobe *rp)
{
	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return "data_size exceeds KRETPROBE_MAX_DATA_SIZE";
	if (rp->maxactive > KRETPROBE_MAX_ACTIVE)
		return "maxactive exceeds KRETPROBE_MAX_ACTIVE";
	return NULL;
}

static int refuse(struct kretprobe *rp, int err, const char *why)
{
	rp->kp.refusal = why;
	pr_info("can't probe the return of %s: %s (error %d)\n",
		rp->kp.symbol_name ?: "an address", why, err);
	return err;
}

static bool is_among(struct kretprobe *rp, struct kretprobe **rps, int num)
{
	while (num--)
		if (rps[num] == rp)
			return true;
	return false;
}

/* Beyond so many to compare each to each takes too long. */
#define MANY	1024

/*
 * May one of them be there twice, up to the first NULL?  If there is no memory to find out, yes: then each
 * is compared to each.
 */
static bool may_be_twice(struct kretprobe **rps, int num)
{
	struct kretprobe **sorted;
	int i, nr;

	for (nr = 0; nr < num && rps[nr]; nr++)
		;
	if (nr < MANY || inject_failure())
		return true;
	sorted = kvmalloc_array(nr, sizeof(*sorted), GFP_KERNEL | __GFP_NOWARN);
	if (!sorted)
		return true;
	memcpy(sorted, rps, nr * sizeof(*sorted));
	sort(sorted, nr, sizeof(*sorted), host_by_value, NULL);
	for (i = 1; i < nr && sorted[i] != sorted[i - 1]; i++)
		;
	kvfree(sorted);
	return i < nr;
}

static struct return_hook *make_hook(struct kretprobe *rp, const char **why)
{
	const struct return_user user = {
		.whose = &rp->kp,
		.rp = rp,
		.handler = rp->handler,
		.nr = maxactive_of(rp),
		.data_size = rp->data_size,
	};

	return return_hook_create(&user, why);
}

/*
 * A registered kretprobe must keep its hook, so that is checked before anything is written, and
 * nobody else may register it before we do.
 */
static int prepare(struct kretprobe *rp, bool is_twice)
{
	const char *why = bad_request(rp);
	struct return_hook *hook;

	lockdep_assert_held(&kprobe_mutex);
	if (is_twice || point_of_mended(&rp->kp))
		return refuse(rp, -EINVAL, "already registered");
	if (why)
		return refuse(rp, rp->data_size > KRETPROBE_MAX_DATA_SIZE ? -E2BIG : -EINVAL, why);
	hook = make_hook(rp, &why);
	if (IS_ERR(hook))
		return refuse(rp, PTR_ERR(hook), why);
	rp->hook = hook;
	rp->pools = hook->pools;
	rp->given_nmissed = rp->nmissed;
	rp->nmissed = 0;
	return 0;
}

/* The client may have cleared, or clear at any time, what is behind the kprobe. */
static struct return_hook *hook_of(const struct kretprobe *rp)
{
	lockdep_assert_held(&kprobe_mutex);
	return READ_ONCE(rp->hook) ?: return_hook_of(&rp->kp);
}

/* ---- operations of struct probe_kind ---- */

static void missed(struct kprobe *p)
{
	count_missed(container_of(p, struct kretprobe, kp));
}

static bool belongs_to(const struct kprobe *p, const struct module *mod)
{
	const struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	const struct return_hook *hook = hook_of(rp);

	/* A client may have cleared the one that it forgets; the hook has what is called. */
	return within_module((unsigned long)rp->handler, mod) ||
	       within_module((unsigned long)rp->entry_handler, mod) ||
	       (hook && within_module((unsigned long)hook->handler, mod));
}

/* Followed calls may return at any time, and a return does not hit the probe point. */
static void changed(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct return_hook *hook = hook_of(rp);

	lockdep_assert_held(&kprobe_mutex);
	if (hook)
		return_hook_set_handler(hook, kprobe_disabled(p) ? NULL : rp->handler);
}

static void mend(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct return_hook *hook = return_hook_of(p);

	lockdep_assert_held(&kprobe_mutex);
	/* Hits read them meanwhile. */
	WRITE_ONCE(rp->hook, hook);
	WRITE_ONCE(rp->pools, hook->pools);
}

static void leave(struct kprobe *p)
{
	struct return_hook *hook = hook_of(container_of(p, struct kretprobe, kp));

	if (hook)
		return_hook_leave_later(hook);
}

static void left(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	rp->hook = NULL;
	rp->pools = NULL;
}

static const struct probe_kind kretprobe_kind = {
	.letter = 'r',
	.entry_only = true,
	.handler_of = handler_of,
	.goes_on = true,
	.missed = missed,
	.belongs_to = belongs_to,
	.changed = changed,
	.mend = mend,
	.leave = leave,
	.left = left,
};

/* Returns how many have been prepared: on error all before the one that can't be. */
static int prepare_all(struct kretprobe **rps, int num, int *err)
{
	bool search = may_be_twice(rps, num);
	int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0, *err = 0; i < num; i++) {
		*err = rps[i] ? prepare(rps[i], search && is_among(rps[i], rps, i)) : -EINVAL;
		if (*err)
			break;
		cond_resched_tasks_rcu_qs();
	}
	return i;
}

static int add_all(struct kretprobe **rps, int num, struct list_head *ending)
{
	int err, prepared = prepare_all(rps, num, &err);

	lockdep_assert_held(&kprobe_mutex);
	if (!err)
		err = probes_add(&kretprobe_kind, (struct kprobe **)rps, num);
	while (prepared--) {
		if (!err) {
			rps[prepared]->maxactive = maxactive_of(rps[prepared]);
			continue;
		}
		/* Not one that was registered, and has been unregistered again. */
		if (rps[prepared]->hook)
			leave(&rps[prepared]->kp);
		left(&rps[prepared]->kp);
		rps[prepared]->nmissed = rps[prepared]->given_nmissed;
	}
	return_hooks_close(ending);
	return err;
}

/* ---- interface for clients ---- */

/**
 * register_kretprobes() - register several kretprobes, or none
 * @rps: array of pointers to them
 * @num: how many
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0. If one can't be registered, its error as from register_kretprobe():
 * those before it are unregistered again. -EINVAL if @num is not positive or a
 * pointer is NULL.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	LIST_HEAD(ending);
	int err;

	might_sleep();
	if (!rps || num <= 0)
		return -EINVAL;
	mutex_lock(&kprobe_mutex);
	err = add_all(rps, num, &ending);
	mutex_unlock(&kprobe_mutex);
	return_hooks_destroy(&ending);
	return err;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe() - register one kretprobe
 * @rp: the kretprobe; must stay in place until unregister_kretprobe() has returned
 *
 * Context: process context, sleeps. Not from a probe handler.
 *
 * Return: 0, or what register_kprobe() returns, and also:
 *
 * * -EINVAL: not the entry of a function; maxactive beyond KRETPROBE_MAX_ACTIVE
 * * -E2BIG: data_size beyond KRETPROBE_MAX_DATA_SIZE
 * * -ENOSPC: too many instances in the whole system
 * * -EBUSY, -EOPNOTSUPP: live patching would trust a stack with a stub on it
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobes() - unregister several kretprobes
 * @rps: array of pointers to them
 * @num: how many
 *
 * If one is not registered, its kp.addr is cleared; the others are unregistered
 * all the same.  When this returns, none of their handlers is running or will
 * run; tasks inside the probed functions return normally.
 *
 * Context: process context, sleeps. Not from a probe handler.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	/* Of two tasks the second waits in there for the handlers: points_release(). */
	probes_unregister((struct kprobe **)rps, num);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe() - unregister one kretprobe
 * @rp: the kretprobe; if it is not registered its kp.addr is cleared
 *
 * Context: process context, sleeps. Not from a probe handler.
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);

/**
 * disable_kretprobe() - stop a kretprobe's handlers for a while
 * @rp: a registered kretprobe
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: as disable_kprobe().
 */
int disable_kretprobe(struct kretprobe *rp)
{
	return probe_set_disabled(rp ? &rp->kp : NULL, true);
}
EXPORT_SYMBOL_GPL(disable_kretprobe);

/**
 * enable_kretprobe() - let a disabled kretprobe's handlers run again
 * @rp: a registered kretprobe
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: as enable_kprobe().
 */
int enable_kretprobe(struct kretprobe *rp)
{
	return probe_set_disabled(rp ? &rp->kp : NULL, false);
}
EXPORT_SYMBOL_GPL(enable_kretprobe);

/**
 * kretprobe_find_ret_addr() - the real return address that a stub on a stack replaces
 * @tsk: whose stack
 * @fp: where the return address is on that stack
 * @cur: not used; for callers written for mainline
 *
 * For unwinders of other modules that find an address in
 * [kprobes] arch_return_stubs.
 *
 * Context: any; @tsk is current or not running.
 * Return: the address; 0 if the one at @fp is not one of our stubs.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	unsigned long at, real;

	if (copy_from_kernel_nofault(&at, fp, sizeof(at)))
		return 0;
	at = arch_return_in(&at);
	/* Who is preempted here is not waited for on every kernel. */
	preempt_disable_notrace();
	real = return_address_of(at);
	preempt_enable_notrace();
	return real == at ? 0 : real;
}
EXPORT_SYMBOL_GPL(kretprobe_find_ret_addr);

/**
 * is_kretprobe_trampoline() - is an address in the stubs of our return probes
 * @addr: a return address; on arm64 without its signature
 *
 * Mainline has one trampoline, we have a stub for each call that is followed.
 *
 * Context: any.
 */
bool is_kretprobe_trampoline(unsigned long addr)
{
	return return_address_is_stub(addr);
}
EXPORT_SYMBOL_GPL(is_kretprobe_trampoline);
