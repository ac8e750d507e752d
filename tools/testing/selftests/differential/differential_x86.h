/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a case and a state are on x86-64: differential.h.
 */
#ifndef LKP_DIFFERENTIAL_X86_H
#define LKP_DIFFERENTIAL_X86_H

#define NR_RAX	0
#define NR_RCX	1
#define NR_RDX	2
#define NR_RBX	3
#define NR_RSP	4
#define NR_RBP	5
#define NR_RSI	6
#define NR_RDI	7

#define NR_GPRS		16
#define NR_SP		NR_RSP
#define STACK_ALIGN	8

/* What lies on the stack is flags for popf. */
#define STACK_FLAGS	NEED_ARCH(0)
/* For a division: rdx is 0, rax positive, no divisor is 0. */
#define DIVIDE		NEED_ARCH(1)
/* It uses the vector registers. */
#define FPU		NEED_ARCH(2)
/* Instructions that not every CPU has, or that a command line turns off. */
#define OSXSAVE		NEED_ARCH(3)
#define SMAP		NEED_ARCH(4)
#define BMI		NEED_ARCH(5)	/* and its second part */
#define ADX		NEED_ARCH(6)
#define MOVBE		NEED_ARCH(7)
#define AES		NEED_ARCH(8)

#define RSP_OFFSET	(8 * NR_SP)
#define FLAGS_OFFSET	(8 * NR_GPRS)

/* struct diff_regs' special */
#define SPECIAL_FLAGS	0	/* rflags */
#define NR_SPECIALS	1

/* What a pre handler is shown at a probe there. */
#define SEEN_AT(addr)	((addr) + 1)

#ifndef __ASSEMBLY__

#include <linux/percpu.h>

#include "arch/x86/emulate.h"

DECLARE_PER_CPU_ALIGNED(u64, diff_percpu[4]);

#endif /* __ASSEMBLY__ */

#endif /* LKP_DIFFERENTIAL_X86_H */
