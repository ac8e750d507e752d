/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a case and a state are on arm64: differential.h.
 */
#ifndef LKP_DIFFERENTIAL_ARM64_H
#define LKP_DIFFERENTIAL_ARM64_H

#define NR_X0	0
#define NR_X1	1
#define NR_X2	2
#define NR_X3	3
#define NR_X4	4
#define NR_X5	5

/* x0 to x30, sp */
#define NR_GPRS		32
#define NR_SP		31
#define STACK_ALIGN	16

/* It uses the vector registers: they hold what the data does. */
#define FPU		NEED_ARCH(0)

/* struct diff_regs' special */
#define SPECIAL_NZCV	0
#define SPECIAL_DAIF	1
#define SPECIAL_PAN	2
#define SPECIAL_VECTORS	3	/* a digest of all of them, if the case uses some */
#define NR_SPECIALS	4

#define SPECIALS_OFFSET	(8 * NR_GPRS)

/* What a pre handler is shown at a probe there. */
#define SEEN_AT(addr)	(addr)

#ifndef __ASSEMBLY__

#include "arch/arm64/insn.h"

/* The emulator has no table; these are its classes, in all their forms. */
unsigned int emulate_nr_rows(void);
const char *emulate_row_name(unsigned int row);
int emulate_row(const struct insn *insn);

#endif /* __ASSEMBLY__ */

#endif /* LKP_DIFFERENTIAL_ARM64_H */
