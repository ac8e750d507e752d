// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file error_log: the last lines that were refused, with the place in them and the reason.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "event.h"

#define NR_REFUSED	8
#define REASON_SIZE	192

/**
 * struct refused - a line that was refused
 * @when: nanoseconds since the system was started
 * @line: the line; NULL if this one is not in use
 * @column: the place in it
 * @reason: why
 */
struct refused {
	u64 when;
	char *line;
	unsigned int column;
	char reason[REASON_SIZE];
};

static DEFINE_MUTEX(refused_mutex);
static struct refused all_refused[NR_REFUSED];	/* guarded by refused_mutex, as is the next */
static unsigned int next_refused;

/**
 * refused_add() - a line was refused
 * @line: the line
 * @column: the place in it
 * @reason: why
 *
 * The oldest one is forgotten.
 *
 * Context: process context, may sleep.
 */
void refused_add(const char *line, unsigned int column, const char *reason)
{
	char *copy = kstrdup(line, GFP_KERNEL), *at;
	struct refused *refused;

	if (!copy)
		return;
	/* It is shown in one line, with a mark below it. */
	for (at = copy; *at; at++)
		if (iscntrl(*at))
			*at = ' ';
	mutex_lock(&refused_mutex);
	refused = &all_refused[next_refused++ % NR_REFUSED];
	kfree(refused->line);
	refused->when = ktime_get_boottime_ns();
	refused->line = copy;
	refused->column = min_t(unsigned int, column, strlen(copy));
	strscpy(refused->reason, reason, sizeof(refused->reason));
	mutex_unlock(&refused_mutex);
}

/**
 * refused_clear() - forget all
 *
 * Context: process context, may sleep.
 */
void refused_clear(void)
{
	unsigned int i;

	mutex_lock(&refused_mutex);
	for (i = 0; i < NR_REFUSED; i++) {
		kfree(all_refused[i].line);
		all_refused[i].line = NULL;
	}
	mutex_unlock(&refused_mutex);
}

static void show_refused(struct seq_file *m, const struct refused *refused)
{
	u32 nanoseconds;
	u64 seconds = div_u64_rem(refused->when, NSEC_PER_SEC, &nanoseconds);

	seq_printf(m, "[%5llu.%06u] trace_kprobe: error: %s\n", seconds,
		   (u32)(nanoseconds / NSEC_PER_USEC), refused->reason);
	seq_printf(m, "  Command: %s\n", refused->line);
	seq_printf(m, "%*s^\n", (int)refused->column + 11, "");
}

static int refused_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	mutex_lock(&refused_mutex);
	for (i = 0; i < NR_REFUSED; i++) {
		const struct refused *refused = &all_refused[(next_refused + i) % NR_REFUSED];

		if (refused->line)
			show_refused(m, refused);
	}
	mutex_unlock(&refused_mutex);
	return 0;
}

static int refused_open(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC)
		refused_clear();
	return single_open(file, refused_show, NULL);
}

/* To be cleared it is opened for writing, by the shell's ">", which may then write something. */
static ssize_t refused_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	return count;
}

const struct file_operations refused_fops = {
	.owner = THIS_MODULE,
	.open = refused_open,
	.read = seq_read,
	.write = refused_write,
	.llseek = seq_lseek,
	.release = single_release,
};
