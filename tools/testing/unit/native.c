// SPDX-License-Identifier: GPL-2.0-only
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native.h"

/* Filled in and read by the assembly below. */
struct emulate_regs native_regs;
u64 native_entry = NATIVE_INSN;
u64 native_own_sp;

/*
 * native_enter loads the registers and jumps to the instruction; whatever
 * comes after that jumps to native_leave, which needs no register and no
 * stack to save them all.
 */
asm(
"	.text\n"
"native_enter:\n"
"	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
"	movq %rsp, native_own_sp(%rip)\n"
"	pushq native_regs+144(%rip)\n"
"	popfq\n"
"	movq native_regs+0(%rip), %r15\n"
"	movq native_regs+8(%rip), %r14\n"
"	movq native_regs+16(%rip), %r13\n"
"	movq native_regs+24(%rip), %r12\n"
"	movq native_regs+32(%rip), %rbp\n"
"	movq native_regs+40(%rip), %rbx\n"
"	movq native_regs+48(%rip), %r11\n"
"	movq native_regs+56(%rip), %r10\n"
"	movq native_regs+64(%rip), %r9\n"
"	movq native_regs+72(%rip), %r8\n"
"	movq native_regs+80(%rip), %rax\n"
"	movq native_regs+88(%rip), %rcx\n"
"	movq native_regs+96(%rip), %rdx\n"
"	movq native_regs+104(%rip), %rsi\n"
"	movq native_regs+112(%rip), %rdi\n"
"	movq native_regs+152(%rip), %rsp\n"
"	jmp *native_entry(%rip)\n"
"native_leave:\n"
"	movq %r15, native_regs+0(%rip)\n"
"	movq %r14, native_regs+8(%rip)\n"
"	movq %r13, native_regs+16(%rip)\n"
"	movq %r12, native_regs+24(%rip)\n"
"	movq %rbp, native_regs+32(%rip)\n"
"	movq %rbx, native_regs+40(%rip)\n"
"	movq %r11, native_regs+48(%rip)\n"
"	movq %r10, native_regs+56(%rip)\n"
"	movq %r9, native_regs+64(%rip)\n"
"	movq %r8, native_regs+72(%rip)\n"
"	movq %rax, native_regs+80(%rip)\n"
"	movq %rcx, native_regs+88(%rip)\n"
"	movq %rdx, native_regs+96(%rip)\n"
"	movq %rsi, native_regs+104(%rip)\n"
"	movq %rdi, native_regs+112(%rip)\n"
"	movq %rsp, native_regs+152(%rip)\n"
"	movq native_own_sp(%rip), %rsp\n"
"	pushfq\n"
"	popq native_regs+144(%rip)\n"
"	cld\n"
"	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
"	ret\n"
);

/* Note in NATIVE_CODE where execution landed, then jmp *native_leave. */
static void put_landing(u64 addr)
{
	u8 pad[] = {
		0xc7, 0x04, 0x25, 0, 0, 0, 0, 0, 0, 0, 0,	/* movl $addr,NATIVE_CODE */
		0xff, 0x25, 0, 0, 0, 0,				/* jmp *0(%rip) */
		0, 0, 0, 0, 0, 0, 0, 0,
	};
	u32 where = NATIVE_CODE, what = addr;
	u64 leave = (u64)native_leave;

	memcpy(pad + 3, &where, 4);
	memcpy(pad + 7, &what, 4);
	memcpy(pad + 17, &leave, 8);
	memcpy((void *)addr, pad, sizeof(pad));
}

bool native_init(void)
{
	void *mem = mmap((void *)NATIVE_BASE, NATIVE_CODE_SIZE + NATIVE_DATA_SIZE,
			 PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return mem == (void *)NATIVE_BASE &&
	       !syscall(SYS_arch_prctl, ARCH_SET_GS, NATIVE_GS_BASE);
}

void native_run(const u8 *insn, unsigned int len, struct emulate_regs *regs)
{
	memcpy((void *)NATIVE_INSN, insn, len);
	put_landing(NATIVE_INSN + len);
	put_landing(NATIVE_NEAR);
	put_landing(NATIVE_FAR);
	native_regs = *regs;
	native_enter();
	*regs = native_regs;
	regs->ip = *(u32 *)NATIVE_CODE;
}
