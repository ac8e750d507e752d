// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second file of test_names.ko: functions with the same names.
 */
#include <linux/compiler.h>

#include "names.h"

static noinline int lkp_test_twin(int a)
{
	barrier();
	return a + 2;
}

int call_second_twin(int a)
{
	return lkp_test_twin(a);
}

void *second_twin(void)
{
	return lkp_test_twin;
}
