// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says whether a page of the kernel's is writable in the linear mapping of all memory.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86
#include <asm/pgtable.h>
#endif

static unsigned long addr;
module_param(addr, ulong, 0400);
MODULE_PARM_DESC(addr, "an address in the vmalloc area");

static struct page *page;	/* which it is does not change when the memory is freed */

#ifdef CONFIG_X86
static int is_writable(unsigned long linear)
{
	unsigned int level;
	pte_t *pte = lookup_address(linear, &level);

	return pte ? !!(pte_val(*pte) & _PAGE_RW) : -ENOENT;
}
#else
static int is_writable(unsigned long linear)
{
	return -EOPNOTSUPP;
}
#endif

static int get_writable(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", is_writable((unsigned long)page_address(page)));
}

static const struct kernel_param_ops writable_ops = { .get = get_writable };
module_param_cb(writable, &writable_ops, NULL, 0400);
MODULE_PARM_DESC(writable, "is the page of addr writable in the linear mapping; read at any time");

static int __init linear_init(void)
{
	page = vmalloc_to_page((void *)addr);
	return page ? 0 : -EINVAL;
}
module_init(linear_init);

static void __exit linear_exit(void)
{
}
module_exit(linear_exit);

MODULE_DESCRIPTION("Test: the linear mapping of a page");
MODULE_LICENSE("GPL");
