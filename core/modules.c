// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules that are loaded and unloaded: probed ones, and ones that own probes.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "../host/inject.h"
#include "core.h"
#include "return_hook.h"

/* A module of which we have been told that it is being loaded, and not yet how that has ended. */
struct coming {
	struct list_head list;
	const struct module *mod;
};

static LIST_HEAD(all_coming);	/* guarded by kprobe_mutex */

static struct coming *find_coming(const struct module *mod)
{
	struct coming *coming;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(coming, &all_coming, list)
		if (coming->mod == mod)
			return coming;
	return NULL;
}

/**
 * module_can_be_probed() - shall we be told when the text of a module vanishes
 * @mod: a module
 *
 * Its state does not say so.  If a load fails, all are told that the module goes while it still
 * counts as coming; and nobody is told anything if live patching has refused it before.
 *
 * Context: kprobe_mutex held.
 */
bool module_can_be_probed(const struct module *mod)
{
	return mod->state == MODULE_STATE_LIVE || find_coming(mod);
}

/* Of an address for which module_of_text() has no module. */
const char * const module_of_text_none =
	"module is not loaded yet or being unloaded, or its init text was freed";

/**
 * module_of_text() - get the module in whose text an address is, to probe it
 * @addr: any address
 * @err: 0; -ENOENT if the module is not there yet or is going, or if its init text has gone
 *
 * Context: kprobe_mutex held.
 * Return: the module, with a reference that the caller must put; NULL if none.
 */
struct module *module_of_text(unsigned long addr, int *err)
{
	struct module *mod = host_text_module_get(addr, err);

	if (!mod || module_can_be_probed(mod))
		return mod;
	module_put(mod);
	*err = -ENOENT;
	return NULL;
}

/* Zombies have no kprobe whose unregistration would release them. */
static void release_unused(void)
{
	struct probe_point *pt, *next;
	LIST_HEAD(ending);

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(pt, next, &gone_list, gone_all)
		if (list_empty(&pt->probes))
			list_add_tail(&pt->todo, &ending);
	if (!list_empty(&ending))
		points_release(&ending);
}

/**
 * text_vanishes() - is an address in text that is about to be freed
 * @addr: an address
 * @mod: the module whose text is freed
 * @init_only: only its init text is
 *
 * Context: kprobe_mutex held.
 */
bool text_vanishes(unsigned long addr, const struct module *mod, bool init_only)
{
	lockdep_assert_held(&kprobe_mutex);
	return init_only ? within_module_init(addr, mod) : within_module(addr, mod);
}

/* For memory to be free again: some seconds. */
#define NR_TRIES	50
#define TRY_AGAIN_MS	100

/**
 * leave_patiently() - leave text that vanishes, as soon as there is memory
 * @leave: tries it
 * @data: passed to @leave
 *
 * Who loads or unloads a module can wait.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or the error of @leave.
 */
int leave_patiently(int (*leave)(void *data), void *data)
{
	unsigned int tries;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	for (tries = 1;; tries++) {
		err = leave(data);
		if (err != -ENOMEM || tries == NR_TRIES)
			return err;
		msleep(TRY_AGAIN_MS);
	}
}

static int disarm_all_of(void *points)
{
	return points_disarm_vanishing(points);
}

/*
 * The text is there for some time yet, and may be run: what a module has started with
 * async_schedule() is only waited for when we have been told.  So each point is disarmed first, as
 * any other.  One that can't be vanishes with the text, and the tracer's site with it.
 */
static void end_points_in(struct module *mod, bool init_only)
{
	struct probe_point *pt, *next;
	LIST_HEAD(ending);

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(pt, &points_list, all) {
		if (point_is_gone(pt) || !text_vanishes(pt->addr, mod, init_only))
			continue;
		point_leave_zombies(pt);
		list_add_tail(&pt->todo, &ending);
	}
	if (leave_patiently(disarm_all_of, &ending))
		pr_warn("some probes in module %s could not be disarmed: they go with its text\n",
			mod->name);
	list_for_each_entry_safe(pt, next, &ending, todo)
		list_del_init(&pt->todo);
	list_for_each_entry_safe(pt, next, &points_list, all)
		if (!point_is_gone(pt) && text_vanishes(pt->addr, mod, init_only))
			point_mark_gone(pt);
	/* Those that could not be disarmed do not count any more. */
	builtin_unrestrain();
	release_unused();
}

static bool belongs_to(const struct kprobe *p, const struct module *mod)
{
	const struct probe_kind *kind = registered_kind(p);

	if (kind->belongs_to && kind->belongs_to(p, mod))
		return true;
	return within_module((unsigned long)p, mod) || registered_calls(p, mod);
}

static struct kprobe *find_left_behind(const struct module *mod)
{
	struct probe_point *pt;
	struct kprobe *p;

	list_for_each_entry(pt, &points_list, all)
		for_each_kprobe_at(p, pt)
			if (!pt->internal && belongs_to(p, mod))
				return p;
	return NULL;
}

static void end_return_hooks(void)
{
	LIST_HEAD(ending);

	return_hooks_close(&ending);
	return_hooks_destroy(&ending);
}

/* If a client forgets its probes, hits would call handlers in text that has been freed. */
static void take_back_from(struct module *mod)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	while ((p = find_left_behind(mod))) {
		pr_err("module %s goes and leaves its probe at %pS registered: taking it back\n",
		       mod->name, p->addr);
		probes_remove(&p, 1);
		if (likely(!dispatch_is_held_for(&p, 1)))
			continue;
		/* Until then its handler may run at returns. */
		end_return_hooks();
		dispatch_forget(&p, 1);
	}
	end_return_hooks();
}

/* Ends everything that leads into the text: probe points, and what the kinds have besides. */
static void end_all_in(struct module *mod, bool init_only)
{
	points_mend();
	end_points_in(mod, init_only);
	other_sites_vanish(mod, init_only);
}

static void forget_coming(const struct module *mod)
{
	struct coming *coming = find_coming(mod);

	if (!coming)
		return;
	list_del(&coming->list);
	kfree(coming);
}

/* If this fails, the module is not loaded, and we are not told that it goes. */
static int module_comes(struct module *mod)
{
	struct coming *coming = inject_failure() ? NULL : kmalloc(sizeof(*coming), GFP_KERNEL);
	int err;

	if (!coming)
		return -ENOMEM;
	err = blacklist_add_module(mod);
	if (err) {
		blacklist_remove_module(mod);
		kfree(coming);
		return err;
	}
	coming->mod = mod;
	list_add(&coming->list, &all_coming);
	return 0;
}

static void module_goes(struct module *mod)
{
	forget_coming(mod);
	end_all_in(mod, false);
	take_back_from(mod);
	other_sites_module_goes(mod);
	blacklist_remove_module(mod);
	arch_jump_forget_module(mod);
}

static int on_module(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	int err = 0;

	mutex_lock(&kprobe_mutex);
	if (event == MODULE_STATE_COMING) {
		err = module_comes(mod);
	} else if (event == MODULE_STATE_LIVE) {
		forget_coming(mod);
		end_all_in(mod, true);
	} else if (event == MODULE_STATE_GOING) {
		module_goes(mod);
	}
	mutex_unlock(&kprobe_mutex);
	return notifier_from_errno(err);
}

/*
 * Ours must run before other notifiers, those of ftrace and jump labels among them, as
 * it needs the text and the tracer records of the module to be complete.
 */
static struct notifier_block module_notifier = {
	.notifier_call = on_module,
	.priority = INT_MAX,
};

/**
 * modules_init() - register the module notifier
 *
 * Return: 0 or the error of register_module_notifier().
 */
int modules_init(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * modules_exit() - unregister the module notifier
 */
void modules_exit(void)
{
	struct coming *coming, *next;

	unregister_module_notifier(&module_notifier);
	/* Some may still be coming; nobody asks for them any more. */
	list_for_each_entry_safe(coming, next, &all_coming, list)
		kfree(coming);
}
