/* SPDX-License-Identifier: GPL-2.0-only */
/* ../slot_area.S for 64-bit Power. */
#include "host_arch.h"

#define SLOT_AREA_FILL	.fill ARCH_NR_SLOTS * ARCH_SLOT_SIZE / 4, 4, POWERPC_TRAP
#define SLOT_AREA_TYPE

#include "../slot_area.S"
