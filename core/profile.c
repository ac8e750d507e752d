// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file for operators that counts hits and misses of each probe: profile.h.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "../host/inject.h"
#include "core.h"
#include "profile.h"

bool profile_on;

/**
 * counts_new() - counters, all of them zero
 * @nr: of so many probes, one behind the other
 *
 * No two CPUs write to the same cache line.
 *
 * Context: process context, sleeps.
 * Return: for free_percpu(); NULL if there is no memory.
 */
struct probe_counts __percpu *counts_new(unsigned int nr)
{
	might_sleep();
	if (inject_failure())
		return NULL;
	return __alloc_percpu(nr * sizeof(struct probe_counts), sizeof(long));
}

/**
 * counts_sum() - sum up counters
 * @counts: of one probe; NULL: there are none
 *
 * Context: any; hits go on meanwhile.
 */
struct probe_sum counts_sum(struct probe_counts __percpu *counts)
{
	struct probe_sum sum = { };
	int cpu;

	if (!counts)
		return sum;
	for_each_possible_cpu(cpu) {
		struct probe_counts *here = per_cpu_ptr(counts, cpu);

		sum.hits += READ_ONCE(here->hits);
		sum.misses += atomic_long_read(&here->misses);
	}
	return sum;
}

/* ---- on and off ---- */

/* Hits that have found counters may still use them: first nobody finds them, then all wait. */
static void end(void)
{
	lockdep_assert_held(&kprobe_mutex);
	profile_on = false;
	probes_serve_anew();
	other_sites_set_counted(false);
	registered_end_counts();
}

static int begin(void)
{
	int err;

	lockdep_assert_held(&kprobe_mutex);
	err = registered_begin_counts() ?: other_sites_set_counted(true);
	if (err) {
		end();
		return err;
	}
	profile_on = true;
	probes_serve_anew();
	return 0;
}

static int turn(bool on)
{
	int err = 0;

	if (mutex_lock_killable(&kprobe_mutex))
		return -EINTR;
	if (on && !profile_on)
		err = begin();
	else if (!on && profile_on)
		end();
	mutex_unlock(&kprobe_mutex);
	if (err)
		pr_err("hits are not counted (error %d)\n", err);
	return err;
}

/* ---- the file ---- */

static void show(struct seq_file *m, char letter, unsigned long addr,
		 struct probe_counts __percpu *counts)
{
	struct probe_sum sum = counts_sum(counts);

	seq_printf(m, "%c ", letter);
	show_place(m, addr);
	seq_printf(m, " %lu %lu\n", sum.hits, sum.misses);
}

static void show_kprobe(struct seq_file *m, struct probe_point *pt, const struct kprobe *p)
{
	const struct probe_kind *kind = registered_kind(p);

	show(m, kind->letter, pt->addr, kind->counts ? kind->counts(p) : registered_counts(p));
}

static void show_site(struct seq_file *m, const struct other_site *site)
{
	show(m, site->letter, site->addr, site->counts);
}

static int profile_show(struct seq_file *m, void *unused)
{
	mutex_lock(&kprobe_mutex);
	if (profile_on) {
		show_each_probe(m, show_kprobe);
		other_sites_show(m, show_site);
	} else {
		seq_puts(m, "off\n");
	}
	mutex_unlock(&kprobe_mutex);
	return 0;
}

static int profile_open(struct inode *inode, struct file *file)
{
	return single_open(file, profile_show, NULL);
}

static ssize_t profile_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	bool on;
	int err = switch_from_user(from, len, &on) ?: turn(on);

	return err ?: len;
}

static const struct file_operations profile_fops = {
	.owner = THIS_MODULE,
	.open = profile_open,
	.read = seq_read,
	.write = profile_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * profile_file() - create the file
 * @folder: the directory
 */
void profile_file(struct dentry *folder)
{
	debugfs_create_file("profile", 0600, folder, NULL, &profile_fops);
}
