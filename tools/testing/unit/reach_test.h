/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of regions and of scans share.
 */
#ifndef LKP_UNIT_REACH_TEST_H
#define LKP_UNIT_REACH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../arch/x86/reach.h"
#include "bytes.h"

/* Where the code is said to be, as the kernel's is. */
#define TEXT		0xffffffff81000000ul

/* @fn is reach_region() or reach_short_region().  The sanitizer detects reads behind the copy. */
static inline enum reach_reason
judge_exactly(enum reach_reason (*fn)(struct reach_region *region, const u8 *bytes, size_t avail,
				      u64 addr, const struct reach_facts *facts),
	      struct reach_region *region, const u8 *bytes, size_t avail,
	      const struct reach_facts *facts)
{
	u8 *exact = malloc(avail);
	enum reach_reason reason;

	assert_non_null(exact);
	memcpy(exact, bytes, avail);
	reason = fn(region, exact, avail, TEXT, facts);
	free(exact);
	assert_int_equal(reason, region->reason);
	return reason;
}

#endif /* LKP_UNIT_REACH_TEST_H */
