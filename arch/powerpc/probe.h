/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The 64-bit Power part of a probe point, and declarations shared by the files of
 * this folder.
 */
#ifndef LKP_POWERPC_PROBE_H
#define LKP_POWERPC_PROBE_H

#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/types.h>
#include <asm/hw_irq.h>
#include <asm/ptrace.h>
#include <asm/reg.h>

#include "../../core/return_stubs.h"
#include "insn.h"

#define ARCH_JUMP_SIZE		INSN_SIZE
#define ARCH_MAX_INSN_SIZE	INSN_MAX_LENGTH
#define ARCH_INSN_SIZE		0

/* The call that the compiler leaves for the function tracer. */
#define ARCH_FTRACE_SITE_SIZE	INSN_SIZE

#define ARCH_ENTRY_AT_SITE	1
#define ARCH_FPROBE_KPROBES
#define ARCH_FTRACE_POST_INLINE	1

/* See modes.c. */
#define ARCH_FINDS_BLACK
#define ARCH_BLACK_EVERYWHERE
#define ARCH_BLACK_IN_MODULES

/* See traces.c. */
#define ARCH_TRACES
#define ARCH_TRACES_RELIABLE
#define arch_called_at(addr)	arch_entry_address(addr)

/* In the frame of an exception: its registers, and the mark that says that they are there. */
#ifdef STACK_INT_FRAME_MARKER
#define POWERPC_EXCEPTION_REGS		STACK_INT_FRAME_REGS
#define POWERPC_EXCEPTION_MARK_AT	STACK_INT_FRAME_MARKER
#else
#define POWERPC_EXCEPTION_REGS		STACK_FRAME_OVERHEAD
#define POWERPC_EXCEPTION_MARK_AT	(STACK_FRAME_MARKER * sizeof(long))
#endif

#define ARCH_JPROBE_LAST_ARG	(POWERPC_FRAME_ARGS + POWERPC_JPROBE_STACK_ARGS)

/* Page faults pass through this function; it returns non-0 if only a fixup can help. */
#define ARCH_FIXUP_FUNCTION	"___do_page_fault"
#define ARCH_FIXUP_RETURNS	1

struct probe_point;
struct task_struct;
struct detour;

/**
 * struct arch_point - a probe point on 64-bit Power
 * @insn: the probed instruction
 * @bytes: its bytes
 * @guarded: the copy that is followed by the trap for post handlers runs with interrupts
 *	off, so that pre and post handlers are one critical section; not if it has an
 *	exception table entry, or accesses irq_soft_mask
 * @slot: address of its copies; 0 if it is emulated and needs none
 * @post_stub: the stub that runs post handlers after the guarded copy; 0: a trap does
 * @fixup: address of its fixup; 0 if it has no exception table entry
 * @detour: the detour buffer, in use or about to be; or NULL
 * @resume: where to resume after the pre handlers, if there is nothing to
 *	emulate and no post handler: a copy, or the target of a branch; else 0
 */
struct arch_point {
	struct insn insn;
	u8 bytes[INSN_MAX_LENGTH];
	bool guarded;
	unsigned long slot;
	unsigned long post_stub;
	unsigned long fixup;
	struct detour *detour;
	unsigned long resume;
};

static inline unsigned long arch_post_stub(const struct arch_point *arch)
{
	return arch->post_stub;
}

/**
 * powerpc_resume_at() - make an exception return to another address
 * @regs: its registers
 * @addr: the address
 */
static __always_inline void powerpc_resume_at(struct pt_regs *regs, unsigned long addr)
{
	regs_set_return_ip(regs, addr);
}

static __always_inline void arch_go_on_at(struct pt_regs *regs, unsigned long addr)
{
	powerpc_resume_at(regs, addr);
}

static __always_inline void arch_mask_irqs(struct pt_regs *regs)
{
	regs->softe |= IRQS_DISABLED;
}

static inline unsigned long arch_irq_state(const struct pt_regs *regs)
{
	return regs->softe;
}

/*
 * Interrupts are soft-masked.  One that arrived meanwhile was recorded, and may have
 * cleared MSR[EE] in the saved registers.  Unmasking must set it again.
 */
static inline void arch_set_irq_state(struct pt_regs *regs, unsigned long state)
{
	regs->softe = state;
	if (state == IRQS_ENABLED && !(regs->msr & MSR_EE))
		regs_set_return_msr(regs, regs->msr | MSR_EE);
}

/* See traced.c. */
static inline bool arch_ftrace_is_kept(const struct pt_regs *regs)
{
	return IS_ENABLED(CONFIG_LIVEPATCH);
}

/* Handlers see what they would see at a trap. */
static inline void arch_ftrace_before(struct pt_regs *regs, unsigned long site)
{
	regs->nip = site;
}

static inline void arch_ftrace_after(struct pt_regs *regs, unsigned long resume)
{
	regs->nip = resume;
}

/* After the tracer's site the function has it in r0, too: the tracer sets r0 from this. */
static inline unsigned long *arch_return_slot(struct pt_regs *regs)
{
	return &regs->link;
}

static inline unsigned long arch_return_frame(const struct pt_regs *regs)
{
	return regs->gpr[1];
}

static inline unsigned long arch_returned_value(const struct pt_regs *regs)
{
	return regs->gpr[3];
}

static inline void arch_set_returned_value(struct pt_regs *regs, unsigned long value)
{
	regs->gpr[3] = value;
}

static inline unsigned long arch_returned_frame(struct pt_regs *regs)
{
	return regs->gpr[1];
}

static inline unsigned long arch_return_stub_for(unsigned long stub, unsigned long frame)
{
	return stub;
}

static inline unsigned long arch_returned_stub(const struct pt_regs *regs)
{
	return regs->nip - INSN_SIZE;
}

/*
 * Stack traces look for it where a function saves it, which this one need not have done.  Nobody
 * else reads that any more.
 */
static inline void arch_return_to(struct pt_regs *regs, unsigned long addr)
{
	regs->nip = addr;
	WRITE_ONCE(*(unsigned long *)(regs->gpr[1] + POWERPC_FRAME_LR), addr);
}

asmlinkage void powerpc_detour(void);

/* What detours have called shows the detour's caller by itself.  This is a name for it. */
static inline unsigned long arch_detour_frame(void)
{
	return (unsigned long)powerpc_detour + INSN_SIZE;
}

/* Wherever our text is, but in slots: arch_stack_word_resumes() is strict here. */
static inline bool arch_in_return_path(unsigned long addr)
{
	return (within_module(addr, THIS_MODULE) &&
		addr - (unsigned long)arch_slots >= ARCH_NR_SLOTS * ARCH_SLOT_SIZE) ||
	       return_address_is_stub(addr);
}

/* Only a dependency or a barrier keeps the order of loads. */
#define ARCH_LOADS_IN_ORDER		false

/* The trampoline enables interrupts some instructions before its end. */
#define ARCH_RETURN_IS_MASKED		false

/* See arch_return_words(): anywhere in the frame. */
#define ARCH_RETURN_SLOT_IS_KNOWN	false

bool arch_return_words(struct task_struct *task, unsigned long frame, unsigned int nr,
		       unsigned long **from, unsigned long **to);

static inline unsigned long arch_return_in(const unsigned long *word)
{
	return *word;
}

/* A stub's address in any saved register is a copy of the return address. */
static inline bool arch_replace_return(struct task_struct *task, unsigned long frame,
				       unsigned long *word, unsigned long addr)
{
	*word = addr;
	return true;
}

bool powerpc_is_switched(unsigned long addr);
const char *powerpc_mode_reason(unsigned long start, unsigned long size);
void powerpc_jprobe_end(struct pt_regs *regs);
void powerpc_put_back(struct pt_regs *regs, const struct pt_regs *saved);
void powerpc_trap_left(struct pt_regs *regs);
void powerpc_detour_missed(const struct pt_regs *regs);
void powerpc_site_missed(const struct pt_regs *regs);
unsigned long powerpc_behind_copy(const struct probe_point *pt);

asmlinkage void powerpc_trap_entry(void);
asmlinkage unsigned long powerpc_serve_trap(struct pt_regs *regs);
asmlinkage void powerpc_return(void);
asmlinkage void powerpc_jprobe_enter(void);
asmlinkage void powerpc_jprobe_enter_no_args(void);
asmlinkage void powerpc_jprobe_jumped(void);
asmlinkage void powerpc_jprobe_jumped_no_args(void);
asmlinkage void powerpc_detour_left(void);
asmlinkage void powerpc_jprobe_back(void);
#define arch_jprobe_back	powerpc_jprobe_back
extern const u32 powerpc_ftrace_entry[], powerpc_ftrace_load[], powerpc_ftrace_end[];
asmlinkage void powerpc_ftrace_entered(struct pt_regs *regs);
asmlinkage void powerpc_returned(struct pt_regs *regs);

#endif /* LKP_POWERPC_PROBE_H */
