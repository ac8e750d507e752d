// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: how their functions come to call us, by kprobes or by the function tracer, and how that ends.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "host/inject.h"
#include "core/core.h"
#include "fprobe_private.h"

/* ---- by kprobes ---- */

static struct probe_counts __percpu *counts_of_site(const struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	return fprobe_counts_of(container_of(p, struct fprobe_site, kp)->hook,
				(unsigned long)p->addr);
}

static kprobe_pre_handler_t handler_of_site(const struct kprobe *p)
{
	return fprobe_on_entry;
}

static const struct probe_kind fprobe_kind = {
	.letter = FPROBE_LETTER,
	.entry_only = true,
	.goes_first = true,
	.handler_of = handler_of_site,
	.goes_on = true,
	.missed = fprobe_missed,
	.counts = counts_of_site,
};

static void free_sites(struct fprobe_hook *hook)
{
	kvfree(hook->sites);
	kvfree(hook->kps);
	hook->sites = NULL;
	hook->kps = NULL;
}

static int alloc_sites(struct fprobe_hook *hook, bool may_be_refused)
{
	unsigned int i, nr = hook->functions.nr;

	hook->sites = inject_failure() ? NULL : kvcalloc(nr, sizeof(*hook->sites), GFP_KERNEL);
	hook->kps = inject_failure() ? NULL : kvcalloc(nr, sizeof(*hook->kps), GFP_KERNEL);
	if (!hook->sites || !hook->kps)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		hook->sites[i].hook = hook;
		hook->sites[i].kp = (struct kprobe){
			.addr = (kprobe_opcode_t *)hook->functions.addrs[i],
			.flags = may_be_refused ? KPROBE_FLAG_MAY_BE_REFUSED : 0,
		};
		hook->kps[i] = &hook->sites[i].kp;
	}
	return 0;
}

static unsigned int nr_attached(const struct fprobe_hook *hook)
{
	unsigned int i, nr = 0;

	for (i = 0; i < hook->functions.nr; i++)
		nr += !!hook->kps[i]->point;
	return nr;
}

static void stop_kprobes(struct fprobe_hook *hook)
{
	probes_remove(hook->kps, hook->functions.nr);
	dispatch_forget(hook->kps, hook->functions.nr);
	free_sites(hook);
}

static int start_kprobes(struct fprobe_hook *hook, bool may_be_refused, const char **why)
{
	int err = alloc_sites(hook, may_be_refused);

	*why = "out of memory";
	if (!err)
		err = probes_add(&fprobe_kind, hook->kps, hook->functions.nr);
	if (!err && !nr_attached(hook)) {
		probes_remove(hook->kps, hook->functions.nr);
		*why = "none of the functions can be probed";
		err = -EINVAL;
	} else if (err && err != -ENOMEM) {
		*why = "one of the functions can't be probed";
		err = err == -EILSEQ ? -EINVAL : err;
	}
	if (err)
		free_sites(hook);
	return err;
}

/* ---- by the tracer, and the choice between the two ---- */

int fprobe_start_tracing(struct fprobe_hook *hook, const char **why)
{
	struct host_tracing *tracing;

	probes_order_loads();
	tracing = host_tracing_start(hook, hook->functions.addrs, hook->functions.nr);
	if (IS_ERR(tracing)) {
		*why = "function tracer could not be attached";
		if (tracing != ERR_PTR(-EOWNERDEAD))
			return PTR_ERR(tracing);
		hook->forever = true;
		return -ENODEV;
	}
	hook->tracing = tracing;
	return 0;
}

/* Each function beyond these would take much memory, and its time to become a jump. */
#define FEW_FUNCTIONS	1024

/* In front of the tracer's sites kprobes are traps where they can't become jumps. */
static bool prefers_kprobes(const struct fprobe_hook *hook)
{
	return arch_fprobe_kprobes() && hook->functions.nr <= FEW_FUNCTIONS &&
	       (ARCH_ENTRY_AT_SITE || (kprobes_optimization && !optimize_never()));
}

/* What hits have been counted by, if any, goes by the addresses of the functions. */
static int move_to(struct fprobe_hook *hook, const struct function_set *functions)
{
	hook->functions = *functions;
	if (!hook->counts)
		return 0;
	fprobe_counts_free(hook);
	hook->counts = NULL;
	return fprobe_counts_begin(hook);
}

/* Kprobes on all the entries, or none: the tracer can serve some that must not trap. */
static int try_entries(struct fprobe_hook *hook, struct function_set *entries, const char **why)
{
	int err = move_to(hook, entries) ?: start_kprobes(hook, true, why);

	if (err || nr_attached(hook) == hook->functions.nr)
		return err;
	stop_kprobes(hook);
	return -EINVAL;
}

/* Returns whether they are served; if not, *err says if the tracer can't serve them, either. */
static bool start_at_entries(struct fprobe_hook *hook, int *err, const char **why)
{
	struct function_set sites = hook->functions, entries;

	*err = 0;
	if (functions_entries(&entries, &sites, why))
		return false;
	if (!try_entries(hook, &entries, why)) {
		functions_free(&sites);
		return true;
	}
	functions_free(&entries);
	*why = "out of memory";
	*err = move_to(hook, &sites);
	return false;
}

int fprobe_start(struct fprobe_hook *hook, bool may_be_refused, const char **why)
{
	int err;

	if (!host_has_tracer())
		return start_kprobes(hook, may_be_refused, why);
	if (prefers_kprobes(hook)) {
		if (start_at_entries(hook, &err, why) || err)
			return err;
	}
	return kprobes_all_disarmed ? 0 : fprobe_start_tracing(hook, why);
}

int fprobe_stop_tracing(struct fprobe_hook *hook)
{
	int err = host_tracing_stop(hook->tracing, hook->functions.addrs, hook->functions.nr);

	if (!err)
		hook->tracing = NULL;
	return err;
}

/* Returns false if the tracer may go on calling it forever. */
bool fprobe_stop(struct fprobe_hook *hook)
{
	if (hook->sites) {
		stop_kprobes(hook);
		return true;
	}
	return (!hook->tracing || !fprobe_stop_tracing(hook)) && !hook->forever;
}
