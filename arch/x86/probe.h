/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The x86-64 part of a probe point, and declarations shared by the files of this
 * folder.
 */
#ifndef LKP_X86_PROBE_H
#define LKP_X86_PROBE_H

#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/percpu-defs.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "../../core/return_stubs.h"
#include "../../host/compat.h"
#include "insn.h"

#define X86_INT3		0xcc
#define X86_JMP32		0xe9
#define X86_JMP8		0xeb
#define X86_CALL32		0xe8
#define X86_BRANCH32_SIZE	5

#define ARCH_JUMP_SIZE		X86_BRANCH32_SIZE

/* Where no more may be overwritten: it leads to a relay, see relay.c. */
#define ARCH_SHORT_JUMP_SIZE	2
#define ARCH_RELAYS

/* It finds out much about a place once. */
#define arch_jump_begin		x86_jump_begin
#define arch_jump_end		x86_jump_end
void x86_jump_begin(void);
void x86_jump_end(void);

#define ARCH_MAX_INSN_SIZE	INSN_MAX_LENGTH
#define ARCH_INSN_SIZE		0

/* The call that the compiler leaves for the function tracer. */
#define ARCH_FTRACE_SITE_SIZE	5

#define ARCH_ENTRY_AT_SITE	1

/* Does gcc put an int3 behind each jump?  Clang does not behind those to thunks. */
#define X86_TRAPS_BEHIND_JUMPS	(IS_ENABLED(CONFIG_CC_IS_GCC) && \
				 (IS_ENABLED(CONFIG_SLS) || IS_ENABLED(CONFIG_MITIGATION_SLS)))

/* In kernel text the trap is entered like an NMI. */
#define ARCH_TRAP_IS_ATOMIC
#define ARCH_TRAP_NMIS		NMI_OFFSET

/* The first word is the return address. */
#define ARCH_JPROBE_LAST_ARG	X86_JPROBE_STACK_ARGS

/* Every recoverable fault of kernel code passes through this function. */
#define ARCH_FIXUP_FUNCTION	"fixup_exception"
#define ARCH_FIXUP_RETURNS	0

/* A breakpoint of another tool hides where the next instruction begins. */
#define ARCH_OWN_TRAPS

/* Most instructions are told by one or two bytes, much faster than by the whole decoder. */
#define ARCH_SKIPS_PLAIN

/* Where functions have been scanned for targets, instructions are known that begin in their midst. */
#define arch_begin_before	x86_targets_begin_before
unsigned long x86_targets_begin_before(unsigned long start, unsigned long addr);

/* What runs in a kernel restored from disk depends on its compiler. */
#define ARCH_FINDS_BLACK

/* called.c finds the function behind the instruction that counts a call. */
#define arch_called_function	x86_called_function
unsigned long x86_called_function(unsigned long target);

/* Who follows a stack asks the kernel for the real return address: core/traces.c. */
#define ARCH_TRACES

/* Slots, too, are described there. */
#define ARCH_TRACES_SLOTS	1

struct kprobe;
struct probe_point;
struct task_struct;
struct detour;

/**
 * struct arch_point - an x86-64 probe point
 * @insn: the decoded instruction
 * @bytes: its bytes
 * @guarded: SLOT_COPY_POST runs with interrupts off, so that pre and post handlers
 *	are one critical section
 * @slot: address of its slot; 0 if it is emulated and needs none
 * @detour: the detour that a jump in place of the trap leads to, or will; or NULL
 * @resume: the address to resume at after the pre handlers, if nothing has to be
 *	emulated and no post handler runs: a copy, or the target of a jump; else 0
 * @copies: address of the detour's copies of all that the jump overwrites.  While
 *	there is a detour, hits resume there: what follows may be part of the jump
 */
struct arch_point {
	struct insn insn;
	u8 bytes[INSN_MAX_LENGTH];
	bool guarded;
	unsigned long slot;
	struct detour *detour;
	unsigned long resume;
	unsigned long copies;
};

extern bool x86_has_five_levels;	/* page tables have five levels */

#ifdef CONFIG_SMP
#define X86_CPU_SEGMENT	"%%gs:"
#else
#define X86_CPU_SEGMENT	""
#endif

/*
 * Compares in memory, without a register.  By way of a number, since the type of a
 * variable for each CPU may name the segment already.
 */
#define arch_cpu_word_is_null(word)						\
({										\
	bool null__;								\
										\
	asm volatile("cmpq $0, " X86_CPU_SEGMENT "%1"				\
		     : "=@ccz" (null__)						\
		     : "m" (*(void * __force *)(unsigned long)&(word)));		\
	null__;									\
})

/*
 * The processor keeps the order: what matters is that the compiler does, and one instruction.  KCSAN
 * has to be told.
 */
#define arch_cpu_word_release(word, value)					\
do {										\
	kcsan_release();							\
	barrier();								\
	raw_cpu_write(word, value);						\
} while (0)

static inline unsigned long arch_post_stub(const struct arch_point *arch)
{
	return 0;
}

static __always_inline void arch_go_on_at(struct pt_regs *regs, unsigned long addr)
{
	regs->ip = addr;
}

/*
 * The copy of an indirect call has pushed the return address when it faults: a handler would see
 * another stack pointer than in a trap.
 */
#define arch_detour_tells_faults(pt)	((pt)->arch.insn.class != INSN_CALL_IND)

/*
 * If there is a jump, or will be one, ip must not be within its bytes.  The detour is complete
 * before it is the point's; it is freed when no hit runs any more that has found it.  Before it is
 * discarded the text is what it was.
 */
#define arch_leave_jump(pt, regs)						\
do {										\
	const struct detour *detour__ = READ_ONCE((pt)->arch.detour);		\
										\
	if (unlikely(detour__))							\
		x86_lead_around(detour__, regs);				\
} while (0)

#define arch_leave_jumps(regs)		x86_lead_around_all(regs)

static __always_inline void arch_mask_irqs(struct pt_regs *regs)
{
	regs->flags &= ~X86_EFLAGS_IF;
}

static inline unsigned long arch_irq_state(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_IF;
}

static inline void arch_set_irq_state(struct pt_regs *regs, unsigned long state)
{
	regs->flags = (regs->flags & ~X86_EFLAGS_IF) | state;
}

/* The trampoline calls who has set this, a direct caller, before it returns to ip. */
static inline bool arch_ftrace_is_kept(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

/* Handlers see the same ip as after a breakpoint. */
static inline void arch_ftrace_before(struct pt_regs *regs, unsigned long site)
{
	regs->ip = site + 1;
}

static inline void arch_ftrace_after(struct pt_regs *regs, unsigned long resume)
{
	regs->ip = resume;
}

static inline unsigned long *arch_return_slot(struct pt_regs *regs)
{
	return (unsigned long *)regs->sp;
}

static inline unsigned long arch_return_frame(const struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long arch_returned_value(const struct pt_regs *regs)
{
	return regs->ax;
}

static inline void arch_set_returned_value(struct pt_regs *regs, unsigned long value)
{
	regs->ax = value;
}

/* The call in the stub has replaced the stub's address by its own: above @regs. */
static inline unsigned long arch_returned_frame(struct pt_regs *regs)
{
	return (unsigned long)(regs + 1) + X86_RETURN_FRAME;
}

static inline unsigned long arch_return_stub_for(unsigned long stub, unsigned long frame)
{
	return stub;
}

static inline unsigned long arch_returned_stub(const struct pt_regs *regs)
{
	return regs->ip - X86_BRANCH32_SIZE;
}

static inline void arch_return_to(struct pt_regs *regs, unsigned long addr)
{
	*(unsigned long *)arch_returned_frame(regs) = addr;
}

extern const char return_trampoline[];

/* Is this where a function returns to a stub, and then its handlers are called? */
static inline bool arch_in_return_path(unsigned long addr)
{
	return return_address_is_stub(addr) ||
	       addr - (unsigned long)return_trampoline < X86_RETURN_TRAMPOLINE_MAX;
}

/* No load is done before an earlier one. */
#define ARCH_LOADS_IN_ORDER		true

/* The trampoline ends with iretq where it must. */
#define ARCH_RETURN_IS_MASKED		true

/* The return address stays where the call has pushed it. */
#define ARCH_RETURN_SLOT_IS_KNOWN	true

/*
 * A function that aligns its stack has a copy of it beside its frame pointer, for who follows those.
 * It is a return address for them alone, and somewhere further in on the stack.
 */
#define X86_RETURN_IS_COPIED		IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER)

#define ARCH_TRACES_TRUSTS_STUBS	IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER)

static inline bool arch_return_words(struct task_struct *task, unsigned long frame,
				     unsigned int nr, unsigned long **from, unsigned long **to)
{
	*from = (unsigned long *)frame;
	*to = *from + 1;
	if (!X86_RETURN_IS_COPIED || !nr)
		return !nr;
	*to = *from;
	if (frame - task->thread.sp < THREAD_SIZE)
		*from = (unsigned long *)ALIGN(task->thread.sp, sizeof(**from));
	return nr == 1;
}

static inline unsigned long arch_return_in(const unsigned long *word)
{
	/* As in host_stack_word(): the task may have been preempted as it wrote there. */
	return data_race(READ_ONCE(*word));
}

static inline bool arch_replace_return(struct task_struct *task, unsigned long frame,
				       unsigned long *word, unsigned long addr)
{
	*word = addr;
	return true;
}

bool x86_make_branch(u8 *to, u8 opcode, unsigned long from, unsigned long target);
void x86_resume_at(struct probe_point *pt, unsigned long copies);
bool x86_is_stub_return(unsigned long addr);

asmlinkage void x86_ftrace_entry(void);
asmlinkage void x86_ftrace_entered(struct pt_regs *regs);
asmlinkage void x86_post_stub(void);
asmlinkage void x86_return(void);
asmlinkage void x86_return_address(void);
asmlinkage void x86_orc_find(void);
void x86_orc_find_theirs(void);
asmlinkage unsigned long x86_traces_place(unsigned long addr);
unsigned long x86_slot_place(unsigned long slot, unsigned long at);
unsigned long x86_detour_place(unsigned long detour, unsigned long at);
unsigned long x86_detour_probed(unsigned long detour);
void x86_lead_around(const struct detour *detour, struct pt_regs *regs);
void x86_lead_around_all(struct pt_regs *regs);
asmlinkage void x86_detour_left(void);
asmlinkage void x86_detour_post(void);
asmlinkage void x86_detour_resume(void);
asmlinkage void x86_detour_jprobe(void);
unsigned long arch_detour_frame(void);

asmlinkage void x86_behind_slot(struct pt_regs *regs);
DECLARE_PER_CPU(void *, x86_jprobe_entry);
DECLARE_PER_CPU(unsigned long, x86_jprobe_probed);
DECLARE_PER_CPU(struct pt_regs *, x86_jprobe_frame);
extern char x86_traced_stubs[];
extern void *x86_traced_data[];

asmlinkage void x86_jprobe_enter(void);
asmlinkage void x86_jprobe_enter_no_args(void);
asmlinkage void x86_jprobe_back(void);
#define arch_jprobe_back	x86_jprobe_back
asmlinkage void x86_jprobe_irqs_off(void);
asmlinkage void x86_jprobe_restore(struct pt_regs *regs);
asmlinkage void *x86_jprobe_jumped(struct kprobe *p, struct pt_regs *regs, struct probe_point *pt);
asmlinkage void x86_jprobe_end(struct pt_regs *regs, unsigned long from);

#endif /* LKP_X86_PROBE_H */
