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

#endif /* LKP_UNIT_REACH_TEST_H */
