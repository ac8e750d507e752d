/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What host/ must know about arm64 at compile time.  Included by assembly, too.
 */
#ifndef LKP_ARM64_HOST_ARCH_H
#define LKP_ARM64_HOST_ARCH_H

/*
 * A slot holds two copies of the instruction.  The first is followed by a branch
 * back, or by a trap if that is too far, the second by the trap that runs post handlers.
 */
#define ARCH_SLOT_COPY_SIZE	16
#define ARCH_SLOT_COPIES	2
#define ARCH_SLOT_SIZE		(ARCH_SLOT_COPIES * ARCH_SLOT_COPY_SIZE)

/* Slots in the module's own text: the limit on user accesses probed at once. */
#define ARCH_NR_SLOTS		4096

/* One stub, with two entry points, for each call whose return is awaited. */
#define ARCH_RETURN_STUB_SIZE	8
#define ARCH_NR_RETURN_STUBS	32768

/* The tracer only calls its own trampolines: ours may be out of its reach. */
#define ARCH_NR_TRACED_STUBS	0

/* The tracer's call at a site, or the nop in its place. */
#define ARCH_FTRACE_SITE_SIZE	4

/* From a function's first byte to its site, at most: a landing pad, and a copy of the link register. */
#define ARCH_FTRACE_SITE_BEHIND	8

/* Offset of the site from the word that says what it calls, see host/reserved.c. */
#define ARCH_OPS_TO_SITE	12

/* Bytes of stack arguments that a jprobe sees. */
#define ARM64_JPROBE_STACK_ARGS	128

/* In the address of the probed function: there are any that can be copied. */
#define ARM64_JPROBE_HAS_STACK_ARGS	1

/* There are no inline static calls. */
#define ARCH_STATIC_CALL_SIZE	4

#define ARCH_SLOT_PGPROT	PAGE_KERNEL_ROX
#define ARCH_TRAP_SIZE		4

/* A branch over any distance, see arch_bind_veneer(). */
#define ARM64_VENEER_SIZE	12

/* Immediates of our breakpoints, unused elsewhere.  The last one has no handler. */
#define ARM64_IMM_MASK		0xf
#define ARM64_IMM_POINT		0x6b70
#define ARM64_IMM_BACK		0x6b71
#define ARM64_IMM_POST		0x6b72
#define ARM64_IMM_EMPTY		0x6b7f

/* The lower half of the syndrome of the first one. */
#define ARM64_BRK_SYNDROME	(0xf2000000 | ARM64_IMM_POINT)

#ifndef __ASSEMBLY__

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/cacheflush.h>
#include <asm/sysreg.h>

#include "../../host/compat.h"

struct task_struct;
struct text_edit;

extern char arch_slots[];
extern char arch_return_stubs[];

#define ARM64_BRK(imm)		(0xd4200000u | (imm) << 5)
#define ARM64_NOP		0xd503201fu

/* With pseudo-NMIs stop_machine() masks interrupts by their priority only. */
static inline unsigned long arch_hold_nmis(void)
{
	unsigned long flags = read_sysreg(daif);

	asm volatile("msr daifset, #3" : : : "memory");
	return flags;
}
#define arch_hold_nmis	arch_hold_nmis

static inline void arch_release_nmis(unsigned long flags)
{
	barrier();
	write_sysreg(flags, daif);
}

static inline void arch_fill_traps(void *to, unsigned int size)
{
	u32 *word = to;

	for (; size; size -= sizeof(*word))
		*word++ = ARM64_BRK(ARM64_IMM_EMPTY);
}

/* A breakpoint of any kind, or a branch. */
static inline unsigned int arch_patch_size(const u8 *bytes)
{
	u32 word = *(const u32 *)bytes;

	return (word & 0xffe0001f) == ARM64_BRK(0) || word >> 26 == 5 ? ARCH_TRAP_SIZE : 0;
}

/* Not needed: allocated memory is in reach. */
static inline unsigned long arch_borrow_text(unsigned long near, unsigned long size)
{
	return 0;
}

static inline void arch_return_text(unsigned long addr, unsigned long size)
{
}

static inline void arch_text_written(unsigned long addr, unsigned int len)
{
	caches_clean_inval_pou(addr, addr + len);
}

bool arch_edit_is_safe_live(const struct text_edit *edit);
bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end);

#endif /* __ASSEMBLY__ */

#endif /* LKP_ARM64_HOST_ARCH_H */
