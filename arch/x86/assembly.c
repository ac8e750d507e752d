// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assembles code that saves all registers, as a trap does, and calls C: assembly.h.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/segment.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../detour.h"

void emit_branch(struct assembly *a, u8 opcode, unsigned long target)
{
	u8 bytes[X86_BRANCH32_SIZE];

	if (x86_make_branch(bytes, opcode, a->addr + a->nr, target))
		emit(a, bytes, sizeof(bytes));
	else
		a->failed = true;
}

/* objtool warns about a constant address next to the function. */
void emit_branch_to(struct assembly *a, u8 opcode, void (*target)(void))
{
	unsigned long addr = (unsigned long)target;

	OPTIMIZER_HIDE_VAR(addr);
	emit_branch(a, opcode, addr);
}

/* movabs $pointer, %rdi */
void emit_first_argument(struct assembly *a, const void *pointer)
{
	EMIT_WITH(a, pointer, 0x48, 0xbf);
}

/* mov %rsp, %rsi */
void emit_regs_argument(struct assembly *a)
{
	EMIT(a, 0x48, 0x89, 0xe6);
}

u32 guard_offset(void)
{
	return (u32)(unsigned long)&hit_state;
}

/* It is extended to 64 bits by its sign, as all addresses in text are. */
static u32 addr32(struct assembly *a, unsigned long addr)
{
	a->failed |= (long)addr != (s32)addr;
	return addr;
}

void emit_addr32(struct assembly *a, unsigned long addr)
{
	emit32(a, addr32(a, addr));
}

void emit_push_addr(struct assembly *a, unsigned long addr)
{
	EMIT_WITH(a, addr32(a, addr), X86_PUSH32);
}

void emit_clear_flags(struct assembly *a)
{
	EMIT(a, X86_CLD);
	if (boot_cpu_has(X86_FEATURE_SMAP))
		EMIT(a, X86_CLAC);
}

/* HANDLERS_ENTER of entry.h: the flags are on the stack, and emit_restore() pops them. */
static void emit_handlers_enter(struct assembly *a)
{
	EMIT(a, X86_CLI);
	emit_clear_flags(a);
}

/* On kernels that follow frame pointers, as after an exception: ENCODE_FRAME_POINTER. */
void emit_frame_pointer(struct assembly *a)
{
	if (IS_ENABLED(CONFIG_FRAME_POINTER))
		EMIT(a, 0x48, 0x8d, 0x6c, 0x24, 1);	/* lea 1(%rsp), %rbp */
}

/*
 * x86_detour in trampoline.S pushes the same by instructions of the same sizes.  To who follows
 * stacks the first word is a return address: what is described is the byte before it.
 */
void emit_save(struct assembly *a, unsigned long place, unsigned long ip)
{
	unsigned int from;

	emit_push_addr(a, place + 1);
	from = a->nr;
	EMIT(a, 0x48, 0x8d, 0x64, 0x24, 256 - X86_GAP);	/* lea -X86_GAP(%rsp), %rsp */
	EMIT(a, 0x6a, __KERNEL_DS, 0x54, 0x9c, 0x6a, __KERNEL_CS);	/* ss, sp, flags, cs */
	emit_push_addr(a, ip);
	EMIT(a, 0x6a, 0xff);				/* orig_ax */
	EMIT(a, 0x57, 0x56, 0x52, 0x51, 0x50,		/* di si dx cx ax */
	     0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53,	/* r8 to r11 */
	     0x53, 0x55,				/* bx bp */
	     0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57);	/* r12 to r15 */
	a->failed |= a->nr - from != x86_detour_places.saved - x86_detour_places.entered;
	EMIT(a, 0x48, 0x83, 0x84, 0x24, PT_REGS_SP, 0, 0, 0,
	     16 + X86_GAP);				/* addq $16 + X86_GAP, sp */
	emit_frame_pointer(a);
	emit_handlers_enter(a);
}

/* So does x86_detour. */
void emit_restore(struct assembly *a)
{
	unsigned int from = a->nr;

	EMIT(a, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b,
	     0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58, 0x58, 0x59, 0x5a, 0x5e, 0x5f);
	EMIT(a, 0x48, 0x83, 0xc4, 24);			/* add $24, %rsp: orig_ax ip cs */
	EMIT(a, 0x9d);					/* popf */
	EMIT(a, 0x5c);					/* pop %rsp */
	a->failed |= a->nr - from != x86_detour_places.end - x86_detour_places.called;
}

/* movq $0, %gs:guard */
void emit_guard_free(struct assembly *a)
{
	emit_set(a, guard_offset(), 0);
}

static u32 preempt_count_offset(void)
{
#ifdef LKP_HAVE_PCPU_HOT
	return (u32)(unsigned long)&pcpu_hot.preempt_count;
#else
	return (u32)(unsigned long)&__preempt_count;
#endif
}

/* raise_preempt_count(): incl %gs:the count */
void emit_raise_preempt_count(struct assembly *a)
{
	EMIT_WITH(a, preempt_count_offset(), 0x65, 0xff, 0x04, 0x25);
}

/* lower_preempt_count(): decl %gs:the count */
void emit_lower_preempt_count(struct assembly *a)
{
	EMIT_WITH(a, preempt_count_offset(), 0x65, 0xff, 0x0c, 0x25);
}

static u32 current_task_offset(void)
{
#ifdef LKP_HAVE_PCPU_HOT
	return (u32)(unsigned long)&pcpu_hot.current_task;
#else
	return (u32)(unsigned long)&current_task;
#endif
}

/* movq $value, %gs:word */
void emit_set(struct assembly *a, u32 word, u32 value)
{
	EMIT_WITH(a, (u64)value << 32 | word, 0x65, 0x48, 0xc7, 0x04, 0x25);
}

/* movq $addr, the ip on the stack */
void emit_set_ip(struct assembly *a, unsigned long addr)
{
	EMIT_WITH(a, addr32(a, addr), 0x48, 0xc7, 0x84, 0x24, PT_REGS_IP, 0, 0, 0);
}

/* wait_for_current() */
void emit_wait_for_current(struct assembly *a)
{
	/* mov %gs:current_task, %rax */
	EMIT_WITH(a, current_task_offset(), 0x65, 0x48, 0x8b, 0x04, 0x25);
	/* mov start_boottime(%rax), %rdx */
	EMIT_WITH(a, (u32)offsetof(struct task_struct, start_boottime), 0x48, 0x8b, 0x90);
	/* mov %rdx, %gs:waiting_since */
	EMIT_WITH(a, HIT_STATE(waiting_since), 0x65, 0x48, 0x89, 0x14, 0x25);
	/* mov pid(%rax), %edx */
	EMIT_WITH(a, (u32)offsetof(struct task_struct, pid), 0x8b, 0x90);
	/* mov %edx, %gs:waiting_pid */
	EMIT_WITH(a, HIT_STATE(waiting_pid), 0x65, 0x89, 0x14, 0x25);
	/* mov %rax, %gs:waiting */
	EMIT_WITH(a, HIT_STATE(waiting), 0x65, 0x48, 0x89, 0x04, 0x25);
}

/* Of all general registers but rsp, from or to the stack. */
void emit_general(struct assembly *a, u8 opcode)
{
	/* In the order of struct pt_regs. */
	static const u8 numbers[] = { 15, 14, 13, 12, 5, 3, 11, 10, 9, 8, 0, 1, 2, 6, 7 };
	u8 mov[GENERAL_SIZE / ARRAY_SIZE(numbers)] = { 0, opcode, 0, 0x24 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		mov[0] = 0x48 | (numbers[i] & 8) >> 1;
		mov[2] = 0x44 | (numbers[i] & 7) << 3;
		mov[4] = i * sizeof(long);
		emit(a, mov, sizeof(mov));
	}
}

int assembly_write(const struct assembly *a)
{
	might_sleep();
	return host_text_write_code(a->addr, a->bytes, a->nr);
}
