// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of registering and unregistering many probes at once.  One source for
 * the kernel's kprobes and for ours, like bench_main.c.
 *
 * The probes are given by symbol and offset, at instructions all over the
 * kernel, but not at the first one of a function.  The choice is random, but the
 * same each time.  Commands are written to the file batch in debugfs:
 *
 *	pick COUNT	choose COUNT places that can be probed
 *	pick-entries COUNT
 *			choose COUNT functions, by name, at whose entry the tracer has a site
 *	in		register probes there
 *	out		unregister them
 *
 * Reading it gives the number of probes; the nanoseconds of "in", of "out", and of
 * "out" until the text was restored; and the nanoseconds since "in" began: jumps
 * may come later, and stay longer.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "batch_insn.h"

static unsigned long start, end;
module_param(start, ulong, 0400);
MODULE_PARM_DESC(start, "first byte of text: _stext of /proc/kallsyms");
module_param(end, ulong, 0400);
MODULE_PARM_DESC(end, "behind the last byte: _etext");

static unsigned long seed = 1;
module_param(seed, ulong, 0400);
MODULE_PARM_DESC(seed, "of what is random");

/* The size of a jump. */
#define PLACE_SIZE	5

/* So far behind a function's first byte may the tracer's site be: on powerpc, the farthest. */
#define SITE_MAX	16

/* So many places that are not good, one after the other, and there is none. */
#define TRIES		100000

/* Removing jumps one by one may take a second per hundred. */
#define PATIENCE_NS	(600ull * NSEC_PER_SEC)

/**
 * struct place - the text at a probe as it was before
 * @addr: where the probe is
 * @text: what was there
 */
struct place {
	unsigned long addr;
	u8 text[PLACE_SIZE];
};

static struct place *places;
static struct kprobe *probes;
static struct kprobe **list;
static unsigned int nr_probes;
static u64 began, in_ns, out_ns, clean_ns;
static bool planted;

static u64 random_state;

/* splitmix64: any state will do. */
static u64 random(void)
{
	u64 z = (random_state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(on_hit);

/* ---- choosing ---- */

/* "name+0xoffset/0xsize" to name and offset; text in the kernel image has no module. */
static bool name_address(unsigned long addr, char *name, unsigned long *offset,
			 unsigned long *size)
{
	char *plus;

	sprint_symbol(name, addr);
	plus = strchr(name, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", offset, size) != 2)
		return false;
	*plus = '\0';
	return !strchr(plus + 1, '[');
}

/* Is it of the wanted kind, and at the intended place, not in another function of that name? */
static bool is_good(const struct kprobe *p, unsigned long at, bool entries)
{
	unsigned long behind = (unsigned long)p->addr - at;

	return entries ? behind <= SITE_MAX && p->flags & KPROBE_FLAG_FTRACE : !behind;
}

static bool aim(struct kprobe *p, struct place *place, bool entries)
{
	unsigned long addr = start + random() % (end - start);
	unsigned long offset, size, entry, at;
	char name[KSYM_SYMBOL_LEN];

	if (!name_address(addr, name, &offset, &size))
		return false;
	entry = addr - offset;
	at = entries ? entry : batch_insn_before(addr, entry, size);
	if (!at || (at == entry && !entries))
		return false;
	*p = (struct kprobe){
		.symbol_name = kstrdup(name, GFP_KERNEL),
		.offset = at - entry,
		.flags = KPROBE_FLAG_DISABLED,
		.pre_handler = on_hit,
	};
	if (p->symbol_name && !register_kprobe(p)) {
		if (is_good(p, at, entries)) {
			place->addr = (unsigned long)p->addr;
			memcpy(place->text, p->addr, PLACE_SIZE);
			return true;
		}
		unregister_kprobe(p);
	}
	kfree(p->symbol_name);
	return false;
}

static void forget(void)
{
	while (nr_probes)
		kfree(probes[--nr_probes].symbol_name);
	kvfree(probes);
	kvfree(list);
	kvfree(places);
	probes = NULL;
	list = NULL;
	places = NULL;
}

/* As a client would pass them. */
static void as_new(void)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++) {
		probes[i].addr = NULL;
		probes[i].flags = 0;
	}
}

/* They stay registered, disabled, until all have been found: that is fastest. */
static int pick(unsigned int nr, bool entries)
{
	unsigned int tries = 0;

	forget();
	probes = kvcalloc(nr, sizeof(*probes), GFP_KERNEL);
	list = kvcalloc(nr, sizeof(*list), GFP_KERNEL);
	places = kvcalloc(nr, sizeof(*places), GFP_KERNEL);
	if (!probes || !list || !places) {
		forget();
		return -ENOMEM;
	}
	for (random_state = seed; nr_probes < nr && tries < TRIES; cond_resched()) {
		list[nr_probes] = &probes[nr_probes];
		if (aim(&probes[nr_probes], &places[nr_probes], entries)) {
			nr_probes++;
			tries = 0;
		} else {
			tries++;
		}
		if (signal_pending(current))
			break;
	}
	unregister_kprobes(list, nr_probes);
	as_new();
	if (nr_probes == nr)
		return 0;
	return tries == TRIES ? -ENOENT : -EINTR;
}

/* ---- measuring ---- */

static int plant(void)
{
	int err;

	began = ktime_get_ns();
	err = register_kprobes(list, nr_probes);
	in_ns = ktime_get_ns() - began;
	planted = !err;
	return err;
}

static bool text_is_original(void)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		if (memcmp((void *)places[i].addr, places[i].text, PLACE_SIZE))
			return false;
	return true;
}

/* 0 in clean_ns: never restored. */
static void uproot(void)
{
	u64 from = ktime_get_ns();

	unregister_kprobes(list, nr_probes);
	clean_ns = out_ns = ktime_get_ns() - from;
	while (clean_ns < PATIENCE_NS && !text_is_original()) {
		usleep_range(1000, 2000);
		clean_ns = ktime_get_ns() - from;
	}
	if (clean_ns >= PATIENCE_NS)
		clean_ns = 0;
	planted = false;
	as_new();
}

static int run_command(const char *text)
{
	unsigned int nr;

	if (!planted && sscanf(text, "pick %u", &nr) == 1)
		return pick(nr, false);
	if (!planted && sscanf(text, "pick-entries %u", &nr) == 1)
		return pick(nr, true);
	if (!planted && nr_probes && sysfs_streq(text, "in"))
		return plant();
	if (!planted || !sysfs_streq(text, "out"))
		return -EINVAL;
	uproot();
	return 0;
}

static ssize_t batch_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char text[32] = "";
	int err;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	err = run_command(text);
	return err ?: len;
}

static int batch_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%u %llu %llu %llu %llu\n", nr_probes, in_ns, out_ns, clean_ns,
		   ktime_get_ns() - began);
	return 0;
}

static int batch_open(struct inode *inode, struct file *file)
{
	return single_open(file, batch_show, NULL);
}

static const struct file_operations batch_fops = {
	.owner = THIS_MODULE,
	.open = batch_open,
	.read = seq_read,
	.write = batch_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct dentry *folder;

static int __init batch_init(void)
{
	if (start >= end)
		return -EINVAL;
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("batch", 0600, folder, NULL, &batch_fops);
	return 0;
}

static void __exit batch_exit(void)
{
	debugfs_remove_recursive(folder);
	if (planted)
		uproot();
	forget();
}

module_init(batch_init);
module_exit(batch_exit);
MODULE_DESCRIPTION("What many kprobes at once cost");
MODULE_LICENSE("GPL");
