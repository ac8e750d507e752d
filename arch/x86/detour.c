// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detours: the code that a jump in place of a trap leads to.
 *
 * A detour is made for one set of handlers and calls them directly, without looking
 * anything up.  Its code:
 *
 * left:
 *	jmp x86_detour_left
 *	data: where in the copies which instruction begins, for who follows stacks
 * look up:
 *	call detour_look_up
 *	it goes on as the registers say? -> x86_detour_resume
 *	jmp restore
 * entry:
 *	push			a return address, as a call has it: see x86_detour
 *	push x 21		struct pt_regs, as in a trap
 *	cli; cld; clac		as in a trap
 *	gate shut or guard held? -> look up
 *	preemption count up
 *	guard = kprobe; call handler; not 0? -> left	for each, but for a jprobe:
 *	guard = kprobe -> x86_detour_jprobe, which enters its function below the registers
 *	post handlers? -> x86_detour_post, or
 *		guard held, as in dispatch_wait(); preemption count down
 *		ip = guarded; interrupts off in the flags -> x86_detour_resume
 * guarded:
 *		copy of the first instruction
 *		push ..., as at the entry
 *		interrupts in the flags as they were; preemption count up
 *		guard = kprobe; call post handler	for each
 *		another ip than what follows? -> left
 *		guard = free; preemption count down
 *		ip = the second of the copies -> x86_detour_resume
 *	or, if the instruction touches no more than general registers
 *		guard held
 *		flags, with interrupts off, and general registers as on the stack
 *		copy of the first instruction
 *		the same on the stack as they are now
 *		guard = kprobe; call post handler	for each
 *		another ip than what follows? -> left
 *		as above
 *	guard = free
 *	preemption count down
 * restore:
 *	pop x 18		the stack pointer, too
 *	copies of the instructions that the jump overwrites
 *	jmp to what follows them
 *
 * While there is a detour, hits of the trap resume in the copies as well, since the
 * bytes behind the trap may be the jump's.
 *
 * A hit with post handlers goes on as in a trap: the first instruction is emulated, or runs with
 * the guard held and interrupts off, and what it comes to behind that, or a handler has chosen, is
 * led around the jump (x86_lead_around()).  Interrupts are off from the first "cli" to the last
 * "iret".  If the instruction is one that runs out of line, there is a guarded copy of it in the
 * detour; otherwise it runs in the slot of the point, as where there is a fault_handler.
 *
 * The gate is data: a word of struct detour, read with interrupts off.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/segment.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../detour.h"
#include "relay.h"

#define X86_JNE8	0x75
#define X86_JE32	0x0f, 0x84
#define X86_JNE32	0x0f, 0x85
#define X86_PUSH32	0x68

#define PT_REGS_IP	128
#define PT_REGS_FLAGS	144
#define PT_REGS_SP	152
#define PT_REGS_SIZE	168
static_assert(offsetof(struct pt_regs, ip) == PT_REGS_IP);
static_assert(offsetof(struct pt_regs, flags) == PT_REGS_FLAGS);
static_assert(offsetof(struct pt_regs, sp) == PT_REGS_SP);
static_assert(sizeof(struct pt_regs) == PT_REGS_SIZE);
static_assert(offsetof(struct hit_state, running) == 0);

/*
 * The size of what emit_set_ip() emits, and offsets in a detour: where the map is, where hits are
 * looked up, the end of the jump there to the code that restores all registers, and where the jump
 * in the text leads to.  What is looked up comes before the entry, so that emit_gate() reaches it
 * by rel8 with any number of handlers.
 */
#define MAP_AT		15
#define SET_IP_SIZE	12
#define LOOK_UP_AT	(MAP_AT + (unsigned int)sizeof(struct copy_map))
#define RESTORE_IS_FROM	(LOOK_UP_AT + 26)
#define ENTRY_AT	(RESTORE_IS_FROM + X86_BRANCH32_SIZE)

/*
 * In what emit_in_place() emits: the flags have been pushed, and popped again; and the size of what
 * emit_general() emits.
 */
#define PUSHED_AT	7
#define POPPED_AT	13
#define GENERAL_SIZE	(15 * 5)

/* Of what emit_frame_pointer() emits. */
#define FRAME_POINTER_SIZE	(IS_ENABLED(CONFIG_FRAME_POINTER) ? 5 : 0)

static void emit(struct assembly *a, const void *bytes, unsigned int nr)
{
	if (a->nr + nr > sizeof(a->bytes)) {
		a->failed = true;
		return;
	}
	memcpy(a->bytes + a->nr, bytes, nr);
	a->nr += nr;
}

#define EMIT(a, ...) do {						\
	static const u8 emitted[] = { __VA_ARGS__ };			\
									\
	emit(a, emitted, sizeof(emitted));				\
} while (0)

static void emit32(struct assembly *a, u32 value)
{
	emit(a, &value, sizeof(value));
}

static void emit_branch(struct assembly *a, u8 opcode, unsigned long target)
{
	u8 bytes[X86_BRANCH32_SIZE];

	if (x86_make_branch(bytes, opcode, a->addr + a->nr, target))
		emit(a, bytes, sizeof(bytes));
	else
		a->failed = true;
}

/* objtool warns about a constant address next to the function. */
static void emit_branch_to(struct assembly *a, u8 opcode, void (*target)(void))
{
	unsigned long addr = (unsigned long)target;

	OPTIMIZER_HIDE_VAR(addr);
	emit_branch(a, opcode, addr);
}

/* movabs $pointer, %rdi */
static void emit_first_argument(struct assembly *a, const void *pointer)
{
	EMIT(a, 0x48, 0xbf);
	emit(a, &pointer, sizeof(pointer));
}

/* mov %rsp, %rsi */
static void emit_regs_argument(struct assembly *a)
{
	EMIT(a, 0x48, 0x89, 0xe6);
}

static u32 guard_offset(void)
{
	return (u32)(unsigned long)&hit_state;
}

#define HIT_STATE(member)	(guard_offset() + (u32)offsetof(struct hit_state, member))

/* It is extended to 64 bits by its sign, as all addresses in text are. */
static void emit_addr32(struct assembly *a, unsigned long addr)
{
	a->failed |= (long)addr != (s32)addr;
	emit32(a, addr);
}

static void emit_push_addr(struct assembly *a, unsigned long addr)
{
	EMIT(a, X86_PUSH32);
	emit_addr32(a, addr);
}

static void emit_clear_flags(struct assembly *a)
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
static void emit_frame_pointer(struct assembly *a)
{
	if (IS_ENABLED(CONFIG_FRAME_POINTER))
		EMIT(a, 0x48, 0x8d, 0x6c, 0x24, 1);	/* lea 1(%rsp), %rbp */
}

/*
 * x86_detour in trampoline.S pushes the same by instructions of the same sizes.  To who follows
 * stacks the first word is a return address: what is described is the byte before it.
 */
static void emit_save(struct assembly *a, unsigned long place, unsigned long ip)
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
static void emit_restore(struct assembly *a)
{
	unsigned int from = a->nr;

	EMIT(a, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b,
	     0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58, 0x58, 0x59, 0x5a, 0x5e, 0x5f);
	EMIT(a, 0x48, 0x83, 0xc4, 24);			/* add $24, %rsp: orig_ax ip cs */
	EMIT(a, 0x9d);					/* popf */
	EMIT(a, 0x5c);					/* pop %rsp */
	a->failed |= a->nr - from != x86_detour_places.end - x86_detour_places.called;
}

/*
 * Reads the gate and the guard, and has the hit looked up if one of them is set.  The
 * upper half of rax is zero after the first move.
 */
static void emit_gate(struct assembly *a, const struct detour *detour)
{
	const u32 *gate = &detour->shut;
	u8 jump[] = { X86_JNE8, 0 };

	EMIT(a, 0xa1);					/* movabs the gate, %eax */
	emit(a, &gate, sizeof(gate));
	EMIT(a, 0x65, 0x48, 0x0b, 0x04, 0x25);		/* or %gs:guard, %rax */
	emit32(a, guard_offset());
	jump[1] = LOOK_UP_AT - (a->nr + sizeof(jump));
	a->failed |= a->nr + sizeof(jump) - LOOK_UP_AT > 128;
	emit(a, jump, sizeof(jump));
}

/* jne left */
static void emit_jne_left(struct assembly *a)
{
	EMIT(a, X86_JNE32);
	emit32(a, -(a->nr + sizeof(u32)));
}

/* The first two arguments of a handler, and whose it is. */
static void emit_begin_handler(struct assembly *a, const struct kprobe *p)
{
	emit_first_argument(a, p);
	EMIT(a, 0x65, 0x48, 0x89, 0x3c, 0x25);		/* mov %rdi, %gs:guard */
	emit32(a, guard_offset());
	emit_regs_argument(a);
}

/* A client may clear a handler: each is read once, since an address of 0 is in reach of a call. */
static void emit_handler(struct assembly *a, const struct probe_point *pt, const struct kprobe *p)
{
	kprobe_pre_handler_t pre_handler = READ_ONCE(p->pre_handler);

	if (!pre_handler || kprobe_disabled(p))
		return;
	emit_begin_handler(a, p);
	if (registered_kind(p)->enters && !detour_has_post(pt)) {
		EMIT(a, 0x48, 0xba);			/* movabs the point, %rdx */
		emit(a, &pt, sizeof(pt));
		emit_branch_to(a, X86_JMP32, x86_detour_jprobe);
		return;
	}
	emit_branch(a, X86_CALL32, (unsigned long)pre_handler);
	if (registered_kind(p)->goes_on)
		return;
	EMIT(a, 0x85, 0xc0);				/* test %eax, %eax */
	emit_jne_left(a);
}

/* movq $0, %gs:guard */
static void emit_guard_free(struct assembly *a)
{
	EMIT(a, 0x65, 0x48, 0xc7, 0x04, 0x25);
	emit32(a, guard_offset());
	emit32(a, 0);
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
static void emit_raise_preempt_count(struct assembly *a)
{
	EMIT(a, 0x65, 0xff, 0x04, 0x25);
	emit32(a, preempt_count_offset());
}

/* lower_preempt_count(): decl %gs:the count */
static void emit_lower_preempt_count(struct assembly *a)
{
	EMIT(a, 0x65, 0xff, 0x0c, 0x25);
	emit32(a, preempt_count_offset());
}

/* Leaves the detour for good, with the registers on the stack. */
static void emit_go_on_at(struct assembly *a, const struct probe_point *pt, unsigned long function)
{
	OPTIMIZER_HIDE_VAR(function);
	emit_first_argument(a, pt);
	emit_branch(a, X86_JMP32, function);
}

/* Comes first, so that emit_jne_left() knows where it is. */
static void emit_left(struct assembly *a, const struct probe_point *pt)
{
	emit_go_on_at(a, pt, (unsigned long)x86_detour_left);
	a->failed |= a->nr != MAP_AT;
	a->nr += sizeof(struct copy_map);
}

/* ---- post handlers in the detour ---- */

/*
 * Faults in the handlers of these are told to them.  Such handlers are begun as dispatch_faulted()
 * wants it, and a fault of a guarded copy is told if that is in a slot: their hits are looked up.
 */
static bool has_fault_handler(const struct probe_point *pt)
{
	const struct kprobe *p;

	for_each_kprobe_at(p, pt)
		if (p->fault_handler)
			return true;
	return false;
}

/* Is there a copy in the detour that runs before the post handlers? */
static bool has_guarded_copy(const struct detour_site *site)
{
	const struct kprobe *p;
	unsigned int nr = 0;

	if (site->region.insns[0].class != INSN_SLOT)
		return false;
	for_each_kprobe_at(p, site->pt)
		nr += p->post_handler && !kprobe_disabled(p);
	return nr && nr <= DETOUR_MAX_HANDLERS;
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
static void emit_set(struct assembly *a, u32 word, u32 value)
{
	EMIT(a, 0x65, 0x48, 0xc7, 0x04, 0x25);
	emit32(a, word);
	emit32(a, value);
}

/* movq $addr, the ip on the stack */
static void emit_set_ip(struct assembly *a, unsigned long addr)
{
	EMIT(a, 0x48, 0xc7, 0x84, 0x24, PT_REGS_IP, 0, 0, 0);
	emit_addr32(a, addr);
}

static void emit_resume(struct assembly *a)
{
	emit_branch_to(a, X86_JMP32, x86_detour_resume);
}

/* wait_for_current() */
static void emit_wait_for_current(struct assembly *a)
{
	EMIT(a, 0x65, 0x48, 0x8b, 0x04, 0x25);		/* mov %gs:current_task, %rax */
	emit32(a, current_task_offset());
	EMIT(a, 0x48, 0x8b, 0x90);			/* mov start_boottime(%rax), %rdx */
	emit32(a, offsetof(struct task_struct, start_boottime));
	EMIT(a, 0x65, 0x48, 0x89, 0x14, 0x25);		/* mov %rdx, %gs:waiting_since */
	emit32(a, HIT_STATE(waiting_since));
	EMIT(a, 0x8b, 0x90);				/* mov pid(%rax), %edx */
	emit32(a, offsetof(struct task_struct, pid));
	EMIT(a, 0x65, 0x89, 0x14, 0x25);		/* mov %edx, %gs:waiting_pid */
	emit32(a, HIT_STATE(waiting_pid));
	EMIT(a, 0x65, 0x48, 0x89, 0x04, 0x25);		/* mov %rax, %gs:waiting */
	emit32(a, HIT_STATE(waiting));
}

/* dispatch_wait() and arch_mask_irqs(), and the way to the copy that follows. */
static void emit_wait(struct assembly *a)
{
	emit_set(a, HIT_STATE(running), (unsigned long)GUARD_HELD);
	EMIT(a, 0x8b, 0x84, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* mov flags, %eax */
	EMIT(a, 0x25);						/* and $X86_EFLAGS_IF, %eax */
	emit32(a, X86_EFLAGS_IF);
	EMIT(a, 0x65, 0x48, 0x89, 0x04, 0x25);			/* mov %rax, %gs:irqs */
	emit32(a, HIT_STATE(irqs));
	EMIT(a, 0x80, 0xa4, 0x24, PT_REGS_FLAGS + 1, 0, 0, 0,	/* andb $~IF, flags + 1 */
	     0xff & ~(X86_EFLAGS_IF >> 8));
	emit_wait_for_current(a);
	emit_lower_preempt_count(a);
	emit_set_ip(a, a->addr + a->nr + SET_IP_SIZE + X86_BRANCH32_SIZE);
	emit_resume(a);
}

static void emit_copy(struct assembly *a, const struct detour_site *site)
{
	const struct insn *insn = &site->region.insns[0];
	u8 copy[INSN_MAX_LENGTH];

	if (insn_relocate(insn, copy, site->bytes, site->pt->addr, a->addr + a->nr) == INSN_OK)
		emit(a, copy, insn->length);
	else
		a->failed = true;
}

static void emit_post_handler(struct assembly *a, const struct kprobe *p)
{
	kprobe_post_handler_t post_handler = READ_ONCE(p->post_handler);

	if (!post_handler || kprobe_disabled(p))
		return;
	emit_begin_handler(a, p);
	EMIT(a, 0x31, 0xd2);				/* xor %edx, %edx */
	emit_branch(a, X86_CALL32, (unsigned long)post_handler);
}

/* Ends where the address of the second of the copies is to be filled in, in the last word. */
static void emit_post_handlers(struct assembly *a, const struct detour_site *site)
{
	unsigned long behind = site->pt->addr + site->region.insns[0].length;
	const struct kprobe *p;

	for_each_kprobe_at(p, site->pt)
		emit_post_handler(a, p);
	EMIT(a, 0x48, 0x81, 0xbc, 0x24, PT_REGS_IP, 0, 0, 0);		/* cmpq $behind, ip */
	emit_addr32(a, behind);
	emit_jne_left(a);
	emit_guard_free(a);
	emit_lower_preempt_count(a);
	emit_set_ip(a, behind);
}

static void emit_guarded(struct assembly *a, struct detour *detour,
			 const struct detour_site *site)
{
	unsigned long behind = site->pt->addr + site->region.insns[0].length;

	emit_wait(a);
	detour->map.guarded = a->nr;
	emit_copy(a, site);
	emit_save(a, behind, behind);
	EMIT(a, 0x65, 0x48, 0x8b, 0x04, 0x25);		/* mov %gs:irqs, %rax */
	emit32(a, HIT_STATE(irqs));
	EMIT(a, 0x48, 0x09, 0x84, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* or %rax, flags */
	emit_set(a, HIT_STATE(waiting), 0);
	emit_raise_preempt_count(a);
}

#define X86_STORE	0x89
#define X86_LOAD	0x8b

/* Of all general registers but rsp, from or to the stack. */
static void emit_general(struct assembly *a, u8 opcode)
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

/*
 * The instruction finds the flags and registers of the probed code, and interrupts off.  It neither
 * faults nor knows where the stack is, so nobody need be told who runs it, and preemption may stay
 * off.  place_in_place() knows these instructions.
 */
static void emit_in_place(struct assembly *a, struct detour *detour,
			  const struct detour_site *site)
{
	emit_set(a, HIT_STATE(running), (unsigned long)GUARD_HELD);
	detour->map.in_place = a->nr;
	EMIT(a, 0xff, 0xb4, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* push flags */
	EMIT(a, 0x80, 0x64, 0x24, 1, 0xff & ~(X86_EFLAGS_IF >> 8));	/* andb $~IF, 1(%rsp) */
	EMIT(a, 0x9d);						/* popf */
	a->failed |= a->nr - detour->map.in_place != POPPED_AT;
	emit_general(a, X86_LOAD);
	emit_copy(a, site);
	emit_general(a, X86_STORE);
	emit_frame_pointer(a);
	EMIT(a, 0x9c, 0x58);					/* pushf; pop %rax */
	emit_clear_flags(a);
	EMIT(a, 0x48, 0x81, 0xa4, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* andq $IF, flags */
	emit32(a, X86_EFLAGS_IF);
	EMIT(a, 0x48, 0x09, 0x84, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* or %rax, flags */
	emit_set_ip(a, site->pt->addr + site->region.insns[0].length);
}

/* Returns the offset of a word for end_guarded(). */
static unsigned int emit_with_post(struct assembly *a, struct detour *detour,
				   const struct detour_site *site)
{
	unsigned int word;

	if (insn_is_local(&site->region.insns[0]))
		emit_in_place(a, detour, site);
	else
		emit_guarded(a, detour, site);
	emit_post_handlers(a, site);
	word = a->nr - sizeof(u32);
	emit_resume(a);
	return word;
}

/* Fills in where the second of the copies is, or the jump behind the only one. */
static void end_guarded(struct assembly *a, const struct detour *detour, unsigned int word)
{
	u32 rest = detour->copies + detour->map.starts[0].copy;

	if (word && !a->failed)
		memcpy(a->bytes + word, &rest, sizeof(rest));
}

/* ---- all handlers ---- */

/* Returns the offset of a word for end_guarded(), or 0. */
static unsigned int emit_handlers(struct assembly *a, struct detour *detour,
				  const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	const struct kprobe *p;

	emit_raise_preempt_count(a);
	for_each_kprobe_at(p, pt)
		emit_handler(a, pt, p);
	if (detour_has_post(pt) && has_guarded_copy(site))
		return emit_with_post(a, detour, site);
	if (detour_has_post(pt)) {
		/* Not ip as in a trap: behind one byte who follows stacks finds another place. */
		emit_set_ip(a, pt->addr);
		emit_go_on_at(a, pt, (unsigned long)x86_detour_post);
		return 0;
	}
	emit_guard_free(a);
	emit_lower_preempt_count(a);
	return 0;
}

static void emit_look_up(struct assembly *a, const struct detour *detour)
{
	unsigned long function = (unsigned long)detour_look_up;
	unsigned long resume = (unsigned long)x86_detour_resume;

	/* objtool warns about a constant address next to the function. */
	OPTIMIZER_HIDE_VAR(function);
	OPTIMIZER_HIDE_VAR(resume);
	emit_first_argument(a, detour);
	emit_regs_argument(a);
	emit_branch(a, X86_CALL32, function);
	EMIT(a, 0x84, 0xc0);				/* test %al, %al */
	EMIT(a, X86_JE32, 0, 0, 0, 0);
	a->failed |= a->nr != RESTORE_IS_FROM;
	emit_branch(a, X86_JMP32, resume);
	a->failed |= a->nr != ENTRY_AT;
}

/* Fills in the jump to the restore code, whose offset is known now. */
static void end_look_up(struct assembly *a, unsigned int restore)
{
	s32 distance = restore - RESTORE_IS_FROM;

	memcpy(a->bytes + RESTORE_IS_FROM - sizeof(distance), &distance, sizeof(distance));
}

static void emit_copies(struct assembly *a, const struct reach_region *region, const u8 *bytes,
			unsigned long from)
{
	unsigned int nr;

	if (a->nr + REACH_MAX_COPY > sizeof(a->bytes)) {
		a->failed = true;
		return;
	}
	nr = reach_copy(region, a->bytes + a->nr, bytes, from, a->addr + a->nr);
	a->failed |= !nr;
	a->nr += nr;
}

/* How many bytes the copies of the first instructions have: reach_copy() puts no jump behind. */
static unsigned int copies_of(const struct reach_region *region, unsigned int nr, const u8 *bytes,
			      unsigned long from, unsigned long to)
{
	struct reach_region first = *region;
	u8 copy[REACH_MAX_COPY];

	first.nr = nr;
	first.flows_on = false;
	return reach_copy(&first, copy, bytes, from, to);
}

static void fill_in_map(struct assembly *a, struct detour *detour,
			const struct detour_site *site)
{
	struct copy_map *map = &detour->map;
	unsigned int i, original = 0;

	memset(map->starts, 0xff, sizeof(map->starts));
	for (i = 0; i < site->region.nr; i++) {
		original += site->region.insns[i].length;
		map->starts[i].original = original;
		map->starts[i].copy = copies_of(&site->region, i + 1, site->bytes, site->pt->addr,
					       detour->copies);
	}
	memcpy(a->bytes + MAP_AT, map, sizeof(*map));
}

static void assemble(struct assembly *a, struct detour *detour, const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	unsigned int nr = detour_count_handlers(pt), word = 0;

	detour->map.guarded = 0;
	detour->map.in_place = 0;
	detour->shut = detour_gate_is_shut(nr) || has_fault_handler(pt);
	a->nr = 0;
	a->failed = false;
	emit_left(a, pt);
	emit_look_up(a, detour);
	emit_save(a, pt->addr, pt->addr + 1);
	emit_gate(a, detour);
	if ((nr || detour_has_post(pt)) && !detour->shut)
		word = emit_handlers(a, detour, site);
	end_look_up(a, a->nr);
	emit_restore(a);
	detour->copies = a->addr + a->nr;
	emit_copies(a, &site->region, site->bytes, pt->addr);
	fill_in_map(a, detour, site);
	end_guarded(a, detour, word);
}

/* ---- leaving one ---- */

/**
 * x86_lead_around() - lead execution around the bytes of a jump
 * @detour: of the jump, or of the trap that becomes one
 * @regs: whose ip an instruction or a handler has set
 *
 * In the text there is nothing but the jump, from its second byte on.  To its first byte a handler
 * may go: the instruction is run again then, and the probe hit.
 *
 * Context: that of a hit, interrupts off.
 */
void x86_lead_around(const struct detour *detour, struct pt_regs *regs)
{
	unsigned long at = regs->ip - detour->addr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(detour->map.starts) && at < detour->region; i++)
		if (detour->map.starts[i].original == at)
			regs->ip = detour->copies + detour->map.starts[i].copy;
}

/**
 * x86_lead_around_all() - the same for the jumps of all points
 * @regs: whose ip a handler has set
 *
 * Who makes a jump knows the branches of the text, and not where handlers lead.  As interrupts are
 * off, a point that is found stays until this hit ends (table_wait()).  Its detour is waited for as
 * by any task that is in one.  If it has none yet, the task is behind the text's next bytes before
 * those become a jump's, as any task that was within them.
 *
 * Context: as x86_lead_around().
 */
void x86_lead_around_all(struct pt_regs *regs)
{
	const unsigned long ip = regs->ip;
	const struct detour *detour;
	struct probe_point *pt;
	unsigned int i;

	for (i = 1; i < ARCH_JUMP_SIZE && regs->ip == ip; i++) {
		pt = table_find(ip - i);
		detour = pt ? READ_ONCE(pt->arch.detour) : NULL;
		if (detour)
			x86_lead_around(detour, regs);
	}
}

/* ---- describing one ---- */

/* A copied call pushes its return address, and then it is as at the entry of what is called. */
static bool is_behind_push(const u8 *copy, unsigned int at)
{
	return copy[0] == X86_PUSH32 && at >= X86_BRANCH32_SIZE;
}

static unsigned long place_in_copies(const u8 *copies, const struct copy_map *map,
				     unsigned long addr, unsigned int at)
{
	struct copy_start start = { 0, 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(map->starts) && map->starts[i].copy <= at; i++)
		start = map->starts[i];
	return is_behind_push(copies + start.copy, at - start.copy) ? x86_detour_places.entered :
								      addr + start.original;
}

/**
 * x86_detour_probed() - the probed instruction that a detour is for
 * @detour: its code
 *
 * Context: any, NMI too.
 * Return: its address, from the operand of the push at the entry.
 */
unsigned long x86_detour_probed(unsigned long detour)
{
	s32 ip;

	memcpy(&ip, (const u8 *)detour + ENTRY_AT + 1, sizeof(ip));
	return (long)ip - 1;
}

/*
 * In code that emit_save() has made: @at bytes behind its beginning, at which all is as at @place
 * in the probed code.
 */
static unsigned long place_in_save(unsigned long place, unsigned int at)
{
	unsigned int pushed = x86_detour_places.saved - x86_detour_places.entered;

	if (!at)
		return place;
	at -= X86_BRANCH32_SIZE;
	return at < pushed ? x86_detour_places.entered + at : x86_detour_places.saved;
}

static unsigned long place_in_guarded(unsigned long addr, const struct copy_map *map,
				      unsigned int at)
{
	unsigned int length = map->starts[0].original;

	return at < length ? addr : place_in_save(addr + length, at - length);
}

/*
 * The registers stay on the stack.  Below them are the flags, before the instruction and behind it.
 * In between the frame pointer is that of the probed code: to who follows those, "called" is not
 * "saved".
 */
static unsigned long place_in_place(const struct copy_map *map, unsigned int at)
{
	unsigned int behind = POPPED_AT + 2 * GENERAL_SIZE + map->starts[0].original +
			      FRAME_POINTER_SIZE;

	if ((at >= PUSHED_AT && at < POPPED_AT) || at == behind + 1)
		return x86_detour_places.pushed;
	return at < behind ? x86_detour_places.called : x86_detour_places.saved;
}

/* Where all registers are restored; 0: this is no detour. */
static unsigned int restore_in(const u8 *code)
{
	s32 restore;

	memcpy(&restore, code + RESTORE_IS_FROM - sizeof(restore), sizeof(restore));
	restore += RESTORE_IS_FROM;
	return code[ENTRY_AT] == X86_PUSH32 && restore > (s32)ENTRY_AT && restore < DETOUR_MAX ?
	       restore : 0;
}

/* From there to the copies. */
static unsigned int restore_size(void)
{
	return x86_detour_places.end - x86_detour_places.called;
}

/**
 * x86_copied_in_detour() - whose copy, in a detour, is at an address
 * @addr: of an instruction that has faulted
 *
 * A task may still be in a detour that its point has given up, so nobody but the code is asked.  A
 * nop has no copy.  That of a call is two instructions: see arch_detour_tells_faults().
 *
 * Context: any.
 * Return: the address of the probed instruction; 0 if @addr is not that of its copy.
 */
unsigned long x86_copied_in_detour(unsigned long addr)
{
	bool is_run = false;
	unsigned long detour = host_slot_around(addr, &is_run);
	const struct copy_map *map = (const struct copy_map *)(detour + MAP_AT);
	unsigned int restore;

	if (!detour || !is_run)
		return 0;
	restore = restore_in((const u8 *)detour);
	if (!restore || addr != detour + restore + restore_size() || !map->starts[0].copy)
		return 0;
	return x86_detour_probed(detour);
}

/**
 * x86_detour_place() - where stack and registers are as at an address in a detour
 * @detour: its code
 * @at: an address in it
 *
 * Nothing but code is read: the struct detour may be freed meanwhile.  If the code is, too, and
 * there is other code, the answer is wrong.
 *
 * Context: any, NMI too.
 * Return: an address in the probed code or in x86_detour; 0 if there is none.
 */
unsigned long x86_detour_place(unsigned long detour, unsigned long at)
{
	const u8 *code = (const u8 *)detour;
	const struct copy_map *map = (const struct copy_map *)(code + MAP_AT);
	unsigned long probed = x86_detour_probed(detour);
	unsigned int restore = restore_in(code), offset = at - detour;

	if (!restore)
		return 0;
	if (offset < ENTRY_AT)
		return x86_detour_places.saved;
	if (map->in_place && offset >= map->in_place && offset < restore)
		return place_in_place(map, offset - map->in_place);
	if (map->guarded && offset >= map->guarded && offset < restore)
		return place_in_guarded(probed, map, offset - map->guarded);
	if (offset < restore)
		return place_in_save(probed, offset - ENTRY_AT);
	offset -= restore;
	if (offset < restore_size())
		return x86_detour_places.called + offset;
	offset -= restore_size();
	return place_in_copies(code + restore + restore_size(), map, probed, offset);
}

/* ---- making one ---- */

/* As many edits at a time as hold a detour without post handlers. */
int assembly_write(const struct assembly *a)
{
	struct text_edit edits[16];
	unsigned int i, done, nr = 0;
	int err = 0;

	might_sleep();
	for (done = 0; done < a->nr && !err; done += i) {
		i = min_t(unsigned long, a->nr - done, sizeof(edits[0].bytes));
		edits[nr].addr = a->addr + done;
		edits[nr].len = i;
		memcpy(edits[nr++].bytes, a->bytes + done, i);
		if (nr < ARRAY_SIZE(edits) && done + i < a->nr)
			continue;
		err = host_text_write(edits, nr);
		nr = 0;
	}
	return err;
}

/* The size does not depend on the address. */
unsigned int arch_detour_size(struct assembly *a, struct detour *detour,
			      const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	a->addr = (unsigned long)arch_slots;
	assemble(a, detour, site);
	return a->failed ? 0 : a->nr;
}

const char *arch_detour_assemble(struct assembly *a, struct detour *detour,
				 const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	a->addr = detour->code;
	assemble(a, detour, site);
	detour->region = site->region.length;
	detour->jump = point_jump_size(site->pt);
	memcpy(detour->covered, site->bytes, sizeof(detour->covered));
	return a->failed ? detour_no_memory : NULL;
}

const char *arch_detour_lead(struct detour *detour, const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;

	if (detour->jump != ARCH_SHORT_JUMP_SIZE)
		return NULL;
	return relay_make(&detour->relay, pt->addr, pt->module, detour->code + ENTRY_AT);
}

void arch_detour_unlead(struct detour *detour)
{
	if (detour->relay)
		relay_retire(detour->relay);
}

/*
 * While there is a detour, hits resume in its copies, so that no task jumps from a
 * slot into the bytes that the jump overwrites.
 */
void arch_jump_publish(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	x86_resume_at(pt, pt->arch.detour ? pt->arch.detour->copies : 0);
}

/* ---- facts about the text ---- */

static bool is_target(void *unused, u64 addr)
{
	return x86_targets_has(addr);
}

static const struct reach_facts facts = {
	.is_target = is_target,
	.is_owned = detour_is_owned,
	.has_fixup = detour_has_fixup,
};

static bool never(void *unused, u64 addr)
{
	return false;
}

static bool never_within(void *unused, u64 start, u64 end)
{
	return false;
}

/* For a place that was judged before: only its instructions are needed. */
static const struct reach_facts known_facts = {
	.is_target = never,
	.is_owned = never_within,
	.has_fixup = never,
};

/* How much text, from a probe point on, belongs to its function and is known. */
struct extent {
	size_t size;
	size_t known;
};

static struct extent read_region(unsigned long addr, u8 bytes[REACH_MAX_LENGTH])
{
	struct extent text = { };
	unsigned long start, size;

	if (host_symbol_bounds(addr, &start, &size))
		text.size = min_t(unsigned long, start + size - addr, REACH_MAX_LENGTH);
	memset(bytes, X86_INT3, REACH_MAX_LENGTH);
	text.known = text_original(addr, bytes, text.size);
	return text;
}

/* Might the region be complete if all of the text were known? */
static bool is_cut_short(const struct reach_region *region, struct extent text)
{
	return text.known < text.size &&
	       (region->reason == REACH_END || region->reason == REACH_UNDECODABLE);
}

static bool __maybe_unused has_any(const struct reach_region *region, unsigned long classes)
{
	unsigned int i;

	for (i = 0; i < region->nr; i++)
		if (BIT(region->insns[i].class) & classes)
			return true;
	return false;
}

static const char *mitigation_obstacle(const struct reach_region *region)
{
	/*
	 * On processors with the flaw ITS the kernel leaves indirect branches only in the upper
	 * half of a cache line, and returns nowhere.  A detour's copy may be anywhere.
	 */
#ifdef X86_FEATURE_INDIRECT_THUNK_ITS
	if (boot_cpu_has(X86_FEATURE_INDIRECT_THUNK_ITS) &&
	    has_any(region, BIT(INSN_JMP_IND) | BIT(INSN_CALL_IND) | BIT(INSN_RET)))
		return "the copy of an indirect branch would escape the kernel's mitigation of ITS";
#endif
	/*
	 * With retbleed=stuff each called function counts how many of the processor's predicted
	 * returns are in use.  The copy of a call is none.
	 */
#ifdef X86_FEATURE_CALL_DEPTH
	if (boot_cpu_has(X86_FEATURE_CALL_DEPTH) &&
	    has_any(region, BIT(INSN_CALL) | BIT(INSN_CALL_IND)))
		return "the copy of a call would escape the kernel's count of calls";
#endif
	return NULL;
}

/* What no longer depends on the rules of reach.c. */
static const char *others_obstacle(unsigned long addr, const struct reach_region *region,
				   size_t size)
{
	size = max_t(size_t, region->length, size);
	return host_foreign_within(addr, addr + size) ? text_foreign : mitigation_obstacle(region);
}

/* Where a long jump is not possible, and @why. */
static const char *short_verdict(unsigned long addr, struct module *mod, const u8 *bytes,
				 size_t known, const char *why)
{
	struct reach_region region;
	const char *room;

	if (reach_short_region(&region, bytes, known, addr, &facts) != REACH_OK)
		return why;
	room = relay_room(addr, mod, true);
	if (room)
		return room == arch_jump_unknown ? room : why;
	return others_obstacle(addr, &region, REACH_SHORT_SIZE);
}

const char *arch_jump_verdict(unsigned long addr, struct module *mod, bool *is_short)
{
	const char *why = x86_targets_know(addr, mod);
	struct reach_region region;
	u8 bytes[REACH_MAX_LENGTH];
	struct extent text;

	*is_short = false;
	if (why)
		return why;
	text = read_region(addr, bytes);
	reach_region(&region, bytes, text.known, addr, &facts);
	if (region.reason == REACH_OK)
		return others_obstacle(addr, &region, REACH_JUMP_SIZE);
	if (is_cut_short(&region, text))
		return text_foreign;
	*is_short = true;
	return short_verdict(addr, mod, bytes, text.known, reach_reason_text(region.reason));
}

const char *arch_detour_obstacle(void)
{
	return NULL;
}

const char *arch_detour_judge(struct detour_site *site, unsigned long addr)
{
	size_t known;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	known = read_region(addr, site->bytes).known;
	if (site->pt->verdict == JUMP_SHORT)
		reach_short_region(&site->region, site->bytes, known, addr, &known_facts);
	else
		reach_region(&site->region, site->bytes, known, addr, &known_facts);
	return reach_reason_text(site->region.reason);
}

bool arch_jump_fits(const struct probe_point *pt)
{
	const struct detour *detour = pt->arch.detour;

	return detour && host_text_is(pt->addr + 1, detour->covered + 1, detour->jump - 1) &&
	       (!detour->relay || relay_is_intact(detour->relay));
}

void arch_jump_forget_module(struct module *mod)
{
	relays_forget(mod);
	x86_targets_forget(mod);
}

void arch_jump_exit(void)
{
	relays_exit();
	x86_targets_exit();
}

/* ---- the text ---- */

static void assemble_jump(const struct probe_point *pt, u8 *bytes)
{
	const struct detour *detour = pt->arch.detour;

	if (detour->relay) {
		bytes[0] = X86_JMP8;
		bytes[1] = relay_address(detour->relay) - (pt->addr + REACH_SHORT_SIZE);
		return;
	}
	x86_make_branch(bytes, X86_JMP32, pt->addr, detour->code + ENTRY_AT);
}

const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr)
{
	*nr = point_has_tail(pt) ? pt->arch.detour->jump : point_is_armed(pt);
	return point_has_tail(pt) ? pt->arch.detour->covered : pt->arch.bytes;
}

void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit)
{
	edit->addr = pt->addr;
	edit->len = 1;
	edit->bytes[0] = X86_INT3;
}

void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	u8 bytes[REACH_JUMP_SIZE];

	if (jump)
		assemble_jump(pt, bytes);
	edit->addr = pt->addr;
	edit->len = 1;
	edit->bytes[0] = jump ? bytes[0] : pt->arch.bytes[0];
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	u8 bytes[REACH_JUMP_SIZE];

	memcpy(bytes, pt->arch.detour->covered, sizeof(bytes));
	if (jump)
		assemble_jump(pt, bytes);
	edit->addr = pt->addr + 1;
	edit->len = pt->arch.detour->jump - 1;
	memcpy(edit->bytes, bytes + 1, edit->len);
}

bool arch_point_intact(const struct probe_point *pt)
{
	const u8 *text = (const u8 *)pt->addr;
	u8 jump[REACH_JUMP_SIZE];

	/* Our trap must be removed even if the bytes behind it have changed. */
	if (!point_is_armed(pt))
		return host_text_is(pt->addr, pt->arch.bytes, pt->arch.insn.length);
	if (!point_has_tail(pt))
		return text[0] == X86_INT3;
	assemble_jump(pt, jump);
	return text[0] == (point_is_jump(pt) ? jump[0] : X86_INT3) &&
	       host_text_is(pt->addr + 1, jump + 1, pt->arch.detour->jump - 1);
}
