// SPDX-License-Identifier: GPL-2.0-only
/*
 * A checksum of all text: the kernel's, whose ends are parameters, and that of
 * every module, of kprobes.ko (which has slots in it) on request only.  Read from debugfs.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/seq_file.h>

static unsigned long start, end;
module_param(start, ulong, 0400);
module_param(end, ulong, 0400);

static bool ours;
module_param(ours, bool, 0600);
MODULE_PARM_DESC(ours, "of kprobes.ko, too");

/* FNV-1a, a word at a time. */
static u32 sum_of(const void *text, unsigned long size)
{
	const u64 *word = text;
	u64 sum = 0xcbf29ce484222325;

	for (; size >= sizeof(*word); size -= sizeof(*word))
		sum = (sum ^ *word++) * 0x100000001b3;
	return sum ^ sum >> 32;
}

/* The list's head is in no module: what would be around it does not say of itself that it is one. */
static bool is_module(const struct module *mod)
{
	return mod->mkobj.mod == mod;
}

static u32 sum_of_text(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return sum_of(mod->mem[MOD_TEXT].base, mod->mem[MOD_TEXT].size);
#else
	return sum_of(mod->core_layout.base, mod->core_layout.text_size);
#endif
}

static int sums_show(struct seq_file *m, void *unused)
{
	struct list_head *at = &THIS_MODULE->list;

	seq_printf(m, "kernel %08x\n", sum_of((void *)start, end - start));
	do {
		struct module *mod = list_entry(at, struct module, list);

		if (is_module(mod) && (ours || strcmp(mod->name, "kprobes")))
			seq_printf(m, "%s %08x\n", mod->name, sum_of_text(mod));
		at = at->next;
	} while (at != &THIS_MODULE->list);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sums);

static struct dentry *file;

static int __init text_init(void)
{
	if (start >= end)
		return -EINVAL;
	/* The kernel patches itself soon after its random numbers are initialised. */
	if (wait_for_random_bytes())
		return -EINTR;
	msleep(200);
	file = debugfs_create_file("test_text", 0400, NULL, NULL, &sums_fops);
	return 0;
}
module_init(text_init);

static void __exit text_exit(void)
{
	debugfs_remove(file);
}
module_exit(text_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
