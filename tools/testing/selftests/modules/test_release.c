// SPDX-License-Identifier: GPL-2.0-only
/*
 * While it is loaded, the kernel says that its release is another one.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/utsname.h>

static char *const release = init_uts_ns.name.release;
static char before[sizeof(init_uts_ns.name.release)];

static int __init release_init(void)
{
	strscpy(before, release, sizeof(before));
	strscpy(release, "0.0.0-other", sizeof(before));
	return 0;
}
module_init(release_init);

static void __exit release_exit(void)
{
	strscpy(release, before, sizeof(before));
}
module_exit(release_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
