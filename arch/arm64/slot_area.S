/* SPDX-License-Identifier: GPL-2.0-only */
/* ../slot_area.S for arm64. */
#include <linux/linkage.h>
#include <asm/asm-extable.h>
#include "host_arch.h"

.macro fill_slots
	.rept ARCH_NR_SLOTS * ARCH_SLOT_SIZE / 4
	brk	#ARM64_IMM_EMPTY
	.endr
.endm

#define SLOT_AREA_FILL	fill_slots
#define SLOT_AREA_TYPE	.long EX_TYPE_NONE

#include "../slot_area.S"
