// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe points on 64-bit Power: one trap in place of the first word.
 *
 * Instructions that depend on their address are emulated in the trap.  All others run
 * from a slot, which holds two copies of the instruction:
 *
 *	slot + 0:	instruction, branch to the instruction after the probe
 *			point; or a trap, if that is too far
 *	slot + 32:	instruction, trap that runs post handlers, or a branch to
 *			a stub that does, see post.c
 *	slot + 56:	address of struct probe_point
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/paca.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../slot.h"
#include "emulate.h"
#include "reach.h"

static_assert(offsetof(struct emulate_regs, gpr) == offsetof(struct pt_regs, gpr));
static_assert(offsetof(struct emulate_regs, nip) == offsetof(struct pt_regs, nip));
static_assert(offsetof(struct emulate_regs, msr) == offsetof(struct pt_regs, msr));
static_assert(offsetof(struct emulate_regs, ctr) == offsetof(struct pt_regs, ctr));
static_assert(offsetof(struct emulate_regs, link) == offsetof(struct pt_regs, link));
static_assert(offsetof(struct emulate_regs, xer) == offsetof(struct pt_regs, xer));
static_assert(offsetof(struct emulate_regs, ccr) == offsetof(struct pt_regs, ccr));
static_assert(offsetof(struct emulate_regs, softe) == offsetof(struct pt_regs, softe));
static_assert(offsetof(struct emulate_regs, result) == offsetof(struct pt_regs, result));
static_assert(INSN_MAX_LENGTH + INSN_SIZE <= ARCH_SLOT_COPY_SIZE - sizeof(void *));
static_assert(INSN_MAX_LENGTH + INSN_SIZE <= ARCH_SLOT_LANDING);
static_assert(offsetof(struct pt_regs, nip) == POWERPC_REGS_NIP);
static_assert(offsetof(struct pt_regs, msr) == POWERPC_REGS_MSR);
static_assert(offsetof(struct pt_regs, orig_gpr3) == POWERPC_REGS_ORIG_R3);
static_assert(offsetof(struct pt_regs, ctr) == POWERPC_REGS_CTR);
static_assert(offsetof(struct pt_regs, link) == POWERPC_REGS_LINK);
static_assert(offsetof(struct pt_regs, xer) == POWERPC_REGS_XER);
static_assert(offsetof(struct pt_regs, ccr) == POWERPC_REGS_CCR);
static_assert(offsetof(struct pt_regs, softe) == POWERPC_REGS_SOFTE);
static_assert(offsetof(struct pt_regs, trap) == POWERPC_REGS_TRAP);
static_assert(offsetof(struct pt_regs, result) == POWERPC_REGS_RESULT);
static_assert(sizeof(struct pt_regs) <= POWERPC_REGS_SIZE);
static_assert(POWERPC_MSR_MAPPED == (MSR_IR | MSR_DR));

/* ---- the hooks of the emulator ---- */

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	switch (size) {
	case sizeof(u64):
		__get_kernel_nofault(val, (void *)addr, u64, fault);
		return true;
	case sizeof(u32):
		__get_kernel_nofault(val, (void *)addr, u32, fault);
		return true;
	case sizeof(u16):
		__get_kernel_nofault(val, (void *)addr, u16, fault);
		return true;
	default:
		__get_kernel_nofault(val, (void *)addr, u8, fault);
		return true;
	}
fault:
	return false;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	switch (size) {
	case sizeof(u64):
		__put_kernel_nofault((void *)addr, val, u64, fault);
		return true;
	case sizeof(u32):
		__put_kernel_nofault((void *)addr, val, u32, fault);
		return true;
	case sizeof(u16):
		__put_kernel_nofault((void *)addr, val, u16, fault);
		return true;
	default:
		__put_kernel_nofault((void *)addr, val, u8, fault);
		return true;
	}
fault:
	return false;
}

/* ---- walking ---- */

static bool is_direct(const struct insn *insn)
{
	return insn->class == INSN_BRANCH || insn->class == INSN_BRANCH_COND;
}

static bool ends_flow(const struct insn *insn)
{
	if (insn->flags & INSN_LINK)
		return false;
	return insn->class == INSN_BRANCH ||
	       ((insn->class == INSN_BRANCH_LR || insn->class == INSN_BRANCH_CTR) &&
		insn_is_always(insn));
}

/*
 * All instructions are words, except prefixed ones.  So after data, or after a trap, the
 * next instruction is at the next word.
 */
bool arch_step_over(struct arch_step *step, const u8 *bytes, size_t avail, unsigned long addr)
{
	struct insn insn;

	*step = (struct arch_step){ .length = INSN_SIZE };
	switch (insn_decode(&insn, bytes, avail)) {
	case INSN_OK:
		break;
	case INSN_INVALID:
		return true;
	default:
		return false;
	}
	step->length = insn.length;
	step->ends_flow = ends_flow(&insn);
	step->target = is_direct(&insn) ? insn_branch_target(&insn, addr) : 0;
	return true;
}

/*
 * Do these words set up the TOC pointer?  addis r2,r12,... or lis r2,..., then addi r2,r2,...;
 * in a module that is far from its TOC ld r2,-8(r12), then add r2,r2,r12.
 */
static bool is_global_entry(const u32 *words)
{
	u32 high = words[0] & 0xffff0000;

	if (words[0] == 0xe84cfff8)
		return words[1] == 0x7c426214;
	return (high == 0x3c4c0000 || high == 0x3c400000) && (words[1] & 0xffff0000) == 0x38420000;
}

/* Callers with the same TOC pointer enter a function after the words that set it up. */
unsigned long arch_entry_address(unsigned long start)
{
	u32 words[2];

	if (text_original(start, (u8 *)words, sizeof(words)) < sizeof(words))
		return start;
	return is_global_entry(words) ? start + sizeof(words) : start;
}

/* ---- preparing ---- */

/* The instruction, and before and after it the longest distance between load and store. */
static u8 around[(2 * INSN_MAX_RESERVATION + 1) * INSN_SIZE];	/* guarded by kprobe_mutex */

/*
 * An instruction hidden by a foreign breakpoint counts as neither: a trap at either of
 * the two makes the store fail every time anyway.
 */
static bool in_reservation(unsigned long addr)
{
	unsigned long start, size, from, to;

	lockdep_assert_held(&kprobe_mutex);
	if (!host_symbol_bounds(addr, &start, &size))
		return false;
	from = addr - start > sizeof(around) / 2 ? addr - sizeof(around) / 2 : start;
	from = ALIGN(from, INSN_SIZE);
	to = min(start + size, from + sizeof(around));
	text_original(from, around, to - from);
	return insn_in_reservation(around, to - from, addr - from);
}

/* The kernel image has been searched when the blacklist was made. */
static const char *module_reason(const struct probe_point *pt)
{
	unsigned long start, size;

	if (!host_text_module(pt->addr) || !host_symbol_bounds(pt->addr, &start, &size))
		return NULL;
	return powerpc_mode_reason(start, size);
}

/*
 * The kernel has one function that survives a machine check for its caller.  It is told by the
 * exception table of the image alone (mce_common_process_ue()), where no copy of an instruction is.
 */
static bool survives_machine_check(const struct probe_point *pt)
{
	struct host_symbol sym;

	return host_exception_entry(pt->addr) && host_symbol_at(pt->addr, &sym) &&
	       !strcmp(sym.name, "copy_mc_generic");
}

/*
 * What does not begin with an instruction is a table of constants, such as rcon of AES.  Others in
 * it may look like instructions.
 */
static bool begins_with_data(unsigned long start, unsigned long size)
{
	u8 bytes[INSN_MAX_LENGTH];
	struct insn insn;

	lockdep_assert_held(&kprobe_mutex);
	size = min_t(unsigned long, size, sizeof(bytes));
	return text_original(start, bytes, size) == size &&
	       insn_decode(&insn, bytes, size) == INSN_INVALID;
}

/* Our own probes are never in a table.  The branch before it may have one, or one that hides it. */
static bool is_in_table(unsigned long start, unsigned long addr)
{
	size_t first = insn_table_begin((const u8 *)start, addr - start);
	u8 bytes[INSN_SIZE];

	lockdep_assert_held(&kprobe_mutex);
	if (!first)
		return false;
	return text_original(start + first - INSN_SIZE, bytes, INSN_SIZE) < INSN_SIZE ||
	       insn_jumps_by_table(bytes);
}

/*
 * Behind the code of each stub by which a module calls functions elsewhere are a mark and the
 * function's address.  No symbol covers the stubs, so they look like the end of the last function.  The
 * upper half of an address in the kernel looks like lfs.
 */
#define STUB_MARK	0x73747562	/* andi. r20,r27,... otherwise */

static bool is_in_stub(unsigned long addr, const struct host_area *text)
{
	unsigned long at;

	for (at = addr - 2 * INSN_SIZE; at <= addr; at += INSN_SIZE)
		if (at >= text->start && READ_ONCE(*(u32 *)at) == STUB_MARK)
			return true;
	return false;
}

/* The distance to the TOC pointer, before a function of a module that loads it. */
static bool is_toc_distance(unsigned long addr, unsigned long next, const struct host_area *text)
{
	const u32 load = 0xe84cfff8;	/* ld r2,-8(r12) */
	u32 word;

	lockdep_assert_held(&kprobe_mutex);
	return next - addr <= sizeof(long) && next < text->end &&
	       text_original(next, (u8 *)&word, sizeof(word)) == sizeof(word) && word == load;
}

/* Stubs of the function tracer, which it changes and reads. */
static bool is_of_tracer(const struct module *mod, unsigned long addr)
{
#ifdef CONFIG_PPC_FTRACE_OUT_OF_LINE
	return addr - (unsigned long)mod->arch.ool_stubs <
	       mod->arch.ool_stub_count * sizeof(struct ftrace_ool_stub);
#else
	return false;
#endif
}

static bool is_data(const struct probe_point *pt)
{
	const struct module *mod = host_text_module(pt->addr);
	unsigned long start, size;
	struct host_area text;

	lockdep_assert_held(&kprobe_mutex);
	if (!host_symbol_bounds(pt->addr, &start, &size))
		return false;
	if (begins_with_data(start, size) || is_in_table(start, pt->addr))
		return true;
	return mod && host_text_area(mod, &text) &&
	       (is_in_stub(pt->addr, &text) || is_of_tracer(mod, pt->addr) ||
		is_toc_distance(pt->addr, start + size, &text));
}

/*
 * Before 6.6 the tracer looks there each time that it takes its call out of a function of a module.  If
 * it finds neither mflr r0 nor std r0,16(r1) it gives up, for good.  Newer ones look when the module comes.
 */
static bool is_looked_at(const struct probe_point *pt)
{
#ifdef ftrace_init_nop
	return false;
#else
	unsigned long behind = pt->addr + INSN_SIZE;

	return host_text_module(pt->addr) && host_ftrace_location(behind) == behind;
#endif
}

const char *arch_point_refusal(const struct probe_point *pt, const u8 *bytes, size_t avail)
{
	const struct insn *insn = &pt->arch.insn;

	lockdep_assert_held(&kprobe_mutex);
	if (insn_crosses_line(insn, pt->addr))
		return "prefixed instruction crosses a 64-byte boundary and can't be executed";
	if (in_reservation(pt->addr))
		return "between a load-reserve and its conditional store, which would always fail";
	if (powerpc_is_switched(pt->addr))
		return "barrier or flush that is patched when a mitigation is switched";
	if (survives_machine_check(pt))
		return "load or store that survives a machine check only where it is";
	if (is_data(pt))
		return "constant among the instructions, which code reads as data";
	if (is_looked_at(pt))
		return "instruction before the tracer's call, which the tracer looks at";
	return module_reason(pt);
}

/* A PC-relative access may fault, and needs a copy to fault in. */
bool arch_needs_slot(const struct probe_point *pt)
{
	if (pt->mechanism == POINT_FTRACE)
		return false;
	switch (pt->arch.insn.class) {
	case INSN_SLOT:
	case INSN_LOAD_PC:
	case INSN_STORE_PC:
		return true;
	default:
		return false;
	}
}

/**
 * powerpc_behind_copy() - the address of the trap or branch that runs post handlers
 * @pt: a point that has a slot
 */
unsigned long powerpc_behind_copy(const struct probe_point *pt)
{
	return slot_copy(pt, SLOT_COPY_POST) + pt->arch.insn.length;
}

bool arch_build_copy(const struct probe_point *pt, unsigned int which, u8 *image)
{
	const struct insn *insn = &pt->arch.insn;
	unsigned long at = slot_copy(pt, which);
	const u32 trap = POWERPC_TRAP_SLOT, fixed = POWERPC_TRAP_FIXED;
	u8 *behind = image + insn->length;

	if (insn_relocate(insn, image, pt->arch.bytes, pt->addr, at) != INSN_OK)
		return false;
	if (which == SLOT_COPY_POST ||
	    !reach_branch(behind, at + insn->length, pt->addr + insn->length))
		memcpy(behind, &trap, sizeof(trap));
	if (which == SLOT_COPY_BACK)
		memcpy(image + ARCH_SLOT_LANDING, &fixed, sizeof(fixed));
	return true;
}

/*
 * Would the guarded copy, in which interrupts are off in irq_soft_mask, show or change that?  It
 * loads or stores that; or reads MSR, in which an interrupt that was to wait has cleared EE.
 */
static bool sees_mask(const struct insn *insn)
{
	const u32 lbz = 34, stb = 38, r13 = 13, mfmsr = 0x7c0000a6;
	u32 opcode = insn->word >> 26;

	if ((insn->word & 0xfc0007fe) == mfmsr)
		return true;
	return (opcode == lbz || opcode == stb) &&
	       (insn->word & 0x1fffff) ==
	       (r13 << 16 | offsetof(struct paca_struct, irq_soft_mask));
}

void arch_judge_copies(struct probe_point *pt, const struct exception_table_entry *original)
{
	pt->arch.fixup = original ? extable_fixup(original) : 0;
	pt->arch.guarded = !original && !sees_mask(&pt->arch.insn);
}

unsigned long arch_resume_address(const struct probe_point *pt)
{
	const struct insn *insn = &pt->arch.insn;

	switch (insn->class) {
	case INSN_SLOT:
		return slot_copy(pt, SLOT_COPY_BACK);
	case INSN_NOP:
		return pt->addr + insn->length;
	case INSN_BRANCH:
		return insn->flags & INSN_LINK ? 0 : insn_branch_target(insn, pt->addr);
	default:
		return 0;
	}
}

/* ---- executing ---- */

static noinline enum arch_executed emulate(struct probe_point *pt, struct pt_regs *regs)
{
	regs->nip = pt->addr;
	if (emulate_insn(&pt->arch.insn, (struct emulate_regs *)regs) == EMULATE_DONE) {
		powerpc_resume_at(regs, regs->nip);
		return ARCH_EXECUTED;
	}
	/* It faults: let it fault in its copy, as the kernel expects. */
	powerpc_resume_at(regs, slot_copy(pt, SLOT_COPY_BACK));
	return ARCH_IN_SLOT;
}

enum arch_executed arch_execute(struct probe_point *pt, struct pt_regs *regs, bool with_post)
{
	return slot_execute(pt, regs, with_post, emulate);
}

/* ---- arguments ---- */

void arch_return_from(struct pt_regs *regs, unsigned long value)
{
	regs->gpr[3] = value;
	powerpc_resume_at(regs, regs->link);
}

unsigned long arch_argument(const struct pt_regs *regs, unsigned int nr)
{
	return regs->gpr[3 + nr];
}

/* The signal that user space would get. */
int arch_fault_number(const struct pt_regs *regs)
{
	return arch_returned_value(regs);
}

#ifdef CONFIG_LIVEPATCH_64

/* Those of functions that are replaced by a live patch are on a stack of their own, at the end of the other. */
static bool patched_words(struct task_struct *task, unsigned long **from, unsigned long **to)
{
	*from = end_of_stack(task) + 1;
	*to = READ_ONCE(task_thread_info(task)->livepatch_sp);
	return true;
}

#else

static bool patched_words(struct task_struct *task, unsigned long **from, unsigned long **to)
{
	return false;
}

#endif

/*
 * The return address of an active function is in its caller's frame, or still in a
 * register, which is saved on the stack below that while the task does not run.
 */
bool arch_return_words(struct task_struct *task, unsigned long frame, unsigned int nr,
		       unsigned long **from, unsigned long **to)
{
	unsigned long *saved = (unsigned long *)(frame + POWERPC_FRAME_LR);

	if (nr)
		return nr == 1 && patched_words(task, from, to);
	*from = host_used_stack(task, to);
	if ((unsigned long)*from > frame)
		*from = saved;
	*to = saved + 1;
	return true;
}

/**
 * powerpc_returned() - a function has returned to a stub
 * @regs: as built by the trampoline, which resumes at their nip
 *
 * Context: that of the function.
 */
asmlinkage void powerpc_returned(struct pt_regs *regs)
{
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	regs->softe = ctx.flags;
	return_hooks_run(regs);
	arch_handlers_leave(&ctx);
}

extern const char return_trampoline[];

unsigned long arch_return_trampoline(void)
{
	return (unsigned long)return_trampoline;
}

bool arch_make_return_stub(u8 *bytes, unsigned long at)
{
	long distance = arch_return_trampoline() - at;
	u32 words[] = { 0x48000001 | (distance & 0x03fffffc), POWERPC_TRAP };

	static_assert(sizeof(words) == ARCH_RETURN_STUB_SIZE);
	memcpy(bytes, words, sizeof(words));
	return distance == sign_extend64(distance, 25);
}
