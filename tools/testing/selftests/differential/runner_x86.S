/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a case: void diff_run(unsigned long code, u64 sp_offset).
 *
 * The case has a stack of its own, a window further down on this one, so that
 * it can be interrupted like any code.  The stack pointer is not part of
 * diff_in, but at sp_offset into the window.  The case ends by a jump to
 * diff_end.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>
#include "differential.h"

#define GAP	128

	.section .altinstr_aux, "ax", @progbits
	.globl diff_run
diff_run:
	ANNOTATE_NOENDBR
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushfq
	movq	%rsp, diff_saved_sp(%rip)
	movq	%rdi, %rax
	movq	%rsi, %rbx

	/* Nothing may be pushed over the window while it is filled from above. */
	leaq	-GAP-8*STACK_WORDS(%rsp), %rdi
	andq	$-64, %rdi
	movq	%rdi, diff_window(%rip)
	movq	%rdi, %rdx
	movq	%rdi, %rsp
	leaq	diff_stack(%rip), %rsi
	movl	$STACK_WORDS, %ecx
	rep movsq

	leaq	(%rdx,%rbx), %rsp
	movq	%rsp, diff_in+RSP_OFFSET(%rip)
	pushq	%rax
	pushq	diff_in+FLAGS_OFFSET(%rip)
	movq	diff_in+0x00(%rip), %rax
	movq	diff_in+0x08(%rip), %rcx
	movq	diff_in+0x10(%rip), %rdx
	movq	diff_in+0x18(%rip), %rbx
	movq	diff_in+0x28(%rip), %rbp
	movq	diff_in+0x30(%rip), %rsi
	movq	diff_in+0x38(%rip), %rdi
	movq	diff_in+0x40(%rip), %r8
	movq	diff_in+0x48(%rip), %r9
	movq	diff_in+0x50(%rip), %r10
	movq	diff_in+0x58(%rip), %r11
	movq	diff_in+0x60(%rip), %r12
	movq	diff_in+0x68(%rip), %r13
	movq	diff_in+0x70(%rip), %r14
	movq	diff_in+0x78(%rip), %r15
	popfq
	ANNOTATE_UNRET_SAFE
	ret
	int3

	.globl diff_end
diff_end:
	ANNOTATE_NOENDBR
	movq	%rax, diff_out+0x00(%rip)
	movq	%rcx, diff_out+0x08(%rip)
	movq	%rdx, diff_out+0x10(%rip)
	movq	%rbx, diff_out+0x18(%rip)
	movq	%rsp, diff_out+0x20(%rip)
	movq	%rbp, diff_out+0x28(%rip)
	movq	%rsi, diff_out+0x30(%rip)
	movq	%rdi, diff_out+0x38(%rip)
	movq	%r8, diff_out+0x40(%rip)
	movq	%r9, diff_out+0x48(%rip)
	movq	%r10, diff_out+0x50(%rip)
	movq	%r11, diff_out+0x58(%rip)
	movq	%r12, diff_out+0x60(%rip)
	movq	%r13, diff_out+0x68(%rip)
	movq	%r14, diff_out+0x70(%rip)
	movq	%r15, diff_out+0x78(%rip)
	pushfq
	popq	diff_out+FLAGS_OFFSET(%rip)

	cli
	cld
	movq	diff_window(%rip), %rsi
	leaq	diff_stack(%rip), %rdi
	movl	$STACK_WORDS, %ecx
	rep movsq
	movq	diff_saved_sp(%rip), %rsp
	popfq
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ANNOTATE_UNRET_SAFE
	ret
	int3

	.data
	.balign 64
	.globl diff_in, diff_out, diff_data, diff_stack, diff_window
diff_in:	.fill 17, 8, 0
diff_out:	.fill 17, 8, 0
diff_window:	.quad 0
diff_saved_sp:	.quad 0
	.balign 64
	.fill 64, 1, 0
diff_data:	.fill DATA_WORDS, 8, 0
	.fill 64, 1, 0
diff_stack:	.fill STACK_WORDS, 8, 0

	.section .note.GNU-stack, "", @progbits
