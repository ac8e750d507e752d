// SPDX-License-Identifier: GPL-2.0-only
/*
 * What kinds of probes have besides probe points: sites of the tracer that do not go through
 * the engine.  Here is what the engine does with all probes, for those.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/printk.h>

#include "core.h"

static LIST_HEAD(all);	/* guarded by kprobe_mutex */

/**
 * other_sites_add() - the engine is to care for these, too, from now on
 * @sites: what to call; a second call with it does nothing
 *
 * There is no way to end it: it lasts for the life of this module.
 *
 * Context: kprobe_mutex held.
 */
void other_sites_add(struct other_sites *sites)
{
	lockdep_assert_held(&kprobe_mutex);
	if (list_empty(&sites->list))
		list_add_tail(&sites->list, &all);
}

/**
 * other_sites_vanish() - text is about to be freed
 * @mod: whose
 * @init_only: only its init text
 *
 * Context: kprobe_mutex held, sleeps.
 */
void other_sites_vanish(struct module *mod, bool init_only)
{
	struct other_sites *sites;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_for_each_entry(sites, &all, list)
		sites->text_vanishes(mod, init_only);
}

/**
 * other_sites_module_goes() - a module is being unloaded
 * @mod: it, which may have left something registered
 *
 * Context: kprobe_mutex held, sleeps.
 */
void other_sites_module_goes(struct module *mod)
{
	struct other_sites *sites;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_for_each_entry(sites, &all, list)
		sites->module_goes(mod);
}

/**
 * other_sites_show() - write a line for each site
 * @m: the file
 * @show: writes the line
 *
 * Context: kprobe_mutex held, sleeps.
 */
void other_sites_show(struct seq_file *m, show_site_fn show)
{
	struct other_sites *sites;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_for_each_entry(sites, &all, list)
		sites->show(m, show);
}

/* Those of kinds before @end, which have been changed. */
static void undo_before(struct other_sites *end, bool armed)
{
	struct other_sites *sites = end;
	bool unused;

	list_for_each_entry_continue_reverse(sites, &all, list)
		if (sites->set_armed(armed, &unused))
			pr_err("some probes are %s\n", armed ? "off that should be on" :
			       "on that should be off");
}

/**
 * other_sites_set_armed() - arm or disarm all of them
 * @armed: true to arm them
 * @busy: set if others keep some of them off
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0, or the error of a kind, and then nothing has changed.
 */
int other_sites_set_armed(bool armed, bool *busy)
{
	struct other_sites *sites;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_for_each_entry(sites, &all, list) {
		err = sites->set_armed(armed, busy);
		if (err) {
			undo_before(sites, !armed);
			return err;
		}
	}
	return 0;
}

/**
 * other_sites_set_counted() - begin or end to count the hits of all of them
 * @counted: true to begin
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0, or the error of a kind, and then they are to be ended.
 */
int other_sites_set_counted(bool counted)
{
	struct other_sites *sites;
	int err = 0;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_for_each_entry(sites, &all, list)
		err = err ?: sites->set_counted(counted);
	return err;
}
