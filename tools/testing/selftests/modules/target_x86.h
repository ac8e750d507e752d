/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The x86-64 part of the tests: bodies for a TARGET() of target.h, registers and
 * traps.
 */
#ifndef TARGET_X86_H
#define TARGET_X86_H

#include <asm/asm.h>
#ifndef NO_IBT_HEADER
#include <asm/ibt.h>
#endif
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/smap.h>
#include <asm/trapnr.h>

#ifdef ASM_ENDBR
#define ASM_LANDING	ASM_ENDBR
#else
#define ASM_LANDING	""
#endif
#define ASM_RETURN	ASM_RET

/*
 * Where the kernel checks types (kCFI), who calls a function by a pointer finds the hash of its
 * type before it, of the size of an alignment.  This one is that of struct target's fn: the
 * compiler tells what it is, as the address of such a function is taken.  Where a function's address
 * is not taken, the kernel clears the hash: a function that begins like others needs one in any case.
 */
#if defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI)
#ifdef CONFIG_CALL_PADDING
#define ASM_HASH	".byte 0xb8\n.long __kcfi_typeid_lkp_adds\n" ASM_PADDING
#else
#define ASM_HASH	ASM_PADDING ".byte 0xb8\n.long __kcfi_typeid_lkp_adds\n"
#endif
#define ASM_PADDING	".skip " __stringify(CONFIG_FUNCTION_PADDING_BYTES) ", 0x90\n"
#define ASM_TYPE(name)								\
	".type __cfi_" name ", @function\n"					\
	"__cfi_" name ":\n"							\
	ASM_HASH								\
	".size __cfi_" name ", . - __cfi_" name "\n"
#define ASM_TYPE_SIZE	CONFIG_FUNCTION_ALIGNMENT

asm(".pushsection .text\n"
    ".balign 16\n"
    ".type lkp_adds, @function\n"
    "lkp_adds:\n"
    ASM_LANDING
    "lea (%rdi, %rsi), %rax\n"
    ASM_RETURN
    ".size lkp_adds, . - lkp_adds\n"
    ".popsection\n");
asmlinkage long lkp_adds(long a, long b);
static long (* const lkp_typed)(long a, long b) __used = lkp_adds;
#endif

/* Registers that bodies have their arguments in, and their result. */
#define FIRST(r)	((r)->di)
#define SECOND(r)	((r)->si)
#define RESULT(r)	((r)->ax)

/* What a caller finds: in a register of its own. */
#define RETURNED(r)	((r)->ax)

#define STACK(r)	((r)->sp)
#define IRQS_ON(r)	((r)->flags & X86_EFLAGS_IF)

static inline void clear_zero(struct pt_regs *regs)
{
	regs->flags &= ~X86_EFLAGS_ZF;
}

/* Return for the function whose entry this is. */
static inline void return_with(struct pt_regs *regs, long value)
{
	regs->ax = value;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

/* So for its caller as well, which has kept nothing on the stack. */
#define HANDLERS_MOVE_STACK	1
static inline void return_twice_with(struct pt_regs *regs, long value)
{
	regs->sp += sizeof(long);
	return_with(regs, value);
}

/* What handlers see at a probe point. */
#define SEEN_AT(addr)	((unsigned long)(addr) + 1)

/* Makes the flags that a call passes on the same ones, whatever the caller computed before. */
static inline void settle_flags(void)
{
	asm volatile("cmpl %%eax, %%eax" : : : "cc");
}

/* What must look the same to the handlers of a trap and of a jump. */
#define KEPT_REGISTERS(r)							\
	{ (r)->ip, (r)->sp, (r)->bp, (r)->di, (r)->si, (r)->cs, (r)->ss, (r)->flags, (r)->orig_ax }

/* Where a function's caller is found: by frame pointers it is missed until there is a frame. */
#define CALLER_ON_STACK	IS_ENABLED(CONFIG_UNWINDER_ORC)

/* By a frame pointer: where its function's return address is. */
#define RETURN_ADDRESS_AT(frame)	((unsigned long *)(frame) + 1)

/* How far a return takes the stack pointer, and a push. */
#define RETURN_POPS	sizeof(long)
#define PUSH_SIZE	8

/* At a function's entry the tracer has a site of so many bytes, behind a landing. */
#define SITE_SIZE	5
#define ENTRY_IS_SITE	1
#define SITE_OFFSET	0
#define MAX_SITE_OFFSET	4

/* What fault handlers are told, of an address that is none too; the size of what faults. */
#define PAGE_FAULT	X86_TRAP_PF
#define STRANGE_FAULT	X86_TRAP_GP
#define FAULTING_SIZE	3

/* The kernel's own, but no page is behind it. */
#define UNMAPPED	((long)(MODULES_END - PAGE_SIZE))
#define STRANGE		0x0123456789abcdefl

/* A trap's, and what it or a jump begins with. */
typedef u8 text_unit;
#define IS_TRAP(unit)	((unit) == 0xcc)
#define IS_JUMP(unit)	((unit) == 0xe9 || (unit) == 0xeb)
#define JUMP_SIZE	5

static inline unsigned long jump_target(const void *jump)
{
	s32 distance;

	memcpy(&distance, jump + 1, sizeof(distance));
	return (unsigned long)jump + JUMP_SIZE + distance;
}

/* Functions that must not be probed: one that every kernel has, and others. */
#define TRAP_PATH_FUNCTION	"notify_die"
#define TRAP_PATH										\
	"exc_int3", "do_int3", "notify_die", "atomic_notifier_call_chain",			\
	"notifier_call_chain", "poke_int3_handler", "irqentry_nmi_enter",			\
	"irqentry_nmi_exit", "asm_exc_int3", "rcu_read_unlock_special",			\
	"hw_breakpoint_exceptions_notify"
#define FAULT_PATH										\
	"asm_exc_page_fault", "exc_page_fault", "fixup_exception",				\
	"exc_general_protection", "search_exception_tables", "search_extable",			\
	"search_module_extables"
#define ENTRY_TEXT										\
	"entry_SYSCALL_64", "asm_sysvec_apic_timer_interrupt", "error_entry",			\
	"paranoid_entry", "common_interrupt_return", "do_syscall_64", "irqentry_enter",		\
	"irqentry_exit", "exc_nmi", "asm_exc_nmi", "exc_debug", "sync_regs", "default_idle",	\
	"acpi_idle_do_entry", "__x86_indirect_thunk_rax", "__x86_return_thunk",			\
	"__fentry__", "ftrace_caller", "ftrace_regs_caller", "return_to_handler"

/*
 * With a TARGET_ALIGN of 2, on both sides of a function: there is no padding in reach of a short
 * jump then.  What the compiler has made may have some.
 */
#define ALONE(name)								\
asm(".pushsection .text\n"							\
    ".type " #name ", @function\n"						\
    #name ":\n"									\
    ".rept 40\n"								\
    "lea 1(%rax), %rax\n"							\
    ".endr\n"									\
    ASM_RETURN									\
    ".size " #name ", . - " #name "\n"						\
    ".popsection\n")

/* ---- bodies; those called ADD return the sum of both arguments ---- */

/* No probe point in it. */
#define JUST_ADD	"lea (%rdi, %rsi), %rax\n"

#define SLOT_ADD(name)								\
	"mov %rdi, %rax\n"							\
	AT(name) "add %rsi, %rax\n"						\
	NEXT(name) "nop\n"
#define SLOT_LOAD_ADD(name)							\
	"push %rsi\n"								\
	"mov %rdi, %rax\n"							\
	AT(name) "add (%rsp), %rax\n"						\
	NEXT(name) "add $8, %rsp\n"
#define SLOT_PUSH_ADD(name)							\
	AT(name) "push %rsi\n"							\
	NEXT(name) "pop %rax\n"							\
	"add %rdi, %rax\n"
#define NOP_ADD(name)								\
	AT(name) "nop\n"							\
	NEXT(name) "lea (%rdi, %rsi), %rax\n"
#define ADD_NOP(name)								\
	"lea (%rdi, %rsi), %rax\n"						\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"
#define JMP_ADD(name)								\
	"lea (%rdi, %rsi), %rax\n"						\
	"test %rax, %rax\n"							\
	"js 2f\n"								\
	AT(name) "jmp 1f\n"							\
	"2: xor %eax, %eax\n"							\
	"1:\n" NEXT(name) "nop\n"
#define JCC_ADD(name)								\
	"lea (%rdi, %rsi), %rax\n"						\
	"cmp %rax, %rax\n"							\
	AT(name) "je 1f\n"							\
	"xor %eax, %eax\n"							\
	"1:\n" NEXT(name) "nop\n"
#define NOP5	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#define NOP9	".byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n"

/*
 * The instruction behind the probed one, of two bytes, is the beginning of a loop, which runs twice.
 * Before it is padding for a relay.
 */
/* Before a function may be bytes that the kernel writes to: padding is not looked for in so many. */
#define NO_PREFIX	".rept 6\nlea (%rax), %rax\n.endr\n"
#define CRAMPED_ADD(name, padding)						\
	"mov $2, %ecx\n"							\
	"jmp 2f\n"								\
	padding									\
	"2:\n" AT(name) "xor %edx, %edx\n"					\
	"1:\n" NEXT(name)							\
	"lea (%rdi, %rsi), %rax\n"						\
	"dec %ecx\n"								\
	"jnz 1b\n"								\
	NO_PREFIX
#define FLAGS_ADD(name)								\
	"lea (%rdi, %rsi), %rax\n"						\
	AT(name) "pushf\n"							\
	NEXT(name) "pop %rdi\n"
#define FIRST_ADD(name)								\
	AT(name) "lea (%rdi, %rsi), %rax\n"					\
	NEXT(name) "nop\n"
#define MOVE_ADD(name)								\
	"lea (%rdi, %rsi), %rax\n"						\
	AT(name) "xchg %rax, %rdi\n"						\
	NEXT(name) "mov %rdi, %rax\n"
#define PUSH_FIRST_ADD(name)							\
	AT(name) "push %rbx\n"							\
	NEXT(name) "lea (%rdi, %rsi), %rax\n"					\
	"pop %rbx\n"
#define LONG_ADD(name)								\
	"mov %rdi, %rax\n"							\
	"xor %ecx, %ecx\n"							\
	"1:\n"									\
	AT(name) "add %rsi, %rax\n"						\
	NEXT(name) "sub %rsi, %rax\n"						\
	"inc %ecx\n"								\
	"cmp $50, %ecx\n"							\
	"jne 1b\n"								\
	"add %rsi, %rax\n"
#define MULTIPLY(name)								\
	"mov %rdi, %rax\n"							\
	AT(name) "imul %rsi, %rax\n"						\
	NEXT(name) "nop\n"

/* NEXT is within the bytes of a jump at AT, and can itself be a jump. */
#define PAIR_ADD(name)								\
	AT(name) "mov %rdi, %rax\n"						\
	NEXT(name) "add %rsi, %rax\n"						\
	"lea 1(%rax), %rax\n"							\
	"lea -1(%rax), %rax\n"
/* By how much the stack has grown before the probe, as it is behind that. */
#define GROWN_STACK(name)							\
	"mov %rsp, %rcx\n"							\
	"sub $64, %rsp\n"							\
	AT(name) "mov %rdi, %rax\n"						\
	NEXT(name) "mov %rcx, %rax\n"						\
	"sub %rsp, %rax\n"							\
	"mov %rcx, %rsp\n"
#define SHORT_ADD(name)								\
	AT(name) "mov %rdi, %rax\n" NEXT(name) "add %rsi, %rax; nop\n"

#define PAUSES_ADD(name)							\
	AT(name) "pause\n" \
	NEXT(name) "pause\n" \
	"pause\n" \
	"lea (%rdi, %rsi), %rax\n" \
	"pause\n" \
	"nop\n"
#define MOVES_ADD(name)							\
	AT(name) "mov %rdi, %rax\n" \
	NEXT(name) "pause\n" \
	"add %rsi, %rax\n" \
	"nop\n"
#define STACK_ADD(name)							\
	AT(name) "push %rsi\n" \
	NEXT(name) "push %rdi\n" \
	"pause\n" \
	"pop %rax\n" \
	"pop %rsi\n" \
	"add %rsi, %rax\n"
#define BRANCHES_ADD(name)							\
	AT(name) "test %rdi, %rdi\n" \
	NEXT(name) "je 1f\n" \
	"pause\n" \
	"nop\n" \
	"1: lea (%rdi, %rsi), %rax\n"
#define LOOPS_ADD(name)							\
	AT(name) "lea (%rdi, %rsi), %rax\n" \
	NEXT(name) "mov $3, %ecx\n" \
	"1: pause\n" \
	"dec %ecx\n" \
	"nop\n" \
	"jne 1b\n"
#define SINGLES_ADD(name)							\
	AT(name) "nop\n" \
	NEXT(name) "nop\n" \
	"pause\n" \
	"nop\n" \
	"nop\n" \
	"lea (%rdi, %rsi), %rax\n"

#define BIG_ADD(name)								\
	AT(name) "movabs $0x1122334455667788, %rcx\n"				\
	NEXT(name) "lea (%rdi, %rsi), %rax\n"
#define RELATIVE_ADD(name)							\
	"lea (%rdi, %rsi), %rax\n"						\
	AT(name) "mov .L" #name "_word(%rip), %rcx\n"				\
	NEXT(name) "sub $12345, %rcx\n"						\
	"add %rcx, %rax\n"							\
	".pushsection .rodata\n"						\
	".L" #name "_word: .quad 12345\n"					\
	".popsection\n"
/* As JCC_ADD(), and it leads to behind a jump. */
#define LONG_JCC_ADD(name)							\
	"lea (%rdi, %rsi), %rax\n"						\
	"cmp %rax, %rax\n"							\
	AT(name) "je 1f\n"							\
	"xor %rax, %rax\n"							\
	"1:\n" NEXT(name) "nop\n"
#define BEFORE_JCC_ADD(name)							\
	"lea (%rdi, %rsi), %rax\n"						\
	"cmp %rax, %rax\n"							\
	AT(name) "mov %rax, %rcx\n"						\
	NEXT(name) "je 1f\n"							\
	"xor %eax, %eax\n"							\
	"1: nop\n"
#define NOP_LAST_ADD(name)							\
	"nop\n"									\
	AT(name) "lea (%rdi, %rsi), %rax\n"					\
	NEXT(name) ""

/* All of them are zero, and then what they are is summed up. */
#define ALL_REGISTERS(name)							\
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"	\
	"xor %eax, %eax; xor %ebx, %ebx; xor %ecx, %ecx; xor %edx, %edx\n"	\
	"xor %ebp, %ebp; xor %r8d, %r8d; xor %r9d, %r9d; xor %r10d, %r10d\n"	\
	"xor %r11d, %r11d; xor %r12d, %r12d; xor %r13d, %r13d; xor %r14d, %r14d\n" \
	"xor %r15d, %r15d\n"							\
	AT(name) "mov %rdi, %rdi\n"						\
	NEXT(name) "mov %rsi, %rsi\n"						\
	"add %rbx, %rax; add %rcx, %rax; add %rdx, %rax; add %rbp, %rax\n"	\
	"add %r8, %rax; add %r9, %rax; add %r10, %rax; add %r11, %rax\n"	\
	"add %r12, %rax; add %r13, %rax; add %r14, %rax; add %r15, %rax\n"	\
	"add %rdi, %rax; add %rsi, %rax\n"					\
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
#define REGISTER_POINTERS(r)							\
	{ &(r)->ax, &(r)->bx, &(r)->cx, &(r)->dx, &(r)->bp, &(r)->si, &(r)->di, &(r)->r8,	\
	  &(r)->r9, &(r)->r10, &(r)->r11, &(r)->r12, &(r)->r13, &(r)->r14, &(r)->r15 }

/* a! times b; it is probed at its entry, too. */
#define FACTORIAL(name)								\
	AT(name) "test %rdi, %rdi\n"						\
	NEXT(name) "mov %rsi, %rax\n"						\
	"je 1f\n"								\
	"push %rdi\n"								\
	"dec %rdi\n"								\
	"call " #name "_fn\n"							\
	"pop %rdi\n"								\
	"imul %rdi, %rax\n"							\
	"1:\n"

/* The caller's address is not where it was at the function's beginning. */
#ifdef CONFIG_FRAME_POINTER
#define PUSH_FRAME	"push %rbp; mov %rsp, %rbp\n"
#define POP_FRAME	"pop %rbp\n"
#else
#define PUSH_FRAME	""
#define POP_FRAME	""
#endif
#define FRAME_ADD(name)								\
	PUSH_FRAME								\
	"push %rbx\n"								\
	"sub $24, %rsp\n"							\
	AT(name) "mov %rdi, %rbx\n"						\
	NEXT(name) "add %rsi, %rbx\n"						\
	"mov %rbx, %rax\n"							\
	"add $24, %rsp\n"							\
	"pop %rbx\n"								\
	POP_FRAME

/* Probed is the call, or what makes room for it. */
#define CALLS_TO(name, function)							\
	"push %rbx\n"								\
	AT(name) "call " #function "\n"						\
	NEXT(name) "pop %rbx\n"
/* Above the return address is what unused words may hold: the frame of an earlier interrupt. */
#define MAKES_ROOM_AND_CALLS(name, function)					\
	AT(name) "sub $8, %rsp\n"						\
	NEXT(name) "push $0x18\n"						\
	"lea 8(%rsp), %rax\n"							\
	"push %rax\n"								\
	"pushf\n"								\
	"push $0x10\n"								\
	"call " #function "\n"							\
	"add $40, %rsp\n"
#define CALLS_ADD_1000(name, function)						\
	AT(name) "call " #function "\n"						\
	NEXT(name) "add $1000, %rax\n"

/* An instruction that is jumped over. */
#define NEVER_RUN(name, insn)							\
	"lea (%rdi, %rsi), %rax\n"						\
	"test %rax, %rax\n"							\
	"jns 1f\n"								\
	AT(name) insn								\
	"1:\n" NEXT(name) "nop\n"
#define ASM_BREAKPOINT	"int3\n"
#define ASM_PREAMBLE	"mov $0x12345678, %eax\n"

/* Nothing is changed. */
#define NOTHING(name)								\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"
#define PUSHES(name)								\
	AT(name) "push %rbx\n"							\
	NEXT(name) "pop %rbx\n"
/* Over so much that a jump instead of it does not reach where it leads. */
#define JUMPS(name)								\
	AT(name) "jmp 1f\n"							\
	"nop; nop; nop\n"							\
	"1:\n" NEXT(name) "nop\n"

/* Read what the first argument points to, in user space; -EFAULT if that can't be. */
#define LOAD_USER(name)								\
	ASM_STAC "\n"								\
	AT(name) "mov (%rdi), %rax\n"						\
	NEXT(name) "jmp 1f\n"							\
	".L" #name "_fix: mov $-14, %rax\n"					\
	"1:" ASM_CLAC "\n"							\
	_ASM_EXTABLE_UA(.L##name##_at, .L##name##_fix)

/* So, but the fixup puts -EFAULT in a register by itself, where there is such a kind. */
#ifdef EX_TYPE_EFAULT_REG
#define LOAD_USER_REG(name)							\
	ASM_STAC "\n"								\
	AT(name) "mov (%rdi), %rax\n"						\
	NEXT(name) "nop\n"							\
	".L" #name "_fix:" ASM_CLAC "\n"					\
	/* the register is the one numbered 0: rax */				\
	_ASM_EXTABLE_TYPE(.L##name##_at, .L##name##_fix, EX_TYPE_EFAULT_REG)
#else
#define LOAD_USER_REG	LOAD_USER
#endif

/* A sum by a load from the stack, which has a fixup all the same. */
#define FIXED_LOAD_ADD(name)							\
	"push %rsi\n"								\
	"mov %rdi, %rax\n"							\
	AT(name) "add (%rsp), %rax\n"						\
	NEXT(name) "jmp 1f\n"							\
	".L" #name "_fix: xor %eax, %eax\n"					\
	"1: add $8, %rsp\n"							\
	_ASM_EXTABLE(.L##name##_at, .L##name##_fix)

/* The same for kernel memory: no fixup. */
#define LOAD(name)								\
	AT(name) "mov (%rdi), %rax\n"						\
	NEXT(name) "nop\n"

#endif /* TARGET_X86_H */
