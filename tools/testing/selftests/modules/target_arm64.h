/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arm64 part of the tests: bodies for a TARGET() of target.h, registers and
 * traps.
 */
#ifndef TARGET_ARM64_H
#define TARGET_ARM64_H

#include <asm/ptrace.h>

/* Entries of the exception table have no kinds on older kernels. */
#ifdef FIXUPS_HAVE_NO_KIND
#define FIXUP_KIND(data)	""
#else
#include <asm/asm-extable.h>
#define FIXUP_KIND(data)	".short " __stringify(EX_TYPE_UACCESS_ERR_ZERO) ", " data "\n"
#endif

#define ASM_LANDING	"hint #34\n"	/* bti c */
#define ASM_RETURN	"ret\n"

/*
 * Registers that bodies have their arguments in, and their result: it goes to
 * where a caller finds it at their end, as the first argument is there.
 */
#define FIRST(r)	((r)->regs[0])
#define SECOND(r)	((r)->regs[1])
#define RESULT(r)	((r)->regs[2])

/* What a caller finds: in the register that the first argument is in. */
#define RETURNED(r)	((r)->regs[0])

#define STACK(r)	((r)->sp)
#define IRQS_ON(r)	interrupts_enabled(r)

static inline void clear_zero(struct pt_regs *regs)
{
	regs->pstate &= ~(u64)PSR_Z_BIT;
}

/* Return for the function whose entry this is. */
static inline void return_with(struct pt_regs *regs, long value)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[30];
}

/* The return from a trap restores the stack pointer. */
#define HANDLERS_MOVE_STACK	0
static inline void return_twice_with(struct pt_regs *regs, long value)
{
}

/* What handlers see at a probe point. */
#define SEEN_AT(addr)	((unsigned long)(addr))

/* Flags are not among the registers below. */
static inline void settle_flags(void)
{
}

/*
 * What must look the same to the handlers of a trap and of a jump: of pstate the
 * level and the masks, as flags are not the same before each call.
 */
#define KEPT_REGISTERS(r)							\
	{ (r)->pc, (r)->sp, (r)->regs[29], (r)->regs[30], (r)->regs[0], (r)->regs[1],		\
	  (r)->pstate & (PSR_MODE_MASK | PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT) }

/* Where a function's caller is found: an unwinder misses it while it is in a register only. */
#define CALLER_ON_STACK	0

/* By a frame pointer: where its function's return address is. */
#define RETURN_ADDRESS_AT(frame)	((unsigned long *)(frame) + 1)

/* How far a return takes the stack pointer, and a push. */
#define RETURN_POPS	0
#define PUSH_SIZE	16

/* The tracer's site is behind an instruction that a function's entry begins with. */
#define SITE_SIZE	4
#define ENTRY_IS_SITE	0
#define SITE_OFFSET	(IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) ? 8 : 4)
#define MAX_SITE_OFFSET	8

/* Fault handlers are not told more; the size of what faults. */
#define PAGE_FAULT	0
#define STRANGE_FAULT	0
#define FAULTING_SIZE	4

/* The kernel's own, but no page is behind it. */
#define UNMAPPED	((long)(MODULES_END - PAGE_SIZE))
#define STRANGE		0x0123456789abcdefl

/* A trap's, and what it or a jump begins with. */
typedef u32 text_unit;
#define IS_TRAP(unit)	((unit) == (0xd4200000 | 0x6b70 << 5))
#define IS_JUMP(unit)	(((unit) & 0xfc000000) == 0x14000000)
#define JUMP_SIZE	4

static inline unsigned long jump_target(const void *jump)
{
	s32 distance = *(const s32 *)jump << 6;

	return (unsigned long)jump + (distance >> 4);
}

/* Functions that must not be probed: one that every kernel has, and others. */
#define TRAP_PATH_FUNCTION	"cpu_switch_to"
#define TRAP_PATH										\
	"el1h_64_sync_handler", "el1h_64_sync", "do_debug_exception", "brk_handler",		\
	"call_break_hook", "do_el1_brk64", "arm64_enter_el1_dbg", "arm64_exit_el1_dbg",		\
	"debug_exception_enter", "single_step_handler"
#define FAULT_PATH										\
	"do_mem_abort", "do_page_fault", "do_translation_fault", "__do_kernel_fault",		\
	"fixup_exception", "search_exception_tables", "search_extable",				\
	"search_module_extables"
#define ENTRY_TEXT										\
	"vectors", "tramp_vectors", "el0t_64_sync", "el1h_64_irq", "el1h_64_irq_handler",	\
	"el0t_64_sync_handler", "ret_to_user", "ret_to_kernel", "ret_from_fork",		\
	"cpu_switch_to", "call_on_irq_stack", "cpu_do_idle", "__cpu_suspend_enter",		\
	"ftrace_caller", "ftrace_regs_caller", "ftrace_common", "return_to_handler",		\
	"__hyp_stub_vectors", "cpu_resume", "idmap_cpu_replace_ttbr1"

/* ---- bodies; those called ADD return the sum of both arguments ---- */

/* No probe point in it. */
#define JUST_ADD	"add x0, x0, x1\n"

#define SLOT_ADD(name)								\
	"mov x2, x0\n"								\
	AT(name) "add x2, x2, x1\n"						\
	NEXT(name) "mov x0, x2\n"
#define SLOT_LOAD_ADD(name)							\
	"str x1, [sp, #-16]!\n"							\
	AT(name) "ldr x2, [sp]\n"						\
	NEXT(name) "add sp, sp, #16\n"						\
	"add x0, x0, x2\n"
#define SLOT_PUSH_ADD(name)							\
	AT(name) "str x1, [sp, #-16]!\n"					\
	NEXT(name) "ldr x2, [sp], #16\n"					\
	"add x0, x0, x2\n"
#define NOP_ADD(name)								\
	AT(name) "nop\n"							\
	NEXT(name) "add x0, x0, x1\n"
#define ADD_NOP(name)								\
	"add x0, x0, x1\n"							\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"
#define JMP_ADD(name)								\
	"add x2, x0, x1\n"							\
	"tbnz x2, #63, 2f\n"							\
	AT(name) "b 1f\n"							\
	"2: mov x2, #0\n"							\
	"1:\n" NEXT(name) "mov x0, x2\n"
#define JCC_ADD(name)								\
	"add x2, x0, x1\n"							\
	"cmp x2, x2\n"								\
	AT(name) "b.eq 1f\n"							\
	"mov x2, #0\n"								\
	"1:\n" NEXT(name) "mov x0, x2\n"
#define FLAGS_ADD(name)								\
	"add x2, x0, x1\n"							\
	AT(name) "mrs x3, daif\n"						\
	NEXT(name) "mov x0, x2\n"
#define FIRST_ADD(name)								\
	AT(name) "add x2, x0, x1\n"						\
	NEXT(name) "mov x0, x2\n"
#define MOVE_ADD(name)								\
	"add x2, x0, x1\n"							\
	AT(name) "mov x3, x2\n"							\
	NEXT(name) "mov x0, x3\n"
#define PUSH_FIRST_ADD(name)							\
	AT(name) "stp x29, x30, [sp, #-16]!\n"					\
	NEXT(name) "add x0, x0, x1\n"						\
	"ldp x29, x30, [sp], #16\n"
#define LONG_ADD(name)								\
	"mov x2, x0\n"								\
	"mov w3, #0\n"								\
	"1:\n"									\
	AT(name) "add x2, x2, x1\n"						\
	NEXT(name) "sub x2, x2, x1\n"						\
	"add w3, w3, #1\n"							\
	"cmp w3, #50\n"								\
	"b.ne 1b\n"								\
	"add x0, x2, x1\n"
/* Where jumps differ in size: one that is cramped by a branch to the next instruction. */
#define CRAMPED_ADD(name, padding)						\
	"mov w3, #2\n"								\
	AT(name) "mov w4, #0\n"							\
	"1:\n"									\
	NEXT(name) "add x2, x0, x1\n"						\
	"sub w3, w3, #1\n"							\
	"cbnz w3, 1b\n"								\
	"mov x0, x2\n"
#define MULTIPLY(name)								\
	"mov x2, x0\n"								\
	AT(name) "mul x2, x2, x1\n"						\
	NEXT(name) "mov x0, x2\n"

/* Both can be a jump. */
#define PAIR_ADD(name)								\
	AT(name) "mov x2, x0\n"							\
	NEXT(name) "add x2, x2, x1\n"						\
	"add x2, x2, #1\n"							\
	"sub x0, x2, #1\n"
#define SHORT_ADD(name)								\
	AT(name) "mov x2, x0\n" NEXT(name) "add x0, x2, x1\n"
#define PAUSES_ADD(name)								\
	AT(name) "yield\n"							\
	NEXT(name) "yield\n"							\
	"yield\n"								\
	"add x0, x0, x1\n"							\
	"yield\n"								\
	"nop\n"
#define MOVES_ADD(name)								\
	AT(name) "mov x2, x0\n"							\
	NEXT(name) "yield\n"							\
	"add x0, x2, x1\n"							\
	"nop\n"
#define STACK_ADD(name)								\
	AT(name) "str x1, [sp, #-16]!\n"					\
	NEXT(name) "str x0, [sp, #-16]!\n"					\
	"yield\n"								\
	"ldr x2, [sp], #16\n"							\
	"ldr x3, [sp], #16\n"							\
	"add x0, x2, x3\n"
#define BRANCHES_ADD(name)							\
	AT(name) "adr x4, 2f\n"							\
	NEXT(name) "cbz x0, 1f\n"						\
	"br x4\n"								\
	"2: hint #36\n"								\
	"tbz x0, #0, 1f\n"							\
	"yield\n"								\
	"1: add x0, x0, x1\n"
#define LOOPS_ADD(name)								\
	AT(name) "add x0, x0, x1\n"						\
	NEXT(name) "mov w2, #3\n"						\
	"1: yield\n"								\
	"subs w2, w2, #1\n"							\
	"nop\n"									\
	"b.ne 1b\n"
#define SINGLES_ADD(name)							\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"							\
	"yield\n"								\
	"mrs x2, daif\n"							\
	"nop\n"									\
	"add x0, x0, x1\n"

#define BIG_ADD(name)								\
	AT(name) "movk x2, #0x1122, lsl #48\n"					\
	NEXT(name) "add x0, x0, x1\n"
#define RELATIVE_ADD(name)							\
	AT(name) "ldr x2, 3f\n"							\
	NEXT(name) "add x0, x0, x1\n"						\
	"sub x2, x2, #0x123\n"							\
	"add x0, x0, x2\n"							\
	"b 4f\n"								\
	".balign 8\n"								\
	"3: .quad 0x123\n"							\
	"4:\n"
#define LONG_JCC_ADD(name)	JCC_ADD(name)
#define BEFORE_JCC_ADD(name)							\
	"add x2, x0, x1\n"							\
	"cmp x2, x2\n"								\
	AT(name) "mov x3, x2\n"							\
	NEXT(name) "b.eq 1f\n"							\
	"mov x2, #0\n"								\
	"1: mov x0, x2\n"
#define NOP_LAST_ADD(name)							\
	"nop\n"									\
	AT(name) "add x0, x0, x1\n"						\
	NEXT(name) ""

/* All of them are zero, and then what they are is summed up. */
#define ALL_REGISTERS(name)							\
	"stp x29, x30, [sp, #-96]!\n"						\
	"stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n"			\
	"stp x23, x24, [sp, #48]\n stp x25, x26, [sp, #64]\n"			\
	"stp x27, x28, [sp, #80]\n"						\
	".irp nr, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23,"	\
	" 24, 25, 26, 27, 28, 29, 30\n"						\
	"mov x\\nr, #0\n"							\
	".endr\n"								\
	AT(name) "mov x0, x0\n"							\
	NEXT(name) "mov x1, x1\n"						\
	".irp nr, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22,"	\
	" 23, 24, 25, 26, 27, 28, 29, 30\n"					\
	"add x0, x0, x\\nr\n"							\
	".endr\n"								\
	"ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n"			\
	"ldp x23, x24, [sp, #48]\n ldp x25, x26, [sp, #64]\n"			\
	"ldp x27, x28, [sp, #80]\n"						\
	"ldp x29, x30, [sp], #96\n"
#define REGISTER_POINTERS(r)							\
	{ &(r)->regs[0], &(r)->regs[1], &(r)->regs[2], &(r)->regs[3], &(r)->regs[4],		\
	  &(r)->regs[5], &(r)->regs[6], &(r)->regs[7], &(r)->regs[8], &(r)->regs[9],		\
	  &(r)->regs[10], &(r)->regs[11], &(r)->regs[12], &(r)->regs[13], &(r)->regs[14],	\
	  &(r)->regs[15], &(r)->regs[16], &(r)->regs[17], &(r)->regs[19], &(r)->regs[20],	\
	  &(r)->regs[21], &(r)->regs[22], &(r)->regs[23], &(r)->regs[24], &(r)->regs[25],	\
	  &(r)->regs[26], &(r)->regs[27], &(r)->regs[28], &(r)->regs[29], &(r)->regs[30] }

/* a! times b; it is probed at its entry, too. */
#define FACTORIAL(name)								\
	AT(name) "stp x29, x30, [sp, #-32]!\n"					\
	NEXT(name) "str x0, [sp, #16]\n"						\
	"mov x2, x1\n"								\
	"cbz x0, 1f\n"								\
	"sub x0, x0, #1\n"							\
	"bl " #name "_fn\n"							\
	"ldr x2, [sp, #16]\n"							\
	"mul x2, x2, x0\n"							\
	"1: mov x0, x2\n"							\
	"ldp x29, x30, [sp], #32\n"

/* The caller's address is not where it was at the function's beginning. */
#define FRAME_ADD(name)								\
	"stp x29, x30, [sp, #-32]!\n"						\
	"mov x29, sp\n"								\
	AT(name) "mov x2, x0\n"							\
	NEXT(name) "add x2, x2, x1\n"						\
	"mov x0, x2\n"								\
	"ldp x29, x30, [sp], #32\n"

/* Probed is the call, or what makes room for it. */
#define CALLS_TO(name, function)							\
	"stp x29, x30, [sp, #-16]!\n"						\
	AT(name) "bl " #function "\n"						\
	NEXT(name) "ldp x29, x30, [sp], #16\n"
#define MAKES_ROOM_AND_CALLS(name, function)					\
	AT(name) "stp x29, x30, [sp, #-16]!\n"					\
	NEXT(name) "bl " #function "\n"						\
	"ldp x29, x30, [sp], #16\n"
#define CALLS_ADD_1000(name, function)						\
	"stp x29, x30, [sp, #-16]!\n"						\
	AT(name) "bl " #function "\n"						\
	NEXT(name) "add x0, x0, #1000\n"					\
	"ldp x29, x30, [sp], #16\n"

/* An instruction that is jumped over. */
#define NEVER_RUN(name, insn)							\
	"add x0, x0, x1\n"							\
	"tbz x0, #63, 2f\n"							\
	AT(name) insn								\
	"2:\n" NEXT(name) "nop\n"
#define ASM_BREAKPOINT	"brk #0x123\n"
#define ASM_PREAMBLE	".word 0x12345678\n"

/* Nothing is changed. */
#define NOTHING(name)								\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"
#define PUSHES(name)								\
	AT(name) "str x19, [sp, #-16]!\n"					\
	NEXT(name) "ldr x19, [sp], #16\n"
#define JUMPS(name)								\
	AT(name) "b 1f\n"							\
	"nop\n"									\
	"1:\n" NEXT(name) "nop\n"

/* Of the kernel's own kind for user accesses. */
#define USER_FIXUP(name, data)							\
	".pushsection __ex_table, \"a\"\n"					\
	".align 2\n"								\
	".long .L" #name "_at - .\n"						\
	".long .L" #name "_fix - .\n"						\
	FIXUP_KIND(data)							\
	".popsection\n"

/* Read what the first argument points to, in user space; -EFAULT if that can't be. */
#define LOAD_USER(name)								\
	AT(name) "ldtr x0, [x0]\n"						\
	NEXT(name) "b 1f\n"							\
	".L" #name "_fix: mov x0, #-14\n"					\
	"1:\n"									\
	USER_FIXUP(name, "0x3ff")

/* So, but the fixup puts -EFAULT in a register by itself, where there is such a kind. */
#ifdef EX_TYPE_UACCESS_ERR_ZERO
#define LOAD_USER_REG(name)							\
	AT(name) "ldtr x0, [x0]\n"						\
	NEXT(name) "nop\n"							\
	".L" #name "_fix: nop\n"						\
	/* the registers: that of the error is 0, that which is cleared none */	\
	USER_FIXUP(name, "0x3e0")
#else
#define LOAD_USER_REG	LOAD_USER
#endif

/* A sum by a load from the stack, which has a fixup all the same. */
#define FIXED_LOAD_ADD(name)							\
	"str x1, [sp, #-16]!\n"							\
	AT(name) "ldr x2, [sp]\n"						\
	NEXT(name) "b 1f\n"							\
	".L" #name "_fix: mov x2, #0\n"						\
	"1: add sp, sp, #16\n"							\
	"add x0, x0, x2\n"							\
	USER_FIXUP(name, "0x3ff")

/* The same for kernel memory: no fixup. */
#define LOAD(name)								\
	AT(name) "ldr x2, [x0]\n"						\
	NEXT(name) "mov x0, x2\n"

#endif /* TARGET_ARM64_H */
