// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file for operators that says what each probe is, and why.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "../host/arch_host.h"
#include "core.h"
#include "return_hook.h"

static const char *mechanism_name(const struct probe_point *pt)
{
	if (point_is_gone(pt))
		return "gone";
	if (!point_is_armed(pt))
		return "off";
	if (pt->mechanism == POINT_FTRACE)
		return "ftrace";
	return point_is_jump(pt) ? "jump" : "trap";
}

static const char *trap_reason(struct probe_point *pt)
{
	if (!point_is_armed(pt) || point_is_jump(pt) || pt->mechanism != POINT_TRAP)
		return NULL;
	return optimize_prospect(pt);
}

/* Why a probe that is armed misses all hits. */
static const char *miss_reason(const struct probe_point *pt, const struct kprobe *p)
{
	const char *why = NULL;

	if (!registered_kind(p)->redirects || kprobe_disabled(p) || pt->state != STATE_TRACED)
		return NULL;
	return host_ftrace_redirectable(pt->addr, &why) == -EBUSY ? why : NULL;
}

/**
 * show_place() - write where a probe is
 * @m: the file
 * @addr: its address
 *
 * Context: kprobe_mutex held, sleeps.
 */
void show_place(struct seq_file *m, unsigned long addr)
{
	struct host_symbol sym;

	if (host_symbol_at(addr, &sym))
		seq_printf(m, "%s%s%s+0x%lx", sym.module, *sym.module ? ":" : "", sym.name,
			   addr - sym.start);
	else
		seq_puts(m, "?");
}

static void show_status(struct seq_file *m, struct probe_point *pt, const struct kprobe *p)
{
	const char *why = trap_reason(pt) ?: miss_reason(pt, p);

	seq_printf(m, "%c ", registered_kind(p)->letter);
	show_place(m, pt->addr);
	seq_printf(m, " %s%s%s%s\n", mechanism_name(pt),
		   kprobe_disabled(p) && !point_is_gone(pt) ? " (disabled)" : "",
		   why ? ": " : "", why ?: "");
}

static void show_site(struct seq_file *m, const struct other_site *site)
{
	seq_printf(m, "%c ", site->letter);
	show_place(m, site->addr);
	seq_printf(m, " %s%s\n", site->armed ? "ftrace" : "off",
		   site->disabled ? " (disabled)" : "");
}

/* What can't grow while we are loaded, if it was too small for a probe. */
static void show_limit(struct seq_file *m, unsigned int limit, const char *what,
		       unsigned int refused)
{
	if (refused)
		seq_printf(m, "# no more than %u %s at once: refused %u times\n", limit, what,
			   refused);
}

/* What grows, if that failed. */
static void show_stubs(struct seq_file *m)
{
	unsigned int starved, nr, refused = return_stubs_refused(&starved, &nr);

	show_limit(m, RETURN_STUBS_MAX, "calls are followed", refused);
	if (starved)
		seq_printf(m, "# no memory to follow more than %u calls at once: refused %u times\n",
			   nr, starved);
}

static int status_show(struct seq_file *m, void *unused)
{
	mutex_lock(&kprobe_mutex);
	show_each_probe(m, show_status);
	other_sites_show(m, show_site);
	show_stubs(m);
	show_limit(m, ARCH_NR_SLOTS, "instructions with an exception table entry are probed",
		   host_slots_refused());
	mutex_unlock(&kprobe_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

/**
 * status_file() - create the file
 * @folder: the directory
 */
void status_file(struct dentry *folder)
{
	debugfs_create_file("status", 0400, folder, NULL, &status_fops);
}
