/* SPDX-License-Identifier: GPL-2.0-only */
/* ../slot_area.S for x86-64. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/extable_fixup_types.h>
#include "host_arch.h"

.macro fill_slots
	ANNOTATE_NOENDBR
	.fill ARCH_NR_SLOTS * ARCH_SLOT_SIZE, 1, 0xcc
.endm

#define SLOT_AREA_FILL	fill_slots
#define SLOT_AREA_TYPE	.long EX_TYPE_DEFAULT

#include "../slot_area.S"
