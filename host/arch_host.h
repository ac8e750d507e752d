/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What host/ needs of an architecture.  Provided by arch/<arch>/host.c and
 * arch/<arch>/host_arch.h.
 */
#ifndef LKP_ARCH_HOST_H
#define LKP_ARCH_HOST_H

#include <linux/types.h>

#include "../arch/select.h"

struct page;
struct text_edit;
struct exception_table_entry;

/* Is this kernel on this machine supported?  Returns 0, or an error after logging the reason. */
int arch_init(void);

/*
 * Is the processor emulated by translation, see host_cpu_is_emulated()?  True if that is
 * not known but likely: that only costs time, as text is then written twice.  False on
 * real hardware, also under a hypervisor.
 */
bool arch_cpu_is_emulated(void);

/**
 * arch_bind_veneer() - make a veneer branch to its function
 * @veneer: import_NAME(), in our own text
 * @target: the kernel's function
 *
 * After the last of a series the caller calls host_text_sync().
 *
 * Return: 0 or an error of host_text_write(), -ERANGE if @target is too far.
 */
int arch_bind_veneer(void *veneer, unsigned long target);

/* The page behind an address of the kernel's or a module's text; NULL if there is none. */
struct page *arch_text_page(unsigned long addr);

/* Makes this CPU discard instructions that it has fetched; called by IPI on each CPU. */
void arch_sync_core(void *unused);

/*
 * Makes the caches coherent after a write to the text at this address through
 * another mapping; inline, in host_arch.h:
 *
 * void arch_text_written(unsigned long addr, unsigned int len);
 *
 * Fill memory with breakpoints that are no probe point's:
 *
 * void arch_fill_traps(void *to, unsigned int size);
 *
 * May this edit be made while CPUs run the text, or must they be stopped during
 * the write?
 *
 * bool arch_edit_is_safe_live(const struct text_edit *edit);
 */

/*
 * Writes an edit in one store, so that nobody sees a part of it; false if it can't.  With a macro,
 * where the kernel patches by breakpoints:
 *
 * bool arch_store_at_once(void *to, const struct text_edit *edit);
 */
#ifndef arch_store_at_once
#define arch_store_at_once(to, edit)	false
#endif

/*
 * Keep off this CPU what comes while interrupts are off, and may run text that is being written
 * with all CPUs stopped; inline, in host_arch.h, where the kernel lets such things come:
 *
 * unsigned long arch_hold_nmis(void);
 * void arch_release_nmis(unsigned long flags);
 */
#ifndef arch_hold_nmis
#define arch_hold_nmis()		0
#define arch_release_nmis(flags)	((void)(flags))
#endif

/*
 * The size of the breakpoint or jump that these bytes of text begin with, be it a whole
 * instruction or the first byte of one; 0 if they begin with neither.  @bytes is aligned
 * to ARCH_TRAP_SIZE.  Inline, in host_arch.h:
 *
 * unsigned int arch_patch_size(const u8 *bytes);
 *
 * size_t arch_next_patch(const u8 *bytes, size_t i, size_t len);
 *	the next offset from @i on where it is not 0, or @len; optional
 */

/*
 * Does the kernel put breakpoints into code that it patches, for as long as that takes?
 * Where an instruction is a word, it is patched in one store, or with all CPUs stopped.
 */
#ifndef ARCH_PATCHED_BY_TRAP
#define ARCH_PATCHED_BY_TRAP	0
#endif

/*
 * Does the kernel look at the instruction between the address of a fault and that of its fixup?
 * Then a copy has its fixup right behind it.
 */
#ifndef arch_fixup_is_behind
#define arch_fixup_is_behind(entry)	false
#endif

/* Does the kernel find the entry of a BUG or WARN otherwise than by the address in it? */
#ifndef arch_bug_is_elsewhere
#define arch_bug_is_elsewhere(bug)	false
#endif

/*
 * The range in which memory must lie so that direct branches reach it from the text at
 * an address, and from as much of the text around as possible, and back.
 */
void arch_near_text_range(unsigned long near, unsigned long *start, unsigned long *end);

/*
 * Is all of an area within that range?  In host_arch.h, inline or not:
 *
 * bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end);
 */

/*
 * Unused memory within the kernel's text and within that range; 0 if there is none.
 * In host_arch.h, inline or not:
 *
 * unsigned long arch_borrow_text(unsigned long near, unsigned long size);
 * void arch_return_text(unsigned long addr, unsigned long size);
 */

/*
 * A trampoline of ours that the tracer may call at the sites of probe points, in place
 * of its own; 0 if there is none.  If it must be near its call sites, there are several,
 * called ways, for different sites; way 0 is then for sites that are near none of them.
 * The ways are fixed while probe points are armed.
 */
unsigned long arch_ftrace_trampoline(unsigned int way);
#ifdef ARCH_NR_FTRACE_WAYS
unsigned int arch_ftrace_way(unsigned long site);
#else
#define ARCH_NR_FTRACE_WAYS	1
static inline unsigned int arch_ftrace_way(unsigned long site)
{
	return 0;
}
#endif

/* The same for a tracing with this data; @nr is a free one of ARCH_NR_TRACED_STUBS. */
unsigned long arch_traced_stub(unsigned int nr, void *data);

#ifdef ARCH_MENDS_TRACER
/* Patch the function tracer's trampoline and callbacks as we need them, and restore them. */
int arch_ftrace_init(void);
void arch_ftrace_exit(void);
#else
static inline int arch_ftrace_init(void)
{
	return 0;
}

static inline void arch_ftrace_exit(void)
{
}
#endif

/*
 * Does this word of a sleeping task's stack mean that the task will resume at the
 * address it holds?  The words after it, up to @end, may be read.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end);

/*
 * Of such a word that holds the address of an instruction that faulted: have the task resume
 * at another address.  All CPUs are stopped.
 */
void arch_stack_word_resume_at(unsigned long *word, unsigned long addr);

/* The lowest address of the part of a sleeping task's stack that is in use. */
unsigned long arch_task_stack_pointer(struct task_struct *task);

#endif /* LKP_ARCH_HOST_H */
