/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What host/ must know of 64-bit Power at compile time.  Read by the assembler too.
 */
#ifndef LKP_POWERPC_HOST_ARCH_H
#define LKP_POWERPC_HOST_ARCH_H

/*
 * A slot holds the instruction twice: followed by a branch back, where that
 * reaches, and followed by a trap that runs post handlers.
 */
#define ARCH_SLOT_COPY_SIZE	32
#define ARCH_SLOT_COPIES	2
#define ARCH_SLOT_SIZE		(ARCH_SLOT_COPIES * ARCH_SLOT_COPY_SIZE)

/* In the first copy's room, for fixups in the kernel's text: entries of a module's don't reach it. */
#define ARCH_SLOT_LANDING	24

/* Slots in the module's own text: as many probed user accesses as may be at once. */
#define ARCH_NR_SLOTS		4096

/* One stub for each call that is followed to its return at a time. */
#define ARCH_RETURN_STUB_SIZE	8
#define ARCH_NR_RETURN_STUBS	32768

/* The tracer calls what it likes by its own trampolines only. */
#define ARCH_NR_TRACED_STUBS	0

/*
 * From sites to us: by the kernel's trampoline, by our own amid the kernel's text,
 * by our own near modules.
 */
#define ARCH_NR_FTRACE_WAYS	3

/* The kernel's may not be as it should be. */
#define ARCH_MENDS_TRACER

/* Bytes of stack arguments that a jprobe sees. */
#define POWERPC_JPROBE_STACK_ARGS	128

#define ARCH_STATIC_CALL_SIZE	4

#define ARCH_TRAP_EVENT		DIE_BPT
#define ARCH_TRAP_SIZE		4
#define ARCH_SLOT_PGPROT	PAGE_KERNEL_ROX

/* Unconditional traps; the registers compared say whose: tw 31,r,r. */
#define POWERPC_TRAP_OF(r)	(0x7fe00008 | (r) << 16 | (r) << 11)
#define POWERPC_TRAP		POWERPC_TRAP_OF(0)	/* of a probe point */
#define POWERPC_TRAP_SLOT	POWERPC_TRAP_OF(29)	/* behind a copy of an instruction */
#define POWERPC_TRAP_POST	POWERPC_TRAP_OF(27)	/* behind post handlers that chose the way */
#define POWERPC_TRAP_FIXED	POWERPC_TRAP_OF(28)	/* a fault in a copy has been fixed up */
#define POWERPC_TRAP_JPROBE	POWERPC_TRAP_OF(30)	/* behind a jprobe's function */

/* What loads an address takes. */
#define POWERPC_LOAD_WORDS	5

/* MSR[IR] and MSR[DR]: not in real mode. */
#define POWERPC_MSR_MAPPED	0x30

/* The least that a frame of the ABI holds, and where in it the callee saves LR. */
#define POWERPC_FRAME_HEAD	32
#define POWERPC_FRAME_ARGS	(POWERPC_FRAME_HEAD + 8 * 8)
#define POWERPC_FRAME_LR	16

/* What a leaf function may use below the stack pointer. */
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
 * The frames of a detour, below what a leaf function may use: one of the probed
 * code's, so that backtraces name it, and one with registers behind the head, and
 * before them where it goes on, and a mark that says so.
 */
#define POWERPC_DETOUR_MARK_AT	96
#define POWERPC_DETOUR_BACK	104
#define POWERPC_DETOUR_REGS	112
#define POWERPC_DETOUR_FRAME	(POWERPC_DETOUR_REGS + POWERPC_REGS_SIZE)
#define POWERPC_DETOUR_ABOVE	(POWERPC_FRAME_HEAD + POWERPC_RED_ZONE)
#define POWERPC_DETOUR_ROOM	(POWERPC_DETOUR_FRAME + POWERPC_DETOUR_ABOVE)
#define POWERPC_DETOUR_MARK	0x4c4b5044

/* How far before where the hub returns to that is which it hands on. */
#define POWERPC_DETOUR_BEFORE_BACK	36

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

/* An unconditional trap with whatever registers, or a branch. */
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

/* Whole words that are aligned, as all of them are: a CPU runs the old one or the new one. */
static inline bool arch_edit_is_safe_live(const struct text_edit *edit)
{
	return true;
}

#endif /* __ASSEMBLY__ */

#endif /* LKP_POWERPC_HOST_ARCH_H */
