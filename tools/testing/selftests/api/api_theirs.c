// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the API of the built-in kprobes does: Kbuild includes their header first.
 */
#include <linux/module.h>

/* What differs is known of 6.1, so api_alike.sh asks there only. */
#ifdef API_IS_COMPARED
#include "api.h"
#else
MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
#endif
