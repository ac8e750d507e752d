// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes of events: registered when the event is defined, turned on while somebody uses it.
 *
 * One in a module that is named, MODULE:SYMBOL, may wait for it: it is registered when the module
 * comes, and unregistered when the module goes.
 */
#define pr_fmt(fmt) "kprobes_events: " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "event.h"

/* Guards all probes.  Taken under event_mutex, so nothing that takes that is called under it. */
DEFINE_MUTEX(place_mutex);

static __always_inline void on_hit(struct probe *probe, const struct fetched *from)
{
	if (own_buffer)
		own_hit(probe, from);
	else
		probe_hit(probe, from);
}

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	const struct fetched from = { .regs = regs, .ip = (unsigned long)kp->addr };

	on_hit(container_of(kp, struct probe, kp), &from);
	return 0;
}

/* For a return that records arguments of the function. */
static void keep_arguments(const struct probe *probe, struct pt_regs *regs, unsigned long *kept)
{
	unsigned int i;

	for (i = 0; i < probe->def.kept; i++)
		kept[i] = fetch_function_argument(regs, i);
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	keep_arguments(container_of(rp, struct probe, rp), regs, (unsigned long *)ri->data);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	const struct fetched from = {
		.regs = regs, .ip = (unsigned long)rp->kp.addr,
		.return_ip = get_kretprobe_retaddr(ri), .kept = (unsigned long *)ri->data,
	};

	on_hit(container_of(rp, struct probe, rp), &from);
	return 0;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	const struct fetched from = { .regs = regs, .ip = entry_ip };

	on_hit(container_of(fp, struct probe, fp), &from);
	return 0;
}

static int on_entry_to_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			    struct pt_regs *regs, void *data)
{
	keep_arguments(container_of(fp, struct probe, fp), regs, data);
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	const struct fetched from = {
		.regs = regs, .ip = entry_ip, .return_ip = ret_ip, .kept = data,
	};

	on_hit(container_of(fp, struct probe, fp), &from);
}

static void set_place(struct probe *probe, struct kprobe *kp)
{
	if (probe->def.place)
		kp->symbol_name = probe->def.place;
	else
		kp->addr = (kprobe_opcode_t *)probe->def.address;
	kp->offset = probe->def.offset;
	kp->flags = KPROBE_FLAG_DISABLED;
}

static int place_kprobe(struct probe *probe, const char **why)
{
	int err;

	memset(&probe->kp, 0, sizeof(probe->kp));
	set_place(probe, &probe->kp);
	probe->kp.pre_handler = on_kprobe;
	err = register_kprobe(&probe->kp);
	*why = err ? kprobe_refusal(&probe->kp) : NULL;
	return err;
}

static int place_kretprobe(struct probe *probe, const char **why)
{
	int err;

	memset(&probe->rp, 0, sizeof(probe->rp));
	set_place(probe, &probe->rp.kp);
	probe->rp.handler = on_return;
	probe->rp.maxactive = probe->def.max_active;
	if (probe->def.kept) {
		probe->rp.entry_handler = on_call;
		probe->rp.data_size = probe->def.kept * sizeof(long);
	}
	err = register_kretprobe(&probe->rp);
	/* What is no instruction is no function's entry either, which is what is wanted. */
	if (err == -EILSEQ)
		err = -EINVAL;
	*why = err ? kprobe_refusal(&probe->rp.kp) : NULL;
	return err;
}

/* Registered only while it is used: a disabled one would still take the functions' time. */
static int place_fprobe(struct probe *probe)
{
	memset(&probe->fp, 0, sizeof(probe->fp));
	if (!definition_is_return(&probe->def))
		probe->fp.entry_handler = on_entry;
	else
		probe->fp.exit_handler = on_exit;
	if (probe->def.kept) {
		probe->fp.entry_handler = on_entry_to_exit;
		probe->fp.entry_data_size = probe->def.kept * sizeof(long);
	}
	return register_fprobe(&probe->fp, probe->def.place, NULL);
}

static void displace_fprobe(struct probe *probe)
{
	if (!fprobe_is_registered(&probe->fp))
		return;
	unregister_fprobe(&probe->fp);
	probe->lost += probe->fp.nmissed;
	probe->fp.nmissed = 0;
}

/* Is a module of that name there, in whatever state? */
static bool module_is_there(const struct definition *def)
{
	char name[MODULE_NAME_LEN];

	if (def->module_length >= sizeof(name))
		return false;
	memcpy(name, def->place, def->module_length);
	name[def->module_length] = '\0';
	return symbols_has_module(name);
}

/* An fprobe that is off is not registered, so that is only tried. */
static int place_off(struct probe *probe, const char **why)
{
	int err = 0;

	*why = NULL;
	if (definition_is_return(&probe->def) && !definition_is_fprobe(&probe->def))
		return place_kretprobe(probe, why);
	if (!definition_is_fprobe(&probe->def))
		return place_kprobe(probe, why);
	if (!probe->event->users) {
		err = place_fprobe(probe);
		displace_fprobe(probe);
	}
	return err;
}

static unsigned long missed_by_probe(struct probe *probe)
{
	if (definition_is_fprobe(&probe->def))
		return READ_ONCE(probe->fp.nmissed);
	if (definition_is_return(&probe->def))
		return READ_ONCE(probe->rp.nmissed) + READ_ONCE(probe->rp.kp.nmissed);
	return READ_ONCE(probe->kp.nmissed);
}

static void displace_locked(struct probe *probe)
{
	if (!probe->placed)
		return;
	if (definition_is_fprobe(&probe->def)) {
		displace_fprobe(probe);
	} else if (definition_is_return(&probe->def)) {
		unregister_kretprobe(&probe->rp);
		probe->lost += missed_by_probe(probe);
	} else {
		unregister_kprobe(&probe->kp);
		probe->lost += missed_by_probe(probe);
	}
	probe->placed = false;
}

static int turn_on(struct probe *probe)
{
	if (!probe->placed)
		return 0;
	if (definition_is_fprobe(&probe->def))
		return place_fprobe(probe);
	/* One whose module has gone keeps the others of its event from nothing. */
	if (definition_is_return(&probe->def))
		return kprobe_gone(&probe->rp.kp) ? 0 : enable_kretprobe(&probe->rp);
	return kprobe_gone(&probe->kp) ? 0 : enable_kprobe(&probe->kp);
}

static void turn_off(struct probe *probe)
{
	if (!probe->placed)
		return;
	if (definition_is_fprobe(&probe->def))
		displace_fprobe(probe);
	else if (definition_is_return(&probe->def))
		disable_kretprobe(&probe->rp);
	else
		disable_kprobe(&probe->kp);
}

/* Is $argN asked for where it is not known?  By its name, as the place may be moved to the tracer's. */
static int check_entry(const struct definition *def)
{
	if (!def->wants_entry || definition_is_fprobe(def))
		return 0;
	return kprobe_on_func_entry(NULL, def->place, def->offset);
}

static int refuse_arguments(const struct definition *def, struct definition_error *error)
{
	error->reason = "$argN is only known at a function's entry";
	error->column = def->wants_entry - 1;
	return -EINVAL;
}

/* Only what is accepted is turned on: a hit before that would be a record of its event. */
static int place_locked(struct probe *probe, struct definition_error *error)
{
	int err;

	/* What is not there now may be when it is registered: it is asked about again. */
	if (check_entry(&probe->def) == -EINVAL)
		return refuse_arguments(&probe->def, error);
	err = place_off(probe, &error->reason);
	error->column = probe->def.place_column;
	if (err)
		return err;
	probe->placed = true;
	if (check_entry(&probe->def))
		err = refuse_arguments(&probe->def, error);
	else if (probe->event->users)
		err = turn_on(probe);
	if (err)
		displace_locked(probe);
	return err;
}

/**
 * probe_place() - register a new probe, and put it into its event's list and that of all
 * @probe: the probe
 * @error: if it is refused, the place in the line, and the reason if that is known
 *
 * It is on if somebody uses the event.  If the module that it names is not there, it waits for it.
 *
 * Context: process context, may sleep.
 * Return: 0 or an error of the probe's registration.
 */
int probe_place(struct probe *probe, struct definition_error *error)
{
	const struct definition *def = &probe->def;
	int err;

	mutex_lock(&place_mutex);
	/* From here on until it is listed no module goes without our knowing. */
	err = symbols_find(&probe->def, NULL, error);
	if (!err) {
		err = place_locked(probe, error);
		if (err == -ENOENT && def->module_length && !module_is_there(def)) {
			pr_info("%s waits for its module\n", def->place);
			err = 0;
		}
	}
	if (!err) {
		list_add_tail(&probe->list, &all_probes);
		list_add_tail(&probe->siblings, &probe->event->probes);
	}
	mutex_unlock(&place_mutex);
	return err;
}

/**
 * probe_displace() - unregister a probe, and take it off the lists
 * @probe: the probe
 *
 * When this returns no handler of it runs any more.
 *
 * Context: process context, may sleep.
 */
void probe_displace(struct probe *probe)
{
	mutex_lock(&place_mutex);
	list_del(&probe->list);
	list_del(&probe->siblings);
	displace_locked(probe);
	mutex_unlock(&place_mutex);
}

/* All or none. */
static int turn_all_on(struct event *event)
{
	struct probe *probe;
	int err = 0;

	list_for_each_entry(probe, &event->probes, siblings) {
		err = turn_on(probe);
		if (err)
			break;
	}
	if (err)
		list_for_each_entry_continue_reverse(probe, &event->probes, siblings)
			turn_off(probe);
	return err;
}

/**
 * event_use() - one user more
 * @event: the event; with its first user its probes are turned on
 *
 * Context: event_mutex held; may sleep.
 * Return: 0 or an error of enable_kprobe(), or of register_fprobe().
 */
int event_use(struct event *event)
{
	int err = 0;

	mutex_lock(&place_mutex);
	if (!event->users)
		err = turn_all_on(event);
	if (!err)
		event->users++;
	mutex_unlock(&place_mutex);
	return err;
}

/**
 * event_unuse() - one user less
 * @event: the event; with its last user its probes are turned off
 *
 * Context: event_mutex held; may sleep.
 */
void event_unuse(struct event *event)
{
	struct probe *probe;

	mutex_lock(&place_mutex);
	if (!--event->users)
		list_for_each_entry(probe, &event->probes, siblings)
			turn_off(probe);
	mutex_unlock(&place_mutex);
}

/**
 * probe_missed() - the hits that a probe has missed
 * @probe: the probe
 *
 * Context: process context, may sleep.
 */
unsigned long probe_missed(struct probe *probe)
{
	unsigned long missed;

	mutex_lock(&place_mutex);
	missed = probe->lost;
	if (probe->placed)
		missed += missed_by_probe(probe);
	mutex_unlock(&place_mutex);
	return missed;
}

static bool is_in(const struct definition *def, const char *module)
{
	return def->module_length && strlen(module) == def->module_length &&
	       !strncmp(def->place, module, def->module_length);
}

/*
 * Its own module comes; or another one, with a symbol without which it was off.  Symbols that it has had
 * and that are gone are only looked for.
 */
static void module_comes(struct probe *probe, const struct module *mod)
{
	bool own = is_in(&probe->def, mod->name), missed = symbols_are_missing(&probe->def);
	struct definition_error error = { 0 };
	int err;

	if (own)
		displace_locked(probe);
	err = symbols_find(&probe->def, mod, &error);
	if (!own && (err || !missed || probe->placed || !module_is_there(&probe->def)))
		return;
	if (!err)
		err = place_locked(probe, &error);
	if (!err)
		return;
	if (!error.reason)
		error.reason = "this can't be probed";
	pr_warn("%s can't be probed: %s: %s (%d)\n", probe->def.place, probe->line + error.column,
		error.reason, err);
	/* The log of the kernel is not where who wrote the line looks. */
	refused_add(probe->written, error.column, error.reason);
}

static void module_goes(struct probe *probe, const struct module *mod)
{
	symbols_forget(&probe->def, mod, false);
	if (is_in(&probe->def, mod->name))
		displace_locked(probe);
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;
	struct probe *probe;

	mutex_lock(&place_mutex);
	list_for_each_entry(probe, &all_probes, list) {
		if (state == MODULE_STATE_COMING)
			module_comes(probe, mod);
		else if (state == MODULE_STATE_LIVE)
			symbols_forget(&probe->def, mod, true);
		else if (state == MODULE_STATE_GOING)
			module_goes(probe, mod);
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
