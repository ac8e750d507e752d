/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What host/ must know about 64-bit Power at compile time.  Included by assembly, too.
 */
#ifndef LKP_POWERPC_HOST_ARCH_H
#define LKP_POWERPC_HOST_ARCH_H

/*
 * A slot holds two copies of the instruction.  The first is followed by a branch
 * back, if that is in reach, the second by a trap that runs post handlers.
 */
#define ARCH_SLOT_COPY_SIZE	32
#define ARCH_SLOT_COPIES	2
#define ARCH_SLOT_SIZE		(ARCH_SLOT_COPIES * ARCH_SLOT_COPY_SIZE)

/* In the space of the first copy, for fixups in kernel text, too far for a module's table. */
#define ARCH_SLOT_LANDING	24

/* Slots in the module's own text: the limit on user accesses probed at once. */
#define ARCH_NR_SLOTS		4096

/* Before the tracer's site there may be the setup of the TOC pointer, and a move from LR. */
#define ARCH_FTRACE_SITE_BEHIND	16

/* One stub for each call whose return is awaited. */
#define ARCH_RETURN_STUB_SIZE	8
#define ARCH_NR_RETURN_STUBS	32768

/* The tracer calls callbacks only through its own trampolines. */
#define ARCH_NR_TRACED_STUBS	0

/*
 * Paths from sites to us: the kernel's trampoline, our own within the kernel's text,
 * our own near modules.
 */
#define ARCH_NR_FTRACE_WAYS	3

/* The kernel's trampoline and a callback may need a repair, see traced.c. */
#define ARCH_MENDS_TRACER

/* Bytes of stack arguments that a jprobe sees. */
#define POWERPC_JPROBE_STACK_ARGS	128

#define ARCH_STATIC_CALL_SIZE	4

#define ARCH_TRAP_EVENT		DIE_BPT
#define ARCH_TRAP_SIZE		4

/* There may be a shorter way than the die notifier, see trap.c. */
#define ARCH_TRAP_HURRIES
#define ARCH_SLOT_PGPROT	PAGE_KERNEL_ROX

/* Unconditional traps, tw 31,r,r: the register number tells which one. */
#define POWERPC_TRAP_OF(r)	(0x7fe00008 | (r) << 16 | (r) << 11)
#define POWERPC_TRAP		POWERPC_TRAP_OF(0)	/* probe point */
#define POWERPC_TRAP_REAL	POWERPC_TRAP_OF(26)	/* a detour was hit in real mode */
#define POWERPC_TRAP_TRACED	POWERPC_TRAP_OF(25)	/* a site of the tracer was hit there */
#define POWERPC_TRAP_SLOT	POWERPC_TRAP_OF(29)	/* after a copy of an instruction */
#define POWERPC_TRAP_LEFT	POWERPC_TRAP_OF(27)	/* handlers changed nip or r1 */
#define POWERPC_TRAP_FIXED	POWERPC_TRAP_OF(28)	/* a fault in a copy has been fixed up */
#define POWERPC_TRAP_JPROBE	POWERPC_TRAP_OF(30)	/* after a jprobe's function */

/* Words that it takes to load an address. */
#define POWERPC_LOAD_WORDS	5

/* MSR[IR] and MSR[DR]: not in real mode.  MSR[RI]: a trap can return. */
#define POWERPC_MSR_MAPPED	0x30
#define POWERPC_MSR_RI		0x02

/* The smallest frame of the ABI, where a callee saves LR in it, and its owner the TOC pointer. */
#define POWERPC_FRAME_HEAD	32
#define POWERPC_FRAME_ARGS	(POWERPC_FRAME_HEAD + 8 * 8)
#define POWERPC_FRAME_LR	16
#define POWERPC_FRAME_TOC	24

/* What a leaf function may use below the stack pointer */
#define POWERPC_RED_ZONE	288

/* struct pt_regs, as far as assembly reads it. */
#define POWERPC_REGS_GPR(n)	(8 * (n))
#define POWERPC_REGS_NIP	256
#define POWERPC_REGS_MSR	264
#define POWERPC_REGS_ORIG_R3	272
#define POWERPC_REGS_CTR	280
#define POWERPC_REGS_LINK	288
#define POWERPC_REGS_XER	296
#define POWERPC_REGS_CCR	304
#define POWERPC_REGS_SOFTE	312
#define POWERPC_REGS_TRAP	320
#define POWERPC_REGS_RESULT	344
#define POWERPC_REGS_SIZE	384

/*
 * The two frames of a detour, below the red zone.  The upper one is in the name of the
 * probed code, for backtraces.  The lower one holds, after its head, a mark, the
 * address that the hub returns to, and the registers.
 */
#define POWERPC_DETOUR_MARK_AT	96
#define POWERPC_DETOUR_BACK	104
#define POWERPC_DETOUR_REGS	112
#define POWERPC_DETOUR_FRAME	(POWERPC_DETOUR_REGS + POWERPC_REGS_SIZE)
#define POWERPC_DETOUR_ABOVE	(POWERPC_FRAME_HEAD + POWERPC_RED_ZONE)
#define POWERPC_DETOUR_ROOM	(POWERPC_DETOUR_FRAME + POWERPC_DETOUR_ABOVE)
#define POWERPC_DETOUR_MARK	0x4c4b5044

/* Distance from the hub's return address back to the pointer that it passes on. */
#define POWERPC_DETOUR_BEFORE_BACK	32

/*
 * In front of that a detour whose instruction sets LR has the address that it sets it to.  It has this
 * bit set in the hub's return address then, as code begins where slots do.
 */
#define POWERPC_DETOUR_LINKS		8
#define POWERPC_DETOUR_LINK_BEFORE_BACK	(POWERPC_DETOUR_BEFORE_BACK + POWERPC_DETOUR_LINKS)

#ifndef __ASSEMBLY__

#include <linux/types.h>
#include <asm/cacheflush.h>

struct task_struct;
struct text_edit;

extern char arch_slots[];
extern char arch_return_stubs[];

static inline void arch_fill_traps(void *to, unsigned int size)
{
	u32 *word = to;
	unsigned int i;

	for (i = 0; i < size / sizeof(*word); i++)
		word[i] = POWERPC_TRAP;
}

/* An unconditional trap with any registers, or a branch. */
static inline unsigned int arch_patch_size(const u8 *bytes)
{
	u32 word = *(const u32 *)bytes;

	return (word & 0xffe007ff) == 0x7fe00008 || (word & 0xfc000003) == 0x48000000 ?
	       ARCH_TRAP_SIZE : 0;
}

static inline void arch_text_written(unsigned long addr, unsigned int len)
{
	flush_icache_range(addr, addr + len);
}

bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end);
unsigned long arch_borrow_text(unsigned long near, unsigned long size);
void arch_return_text(unsigned long addr, unsigned long size);
bool powerpc_tries_again(int err);

/* All edits are of aligned words: a CPU runs the old word or the new one. */
static inline bool arch_edit_is_safe_live(const struct text_edit *edit)
{
	return true;
}

#endif /* __ASSEMBLY__ */

#endif /* LKP_POWERPC_HOST_ARCH_H */
