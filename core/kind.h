/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine needs of a kind of probes: kprobes, kretprobes, jprobes, fprobes.
 * Each kind defines one struct probe_kind; nothing in core/ tests which kind it is.
 */
#ifndef LKP_KIND_H
#define LKP_KIND_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/types.h>

struct module;
struct probe_counts;
struct seq_file;

/**
 * struct probe_kind - facts and operations of a kind of probes
 * @letter: what the files "list" and "status" show
 * @entry_only: its probes must be at the entry of a function
 * @goes_first: its handlers run before those of other kinds at a point, the newest first
 * @redirects: its pre_handler always redirects: it runs after those of other kinds, and
 *	misses a hit that cannot be redirected
 * @goes_on: its pre_handler always returns 0
 * @enters: its pre_handler does nothing but to hand each hit on to the entry of a struct jprobe
 * @why_one_only: why a point can have only one of them; NULL: it can have more
 * @handler_of: the pre_handler by which it serves a probe, which then is the only handler of its
 *	kprobe, for as long as that is registered.  Before and after it has none, so it can be
 *	registered as another kind.  No such function: its client's handlers
 * @missed: a hit was not served; called in the context of handlers, may not sleep
 * @belongs_to: does a probe use text or data of a module, besides its kprobe's handlers?
 * @changed: a probe has been disabled or enabled
 * @counts: the counters of a probe, NULL if it has none: its hits are counted by the kind.
 *	No such function: by the engine
 * @mend: a client has overwritten a registered probe: restore what is needed besides its kprobe
 * @leave: a probe is being unregistered, and hits may still use it: its hook goes to those that
 *	return_hooks_close() ends
 * @left: no hit uses it any more: it forgets what it had besides its kprobe
 *
 * The functions may be NULL; all but @missed are called with kprobe_mutex held.  The
 * kind of a kprobe is valid once it has been at a point.
 */
struct probe_kind {
	char letter;
	bool entry_only;
	bool goes_first;
	bool redirects;
	bool goes_on;
	bool enters;
	const char *why_one_only;
	kprobe_pre_handler_t (*handler_of)(const struct kprobe *p);
	void (*missed)(struct kprobe *p);
	bool (*belongs_to)(const struct kprobe *p, const struct module *mod);
	void (*changed)(struct kprobe *p);
	struct probe_counts __percpu *(*counts)(const struct kprobe *p);
	void (*mend)(struct kprobe *p);
	void (*leave)(struct kprobe *p);
	void (*left)(struct kprobe *p);
};

/**
 * struct other_site - a place that a kind probes without a probe point
 * @addr: where
 * @letter: the kind, as in struct probe_kind
 * @armed: hits reach us
 * @disabled: by its client
 * @counts: its counters; NULL while nobody counts
 */
struct other_site {
	unsigned long addr;
	char letter;
	bool armed;
	bool disabled;
	struct probe_counts __percpu *counts;
};

typedef void (*show_site_fn)(struct seq_file *m, const struct other_site *site);

/**
 * struct other_sites - for a kind that has more than probe points: what else it has
 * @list: in the list of all of them
 * @text_vanishes: text of a module, or only its init text, is about to be freed:
 *	nothing may lead there any more
 * @module_goes: a module is being unloaded: unregister what it has left registered
 * @show: call a function with each site, as long as file_goes_on()
 * @set_armed: arm or disarm all of them; on error nothing has changed.  *busy is set if others keep
 *	some of them off
 * @set_counted: begin or end to count hits, see profile.h; to end it never fails, and when it
 *	returns the counters are free.  On error some may have counters
 *
 * All are called with kprobe_mutex held, and may sleep.  What is registered while
 * kprobes_all_disarmed is set is not to be armed, and while profile_on is set it is to have
 * counters.
 */
struct other_sites {
	struct list_head list;
	void (*text_vanishes)(struct module *mod, bool init_only);
	void (*module_goes)(struct module *mod);
	void (*show)(struct seq_file *m, show_site_fn show);
	int (*set_armed)(bool armed, bool *busy);
	int (*set_counted)(bool counted);
};

void other_sites_add(struct other_sites *sites);

#endif /* LKP_KIND_H */
