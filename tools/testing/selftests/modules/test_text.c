// SPDX-License-Identifier: GPL-2.0-only
/*
 * A checksum of all text: the kernel's, whose ends are told by parameters, and
 * that of every module but kprobes.ko itself.  Read from debugfs.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static unsigned long start, end;
module_param(start, ulong, 0400);
module_param(end, ulong, 0400);

/* FNV-1a, a word at a time. */
static u32 sum_of(const void *text, unsigned long size)
{
	const u64 *word = text;
	u64 sum = 0xcbf29ce484222325;

	for (; size >= sizeof(*word); size -= sizeof(*word))
		sum = (sum ^ *word++) * 0x100000001b3;
	return sum ^ sum >> 32;
}

static bool is_module(const struct module *mod)
{
#ifdef MODULES_VADDR
	return (void *)mod > (void *)MODULES_VADDR && (void *)mod < (void *)MODULES_END;
#else
	return is_vmalloc_addr(mod);
#endif
}

static int sums_show(struct seq_file *m, void *unused)
{
	struct list_head *at = &THIS_MODULE->list;

	seq_printf(m, "kernel %08x\n", sum_of((void *)start, end - start));
	do {
		struct module *mod = list_entry(at, struct module, list);

		if (is_module(mod) && strcmp(mod->name, "kprobes"))
			seq_printf(m, "%s %08x\n", mod->name,
				   sum_of(mod->core_layout.base, mod->core_layout.text_size));
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
