/* SPDX-License-Identifier: GPL-2.0-only */
/* ../slot_area.S for arm64. */
#include <linux/linkage.h>
#ifdef LKP_FIXUPS_HAVE_TYPES
#include <asm/asm-extable.h>
#endif
#include "host_arch.h"

.macro fill_slots
	.rept ARCH_NR_SLOTS * ARCH_SLOT_SIZE / 4
	brk	#ARM64_IMM_EMPTY
	.endr
.endm

#define SLOT_AREA_FILL	fill_slots
#ifdef LKP_FIXUPS_HAVE_TYPES
#define SLOT_AREA_TYPE	.long EX_TYPE_NONE
#else
#define SLOT_AREA_TYPE
#endif

#include "../slot_area.S"
