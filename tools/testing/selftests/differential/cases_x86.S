/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cases: instructions that must have the same effects with and without a probe.
 *
 *	CASE "name", needs, "before", "the instruction", "after"
 *
 * A case may branch to 2f, and says in the first byte of the data which way
 * it went.  What runs before it may not change flags, since they are random
 * like the registers.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include "differential.h"

/* The kernel's own may be one of the preprocessor, which replaces nothing within strings. */
.macro RETPOLINE_SAFE
	ANNOTATE_RETPOLINE_SAFE
.endm

.macro CASE name:req, need=0, before, insn:req, after
	.section .altinstr_aux, "ax", @progbits
	.balign 16, 0xcc
diff_case_\@:
	ANNOTATE_NOENDBR
	\before
.Linsn\@:
	ANNOTATE_NOENDBR
	\insn
.Lafter\@:
	ANNOTATE_NOENDBR
	\after
.Ltail\@:
	ANNOTATE_NOENDBR
	jmp	diff_end
2:	endbr64
	movb	$2, diff_data(%rip)
	jmp	diff_end
	.section .rodata.diff_names, "aMS", @progbits, 1
.Lname\@:
	.asciz	"\name"
	.section .data.diff_cases, "aw", @progbits
	.quad	.Lname\@, diff_case_\@, \need
	.quad	.Linsn\@ - diff_case_\@, .Lafter\@ - diff_case_\@, .Ltail\@ - diff_case_\@
.endm

/* objtool's annotation, as a macro of the assembler. */
.macro INTRA_CALL
	ANNOTATE_INTRA_FUNCTION_CALL
.endm

/* One that may branch to 2f. */
.macro BRANCH name:req, need=0, before, insn:req
	CASE "\name", \need, "\before", "\insn", "movb $1, diff_data(%rip)"
.endm

/* An indirect branch through a register or memory. */
.macro INDIRECT name:req, need=0, before, insn:req
	BRANCH "\name", \need, "leaq 2f(%rip), %r11; \before; RETPOLINE_SAFE", "\insn"
.endm

.macro RETURN name:req, insn:req
	BRANCH "\name", 0, "leaq 2f(%rip), %r11; movq %r11, (%rsp); RETPOLINE_SAFE", "\insn"
.endm

	.section .data.diff_cases, "aw", @progbits
	.balign	8
	.globl	diff_cases
diff_cases:

/* ---- emulated: no operation ---- */

CASE "nop", 0, "", "nop"
CASE "data16 nop", 0, "", ".byte 0x66, 0x90"
CASE "nopl (%rax)", 0, "", "nopl (%rax)"
CASE "nopw 0x0(%rax,%rax,1)", 0, "", "nopw 0x0(%rax,%rax,1)"
CASE "nopl 0x12345678(%rip)", 0, "", "nopl 0x12345678(%rip)"
CASE "cs nopw 0x0(%rax,%rax,1)", 0, "", ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
CASE "nop r", 0, "", "nopl %eax"
/* Not as the first thing of a symbol: a probe there is meant for what follows. */
CASE "endbr64", 0, "nop", "endbr64"
CASE "endbr32", 0, "nop", "endbr32"

/* ---- emulated: direct branches ---- */

BRANCH "jmp rel8", 0, "", ".byte 0xeb, 2f - . - 1"
BRANCH "jmp rel32", 0, "", ".byte 0xe9; .long 2f - . - 4"
BRANCH "call rel32", 0, "INTRA_CALL", ".byte 0xe8; .long 2f - . - 4"
BRANCH "rex.w call rel32", 0, "INTRA_CALL", ".byte 0x48, 0xe8; .long 2f - . - 4"

.irp cc, 0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf
BRANCH "jcc \cc rel8", 0, "", ".byte 0x70 + \cc, 2f - . - 1"
BRANCH "jcc \cc rel32", 0, "", ".byte 0x0f, 0x80 + \cc; .long 2f - . - 4"
CASE "setcc \cc r8", 0, "", ".byte 0x0f, 0x90 + \cc, 0xc1"
CASE "cmovcc \cc", 0, "", ".byte 0x48, 0x0f, 0x40 + \cc, 0xca"
.endr

.irp op, loopne, loope, loop, jrcxz
BRANCH "\op", 0, "", "\op 2f"
BRANCH "\op, few left", SMALL(RCX), "", "\op 2f"
BRANCH "\op, ecx", 0, "", ".byte 0x67; \op 2f"
BRANCH "\op, ecx, few left", SMALL(RCX), "", ".byte 0x67; \op 2f"
.endr
BRANCH "loop, the last one", 0, "movl $1, %ecx", "loop 2f"
BRANCH "loop, wraps around", 0, "movl $0, %ecx", "loop 2f"
BRANCH "jrcxz, zero", 0, "movl $0, %ecx", "jrcxz 2f"
BRANCH "jecxz, zero but for the upper half", 0, "movabsq $0x100000000, %rcx", ".byte 0x67; jrcxz 2f"
BRANCH "loop ecx, zero but for the upper half", 0, "movabsq $0x100000001, %rcx", ".byte 0x67; loop 2f"

/* ---- emulated: returns ---- */

RETURN "ret", ".byte 0xc3"
RETURN "rep ret", ".byte 0xf3, 0xc3"
RETURN "ret $16", ".byte 0xc2, 16, 0"
RETURN "ret $0", ".byte 0xc2, 0, 0"
RETURN "ret $0x80", ".byte 0xc2, 0x80, 0"

/* ---- emulated: branches through registers ---- */

.irp reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
INDIRECT "jmp *%\reg", 0, "movq %r11, %\reg", "jmp *%\reg"
INDIRECT "call *%\reg", 0, "movq %r11, %\reg", "call *%\reg"
.endr
INDIRECT "cs jmp *%rax", 0, "movq %r11, %rax", ".byte 0x2e; jmp *%rax"
INDIRECT "rex.w call *%rdx", 0, "movq %r11, %rdx", ".byte 0x48; call *%rdx"

/* ---- emulated: branches through memory, in every way to name it ---- */

.irp op, jmp, call
.irp reg, rax, rcx, rdx, rbx, rsi, rdi, r8, r9, r10, r12, r13, r14, r15
INDIRECT "\op *(%\reg)", 0, "leaq diff_data+128(%rip), %\reg; movq %r11, (%\reg)", "\op *(%\reg)"
INDIRECT "\op *8(%\reg)", 0, "leaq diff_data+128(%rip), %\reg; movq %r11, 8(%\reg)", "\op *8(%\reg)"
.endr
INDIRECT "\op *(%rbp)", STACK(RBP), "movq %r11, (%rbp)", "\op *0(%rbp)"
INDIRECT "\op *-0x1000(%rbx)", DATA(RBX), "movq %r11, 8(%rbx); leaq 0x1008(%rbx), %rbx", "\op *-0x1000(%rbx)"
INDIRECT "\op *m(%rip)", 0, "movq %r11, diff_data+64(%rip)", "\op *diff_data+64(%rip)"
INDIRECT "\op *(%rbx,%rcx,1)", DATA(RBX)+SMALL(RCX), "movq %r11, (%rbx,%rcx,1)", "\op *(%rbx,%rcx,1)"
INDIRECT "\op *8(%rbx,%rcx,2)", DATA(RBX)+SMALL(RCX), "movq %r11, 8(%rbx,%rcx,2)", "\op *8(%rbx,%rcx,2)"
INDIRECT "\op *-8(%rbx,%rcx,4)", DATA(RBX)+SMALL(RCX), "movq %r11, -8(%rbx,%rcx,4)", "\op *-8(%rbx,%rcx,4)"
INDIRECT "\op *(%rbx,%rcx,8)", DATA(RBX)+SMALL(RCX), "movq %r11, (%rbx,%rcx,8)", "\op *(%rbx,%rcx,8)"
INDIRECT "\op *(%r13,%r14,8)", DATA(RBX)+SMALL(RCX), "movq %rbx, %r13; movq %rcx, %r14; movq %r11, (%rbx,%rcx,8)", "\op *(%r13,%r14,8)"
INDIRECT "\op *(%rcx,%r12,1)", DATA(RBX)+SMALL(RCX), "movq %rbx, %r12; movq %r11, (%rbx,%rcx)", "\op *(%rcx,%r12,1)"
INDIRECT "\op *m(,%rcx,8)", SMALL(RCX), "leaq diff_data(%rip), %r10; movq %r11, 8(%r10,%rcx,8)", "\op *diff_data+8(,%rcx,8)"
INDIRECT "\op *m", 0, "movq %r11, diff_data+24(%rip)", "\op *diff_data+24"
INDIRECT "\op *(%rsp)", 0, "movq %r11, (%rsp)", "\op *(%rsp)"
INDIRECT "\op *8(%rsp)", 0, "movq %r11, 8(%rsp)", "\op *8(%rsp)"
INDIRECT "\op *0x80(%rsp)", 0, "movq %r11, 0x80(%rsp)", "\op *0x80(%rsp)"
INDIRECT "\op *(%rsp,%rcx,8)", SMALL(RCX), "movq %r11, (%rsp,%rcx,8)", "\op *(%rsp,%rcx,8)"
INDIRECT "\op *%gs:m", 0, "movq %r11, %gs:diff_percpu", "\op *%gs:diff_percpu"
INDIRECT "\op *%gs:m(%rip)", 0, "movq %r11, %gs:diff_percpu+8", "\op *%gs:diff_percpu+8(%rip)"
INDIRECT "\op *%gs:(%rbx)", 0, "movq $diff_percpu, %rbx; movq %r11, %gs:16(%rbx)", "\op *%gs:16(%rbx)"
INDIRECT "\op *%ds:(%rbx)", DATA(RBX), "movq %r11, (%rbx)", "\op *%ds:(%rbx)"
.endr

/* ---- emulated: flags ---- */

CASE "pushfq", 0, "", "pushfq"
CASE "rex.w pushfq", 0, "", ".byte 0x48; pushfq"
CASE "pushfw", 0, "", "pushfw"
CASE "popfq", STACK_FLAGS, "", "popfq"
CASE "popfw", STACK_FLAGS, "", "popfw"
CASE "cli", 0, "", "cli"
CASE "sti", 0, "", "sti"
/* What is popped here is far from harmless in user space, but not where we are. */
CASE "popfq, IF off", 0, "movq $0x47, (%rsp)", "popfq"
CASE "popfq, IF on", 0, "movq $0x247, (%rsp)", "popfq"
CASE "popfq, with AC and ID", SMAP, "movq $0x240202, (%rsp)", "popfq", "clac"

/* ---- out of line: flags and the processor ---- */

CASE "std", 0, "", "std"
CASE "cld", 0, "", "cld"
CASE "stc", 0, "", "stc"
CASE "clc", 0, "", "clc"
CASE "cmc", 0, "", "cmc"
CASE "lahf", 0, "", "lahf"
CASE "sahf", 0, "", "sahf"
CASE "pause", 0, "", "pause"
CASE "lfence", 0, "", "lfence"
CASE "mfence", 0, "", "mfence"
CASE "sfence", 0, "", "sfence"
CASE "cpuid", SMALL(RAX), "movl $0, %ecx", "cpuid"
CASE "xgetbv", OSXSAVE, "movl $0, %ecx", "xgetbv"
CASE "rdmsr", 0, "movl $0xc0000080, %ecx", "rdmsr"
CASE "mov %cr0, r", 0, "", "movq %cr0, %rax"
CASE "mov %cr3, r", 0, "", "movq %cr3, %r12"
CASE "mov %db7, r", 0, "", "movq %db7, %rdx"
CASE "mov %ds, r", 0, "", "movl %ds, %eax"
CASE "sgdt", 0, "", "sgdt diff_data+16(%rip)"
CASE "sldt", 0, "", "sldt %eax"
CASE "str", 0, "", "str %ecx"
CASE "smsw", 0, "", "smsw %rcx"
CASE "lar", 0, "movl $0x10, %ecx", "lar %ecx, %eax"
CASE "verr", 0, "movl $0x10, %ecx", "verr %cx"
CASE "stac", SMAP, "", "stac", "clac"
CASE "clac", SMAP, "", "clac"
CASE "prefetcht0", DATA(RBX), "", "prefetcht0 (%rbx)"
CASE "clflush", DATA(RBX), "", "clflush (%rbx)"
CASE "invlpg", DATA(RBX), "", "invlpg (%rbx)"
CASE "wait", FPU, "", "wait"

/* ---- out of line: arithmetic ---- */

.irp op, add, or, adc, sbb, and, sub, xor, cmp
CASE "\op r64, r64", 0, "", "\op\()q %rcx, %rax"
CASE "\op r32, r32", 0, "", "\op\()l %r9d, %r10d"
CASE "\op r16, r16", 0, "", "\op\()w %dx, %bx"
CASE "\op r8, r8", 0, "", "\op\()b %ah, %cl"
CASE "\op r8 rex", 0, "", "\op\()b %sil, %r8b"
CASE "\op imm8, r64", 0, "", "\op\()q $-5, %r15"
CASE "\op imm32, r64", 0, "", "\op\()q $0x12345678, %rbp"
CASE "\op imm16, r16", 0, "", "\op\()w $0x1234, %di"
CASE "\op imm32, rax", 0, "", "\op\()q $-0x12345678, %rax"
CASE "\op r, m(%rip)", 0, "", "\op\()q %rdx, diff_data+40(%rip)"
CASE "\op m(%rip), r", 0, "", "\op\()q diff_data+48(%rip), %rdx"
CASE "\op imm8, m(%rip)", 0, "", "\op\()b $0x7f, diff_data+51(%rip)"
CASE "\op imm16, m(%rip)", 0, "", "\op\()w $0x1234, diff_data+50(%rip)"
CASE "\op imm32, m(%rip)", 0, "", "\op\()q $0x12345678, diff_data+56(%rip)"
CASE "\op r, (base)", DATA(RBX), "", "\op\()q %rdx, (%rbx)"
CASE "\op (base,index,4), r", DATA(RSI)+SMALL(RCX), "", "\op\()l 8(%rsi,%rcx,4), %edx"
CASE "\op imm8, 8(%rsp)", 0, "", "\op\()l $1, 8(%rsp)"
CASE "\op %gs:m, r", 0, "movq %r8, %gs:diff_percpu", "\op\()q %gs:diff_percpu, %rax"
CASE "\op r, %gs:m(%rip)", 0, "movq %r8, %gs:diff_percpu+8", "\op\()q %rax, %gs:diff_percpu+8(%rip)", "movq %gs:diff_percpu+8, %r8"
.endr
.irp op, add, or, adc, sbb, and, sub, xor
CASE "lock \op r, m(%rip)", 0, "", "lock \op\()q %rdx, diff_data+40(%rip)"
CASE "lock \op imm8, (base)", DATA(RDI), "", "lock \op\()l $7, 4(%rdi)"
.endr
.irp op, inc, dec, neg, not
CASE "\op r64", 0, "", "\op\()q %rax"
CASE "\op r8", 0, "", "\op\()b %dh"
CASE "\op m(%rip)", 0, "", "\op\()l diff_data+44(%rip)"
CASE "lock \op m(%rip)", 0, "", "lock \op\()q diff_data+40(%rip)"
CASE "\op 16-bit (base)", DATA(RBX), "", "\op\()w 6(%rbx)"
CASE "\op %gs:m", 0, "movq %r8, %gs:diff_percpu", "\op\()l %gs:diff_percpu", "movq %gs:diff_percpu, %r8"
.endr
.irp op, shl, shr, sar, rol, ror, rcl, rcr
CASE "\op 1", 0, "", "\op\()q %rax"
CASE "\op imm", 0, "", "\op\()l $5, %edx"
CASE "\op cl", SMALL(RCX), "", "\op\()q %cl, %r8"
CASE "\op cl, m(%rip)", SMALL(RCX), "", "\op\()w %cl, diff_data+70(%rip)"
CASE "\op imm, m(%rip)", 0, "", "\op\()b $3, diff_data+71(%rip)"
.endr
CASE "shld imm", 0, "", "shldq $7, %rax, %rdx"
CASE "shrd cl, m(%rip)", SMALL(RCX), "", "shrdl %cl, %eax, diff_data+80(%rip)"
.irp op, mul, imul, div, idiv
CASE "\op r64", DIVIDE, "", "\op\()q %rbx"
CASE "\op r32", DIVIDE, "movl $0x1234, %eax", "\op\()l %ebx"
CASE "\op m(%rip)", DIVIDE, "orb $0xff, diff_data+40(%rip)", "\op\()q diff_data+40(%rip)"
.endr
CASE "imul r, r", 0, "", "imulq %rbx, %rcx"
CASE "imul imm, m(%rip), r", 0, "", "imulq $0x12345, diff_data+96(%rip), %rcx"
CASE "imul imm8, r, r", 0, "", "imull $-3, %r12d, %r13d"
CASE "test r, r", 0, "", "testq %rsi, %rdi"
CASE "test imm, m(%rip)", 0, "", "testl $0x10101010, diff_data+40(%rip)"
CASE "test imm8, r8", 0, "", "testb $0x55, %al"
CASE "cqo", 0, "", "cqto"
CASE "cdq", 0, "", "cltd"
CASE "cdqe", 0, "", "cltq"
CASE "cwde", 0, "", "cwtl"
.irp reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
CASE "bswap %\reg", 0, "", "bswapq %\reg"
CASE "lea m(%rip), %\reg", 0, "", "leaq diff_data+33(%rip), %\reg"
CASE "mov m(%rip), %\reg", 0, "", "movq diff_data+32(%rip), %\reg"
CASE "mov %\reg, m(%rip)", 0, "", "movq %\reg, diff_data+32(%rip)"
CASE "push %\reg", 0, "", "pushq %\reg"
CASE "pop %\reg", 0, "", "popq %\reg"
CASE "mov imm32, %\reg", 0, "", "movq $-0x12345, %\reg"
CASE "mov imm64, %\reg", 0, "", "movabsq $0x123456789abcdef0, %\reg"
.endr

/* ---- out of line: bits ---- */

.irp op, bt, bts, btr, btc
CASE "\op r, r", 0, "", "\op\()q %rcx, %rax"
CASE "\op imm, m(%rip)", 0, "", "\op\()q $37, diff_data+40(%rip)"
CASE "\op r, m(%rip)", SMALL(RCX), "", "\op\()q %rcx, diff_data+40(%rip)"
.endr
CASE "lock bts r, m(%rip)", SMALL(RCX), "", "lock btsq %rcx, diff_data+40(%rip)"
.irp op, bsf, bsr, popcnt, tzcnt, lzcnt
CASE "\op r", 0, "", "\op\()q %rcx, %rax"
CASE "\op m(%rip)", 0, "", "\op\()l diff_data+40(%rip), %eax"
.endr
CASE "andn", BMI, "", "andnq diff_data+40(%rip), %rax, %rdx"
CASE "rorx", BMI, "", "rorxq $11, diff_data+40(%rip), %rdx"
CASE "mulx", BMI, "", "mulxq diff_data+40(%rip), %rax, %rcx"
CASE "shlx", BMI, "", "shlxq %rcx, diff_data+40(%rip), %rax"
CASE "pdep", BMI, "", "pdepq diff_data+40(%rip), %rax, %rcx"
CASE "adcx", ADX, "", "adcxq diff_data+40(%rip), %rax"
CASE "movbe", DATA(RBX)+MOVBE, "", "movbeq (%rbx), %rax"
CASE "crc32", 0, "", "crc32q diff_data+40(%rip), %rax"

/* ---- out of line: moves ---- */

CASE "mov r, r", 0, "", "movq %r9, %rbx"
CASE "mov r8, m(%rip)", 0, "", "movb %ah, diff_data+41(%rip)"
CASE "mov imm32, m(%rip)", 0, "", "movq $-0x1234567, diff_data+40(%rip)"
CASE "mov imm8, m(%rip)", 0, "", "movb $0x5a, diff_data+45(%rip)"
CASE "mov moffs, rax", 0, "", "movabsq diff_data+40, %rax"
CASE "mov rax, moffs", 0, "", "movabsq %rax, diff_data+48"
CASE "mov al, moffs", 0, "", "movabsb %al, diff_data+49"
CASE "mov m, r absolute", 0, "", "movq diff_data+56, %rdx"
CASE "movzx m8(%rip)", 0, "", "movzbl diff_data+41(%rip), %eax"
CASE "movsx m16(%rip)", 0, "", "movswq diff_data+42(%rip), %rcx"
CASE "movsxd m32(%rip)", 0, "", "movslq diff_data+44(%rip), %rdx"
CASE "lea sib", 0, "", "leaq 0x1234(%rax,%rbx,8), %rcx"
CASE "lea 32-bit address", 0, "", "leaq 0x12(%eax,%ebx,2), %rcx"
CASE "lea 32-bit result", 0, "", "leal diff_data(%rip), %ecx"
CASE "xchg r, r", 0, "", "xchgq %rcx, %rdx"
CASE "xchg r, m(%rip)", 0, "", "xchgl %ecx, diff_data+44(%rip)"
CASE "xadd r, m(%rip)", 0, "", "xaddq %rcx, diff_data+48(%rip)"
CASE "lock xadd r, (base)", DATA(RBX), "", "lock xaddl %ecx, (%rbx)"
CASE "cmpxchg, differs", 0, "", "lock cmpxchgq %rcx, diff_data+48(%rip)"
CASE "cmpxchg, equal", 0, "movq diff_data+48(%rip), %rax", "lock cmpxchgq %rcx, diff_data+48(%rip)"
CASE "cmpxchg8b", 0, "", "lock cmpxchg8b diff_data+48(%rip)"
CASE "cmpxchg16b, differs", 0, "", "lock cmpxchg16b diff_data+64(%rip)"
CASE "cmpxchg16b, equal", 0, "movq diff_data+64(%rip), %rax; movq diff_data+72(%rip), %rdx", "cmpxchg16b diff_data+64(%rip)"
CASE "mov %gs:m, r", 0, "movq %r8, %gs:diff_percpu", "movq %gs:diff_percpu, %rax"
CASE "mov %gs:m(%rip), r", 0, "movq %r8, %gs:diff_percpu+8", "movq %gs:diff_percpu+8(%rip), %rax"
CASE "mov r, %gs:(base)", 0, "movq $diff_percpu, %rbx", "movl %ecx, %gs:4(%rbx)", "movq %gs:diff_percpu, %r8"
CASE "cmpxchg16b %gs:m(%rip)", 0, "movq %r8, %gs:diff_percpu; movq %r9, %gs:diff_percpu+8", "cmpxchg16b %gs:diff_percpu(%rip)"
CASE "mov %ds:m, r", DATA(RBX), "", "movq %ds:(%rbx), %rax"
CASE "movnti", 0, "", "movntiq %rcx, diff_data+48(%rip)"
CASE "xlat", DATA(RBX), "", "xlat"

/* ---- out of line: the stack ---- */

CASE "push %rsp", 0, "", "pushq %rsp"
CASE "pop %rsp", STACK_POINTERS, "", "popq %rsp"
CASE "push imm8", 0, "", "pushq $-7"
CASE "push imm32", 0, "", "pushq $0x12345678"
CASE "pushw r", 0, "", "pushw %cx"
CASE "popw r", 0, "", "popw %cx"
CASE "push m(%rip)", 0, "", "pushq diff_data+48(%rip)"
CASE "pop m(%rip)", 0, "", "popq diff_data+48(%rip)"
CASE "push (base)", DATA(RDI), "", "pushq (%rdi)"
CASE "pop (base)", DATA(RDI), "", "popq (%rdi)"
CASE "push 8(%rsp)", 0, "", "pushq 8(%rsp)"
CASE "pop 8(%rsp)", 0, "", "popq 8(%rsp)"
CASE "pop (%rsp)", 0, "", "popq (%rsp)"
CASE "push %gs:m(%rip)", 0, "movq %r8, %gs:diff_percpu+8", "pushq %gs:diff_percpu+8(%rip)"
CASE "push %fs", 0, "", "pushq %fs"
CASE "leave", STACK(RBP), "", "leave"
CASE "enter 0, 0", 0, "", "enter $0, $0"
CASE "enter 32, 0", HOLE, "", "enter $32, $0"
CASE "enter 16, 1", HOLE, "", "enter $16, $1"
CASE "sub imm, %rsp", HOLE, "", "subq $64, %rsp"
CASE "add imm, %rsp", 0, "", "addq $24, %rsp"
CASE "and imm, %rsp", HOLE, "", "andq $-16, %rsp"
CASE "lea 16(%rsp), %rsp", 0, "", "leaq 16(%rsp), %rsp"
CASE "mov %rbp, %rsp", STACK(RBP), "", "movq %rbp, %rsp"
CASE "mov %rsp, %rbp", 0, "", "movq %rsp, %rbp"
CASE "mov (%rsp), r", 0, "", "movq (%rsp), %rax"
CASE "mov r, 16(%rsp)", 0, "", "movq %rax, 16(%rsp)"
CASE "xchg %rsp, r", STACK(RBP), "", "xchgq %rbp, %rsp"
CASE "mov (base), %rsp", STACK_POINTERS, "", "movq 8(%rsp), %rsp"

/* ---- out of line: strings ---- */

.irp size, b, w, l, q
CASE "movs\size", DATA(RSI)+DATA(RDI), "", "movs\size"
CASE "rep movs\size", DATA(RSI)+DATA(RDI)+SMALL(RCX), "", "rep movs\size"
CASE "stos\size", DATA(RDI), "", "stos\size"
CASE "rep stos\size", DATA(RDI)+SMALL(RCX), "", "rep stos\size"
CASE "lods\size", DATA(RSI), "", "lods\size"
CASE "rep lods\size", DATA(RSI)+SMALL(RCX), "", "rep lods\size"
CASE "cmps\size", DATA(RSI)+DATA(RDI), "", "cmps\size"
CASE "repe cmps\size", DATA(RSI)+DATA(RDI)+SMALL(RCX), "", "repe cmps\size"
CASE "repne cmps\size", DATA(RSI)+DATA(RDI)+SMALL(RCX), "", "repne cmps\size"
CASE "scas\size", DATA(RDI), "", "scas\size"
CASE "repne scas\size", DATA(RDI)+SMALL(RCX), "", "repne scas\size"
.endr
CASE "rep movsb, none", DATA(RSI)+DATA(RDI), "movl $0, %ecx", "rep movsb"

/* ---- out of line: vectors ---- */

CASE "movdqu m(%rip), xmm", FPU, "", "movdqu diff_data+24(%rip), %xmm1", "movdqu %xmm1, diff_data+128(%rip)"
CASE "movdqa xmm, m(%rip)", FPU, "movdqu diff_data+24(%rip), %xmm9", "movdqa %xmm9, diff_data+64(%rip)"
CASE "movaps", FPU, "movdqu diff_data+24(%rip), %xmm9", "movaps %xmm9, %xmm2", "movdqu %xmm2, diff_data+128(%rip)"
CASE "paddq m(%rip), xmm", FPU, "movdqu diff_data+24(%rip), %xmm3", "paddq diff_data+64(%rip), %xmm3", "movdqu %xmm3, diff_data+128(%rip)"
CASE "pshufb m(%rip), xmm", FPU, "movdqu diff_data+24(%rip), %xmm3", "pshufb diff_data+64(%rip), %xmm3", "movdqu %xmm3, diff_data+128(%rip)"
CASE "pshufd imm, m(%rip), xmm", FPU, "", "pshufd $0x1b, diff_data+64(%rip), %xmm3", "movdqu %xmm3, diff_data+128(%rip)"
CASE "pxor", FPU, "movdqu diff_data+24(%rip), %xmm3; movdqu diff_data+40(%rip), %xmm4", "pxor %xmm4, %xmm3", "movdqu %xmm3, diff_data+128(%rip)"
CASE "movq r, xmm", FPU, "", "movq %rax, %xmm5", "movdqu %xmm5, diff_data+128(%rip)"
CASE "movq xmm, r", FPU, "movdqu diff_data+24(%rip), %xmm3", "movq %xmm3, %r9"
CASE "cvtsi2sd m(%rip)", FPU, "pxor %xmm6, %xmm6", "cvtsi2sdq diff_data+40(%rip), %xmm6", "movdqu %xmm6, diff_data+128(%rip)"
CASE "ucomisd", FPU, "movdqu diff_data+24(%rip), %xmm3", "ucomisd diff_data+40(%rip), %xmm3"
CASE "aesenc m(%rip), xmm", FPU+AES, "movdqu diff_data+24(%rip), %xmm3", "aesenc diff_data+64(%rip), %xmm3", "movdqu %xmm3, diff_data+128(%rip)"
CASE "pextrq imm, xmm, m(%rip)", FPU, "movdqu diff_data+24(%rip), %xmm3", "pextrq $1, %xmm3, diff_data+128(%rip)"
CASE "stmxcsr m(%rip)", FPU, "", "stmxcsr diff_data+40(%rip)"
CASE "fild, fistp", FPU, "fildq diff_data+40(%rip)", "fistpq diff_data+48(%rip)"

/* ---- where an offset of per-CPU data fits into 32 bits ---- */

	.section .data.diff_cases, "aw", @progbits
	.globl	diff_cases_low_percpu
diff_cases_low_percpu:

.irp op, jmp, call
INDIRECT "\op *%gs:m of 32 bits", 0, "movq $diff_percpu, %rbx; movq %r11, %gs:(%rbx); btsq $40, %rbx", ".byte 0x67; \op *%gs:(%rbx)"
.endr

	.section .data.diff_cases, "aw", @progbits
	.globl	diff_cases_end
diff_cases_end:

	.section .note.GNU-stack, "", @progbits
