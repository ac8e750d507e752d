/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contract between the core and an architecture.  Each architecture has
 * the same files; arch/<arch>/probe.h describes struct arch_point.
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
 * Handlers are to find what they would find behind a trap, however they are reached:
 *
 *	trap		arch_trap()
 *	detour		a jump in place of the trap; looked up by dispatch_jump() or called at once
 *	post		the stub behind a slot that calls dispatch_post_guarded() or dispatch_post()
 *	own tracer	a trampoline of ours at a site of the function tracer
 *	tracer		the kernel's: arch_ftrace_hit(), arch_traced_hit()
 *	return		the trampoline behind the return stubs, return_hooks_run()
 *	jprobe		the function that arch_enter_jprobe() has chosen, and dispatch_resume()
 *
 * The cells below say who sees to an item:
 *
 *	cpu	the processor, at the exception
 *	kernel	the kernel's own entry
 *	arch	arch_handlers_enter() in C, HANDLERS_ENTER in trampoline.S, emit_handlers_enter() in
 *		assembled code; all are described in arch/<arch>/entry.h, as is
 *		arch_handlers_leave(), which undoes it
 *	core	handlers_enter(). Detours reach it by dispatch_jump(): see detour_gate_is_shut()
 *	regs	arch_enter_jprobe(), which masks them in the registers that are gone on with
 *	copy	arch_execute(), which has masked them for the guarded copy
 *	abi	no one need: nothing is called, and nothing returns, in another state
 *	no	no one does; handlers find what the probed code has
 *	.	there is no such way
 *
 * x86-64			trap	detour	post	own	tracer	return	jprobe
 *						tracer
 * interrupts: IF		cpu	arch	arch	arch	arch	arch	regs
 * told of: lockdep, tracing	kernel	core	core	core	core	core	core
 * preemption count		kernel	no	no	no	no	no	no
 * RCU watches			kernel	no	no	no	no	no	no
 * direction flag: DF		kernel	arch	arch	abi	abi	abi	abi
 * user memory: AC		kernel	arch	arch	arch	no	arch	no
 *
 * arm64			trap	detour	post	own	tracer	return	jprobe
 *						tracer
 * interrupts: DAIF		cpu	arch	arch	.	arch	arch	regs
 * pseudo-NMI: PMR		kernel	no	no	.	(5)	no	no
 * told of: lockdep, tracing	kernel	core	core	.	core	core	core
 * preemption count		kernel	no	no	.	no	no	no
 * RCU watches			kernel	no	no	.	no	no	no
 * user memory: PAN		cpu	arch	arch	.	abi	abi	abi
 * the same by TTBR0		kernel	.	.	.	abi	abi	abi
 * branch type: BTYPE		cpu	abi	abi	.	abi	abi	regs
 *
 * powerpc			trap	detour	post	own	tracer	return	jprobe
 *						tracer
 * interrupts: soft mask	kernel	arch	copy	arch	arch	arch	regs
 * of counters: IRQS_PMI_DISABLED kernel	no	no	no	no	no	no
 * MSR[EE]			kernel	no	no	no	no	no	no
 * told of: lockdep, tracing	kernel	core	.	core	core	core	core
 * preemption count		no	no	no	no	no	no	no
 * RCU watches			no	no	no	no	no	no	no
 * user memory: AMR		kernel	(1)	(1)	no	no	no	no
 * mapped mode: MSR[IR,DR]	(2)	no	no	(3)	no	no	no
 * the tracer is off: PACA	.	.	.	(4)	kernel	.	.
 *
 * (1) powerpc_keep_access(): handlers find what the probed code has, and leave it that way.
 * (2) trap_slowly(); not on the fast path of arch_trap().
 * (3) powerpc_ftrace_entry. (4) powerpc_ftrace_entered().
 * (5) arch_handlers_enter() masks it, nothing unmasks it behind the handlers.
 *
 * On arm64 without PREEMPT_COUNT a trap's preemption count is nothing.  Where PAN is by
 * TTBR0 there are no detours and no stubs for post handlers: see arch_jump_prepare() and
 * arch_post_prepare().  On powerpc there are no such stubs where lockdep or tracing is told.
 *
 * All run on the stack of the probed code.  User context is tracked at the kernel's edge,
 * which none of them is at.  A jprobe's function may end amid frames that KASAN has marked:
 * host_frames_abandoned() wipes them.
 */

struct module;
struct probe_point;
struct pt_regs;
struct text_edit;

/**
 * struct arch_step - one instruction, as far as walking over it takes
 * @length: bytes
 * @trap: it is a breakpoint: padding, or somebody's probe
 * @ends_flow: execution never goes on behind it
 * @target: where a direct call or jump goes; 0 if it is none
 */
struct arch_step {
	unsigned int length;
	bool trap;
	bool ends_flow;
	unsigned long target;
};

/**
 * arch_step_over() - look at one instruction
 * @step: filled in
 * @bytes: what it consists of
 * @avail: how many of them may be read
 * @addr: where it runs
 *
 * Return: false if no instruction begins with these bytes.
 */
bool arch_step_over(struct arch_step *step, const u8 *bytes, size_t avail, unsigned long addr);

/* The original bytes of a point: what arch_step_over() should be given in place of the text. */
const u8 *arch_point_bytes(const struct probe_point *pt);

/**
 * arch_point_prepare() - decide how an instruction is executed, and make ready
 * @pt: with addr set
 * @bytes: the instruction
 * @avail: how many bytes may be read
 * @why: on error, the reason: a phrase that stands alone
 *
 * Context: process context, sleeps.
 * Return: 0; -EINVAL the instruction can't be probed, -EILSEQ it is none,
 * -ENOMEM, or an error of host_text_write().
 */
int arch_point_prepare(struct probe_point *pt, const u8 *bytes, size_t avail, const char **why);

/*
 * Free a point that arch_point_prepare() made ready.  A task may still be in
 * the copy of the instruction, and will look at the point behind it: the memory
 * goes when the slot does.
 */
void arch_point_release(struct probe_point *pt);

/*
 * Original bytes that the text lacks at present, from the point's address on:
 * returns where they are kept, and how many there are.
 */
const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr);

/* Does the text at the point hold what it should, armed or not? */
bool arch_point_intact(const struct probe_point *pt);

/* The edit of the first byte that puts the trap in place. */
void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit);

/* The edit of the first byte that ends the trap: for a jump, or the original. */
void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump);

/* The edit of the bytes behind it: the jump's, or the original ones; of no length if there are none. */
void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump);

/* The edit that keeps who is still on the way to a detour's handlers from calling them. */
void arch_edit_gate(const struct probe_point *pt, struct text_edit *edit);

/* ---- jumps ---- */

extern const char * const arch_jump_unknown;

/**
 * arch_jump_verdict() - can a jump stand in for the trap, as far as the text goes
 * @addr: an address that can be probed
 * @mod: whose text that is; NULL: the kernel image's
 *
 * Context: kprobe_mutex held, sleeps; long when a text is looked at for the first time.
 * Return: NULL; or why not, a phrase that stands alone.
 * Of two it is not final, and to be asked for again: arch_jump_unknown if there was
 * no memory to find out, and text_foreign.
 */
const char *arch_jump_verdict(unsigned long addr, struct module *mod);

/**
 * arch_jump_prepare() - make a detour that calls the handlers which are enabled now
 * @pt: a point for which arch_jump_verdict() returned NULL
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: NULL, or why that is not possible at the moment.
 */
const char *arch_jump_prepare(struct probe_point *pt);

/*
 * A point has got its detour, or lost it.  Where hits resume in the detour's copies of
 * instructions while there is one, they do so from here on, or no longer.
 */
void arch_jump_publish(struct probe_point *pt);

/*
 * Give up a detour, and have hits resume as without one.  Nothing leads to it any more; its
 * gate is shut, or it was never in use.  Tasks may be in it.
 */
void arch_jump_discard(struct probe_point *pt);

/* Does the text behind the trap still hold what it did when the detour was made? */
bool arch_jump_fits(const struct probe_point *pt);

/* Might a task whose stack holds this address go on amid the bytes that the jump will overwrite? */
bool arch_jump_overwrites(const struct probe_point *pt, unsigned long addr);

/* A module goes: forget what was found out about its text. */
void arch_jump_forget_module(struct module *mod);
void arch_jump_exit(void);

/*
 * A point is about to have post handlers: make ready what speeds them up, if there
 * is anything.  Called more than once for a point.
 */
void arch_post_prepare(struct probe_point *pt);

/* How arch_execute() left things. */
enum arch_executed {
	ARCH_EXECUTED,		/* the registers are as after the instruction */
	ARCH_IN_SLOT,		/* it runs when the trap returns */
	ARCH_IN_SLOT_GUARDED,	/* so, and the stub behind it expects the guard to be held */
};

/*
 * In arch/<arch>/probe.h:
 *
 * ARCH_INSN_SIZE	of every instruction, if all have one; else 0
 * ARCH_MAX_ENTRY_PAD	bytes from a function's first one to the tracer's site,
 *			where that belongs to its entry
 * ARCH_ENTRY_AT_SITE	1 if that is where a probe on the entry goes
 */

/**
 * arch_execute() - have the probed instruction do what it does
 * @pt: the point that was hit
 * @regs: registers at the trap
 * @with_post: post handlers are to run when it is done: now by the caller if
 *	ARCH_EXECUTED is returned, else by dispatch_post() from the stub
 */
enum arch_executed arch_execute(struct probe_point *pt, struct pt_regs *regs, bool with_post);

/* The point whose copy of the instruction an address is in; NULL if it is in none. */
bool arch_point_runs_at(const struct probe_point *pt, unsigned long addr);

/* Is that copy the one that runs with interrupts off while the guard is held? */
bool arch_point_runs_guarded(const struct probe_point *pt, unsigned long addr);

/*
 * Whether interrupts are on for the code the registers belong to, as
 * raw_irqs_disabled_flags() has it; inline, in arch/<arch>/probe.h:
 *
 * unsigned long arch_irq_state(const struct pt_regs *regs);
 * void arch_set_irq_state(struct pt_regs *regs, unsigned long state);
 */

/*
 * Where the return address of the function is whose first instruction this is,
 * on the stack or in @regs; and what tells its call from all others on that
 * stack, an even address there.  Inline, as above:
 *
 * unsigned long *arch_return_slot(struct pt_regs *regs);
 * unsigned long arch_return_frame(const struct pt_regs *regs);
 *
 * Which address within a stub such a call is to return to:
 *
 * unsigned long arch_return_stub_for(unsigned long stub, unsigned long frame);
 *
 * In the trampoline behind the stubs: which stub it was, which call it was, and
 * how to go on somewhere else:
 *
 * unsigned long arch_returned_stub(const struct pt_regs *regs);
 * unsigned long arch_returned_frame(struct pt_regs *regs);
 * void arch_return_to(struct pt_regs *regs, unsigned long addr);
 *
 * In between the return address may have been put elsewhere on the stack, and
 * may have been signed.  Of a task that does not run: the words where that of
 * a call may be, stretch by stretch until there is none; what return address such
 * a word stands for, and how to have it stand for another; false if it is no
 * return address of that call:
 *
 * bool arch_return_words(struct task_struct *task, unsigned long frame, unsigned int nr,
 *			  unsigned long **from, unsigned long **to);
 * unsigned long arch_return_in(const unsigned long *word);
 * bool arch_replace_return(struct task_struct *task, unsigned long frame,
 *			    unsigned long *word, unsigned long addr);
 */

/**
 * arch_enter_jprobe() - have a function called with the arguments of the probed one
 * @pt: the point, at a function's entry, that was hit
 * @regs: registers there; changed so that @entry runs next
 * @entry: the function; it runs on a copy of the stack arguments
 *
 * Context: a pre_handler; dispatch_hand_on() has been called.
 */
void arch_enter_jprobe(struct probe_point *pt, struct pt_regs *regs, void *entry);

/* Leave @entry for the probed function; returns only if no such function runs on this CPU. */
void arch_leave_jprobe(void);

/*
 * Called by the trampoline behind the stubs, see return_hook.c.  The stubs are
 * ARCH_NR_RETURN_STUBS of ARCH_RETURN_STUB_SIZE bytes from arch_return_stubs on, in trampoline.S.
 */
asmlinkage void return_hooks_run(struct pt_regs *regs);

/*
 * Called by the architecture, interrupts off, when the function tracer has reached a
 * site of a host_tracing_start() with this data, in assembly on x86.  There is one
 * such user, and so it is called by its name: an indirect call, where the kernel guards
 * against speculation, costs each hit some five instructions more.
 */
struct fprobe_hook;
asmlinkage void fprobe_hit(struct fprobe_hook *hook, unsigned long site, struct pt_regs *regs);

/* Called by entry.c: a breakpoint at any address. Returns NOTIFY_DONE if it is not ours. */
int arch_trap(struct pt_regs *regs);

#ifndef ARCH_TRAP_EVENT
/* Have arch_trap() called for each breakpoint of ours; the kernel has no notifier for that. */
int arch_trap_init(void);
void arch_trap_exit(void);
#endif

/*
 * Called by entry.c: the function tracer reached a site of a probe point, or one
 * of a host_tracing_start() with this data.
 */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs);
void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs);

/*
 * What handlers see while they run at a site of the tracer, and the way back to
 * where it would have gone on; inline, in arch/<arch>/probe.h:
 *
 * void arch_ftrace_before(struct pt_regs *regs, unsigned long site);
 * void arch_ftrace_after(struct pt_regs *regs, unsigned long resume);
 */

/**
 * arch_entry_address() - where a probe at a function's first byte really goes
 * @start: the first byte
 *
 * Return: behind a landing pad for indirect branches, if there is one.
 */
unsigned long arch_entry_address(unsigned long start);

/* A function that returns at once with a value, seen from its first instruction. */
void arch_return_from(struct pt_regs *regs, unsigned long value);
unsigned long arch_argument(const struct pt_regs *regs, unsigned int nr);

/*
 * The kind of fault, as ARCH_FIXUP_FUNCTION is told, seen from its first
 * instruction, or, where ARCH_FIXUP_RETURNS, from behind it; 0 if that does not tell.
 */
int arch_fault_number(const struct pt_regs *regs);

/*
 * What a function has returned.  Inline, in arch/<arch>/probe.h:
 *
 * unsigned long arch_returned_value(const struct pt_regs *regs);
 * void arch_set_returned_value(struct pt_regs *regs, unsigned long value);
 */

/* ---- blacklist.c of the architecture ---- */

/**
 * struct arch_range - text between two symbols that must not be probed
 * @start: symbol at the first byte
 * @end: symbol behind the last
 * @why: why not, a phrase that stands alone
 */
struct arch_range {
	const char *start;
	const char *end;
	const char *why;
};

extern const struct arch_range arch_blacklist_ranges[];	/* ends with an empty one */
extern const char * const arch_blacklist_names[];	/* functions; ends with NULL */
extern const char * const arch_trap_roots[];		/* run between trap and guard, with all they call */
extern const char * const arch_walk_ends[];		/* calls of what begins so are not followed */
extern const char * const arch_fault_path[];		/* run while a fault is being fixed up */

#endif /* LKP_ARCH_H */
