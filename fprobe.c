// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: probes on the entry and the return of many functions at once.
 *
 * Where the kernel has a function tracer, one ftrace_ops serves all entries of
 * an fprobe.  Elsewhere each entry has a kprobe, and so have a few entries where
 * kprobes cost less than the tracer's call.  Returns are hooked as for kretprobes.
 * Hits are served in fprobe_hit.c.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "host/inject.h"
#include "core/core.h"
#include "core/profile.h"
#include "core/return_hook.h"
#include "fprobe_private.h"

static LIST_HEAD(fprobes);	/* guarded by kprobe_mutex */

static void forget_vanishing_sites(struct module *mod, bool init_only);
static void unregister_left_behind(struct module *mod);
static void show_traced(struct seq_file *m, show_site_fn show);
static int set_all_traced(bool traced, bool *busy);
static int set_all_counted(bool counted);

/* Sites of the tracer have no probe points. */
static struct other_sites traced_sites = {
	.list = LIST_HEAD_INIT(traced_sites.list),
	.text_vanishes = forget_vanishing_sites,
	.module_goes = unregister_left_behind,
	.show = show_traced,
	.set_armed = set_all_traced,
	.set_counted = set_all_counted,
};

/* The return hooks test the client's flags without knowing struct fprobe. */
static_assert(FPROBE_FL_DISABLED == RETURN_EXIT_OFF);

/* ---- registration ---- */

static struct fprobe_hook *find_hook(const struct fprobe *fp)
{
	struct fprobe_hook *hook;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(hook, &fprobes, list)
		if (hook->client == fp)
			return hook;
	return NULL;
}

static int refuse(int err, const char *why)
{
	pr_info("can't register fprobe: %s (error %d)\n", why, err);
	return err;
}

static int check(const struct fprobe *fp, const char **why)
{
	*why = "already registered";
	if (find_hook(fp))
		return -EBUSY;
	*why = "no handler given";
	if (!fp->entry_handler && !fp->exit_handler)
		return -EINVAL;
	*why = "nr_maxactive is negative";
	if (fp->nr_maxactive < 0)
		return -EINVAL;
	*why = "nr_maxactive exceeds KRETPROBE_MAX_ACTIVE";
	if (fp->nr_maxactive > KRETPROBE_MAX_ACTIVE)
		return -E2BIG;
	*why = "entry_data_size exceeds KRETPROBE_MAX_DATA_SIZE";
	return fp->entry_data_size > KRETPROBE_MAX_DATA_SIZE ? -E2BIG : 0;
}

static unsigned int maxactive_of(const struct fprobe *fp, unsigned int functions)
{
	if (fp->nr_maxactive)
		return fp->nr_maxactive;
	return min_t(u64, 2ull * num_possible_cpus() * functions, KRETPROBE_MAX_ACTIVE);
}

static int make_return_hook(struct fprobe_hook *hook, const char **why)
{
	struct fprobe *fp = hook->fp;
	const struct return_user user = {
		.whose = &hook->kp,
		.exit = { fp->exit_handler, fp, &fp->flags, fp->entry_data_size },
		.nr = maxactive_of(fp, hook->functions.nr),
		.data_size = fp->entry_data_size,
	};
	struct return_hook *ret;

	if (!fp->exit_handler)
		return 0;
	ret = return_hook_create(&user, why);
	if (IS_ERR(ret))
		return PTR_ERR(ret);
	hook->ret = ret;
	hook->pools = ret->pools;
	return 0;
}

static void end_return_hook(struct fprobe_hook *hook)
{
	LIST_HEAD(ending);

	if (!hook->ret)
		return;
	return_hook_leave(hook->ret, &ending);
	return_hooks_destroy(&ending);
}

static void free_hook(struct fprobe_hook *hook)
{
	fprobe_counts_free(hook);
	functions_free(&hook->functions);
	kfree(hook);
}

/*
 * The tracer keeps using the hook, which is switched off, and its return hook, so neither may be freed.
 * What is the client's nobody uses any more.
 */
static void abandon(struct fprobe_hook *hook)
{
	pr_err("the tracer can't be detached from an fprobe: this module can't be unloaded\n");
	if (hook->ret)
		return_hook_end_exit(hook->ret);
	host_tracing_wait();
}

static void end_failed(struct fprobe_hook *hook)
{
	if (hook->forever) {
		abandon(hook);
		return;
	}
	end_return_hook(hook);
	fprobe_counts_free(hook);
	kfree(hook);
}

/* On success the hook owns what is in the set. */
static int attach(struct fprobe *fp, struct function_set *functions, bool may_be_refused,
		  const char **why)
{
	struct fprobe_hook *hook = inject_failure() ? NULL : kzalloc(sizeof(*hook), GFP_KERNEL);
	unsigned long missed = fp->nmissed;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	*why = "out of memory";
	if (!hook)
		return -ENOMEM;
	hook->client = fp;
	hook->fp = fp;
	hook->entry = fp->entry_handler ?: fprobe_no_entry_handler;
	hook->on_entry = hook->entry;
	hook->has_data = fp->entry_data_size;
	hook->functions = *functions;
	err = profile_on ? fprobe_counts_begin(hook) : 0;
	if (!err)
		err = make_return_hook(hook, why);
	if (!err) {
		fp->nmissed = 0;
		fprobe_switch_off(hook);
		err = fprobe_start(hook, may_be_refused, why);
	}
	if (err) {
		end_failed(hook);
		fp->nmissed = missed;
		return err;
	}
	*functions = (struct function_set){ };
	fp->hook = hook;
	list_add_tail(&hook->list, &fprobes);
	fprobe_switch_on(hook, fp);
	return 0;
}

/* Which functions are meant: by patterns, by names or by addresses. */
struct fprobe_request {
	const char *filter;
	const char *notfilter;
	const char **syms;
	const unsigned long *addrs;
	int num;
};

static int find_functions(const struct fprobe *fp, const struct fprobe_request *request,
			  struct function_set *set, const char **why)
{
	const unsigned long handlers[] = {
		(unsigned long)fp->entry_handler, (unsigned long)fp->exit_handler,
	};

	if (request->filter)
		return functions_matching(set, request->filter, request->notfilter, handlers, why);
	if (request->syms)
		return functions_named(set, request->syms, request->num, why);
	return functions_at(set, request->addrs, request->num, why);
}

static int do_register(struct fprobe *fp, const struct fprobe_request *request)
{
	struct function_set set = { };
	const char *why;
	int err;

	might_sleep();
	mutex_lock(&kprobe_mutex);
	other_sites_add(&traced_sites);
	err = check(fp, &why);
	if (!err)
		err = find_functions(fp, request, &set, &why);
	if (!err)
		err = attach(fp, &set, request->filter, &why);
	functions_free(&set);
	mutex_unlock(&kprobe_mutex);
	return err ? refuse(err, why) : 0;
}

/**
 * register_fprobe() - register an fprobe on the functions that match patterns
 * @fp: the fprobe; must stay in place until unregister_fprobe() has returned
 * @filter: names of functions, with commas between them; "*" in one stands for
 *	any characters, "?" for a single one
 * @notfilter: patterns of functions to leave out, in the same form; or NULL
 *
 * Functions of modules that are loaded later are not probed. A function that
 * matches but can't be probed is passed over, and so are @fp's own handlers, if
 * they are of the version that is the default.
 *
 * Context: process context, sleeps. Not from a probe handler.
 *
 * Return: 0. On error nothing has changed, and one line in the log says why:
 *
 * * -EINVAL: @fp or @filter is NULL; no function matches @filter alone, or none
 *   matches @notfilter; neither handler is given; nr_maxactive is negative
 * * -EBUSY: registered already; or, as -EOPNOTSUPP, live patching would trust a stack with a stub
 *   on it
 * * -E2BIG: nr_maxactive beyond KRETPROBE_MAX_ACTIVE, or entry_data_size beyond
 *   KRETPROBE_MAX_DATA_SIZE
 * * -ENOSPC: too many instances in the whole system
 * * -ENOMEM: out of memory
 * * -EOPNOTSUPP: this kernel gives no access to its list of symbols
 * * -ENODEV: the kernel's function tracer has failed and shut itself down
 */
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
	const struct fprobe_request request = { .filter = filter, .notfilter = notfilter };

	if (!fp || !filter)
		return -EINVAL;
	return do_register(fp, &request);
}
EXPORT_SYMBOL_GPL(register_fprobe);

/**
 * register_fprobe_ips() - register an fprobe on functions given by address
 * @fp: the fprobe; must stay in place until unregister_fprobe() has returned
 * @addrs: addresses of their first bytes, of the tracer's calls there, or what an
 *	entry_handler has been told; duplicates are allowed
 * @num: how many
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, or what register_fprobe() returns; -EINVAL also if @addrs is NULL,
 * @num is not positive, or one is not the entry of a function that can be probed;
 * -ENOENT if the module of one is coming or going, or its init text has gone.
 */
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	const struct fprobe_request request = { .addrs = addrs, .num = num };

	if (!fp || !addrs || num <= 0)
		return -EINVAL;
	return do_register(fp, &request);
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

/**
 * register_fprobe_syms() - register an fprobe on functions given by name
 * @fp: the fprobe; must stay in place until unregister_fprobe() has returned
 * @syms: the names, as register_kprobe() takes them; duplicates are allowed
 * @num: how many
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0, or what register_fprobe_ips() returns; -ENOENT if there is no such
 * symbol.
 */
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	const struct fprobe_request request = { .syms = syms, .num = num };
	int i;

	if (!fp || !syms || num <= 0)
		return -EINVAL;
	for (i = 0; i < num; i++)
		if (!syms[i])
			return -EINVAL;
	return do_register(fp, &request);
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

static void detach(struct fprobe_hook *hook)
{
	struct kprobe *running = &hook->kp;

	lockdep_assert_held(&kprobe_mutex);
	list_del(&hook->list);
	hook->client->hook = NULL;
	fprobe_switch_off(hook);
	if (!fprobe_stop(hook)) {
		abandon(hook);
		return;
	}
	end_return_hook(hook);
	dispatch_forget(&running, 1);
	free_hook(hook);
}

/**
 * unregister_fprobe() - unregister an fprobe
 * @fp: the fprobe
 *
 * When this returns, none of its handlers is running or will run; tasks inside
 * the probed functions return normally.  That holds also if the kernel's function tracer
 * has failed and lets nobody go: then kprobes.ko stays, and the log says so.
 *
 * Context: process context, sleeps. Not from a probe handler.
 * Return: 0; -EINVAL if it is not registered.
 */
int unregister_fprobe(struct fprobe *fp)
{
	struct fprobe_hook *hook;

	might_sleep();
	mutex_lock(&kprobe_mutex);
	hook = fp ? find_hook(fp) : NULL;
	if (hook)
		detach(hook);
	mutex_unlock(&kprobe_mutex);
	return hook ? 0 : -EINVAL;
}
EXPORT_SYMBOL_GPL(unregister_fprobe);

/**
 * fprobe_is_registered() - is an fprobe registered
 * @fp: any fprobe, or NULL
 *
 * Context: process context, sleeps.
 */
bool fprobe_is_registered(struct fprobe *fp)
{
	bool registered;

	might_sleep();
	mutex_lock(&kprobe_mutex);
	registered = fp && find_hook(fp);
	mutex_unlock(&kprobe_mutex);
	return registered;
}
EXPORT_SYMBOL_GPL(fprobe_is_registered);

/* ---- modules ---- */

/* Some call sites of a tracing. */
struct leaving {
	struct host_tracing *tracing;
	unsigned long *sites;
	unsigned int nr;
};

static int leave_sites(void *data)
{
	struct leaving *leaving = data;

	return host_tracing_leave(leaving->tracing, leaving->sites, leaving->nr);
}

static int forget_some(struct fprobe_hook *hook, unsigned int first, unsigned int nr)
{
	struct leaving leaving = { hook->tracing, hook->functions.addrs + first, nr };

	return nr && hook->tracing ? leave_patiently(leave_sites, &leaving) : 0;
}

/*
 * Addresses that stay in the tracer's filter would be traced when a module is loaded there, and
 * what that has there taken for what has gone.  To stop needs no memory.
 */
static void trace_anew(struct fprobe_hook *hook, const struct module *mod)
{
	const char *why;
	int err;

	if (fprobe_stop_tracing(hook)) {
		pr_err("some sites of an fprobe in %s are still traced\n", mod->name);
		return;
	}
	err = fprobe_start_tracing(hook, &why);
	if (hook->forever)
		fprobe_switch_off(hook);
	if (err)
		pr_err("an fprobe is off from now on, as %s went: %s (error %d)\n", mod->name,
		       err == -ENOMEM ? "memory was short" : why, err);
}

/* The addresses are sorted: those of a module are adjacent, except for its init text. */
static void forget_sites(struct fprobe_hook *hook, const struct module *mod, bool init_only)
{
	unsigned long *addrs = hook->functions.addrs;
	unsigned int i = 0, first, kept = 0;
	bool failed = false;

	while (i < hook->functions.nr) {
		for (first = i; i < hook->functions.nr && text_vanishes(addrs[i], mod, init_only); i++)
			;
		/* Then it is traced anew; once is patience enough. */
		failed = failed || forget_some(hook, first, i - first);
		if (i < hook->functions.nr)
			addrs[kept++] = addrs[i++];
	}
	hook->functions.nr = kept;
	if (failed)
		trace_anew(hook, mod);
}

/* Only for tracings: sites that are kprobes are handled with their probe points. */
static void forget_vanishing_sites(struct module *mod, bool init_only)
{
	struct fprobe_hook *hook;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(hook, &fprobes, list)
		if (!hook->sites)
			forget_sites(hook, mod, init_only);
}

/* What is called, that is: a client may have cleared the fprobe that it forgets. */
static bool belongs_to(const struct fprobe_hook *hook, const struct module *mod)
{
	return within_module((unsigned long)hook->client, mod) ||
	       within_module((unsigned long)hook->entry, mod) ||
	       (hook->ret && within_module((unsigned long)hook->ret->exit.call, mod));
}

/* If a client leaves an fprobe registered, calls of its handlers would run freed text. */
static void unregister_left_behind(struct module *mod)
{
	struct fprobe_hook *hook, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(hook, next, &fprobes, list) {
		if (!belongs_to(hook, mod))
			continue;
		pr_err("module %s goes and leaves an fprobe registered: unregistering it\n",
		       mod->name);
		detach(hook);
	}
}

/* ---- all on and off, and files ---- */

static int change_tracing(struct fprobe_hook *hook, bool traced)
{
	const char *why = "function tracer does not let it go";
	int err = traced ? fprobe_start_tracing(hook, &why) : fprobe_stop_tracing(hook);

	if (err)
		pr_info("can't turn an fprobe %s: %s (error %d)\n", traced ? "on" : "off", why, err);
	if (err && !traced) {
		/* It has failed, and may call the hook for ever.  host_tracing_stop() has pinned us. */
		hook->tracing = NULL;
		hook->forever = true;
	}
	return err;
}

/* What the tracer does not let go stays switched off, so nobody is called. */
static int set_traced(struct fprobe_hook *hook, bool traced)
{
	int err;

	if (hook->sites)
		return 0;
	if (hook->forever)
		return traced ? -ENODEV : 0;
	if (!hook->tracing == !traced)
		return 0;
	fprobe_switch_off(hook);
	err = change_tracing(hook, traced);
	if (hook->forever)
		host_tracing_wait();
	else
		fprobe_switch_on(hook, hook->client);
	return traced ? err : 0;
}

static void undo_traced(struct fprobe_hook *hook, bool traced)
{
	list_for_each_entry_continue_reverse(hook, &fprobes, list)
		if (set_traced(hook, !traced))
			pr_err("an fprobe is %s that should not be\n", traced ? "on" : "off");
}

/*
 * In the order of registration, which decides whose handlers run first.  A tracer that has failed
 * keeps none but its own off.
 */
static int set_all_traced(bool traced, bool *busy)
{
	struct fprobe_hook *hook;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(hook, &fprobes, list) {
		err = set_traced(hook, traced);
		if (err == -ENODEV) {
			*busy = true;
		} else if (err) {
			undo_traced(hook, traced);
			return err;
		}
	}
	return 0;
}

static int set_all_counted(bool counted)
{
	lockdep_assert_held(&kprobe_mutex);
	if (counted)
		return fprobe_counts_begin_all(&fprobes);
	fprobe_counts_end(&fprobes);
	return 0;
}

static void show_traced(struct seq_file *m, show_site_fn show)
{
	struct fprobe_hook *hook;
	struct other_site site;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(hook, &fprobes, list) {
		if (hook->sites)
			continue;
		site = (struct other_site){ .letter = FPROBE_LETTER,
					    .armed = hook->tracing,
					    .disabled = fprobe_disabled(hook->client) };
		for (i = 0; i < hook->functions.nr && file_goes_on(m); i++) {
			site.addr = hook->functions.addrs[i];
			site.counts = fprobe_counts_of(hook, site.addr);
			show(m, &site);
		}
	}
}
