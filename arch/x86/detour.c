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

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../detour.h"
#include "relay.h"

/*
 * Reads the gate and the guard, and has the hit looked up if one of them is set.  The
 * upper half of rax is zero after the first move.
 */
static void emit_gate(struct assembly *a, const struct detour *detour)
{
	const u32 *gate = &detour->shut;
	u8 jump[] = { X86_JNE8, 0 };

	EMIT_WITH(a, gate, 0xa1);			/* movabs the gate, %eax */
	/* or %gs:guard, %rax */
	EMIT_WITH(a, guard_offset(), 0x65, 0x48, 0x0b, 0x04, 0x25);
	jump[1] = DETOUR_LOOK_UP_AT - (a->nr + sizeof(jump));
	a->failed |= a->nr + sizeof(jump) - DETOUR_LOOK_UP_AT > 128;
	emit(a, jump, sizeof(jump));
}

/* jne left */
static void emit_jne_left(struct assembly *a)
{
	EMIT_WITH(a, -(a->nr + X86_JCC32_SIZE), X86_JNE32);
}

/* The first two arguments of a handler, and whose it is. */
static void emit_begin_handler(struct assembly *a, const struct kprobe *p)
{
	emit_first_argument(a, p);
	/* mov %rdi, %gs:guard */
	EMIT_WITH(a, guard_offset(), 0x65, 0x48, 0x89, 0x3c, 0x25);
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
		EMIT_WITH(a, pt, 0x48, 0xba);		/* movabs the point, %rdx */
		emit_branch_to(a, X86_JMP32, x86_detour_jprobe);
		return;
	}
	emit_branch(a, X86_CALL32, (unsigned long)pre_handler);
	if (registered_kind(p)->goes_on)
		return;
	EMIT(a, 0x85, 0xc0);				/* test %eax, %eax */
	emit_jne_left(a);
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
	a->failed |= a->nr != DETOUR_MAP_AT;
	a->nr += sizeof(struct copy_map);
}

/* ---- post handlers in the detour ---- */

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

static void emit_resume(struct assembly *a)
{
	emit_branch_to(a, X86_JMP32, x86_detour_resume);
}

/* dispatch_wait() and arch_mask_irqs(), and the way to the copy that follows. */
static void emit_wait(struct assembly *a)
{
	emit_set(a, HIT_STATE(running), (unsigned long)GUARD_HELD);
	EMIT(a, 0x8b, 0x84, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* mov flags, %eax */
	/* and $X86_EFLAGS_IF, %eax */
	EMIT_WITH(a, (u32)X86_EFLAGS_IF, 0x25);
	/* mov %rax, %gs:irqs */
	EMIT_WITH(a, HIT_STATE(irqs), 0x65, 0x48, 0x89, 0x04, 0x25);
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

static void emit_guarded(struct assembly *a, struct copy_map *map,
			 const struct detour_site *site)
{
	unsigned long behind = site->pt->addr + site->region.insns[0].length;

	emit_wait(a);
	map->guarded = a->nr;
	emit_copy(a, site);
	emit_save(a, behind, behind);
	/* mov %gs:irqs, %rax */
	EMIT_WITH(a, HIT_STATE(irqs), 0x65, 0x48, 0x8b, 0x04, 0x25);
	EMIT(a, 0x48, 0x09, 0x84, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* or %rax, flags */
	emit_set(a, HIT_STATE(waiting), 0);
	emit_raise_preempt_count(a);
}

/*
 * The instruction finds the flags and registers of the probed code, and interrupts off.  It neither
 * faults nor knows where the stack is, so nobody need be told who runs it, and preemption may stay
 * off.  place_in_place() knows these instructions.
 */
static void emit_in_place(struct assembly *a, struct copy_map *map,
			  const struct detour_site *site)
{
	emit_set(a, HIT_STATE(running), (unsigned long)GUARD_HELD);
	map->in_place = a->nr;
	EMIT(a, 0xff, 0xb4, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* push flags */
	EMIT(a, 0x80, 0x64, 0x24, 1, 0xff & ~(X86_EFLAGS_IF >> 8));	/* andb $~IF, 1(%rsp) */
	EMIT(a, 0x9d);						/* popf */
	a->failed |= a->nr - map->in_place != DETOUR_POPPED_AT;
	emit_general(a, X86_LOAD);
	emit_copy(a, site);
	emit_general(a, X86_STORE);
	emit_frame_pointer(a);
	EMIT(a, 0x9c, 0x58);					/* pushf; pop %rax */
	emit_clear_flags(a);
	/* andq $IF, flags */
	EMIT_WITH(a, (u32)X86_EFLAGS_IF, 0x48, 0x81, 0xa4, 0x24, PT_REGS_FLAGS, 0, 0, 0);
	EMIT(a, 0x48, 0x09, 0x84, 0x24, PT_REGS_FLAGS, 0, 0, 0);	/* or %rax, flags */
	emit_set_ip(a, site->pt->addr + site->region.insns[0].length);
}

/* Returns the offset of a word for end_guarded(). */
static unsigned int emit_with_post(struct assembly *a, struct copy_map *map,
				   const struct detour_site *site)
{
	unsigned int word;

	if (insn_is_local(&site->region.insns[0]))
		emit_in_place(a, map, site);
	else
		emit_guarded(a, map, site);
	emit_post_handlers(a, site);
	word = a->nr - sizeof(u32);
	emit_resume(a);
	return word;
}

/* Fills in where the second of the copies is, or the jump behind the only one. */
static void end_guarded(struct assembly *a, unsigned long copies, const u8 *ends,
			unsigned int word)
{
	u32 rest = copies + ends[0];

	if (word && !a->failed)
		memcpy(a->bytes + word, &rest, sizeof(rest));
}

/* ---- all handlers ---- */

/* Returns the offset of a word for end_guarded(), or 0. */
static unsigned int emit_handlers(struct assembly *a, struct copy_map *map,
				  const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	const struct kprobe *p;

	emit_raise_preempt_count(a);
	for_each_kprobe_at(p, pt)
		emit_handler(a, pt, p);
	if (detour_has_post(pt) && has_guarded_copy(site))
		return emit_with_post(a, map, site);
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
	a->failed |= a->nr != DETOUR_RESTORE_FROM;
	emit_branch(a, X86_JMP32, resume);
	a->failed |= a->nr != DETOUR_ENTRY_AT;
}

/* Fills in the jump to the restore code, whose offset is known now. */
static void end_look_up(struct assembly *a, unsigned int restore)
{
	s32 distance = restore - DETOUR_RESTORE_FROM;

	memcpy(a->bytes + DETOUR_RESTORE_FROM - sizeof(distance), &distance, sizeof(distance));
}

/* What the copies of each instruction end with is where the next one's begin. */
static void emit_copies(struct assembly *a, const struct detour_site *site, u8 *ends)
{
	unsigned int nr;

	if (a->nr + REACH_MAX_COPY > sizeof(a->bytes)) {
		a->failed = true;
		return;
	}
	nr = reach_copy_ends(&site->region, a->bytes + a->nr, ends, site->bytes, site->pt->addr,
			     a->addr + a->nr);
	a->failed |= !nr;
	a->nr += nr;
}

static void emit_map(struct assembly *a, struct copy_map *map, const struct detour_site *site,
		     const u8 *ends)
{
	unsigned int i, original = 0;

	memset(map->starts, 0xff, sizeof(map->starts));
	for (i = 0; i < site->region.nr; i++) {
		original += site->region.insns[i].length;
		map->starts[i].original = original;
		map->starts[i].copy = ends[i];
	}
	memcpy(a->bytes + DETOUR_MAP_AT, map, sizeof(*map));
}

static void assemble(struct assembly *a, struct detour *detour, const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	unsigned int nr = detour_count_handlers(pt), word = 0;
	struct copy_map map = { };
	u8 ends[REACH_MAX_INSNS] = { };

	detour->shut = detour_gate_is_shut(pt);
	a->nr = 0;
	a->failed = false;
	emit_left(a, pt);
	emit_look_up(a, detour);
	emit_save(a, pt->addr, pt->addr + 1);
	emit_gate(a, detour);
	if ((nr || detour_has_post(pt)) && !detour->shut)
		word = emit_handlers(a, &map, site);
	end_look_up(a, a->nr);
	emit_restore(a);
	detour->copies = a->addr + a->nr;
	emit_copies(a, site, ends);
	emit_map(a, &map, site, ends);
	end_guarded(a, detour->copies, ends, word);
}

/* ---- making one ---- */

/* Behind the last one: the next is there, if others are not in the way.  By kprobe_mutex. */
static unsigned long next_code;

/* The size does not depend on the address. */
unsigned int arch_detour_size(struct assembly *a, struct detour *detour,
			      const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	a->addr = next_code ?: (unsigned long)arch_slots;
	assemble(a, detour, site);
	return a->failed ? 0 : a->nr;
}

const char *arch_detour_assemble(struct assembly *a, struct detour *detour,
				 const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	if (a->addr != detour->code) {
		a->addr = detour->code;
		assemble(a, detour, site);
	}
	next_code = ALIGN(a->addr + a->nr, ARCH_SLOT_SIZE);
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
	return relay_make(&detour->relay, pt->addr, point_module(pt), detour->code + DETOUR_ENTRY_AT);
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
