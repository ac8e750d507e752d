// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe points on x86-64: one int3 at the first byte, never a second trap.
 *
 * Control flow is emulated in the trap.  Anything else runs from a slot, which
 * holds two copies of the instruction:
 *
 *	slot + 0:	instruction, jmp to what follows the probe point
 *	slot + 32:	instruction, call of the stub that runs post handlers
 *	slot + 56:	address of the point's struct probe_point
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/extable.h>
#include <linux/kdebug.h>
#include <linux/lockdep.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/msr.h>
#include <asm/percpu.h>
#include <asm/processor.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../core/return_stubs.h"
#include "../../core/table.h"
#include "../../host/arch_host.h"
#include "../slot.h"
#include "emulate.h"

/* There is one for each place: the next size that kmalloc() has is 256. */
static_assert(sizeof(struct probe_point) <= 192);
static_assert(sizeof(struct emulate_regs) == sizeof(struct pt_regs));
static_assert(offsetof(struct emulate_regs, r15) == offsetof(struct pt_regs, r15));
static_assert(offsetof(struct emulate_regs, ax) == offsetof(struct pt_regs, ax));
static_assert(offsetof(struct emulate_regs, ip) == offsetof(struct pt_regs, ip));
static_assert(offsetof(struct emulate_regs, flags) == offsetof(struct pt_regs, flags));
static_assert(offsetof(struct emulate_regs, sp) == offsetof(struct pt_regs, sp));
static_assert(2 * (INSN_MAX_LENGTH + X86_BRANCH32_SIZE) <= SLOT_OWNER_OFFSET);
static_assert(ARCH_SLOT_COPY_SIZE + INSN_MAX_LENGTH + X86_BRANCH32_SIZE <= SLOT_OWNER_OFFSET);

/**
 * x86_make_branch() - assemble a direct jump or call
 * @to: receives X86_BRANCH32_SIZE bytes
 * @opcode: X86_JMP32 or X86_CALL32
 * @from: the address at which it will run
 * @target: its target
 *
 * Return: false if @target is out of reach; then nothing is written.
 */
bool x86_make_branch(u8 *to, u8 opcode, unsigned long from, unsigned long target)
{
	long distance = target - (from + X86_BRANCH32_SIZE);
	s32 disp = distance;

	if (disp != distance)
		return false;
	to[0] = opcode;
	memcpy(to + 1, &disp, sizeof(disp));
	return true;
}

unsigned long arch_return_trampoline(void)
{
	return (unsigned long)return_trampoline;
}

bool arch_make_return_stub(u8 *bytes, unsigned long at)
{
	memset(bytes, 0xcc, ARCH_RETURN_STUB_SIZE);
	return x86_make_branch(bytes, X86_CALL32, at, arch_return_trampoline());
}

/* ---- the hooks of the emulator ---- */

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	if (size == sizeof(u64))
		__get_kernel_nofault(val, (void *)addr, u64, fault);
	else
		__get_kernel_nofault(val, (void *)addr, u16, fault);
	return true;
fault:
	return false;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	if (size == sizeof(u64))
		__put_kernel_nofault((void *)addr, val, u64, fault);
	else
		__put_kernel_nofault((void *)addr, val, u16, fault);
	return true;
fault:
	return false;
}

u64 emulate_segment_base(enum insn_segment segment)
{
	if (segment == INSN_SEG_GS)
		return raw_cpu_read(this_cpu_off);
	return segment == INSN_SEG_FS ? __rdmsr(MSR_FS_BASE) : 0;
}

/* Of a processor with five levels of page tables the kernel may use four. */
unsigned int emulate_address_bits(void)
{
	return x86_has_five_levels ? 57 : 48;
}

/* ---- walking ---- */

bool arch_step_over(struct arch_step *step, const u8 *bytes, size_t avail, unsigned long addr)
{
	unsigned int whole = insn_plain_length(bytes, avail) ?: insn_check_off(bytes, avail);
	struct insn insn;

	if (whole) {
		*step = (struct arch_step){ .length = whole };
		return true;
	}
	if (insn_decode(&insn, bytes, avail) != INSN_OK)
		return false;
	step->length = insn.length;
	step->trap = insn.refuse == INSN_REFUSE_BREAKPOINT;
	step->ends_flow = insn.class == INSN_JMP || insn.class == INSN_JMP_IND ||
			  insn.class == INSN_RET || insn.refuse == INSN_REFUSE_UNDEFINED ||
			  insn.refuse == INSN_REFUSE_FAR_TRANSFER;
	step->filler = X86_TRAPS_BEHIND_JUMPS ?
		       insn_filler(&insn, bytes + insn.length, avail - insn.length) : 0;
	step->target = insn.class == INSN_JMP || insn.class == INSN_CALL ||
		       insn.class == INSN_JCC ? insn_branch_target(&insn, addr) : 0;
	return true;
}

size_t arch_skip_plain(const u8 *bytes, size_t size, size_t at, size_t end)
{
	return insn_skip_flowing(bytes, size, at, end);
}

#define LANDING_PAD_SIZE	4

/* What newer kernels write has this as its displacement, which nothing else has. */
#define POISON_DISP	((s8)0xd6)

static bool is_landing_pad(const struct insn *insn)
{
	if (insn->class != INSN_NOP || insn->map != INSN_MAP_0F ||
	    insn->length != LANDING_PAD_SIZE)
		return false;
	if (insn->opcode == 0x1e)
		return insn->modrm == 0xfa && insn->prefixes == INSN_PFX_F3;
	return insn->opcode == 0x1f &&
	       ((insn->prefixes == INSN_PFX_66 && insn->modrm == 0x00) ||
		(!insn->prefixes && insn->modrm == 0x40 && insn->disp == POISON_DISP));
}

/*
 * FineIBT of Linux 6.15 to 6.17 writes a cmc and a nop instead, and the cmc is also the end of a jump before
 * the function: indirect calls run that, and go on at the nop.  Nothing may be written there.
 */
static const u8 shared_with_preamble[LANDING_PAD_SIZE] = { 0xf5, 0x0f, 0x1f, 0x00 };

/* endbr64, or four bytes by which the kernel replaces an unneeded one. */
unsigned long arch_entry_address(unsigned long start)
{
	u8 bytes[LANDING_PAD_SIZE];
	size_t known = text_original(start, bytes, sizeof(bytes));
	struct insn insn;

	if (known == sizeof(bytes) && !memcmp(bytes, shared_with_preamble, sizeof(bytes)))
		return start + sizeof(bytes);
	if (insn_decode(&insn, bytes, known) == INSN_OK && is_landing_pad(&insn))
		return start + insn.length;
	return start;
}

/* ---- preparing ---- */

/* sti holds off interrupts for one more instruction, which emulation can't do. */
static bool needs_sti_shadow(const struct insn *insn, const u8 *next, size_t avail)
{
	struct insn following;

	if (insn->class != INSN_STI)
		return false;
	/* An instruction hidden by a foreign breakpoint may be one of these. */
	return insn_decode(&following, next, avail) != INSN_OK ||
	       (following.refuse == INSN_REFUSE_HALT || following.refuse == INSN_REFUSE_SYSCALL ||
		following.refuse == INSN_REFUSE_FAR_TRANSFER);
}

/*
 * With FRED a trap in place of an endbr64 leaves the processor to wait for one, when it returns,
 * too.  With older ways to deliver it, it has forgotten that.
 */
static bool keeps_landing(void)
{
#ifdef X86_FEATURE_FRED
	return boot_cpu_has(X86_FEATURE_FRED) && boot_cpu_has(X86_FEATURE_IBT);
#else
	return false;
#endif
}

const char *arch_point_refusal(const struct probe_point *pt, const u8 *bytes, size_t avail)
{
	const struct insn *insn = &pt->arch.insn;

	lockdep_assert_held(&kprobe_mutex);
	if (needs_sti_shadow(insn, bytes + insn->length, avail - insn->length))
		return "sti whose interrupt shadow must cover the next instruction";
	if (is_landing_pad(insn) && keeps_landing())
		return "landing pad of indirect branches, which can't be skipped on this processor";
	return NULL;
}

/*
 * Emulated branches that may fault, on their operand or on their target, have a
 * slot in which the fault is raised.
 */
bool arch_needs_slot(const struct probe_point *pt)
{
	if (pt->mechanism == POINT_FTRACE)
		return false;
	switch (pt->arch.insn.class) {
	case INSN_SLOT:
	case INSN_JMP_IND:
	case INSN_CALL_IND:
	case INSN_RET:
		return true;
	default:
		return false;
	}
}

void arch_judge_copies(struct probe_point *pt, const struct exception_table_entry *original)
{
	pt->arch.guarded = !original;
}

bool arch_build_copy(const struct probe_point *pt, unsigned int which, u8 *image)
{
	const struct insn *insn = &pt->arch.insn;
	unsigned long at = slot_copy(pt, which);
	unsigned long behind = at + insn->length;
	unsigned long stub = (unsigned long)x86_post_stub;

	/* objtool warns about a constant address next to the function. */
	OPTIMIZER_HIDE_VAR(stub);
	if (insn_relocate(insn, image, pt->arch.bytes, pt->addr, at) != INSN_OK)
		return false;
	if (which == SLOT_COPY_POST)
		return x86_make_branch(image + insn->length, X86_CALL32, behind, stub);
	return x86_make_branch(image + insn->length, X86_JMP32, behind, pt->addr + insn->length);
}

unsigned long arch_resume_address(const struct probe_point *pt)
{
	const struct insn *insn = &pt->arch.insn;

	switch (insn->class) {
	case INSN_SLOT:
		return slot_copy(pt, SLOT_COPY_BACK);
	case INSN_NOP:
		return pt->addr + insn->length;
	case INSN_JMP:
		return insn_branch_target(insn, pt->addr);
	default:
		return 0;
	}
}

/**
 * x86_resume_at() - let hits resume in a detour, or as without one
 * @pt: a point
 * @copies: address of the copies of the overwritten instructions in its detour; 0: no detour
 *
 * Context: kprobe_mutex held.
 */
void x86_resume_at(struct probe_point *pt, unsigned long copies)
{
	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(pt->arch.copies, copies);
	WRITE_ONCE(pt->arch.resume, copies ?: arch_resume_address(pt));
}

/* Nothing to prepare: all points share one stub. */
void arch_post_prepare(struct probe_point *pt)
{
}

/* ---- executing ---- */

enum arch_executed arch_execute(struct probe_point *pt, struct pt_regs *regs, bool with_post)
{
	const struct insn *insn = &pt->arch.insn;
	unsigned long copies = READ_ONCE(pt->arch.copies);

	/*
	 * The bytes behind the instruction may be part of a jump, or soon will be.  Where post
	 * handlers follow, arch_leave_jump() comes behind those.
	 */
	if (unlikely(copies) && !with_post) {
		regs->ip = copies;
		return ARCH_IN_SLOT;
	}
	switch (insn->class) {
	case INSN_SLOT:
		return slot_enter(pt, regs, with_post);
	case INSN_NOP:
	case INSN_JMP:
		/* Not what is stored: that may be an address in copies by now. */
		regs->ip = arch_resume_address(pt);
		return ARCH_EXECUTED;
	default:
		break;
	}
	regs->ip = pt->addr;
	if (emulate_insn(insn, (struct emulate_regs *)regs) == EMULATE_DONE)
		return ARCH_EXECUTED;
	/* It faults: resume in its copy, where it raises the fault that the kernel handles. */
	regs->ip = pt->arch.slot;
	return ARCH_IN_SLOT;
}

/*
 * The stub returns to the address that follows a call in a slot.  A stub of returns is none, whatever
 * the displacement of the one before it looks like.
 */
bool x86_is_stub_return(unsigned long addr)
{
	unsigned long in_slot = addr % ARCH_SLOT_SIZE;

	return !return_address_is_stub(addr) && in_slot > ARCH_SLOT_COPY_SIZE && in_slot <= SLOT_OWNER_OFFSET &&
	       *(u8 *)(addr - X86_BRANCH32_SIZE) == X86_CALL32;
}

/**
 * x86_slot_place() - where in the probed code stack and registers are as at an address in a slot
 * @slot: the slot
 * @at: an address in it, or behind the call in it
 *
 * Nothing but code is read: the point may be freed meanwhile.
 *
 * Context: any, NMI too.
 * Return: the probed instruction or what follows it; 0 if that can't be told.
 */
unsigned long x86_slot_place(unsigned long slot, unsigned long at)
{
	unsigned int offset = (at - slot) % ARCH_SLOT_COPY_SIZE;
	const u8 *copy = (const u8 *)slot;
	unsigned long behind;
	struct insn insn;
	s32 distance;

	if (insn_decode(&insn, copy, INSN_MAX_LENGTH) != INSN_OK ||
	    copy[insn.length] != X86_JMP32 || offset > insn.length + X86_BRANCH32_SIZE)
		return 0;
	memcpy(&distance, copy + insn.length + 1, sizeof(distance));
	behind = slot + insn.length + X86_BRANCH32_SIZE + distance;
	return offset < insn.length ? behind - insn.length : behind;
}

/**
 * x86_behind_slot() - run the post handlers; called by the stub behind a slot
 * @regs: built by the stub; ip is the address in the slot that follows the call
 */
asmlinkage void x86_behind_slot(struct pt_regs *regs)
{
	slot_post(slot_owner(regs->ip - 1), regs, false);
}

/* ---- registers ---- */

void arch_return_from(struct pt_regs *regs, unsigned long value)
{
	regs->ax = value;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(unsigned long);
}

unsigned long arch_argument(const struct pt_regs *regs, unsigned int nr)
{
	return nr ? regs->si : regs->di;
}

int arch_fault_number(const struct pt_regs *regs)
{
	return arch_argument(regs, 1);
}
