/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The 64-bit Power part of the tests: bodies for a TARGET() of target.h, registers
 * and traps.
 */
#ifndef TARGET_POWERPC_H
#define TARGET_POWERPC_H

#include <asm/hw_irq.h>
#include <asm/probes.h>
#include <asm/ptrace.h>

#undef is_trap	/* of a word */

#define ASM_LANDING	""
#define ASM_RETURN	"blr\n"

/*
 * Registers that bodies have their arguments in, and their result: it goes to
 * where a caller finds it at their end, as the first argument is there.
 */
#define FIRST(r)	((r)->gpr[3])
#define SECOND(r)	((r)->gpr[4])
#define RESULT(r)	((r)->gpr[5])

/* What a caller finds: in the register that the first argument is in. */
#define RETURNED(r)	((r)->gpr[3])

#define STACK(r)	((r)->gpr[1])
#define IRQS_ON(r)	((r)->softe == IRQS_ENABLED)

static inline void clear_zero(struct pt_regs *regs)
{
	regs->ccr &= ~0x20000000ul;
}

/* Return for the function whose entry this is. */
static inline void return_with(struct pt_regs *regs, long value)
{
	regs->gpr[3] = value;
	regs->nip = regs->link;
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
 * What must look the same to the handlers of a trap and of a jump: of msr not what
 * interrupts have made of it, and no flags, which are not the same before each call.
 */
#define KEPT_REGISTERS(r)							\
	{ (r)->nip, (r)->gpr[1], (r)->gpr[2], (r)->gpr[3], (r)->gpr[4], (r)->link,		\
	  (r)->softe, (r)->msr & (MSR_IR | MSR_DR | MSR_PR | MSR_RI | MSR_LE) }

/* Where a function's caller is found: an unwinder misses it while it is in a register only. */
#define CALLER_ON_STACK	0

/* By a frame pointer: where its function's return address is, in the frame before. */
#define RETURN_ADDRESS_AT(frame)	(*(unsigned long **)(frame) + 2)

/* How far a return takes the stack pointer, and a push. */
#define RETURN_POPS	0
#define PUSH_SIZE	64

/* A function's name stands for the tracer's site, behind what sets up the TOC and moves LR. */
#define SITE_SIZE	4
#define ENTRY_IS_SITE	1
#define SITE_OFFSET	0
#define MAX_SITE_OFFSET	16

/* What fault handlers are told: SIGSEGV, whatever the address; the size of what faults. */
#define PAGE_FAULT	11
#define STRANGE_FAULT	11
#define FAULTING_SIZE	4

/* The kernel's own, but no page is behind it. */
#define UNMAPPED	0xc008007ffff00000L	/* amid where vmalloc() takes it from */
#define STRANGE		0xc008007fffe00000L	/* what no table covers is never survived */

/* A trap's, and what it or a jump begins with. */
typedef u32 text_unit;
#define IS_TRAP(unit)	((unit) == 0x7fe00008)
#define IS_JUMP(unit)	(((unit) & 0xfc000003) == 0x48000000)
#define JUMP_SIZE	4

static inline unsigned long jump_target(const void *jump)
{
	s32 distance = *(const s32 *)jump << 6;

	return (unsigned long)jump + (distance >> 6 & ~3);
}

/* Functions that must not be probed: one that every kernel has, and others. */
#define TRAP_PATH_FUNCTION	"notify_die"
#define TRAP_PATH										\
	"program_check_exception", "do_program_check", "notify_die",				\
	"atomic_notifier_call_chain", "notifier_call_chain", "interrupt_exit_kernel_prepare",	\
	"interrupt_exit_kernel_restart", "arch_local_irq_restore",				\
	"interrupt_exit_user_prepare_main", "pseries_lpar_idle", "rcu_read_unlock_special",	\
	"hw_breakpoint_exceptions_notify"
#define FAULT_PATH										\
	"do_page_fault", "___do_page_fault", "do_hash_fault", "do_slb_fault", "hash_page_mm",	\
	"bad_page_fault", "search_exception_tables", "search_extable", "search_module_extables"
#define ENTRY_TEXT										\
	"system_call_common", "interrupt_return_srr", "interrupt_return_srr_kernel",		\
	"interrupt_return_hsrr", "data_access_common", "program_check_common", "masked_interrupt", \
	"ret_from_fork", "_switch", "do_IRQ", "timer_interrupt", "enter_rtas", "copy_and_flush", \
	"start_secondary", "load_fp_state", "_mcount", "ftrace_caller", "ftrace_regs_caller",	\
	"ftrace_stub", "return_to_handler", "plpar_hcall_norets"

/* ---- bodies; those called ADD return the sum of both arguments ---- */

/* No probe point in it. */
#define JUST_ADD	"add 3, 3, 4\n"

#define SLOT_ADD(name)								\
	"mr 5, 3\n"								\
	AT(name) "add 5, 5, 4\n"						\
	NEXT(name) "mr 3, 5\n"
#define SLOT_LOAD_ADD(name)							\
	"std 4, -8(1)\n"							\
	AT(name) "ld 5, -8(1)\n"						\
	NEXT(name) "add 3, 3, 5\n"
#define SLOT_PUSH_ADD(name)							\
	AT(name) "stdu 1, -64(1)\n"						\
	NEXT(name) "std 4, 40(1)\n"						\
	"ld 5, 40(1)\n"								\
	"addi 1, 1, 64\n"							\
	"add 3, 3, 5\n"
#define NOP_ADD(name)								\
	AT(name) "nop\n"							\
	NEXT(name) "add 3, 3, 4\n"
#define ADD_NOP(name)								\
	"add 3, 3, 4\n"								\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"
#define JMP_ADD(name)								\
	"add 5, 3, 4\n"								\
	"cmpdi 5, 0\n"								\
	"blt 2f\n"								\
	AT(name) "b 1f\n"							\
	"2: li 5, 0\n"								\
	"1:\n" NEXT(name) "mr 3, 5\n"
#define JCC_ADD(name)								\
	"add 5, 3, 4\n"								\
	"cmpd 5, 5\n"								\
	AT(name) "beq 1f\n"							\
	"li 5, 0\n"								\
	"1:\n" NEXT(name) "mr 3, 5\n"
#define FLAGS_ADD(name)								\
	"add 5, 3, 4\n"								\
	AT(name) "mfcr 6\n"							\
	NEXT(name) "mr 3, 5\n"
#define FIRST_ADD(name)								\
	AT(name) "add 5, 3, 4\n"						\
	NEXT(name) "mr 3, 5\n"
#define MOVE_ADD(name)								\
	"add 5, 3, 4\n"								\
	AT(name) "mr 6, 5\n"							\
	NEXT(name) "mr 3, 6\n"
#define PUSH_FIRST_ADD(name)							\
	AT(name) "stdu 1, -64(1)\n"						\
	NEXT(name) "add 3, 3, 4\n"						\
	"addi 1, 1, 64\n"
#define LONG_ADD(name)								\
	"mr 5, 3\n"								\
	"li 6, 0\n"								\
	"1:\n"									\
	AT(name) "add 5, 5, 4\n"						\
	NEXT(name) "subf 5, 4, 5\n"						\
	"addi 6, 6, 1\n"							\
	"cmpdi 6, 50\n"								\
	"bne 1b\n"								\
	"add 3, 5, 4\n"
/* Where jumps differ in size: one that is cramped by a branch to the next instruction. */
#define CRAMPED_ADD(name, padding)						\
	"li 6, 2\n"								\
	AT(name) "li 7, 0\n"							\
	"1:\n"									\
	NEXT(name) "add 5, 3, 4\n"						\
	"addi 6, 6, -1\n"							\
	"cmpdi 6, 0\n"								\
	"bne 1b\n"								\
	"mr 3, 5\n"
#define MULTIPLY(name)								\
	"mr 5, 3\n"								\
	AT(name) "mulld 5, 5, 4\n"						\
	NEXT(name) "mr 3, 5\n"

/* Both can be a jump. */
#define PAIR_ADD(name)								\
	AT(name) "mr 5, 3\n"							\
	NEXT(name) "add 5, 5, 4\n"						\
	"addi 5, 5, 1\n"							\
	"addi 3, 5, -1\n"
/* By how much the stack has grown before the probe, as it is behind that. */
#define GROWN_STACK(name)							\
	"mr 9, 1\n"								\
	"stdu 1, -64(1)\n"							\
	AT(name) "mr 5, 3\n"							\
	NEXT(name) "subf 3, 1, 9\n"						\
	"mr 1, 9\n"
#define SHORT_ADD(name)								\
	AT(name) "mr 5, 3\n" NEXT(name) "add 3, 5, 4\n"
#define ASM_PAUSE	"or 27, 27, 27\n"
#define PAUSES_ADD(name)							\
	AT(name) ASM_PAUSE							\
	NEXT(name) ASM_PAUSE							\
	ASM_PAUSE								\
	"add 3, 3, 4\n"							\
	ASM_PAUSE								\
	"nop\n"
#define MOVES_ADD(name)								\
	AT(name) "mr 5, 3\n"							\
	NEXT(name) ASM_PAUSE							\
	"add 3, 5, 4\n"							\
	"nop\n"
#define STACK_ADD(name)								\
	AT(name) "stdu 1, -64(1)\n"						\
	NEXT(name) "std 3, 40(1)\n"						\
	ASM_PAUSE								\
	"ld 5, 40(1)\n"							\
	"addi 1, 1, 64\n"							\
	"add 3, 4, 5\n"
#define BRANCHES_ADD(name)							\
	AT(name) "mflr 6\n"							\
	NEXT(name) "bl 2f\n"							\
	"2: mflr 7\n"								\
	"addi 7, 7, 4*4\n"							\
	"mtctr 7\n"								\
	"bctr\n"								\
	"cmpdi 3, 0\n"								\
	"beq 1f\n"								\
	ASM_PAUSE								\
	"1: mtlr 6\n"								\
	"add 3, 3, 4\n"
#define LOOPS_ADD(name)								\
	AT(name) "add 3, 3, 4\n"						\
	NEXT(name) "li 5, 3\n"							\
	"1: " ASM_PAUSE								\
	"addic. 5, 5, -1\n"							\
	"nop\n"								\
	"bne 1b\n"
#define SINGLES_ADD(name)							\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"							\
	ASM_PAUSE								\
	"mfcr 5\n"								\
	"nop\n"								\
	"add 3, 3, 4\n"

#define BIG_ADD(name)								\
	AT(name) "oris 5, 5, 0x1122\n"						\
	NEXT(name) "add 3, 3, 4\n"
/* What is relative to its own address; 0x123 is what is there. */
#define RELATIVE_ADD(name)							\
	"mflr 7\n"								\
	AT(name) "bl 3f\n"							\
	".quad 0x123\n"								\
	"3:\n" NEXT(name) "mflr 6\n"						\
	"ld 5, 0(6)\n"								\
	"mtlr 7\n"								\
	"add 3, 3, 4\n"								\
	"addi 5, 5, -0x123\n"							\
	"add 3, 3, 5\n"
#define LONG_JCC_ADD(name)	JCC_ADD(name)
#define BEFORE_JCC_ADD(name)							\
	"add 5, 3, 4\n"								\
	"cmpd 5, 5\n"								\
	AT(name) "mr 6, 5\n"							\
	NEXT(name) "beq 1f\n"							\
	"li 5, 0\n"								\
	"1: mr 3, 5\n"
#define NOP_LAST_ADD(name)							\
	"nop\n"									\
	AT(name) "add 3, 3, 4\n"						\
	NEXT(name) ""

/* All of them are zero but for the arguments, and then what they are is summed up. */
#define ALL_NUMBERS	"5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,"	\
			" 24, 25, 26, 27, 28, 29, 30, 31"
#define SAVED_NUMBERS	"14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
#define ALL_REGISTERS(name)							\
	"stdu 1, -208(1)\n"							\
	"std 2, 40(1)\n"							\
	".irp nr, " SAVED_NUMBERS "\n"						\
	"std \\nr, \\nr * 8 - 56(1)\n"					\
	".endr\n"								\
	".irp nr, 0, 2, " ALL_NUMBERS "\n"					\
	"li \\nr, 0\n"								\
	".endr\n"								\
	AT(name) "mr 3, 3\n"							\
	NEXT(name) "mr 4, 4\n"							\
	".irp nr, 0, 2, 4, " ALL_NUMBERS "\n"					\
	"add 3, 3, \\nr\n"							\
	".endr\n"								\
	".irp nr, " SAVED_NUMBERS "\n"						\
	"ld \\nr, \\nr * 8 - 56(1)\n"						\
	".endr\n"								\
	"ld 2, 40(1)\n"								\
	"addi 1, 1, 208\n"
#define REGISTER_POINTERS(r)							\
	{ &(r)->gpr[3], &(r)->gpr[0], &(r)->gpr[2], &(r)->gpr[4], &(r)->gpr[5], &(r)->gpr[6],	\
	  &(r)->gpr[7], &(r)->gpr[8], &(r)->gpr[9], &(r)->gpr[10], &(r)->gpr[11],		\
	  &(r)->gpr[12], &(r)->gpr[14], &(r)->gpr[15], &(r)->gpr[16], &(r)->gpr[17],		\
	  &(r)->gpr[18], &(r)->gpr[19], &(r)->gpr[20], &(r)->gpr[21], &(r)->gpr[22],		\
	  &(r)->gpr[23], &(r)->gpr[24], &(r)->gpr[25], &(r)->gpr[26], &(r)->gpr[27],		\
	  &(r)->gpr[28], &(r)->gpr[29], &(r)->gpr[30], &(r)->gpr[31] }

/* a! times b; it is probed at its entry, too. */
#define FACTORIAL(name)								\
	AT(name) "mflr 0\n"							\
	NEXT(name) "std 0, 16(1)\n"						\
	"stdu 1, -48(1)\n"							\
	"std 3, 32(1)\n"							\
	"mr 5, 4\n"								\
	"cmpdi 3, 0\n"								\
	"beq 1f\n"								\
	"addi 3, 3, -1\n"							\
	"bl " #name "_fn\n"							\
	"ld 5, 32(1)\n"								\
	"mulld 5, 5, 3\n"							\
	"1: mr 3, 5\n"								\
	"addi 1, 1, 48\n"							\
	"ld 0, 16(1)\n"								\
	"mtlr 0\n"

/* The caller's address is not where it was at the function's beginning. */
#define FRAME_ADD(name)								\
	"mflr 0\n"								\
	"std 0, 16(1)\n"							\
	"stdu 1, -32(1)\n"							\
	AT(name) "mr 5, 3\n"							\
	NEXT(name) "add 3, 5, 4\n"						\
	"addi 1, 1, 32\n"							\
	"ld 0, 16(1)\n"								\
	"mtlr 0\n"

/* Probed is the call, or what makes room for it. */
#define ASM_CALLED	"addi 1, 1, 32\n ld 0, 16(1)\n mtlr 0\n"
#define CALLS_TO(name, function)							\
	"mflr 0\n std 0, 16(1)\n stdu 1, -32(1)\n"				\
	AT(name) "bl " #function "\n"						\
	NEXT(name) ASM_CALLED
#define MAKES_ROOM_AND_CALLS(name, function)					\
	"mflr 0\n std 0, 16(1)\n"						\
	AT(name) "stdu 1, -32(1)\n"						\
	NEXT(name) "bl " #function "\n"						\
	ASM_CALLED
#define CALLS_ADD_1000(name, function)						\
	"mflr 0\n std 0, 16(1)\n stdu 1, -32(1)\n"				\
	AT(name) "bl " #function "\n"						\
	NEXT(name) "addi 3, 3, 1000\n"						\
	ASM_CALLED

/* An instruction that is jumped over. */
#define NEVER_RUN(name, insn)							\
	"add 3, 3, 4\n"								\
	"cmpdi 3, 0\n"								\
	"bge 2f\n"								\
	AT(name) insn								\
	"2:\n" NEXT(name) "nop\n"
#define ASM_BREAKPOINT	"trap\n"
#define ASM_PREAMBLE	".long 0x12345678\n"

/* Nothing is changed. */
#define NOTHING(name)								\
	AT(name) "nop\n"							\
	NEXT(name) "nop\n"
#define PUSHES(name)								\
	AT(name) "stdu 1, -64(1)\n"						\
	NEXT(name) "addi 1, 1, 64\n"
#define JUMPS(name)								\
	AT(name) "b 1f\n"							\
	"nop\n"									\
	"1:\n" NEXT(name) "nop\n"

#define FIXUP(name)								\
	".pushsection __ex_table, \"a\"\n"					\
	".balign 4\n"								\
	".long .L" #name "_at - .\n"						\
	".long .L" #name "_fix - .\n"						\
	".popsection\n"

/* User memory is out of reach but for as long as AMR says otherwise. */
#define OPEN_USER	"mfspr 9, 29\n li 10, 0\n isync\n mtspr 29, 10\n isync\n"
#define CLOSE_USER	"isync\n mtspr 29, 9\n isync\n"

/* Read what the first argument points to, in user space; -EFAULT if that can't be. */
#define LOAD_USER(name)								\
	OPEN_USER								\
	AT(name) "ld 3, 0(3)\n"							\
	NEXT(name) "b 1f\n"							\
	".L" #name "_fix: li 3, -14\n"						\
	"1:\n" CLOSE_USER							\
	FIXUP(name)

/* There is no fixup that puts a number in a register by itself. */
#define LOAD_USER_REG(name)	LOAD_USER(name)

/* A sum by a load from the stack, which has a fixup all the same. */
#define FIXED_LOAD_ADD(name)							\
	"std 4, -8(1)\n"							\
	AT(name) "ld 5, -8(1)\n"						\
	NEXT(name) "b 1f\n"							\
	".L" #name "_fix: li 5, 0\n"						\
	"1: add 3, 3, 5\n"							\
	FIXUP(name)

/* The same for kernel memory: no fixup. */
#define LOAD(name)								\
	AT(name) "ld 5, 0(3)\n"							\
	NEXT(name) "mr 3, 5\n"

#endif /* TARGET_POWERPC_H */
