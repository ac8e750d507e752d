// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another function of the name of one in probed.c.
 */
static __attribute__((used)) int namesake(int x)
{
	return x + 2;				/* line 7 */
}
