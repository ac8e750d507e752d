// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another function of the name of one in probed.c.
 */
static int namesake(int x)
{
	return x + 2;				/* line 7 */
}

int (*keeps_the_second)(int x) = namesake;
