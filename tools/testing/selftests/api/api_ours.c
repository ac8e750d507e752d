// SPDX-License-Identifier: GPL-2.0-only
/*
 * What our API does.
 */
#include <linux/module.h>
#include <linux/version.h>

/* What differs is known of 6.1, so api_alike.sh asks there only. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#include "api.h"
#else
MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
#endif
