/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine needs of a kind of probes: kprobes, kretprobes, jprobes, fprobes.
 * Each kind defines one struct probe_kind; nothing in core/ tests which kind it is.
 */
#ifndef LKP_KIND_H
#define LKP_KIND_H

#include <linux/list.h>
#include <linux/types.h>

struct kprobe;
struct module;

/**
 * struct probe_kind - facts and operations of a kind of probes
 * @letter: what the files "list" and "status" show
 * @entry_only: its probes must be at the entry of a function
 * @goes_first: its handlers run before those of other kinds at a point, the newest first
 * @redirects: its pre_handler always redirects: it runs after those of other kinds, and
 *	misses a hit that cannot be redirected
 * @why_one_only: why a point can have only one of them; NULL: it can have more
 * @why_no_jump: why its point stays a trap; NULL: the kind is no obstacle
 * @missed: a hit was not served; called in the context of handlers, may not sleep
 * @belongs_to: does a probe use text or data of a module, besides its kprobe's handlers?
 * @changed: a probe has been disabled or enabled
 * @mend: a client has overwritten a registered probe: restore what is needed besides its kprobe
 * @end: a probe whose client forgot it has been unregistered: free what it has besides
 *	its kprobe; may sleep
 *
 * The functions may be NULL; all but @missed are called with kprobe_mutex held.  The
 * kind of a kprobe is valid once it has been at a point.
 */
struct probe_kind {
	char letter;
	bool entry_only;
	bool goes_first;
	bool redirects;
	const char *why_one_only;
	const char *why_no_jump;
	void (*missed)(struct kprobe *p);
	bool (*belongs_to)(const struct kprobe *p, const struct module *mod);
	void (*changed)(struct kprobe *p);
	void (*mend)(struct kprobe *p);
	void (*end)(struct kprobe *p);
};

/**
 * struct module_watch - for a kind that has more than probe points: modules that go
 * @list: in the list of all of them
 * @text_vanishes: text of the module, or only its init text, is about to be freed:
 *	nothing may lead there any more
 * @goes: the module is being unloaded: unregister what it has left registered
 *
 * Both are called with kprobe_mutex held, and may sleep.
 */
struct module_watch {
	struct list_head list;
	void (*text_vanishes)(struct module *mod, bool init_only);
	void (*goes)(struct module *mod);
};

void modules_watch(struct module_watch *watch);

#endif /* LKP_KIND_H */
