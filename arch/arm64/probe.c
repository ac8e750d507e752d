// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe points on arm64: a brk in place of the instruction.
 *
 * Instructions that depend on their address or on the interrupt masks are emulated in
 * the trap.  All others run from a slot, which holds two copies of the instruction:
 *
 *	slot + 0:	instruction, branch to the instruction after the probe
 *			point; or a trap that resumes there, if that is too far
 *	slot + 16:	instruction, trap that runs post handlers, or a branch to
 *			a stub that does, see post.c
 *	slot + 24:	address of struct probe_point
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/extable.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/scs.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../slot.h"
#include "emulate.h"
#include "reach.h"

static_assert(offsetof(struct emulate_regs, regs) == offsetof(struct pt_regs, regs));
static_assert(offsetof(struct emulate_regs, sp) == offsetof(struct pt_regs, sp));
static_assert(offsetof(struct emulate_regs, pc) == offsetof(struct pt_regs, pc));
static_assert(offsetof(struct emulate_regs, pstate) == offsetof(struct pt_regs, pstate));
static_assert(ARCH_SLOT_COPY_SIZE + 2 * INSN_SIZE <= SLOT_OWNER_OFFSET);

/* ---- the hooks of the emulator ---- */

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	if (size == sizeof(u64))
		__get_kernel_nofault(val, (void *)addr, u64, fault);
	else
		__get_kernel_nofault(val, (void *)addr, u32, fault);
	return true;
fault:
	return false;
}

/* How assemblers are told of it: older ones know no name but that of the architecture. */
#ifdef LKP_AS_KNOWS_PAUTH
#define PAUTH	".arch_extension pauth"
#else
#define PAUTH	".arch armv8.3-a"
#endif

struct vector {
	u8 bytes[16];
};

#define VECTORS_LOW	"0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define VECTORS_HIGH	"16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"

/*
 * The vector registers are still those of the interrupted code: nothing here uses them.
 * Runs one of 32 loads, each in 16 bytes with the landing pad that a BTI kernel requires.
 */
static void load_vector(unsigned long reg, const struct vector *from)
{
	asm volatile(".arch_extension simd\n"
		     "adr	x16, 1f\n"
		     "add	x16, x16, %0, lsl #4\n"
		     "br	x16\n"
		     "1:\n"
		     ".irp nr, " VECTORS_LOW ", " VECTORS_HIGH "\n"
		     "hint	#36\n"				/* bti j */
		     "ldr	q\\nr, %1\n"
		     "b	2f\n"
		     "nop\n"
		     ".endr\n"
		     "2:" : : "r" (reg), "Q" (*from) : "x16");
}

/* A load into a part of a register clears the rest of it. */
bool emulate_load_vector(unsigned int reg, u64 addr, unsigned int size)
{
	struct vector value = { };
	unsigned int i;

	for (i = 0; i < size; i += sizeof(u32))
		if (!emulate_load(addr + i, value.bytes + i, sizeof(u32)))
			return false;
	load_vector(reg, &value);
	return true;
}

static u64 strip_signature(u64 addr)
{
	register u64 x30 asm("x30") = addr;

	asm volatile("hint #7" : "+r" (x30));	/* xpaclri */
	return x30;
}

static u64 sign(u64 addr, u64 modifier, bool key_b)
{
	if (key_b)
		asm volatile(PAUTH "\n pacib %0, %1" : "+r" (addr) : "r" (modifier));
	else
		asm volatile(PAUTH "\n pacia %0, %1" : "+r" (addr) : "r" (modifier));
	return addr;
}

bool emulate_authenticate(u64 *addr, u64 modifier, bool key_b)
{
	u64 plain = strip_signature(*addr);

	if (!system_supports_address_auth() || sign(plain, modifier, key_b) != *addr)
		return false;
	*addr = plain;
	return true;
}

/**
 * arm64_text_is_guarded() - must indirect branches into kernel text hit a landing pad
 *
 * It is the same for modules.
 */
bool arm64_text_is_guarded(void)
{
	return IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && system_supports_bti();
}

enum emulate_guard emulate_guard(u64 addr)
{
	if (!system_supports_bti())
		return EMULATE_NO_TYPES;
	return arm64_text_is_guarded() ? EMULATE_GUARDED : EMULATE_OPEN;
}

/* ---- walking ---- */

static bool is_pointer(const u8 *bytes, size_t avail, unsigned long addr)
{
	u32 next;

	if (avail < INSN_SIZE + sizeof(next))
		return false;
	memcpy(&next, bytes + INSN_SIZE, sizeof(next));
	return insn_is_pointer(addr, next);
}

/* All instructions have one size, so what is none is stepped over, too. */
bool arch_step_over(struct arch_step *step, const u8 *bytes, size_t avail, unsigned long addr)
{
	struct insn insn;

	*step = (struct arch_step){ .length = INSN_SIZE };
	if (avail < INSN_SIZE)
		return false;
	if (insn_decode(&insn, bytes, avail) != INSN_OK || is_pointer(bytes, avail, addr))
		return true;
	step->ends_flow = insn_ends_flow(&insn);
	if (insn_is_direct_branch(&insn))
		step->target = insn_branch_target(&insn, addr);
	return true;
}

/*
 * The hypervisor's text is amid the kernel's.  With protected KVM it is the hypervisor's alone: to read
 * it ends the machine.  Looked up once, as the lookup is slow.
 */
static const struct host_area *hypervisor_text(void)
{
	static struct host_area text;	/* guarded by kprobe_mutex */
	static bool known;

	lockdep_assert_held(&kprobe_mutex);
	if (!known) {
		text.start = host_lookup("__hyp_idmap_text_start");
		text.end = host_lookup("__hyp_text_end");
		known = true;
	}
	return &text;
}

/* In Android's kernels modules have such text, too. */
static bool is_hypervisors_section(const char *name)
{
	return name && !strcmp(name, ".hyp.text");
}

static bool is_hypervisors(unsigned long addr)
{
	const struct host_area *its = hypervisor_text();

	return (addr >= its->start && addr < its->end) || is_hypervisors_section(host_section_at(addr));
}

/*
 * A required landing pad can become a trap, but not a branch: the probe goes after it.  What is asked
 * for need not be the kernel's, as nothing has been refused yet.
 */
unsigned long arch_entry_address(unsigned long start)
{
	u8 bytes[INSN_SIZE];
	struct insn insn;

	if (!arm64_text_is_guarded() || is_hypervisors(start))
		return start;
	if (insn_decode(&insn, bytes, text_original(start, bytes, INSN_SIZE)) == INSN_OK &&
	    insn.class == INSN_NOP && insn.flags & INSN_LANDING)
		return start + INSN_SIZE;
	return start;
}

/* ---- preparing ---- */

#ifdef ARM64_TYPES

/* Words before a type: padding, and the end of a function. */
#define BEFORE_TYPE	(16 * INSN_SIZE)

unsigned long arm64_text_end(unsigned long at, unsigned long end)
{
	u8 bytes[BEFORE_TYPE + INSN_SIZE];
	unsigned long from = max(at, end - sizeof(bytes));

	lockdep_assert_held(&kprobe_mutex);
	text_original(from, bytes, end - from);
	return insn_ends_in_type(bytes, end - from) ? end - INSN_SIZE : end;
}

static bool is_type(unsigned long addr)
{
	unsigned long start, size;

	return host_symbol_bounds(addr, &start, &size) &&
	       arm64_text_end(start, start + size) <= addr;
}

#else

static unsigned long arm64_text_end(unsigned long at, unsigned long end)
{
	return end;
}

static bool is_type(unsigned long addr)
{
	return false;
}

#endif

/* How far a load-exclusive and its store may be apart, in either direction. */
#define EXCLUSIVE_REACH	(128 + INSN_SIZE)

/* How much of the text at an address is before the pointer of the tracer at its end, if there is one. */
static size_t without_pointer(const u8 *bytes, size_t size, unsigned long addr)
{
	const size_t pointer = sizeof(u64);

	return size >= pointer && is_pointer(bytes + size - pointer, pointer, addr + size - pointer) ?
	       size - pointer : size;
}

/* Asks about an instruction and what is around it in its function. */
static bool ask_around(unsigned long addr, bool (*ask)(const u8 *bytes, size_t size, size_t at))
{
	static u8 around[2 * EXCLUSIVE_REACH + INSN_SIZE];	/* guarded by kprobe_mutex */
	unsigned long start, size, from, to;

	lockdep_assert_held(&kprobe_mutex);
	if (!host_symbol_bounds(addr, &start, &size))
		return false;
	from = max(start, addr - EXCLUSIVE_REACH);
	to = min(arm64_text_end(start, start + size), addr + INSN_SIZE + EXCLUSIVE_REACH);
	text_original(from, around, to - from);
	return ask(around, without_pointer(around, to - from, from), addr - from);
}

/*
 * An instruction hidden by a foreign breakpoint counts as neither: a trap at either of
 * the two makes the store fail every time anyway.
 */
static bool in_exclusive(unsigned long addr)
{
	return ask_around(addr, insn_in_exclusive);
}

/**
 * arm64_before_wait() - struct reach_facts.waits for the running kernel
 * @unused: not used
 * @addr: address of an instruction
 *
 * Context: kprobe_mutex held, sleeps.
 */
bool arm64_before_wait(void *unused, u64 addr)
{
	return ask_around(addr, insn_before_wait);
}

/* What a probe of anybody may have put there: brk or b.  All else is as it was. */
static bool may_be_patch(u32 word)
{
	return (word & 0xffe0001f) == 0xd4200000 || (word & 0xfc000000) == 0x14000000;
}

static u32 read_word(void *unused, u64 addr)
{
	u32 word = READ_ONCE(*(const u32 *)addr);

	lockdep_assert_held(&kprobe_mutex);
	if (may_be_patch(word))
		text_original(addr, (u8 *)&word, sizeof(word));
	return word;
}

struct around {
	struct host_area *area;
	unsigned long addr;
};

/* Of what is around an address only what is not its. */
static void leave_out(const struct around *around, const struct host_area *its)
{
	struct host_area *area = around->area;

	if (around->addr < its->start && area->end > its->start)
		area->end = its->start;
	if (around->addr >= its->end && area->start < its->end)
		area->start = its->end;
}

static bool leave_out_hypervisor(struct host_area *area, unsigned long addr)
{
	leave_out(&(struct around){ area, addr }, hypervisor_text());
	return addr >= area->start && addr < area->end && !is_hypervisors(addr);
}

static void leave_out_section(void *data, const char *name, const struct host_area *section)
{
	if (is_hypervisors_section(name))
		leave_out(data, section);
}

static bool text_of_module(const struct module *mod, unsigned long addr, struct host_area *area)
{
	struct around around = { area, addr };

	if (!host_text_area(mod, area))
		return false;
	host_each_text_section(leave_out_section, &around);
	return true;
}

/* The kernel's is looked up once, as the lookup is slow: what is before the hypervisor's, and behind. */
static bool text_of(const struct module *mod, unsigned long addr, struct host_area *area)
{
	static struct host_area kernel[2];	/* guarded by kprobe_mutex */
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	if (mod)
		return text_of_module(mod, addr, area);
	for (i = 0; i < ARRAY_SIZE(kernel); i++) {
		*area = kernel[i];
		if (addr >= area->start && addr < area->end)
			return true;
		if (area->end)
			continue;
		if (!host_text_area(NULL, area) || !leave_out_hypervisor(area, addr))
			return false;
		kernel[i] = *area;
		return true;
	}
	return false;
}

/* Init text is read only as far as the function goes: what is behind it may be gone. */
static bool is_data(const struct probe_point *pt)
{
	struct insn_text text = { .word = read_word };
	unsigned long start, size;
	struct host_area area;

	lockdep_assert_held(&kprobe_mutex);
	/* The tracer has instructions only. */
	if (pt->mechanism == POINT_FTRACE || !host_symbol_bounds(pt->addr, &start, &size))
		return false;
	text.function = start;
	text.function_end = start + size;
	if (!text_of(host_text_module(pt->addr), start, &area) || start < area.start ||
	    start + size > area.end)
		area = (struct host_area){ start, start + size };
	text.start = area.start;
	text.end = area.end;
	return insn_is_data(&text, pt->addr);
}

const char *arch_point_refusal(const struct probe_point *pt, const u8 *bytes, size_t avail)
{
	if (is_type(pt->addr))
		return "CFI preamble, which callers read as data";
	if (is_data(pt))
		return "constant among the instructions, which code reads as data";
	if (in_exclusive(pt->addr))
		return "between an exclusive load and its store, which would always fail";
	if (ask_around(pt->addr, insn_in_switch))
		return "between writes of TTBR1_EL1 and TTBR0_EL1, which belong together";
	if (ask_around(pt->addr, insn_after_prefix))
		return "the instruction before it is a prefix of this one";
	return NULL;
}

/* An emulated branch whose authentication may fail needs a copy to fault in. */
bool arch_needs_slot(const struct probe_point *pt)
{
	const struct insn *insn = &pt->arch.insn;

	if (pt->mechanism == POINT_FTRACE)
		return false;
	return insn->class == INSN_SLOT || insn->flags & INSN_AUTH;
}

static void put_word(u8 *to, u32 word)
{
	memcpy(to, &word, sizeof(word));
}

void arch_judge_copies(struct probe_point *pt, const struct exception_table_entry *original)
{
	pt->arch.guarded = !original;
}

bool arch_build_copy(const struct probe_point *pt, unsigned int which, u8 *image)
{
	unsigned long behind = slot_copy(pt, which) + INSN_SIZE;

	memcpy(image, pt->arch.bytes, INSN_SIZE);
	if (which == SLOT_COPY_POST)
		put_word(image + INSN_SIZE, ARM64_BRK(ARM64_IMM_POST));
	else if (!reach_branch(image + INSN_SIZE, behind, pt->addr + INSN_SIZE))
		put_word(image + INSN_SIZE, ARM64_BRK(ARM64_IMM_BACK));
	return true;
}

unsigned long arch_resume_address(const struct probe_point *pt)
{
	const struct insn *insn = &pt->arch.insn;

	switch (insn->class) {
	case INSN_SLOT:
		return slot_copy(pt, SLOT_COPY_BACK);
	case INSN_NOP:
		return pt->addr + INSN_SIZE;
	case INSN_B:
		return insn_branch_target(insn, pt->addr);
	default:
		return 0;
	}
}

/* ---- executing ---- */

static noinline enum arch_executed emulate(struct probe_point *pt, struct pt_regs *regs)
{
	regs->pc = pt->addr;
	if (emulate_insn(&pt->arch.insn, (struct emulate_regs *)regs) == EMULATE_DONE)
		return ARCH_EXECUTED;
	/* The branch does not authenticate: let it fault in its copy. */
	if (pt->arch.slot)
		arch_go_on_at(regs, pt->arch.slot);
	return ARCH_IN_SLOT;
}

enum arch_executed arch_execute(struct probe_point *pt, struct pt_regs *regs, bool with_post)
{
	return slot_execute(pt, regs, with_post, emulate);
}

/**
 * arm64_trap_back() - resume after a copy whose slot is too far away for a branch back
 * @regs: registers after the instruction
 *
 * Context: that of the probed code, in a trap.
 */
void arm64_trap_back(struct pt_regs *regs)
{
	arch_go_on_at(regs, slot_behind(slot_owner(regs->pc)));
}

/**
 * arm64_trap_post() - run post handlers after a copy has run
 * @regs: registers after the instruction
 *
 * Context: that of the probed code, in a trap.
 */
void arm64_trap_post(struct pt_regs *regs)
{
	slot_post(slot_owner(regs->pc), regs, true);
}

/* ---- arguments ---- */

void arch_return_from(struct pt_regs *regs, unsigned long value)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[ARM64_LINK_REGISTER];
}

unsigned long arch_argument(const struct pt_regs *regs, unsigned int nr)
{
	return regs->regs[nr];
}

/* The function has no such argument, and our own trap has overwritten ESR_ELx. */
int arch_fault_number(const struct pt_regs *regs)
{
	return 0;
}

/* ---- return addresses ---- */

#ifdef CONFIG_SHADOW_CALL_STACK

/* The shadow call stack, if this processor makes the kernel use one. */
static bool shadow_words(struct task_struct *task, unsigned long **from, unsigned long **to)
{
	*from = task_scs(task);
	*to = *from + SCS_SIZE / sizeof(**to);
	return *from;
}

#else

static bool shadow_words(struct task_struct *task, unsigned long **from, unsigned long **to)
{
	return false;
}

#endif

/*
 * A function may keep its return address, and copies of it, anywhere in its frame.  How
 * much stack is in use is not known of a task that runs, as it stops the machine.
 */
bool arch_return_words(struct task_struct *task, unsigned long frame, unsigned int nr,
		       unsigned long **from, unsigned long **to)
{
	if (nr)
		return nr == 1 && shadow_words(task, from, to);
	*from = host_used_stack(task, to);
	if (READ_ONCE(task->on_cpu))
		*from = task_stack_page(task);
	return true;
}

unsigned long arch_return_in(const unsigned long *word)
{
	return strip_signature(READ_ONCE(*word));
}

static bool signs_returns(void)
{
	return HOST_SIGNS_RETURNS && system_supports_address_auth();
}

#if HOST_SIGNS_RETURNS

/* Signs with another task's kernel key, which this CPU uses meanwhile. */
static u64 sign_as(const struct task_struct *task, u64 addr, u64 modifier)
{
	const struct ptrauth_key *key = &task->thread.keys_kernel.apia;
	u64 low, high;

	asm volatile(PAUTH "\n"
		     "mrs	%1, S3_0_C2_C1_0\n"
		     "mrs	%2, S3_0_C2_C1_1\n"
		     "msr	S3_0_C2_C1_0, %4\n"
		     "msr	S3_0_C2_C1_1, %5\n"
		     "isb\n"
		     "pacia	%0, %3\n"
		     "msr	S3_0_C2_C1_0, %1\n"
		     "msr	S3_0_C2_C1_1, %2\n"
		     "isb\n"
		     : "+&r" (addr), "=&r" (low), "=&r" (high)
		     : "r" (modifier), "r" (key->lo), "r" (key->hi));
	return addr;
}

#else

static u64 sign_as(const struct task_struct *task, u64 addr, u64 modifier)
{
	return addr;
}

#endif

/**
 * arm64_return_is_foreign() - does a word hold a return address that another call has signed
 * @task: the task whose stack it is on
 * @frame: the stack pointer on entry to the call in question: it would sign with that
 * @word: the word, which stands for the address of a stub
 *
 * Context: all CPUs stopped.
 */
bool arm64_return_is_foreign(struct task_struct *task, unsigned long frame,
			     const unsigned long *word)
{
	unsigned long stub = arch_return_in(word);

	return *word != stub && signs_returns() && sign_as(task, stub, frame) != *word;
}

/*
 * A signed address was signed on entry: the modifier, the stack pointer, was then @frame.
 * An address that looks the same signed and unsigned is not replaced: the task itself
 * returns through the stub.
 */
bool arch_replace_return(struct task_struct *task, unsigned long frame,
			 unsigned long *word, unsigned long addr)
{
	unsigned long stub = arch_return_in(word);
	bool is_signed = *word != stub;

	if (is_signed != (signs_returns() && sign_as(task, stub, frame) == *word))
		return false;
	*word = is_signed ? sign_as(task, addr, frame) : addr;
	return true;
}

unsigned long arch_return_trampoline(void)
{
	return arm64_return_places.start;
}

bool arch_make_return_stub(u8 *bytes, unsigned long at)
{
	unsigned long from = at + INSN_SIZE;
	long distance = arch_return_trampoline() - from;
	u32 words[] = { ARM64_NOP, 0x94000000 | (distance >> 2 & 0x03ffffff) };

	static_assert(sizeof(words) == ARCH_RETURN_STUB_SIZE);
	memcpy(bytes, words, sizeof(words));
	return distance == sign_extend64(distance, 27);
}
