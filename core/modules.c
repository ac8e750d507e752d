// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules that come and go: probed ones, and ones that own probes.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>

#include "core.h"

static LIST_HEAD(watches);

/**
 * modules_watch() - from now on tell of modules that go
 * @watch: what to call; asked for again, nothing happens
 *
 * It stays for the life of this module.
 *
 * Context: kprobe_mutex held.
 */
void modules_watch(struct module_watch *watch)
{
	lockdep_assert_held(&kprobe_mutex);
	if (list_empty(&watch->list))
		list_add_tail(&watch->list, &watches);
}

/* Zombies have no kprobe that would end them. */
static void release_unused(void)
{
	struct probe_point *pt, *next;
	LIST_HEAD(ending);

	list_for_each_entry_safe(pt, next, &gone_list, gone_all)
		if (list_empty(&pt->probes))
			list_add_tail(&pt->todo, &ending);
	if (!list_empty(&ending))
		points_release(&ending);
}

/**
 * text_vanishes() - is an address in text that is about to go
 * @addr: an address
 * @mod: the module whose text goes
 * @init_only: only that of its beginning does
 *
 * Context: kprobe_mutex held.
 */
bool text_vanishes(unsigned long addr, const struct module *mod, bool init_only)
{
	return init_only ? within_module_init(addr, mod) : within_module(addr, mod);
}

/* The tracer still has to be told about its sites; traps vanish with the text. */
static void end_points_in(struct module *mod, bool init_only)
{
	struct probe_point *pt, *next;
	LIST_HEAD(traced);

	list_for_each_entry_safe(pt, next, &points_list, all) {
		if (point_is_gone(pt) || !text_vanishes(pt->addr, mod, init_only))
			continue;
		point_mark_gone(pt);
		if (point_is_armed(pt))
			list_add_tail(&pt->todo, &traced);
	}
	points_disarm(&traced);
	while (!list_empty(&traced))
		list_del_init(traced.next);
	release_unused();
}

static bool belongs_to(const struct kprobe *p, const struct module *mod)
{
	if (p->kind->belongs_to && p->kind->belongs_to(p, mod))
		return true;
	return within_module((unsigned long)p, mod) ||
	       within_module((unsigned long)p->pre_handler, mod) ||
	       within_module((unsigned long)p->post_handler, mod) ||
	       within_module((unsigned long)p->fault_handler, mod);
}

static struct kprobe *find_left_behind(const struct module *mod)
{
	struct probe_point *pt;
	struct kprobe *p;

	list_for_each_entry(pt, &points_list, all)
		list_for_each_entry(p, &pt->probes, list)
			if (!pt->internal && belongs_to(p, mod))
				return p;
	return NULL;
}

/* A client that forgets its probes would have its handlers called where no code is. */
static void take_back_from(struct module *mod)
{
	struct kprobe *p;

	while ((p = find_left_behind(mod))) {
		pr_err("module %s goes and leaves its probe at %pS registered: taking it back\n",
		       mod->name, p->addr);
		probes_remove(&p, 1);
		if (p->kind->end)
			p->kind->end(p);
	}
}

/* By all that leads there: probe points, and what the kinds have beside them. */
static void end_all_in(struct module *mod, bool init_only)
{
	struct module_watch *watch;

	end_points_in(mod, init_only);
	list_for_each_entry(watch, &watches, list)
		watch->text_vanishes(mod, init_only);
}

static void module_goes(struct module *mod)
{
	struct module_watch *watch;

	end_all_in(mod, false);
	take_back_from(mod);
	list_for_each_entry(watch, &watches, list)
		watch->goes(mod);
	blacklist_remove_module(mod);
	arch_jump_forget_module(mod);
}

static int on_module(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	int err = 0;

	mutex_lock(&kprobe_mutex);
	if (event == MODULE_STATE_COMING)
		err = blacklist_add_module(mod);
	else if (event == MODULE_STATE_LIVE)
		end_all_in(mod, true);
	else if (event == MODULE_STATE_GOING)
		module_goes(mod);
	mutex_unlock(&kprobe_mutex);
	return notifier_from_errno(err);
}

/*
 * Of the notifiers that see a module go, ftrace and jump labels among them,
 * ours must be called while its text and its tracer records are still whole.
 */
static struct notifier_block module_notifier = {
	.notifier_call = on_module,
	.priority = INT_MAX,
};

/**
 * modules_init() - hear of modules from now on
 *
 * Return: 0 or the error of register_module_notifier().
 */
int modules_init(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * modules_exit() - hear of them no more
 */
void modules_exit(void)
{
	unregister_module_notifier(&module_notifier);
}
