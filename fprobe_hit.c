// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: hits of entries, by the tracer and by kprobes.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/fprobe.h>

#include "core/dispatch.h"
#include "core/profile.h"
#include "core/return_hook.h"
#include "fprobe_private.h"

/* fprobe_disabled() of what is never NULL: each hit asks. */
static __always_inline bool is_disabled(const struct fprobe *fp)
{
	/* As there. */
	return data_race(fp->flags & FPROBE_FL_DISABLED);
}

static void count_missed(struct fprobe_hook *hook, struct fprobe *fp, unsigned long site)
{
	atomic_long_inc((atomic_long_t *)&fp->nmissed);
	counts_miss(fprobe_counts_of(hook, site));
}

/**
 * fprobe_no_entry_handler() - stands in for a missing entry_handler
 * @fp: not used, as all others
 * @site: the entry
 * @addr: where it returns to
 * @regs: registers there
 * @data: of the instance
 *
 * Return: 0
 */
int fprobe_no_entry_handler(struct fprobe *fp, unsigned long site, unsigned long addr,
			    struct pt_regs *regs, void *data)
{
	return 0;
}

/* The guard is held; @addr is not a stub. */
static __always_inline void follow(struct fprobe_hook *hook, struct fprobe *fp,
				   struct return_call *ri, unsigned long site,
				   unsigned long addr, struct pt_regs *regs)
{
	void *data = hook->has_data ? ri->public.data : NULL;
	unsigned long frame, *slot;

	return_call_describe(ri, addr);
	ri->entry_ip = site;
	if (READ_ONCE(hook->on_entry)(fp, site, addr, regs, data)) {
		return_call_put(ri);
		return;
	}
	frame = arch_return_frame(regs);
	slot = arch_return_slot(regs);
	return_call_arm(ri, READ_ONCE(*slot), slot, frame);
}

/*
 * Clients written for mainline rely on their data: if there is none to give, no
 * handler runs.  If the client asks for no data, its entry_handler runs; it is no hit.
 */
static void miss(struct fprobe_hook *hook, struct fprobe *fp, unsigned long site,
		 unsigned long addr, struct pt_regs *regs)
{
	count_missed(hook, fp, site);
	return_hooks_reap_soon();
	if (!hook->has_data)
		hook->entry(fp, site, addr, regs, NULL);
}

/* No instance is ready on this CPU, or the caller is a function with a hooked return, too. */
static noinline void enter_slowly(struct fprobe_hook *hook, struct fprobe *fp,
				  struct return_call *ri, unsigned long site,
				  struct pt_regs *regs)
{
	unsigned long addr = return_address_of(*arch_return_slot(regs));

	if (!hook->pools) {
		READ_ONCE(hook->on_entry)(fp, site, addr, regs, NULL);
		return;
	}
	if (!ri)
		ri = return_call_get_slowly(hook->ret);
	if (ri)
		follow(hook, fp, ri, site, addr, regs);
	else
		miss(hook, fp, site, addr, regs);
}

/* The guard is held. */
static __always_inline void enter(struct fprobe_hook *hook, struct fprobe *fp,
				  unsigned long site, struct pt_regs *regs)
{
	struct return_pool __percpu *pools = hook->pools;
	struct return_call *ri = pools ? return_call_get(pools) : NULL;
	unsigned long addr = READ_ONCE(*arch_return_slot(regs));

	if (unlikely(return_address_may_be_stub(addr) || (pools && !ri)))
		enter_slowly(hook, fp, ri, site, regs);
	else if (ri)
		follow(hook, fp, ri, site, addr, regs);
	else
		READ_ONCE(hook->on_entry)(fp, site, addr, regs, NULL);
}

static noinline void hit_slowly(struct fprobe_hook *hook, struct fprobe *fp, unsigned long site,
				struct pt_regs *regs)
{
	if (!dispatch_take()) {
		count_missed(hook, fp, site);
		return;
	}
	dispatch_running(&hook->kp);
	handlers_enter();
	enter(hook, fp, site, regs);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
}

/**
 * fprobe_hit() - handle a hit of an fprobe's entry, called from the tracer
 * @hook: the fprobe
 * @site: the address that was hit
 * @regs: registers there; the caller ignores a changed ip
 *
 * Context: any, with interrupts off.
 */
asmlinkage void fprobe_hit(struct fprobe_hook *hook, unsigned long site, struct pt_regs *regs)
{
	struct fprobe *fp = READ_ONCE(hook->fp);

	if (unlikely(is_disabled(fp)))
		return;
	if (unlikely(dispatch_busy())) {
		hit_slowly(hook, fp, site, regs);
		return;
	}
	dispatch_begin(&hook->kp);
	handlers_enter();
	enter(hook, fp, site, regs);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
}

/**
 * fprobe_on_entry() - pre_handler of an entry that is served by a kprobe
 * @p: in a struct fprobe_site
 * @regs: registers there
 *
 * Context: that of handlers.
 * Return: 0
 */
int fprobe_on_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct fprobe_hook *hook = container_of(p, struct fprobe_site, kp)->hook;
	struct fprobe *fp = READ_ONCE(hook->fp);

	if (likely(!is_disabled(fp)))
		enter(hook, fp, (unsigned long)p->addr, regs);
	return 0;
}

/**
 * fprobe_missed() - an entry that is served by a kprobe was hit in vain
 * @p: in a struct fprobe_site
 *
 * Context: that of handlers.
 */
void fprobe_missed(struct kprobe *p)
{
	struct fprobe_hook *hook = container_of(p, struct fprobe_site, kp)->hook;
	struct fprobe *fp = READ_ONCE(hook->fp);

	if (!is_disabled(fp))
		count_missed(hook, fp, (unsigned long)p->addr);
}

static struct fprobe switched_off = { .flags = FPROBE_FL_DISABLED };

/**
 * fprobe_switch_off() - let entries call no handler of an fprobe that is being attached or detached
 * @hook: the fprobe
 *
 * One on functions that text is changed with would be hit thousands of times meanwhile, and each
 * hit makes that longer.  So its entries are seen from when the last of its functions has been
 * attached, until the first of them is to be detached: no call that begins while it is registered is
 * missed.  Exit handlers of calls that were seen are called as ever.
 *
 * A hit that has read the other pointer before goes on: who frees what it uses waits for it, as for
 * those that are on their way here.
 *
 * Context: kprobe_mutex held.
 */
void fprobe_switch_off(struct fprobe_hook *hook)
{
	WRITE_ONCE(hook->fp, &switched_off);
}

/**
 * fprobe_switch_on() - undo fprobe_switch_off()
 * @hook: the fprobe
 * @fp: the client's
 *
 * Context: kprobe_mutex held.
 */
void fprobe_switch_on(struct fprobe_hook *hook, struct fprobe *fp)
{
	/*
	 * Orders all that a hit reads before it.  Those who begin a call when they know that it is
	 * registered know this, too.
	 */
	smp_store_release(&hook->fp, fp);
}
