/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What host/ asks of an architecture.  arch/<arch>/host.c and
 * arch/<arch>/host_arch.h answer.
 */
#ifndef LKP_ARCH_HOST_H
#define LKP_ARCH_HOST_H

#include <linux/types.h>

#include "../arch/select.h"

struct page;
struct text_edit;
struct exception_table_entry;

/* Can this kernel be served on this machine?  Returns 0 or an error, and has said why. */
int arch_init(void);

/*
 * Is the processor one that an emulator translates, see host_cpu_is_emulated()?  True
 * where that is not known but likely: it only costs time, as text is then written
 * twice.  False on a real one, also under a hypervisor.
 */
bool arch_cpu_is_emulated(void);

/**
 * arch_bind_veneer() - lead a veneer to its function
 * @veneer: import_NAME(), in our own text
 * @target: the kernel's function
 *
 * The caller ends a series of these with host_text_sync().
 *
 * Return: 0 or an error of host_text_write(), -ERANGE if @target is too far.
 */
int arch_bind_veneer(void *veneer, unsigned long target);

/* The page behind an address of the kernel's or a module's text; NULL if there is none. */
struct page *arch_text_page(unsigned long addr);

/* Make this CPU forget instructions it has fetched; runs by IPI on each. */
void arch_sync_core(void *unused);

/*
 * Have the caches know what was written to memory that is text at this
 * address; inline, in host_arch.h:
 *
 * void arch_text_written(unsigned long addr, unsigned int len);
 *
 * Fill memory with breakpoints that are no probe point's:
 *
 * void arch_fill_traps(void *to, unsigned int size);
 *
 * May this edit be made while CPUs run what it changes, or must they be kept
 * elsewhere for as long as it takes?
 *
 * bool arch_edit_is_safe_live(const struct text_edit *edit);
 */

/*
 * How many bytes have been written over by whoever has put a breakpoint or a jump
 * into text that begins with these, all of an instruction or its first byte; 0 if it is
 * neither.  They are as ARCH_TRAP_SIZE is aligned.  Inline, in host_arch.h:
 *
 * unsigned int arch_patch_size(const u8 *bytes);
 */

/*
 * Where memory must lie for the text at an address, and as much of the text
 * around it as possible, to branch to and be branched to.
 */
void arch_near_text_range(unsigned long near, unsigned long *start, unsigned long *end);

/*
 * Is all of an area that near?  Inline, in host_arch.h, or not:
 *
 * bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end);
 */

/*
 * Memory that near amid the kernel's text that nobody uses; 0 if there is none.
 * Inline, in host_arch.h, or not:
 *
 * unsigned long arch_borrow_text(unsigned long near, unsigned long size);
 * void arch_return_text(unsigned long addr, unsigned long size);
 */

/*
 * A trampoline of our own that the tracer may call at the sites of probe points, in
 * place of its own; 0 if there is none.  If it must be near what calls it, there are
 * several of them, called ways, for different sites; then way 0 is for sites that no
 * such code is near to.  Nothing changes about that while probe points are armed.
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

/* The same for a tracing with this data: one of ARCH_NR_TRACED_STUBS that is not in use. */
unsigned long arch_traced_stub(unsigned int nr, void *data);

#ifdef ARCH_MENDS_TRACER
/* Make the function tracer's trampoline fit for us, and as it was. */
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
 * Does this word of a sleeping task's stack say that it will go on at the
 * address it holds?  The words behind it up to @end may be looked at.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end);

/* The part of a sleeping task's stack that is in use. */
unsigned long arch_task_stack_pointer(struct task_struct *task);

#endif /* LKP_ARCH_HOST_H */
