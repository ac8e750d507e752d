/* SPDX-License-Identifier: GPL-2.0-only */
/* ../slot_area.S for x86-64. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include "host_arch.h"

.macro fill_slots
	ANNOTATE_NOENDBR
	.fill ARCH_NR_SLOTS * ARCH_SLOT_SIZE, 1, 0xcc
.endm

#define SLOT_AREA_FILL	fill_slots
#ifdef ARCH_FIXUPS_ARE_CODE
#define SLOT_AREA_TYPE	.long ex_handler_default - .
#else
#define SLOT_AREA_TYPE	.long EX_TYPE_DEFAULT
#endif

#include "../slot_area.S"
