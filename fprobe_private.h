/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of fprobes share: fprobe.c, which registers them, fprobe_start.c, which has their functions
 * call us, fprobe_hit.c, which serves their hits, and fprobe_count.c, which counts those.
 */
#ifndef LKP_FPROBE_PRIVATE_H
#define LKP_FPROBE_PRIVATE_H

#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "core/core.h"

/* In the files of debugfs. */
#define FPROBE_LETTER	'f'

struct fprobe_counts;
struct host_tracing;
struct return_hook;
struct return_pool;

/**
 * struct fprobe_site - a function entry that is served by a kprobe
 * @kp: the kprobe
 * @hook: the fprobe that it belongs to
 */
struct fprobe_site {
	struct kprobe kp;
	struct fprobe_hook *hook;
};

/**
 * struct fprobe_hook - a registered fprobe
 * @kp: what kprobe_running() returns while a handler runs
 * @ret: hooks the returns of its calls; NULL if there is no exit_handler
 * @client: the client's fprobe
 * @fp: what hits call: the same; another while it is switched off: when it is attached or detached, and
 *	for ever if its tracing can't be stopped
 * @entry: its entry_handler, or one that does nothing
 * @on_entry: the same, or what counts a hit and calls it
 * @counts: the counters of its functions; NULL while nobody counts
 * @left_counts: those that have just been taken from hits
 * @has_data: its entry_data_size is not 0
 * @pools: the pools of @ret; NULL if there is no @ret
 * @list: in the list of all registered fprobes
 * @functions: the probed functions
 * @tracing: from host_tracing_start(); NULL if @sites are used instead, or while all probes
 *	are off
 * @forever: the tracer has failed when a tracing was started or stopped, and may call the hook for ever
 * @sites: a kprobe for each function; NULL if the tracer serves them
 * @kps: pointers to the kprobes in @sites
 */
struct fprobe_hook {
	struct kprobe kp;
	struct return_hook *ret;
	struct fprobe *client;
	struct fprobe *fp;
	fprobe_entry_cb entry;
	fprobe_entry_cb on_entry;
	struct fprobe_counts *counts;
	struct fprobe_counts *left_counts;
	bool has_data;
	struct return_pool __percpu *pools;
	struct list_head list;
	struct function_set functions;
	struct host_tracing *tracing;
	bool forever;
	struct fprobe_site *sites;
	struct kprobe **kps;
};

int fprobe_start(struct fprobe_hook *hook, bool may_be_refused, const char **why);
bool fprobe_stop(struct fprobe_hook *hook);
int fprobe_start_tracing(struct fprobe_hook *hook, const char **why);
int fprobe_stop_tracing(struct fprobe_hook *hook);

int fprobe_no_entry_handler(struct fprobe *fp, unsigned long site, unsigned long addr,
			    struct pt_regs *regs, void *data);
int fprobe_on_entry(struct kprobe *p, struct pt_regs *regs);
void fprobe_missed(struct kprobe *p);
void fprobe_switch_off(struct fprobe_hook *hook);
void fprobe_switch_on(struct fprobe_hook *hook, struct fprobe *fp);

struct probe_counts __percpu *fprobe_counts_of(const struct fprobe_hook *hook, unsigned long site);
int fprobe_counts_begin(struct fprobe_hook *hook);
int fprobe_counts_begin_all(struct list_head *hooks);
void fprobe_counts_end(struct list_head *hooks);
void fprobe_counts_free(struct fprobe_hook *hook);

#endif /* LKP_FPROBE_PRIVATE_H */
