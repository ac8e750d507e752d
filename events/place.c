// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes of events: registered when the event is defined, turned on while somebody uses it.
 *
 * One in a module that is named, MODULE:SYMBOL, may wait for it: it is registered when the module
 * comes, and unregistered when the module goes.
 */
#define pr_fmt(fmt) "kprobes_events: " fmt

#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "event.h"

/* Guards all probes.  Taken under event_mutex, so nothing that takes that is called under it. */
DEFINE_MUTEX(place_mutex);

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	event_hit(container_of(kp, struct event, kp), regs, (unsigned long)kp->addr, 0);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	event_hit(container_of(rp, struct event, rp), regs, (unsigned long)rp->kp.addr,
		  get_kretprobe_retaddr(ri));
	return 0;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	event_hit(container_of(fp, struct event, fp), regs, entry_ip, 0);
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	event_hit(container_of(fp, struct event, fp), regs, entry_ip, ret_ip);
}

static void set_place(struct event *event, struct kprobe *kp)
{
	if (event->def.place)
		kp->symbol_name = event->def.place;
	else
		kp->addr = (kprobe_opcode_t *)event->def.address;
	kp->offset = event->def.offset;
	kp->flags = event->users ? 0 : KPROBE_FLAG_DISABLED;
}

static int place_kprobe(struct event *event, const char **why)
{
	int err;

	memset(&event->kp, 0, sizeof(event->kp));
	set_place(event, &event->kp);
	event->kp.pre_handler = on_kprobe;
	err = register_kprobe(&event->kp);
	*why = err ? kprobe_refusal(&event->kp) : NULL;
	return err;
}

static int place_kretprobe(struct event *event, const char **why)
{
	int err;

	memset(&event->rp, 0, sizeof(event->rp));
	set_place(event, &event->rp.kp);
	event->rp.handler = on_return;
	event->rp.maxactive = event->def.max_active;
	err = register_kretprobe(&event->rp);
	*why = err ? kprobe_refusal(&event->rp.kp) : NULL;
	return err;
}

/* Registered only while it is used: a disabled one would still take the functions' time. */
static int place_fprobe(struct event *event)
{
	memset(&event->fp, 0, sizeof(event->fp));
	if (definition_is_return(&event->def))
		event->fp.exit_handler = on_exit;
	else
		event->fp.entry_handler = on_entry;
	return register_fprobe(&event->fp, event->def.place, NULL);
}

static void displace_fprobe(struct event *event)
{
	if (!fprobe_is_registered(&event->fp))
		return;
	unregister_fprobe(&event->fp);
	event->lost += event->fp.nmissed;
	event->fp.nmissed = 0;
}

/* Is a module of that name there, in whatever state? */
static bool module_is_there(const struct definition *def)
{
	char name[MODULE_NAME_LEN];
	struct kobject *found;

	if (def->module_length >= sizeof(name))
		return false;
	memcpy(name, def->place, def->module_length);
	name[def->module_length] = '\0';
	found = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
	kobject_put(found);
	return found;
}

static int place_locked(struct event *event, const char **why)
{
	int err;

	*why = NULL;
	if (definition_is_fprobe(&event->def)) {
		err = place_fprobe(event);
		if (!err && !event->users)
			displace_fprobe(event);
	} else if (definition_is_return(&event->def)) {
		err = place_kretprobe(event, why);
	} else {
		err = place_kprobe(event, why);
	}
	event->placed = !err;
	return err;
}

static unsigned long missed_by_probe(struct event *event)
{
	if (definition_is_fprobe(&event->def))
		return READ_ONCE(event->fp.nmissed);
	if (definition_is_return(&event->def))
		return READ_ONCE(event->rp.nmissed) + READ_ONCE(event->rp.kp.nmissed);
	return READ_ONCE(event->kp.nmissed);
}

static void displace_locked(struct event *event)
{
	if (!event->placed)
		return;
	if (definition_is_fprobe(&event->def)) {
		displace_fprobe(event);
	} else if (definition_is_return(&event->def)) {
		unregister_kretprobe(&event->rp);
		event->lost += missed_by_probe(event);
	} else {
		unregister_kprobe(&event->kp);
		event->lost += missed_by_probe(event);
	}
	event->placed = false;
}

/* Is $argN asked for where it is not known? */
static int check_entry(const struct definition *def)
{
	if (!def->wants_entry || definition_is_fprobe(def))
		return 0;
	return kprobe_on_func_entry(NULL, def->place, def->offset);
}

/**
 * event_place() - register the probe of a new event, and put it into the list of all
 * @event: the event, which nobody uses
 * @why: the reason if the probe is refused, or NULL
 *
 * If the module that it names is not there, the probe waits for it.
 *
 * Context: process context, may sleep.
 * Return: 0 or an error of the probe's registration.
 */
int event_place(struct event *event, const char **why)
{
	const struct definition *def = &event->def;
	int err;

	mutex_lock(&place_mutex);
	err = place_locked(event, why);
	if (err == -ENOENT && def->module_length && !module_is_there(def)) {
		pr_info("%s waits for its module\n", def->place);
		err = 0;
	} else if (!err && check_entry(def)) {
		*why = "$argN is only known at a function's entry";
		err = -EINVAL;
		displace_locked(event);
	}
	if (!err)
		list_add_tail(&event->list, &all_events);
	mutex_unlock(&place_mutex);
	return err;
}

/**
 * event_displace() - unregister the probe of an event, and take it off the list
 * @event: the event, which nobody uses
 *
 * When this returns no handler of it runs any more.
 *
 * Context: process context, may sleep.
 */
void event_displace(struct event *event)
{
	mutex_lock(&place_mutex);
	list_del(&event->list);
	displace_locked(event);
	mutex_unlock(&place_mutex);
}

static int turn_on(struct event *event)
{
	if (!event->placed)
		return 0;
	if (definition_is_fprobe(&event->def))
		return place_fprobe(event);
	if (definition_is_return(&event->def))
		return enable_kretprobe(&event->rp);
	return enable_kprobe(&event->kp);
}

static void turn_off(struct event *event)
{
	if (!event->placed)
		return;
	if (definition_is_fprobe(&event->def))
		displace_fprobe(event);
	else if (definition_is_return(&event->def))
		disable_kretprobe(&event->rp);
	else
		disable_kprobe(&event->kp);
}

/**
 * event_use() - one user more
 * @event: the event; with its first user its probe is turned on
 *
 * Context: event_mutex held; may sleep.
 * Return: 0 or an error of enable_kprobe(), or of register_fprobe().
 */
int event_use(struct event *event)
{
	int err = 0;

	mutex_lock(&place_mutex);
	if (!event->users)
		err = turn_on(event);
	if (!err)
		event->users++;
	mutex_unlock(&place_mutex);
	return err;
}

/**
 * event_unuse() - one user less
 * @event: the event; with its last user its probe is turned off
 *
 * Context: event_mutex held; may sleep.
 */
void event_unuse(struct event *event)
{
	mutex_lock(&place_mutex);
	if (!--event->users)
		turn_off(event);
	mutex_unlock(&place_mutex);
}

/**
 * event_missed() - the hits that a probe has missed
 * @event: the event
 *
 * Context: process context, may sleep.
 */
unsigned long event_missed(struct event *event)
{
	unsigned long missed;

	mutex_lock(&place_mutex);
	missed = event->lost;
	if (event->placed)
		missed += missed_by_probe(event);
	mutex_unlock(&place_mutex);
	return missed;
}

static bool is_in(const struct definition *def, const char *module)
{
	return def->module_length && strlen(module) == def->module_length &&
	       !strncmp(def->place, module, def->module_length);
}

static void module_comes(struct event *event)
{
	const char *why;
	int err;

	displace_locked(event);
	err = place_locked(event, &why);
	if (err)
		pr_warn("%s can't be probed: %s (%d)\n", event->def.place, why ?: "error", err);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	struct event *event;

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&place_mutex);
	list_for_each_entry(event, &all_events, list) {
		if (!is_in(&event->def, mod->name))
			continue;
		if (state == MODULE_STATE_COMING)
			module_comes(event);
		else
			displace_locked(event);
	}
	mutex_unlock(&place_mutex);
	return NOTIFY_DONE;
}

/* That of kprobes.ko has the highest priority, so it knows of the module. */
static struct notifier_block module_notifier = { .notifier_call = on_module };

/**
 * place_init() - be told of modules
 *
 * Return: 0 or the error of register_module_notifier().
 */
int place_init(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * place_exit() - the opposite of place_init()
 */
void place_exit(void)
{
	unregister_module_notifier(&module_notifier);
}
