// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call sites of the function tracer: the kernel's ftrace owns those bytes, so
 * hits reach us by a callback of ftrace's.
 *
 * If ours is the only ops at a site, ftrace calls the trampoline in the ops, which
 * is one of ours.  Otherwise it goes through the list of all ops and calls their
 * functions.
 *
 * Ops that were registered later are called earlier.  The ops of the probes, one for
 * each way, are registered before any other of ours and stay as long as there are
 * any, so they are called last.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "arch_host.h"
#include "ftrace_private.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"
#include "tracing.h"

#ifdef LKP_HAVE_FTRACE

static ftrace_func_t on_probed;
ftrace_func_t tracer_on_traced;
static struct ftrace_ops probe_ops[ARCH_NR_FTRACE_WAYS];
static unsigned long anchor;
/* The head of ftrace's list; NULL: not known. */
static struct ftrace_ops **ops_list;
/* Guards all that follows. */
DEFINE_MUTEX(tracer_mutex);
static unsigned int nr_started, nr_armed;
unsigned int tracer_nr_tracings;
static bool stays;	/* this module, as the tracer has failed */

/*
 * A removal that failed half-way and could not be undone, both for want of memory, has left sites that are
 * not in the filter any more.  The next one is to find them gone, and not to fail for ever.
 */
static int gone_is_removed(int err, bool remove)
{
	return remove && err == -ENOENT ? 0 : err;
}

#ifdef LKP_FTRACE_TAKES_SITES

static int remove_each(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = gone_is_removed(ftrace_set_filter_ips(ops, &sites[i], 1, 1, 0), true);
	return err;
}

/* All or none, but for a removal where some are gone already: see gone_is_removed(). */
int tracer_set_filter(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr, bool remove)
{
	int err = ftrace_set_filter_ips(ops, sites, nr, remove, 0);

	if (err == -ENOENT && remove && nr > 1)
		return remove_each(ops, sites, nr);
	return gone_is_removed(err, remove);
}

static int set_only_site(struct ftrace_ops *ops, unsigned long *site)
{
	return ftrace_set_filter_ips(ops, site, 1, 0, 1);
}

void tracer_free_filter(struct ftrace_ops *ops)
{
	ftrace_free_filter(ops);
}

#else

/* Older tracers take one site at a time, and can't be told to forget a filter but by a new one. */
int tracer_set_filter(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr, bool remove)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = gone_is_removed(ftrace_set_filter_ip(ops, sites[i], remove, 0), remove);
	if (!err)
		return 0;
	for (i--; i--; )
		ftrace_set_filter_ip(ops, sites[i], !remove, 0);
	return err;
}

static int set_only_site(struct ftrace_ops *ops, unsigned long *site)
{
	return ftrace_set_filter_ip(ops, *site, 0, 1);
}

void tracer_free_filter(struct ftrace_ops *ops)
{
	if (ftrace_set_filter_ip(ops, 0, 0, 1))
		pr_debug("no memory to free a filter\n");
}

#endif

/*
 * Has the tracer failed, and shut itself down?  It finds out while it changes text, as where a site is not
 * what it left there, changes no more of it, and reports success.  So it is asked behind each change: sites
 * may go on calling what was to go.  The first thing it does with a filter, before it needs memory for it,
 * is to say that it is dead.  This filter is nobody's, and so has nothing to remove.
 */
static bool has_failed(void)
{
	static struct ftrace_ops nobody;

	lockdep_assert_held(&tracer_mutex);
	return tracer_set_filter(&nobody, &anchor, 1, true) == -ENODEV;
}

static int check_alive(void)
{
	return has_failed() ? -ENODEV : 0;
}

/* A filter for no site but the anchor, and these. */
static int fill_filter(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr)
{
	int err = tracer_set_filter(ops, &anchor, 1, false);

	return err || !nr ? err : tracer_set_filter(ops, sites, nr, false);
}

/*
 * -EOWNERDEAD: the tracer failed when some of the sites were attached.  It may call @ops as long as there
 * are calls, and read its filter.  Not so if it had failed before: then it has said so at first.
 */
int tracer_attach(struct ftrace_ops *ops, unsigned long *sites, unsigned int nr, bool unfiltered)
{
	int err;

	lockdep_assert_held(&tracer_mutex);
	if (!anchor)
		return -ENODEV;
	if (inject_failure())
		return -ENOMEM;
	err = unfiltered ? check_alive() : fill_filter(ops, sites, nr);
	if (!err) {
		err = register_ftrace_function(ops);
		if (has_failed())
			return -EOWNERDEAD;
	}
	if (err)
		tracer_free_filter(ops);
	return err;
}

/*
 * No call but that of the anchor, which nobody makes, leads to @ops any more; or all do as before,
 * if memory is short.  On error, which is that of a tracer that has failed, some may for ever.
 */
int tracer_leave_sites(struct ftrace_ops *ops)
{
	lockdep_assert_held(&tracer_mutex);
	if (set_only_site(ops, &anchor) == -ENOMEM)
		pr_debug("no memory to leave the sites first\n");
	return check_alive();
}

/* On error @ops may be called as long as there are calls. */
int tracer_detach(struct ftrace_ops *ops)
{
	int err = unregister_ftrace_function(ops);

	return err ?: check_alive();
}

static int stop_probe_ops(void)
{
	int err;

	while (nr_started) {
		err = tracer_detach(&probe_ops[nr_started - 1]);
		if (err)
			return err;
		tracer_free_filter(&probe_ops[--nr_started]);
	}
	return 0;
}

/* A tracer that has shut itself down lets nobody go: it may call us as long as there are calls. */
static void stay(bool needed)
{
	lockdep_assert_held(&tracer_mutex);
	if (needed == stays)
		return;
	WRITE_ONCE(stays, needed);
	if (!needed) {
		module_put(THIS_MODULE);
		return;
	}
	__module_get(THIS_MODULE);
	pr_err("probes can't be unregistered from the function tracer: this module stays\n");
}

/*
 * The anchor is in the filter of every way, also of those that its site is not near
 * to.  Way 0, which has no such limit, is first: so no other ops is ever alone there.
 */
int tracer_begin(void)
{
	int err = 0;

	lockdep_assert_held(&tracer_mutex);
	if (nr_started < ARCH_NR_FTRACE_WAYS && anchor && has_failed())
		return -ENODEV;
	while (nr_started < ARCH_NR_FTRACE_WAYS && !err) {
		/* A failed attempt may have left contents, which have been freed. */
		probe_ops[nr_started] = (struct ftrace_ops){
			.func = on_probed,
			.flags = OPS_FLAGS,
			.trampoline = arch_ftrace_trampoline(nr_started),
		};
		err = tracer_attach(&probe_ops[nr_started], NULL, 0, false);
		if (!err)
			nr_started++;
	}
	if (err == -EOWNERDEAD) {
		stay(true);
		return -ENODEV;
	}
	if (err)
		stop_probe_ops();
	return err;
}

/* Are the ops of the probes registered, some of them? */
bool tracer_has_begun(void)
{
	return nr_started;
}

/* Is a site of theirs armed? */
bool tracer_has_probes(void)
{
	return nr_armed;
}

/* This restores the kernel's own trampolines, too. */
void tracer_stop_if_unused(void)
{
	if (nr_started && !nr_armed && !tracer_nr_tracings)
		stay(stop_probe_ops());
}

/* Moves the sites of one way to the front, and returns how many there are. */
static unsigned int gather(unsigned long *sites, unsigned int nr, unsigned int way)
{
	unsigned int i, some = 0;

	for (i = 0; i < nr; i++) {
		if (arch_ftrace_way(sites[i]) != way)
			continue;
		swap(sites[i], sites[some]);
		some++;
	}
	return some;
}

static int change_filters(unsigned long *sites, unsigned int nr, bool remove)
{
	unsigned int way, some, done = 0;
	int err = 0;

	lockdep_assert_held(&tracer_mutex);
	for (way = 0; way < ARCH_NR_FTRACE_WAYS; way++) {
		some = gather(sites + done, nr - done, way);
		if (some)
			err = tracer_set_filter(&probe_ops[way], sites + done, some, remove);
		if (err)
			break;
		done += some;
	}
	if (err && done)
		change_filters(sites, done, !remove);
	return err;
}

/* A site that calls us, though it is not armed, finds no probe. */
static int arm(unsigned long *sites, unsigned int nr)
{
	int err;

	lockdep_assert_held(&tracer_mutex);
	err = tracer_begin() ?: change_filters(sites, nr, false) ?: check_alive();
	if (!err)
		nr_armed += nr;
	else
		tracer_stop_if_unused();
	return err;
}

static int disarm(unsigned long *sites, unsigned int nr)
{
	int err;

	lockdep_assert_held(&tracer_mutex);
	if (nr < nr_armed || tracer_nr_tracings)
		err = change_filters(sites, nr, true) ?: check_alive();
	else
		err = stop_probe_ops();
	if (!err)
		nr_armed -= nr;
	else if (err == -ENODEV)
		stay(true);
	return err;
}

static int change_sites(unsigned long *sites, unsigned int nr,
			int (*change)(unsigned long *sites, unsigned int nr))
{
	int err;

	might_sleep();
	if (inject_failure())
		return -ENOMEM;
	mutex_lock(&tracer_mutex);
	err = change(sites, nr);
	mutex_unlock(&tracer_mutex);
	host_text_refresh(sites, nr);
	return err;
}

/**
 * host_ftrace_arm() - direct calls at these sites to the callback for probes
 * @sites: call sites, as host_ftrace_location() gives them; their order may change
 * @nr: how many
 *
 * Context: process context, sleeps.
 * Return: 0; an error of ftrace's: then none is armed.
 */
int host_ftrace_arm(unsigned long *sites, unsigned int nr)
{
	return change_sites(sites, nr, arm);
}

/**
 * host_ftrace_disarm() - undo host_ftrace_arm()
 * @sites: sites that are armed; their order may change
 * @nr: how many
 *
 * Context: process context, sleeps.
 * Return: 0; an error of ftrace's: then all may still be armed.
 */
int host_ftrace_disarm(unsigned long *sites, unsigned int nr)
{
	return change_sites(sites, nr, disarm);
}

/**
 * host_ftrace_forget() - a site that is armed, and could not be disarmed, vanishes with its text
 *
 * Its address may stay in our filter for as long as that is in use.  The tracer has no site there,
 * and if it gets one of a later module, it calls us for nothing.
 *
 * Context: process context, sleeps.
 */
void host_ftrace_forget(void)
{
	might_sleep();
	mutex_lock(&tracer_mutex);
	nr_armed--;
	tracer_stop_if_unused();
	mutex_unlock(&tracer_mutex);
}

/**
 * host_ftrace_keeps_sites() - has the tracer failed, so that sites that are armed stay so for ever
 *
 * Context: any; it is known once one could not be disarmed.
 */
bool host_ftrace_keeps_sites(void)
{
	return READ_ONCE(stays);
}

/* Does an ops with one of these flags have the site? Without the look-up it counts as if. */
static bool has_site(const struct ftrace_ops *ops, unsigned long flags, unsigned long site)
{
	if (!(ops->flags & flags))
		return false;
	return !import_has(ftrace_lookup_ip) ||
	       import_ftrace_lookup_ip(rcu_dereference_raw(ops->func_hash->filter_hash), site);
}

/**
 * host_ftrace_overridden() - does a callback decide in vain where the function goes on
 * @ops: that of the callback
 * @site: the call site
 *
 * ftrace is going to call those behind @ops in its list.  If a live patch is among them, it
 * replaces the address that our callback sets.  One before @ops does no harm: our callback
 * finds its address and replaces it or keeps it.  A direct caller, as BPF programs have,
 * is called after all callbacks and may ignore the address.  Of one before @ops see
 * arch_ftrace_is_kept().
 *
 * Context: any, with preemption off; @ops is registered, so that ftrace goes on from it too.
 */
bool host_ftrace_overridden(const struct ftrace_ops *ops, unsigned long site)
{
	while ((ops = rcu_dereference_raw(ops->next)))
		if (has_site(ops, FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT, site))
			return true;
	return false;
}

/* Those before ours in the list are only seen where the kernel's symbols name it. */
static bool is_called_directly(const struct ftrace_ops *ours, unsigned long site)
{
	const struct ftrace_ops *ops = ops_list ? READ_ONCE(*ops_list) : ours;

	for (; ops && ops != ours; ops = rcu_dereference_raw(ops->next))
		if (has_site(ops, FTRACE_OPS_FL_DIRECT, site))
			return true;
	return false;
}

static bool others_decide(unsigned long site)
{
	const struct ftrace_ops *ours = &probe_ops[arch_ftrace_way(site)];
	bool decided;

	lockdep_assert_held(&tracer_mutex);
	preempt_disable();	/* Those that leave the list stay until then. */
	decided = is_called_directly(ours, site) || host_ftrace_overridden(ours, site);
	preempt_enable();
	return decided;
}

/**
 * host_ftrace_redirectable() - can the callback for probes decide where a function goes on
 * @site: its call site, as host_ftrace_location() gives it
 * @why: on error, set to the reason
 *
 * The answer holds until somebody else comes or goes.  It takes a callback of ours to find out,
 * which stays: host_ftrace_let_go().
 *
 * Context: process context, sleeps.
 * Return: 0; -EBUSY if another user of the tracer decides that; an error of ftrace's.
 */
int host_ftrace_redirectable(unsigned long site, const char **why)
{
	int err;

	might_sleep();
	mutex_lock(&tracer_mutex);
	*why = "function tracer refuses our callback";
	err = tracer_begin();
	if (!err && others_decide(site)) {
		*why = "a live patch or BPF program decides where the function goes on";
		err = -EBUSY;
	}
	mutex_unlock(&tracer_mutex);
	return err;
}

/**
 * host_ftrace_let_go() - leave the tracer if it serves nothing of ours
 *
 * To be called behind host_ftrace_redirectable(), when it has been asked about the last site and
 * those that are to be armed are: leaving takes as long as the tracer's slowest callback.
 *
 * Context: process context, sleeps.
 */
void host_ftrace_let_go(void)
{
	might_sleep();
	mutex_lock(&tracer_mutex);
	tracer_stop_if_unused();
	mutex_unlock(&tracer_mutex);
}

/**
 * host_has_tracer() - can host_tracing_start() be used on this kernel
 */
bool host_has_tracer(void)
{
	return anchor;
}

/**
 * host_ftrace_init() - find out whether there is a tracer
 * @probed: the callback for sites of host_ftrace_arm()
 * @traced: the callback for sites of host_tracing_start()
 *
 * Context: process context, may sleep.
 * Return: 0, or an error of arch_ftrace_init().
 */
int host_ftrace_init(ftrace_func_t probed, ftrace_func_t traced)
{
	might_sleep();
	on_probed = probed;
	tracer_on_traced = traced;
	anchor = host_ftrace_location((unsigned long)host_ftrace_anchor);
	ops_list = (struct ftrace_ops **)host_lookup("ftrace_ops_list");
	return arch_ftrace_init();
}

/**
 * host_ftrace_exit() - detach from the tracer, when no site is armed
 */
void host_ftrace_exit(void)
{
	host_ftrace_let_go();
	arch_ftrace_exit();
}

#else /* !LKP_HAVE_FTRACE */

void host_ftrace_forget(void)
{
}

bool host_ftrace_keeps_sites(void)
{
	return false;
}

int host_ftrace_arm(unsigned long *sites, unsigned int nr)
{
	return -EOPNOTSUPP;
}

int host_ftrace_disarm(unsigned long *sites, unsigned int nr)
{
	return -EOPNOTSUPP;
}

int host_ftrace_redirectable(unsigned long site, const char **why)
{
	return -EOPNOTSUPP;
}

void host_ftrace_let_go(void)
{
}

bool host_has_tracer(void)
{
	return false;
}

void host_ftrace_exit(void)
{
}

#endif /* LKP_HAVE_FTRACE */
