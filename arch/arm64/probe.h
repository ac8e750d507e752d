/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arm64 part of a probe point, and declarations shared by the files of this
 * folder.
 */
#ifndef LKP_ARM64_PROBE_H
#define LKP_ARM64_PROBE_H

#include <linux/compiler.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include "../../core/return_stubs.h"
#include "insn.h"

#define ARCH_JUMP_SIZE		INSN_SIZE
#define ARCH_MAX_INSN_SIZE	INSN_SIZE
#define ARCH_INSN_SIZE		INSN_SIZE

/*
 * With kCFI the word before a function is no instruction, but its type.  The kernel's option has
 * had two names.
 */
#if IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI)
#define ARM64_TYPES
unsigned long arm64_text_end(unsigned long at, unsigned long end);
#define arch_text_end	arm64_text_end
#endif

#define ARCH_ENTRY_AT_SITE	0
#define ARCH_FPROBE_KPROBES

/* The kernel's walk along a stack hands each address on: core/walk.c. */
#define ARCH_TRACES
#define ARCH_TRACES_WALK

/* Firmware calls the kernel: SDEI. */
#define ARCH_FIRMWARE_EVENTS

/* With VHE, KVM enters and leaves guests in ordinary text: see guest.c. */
#define ARCH_SWITCHES_GUESTS

#define ARCH_JPROBE_LAST_ARG	(ARM64_JPROBE_STACK_ARGS - 8)

/* All faults of kernel code that can be fixed up pass through this function. */
#define ARCH_FIXUP_FUNCTION	"fixup_exception"
#define ARCH_FIXUP_RETURNS	0

#define ARM64_LINK_REGISTER	30

struct detour;
struct probe_point;
struct task_struct;

/**
 * struct arch_point - an arm64 probe point
 * @insn: the probed instruction
 * @bytes: its bytes
 * @guarded: the copy that is followed by the trap for post handlers runs with
 *	interrupts off, so that pre and post handlers are one critical section
 * @slot: address of its copies; 0 if it is emulated and needs none
 * @detour: the detour buffer, in use or about to be; or NULL
 * @resume: where to resume after the pre handlers, if there is nothing to
 *	emulate and no post handler: a copy, or the target of a branch; else 0
 * @post_stub: the stub that runs post handlers after the guarded copy; 0: a trap does
 */
struct arch_point {
	struct insn insn;
	u8 bytes[INSN_SIZE] __aligned(INSN_SIZE);
	bool guarded;
	unsigned long slot;
	struct detour *detour;
	unsigned long resume;
	unsigned long post_stub;
};

#define ARM64_IRQ_BITS	(PSR_I_BIT | PSR_F_BIT)

static inline unsigned long arch_post_stub(const struct arch_point *arch)
{
	return arch->post_stub;
}

/*
 * An indirect branch that led to the trap is complete: its type is cleared.  Where a trap goes on
 * need not be a landing, whoever chose that.
 */
static __always_inline void arch_redirected(struct pt_regs *regs)
{
	regs->pstate &= ~(u64)PSR_BTYPE_MASK;
}
#define arch_redirected	arch_redirected

static __always_inline void arch_go_on_at(struct pt_regs *regs, unsigned long addr)
{
	regs->pc = addr;
	arch_redirected(regs);
}

static __always_inline void arch_mask_irqs(struct pt_regs *regs)
{
	regs->pstate |= ARM64_IRQ_BITS;
}

/*
 * The masks in DAIF, which guarded instructions need.  With pseudo-NMIs the interrupt state is PMR,
 * whose lowest bits are 0; it is only needed where it is told to lockdep and tracing.
 */
static __always_inline bool arm64_tells_pmr(void)
{
	return IS_ENABLED(CONFIG_TRACE_IRQFLAGS) && system_uses_irq_prio_masking();
}

#define ARM64_IRQ_SHIFT	6	/* from PSTATE.F to bit 0 */

static inline unsigned long arch_irq_state(const struct pt_regs *regs)
{
	unsigned long masks = regs->pstate & ARM64_IRQ_BITS;

	return arm64_tells_pmr() ? arm64_pmr(regs) | masks >> ARM64_IRQ_SHIFT : masks;
}

static inline void arch_set_irq_state(struct pt_regs *regs, unsigned long state)
{
	if (arm64_tells_pmr())
		state = state << ARM64_IRQ_SHIFT & ARM64_IRQ_BITS;
	regs->pstate = (regs->pstate & ~(u64)ARM64_IRQ_BITS) | state;
}

static inline bool arch_ftrace_is_kept(const struct pt_regs *regs)
{
	return false;
}

static inline void arch_ftrace_before(struct pt_regs *regs, unsigned long site)
{
	regs->pc = site;
}

static inline void arch_ftrace_after(struct pt_regs *regs, unsigned long resume)
{
	regs->pc = resume;
}

static inline unsigned long *arch_return_slot(struct pt_regs *regs)
{
	return (unsigned long *)&regs->regs[ARM64_LINK_REGISTER];
}

static inline unsigned long arch_return_frame(const struct pt_regs *regs)
{
	return regs->sp;
}

/*
 * An address whose signature happens to be all ones looks unsigned, and
 * arch_replace_return() could not tell.  Then, and where nothing is signed (the hint is
 * a nop), the second entry point of the stub is used.
 */
static inline unsigned long arch_return_stub_for(unsigned long stub, unsigned long frame)
{
	register unsigned long x16 asm("x16") = frame;
	register unsigned long x17 asm("x17") = stub;

	asm("hint #8" : "+r" (x17) : "r" (x16));	/* pacia1716 */
	return x17 == stub ? stub + INSN_SIZE : stub;
}

static inline unsigned long arch_returned_stub(const struct pt_regs *regs)
{
	return regs->pc;
}

static inline unsigned long arch_returned_value(const struct pt_regs *regs)
{
	return regs->regs[0];
}

static inline void arch_set_returned_value(struct pt_regs *regs, unsigned long value)
{
	regs->regs[0] = value;
}

static inline unsigned long arch_returned_frame(struct pt_regs *regs)
{
	return regs->sp;
}

/* The address in the frame record that is among the registers. */
static inline void arm64_set_record(struct pt_regs *regs, unsigned long addr)
{
#ifdef LKP_HAVE_FRAME_META
	regs->stackframe.record.lr = addr;
#else
	regs->stackframe[1] = addr;
#endif
}

/* Also in the frame record, as the instance is free before that is used no more. */
static inline void arch_return_to(struct pt_regs *regs, unsigned long addr)
{
	regs->regs[ARM64_LINK_REGISTER] = addr;
	arm64_set_record(regs, addr);
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
unsigned long arch_return_in(const unsigned long *word);
bool arm64_return_is_foreign(struct task_struct *task, unsigned long frame,
			     const unsigned long *word);
#define arch_return_is_foreign	arm64_return_is_foreign
bool arch_replace_return(struct task_struct *task, unsigned long frame,
			 unsigned long *word, unsigned long addr);

bool arm64_text_is_guarded(void);
bool arm64_before_wait(void *unused, u64 addr);
void arm64_trap_back(struct pt_regs *regs);
void arm64_trap_post(struct pt_regs *regs);

asmlinkage void arm64_breakpoint(void);
#ifdef LKP_HAVE_BREAK_HOOK
asmlinkage void arm64_serve_brk(unsigned long far, unsigned long esr, struct pt_regs *regs);
#else
asmlinkage void arm64_serve_brk(unsigned long esr, struct pt_regs *regs);
#endif
asmlinkage void arm64_return(void);
asmlinkage void arm64_detour(void);

void arm64_resume_init(void);
asmlinkage u64 arm64_resume_state(struct pt_regs *regs);
asmlinkage void arm64_resume(void);

/**
 * struct arm64_return_places - places in the return trampoline
 * @start: its first instruction
 * @recorded: from here on its frame record is complete
 * @restored: from here on the record is not used any more
 * @end: behind it and arm64_return()
 */
struct arm64_return_places {
	unsigned long start;
	unsigned long recorded;
	unsigned long restored;
	unsigned long end;
};

extern const struct arm64_return_places arm64_return_places;

/**
 * struct arch_frames - where a walk along a stack is
 * @record: the frame record that comes next
 * @pc: where the task was interrupted, if that is the address the walk is at; else 0
 * @lr: its link register there
 * @sp: its stack pointer there
 * @stack: if the task is another one, its stack, which is not left
 */
struct arch_frames {
	unsigned long record;
	unsigned long pc;
	unsigned long lr;
	unsigned long sp;
	unsigned long stack;
};

/* A return address to there looks like a call by a detour. */
static inline unsigned long arch_detour_frame(void)
{
	return (unsigned long)arm64_detour + INSN_SIZE;
}

asmlinkage void arm64_jprobe_enter(void);
asmlinkage void arm64_jprobe_back(void);
#define arch_jprobe_back	arm64_jprobe_back

/* What arm64_jprobe_enter() needs: returned in two registers; @probed with ARM64_JPROBE_ bits. */
struct arm64_jprobe {
	void *entry;
	unsigned long probed;
};

/* And what arm64_jprobe_back() needs: where the stack and the frame record are. */
struct arm64_jprobe_place {
	unsigned long sp;
	unsigned long fp;
};

asmlinkage struct arm64_jprobe arm64_jprobe_begin(void);
asmlinkage struct arm64_jprobe_place arm64_jprobe_place(void);
asmlinkage void arm64_jprobe_end(struct pt_regs *regs);

#endif /* LKP_ARM64_PROBE_H */
