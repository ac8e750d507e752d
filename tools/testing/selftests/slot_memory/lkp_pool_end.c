// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says what is at the end of memory for slots.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/uaccess.h>

/* As many bytes as the longest instruction has. */
#define AHEAD	15

static unsigned long addr;
module_param(addr, ulong, 0400);
MODULE_PARM_DESC(addr, "where the memory begins");

static unsigned long length;
module_param(length, ulong, 0400);
MODULE_PARM_DESC(length, "bytes");

static bool mapped;
module_param(mapped, bool, 0400);
MODULE_PARM_DESC(mapped, "there is something behind it");

static unsigned int taken;
module_param(taken, uint, 0400);
MODULE_PARM_DESC(taken, "of the last bytes, how many are no traps");

static unsigned int before;
module_param(before, uint, 0400);
MODULE_PARM_DESC(before, "the same of the page before those");

static unsigned int count(unsigned long from, unsigned long to)
{
	unsigned int nr = 0;

	for (; from < to; from++)
		nr += *(u8 *)from != 0xcc;
	return nr;
}

static int __init pool_end_init(void)
{
	unsigned long end = addr + length;
	u8 byte;

	mapped = !copy_from_kernel_nofault(&byte, (void *)end, sizeof(byte));
	taken = count(end - AHEAD, end);
	before = count(end - PAGE_SIZE, end - AHEAD);
	return 0;
}
module_init(pool_end_init);

static void __exit pool_end_exit(void)
{
}
module_exit(pool_end_exit);

MODULE_DESCRIPTION("Test: the end of memory for slots");
MODULE_LICENSE("GPL");
