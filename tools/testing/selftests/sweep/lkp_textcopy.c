// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps a copy of the kernel's text. Reading /proc/lkp_textcopy lists where the text
 * differs from it.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

/* The maximum number of differences to list. */
#define MAX_SHOWN	1000

static unsigned long start, end;
module_param(start, ulong, 0444);
MODULE_PARM_DESC(start, "first byte: _stext of /proc/kallsyms");
module_param(end, ulong, 0444);
MODULE_PARM_DESC(end, "behind the last byte: _etext");

static u8 *copy;

static int compare_show(struct seq_file *m, void *unused)
{
	const u8 *text = (const u8 *)start;
	unsigned long i, differ = 0;

	for (i = 0; i < end - start; i++) {
		if (text[i] == copy[i])
			continue;
		if (differ++ < MAX_SHOWN)
			seq_printf(m, "%pS: %02x, was %02x\n", &text[i], text[i], copy[i]);
	}
	seq_printf(m, "%lu bytes, %lu differ\n", end - start, differ);
	return 0;
}

static int __init textcopy_init(void)
{
	if (start >= end)
		return -EINVAL;
	/* The kernel patches itself soon after its random numbers are initialised. */
	if (wait_for_random_bytes())
		return -EINTR;
	msleep(200);
	copy = vmalloc(end - start);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, (void *)start, end - start);
	if (!proc_create_single("lkp_textcopy", 0400, NULL, compare_show)) {
		vfree(copy);
		return -ENOMEM;
	}
	return 0;
}
module_init(textcopy_init);

static void __exit textcopy_exit(void)
{
	remove_proc_entry("lkp_textcopy", NULL);
	vfree(copy);
}
module_exit(textcopy_exit);

MODULE_DESCRIPTION("What has changed in the kernel's text");
MODULE_LICENSE("GPL");
