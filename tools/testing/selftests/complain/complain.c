// SPDX-License-Identifier: GPL-2.0-only
/*
 * When loaded, causes a failure that the VM runner must detect: how=warn, how=oops
 * or how=hang.
 */
#include <linux/module.h>

static char *how = "";
module_param(how, charp, 0400);
MODULE_PARM_DESC(how, "warn, oops or hang");

static int __init complain_init(void)
{
	if (!strcmp(how, "warn"))
		WARN(1, "complain: asked to\n");
	else if (!strcmp(how, "oops"))
		WRITE_ONCE(*(int *)0x10, 0);
	else if (!strcmp(how, "hang"))
		for (;;)
			cpu_relax();
	return 0;
}
module_init(complain_init);

static void __exit complain_exit(void)
{
}
module_exit(complain_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Makes the kernel complain");
