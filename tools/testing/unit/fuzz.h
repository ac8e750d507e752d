/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the fuzz targets: a check that can't be compiled out, and the
 * emulation's hooks.
 */
#ifndef LKP_UNIT_FUZZ_H
#define LKP_UNIT_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "../../../arch/x86/emulate.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define CHECK(condition)							\
	do {									\
		if (!(condition)) {						\
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,	\
				#condition);					\
			abort();						\
		}								\
	} while (0)

#endif /* LKP_UNIT_FUZZ_H */
