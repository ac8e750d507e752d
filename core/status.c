// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files for operators: the status of each probe, and a check whether a place can be probed.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core.h"

/* ---- status ---- */

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

	if (!p->kind->redirects || kprobe_disabled(p) || pt->state != STATE_TRACED)
		return NULL;
	return host_ftrace_redirectable(pt->addr, &why) == -EBUSY ? why : NULL;
}

static void show_place(struct seq_file *m, unsigned long addr)
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

	seq_printf(m, "%c ", p->kind->letter);
	show_place(m, pt->addr);
	seq_printf(m, " %s%s%s%s\n", mechanism_name(pt),
		   kprobe_disabled(p) && !point_is_gone(pt) ? " (disabled)" : "",
		   why ? ": " : "", why ?: "");
}

static int status_show(struct seq_file *m, void *unused)
{
	mutex_lock(&kprobe_mutex);
	show_each_probe(m, show_status);
	mutex_unlock(&kprobe_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

/* ---- check ---- */

#define MAX_QUESTION	(KSYM_NAME_LEN + MODULE_NAME_LEN + 24)

static char answer[MAX_QUESTION + 192];	/* guarded by kprobe_mutex */

/* A question is a symbol, with or without an offset. */
static int parse_question(char *text, struct kprobe *p)
{
	char *plus = strchr(text, '+');

	if (plus)
		*plus++ = '\0';
	p->symbol_name = strim(text);
	return plus ? kstrtouint(strim(plus), 0, &p->offset) : 0;
}

/* Goes as far as creating the point, without a probe. */
static const char *judge_point(const struct probe_address *where, const char **why)
{
	struct probe_point *pt = table_find(where->addr);
	LIST_HEAD(ending);

	if (!pt) {
		pt = point_create(where->addr, where->mechanism, where->module, why);
		if (IS_ERR(pt))
			return "refused";
		list_add(&pt->todo, &ending);
		points_release(&ending);
	}
	*why = NULL;
	if (where->mechanism == POINT_FTRACE)
		return "ftrace";
	*why = optimize_never() ?: arch_jump_verdict(where->addr, where->module);
	return *why ? "trap" : "jump";
}

static void judge(const struct kprobe *p)
{
	struct probe_address where = { };
	const char *why = NULL, *verdict = "refused";

	lockdep_assert_held(&kprobe_mutex);
	if (!address_find(p, false, &where, &why)) {
		why = NULL;
		verdict = judge_point(&where, &why);
		module_put(where.module);
	}
	snprintf(answer, sizeof(answer), "%s+0x%x: %s%s%s\n", p->symbol_name, p->offset, verdict,
		 why ? ": " : "", why ?: "");
}

static ssize_t check_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct kprobe p = { };
	char *text;
	int err;

	if (len >= MAX_QUESTION)
		return -E2BIG;
	text = memdup_user_nul(from, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = parse_question(text, &p);
	if (!err) {
		mutex_lock(&kprobe_mutex);
		judge(&p);
		mutex_unlock(&kprobe_mutex);
	}
	kfree(text);
	return err ?: len;
}

static ssize_t check_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&kprobe_mutex);
	ret = simple_read_from_buffer(to, len, pos, answer, strlen(answer));
	mutex_unlock(&kprobe_mutex);
	return ret;
}

static const struct file_operations check_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = check_read,
	.write = check_write,
	.llseek = default_llseek,
};

/**
 * status_files() - create the files
 * @folder: the directory
 */
void status_files(struct dentry *folder)
{
	debugfs_create_file("status", 0400, folder, NULL, &status_fops);
	debugfs_create_file("check", 0600, folder, NULL, &check_fops);
}
