// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module to be probed by others. It calls its functions on request.
 */
#include <linux/async.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "target.h"

TARGET(lkp_target, SLOT_ADD(lkp_target));
#ifdef CONFIG_X86_64
TARGET(lkp_cramped, CRAMPED_ADD(lkp_cramped, NOP9));

static unsigned int cramped;
module_param(cramped, uint, 0400);
MODULE_PARM_DESC(cramped, "offset of an instruction within lkp_cramped_fn");

static bool set_cramped(void)
{
	cramped = lkp_cramped.at;
	return lkp_cramped.fn(40, 2) == 42;
}
#else
static bool set_cramped(void)
{
	return true;
}
#endif

noinline long lkp_target_in_c(long a, long b);
noinline long lkp_target_in_c(long a, long b)
{
	barrier();
	return a + b;
}

noinline long __init lkp_target_in_init(long a, long b);
noinline long __init lkp_target_in_init(long a, long b)
{
	barrier();
	return a * b;
}

noinstr long lkp_target_in_noinstr(long a, long b);
noinstr long lkp_target_in_noinstr(long a, long b)
{
	barrier();
	return a - b;
}

static unsigned int at;
module_param(at, uint, 0400);
MODULE_PARM_DESC(at, "offset of an instruction within lkp_target_fn");

static int call(const char *val, const struct kernel_param *param)
{
	return lkp_target.fn(40, 2) == 42 && lkp_target_in_c(40, 2) == 42 &&
	       lkp_target_in_noinstr(44, 2) == 42 && set_cramped() ? 0 : -EIO;
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "written: calls its functions, -EIO if a result is wrong");

static bool fail;
module_param(fail, bool, 0400);
MODULE_PARM_DESC(fail, "do not load after all");

static bool late;
module_param(late, bool, 0400);
MODULE_PARM_DESC(late, "call functions after init and after exit, by what the kernel waits for then");

/* What runs is seen by whoever has a probe there; all we can see is a wrong result. */
static void __init late_in_init(void *unused, async_cookie_t cookie)
{
	/* Those are told next. */
	while (READ_ONCE(THIS_MODULE->state) != MODULE_STATE_LIVE)
		msleep(20);
	msleep(1000);
	WARN_ON(lkp_target_in_init(21, 2) != 42);
}

static void late_in_exit(void *unused, async_cookie_t cookie)
{
	msleep(3000);
	WARN_ON(lkp_target.fn(40, 2) != 42 || lkp_target_in_c(40, 2) != 42);
}

static int __init target_init(void)
{
	if (late)
		async_schedule(late_in_init, NULL);
	at = lkp_target.at;
	if (lkp_target_in_init(21, 2) != 42 || !set_cramped())
		return -EIO;
	return fail ? -ENODEV : 0;
}
module_init(target_init);

static void __exit target_exit(void)
{
	if (late)
		async_schedule(late_in_exit, NULL);
}
module_exit(target_exit);

MODULE_DESCRIPTION("Target of the tests of loadable kprobes");
MODULE_LICENSE("GPL");
