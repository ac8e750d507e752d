/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the fuzz targets: a check that can't be compiled out.
 */
#ifndef LKP_UNIT_FUZZ_H
#define LKP_UNIT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)							\
	do {									\
		if (!(condition)) {						\
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,	\
				#condition);					\
			abort();						\
		}								\
	} while (0)

#endif /* LKP_UNIT_FUZZ_H */
