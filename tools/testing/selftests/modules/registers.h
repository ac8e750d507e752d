/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls a function with known registers, and reads the registers afterwards.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "target.h"

#ifdef CONFIG_X86_64
#include <linux/objtool.h>

/* The registers on entry to asm_registers_fn, and those after its return. */
enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, FLAGS, NR_REGS };

struct registers {
	u64 reg[NR_REGS];
};

/*
 * asm_call_with(fn, in, out): calls fn with the registers of in and stores
 * what it leaves in them to out.  Flags: the arithmetic ones.
 */
asm(".pushsection .text\n"
    ".balign 16\n"
    /* By a return, as where types are checked (FineIBT) a function may have no landing. */
    ".type lkp_go_to, @function\n"
    "lkp_go_to:\n"
    "	push 8(%rsp)\n"
    ASM_RETURN
    ".size lkp_go_to, . - lkp_go_to\n"
    ".type lkp_call_with, @function\n"
    "lkp_call_with:\n"
    "	push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "	push %rdx\n"
    "	push %rdi\n"
    "	mov %rsi, %rax\n"
    "	push 120(%rax)\n"
    "	popf\n"
    "	mov 8(%rax), %rbx\n mov 16(%rax), %rcx\n mov 24(%rax), %rdx\n"
    "	mov 32(%rax), %rsi\n mov 40(%rax), %rdi\n mov 48(%rax), %rbp\n"
    "	mov 56(%rax), %r8\n mov 64(%rax), %r9\n mov 72(%rax), %r10\n"
    "	mov 80(%rax), %r11\n mov 88(%rax), %r12\n mov 96(%rax), %r13\n"
    "	mov 104(%rax), %r14\n mov 112(%rax), %r15\n mov (%rax), %rax\n"
    "	call lkp_go_to\n"
    "	pushf\n"
    "	push %rax\n"
    "	mov 24(%rsp), %rax\n"
    "	mov %rbx, 8(%rax)\n mov %rcx, 16(%rax)\n mov %rdx, 24(%rax)\n"
    "	mov %rsi, 32(%rax)\n mov %rdi, 40(%rax)\n mov %rbp, 48(%rax)\n"
    "	mov %r8, 56(%rax)\n mov %r9, 64(%rax)\n mov %r10, 72(%rax)\n"
    "	mov %r11, 80(%rax)\n mov %r12, 88(%rax)\n mov %r13, 96(%rax)\n"
    "	mov %r14, 104(%rax)\n mov %r15, 112(%rax)\n"
    "	pop (%rax)\n"
    "	pop 120(%rax)\n"
    "	pop %rdi\n pop %rdx\n"
    "	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    ASM_RETURN
    ".size lkp_call_with, . - lkp_call_with\n"
    ".popsection\n");
asmlinkage void lkp_go_to(void);
STACK_FRAME_NON_STANDARD(lkp_go_to);
asmlinkage void lkp_call_with(void *fn, const struct registers *in, struct registers *out);

#define FLAGS_TRIED	0x8d5	/* OF SF ZF AF PF CF */
#define FLAGS_ALWAYS	0x200	/* interrupts on */
#define FLAGS_SETS	{ 0, FLAGS_TRIED, 0x1, 0x4, 0x10, 0x40, 0x80, 0x800 }

#define CLOBBER_ALL()								\
	asm volatile("mov $-1, %%rax\n mov %%rax, %%rcx\n mov %%rax, %%rdx\n" \
		     "mov %%rax, %%rsi\n mov %%rax, %%rdi\n mov %%rax, %%r8\n" \
		     "mov %%rax, %%r9\n mov %%rax, %%r10\n mov %%rax, %%r11\n" \
		     "mov %%rax, %%rbx\n mov %%rax, %%r12\n mov %%rax, %%r13\n" \
		     "mov %%rax, %%r14\n mov %%rax, %%r15\n xor %%eax, %%eax\n" \
		     ::: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", \
		     "r12", "r13", "r14", "r15", "cc", "memory")

#endif /* CONFIG_X86_64 */

#ifdef CONFIG_ARM64

/*
 * The registers on entry to a function, and those after its return: x0 to x29,
 * except x18, which the kernel may reserve.
 */
#define FLAGS		30
#define NR_REGS		31
#define NOT_TRIED	18

struct registers {
	u64 reg[NR_REGS];
};

/*
 * lkp_call_with(fn, in, out): calls fn with the registers of in and stores
 * what it leaves in them to out.  Flags: the arithmetic ones, and the masks.
 */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type lkp_call_with, %function\n"
    "lkp_call_with:\n"
    "	hint #34\n"
    "	stp x29, x30, [sp, #-128]!\n"
    "	stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
    "	stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n"
    "	stp x2, x0, [sp, #96]\n"
    "	ldr x0, [x1, #240]\n"
    "	msr nzcv, x0\n"
    "	mov x30, x1\n"
    "	ldp x0, x1, [x30]\n ldp x2, x3, [x30, #16]\n ldp x4, x5, [x30, #32]\n"
    "	ldp x6, x7, [x30, #48]\n ldp x8, x9, [x30, #64]\n ldp x10, x11, [x30, #80]\n"
    "	ldp x12, x13, [x30, #96]\n ldp x14, x15, [x30, #112]\n ldp x16, x17, [x30, #128]\n"
    "	ldr x19, [x30, #152]\n ldp x20, x21, [x30, #160]\n ldp x22, x23, [x30, #176]\n"
    "	ldp x24, x25, [x30, #192]\n ldp x26, x27, [x30, #208]\n ldp x28, x29, [x30, #224]\n"
    "	ldr x30, [sp, #104]\n"
    "	blr x30\n"
    "	ldr x30, [sp, #96]\n"
    "	stp x0, x1, [x30]\n stp x2, x3, [x30, #16]\n stp x4, x5, [x30, #32]\n"
    "	stp x6, x7, [x30, #48]\n stp x8, x9, [x30, #64]\n stp x10, x11, [x30, #80]\n"
    "	stp x12, x13, [x30, #96]\n stp x14, x15, [x30, #112]\n stp x16, x17, [x30, #128]\n"
    "	str x19, [x30, #152]\n stp x20, x21, [x30, #160]\n stp x22, x23, [x30, #176]\n"
    "	stp x24, x25, [x30, #192]\n stp x26, x27, [x30, #208]\n stp x28, x29, [x30, #224]\n"
    "	mrs x0, nzcv\n"
    "	mrs x1, daif\n"
    "	orr x0, x0, x1\n"
    "	str x0, [x30, #240]\n"
    "	ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n"
    "	ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n"
    "	ldp x29, x30, [sp], #128\n"
    "	ret\n"
    ".size lkp_call_with, . - lkp_call_with\n"
    ".popsection\n");
asmlinkage void lkp_call_with(void *fn, const struct registers *in, struct registers *out);

#define FLAGS_TRIED	(0xf0000000ul | PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT)
#define FLAGS_ALWAYS	0
#define FLAGS_SETS								\
	{ 0, 0xf0000000, 0x10000000, 0x20000000, 0x40000000, 0x80000000, 0x60000000, 0x90000000 }

#define CLOBBER_ALL()								\
	asm volatile("mov x0, #-1\n mov x1, x0\n mov x2, x0\n mov x3, x0\n mov x4, x0\n"	\
		     "mov x5, x0\n mov x6, x0\n mov x7, x0\n mov x8, x0\n mov x9, x0\n"	\
		     "mov x10, x0\n mov x11, x0\n mov x12, x0\n mov x13, x0\n mov x14, x0\n" \
		     "mov x15, x0\n mov x16, x0\n mov x17, x0\n mov x19, x0\n mov x20, x0\n" \
		     "mov x21, x0\n mov x22, x0\n mov x23, x0\n mov x24, x0\n mov x25, x0\n" \
		     "mov x26, x0\n mov x27, x0\n mov x28, x0\n cmp x0, #0\n"		\
		     ::: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",	\
		     "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20", "x21",	\
		     "x22", "x23", "x24", "x25", "x26", "x27", "x28", "cc", "memory")

#endif /* CONFIG_ARM64 */

#ifdef CONFIG_PPC64

/*
 * The registers on entry to a function, and those after its return: r0, r3 to r12,
 * r14 to r31.
 */
#define FLAGS		29
#define NR_REGS		30

struct registers {
	u64 reg[NR_REGS];
};

/*
 * lkp_call_with(fn, in, out): calls fn with the registers of in and stores
 * what it leaves in them to out.  Flags: the condition register.
 */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type lkp_call_with, @function\n"
    "lkp_call_with:\n"
    "	mflr 0\n std 0, 16(1)\n mfcr 0\n std 0, 8(1)\n"
    "	stdu 1, -256(1)\n"
    "	std 14, 64(1)\n std 15, 72(1)\n std 16, 80(1)\n std 17, 88(1)\n"
    "	std 18, 96(1)\n std 19, 104(1)\n std 20, 112(1)\n std 21, 120(1)\n"
    "	std 22, 128(1)\n std 23, 136(1)\n std 24, 144(1)\n std 25, 152(1)\n"
    "	std 26, 160(1)\n std 27, 168(1)\n std 28, 176(1)\n std 29, 184(1)\n"
    "	std 30, 192(1)\n std 31, 200(1)\n"
    "	std 5, 208(1)\n"
    "	mtctr 3\n"
    "	ld 0, 232(4)\n mtcr 0\n"
    "	ld 0, 0(4)\n ld 3, 8(4)\n"
    "	ld 5, 24(4)\n ld 6, 32(4)\n ld 7, 40(4)\n ld 8, 48(4)\n"
    "	ld 9, 56(4)\n ld 10, 64(4)\n ld 11, 72(4)\n ld 12, 80(4)\n"
    "	ld 14, 88(4)\n ld 15, 96(4)\n ld 16, 104(4)\n ld 17, 112(4)\n"
    "	ld 18, 120(4)\n ld 19, 128(4)\n ld 20, 136(4)\n ld 21, 144(4)\n"
    "	ld 22, 152(4)\n ld 23, 160(4)\n ld 24, 168(4)\n ld 25, 176(4)\n"
    "	ld 26, 184(4)\n ld 27, 192(4)\n ld 28, 200(4)\n ld 29, 208(4)\n"
    "	ld 30, 216(4)\n ld 31, 224(4)\n"
    "	ld 4, 16(4)\n"
    "	bctrl\n"
    "	std 3, 216(1)\n"
    "	ld 3, 208(1)\n"
    "	std 0, 0(3)\n"
    "	std 4, 16(3)\n std 5, 24(3)\n std 6, 32(3)\n std 7, 40(3)\n"
    "	std 8, 48(3)\n std 9, 56(3)\n std 10, 64(3)\n std 11, 72(3)\n"
    "	std 12, 80(3)\n"
    "	std 14, 88(3)\n std 15, 96(3)\n std 16, 104(3)\n std 17, 112(3)\n"
    "	std 18, 120(3)\n std 19, 128(3)\n std 20, 136(3)\n std 21, 144(3)\n"
    "	std 22, 152(3)\n std 23, 160(3)\n std 24, 168(3)\n std 25, 176(3)\n"
    "	std 26, 184(3)\n std 27, 192(3)\n std 28, 200(3)\n std 29, 208(3)\n"
    "	std 30, 216(3)\n std 31, 224(3)\n"
    "	ld 0, 216(1)\n std 0, 8(3)\n"
    "	mfcr 0\n std 0, 232(3)\n"
    "	ld 14, 64(1)\n ld 15, 72(1)\n ld 16, 80(1)\n ld 17, 88(1)\n"
    "	ld 18, 96(1)\n ld 19, 104(1)\n ld 20, 112(1)\n ld 21, 120(1)\n"
    "	ld 22, 128(1)\n ld 23, 136(1)\n ld 24, 144(1)\n ld 25, 152(1)\n"
    "	ld 26, 160(1)\n ld 27, 168(1)\n ld 28, 176(1)\n ld 29, 184(1)\n"
    "	ld 30, 192(1)\n ld 31, 200(1)\n"
    "	addi 1, 1, 256\n"
    "	ld 0, 8(1)\n mtcr 0\n ld 0, 16(1)\n mtlr 0\n"
    "	blr\n"
    ".size lkp_call_with, . - lkp_call_with\n"
    ".popsection\n");
asmlinkage void lkp_call_with(void *fn, const struct registers *in, struct registers *out);

#define FLAGS_TRIED	0xffffffffull
#define FLAGS_ALWAYS	0
#define FLAGS_SETS								\
	{ 0, 0xffffffff, 0x10000000, 0x20000000, 0x40000000, 0x80000000, 0x00f00000, 0x0000000f }

#define CLOBBER_ALL()								\
	asm volatile("li 0, -1\n li 3, -1\n li 4, -1\n li 5, -1\n li 6, -1\n li 7, -1\n"	\
		     "li 8, -1\n li 9, -1\n li 10, -1\n li 11, -1\n li 12, -1\n li 14, -1\n" \
		     "li 15, -1\n li 16, -1\n li 17, -1\n li 18, -1\n li 19, -1\n li 20, -1\n" \
		     "li 21, -1\n li 22, -1\n li 23, -1\n li 24, -1\n li 25, -1\n li 26, -1\n" \
		     "li 27, -1\n li 28, -1\n li 29, -1\n mtctr 0\n mtlr 0\n mtcr 0\n"	\
		     ::: "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12",	\
		     "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23",	\
		     "r24", "r25", "r26", "r27", "r28", "r29", "ctr", "lr", "cr0", "cr1",	\
		     "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "memory")

#endif /* CONFIG_PPC64 */

#ifndef NOT_TRIED
#define NOT_TRIED	-1
#endif

#endif /* REGISTERS_H */
