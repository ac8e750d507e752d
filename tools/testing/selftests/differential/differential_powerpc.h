/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a case and a state are on 64-bit Power: differential.h.
 */
#ifndef LKP_DIFFERENTIAL_POWERPC_H
#define LKP_DIFFERENTIAL_POWERPC_H

/* Of those that a case may say what it needs of. */
#define NR_R3	3
#define NR_R4	4
#define NR_R5	5
#define NR_R6	6
#define NR_R7	7

/* r13 is the kernel's: it is compared, and is what it is. */
#define NR_GPRS		32
#define NR_SP		1
#define STACK_ALIGN	16

/* CTR is 0 to 3, so that a branch that decrements it finds 1 and 0. */
#define COUNT_FEW	NEED_ARCH(0)
/* It uses floating-point and vector registers. */
#define VECTORS		NEED_ARCH(1)

/* struct diff_regs' special */
#define SPECIAL_CR	0
#define SPECIAL_XER	1
#define SPECIAL_CTR	2
#define SPECIAL_LR	3
#define SPECIAL_MASKED	4	/* does it run with interrupts off? */
#define SPECIAL_MSR	5	/* behind it, but for what an interrupt may change */
#define NR_SPECIALS	6

#define SPECIAL_OFFSET(nr)	(8 * NR_GPRS + 8 * (nr))

/* What a pre handler is shown at a probe there. */
#define SEEN_AT(addr)	(addr)

#ifndef __ASSEMBLY__

#include "arch/powerpc/emulate.h"

#endif /* __ASSEMBLY__ */

#endif /* LKP_DIFFERENTIAL_POWERPC_H */
