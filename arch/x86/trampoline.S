/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that slots and stubs lead to.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/page_types.h>
#include <asm/pgtable_64_types.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>
#include "entry.h"
#include "host_arch.h"

/*
 * Unwinding can't go on here, and what was found is not all: a live patch must not take such
 * a stack for reliable, since a function that it replaces may be further up.
 */
#ifdef UNWIND_HINT_TYPE_UNDEFINED
#define UNWIND_HINT_LOST UNWIND_HINT_UNDEFINED
#else
#define UNWIND_HINT_LOST UNWIND_HINT type=UNWIND_HINT_TYPE_CALL
#endif

/* The return address is the last of so many bytes. */
.macro UNWIND_HINT_RETURN bytes
	UNWIND_HINT type=UNWIND_HINT_TYPE_CALL sp_reg=ORC_REG_SP sp_offset=\bytes
.endm

/* The general registers, in the order of struct pt_regs. */
.macro PUSH_GENERAL
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
.endm

.macro POP_GENERAL
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rax
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
.endm

	.text
/*
 * Builds the registers as a trap would have left them, and resumes by iret, since
 * a handler may change any of them, including the stack pointer.
 *
 * In an NMI iret lets the next one in, here and wherever else this file has it.  The kernel's entry
 * is made for that, as its returns from breakpoints in an NMI are irets, too.  With FRED they are
 * not, and it is not: but the processor then pushes its frame below what it interrupts, on the same
 * stack.  So nothing is written over, and NMIs are nested, as often as the preemption count has
 * room.  (There is no processor to test that on; ERETS would need the level of the stack, which is
 * in an MSR.)
 */
SYM_CODE_START(x86_post_stub)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	leaq	-X86_GAP(%rsp), %rsp
	pushq	$__KERNEL_DS
	pushq	%rsp			/* less 16 and the gap: ss and the return address */
	pushfq
	pushq	$__KERNEL_CS
	pushq	32 + X86_GAP(%rsp)	/* the return address tells which slot it is */
	pushq	$-1
	PUSH_GENERAL
	addq	$16 + X86_GAP, 19*8(%rsp)
	UNWIND_HINT_REGS
	ENCODE_FRAME_POINTER
	HANDLERS_ENTER
	movq	%rsp, %rdi
	call	x86_behind_slot
	POP_GENERAL
	addq	$8, %rsp
	UNWIND_HINT_IRET_REGS
	iretq
SYM_CODE_END(x86_post_stub)

/* Return from a call site of the tracer if a handler has changed the stack pointer. */
SYM_FUNC_START(x86_return)
	ANNOTATE_NOENDBR
	RET
SYM_FUNC_END(x86_return)

/*
 * Called at a site of the function tracer, at a function's entry: builds the
 * registers at the site.  The call's return address is in the place of ss, which is
 * only needed while C code reads it.  The site's own stack pointer points behind it.
 */
.macro PUSH_TRACED_REGS
	UNWIND_HINT_FUNC
	pushq	%rsp			/* less 8: the return address */
	pushfq
	pushq	$__KERNEL_CS
	pushq	24(%rsp)		/* the return address */
	pushq	$-1
	PUSH_GENERAL
	addq	$8, 19*8(%rsp)
	UNWIND_HINT_REGS
	movq	$__KERNEL_DS, 20*8(%rsp)
	ENCODE_FRAME_POINTER
	HANDLERS_ENTER at_call
.endm

/* The place of ss holds the address to resume at. */
.macro POP_TRACED_REGS
	POP_GENERAL
	addq	$24, %rsp		/* orig_ax, ip, cs */
	UNWIND_HINT_RETURN 24
	popfq
	UNWIND_HINT_RETURN 16
	leaq	8(%rsp), %rsp		/* sp; the flags stay */
	UNWIND_HINT_FUNC
	RET
.endm

SYM_CODE_START(x86_ftrace_entry)
	ANNOTATE_NOENDBR
	PUSH_TRACED_REGS
	movq	%rsp, %rdi
	call	x86_ftrace_entered
	POP_TRACED_REGS
SYM_CODE_END(x86_ftrace_entry)

/*
 * Behind the return stubs: a function has returned to the stub that replaced its
 * return address.  The call in the stub has pushed its own return address to that
 * place.  return_hooks_run() overwrites it with the original one, before it calls handlers.
 *
 * To the unwinder this is a function that was called from there, at every instruction: objtool
 * sees by itself what is pushed and popped.  Registers of an exception would hide from it that
 * another tracer may have replaced the return address, too.
 */
SYM_CODE_START(return_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp			/* a frame, with the return address */
#endif
	pushq	$__KERNEL_DS
	pushq	%rsp			/* less 16: ss and the return address; and the frame */
	pushfq
	pushq	$__KERNEL_CS
	pushq	X86_RETURN_FRAME+32(%rsp)
	pushq	$-1
	PUSH_GENERAL
	addq	$(16 + X86_RETURN_FRAME), 19*8(%rsp)
#ifdef CONFIG_FRAME_POINTER
	leaq	21*8(%rsp), %rbp
#endif
	HANDLERS_ENTER at_call
	movq	%rsp, %rdi
	call	return_hooks_run
#if defined(CONFIG_PREEMPTION) && !defined(CONFIG_TASKS_RCU)
	/* Nobody waits for tasks that are preempted here: interrupts stay off until it is left. */
	movq	X86_RETURN_FRAME+21*8(%rsp), %rax
	movq	%rax, 16*8(%rsp)	/* ip */
	leaq	X86_RETURN_FRAME+22*8(%rsp), %rax
	movq	%rax, 19*8(%rsp)	/* sp */
	POP_GENERAL
	addq	$8, %rsp
	UNWIND_HINT_IRET_REGS
	iretq
#else
	POP_GENERAL
	addq	$24, %rsp		/* orig_ax, ip, cs */
	popfq
	leaq	X86_RETURN_FRAME+16(%rsp), %rsp	/* sp, ss; the flags stay */
	RET
#endif
	.org return_trampoline + X86_RETURN_TRAMPOLINE_MAX, 0xcc
SYM_CODE_END(return_trampoline)

/*
 * In place of ftrace_graph_ret_addr(task, idx, addr, word): core/traces.c.  It is asked for each
 * frame of each trace.  Nearly all are the kernel's own text, below all modules: these must cost
 * little.
 */
SYM_CODE_START(x86_return_address)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	cmpq	$MODULES_VADDR, %rdx
	jae	.Lmaybe_ours
	cmpq	traces_known + X86_TRACES_FOREIGN(%rip), %rdx
	je	traces_return_address
#ifdef CONFIG_RETHOOK
	cmpq	traces_known + X86_TRACES_FOREIGN + 8(%rip), %rdx
	je	traces_return_address
#endif
.Lnot_ours:
	jmp	import_ftrace_graph_ret_addr
.Lmaybe_ours:
#ifndef CONFIG_UNWINDER_ORC
	movq	%rdx, %rax
	subq	$arch_slots, %rax
	cmpq	$(ARCH_NR_SLOTS * ARCH_SLOT_SIZE), %rax
	jb	traces_return_address
#endif
	cmpq	return_stubs_area(%rip), %rdx
	jb	1f
	cmpq	return_stubs_area + 8(%rip), %rdx
	jb	traces_return_address
1:	movq	%rdx, %rax
	subq	traces_known + X86_TRACES_START(%rip), %rax
	cmpq	traces_known + X86_TRACES_SIZE(%rip), %rax
	jae	.Lnot_ours
	jmp	traces_return_address
SYM_CODE_END(x86_return_address)

/*
 * In place of orc_find(ip): what the unwinder knows of an address.  In a slot, a detour or a stub that
 * is not in our text it is what it knows of another place, where the stack is the same: x86_traces_place().  All registers are
 * kept, since a compiler knows which ones orc_find() leaves alone.
 */
SYM_CODE_START(x86_orc_find)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	cmpq	$MODULES_VADDR, %rdi
	jae	.Lin_module
.Lfind:
	jmp	x86_orc_find_theirs
.Lin_module:
	movq	%rdi, %rax
	subq	$arch_slots, %rax
	cmpq	$(ARCH_NR_SLOTS * ARCH_SLOT_SIZE), %rax
	jb	.Lin_slot
	cmpq	return_stubs_area(%rip), %rdi
	jb	1f
	cmpq	return_stubs_area + 8(%rip), %rdi
	jb	.Lin_slot
1:	movq	%rdi, %rax
	subq	traces_known + X86_TRACES_START(%rip), %rax
	cmpq	traces_known + X86_TRACES_SIZE(%rip), %rax
	jae	.Lfind
.Lin_slot:
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	call	x86_traces_place
	movq	%rax, %rdi
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	jmp	.Lfind
SYM_CODE_END(x86_orc_find)

/* The way to the kernel's, as in veneers.S. */
SYM_FUNC_START(x86_orc_find_theirs)
	ANNOTATE_NOENDBR
	RET
	.fill	5, 1, 0xcc
SYM_FUNC_END(x86_orc_find_theirs)

/*
 * Never runs.  From behind its first push on, a detour pushes and pops the same by instructions of
 * the same sizes: emit_save(), emit_restore().  So what objtool sees here is also true there.  To
 * the unwinder the probed code has called it: the first push is a return address.
 */
SYM_CODE_START(x86_detour)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	leaq	-X86_GAP(%rsp), %rsp
	pushq	$__KERNEL_DS
	pushq	%rsp
	pushfq
	pushq	$__KERNEL_CS
	pushq	$0x7fffffff		/* the address, of four bytes */
	pushq	$-1
	PUSH_GENERAL
.Ldetour_saved:
	ANNOTATE_NOENDBR
	pushfq
.Ldetour_pushed:
	ANNOTATE_NOENDBR
	popfq
	nop				/* of a return address the byte before it is looked up */
.Ldetour_called:
	ANNOTATE_NOENDBR
	POP_GENERAL
	addq	$24, %rsp		/* orig_ax, ip, cs */
	popfq
	popq	%rsp			/* a handler may have changed it */
.Ldetour_end:
	ANNOTATE_NOENDBR
	ud2
SYM_CODE_END(x86_detour)

/*
 * What detours jump to when a handler has chosen where to go on, where post handlers follow, and to
 * go on as the registers say.  All is on the stack as in a trap, and the point is in rdi.
 * Interrupts are off until iret, which takes the flags, the stack pointer and the address at once.
 */
SYM_CODE_START(x86_detour_left)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	movq	%rsp, %rsi
	call	dispatch_jump_left
	jmp	x86_detour_resume
SYM_CODE_END(x86_detour_left)

SYM_CODE_START(x86_detour_post)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	movq	%rsp, %rsi
	call	dispatch_jump_post
SYM_INNER_LABEL(x86_detour_resume, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	POP_GENERAL
	addq	$8, %rsp
	UNWIND_HINT_IRET_REGS
	iretq
	/* objtool wants to know what follows. */
	UNWIND_HINT_LOST
	ud2
SYM_CODE_END(x86_detour_post)

	.section .rodata, "a", @progbits
	.balign 8
SYM_DATA_START(x86_detour_places)
	.quad	x86_detour, .Ldetour_saved, .Ldetour_pushed, .Ldetour_called, .Ldetour_end
SYM_DATA_END(x86_detour_places)
	.previous

/*
 * Enters a jprobe's function in place of the probed one and on its stack, below a
 * gap that stays free for what the probed instruction may push.  The function gets
 * a copy of the stack arguments, since a callee may change them.
 */
#define GAP	72

/* From the registers in a detour to the stack of the probed code. */
#define DETOUR_FRAME	(21*8 + X86_GAP + 8)

/* The trap has returned with interrupts off, but lockdep and the irq tracer were told "on". */
.macro TELL_IRQS_OFF
#ifdef CONFIG_TRACE_IRQFLAGS
	PUSH_GENERAL
	call	x86_jprobe_irqs_off
	POP_GENERAL
#endif
.endm

/*
 * In the gap is the address in the probed function that traces name there.  For who follows frame
 * pointers it is in a frame, and above that is the one that the probed function will have.
 */
#ifdef CONFIG_UNWINDER_FRAME_POINTER
.macro JPROBE_GAP
	UNWIND_HINT_LOST
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	PER_CPU_VAR(x86_jprobe_probed)
	pushq	%rbp
	movq	%rsp, %rbp
	leaq	24-GAP(%rsp), %rsp
	TELL_IRQS_OFF
.endm
#else
.macro JPROBE_GAP
	UNWIND_HINT_FUNC
	pushq	PER_CPU_VAR(x86_jprobe_probed)
	UNWIND_HINT_RETURN 8
	leaq	8-GAP(%rsp), %rsp
	TELL_IRQS_OFF
.endm
#endif

.macro JPROBE_CALL back
	pushq	$\back
	pushq	PER_CPU_VAR(x86_jprobe_entry)
	RET
.endm

SYM_CODE_START(x86_jprobe_enter)
	ANNOTATE_NOENDBR
	JPROBE_GAP
	.rept	X86_JPROBE_STACK_ARGS / 8
	pushq	GAP + X86_JPROBE_STACK_ARGS(%rsp)
	.endr
	JPROBE_CALL .Lback_args
SYM_CODE_END(x86_jprobe_enter)

/* The same if the stack ends too soon for a copy. */
SYM_CODE_START(x86_jprobe_enter_no_args)
	ANNOTATE_NOENDBR
	JPROBE_GAP
	JPROBE_CALL .Lback_no_args
SYM_CODE_END(x86_jprobe_enter_no_args)

/*
 * The function has ended, by jprobe_return() or by returning; its frames are abandoned.  Traces
 * in it look for the byte before its return address, which is never executed.
 */
SYM_CODE_START(x86_jprobe)
	ANNOTATE_NOENDBR
	UNWIND_HINT_RETURN GAP + X86_JPROBE_STACK_ARGS
	nop
.Lback_args:
	ANNOTATE_NOENDBR
	UNWIND_HINT_LOST
	jmp	x86_jprobe_back
	UNWIND_HINT_RETURN GAP
	nop
.Lback_no_args:
	ANNOTATE_NOENDBR
	UNWIND_HINT_LOST
	jmp	x86_jprobe_back
	UNWIND_HINT_RETURN X86_JPROBE_STACK_ARGS + DETOUR_FRAME
	nop
.Lback_detour:
	ANNOTATE_NOENDBR
	UNWIND_HINT_LOST
SYM_INNER_LABEL(x86_jprobe_back, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	movq	PER_CPU_VAR(x86_jprobe_frame), %rdi
	testq	%rdi, %rdi
	jnz	.Lbelow_detour
#ifdef CONFIG_UNWINDER_FRAME_POINTER
	/* The frames in the gap may be written over. */
	movq	PER_CPU_VAR(jprobe_state + X86_JPROBE_STATE_BP), %rbp
#endif
	subq	$21*8, %rsp
	movq	%rsp, %rdi
	call	x86_jprobe_restore
	POP_GENERAL
	addq	$8, %rsp
	UNWIND_HINT_IRET_REGS
	iretq
.Lbelow_detour:
	UNWIND_HINT_LOST
	movq	%rsp, %rsi
	movq	%rdi, %rsp
	ENCODE_FRAME_POINTER
	call	x86_jprobe_end
	jmp	x86_detour_resume
	/* objtool wants to know what follows. */
	UNWIND_HINT_LOST
	ud2
SYM_CODE_END(x86_jprobe)

/*
 * The same from a detour: the registers stay on the stack, above the function.  To who follows stacks
 * the first word that the detour has pushed is a return address; who goes by frame pointers finds
 * the registers.  With the kprobe in rdi and the registers in rsi.
 */
SYM_CODE_START(x86_detour_jprobe)
	ANNOTATE_NOENDBR
	UNWIND_HINT_RETURN DETOUR_FRAME
	call	x86_jprobe_jumped
	testq	%rax, %rax
	jz	x86_detour_resume
	movq	%rax, %rbx
	call	dispatch_hand_on
	.rept	X86_JPROBE_STACK_ARGS / 8
	pushq	DETOUR_FRAME + X86_JPROBE_STACK_ARGS(%rsp)
	.endr
	movq	X86_JPROBE_STACK_ARGS + 8*8(%rsp), %r9
	movq	X86_JPROBE_STACK_ARGS + 9*8(%rsp), %r8
	movq	X86_JPROBE_STACK_ARGS + 11*8(%rsp), %rcx
	movq	X86_JPROBE_STACK_ARGS + 12*8(%rsp), %rdx
	movq	X86_JPROBE_STACK_ARGS + 13*8(%rsp), %rsi
	movq	X86_JPROBE_STACK_ARGS + 14*8(%rsp), %rdi
	movq	X86_JPROBE_STACK_ARGS + 10*8(%rsp), %rax
	pushq	$.Lback_detour
	pushq	%rbx
	RET
SYM_CODE_END(x86_detour_jprobe)

	.section .text.lkp_return_stubs, "ax", @progbits
	.balign ARCH_RETURN_STUB_SIZE
	/* Of a return address the unwinder looks up the byte before: for the first stub, here. */
	ANNOTATE_NOENDBR
	UNWIND_HINT_LOST
	.fill ARCH_RETURN_STUB_SIZE, 1, 0xcc
	.globl arch_return_stubs
	.type arch_return_stubs, @object
arch_return_stubs:
	ANNOTATE_NOENDBR
	UNWIND_HINT_LOST
	call	return_trampoline
	/* From where the call has returned to: what stub it is in is computed in one step. */
	ANNOTATE_NOENDBR
	.fill	ARCH_RETURN_STUB_SIZE - 5, 1, 0xcc
	.rept ARCH_NR_RETURN_STUBS - 1
	call	return_trampoline
	.fill	ARCH_RETURN_STUB_SIZE - 5, 1, 0xcc
	.endr
	.size arch_return_stubs, . - arch_return_stubs

/* One for each fprobe: it resumes behind the site and ignores changes of ip by handlers. */
	.section .text.lkp_traced_stubs, "ax", @progbits
	.balign 32
	.globl x86_traced_stubs
	.type x86_traced_stubs, @object
x86_traced_stubs:
	.set	.Lnumber, 0
	.rept ARCH_NR_TRACED_STUBS
	ANNOTATE_NOENDBR
	PUSH_TRACED_REGS
	movq	16*8(%rsp), %rbx
	movq	x86_traced_data + .Lnumber * 8(%rip), %rdi
	leaq	-5(%rbx), %rsi		/* the site is a call */
	movq	%rsp, %rdx
	call	fprobe_hit
	movq	%rbx, 20*8(%rsp)
	POP_TRACED_REGS
	.set	.Lnumber, .Lnumber + 1
	.org	x86_traced_stubs + .Lnumber * X86_TRACED_STUB_SIZE, 0xcc
	.endr
	.size x86_traced_stubs, . - x86_traced_stubs

	.section .note.GNU-stack, "", @progbits
