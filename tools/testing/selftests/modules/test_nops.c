// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function with room for many probes, which is never called.
 */
#include <linux/linkage.h>
#include <linux/module.h>

#include "nops.h"
#include "target.h"

asm(".pushsection .text\n"
    ".globl lkp_nops_fn\n"
    ".type lkp_nops_fn, @function\n"
    "lkp_nops_fn:\n"
    ".rept " __stringify(NOPS) "\n"
    "nop\n"
    ".endr\n"
    ASM_RETURN
    ".size lkp_nops_fn, . - lkp_nops_fn\n"
    ".popsection\n");

static int __init nops_init(void)
{
	return 0;
}
module_init(nops_init);

static void __exit nops_exit(void)
{
}
module_exit(nops_exit);

MODULE_DESCRIPTION("Room for many probes");
MODULE_LICENSE("GPL");
