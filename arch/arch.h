/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between the core and an architecture.  Each architecture has
 * the same files; arch/<arch>/probe.h defines struct arch_point.
 */
#ifndef LKP_ARCH_H
#define LKP_ARCH_H

#include <linux/linkage.h>
#include <linux/types.h>

#include "select.h"
#include ARCH_ENTRY_H
#include ARCH_PROBE_H

/*
 * ---- What an exception does, and who does it ----
 *
 * However a handler is reached, it has to find the state that it would find in a trap:
 *
 *	trap		arch_trap()
 *	detour		a jump in place of the trap; calls handlers by dispatch_jump() or directly
 *	post		the stub behind a slot that calls dispatch_post_guarded() or dispatch_post()
 *	own tracer	a trampoline of ours at a site of the function tracer
 *	tracer		the kernel's trampoline: arch_ftrace_hit(), arch_traced_hit()
 *	return		the trampoline behind the return stubs, return_hooks_run()
 *	jprobe		the function that arch_enter_jprobe() enters, and dispatch_resume()
 *
 * Each cell below says what establishes that state:
 *
 *	cpu	the processor, at the exception
 *	kernel	the kernel's own entry code
 *	arch	arch_handlers_enter() in C, HANDLERS_ENTER in trampoline.S, emit_handlers_enter() in
 *		assembled code; arch/<arch>/entry.h describes all three, and
 *		arch_handlers_leave(), which undoes it
 *	core	handlers_enter(). Detours reach it by dispatch_jump(): see detour_gate_is_shut()
 *	regs	arch_enter_jprobe(), which masks interrupts in the registers that it resumes with
 *	copy	arch_execute(), which has masked interrupts for the guarded copy
 *	abi	not needed: the ABI has this state at every call and return
 *	no	nothing; handlers find the state of the probed code
 *	.	this combination does not exist
 *
 * x86-64			trap	detour	post	own	tracer	return	jprobe
 *						tracer
 * interrupts: IF		cpu	arch	arch	arch	arch	arch	regs
 * told of: lockdep, tracing	kernel	core	core	core	core	core	core
 * preemption count		kernel	arch	core	core	core	core	core
 * RCU watches			kernel	no	no	no	no	no	no
 * direction flag: DF		kernel	arch	arch	abi	abi	abi	abi
 * user memory: AC		kernel	arch	arch	arch	no	arch	no
 *
 * arm64			trap	detour	post	own	tracer	return	jprobe
 *						tracer
 * interrupts: DAIF		cpu	arch	arch	.	arch	arch	regs
 * with pseudo-NMIs: PMR	kernel	arch	arch	.	arch	arch	regs
 * told of: lockdep, tracing	kernel	core	core	.	core	core	core
 * preemption count		core	arch	core	.	core	core	core
 * RCU watches			kernel	no	no	.	no	no	no
 * user memory: PAN		cpu	arch	arch	.	abi	(5)	regs
 * the same by TTBR0		kernel	.	.	.	arch	arch	regs
 * its limit: addr_limit, UAO	(6)	arch	arch	.	arch	arch	regs
 * tags of memory: TCO		cpu	no	no	.	abi	abi	no
 * branch type: BTYPE		arch	abi	abi	.	abi	abi	regs
 *
 * powerpc			trap	detour	post	own	tracer	return	jprobe
 *						tracer
 * interrupts: soft mask	kernel	arch	copy	arch	arch	arch	regs
 * of counters: IRQS_PMI_DISABLED kernel	no	no	no	no	no	no
 * MSR[EE]			kernel	no	no	no	no	no	no
 * told of: lockdep, tracing	kernel	core	.	core	core	core	core
 * preemption count		core	core	core	core	core	core	core
 * RCU watches			no	no	no	no	no	no	no
 * user memory: AMR		kernel	arch	(1)	arch	arch	arch	(1)
 * mapped mode: MSR[IR,DR]	(2)	(3)	(2)	(3)	no	(2)	(2)
 * the tracer is off: PACA	.	.	.	(4)	kernel	.	.
 *
 * (1) powerpc_keep_access(), for jprobes powerpc_jprobe_end(). Handlers find the state of the
 *     probed code, and it is put back behind them.
 * (2) arch_trap_is_foreign(): a hit in real mode runs its instruction, not a guarded copy, and
 *     enters neither a return probe nor a jprobe. It counts as missed: arch_foreign_trap().
 * (3) powerpc_hub and powerpc_ftrace_entry call nothing then, and count the miss by a trap.
 * (4) powerpc_ftrace_entered().
 * (5) "abi", but "arch" on kernels with an addr_limit: there functions return with PAN cleared, on CPUs
 *     without UAO.
 * (6) On kernels that have one, as 5.10: the kernel sets addr_limit, the processor clears UAO.
 *
 * What handlers do to TCO is undone by detours and stubs, too.  The kernel has the same SSBS and DIT
 * everywhere, and sets UAO only by addr_limit: only a trap saves them elsewhere.
 * On arm64 with pseudo-NMIs the kernel masks interrupts by PMR, above which an NMI is.  DAIF masks
 * both, and that is what keeps NMIs out of handlers, and off the guarded copy, in which PMR is what
 * the probed code has: the instruction may read it.
 * The preemption count is raised on kernels without PREEMPT_COUNT, too: raise_preempt_count().
 * Where PAN is emulated by TTBR0 there are no detours and no stubs for post handlers: see
 * arch_jump_prepare() and arch_post_prepare().  On powerpc there are no such stubs if lockdep or
 * tracing must be told.
 *
 * All run on the stack of the probed code.  User context is tracked at the kernel's entry and
 * exit, and no probe point is there.  A jprobe's function may abandon frames that KASAN has
 * poisoned: host_frames_abandoned() unpoisons them.
 */

struct host_area;
struct module;
struct probe_point;
struct pt_regs;
struct text_edit;

/**
 * struct arch_step - what a walk over instructions needs to know of one
 * @length: bytes
 * @trap: it is a breakpoint: padding, or a probe
 * @ends_flow: execution never continues behind it
 * @filler: this many bytes behind it never run, though there are nops among them
 * @target: target of a direct call or jump; 0 if it is neither
 */
struct arch_step {
	unsigned int length;
	bool trap;
	bool ends_flow;
	u8 filler;
	unsigned long target;
};

/**
 * arch_step_over() - examine one instruction
 * @step: filled in
 * @bytes: its bytes
 * @avail: number of bytes that may be read
 * @addr: the address where it runs
 *
 * Return: false if no instruction begins with these bytes.
 */
bool arch_step_over(struct arch_step *step, const u8 *bytes, size_t avail, unsigned long addr);

#ifdef ARCH_SKIPS_PLAIN
/**
 * arch_skip_plain() - step over instructions that are no breakpoint and end no flow
 * @bytes: text, all of it original
 * @size: how many bytes there are
 * @at: offset in @bytes where an instruction begins
 * @end: instructions that begin there or behind are not stepped over
 *
 * Context: any.
 * Return: the offset of the next instruction, which arch_step_over() is to look at.
 */
size_t arch_skip_plain(const u8 *bytes, size_t size, size_t at, size_t end);
#endif

/* The original bytes of the instruction at a point. */
const u8 *arch_point_bytes(const struct probe_point *pt);

/**
 * arch_point_prepare() - decide how the instruction is executed, and build its slot
 * @pt: with addr set
 * @bytes: the instruction
 * @avail: number of bytes that may be read
 * @why: on error, the reason: a phrase that stands alone
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -EINVAL if the instruction can't be probed, -EILSEQ if the bytes are
 * none, -ENOMEM, or an error of host_text_write().
 */
int arch_point_prepare(struct probe_point *pt, const u8 *bytes, size_t avail, const char **why);

/*
 * Free a point that arch_point_prepare() has set up.  A task may still be in the
 * slot and reads the point after the instruction, so the memory is freed together
 * with the slot.
 */
void arch_point_release(struct probe_point *pt);

#ifdef ARCH_TRACES
/**
 * struct traces_call - a function of the kernel that is asked of each word on a stack
 * @theirs: its name; NULL behind the last one
 * @ours: what is called instead
 * @last: only when all others are replaced: alone it would make traces wrong that must be reliable
 */
struct traces_call {
	const char *theirs;
	void *ours;
	bool last;
};

/* Without the first of them traces can't be made whole. */
extern const struct traces_call arch_traces_calls[];

/* The functions of the kernel that follow stacks, where the calls are; NULL behind the last one. */
extern const char * const arch_traces_askers[];

/*
 * Those of them by which traces are taken that must be reliable: while a call there is the kernel's,
 * a stub may be in such a trace.
 */
extern const char * const arch_traces_must[];

/**
 * unsigned long arch_called_at(unsigned long addr) - where calls of the function at @addr lead; a
 * macro in probe.h, only if it is not always @addr itself
 */

/**
 * unsigned long arch_called_function(unsigned long target) - the function that a call of @target
 * leads to, with kprobe_mutex held; a macro in probe.h, only if it is not always @target itself
 */

/**
 * unsigned long arch_begin_before(unsigned long start, unsigned long addr) - from where instructions
 * are stepped over up to @addr in the function at @start, with kprobe_mutex held: @start, or an
 * address behind it at which that is known to come by; a macro in probe.h, only if it is not always
 * @start
 */

/**
 * unsigned long arch_detour_frame(void) - a return address whose frame is described as that of
 * a detour that has called a handler; may be inline, in probe.h
 */

/**
 * bool arch_traces_slots(void) - does the kernel's unwinder find its way out of a slot, with our help
 *
 * unsigned long arch_traces_return(unsigned long addr) - what to answer for a return address that is
 * none of a stub: @addr itself if it is in no slot and no detour
 *
 * In any context; an architecture that describes slots has both, and ARCH_TRACES_SLOTS.
 */
#ifdef ARCH_TRACES_SLOTS
bool arch_traces_slots(void);
unsigned long arch_traces_return(unsigned long addr);
#else
#define ARCH_TRACES_SLOTS	0

static inline bool arch_traces_slots(void)
{
	return false;
}

#define arch_traces_return(addr)	(host_in_run(addr) ? arch_detour_frame() : (addr))
#endif

/**
 * ARCH_TRACES_TRUSTS_STUBS - an unwinder of the kernel's takes a stub for the address of a caller, so
 * ftrace_graph_ret_addr() is to answer 0 for one that is not known; in probe.h, optional
 */
#ifndef ARCH_TRACES_TRUSTS_STUBS
#define ARCH_TRACES_TRUSTS_STUBS	0
#endif

/**
 * arch_traces_make_call() - make a call one of another function
 * @edit: the call as it is; its bytes are changed
 * @to: the other function
 *
 * Context: process context, sleeps, kprobe_mutex held.
 * Return: false if it is no call, or too far.
 */
bool arch_traces_make_call(struct text_edit *edit, const void *to);

/* Free what arch_traces_make_call() has allocated: no CPU is in it any more. */
void arch_traces_end(void);

/* What becomes of stack traces if none of the calls is found: a phrase for the log. */
extern const char arch_traces_without[];
#endif

#ifdef ARCH_TRACES_WALK
/**
 * struct arch_place - what a stack trace names in place of an address in our text
 * @addr: an address in its place
 * @caller: the next one, if nothing else on the stack tells of it; or 0
 */
struct arch_place {
	unsigned long addr;
	unsigned long caller;
};

/* See arch/arm64/traces.c. */
void arch_frames_begin(struct arch_frames *frames, const struct task_struct *task,
		       const struct pt_regs *regs, unsigned long caller);
void arch_frames_next(struct arch_frames *frames);
void arch_frames_place(const struct arch_frames *frames, unsigned long addr,
		       struct arch_place *place);
#endif

/*
 * The original bytes that our trap or jump hides at present, from the point's
 * address on.  Returns them, and in @nr how many there are.
 */
const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr);

/* Does the text at the point match the point's state? */
bool arch_point_intact(const struct probe_point *pt);

/* The edit of the first byte that writes the trap. */
void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit);

/* The edit of the first byte that replaces the trap by the jump or by the original. */
void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump);

/* The edit of the bytes behind it: the jump's or the original ones; length 0 if there are none. */
void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump);

/*
 * Shut the gate of a detour: hits that read it from now on call no handlers from there.  A
 * hit that has read it open runs with interrupts off, so a sync of all CPUs waits for it.
 */
void arch_shut_gate(struct probe_point *pt);

/* ---- jumps ---- */

extern const char * const arch_jump_unknown;

/**
 * ARCH_SHORT_JUMP_SIZE - bytes of a jump that overwrites less, where there is such a thing; in
 * probe.h, optional
 */
#ifndef ARCH_SHORT_JUMP_SIZE
#define ARCH_SHORT_JUMP_SIZE	ARCH_JUMP_SIZE
#endif

/**
 * arch_jump_verdict() - does the text allow a jump in place of the trap
 * @addr: an address that can be probed
 * @mod: the module whose text that is; NULL: the kernel image
 * @is_short: set to whether that is one of ARCH_SHORT_JUMP_SIZE
 *
 * Context: kprobe_mutex held, sleeps; takes long when a text is scanned for the first time.
 * Return: NULL; or why not, a phrase that stands alone.
 * Two reasons are not final, and the caller should ask again later: arch_jump_unknown,
 * if there was not enough memory to find out, and text_foreign.
 */
const char *arch_jump_verdict(unsigned long addr, struct module *mod, bool *is_short);

#ifndef arch_jump_begin
/*
 * In between kprobe_mutex is not released: arch_jump_prepare() may use what arch_jump_verdict() and
 * arch_jump_obstacle() have found out.
 */
static inline void arch_jump_begin(void)
{
}
#endif

#ifndef arch_jump_end
static inline void arch_jump_end(void)
{
}
#endif

/**
 * arch_jump_prepare() - make a detour that calls the currently enabled handlers
 * @pt: a point for which arch_jump_verdict() returned NULL
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: NULL, or why that is not possible at present.
 */
const char *arch_jump_prepare(struct probe_point *pt);

/*
 * Called when a point has got or lost its detour.  On architectures where hits resume
 * in the detour's copies while there is one, this switches to the copies or back.
 *
 * Context: kprobe_mutex held.
 */
void arch_jump_publish(struct probe_point *pt);

/*
 * Retire a detour; hits then resume as without one.  No jump leads to it any more, and its
 * gate is shut or it was never in use.  Tasks may still be in it.
 *
 * Context: kprobe_mutex held, may sleep.
 */
void arch_jump_discard(struct probe_point *pt);

/* Is the text behind the trap, and what a jump leads to, the same as when the detour was made? */
bool arch_jump_fits(const struct probe_point *pt);

/* A module is unloaded: drop what is known about its text.  Context: kprobe_mutex held. */
void arch_jump_forget_module(struct module *mod);
void arch_jump_exit(void);

#ifdef ARCH_RELAYS
/*
 * What jumps need of the text beside the bytes that they overwrite: see arch/x86/relay.c.
 */
const char *arch_jump_obstacle(struct probe_point *pt);
bool arch_relays_near(unsigned long from, unsigned long to);
void arch_relays_uncover(unsigned long addr, u8 *to, size_t len);
bool arch_relays_cover(const struct probe_point *pt);
void arch_relays_clear(struct probe_point *pt, struct list_head *todo);
int arch_relays_vacate(struct probe_point *pt);
bool arch_relays_begin(bool *done);
bool arch_relays_end(void);
bool arch_relays_settled(void);
void arch_relays_unblock(struct probe_point *pt);
#else
static inline const char *arch_jump_obstacle(struct probe_point *pt)
{
	return NULL;
}

static inline bool arch_relays_near(unsigned long from, unsigned long to)
{
	return false;
}

static inline void arch_relays_uncover(unsigned long addr, u8 *to, size_t len)
{
}

static inline bool arch_relays_cover(const struct probe_point *pt)
{
	return false;
}

static inline void arch_relays_clear(struct probe_point *pt, struct list_head *todo)
{
}

static inline int arch_relays_vacate(struct probe_point *pt)
{
	return 0;
}

static inline bool arch_relays_begin(bool *done)
{
	return false;
}

static inline bool arch_relays_end(void)
{
	return true;
}

static inline bool arch_relays_settled(void)
{
	return true;
}

static inline void arch_relays_unblock(struct probe_point *pt)
{
}
#endif

/*
 * Called when a point is about to get post handlers: prepares a faster way to them,
 * if the architecture has one.  May be called several times for a point.
 */
void arch_post_prepare(struct probe_point *pt);

/* What arch_execute() has done. */
enum arch_executed {
	ARCH_EXECUTED,		/* the registers are as after the instruction */
	ARCH_IN_SLOT,		/* the instruction runs when the trap returns */
	ARCH_IN_SLOT_GUARDED,	/* the same, and the stub behind it expects the guard to be held */
};

/*
 * In arch/<arch>/probe.h:
 *
 * ARCH_INSN_SIZE	the size of an instruction if all have the same; else 0
 * ARCH_ENTRY_AT_SITE	1 if a probe on the entry is placed at the site
 * ARCH_FPROBE_KPROBES	optional, defined if there is arch_fprobe_kprobes()
 * arch_text_end()	optional: where the instructions of a function end that lead from one
 *			address to the end of its symbol, if data may follow them
 */

/**
 * arch_execute() - emulate the probed instruction, or resume in its slot
 * @pt: the point that was hit
 * @regs: registers at the trap or the jump
 * @with_post: post handlers have to run after the instruction: the caller runs them
 *	if ARCH_EXECUTED is returned, otherwise the stub does by dispatch_post()
 */
enum arch_executed arch_execute(struct probe_point *pt, struct pt_regs *regs, bool with_post);

/* Is an address in this point's slot, where a copy of its instruction runs? */
bool arch_point_runs_at(const struct probe_point *pt, unsigned long addr);

/* The probed instruction whose copy in a detour, maybe one that is given up, is here; or 0. */
unsigned long arch_copied_in_detour(unsigned long addr);

/* Is it in the copy that runs with interrupts off while the guard is held? */
bool arch_point_runs_guarded(const struct probe_point *pt, unsigned long addr);

/*
 * The interrupt state of the code that the registers belong to, in the format of
 * raw_irqs_disabled_flags(), which is asked where CONFIG_TRACE_IRQFLAGS wants to know; inline, in
 * arch/<arch>/probe.h:
 *
 * unsigned long arch_irq_state(const struct pt_regs *regs);
 * void arch_set_irq_state(struct pt_regs *regs, unsigned long state);
 */

/*
 * At the first instruction of a function: the location of its return address, on
 * the stack or in @regs; and the frame, an even stack address that identifies this
 * call among all others on that stack.  Inline, as above:
 *
 * unsigned long *arch_return_slot(struct pt_regs *regs);
 * unsigned long arch_return_frame(const struct pt_regs *regs);
 *
 * The address within a stub to which such a call has to return:
 *
 * unsigned long arch_return_stub_for(unsigned long stub, unsigned long frame);
 *
 * In the trampoline behind the stubs: the stub, the frame of the call, and a way to
 * set the address to return to (ARCH_RETURN_IS_MASKED: where host_waits_for_preempted() is
 * false, interrupts are off until the trampoline is left):
 *
 * unsigned long arch_returned_stub(const struct pt_regs *regs);
 * unsigned long arch_returned_frame(struct pt_regs *regs);
 * void arch_return_to(struct pt_regs *regs, unsigned long addr);
 *
 * While the function runs, its return address may be saved elsewhere on the stack
 * and may be signed.  For a task that does not run: arch_return_words() gives the
 * @nr-th range of words that may hold it, false after the last range
 * (ARCH_RETURN_SLOT_IS_KNOWN: the first range is one word, which no earlier call's is mistaken for,
 * and the others may have copies for unwinders);
 * arch_return_in() gives the return address that a word stands for;
 * arch_replace_return() replaces it, false if it is not the return address of
 * that call; arch_return_is_foreign() says that its signature is that of another call
 * (optional); arch_in_return_path() says whether a task that is interrupted at an address
 * may have its return address in a register, or behind it:
 *
 * bool arch_in_return_path(unsigned long addr);
 * bool arch_return_words(struct task_struct *task, unsigned long frame, unsigned int nr,
 *			  unsigned long **from, unsigned long **to);
 * unsigned long arch_return_in(const unsigned long *word);
 * bool arch_replace_return(struct task_struct *task, unsigned long frame,
 *			    unsigned long *word, unsigned long addr);
 * bool arch_return_is_foreign(struct task_struct *task, unsigned long frame,
 *			       const unsigned long *word);
 */

/**
 * arch_enter_jprobe() - enter a function with the arguments of the probed one
 * @pt: the point, at a function's entry, that was hit
 * @regs: registers there; changed so that @entry runs next
 * @entry: the function; it runs on a copy of the stack arguments
 *
 * Context: a pre_handler; dispatch_hand_on() has been called.
 */
void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry);

/* Return from a jprobe's function to the probed one; returns only if none runs on this CPU. */
void arch_leave_jprobe(void);

/*
 * Called by the trampoline behind the stubs, see return_hook.c.  The stubs are
 * ARCH_NR_RETURN_STUBS of ARCH_RETURN_STUB_SIZE bytes from arch_return_stubs on, in trampoline.S;
 * and others, see return_stubs.c, in memory that is allocated near arch_return_trampoline().
 */
asmlinkage void return_hooks_run(struct pt_regs *regs);
unsigned long arch_return_trampoline(void);

/**
 * arch_make_return_stub() - assemble a stub as they are in our text
 * @bytes: receives ARCH_RETURN_STUB_SIZE bytes
 * @at: the address at which it will run
 *
 * Context: process context.
 * Return: false if the trampoline is out of reach.
 */
bool arch_make_return_stub(u8 *bytes, unsigned long at);

/*
 * Called by the architecture, interrupts off, when the function tracer has reached a
 * site of a host_tracing_start() with this data; on x86 by assembly.  There is only one
 * such user, so the call is direct: an indirect call costs each hit about five more
 * instructions on kernels with mitigations for speculation.
 */
struct fprobe_hook;
asmlinkage void fprobe_hit(struct fprobe_hook *hook, unsigned long site, struct pt_regs *regs);

/*
 * Called by entry.c for a breakpoint at any address, if there is ARCH_TRAP_EVENT.  Returns
 * NOTIFY_DONE if it is not ours.
 */
int arch_trap(struct pt_regs *regs);

#ifndef ARCH_TRAP_EVENT
/* Have our breakpoints served, on kernels without a notifier for them. */
int arch_trap_init(void);
void arch_trap_exit(void);
#endif

#ifdef ARCH_TRAP_HURRIES
/* Take a shorter way than the notifier's, if there is one, and give it back.  kprobe_mutex held. */
void arch_trap_hurry(void);
void arch_trap_unhurry(void);
#endif

/*
 * Called by entry.c when the function tracer has reached the site of a probe point, or
 * a site of a host_tracing_start() with this data.
 */
struct ftrace_ops;
void arch_ftrace_hit(const struct ftrace_ops *ops, unsigned long site, struct pt_regs *regs);
void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs);

/*
 * Behind the kernel's trampoline, does a hit go on where that wants, whatever address a
 * callback sets?  Inline, in arch/<arch>/probe.h:
 *
 * bool arch_ftrace_is_kept(const struct pt_regs *regs);
 *
 * Set @regs to what handlers see at a site of the tracer, and afterwards back to the
 * address where the tracer resumes; inline, in arch/<arch>/probe.h:
 *
 * void arch_ftrace_before(struct pt_regs *regs, unsigned long site);
 * void arch_ftrace_after(struct pt_regs *regs, unsigned long resume);
 */

/**
 * arch_entry_address() - the address where a probe on a function's first byte is placed
 * @start: the first byte
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: the address behind a landing pad for indirect branches; @start if there is none.
 */
unsigned long arch_entry_address(unsigned long start);

/**
 * arch_fprobe_kprobes() - should fprobes on a few functions be kprobes, though there is a tracer
 *
 * Context: any.
 * Return: whether a kprobe on an entry costs less than a callback of the tracer: one at the site
 * has a trampoline of ours, or one in front of it becomes a jump on this CPU, if jumps are on.
 */
#ifdef ARCH_FPROBE_KPROBES
bool arch_fprobe_kprobes(void);
#else
static inline bool arch_fprobe_kprobes(void)
{
	return false;
}
#endif

/* At a function's first instruction: return from it with a value; and read its argument @nr. */
void arch_return_from(struct pt_regs *regs, unsigned long value);
unsigned long arch_argument(const struct pt_regs *regs, unsigned int nr);

/*
 * The fault number that ARCH_FIXUP_FUNCTION was called with, read at its first
 * instruction or, with ARCH_FIXUP_RETURNS, at its return; 0 if it is not known.
 */
int arch_fault_number(const struct pt_regs *regs);

/*
 * The return value of a function.  Inline, in arch/<arch>/probe.h:
 *
 * unsigned long arch_returned_value(const struct pt_regs *regs);
 * void arch_set_returned_value(struct pt_regs *regs, unsigned long value);
 */

/* ---- blacklist.c of the architecture ---- */

/**
 * struct arch_range - text between two symbols that must not be probed
 * @start: symbol at the first byte
 * @end: symbol one past the last byte
 * @why: why not, a phrase that stands alone
 * @traps_only: but the function tracer may call handlers from there
 *
 * It holds for modules, too: for ".noinstr.text" if @start is "__noinstr_text_start".
 */
struct arch_range {
	const char *start;
	const char *end;
	const char *why;
	bool traps_only;
};

typedef int (*blacklist_fn)(unsigned long start, unsigned long end, const char *why);

#ifdef ARCH_OWN_TRAPS
/**
 * arch_is_own_trap() - was the kernel built with a breakpoint that execution passes
 * @addr: where it is
 *
 * Context: kprobe_mutex held, sleeps.
 */
bool arch_is_own_trap(unsigned long addr);
#endif

#ifdef ARCH_FINDS_BLACK
/**
 * arch_blacklist_find() - find text of the kernel image that must not be probed, by what it does
 * @add: called for each range; may be called again for one that has been added
 *
 * Context: process context, sleeps.
 * Return: 0, -ENOMEM, or an error of @add.
 */
int arch_blacklist_find(blacklist_fn add);
#endif

#ifdef ARCH_BLACK_EVERYWHERE
/**
 * arch_blacklist_every() - must no function of this name be probed, in whichever object file
 * @name: the name of a symbol of the kernel image
 *
 * Context: any.
 */
bool arch_blacklist_every(const char *name);
#endif

extern const struct arch_range arch_blacklist_ranges[];	/* ends with an empty one */
/* Functions in which there may be no probe; and those in which the tracer may call handlers. */
extern const char * const arch_blacklist_names[];	/* ends with NULL */
extern const char * const arch_blacklist_trap_names[];	/* the same */
#ifdef ARCH_BLACK_IN_MODULES
/* Beginnings of names: in such functions of modules there may be no probe but at the tracer's sites. */
extern const char * const arch_blacklist_in_modules[];
#endif
/* Functions that also run in the idle loop, where RCU does not watch, and that no section marks. */
extern const char * const arch_idle_names[];
/* Functions that run between trap and guard; all that they call does, too. */
extern const char * const arch_trap_roots[];
/* Functions that run when text or data of a module is used first; all that they call does, too. */
extern const char * const arch_mapping_roots[];
/*
 * Functions that run on a CPU that comes up or wakes up and has no table of exceptions yet, and
 * those that load it; both end with NULL.
 */
extern const char * const arch_bring_up_roots[];
extern const char * const arch_bring_up_ends[];
#ifdef ARCH_FIRMWARE_EVENTS
/*
 * Functions that firmware calls while the kernel may be anywhere, even in its own entry: a trap
 * would overwrite what that has not saved yet.  All that they call runs so, too.  On a machine
 * without such firmware only what has a name of their own is of interest.
 */
extern const char * const arch_event_roots[];
extern const char * const arch_event_own[];	/* beginnings of names */
extern const char * const arch_event_ends[];	/* the same: not called, or to report an error */

/**
 * arch_has_events() - may firmware call the kernel on this machine
 *
 * Context: process context, sleeps.
 */
bool arch_has_events(void);
#endif
/* Prefixes of names: calls of such functions are not followed. */
extern const char * const arch_walk_ends[];
/* Functions that run while a fault is fixed up. */
extern const char * const arch_fault_path[];

#ifdef ARCH_SWITCHES_GUESTS
/**
 * arch_guest_switch() - find the kernel text that runs with the vectors of a guest
 * @area: filled in; what it calls outside of it runs with them, too
 *
 * Context: process context.
 * Return: false if there is none.
 */
bool arch_guest_switch(struct host_area *area);
#endif

#endif /* LKP_ARCH_H */
