/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine has to know of a kind of probes: kprobes, kretprobes, jprobes,
 * fprobes.  Each kind brings one of these; nothing in core/ asks which it is.
 */
#ifndef LKP_KIND_H
#define LKP_KIND_H

#include <linux/list.h>
#include <linux/types.h>

struct kprobe;
struct module;

/**
 * struct probe_kind - facts about all probes of a kind, and what it does for each
 * @letter: what the files "list" and "status" show
 * @entry_only: such a probe must be at the entry of a function
 * @goes_first: it is called before those of other kinds at its point, the newest first
 * @redirects: its pre_handler always leaves the path that is probed: it is called
 *	after those of other kinds, and misses a hit where that path cannot be left
 * @why_one_only: why a point that has one cannot get a second one; NULL: it can
 * @why_no_jump: why its point stays a trap; NULL: the kind is no obstacle
 * @missed: a hit was not served; called where handlers are, so it may not sleep
 * @belongs_to: has it, beside its kprobe's handlers, something that is a module's?
 * @changed: it has been disabled or enabled
 * @end: it has been taken back for a client that forgot it: end what it has beside
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
	void (*end)(struct kprobe *p);
};

/**
 * struct module_watch - what a kind that has more than probe points does when modules go
 * @list: of all of them
 * @text_vanishes: text of the module, or only that of its beginning, is about to go:
 *	nothing may lead there any more
 * @goes: the module is on its way out: take back what it has left registered
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
