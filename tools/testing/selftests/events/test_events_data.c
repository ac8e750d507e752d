// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data for events on functions elsewhere, that comes and goes with this module.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>

struct events_data {
	u32 number;
	char text[8];
};

/* Found by its name, where the kernel knows the names of data. */
static struct events_data lkp_events_data __used = { 0x600df00d, "of data" };

static int __init test_events_data_init(void)
{
	return 0;
}
module_init(test_events_data_init);

static void __exit test_events_data_exit(void)
{
}
module_exit(test_events_data_exit);

MODULE_DESCRIPTION("Data for events to look at");
MODULE_LICENSE("GPL");
