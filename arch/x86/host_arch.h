/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Constants and inline functions of x86-64 for host/.  Included by assembly, too.
 */
#ifndef LKP_X86_HOST_ARCH_H
#define LKP_X86_HOST_ARCH_H

/*
 * A slot holds the instruction twice: followed by a jump back, and followed
 * by a call of the stub that runs post handlers.
 */
#define ARCH_SLOT_COPY_SIZE	32
#define ARCH_SLOT_COPIES	2
#define ARCH_SLOT_SIZE		(ARCH_SLOT_COPIES * ARCH_SLOT_COPY_SIZE)

/* Slots in the module's own text: the maximum number of probed user accesses at a time. */
#define ARCH_NR_SLOTS		4096

/* A landing pad may precede the tracer's site. */
#define ARCH_FTRACE_SITE_BEHIND	4

/* One stub for each call whose return is hooked at a time. */
#define ARCH_RETURN_STUB_SIZE	8
#define X86_RETURN_TRAMPOLINE_MAX	128	/* bytes, for what is behind them */
#define ARCH_NR_RETURN_STUBS	32768

/* What return_trampoline has between the registers and the return address: a frame pointer. */
#ifdef CONFIG_FRAME_POINTER
#define X86_RETURN_FRAME	8
#else
#define X86_RETURN_FRAME	0
#endif

/*
 * One stub for each user of the function tracer that has a trampoline of ours;
 * further users get a trampoline of the kernel's.
 */
#define X86_TRACED_STUB_SIZE	192
#define ARCH_NR_TRACED_STUBS	32

/* Bytes of stack arguments that are copied for a jprobe. */
#define X86_JPROBE_STACK_ARGS	128

/* struct jprobe_state */
#define X86_JPROBE_STATE_BP	48

/* A static call, or the jump of a static tail call. */
#define ARCH_STATIC_CALL_SIZE	5

/* A site of the tracer that makes no call. */
#define ARCH_SITE_NOP		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 }

#define ARCH_TRAP_EVENT		DIE_INT3
#define ARCH_TRAP_HURRIES
#define ARCH_TRAP_SIZE		1
#define ARCH_PATCHED_BY_TRAP	1

/* What the built-in kprobes refuse beside their list: entry text and what is marked __kprobes. */
#define ARCH_BUILTIN_RANGES_LISTED

#define ARCH_SLOT_PGPROT	PAGE_KERNEL_ROX

/*
 * Older entries of exception tables have no type of fixup, but the distance to a function that
 * makes it.
 */
#ifdef LKP_FIXUPS_HAVE_TYPES
#include <asm/extable_fixup_types.h>
#else
#define ARCH_FIXUPS_ARE_MADE
#endif

/* Members of struct traces_known. */
#define X86_TRACES_START	0
#define X86_TRACES_SIZE		8
#define X86_TRACES_FOREIGN	16

#ifndef __ASSEMBLY__

#include <linux/bug.h>
#include <linux/string.h>
#include <linux/types.h>

struct task_struct;
struct text_edit;

/* For a load that crosses into a page that faults, the kernel decodes it. */
#ifdef EX_TYPE_ZEROPAD
#define arch_fixup_is_behind(entry)	(((entry)->data & EX_DATA_TYPE_MASK) == EX_TYPE_ZEROPAD)
#endif

/* WARN() with arguments traps in another place, with the entry's address in a register. */
#ifdef BUGFLAG_ARGS
#define arch_bug_is_elsewhere(bug)	((bug)->flags & BUGFLAG_ARGS)
#endif

extern char arch_slots[];
extern char arch_return_stubs[];

static inline void arch_fill_traps(void *to, unsigned int size)
{
	memset(to, 0xcc, size);
}

/* int3, or a jump of 32 bits. */
static inline unsigned int arch_patch_size(const u8 *bytes)
{
	return bytes[0] == 0xcc ? ARCH_TRAP_SIZE : bytes[0] == 0xe9 ? 5 : 0;
}

/* Is one of the eight bytes of a word that byte?  A borrow may only add to those that are. */
static inline bool x86_word_has(u64 word, u8 byte)
{
	word ^= byte * 0x0101010101010101ull;
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* By words: hardly any has one of both bytes. */
static inline size_t x86_next_patch(const u8 *bytes, size_t i, size_t len)
{
	u64 word;

	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		if (x86_word_has(word, 0xcc) || x86_word_has(word, 0xe9))
			break;
	}
	while (i < len && !arch_patch_size(bytes + i))
		i++;
	return i;
}
#define arch_next_patch	x86_next_patch

/* Caches are coherent. */
static inline void arch_text_written(unsigned long addr, unsigned int len)
{
}

static inline bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end)
{
	return true;
}

/* The allocator's memory is near. */
static inline unsigned long arch_borrow_text(unsigned long near, unsigned long size)
{
	return 0;
}

static inline void arch_return_text(unsigned long addr, unsigned long size)
{
}

static inline bool arch_edit_is_safe_live(const struct text_edit *edit)
{
	return true;
}

bool arch_store_at_once(void *to, const struct text_edit *edit);
#define arch_store_at_once	arch_store_at_once

#endif /* __ASSEMBLY__ */

#endif /* LKP_X86_HOST_ARCH_H */
