// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that comes and goes while its functions are probed.
 */
#include <linux/module.h>

#include "client.h"

STORM_FUNCTIONS(gust);

static struct storm_spots spots;

static int __init target_init(void)
{
	storm_spots_gust(&spots);
	storm_away(&spots);
	return 0;
}
module_init(target_init);

static void __exit target_exit(void)
{
	storm_away(NULL);
}
module_exit(target_exit);

MODULE_DESCRIPTION("Target of the storm");
MODULE_LICENSE("GPL");
