// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detours: the code that a jump in place of a trap leads to.
 *
 * A detour is made for one set of handlers and calls them directly, without looking
 * anything up.  Its code:
 *
 * look up:
 *	call detour_look_up
 *	jmp restore
 *	data: where in the copies which instruction begins, for who follows stacks
 * entry:
 *	push, push		a frame, as a call has it: see x86_detour
 *	push x 21		struct pt_regs, as in a trap
 *	cli; cld; clac		as in a trap
 *	gate shut or guard held? -> look up
 *	preemption count up
 *	guard = kprobe; call handler	for each
 *	guard = free
 *	preemption count down
 * restore:
 *	pop x 18
 *	copies of the instructions that the jump overwrites
 *	jmp to what follows them
 *
 * While there is a detour, hits of the trap resume in the copies as well, since the
 * bytes behind the trap may be the jump's.
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

#define X86_JNE8	0x75
#define X86_PUSH32	0x68

#define PT_REGS_SP	152
#define PT_REGS_SIZE	168
static_assert(offsetof(struct pt_regs, sp) == PT_REGS_SP);
static_assert(sizeof(struct pt_regs) == PT_REGS_SIZE);
static_assert(offsetof(struct hit_state, running) == 0);

/*
 * From the registers on the stack to what the frame pointer is while handlers run: on kernels that
 * follow it, as after an exception, ENCODE_FRAME_POINTER of asm/frame.h.
 */
#define FRAME_POINTER	(IS_ENABLED(CONFIG_FRAME_POINTER) ? 1 : PT_REGS_SIZE)

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

/* The instruction pointer that the handlers see, as after a breakpoint. */
static void emit_push_ip(struct assembly *a, unsigned long addr)
{
	EMIT(a, X86_PUSH32);
	emit32(a, (u32)(addr + 1));
}

/* HANDLERS_ENTER of entry.h: the flags are on the stack, and emit_restore() pops them. */
static void emit_handlers_enter(struct assembly *a)
{
	EMIT(a, X86_CLI, X86_CLD);
	if (boot_cpu_has(X86_FEATURE_SMAP))
		EMIT(a, X86_CLAC);
}

/* x86_detour in trampoline.S pushes the same by instructions of the same sizes. */
static void emit_save(struct assembly *a, unsigned long addr)
{
	unsigned int from;

	emit_push_ip(a, addr);
	from = a->nr;
	EMIT(a, 0x55);					/* push %rbp */
	EMIT(a, 0x6a, __KERNEL_DS, 0x54, 0x9c, 0x6a, __KERNEL_CS);	/* ss, sp, flags, cs */
	emit_push_ip(a, addr);
	EMIT(a, 0x6a, 0xff);				/* orig_ax */
	EMIT(a, 0x57, 0x56, 0x52, 0x51, 0x50,		/* di si dx cx ax */
	     0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53,	/* r8 to r11 */
	     0x53, 0x55,				/* bx bp */
	     0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57);	/* r12 to r15 */
	a->failed |= a->nr - from != x86_detour_places.saved - x86_detour_places.entered;
	EMIT(a, 0x48, 0x83, 0x84, 0x24, PT_REGS_SP, 0, 0, 0, 24);	/* addq $24, sp */
	EMIT(a, 0x48, 0x8d, 0xac, 0x24, FRAME_POINTER, 0, 0, 0);	/* lea the frame, %rbp */
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
	EMIT(a, 0x48, 0x8d, 0x64, 0x24, 32);		/* lea 32(%rsp), %rsp: sp ss frame */
	a->failed |= a->nr - from != x86_detour_places.end - x86_detour_places.called;
}

/*
 * Reads the gate and the guard, and jumps to the beginning if one of them is set.  The
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
	jump[1] = -(a->nr + sizeof(jump));
	a->failed |= a->nr + sizeof(jump) > 128;
	emit(a, jump, sizeof(jump));
}

static void emit_handler(struct assembly *a, const struct kprobe *p)
{
	emit_first_argument(a, p);
	EMIT(a, 0x65, 0x48, 0x89, 0x3c, 0x25);		/* mov %rdi, %gs:guard */
	emit32(a, guard_offset());
	emit_regs_argument(a);
	emit_branch(a, X86_CALL32, (unsigned long)p->pre_handler);
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

static void emit_handlers(struct assembly *a, const struct probe_point *pt)
{
	const struct kprobe *p;

	emit_raise_preempt_count(a);
	for_each_kprobe_at(p, pt)
		if (detour_calls(p))
			emit_handler(a, p);
	emit_guard_free(a);
	emit_lower_preempt_count(a);
}

/* Where an instruction of the region begins, and where its copy does. */
struct copy_start {
	u8 original;
	u8 copy;
};

/* Of all but the first, and of what follows the region. */
struct copy_map {
	struct copy_start starts[REACH_MAX_INSNS];
};

/* This code comes first, so that emit_gate() reaches it by rel8 with any number of handlers. */
#define LOOK_UP_CODE	23
#define LOOK_UP_SIZE	(LOOK_UP_CODE + sizeof(struct copy_map))

static void emit_look_up(struct assembly *a, const struct detour *detour)
{
	unsigned long function = (unsigned long)detour_look_up;

	/* objtool warns about a constant address next to the function. */
	OPTIMIZER_HIDE_VAR(function);
	emit_first_argument(a, detour);
	emit_regs_argument(a);
	emit_branch(a, X86_CALL32, function);
	emit_branch(a, X86_JMP32, a->addr);
	a->nr += sizeof(struct copy_map);
}

/* Fills in the jump to the restore code, whose offset is known now. */
static void end_look_up(struct assembly *a, unsigned int restore)
{
	s32 distance = restore - LOOK_UP_CODE;

	memcpy(a->bytes + LOOK_UP_CODE - sizeof(distance), &distance, sizeof(distance));
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

static void fill_in_map(struct assembly *a, const struct detour *detour,
			const struct detour_site *site)
{
	struct copy_map map;
	unsigned int i, original = 0;

	memset(&map, 0xff, sizeof(map));
	for (i = 0; i < site->region.nr; i++) {
		original += site->region.insns[i].length;
		map.starts[i].original = original;
		map.starts[i].copy = copies_of(&site->region, i + 1, site->bytes, site->pt->addr,
					       detour->copies);
	}
	memcpy(a->bytes + LOOK_UP_CODE, &map, sizeof(map));
}

static void assemble(struct assembly *a, struct detour *detour, const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	unsigned int nr = detour_count_handlers(pt);

	detour->shut = detour_gate_is_shut(nr);
	a->nr = 0;
	a->failed = false;
	emit_look_up(a, detour);
	emit_save(a, pt->addr);
	emit_gate(a, detour);
	if (nr && !detour->shut)
		emit_handlers(a, pt);
	end_look_up(a, a->nr);
	emit_restore(a);
	detour->copies = a->addr + a->nr;
	emit_copies(a, &site->region, site->bytes, pt->addr);
	fill_in_map(a, detour, site);
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

	memcpy(&ip, (const u8 *)detour + LOOK_UP_SIZE + 1, sizeof(ip));
	return (long)ip - 1;
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
	const unsigned int copies_behind = x86_detour_places.end - x86_detour_places.called;
	unsigned int pushed = x86_detour_places.saved - x86_detour_places.entered;
	unsigned int offset = at - detour, entry = offset - LOOK_UP_SIZE;
	s32 restore;

	memcpy(&restore, code + LOOK_UP_CODE - sizeof(restore), sizeof(restore));
	restore += LOOK_UP_CODE;
	if (code[LOOK_UP_SIZE] != X86_PUSH32 || restore < (s32)LOOK_UP_SIZE ||
	    restore > DETOUR_MAX)
		return 0;
	if (!entry)
		return x86_detour_probed(detour);
	if (offset > LOOK_UP_SIZE && entry - X86_BRANCH32_SIZE < pushed)
		return x86_detour_places.entered + entry - X86_BRANCH32_SIZE;
	if (offset < restore)
		return x86_detour_places.saved;
	if (offset - restore < copies_behind)
		return x86_detour_places.called + offset - restore;
	offset -= restore + copies_behind;
	return place_in_copies(code + restore + copies_behind,
			       (const struct copy_map *)(code + LOOK_UP_CODE),
			       x86_detour_probed(detour), offset);
}

/* ---- making one ---- */

int assembly_write(const struct assembly *a)
{
	struct text_edit edits[DIV_ROUND_UP(DETOUR_MAX, sizeof_field(struct text_edit, bytes))];
	unsigned int i, done, nr = 0;

	might_sleep();
	for (done = 0; done < a->nr; done += i) {
		unsigned long addr = a->addr + done;

		i = min_t(unsigned long, a->nr - done, sizeof(edits[0].bytes));
		edits[nr].addr = addr;
		edits[nr].len = i;
		memcpy(edits[nr++].bytes, a->bytes + done, i);
	}
	return host_text_write(edits, nr);
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
	memcpy(detour->covered, site->bytes, sizeof(detour->covered));
	return a->failed ? detour_no_memory : NULL;
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

const char *arch_jump_verdict(unsigned long addr, struct module *mod)
{
	const char *why = x86_targets_know(addr, mod);
	struct reach_region region;
	u8 bytes[REACH_MAX_LENGTH];
	struct extent text;
	size_t size;

	if (why)
		return why;
	text = read_region(addr, bytes);
	reach_region(&region, bytes, text.known, addr, &facts);
	if (region.reason != REACH_OK)
		return is_cut_short(&region, text) ? text_foreign :
						     reach_reason_text(region.reason);
	size = max_t(size_t, region.length, REACH_JUMP_SIZE);
	return host_foreign_within(addr, addr + size) ? text_foreign :
							 mitigation_obstacle(&region);
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
	return reach_reason_text(reach_region(&site->region, site->bytes, known, addr,
					      &known_facts));
}

bool arch_jump_fits(const struct probe_point *pt)
{
	const struct detour *detour = pt->arch.detour;

	return detour && host_text_is(pt->addr + 1, detour->covered + 1,
				      sizeof(detour->covered) - 1);
}

void arch_jump_forget_module(struct module *mod)
{
	x86_targets_forget(mod);
}

void arch_jump_exit(void)
{
	x86_targets_exit();
}

/* ---- the text ---- */

static void assemble_jump(const struct probe_point *pt, u8 *bytes)
{
	x86_make_branch(bytes, X86_JMP32, pt->addr, pt->arch.detour->code + LOOK_UP_SIZE);
}

const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr)
{
	*nr = point_has_tail(pt) ? REACH_JUMP_SIZE : point_is_armed(pt);
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
	edit->addr = pt->addr;
	edit->len = 1;
	edit->bytes[0] = jump ? X86_JMP32 : pt->arch.bytes[0];
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	u8 bytes[REACH_JUMP_SIZE];

	memcpy(bytes, pt->arch.detour->covered, sizeof(bytes));
	if (jump)
		assemble_jump(pt, bytes);
	edit->addr = pt->addr + 1;
	edit->len = sizeof(bytes) - 1;
	memcpy(edit->bytes, bytes + 1, sizeof(bytes) - 1);
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
	return text[0] == (point_is_jump(pt) ? X86_JMP32 : X86_INT3) &&
	       host_text_is(pt->addr + 1, jump + 1, sizeof(jump) - 1);
}
