// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that knows nothing of probes, with a function that is no site of the tracer.
 */
#include <linux/compiler.h>
#include <linux/module.h>

noinline notrace long lkp_goer(long a);
noinline notrace long lkp_goer(long a)
{
	barrier();
	return a + 1;
}

static int __init goer_init(void)
{
	return lkp_goer(1) == 2 ? 0 : -EINVAL;
}
module_init(goer_init);

static void __exit goer_exit(void)
{
}
module_exit(goer_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
