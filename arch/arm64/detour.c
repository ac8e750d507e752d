// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detours: what a branch in place of a trap leads to.
 *
 * A detour is made for one set of handlers and calls them directly.  Nothing is
 * looked up on the way, so it is all in these words:
 *
 * entry:
 *	sub sp; stp x 17		struct pt_regs, as behind a trap
 *	stp x29, address		a frame, for an unwinder to find the function
 *	msr daifset			as behind a trap
 *	nop				the gate
 *	guard held? -> look up
 *	guard = kprobe; call handler	for each
 *	guard = free
 * restore:
 *	ldp x 16; add sp
 *	the copy of the instruction that the branch overwrites
 *	b to what follows it
 * look up:
 *	call arm64_detour_look_up
 *	b restore
 *	literals
 *
 * The branch is as long as the trap and as the instruction, so nobody is ever
 * amid what it overwrites.
 *
 * The gate is a nop.  One store makes a branch to "look up" of it, at any
 * time: who has not passed it then never calls a handler from here, and who has
 * passed it runs with interrupts off, so that a sync of all CPUs waits for him.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/virt.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"
#include "assembly.h"
#include "reach.h"

static_assert(offsetof(struct hit_state, running) == 0);

/* A register that handlers keep. */
#define GUARD		19

/**
 * struct arm64_detour - a detour
 * @code: where it is, and entered
 * @gate: the word in it that, rewritten, has all hits looked up by dispatch_jump()
 * @look_up: where that leads
 * @addr: of the probe point that it was made for
 *
 * Tasks may be in a detour long after its point has been freed: it is freed
 * together with the code.
 */
struct arm64_detour {
	unsigned long code;
	unsigned long gate;
	unsigned long look_up;
	unsigned long addr;
};

asmlinkage void arm64_detour_look_up(struct arm64_detour *detour, struct pt_regs *regs);

/* This CPU's guard: where per-CPU variables begin is in one of two registers. */
static void emit_find_guard(struct assembly *a)
{
	emit(a, (is_kernel_in_hyp_mode() ? 0xd53cd040 : 0xd538d080) | GUARD);
	emit_literal(a, 2, (unsigned long)&hit_state);
	emit(a, 0x8b020273);					/* add x19, x19, x2 */
}

/* ldr x2, guard; cbnz x2, to where it is looked up.  Returns what has to be told where that is. */
static unsigned int emit_test(struct assembly *a)
{
	emit_ldr(a, 2, GUARD, 0);
	emit(a, 0xb5000000 | 2);
	return a->nr - 1;
}

static void emit_handler(struct assembly *a, const struct kprobe *p)
{
	emit_literal(a, 0, (unsigned long)p);
	emit_str(a, 0, GUARD);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)p->pre_handler);
}

static bool is_called(const struct kprobe *p)
{
	return p->pre_handler && !kprobe_disabled(p);
}

static unsigned int count_handlers(const struct probe_point *pt)
{
	const struct kprobe *p;
	unsigned int nr = 0;

	list_for_each_entry(p, &pt->probes, list)
		nr += is_called(p);
	return nr;
}

static void emit_handlers(struct assembly *a, const struct probe_point *pt)
{
	const struct kprobe *p;

	list_for_each_entry(p, &pt->probes, list)
		if (is_called(p))
			emit_handler(a, p);
	emit_str(a, STACK, GUARD);				/* as a source it is zero */
}

/*
 * Those who keep books about interrupts must be told, which is no work for
 * assembly: on such kernels the gate is shut from the beginning.
 */
static bool gate_is_shut(unsigned int nr_handlers)
{
	return IS_ENABLED(CONFIG_TRACE_IRQFLAGS) || nr_handlers > ASSEMBLY_MAX_HANDLERS;
}

static void emit_copy(struct assembly *a, const struct reach_region *region, unsigned long from)
{
	unsigned int size;

	if (a->nr + REACH_MAX_COPY / INSN_SIZE > ASSEMBLY_MAX_WORDS) {
		a->failed = true;
		return;
	}
	size = reach_copy(region, (u8 *)&a->words[a->nr], from, here(a));
	a->failed |= !size;
	a->nr += size / INSN_SIZE;
}

static void emit_look_up(struct assembly *a, struct arm64_detour *detour, unsigned long restore)
{
	detour->look_up = here(a);
	emit_literal(a, 0, (unsigned long)detour);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)arm64_detour_look_up);
	emit(a, assembly_branch(here(a), restore, &a->failed));
}

static void assemble(struct assembly *a, struct arm64_detour *detour, const struct probe_point *pt,
		     const struct reach_region *region)
{
	unsigned int nr = count_handlers(pt), gate, test;
	unsigned long restore;
	bool shut = gate_is_shut(nr);

	a->nr = a->nr_literals = 0;
	a->failed = false;
	emit_save(a, pt->addr);
	gate = a->nr;
	emit(a, ARM64_NOP);
	emit_find_guard(a);
	test = emit_test(a);
	if (nr && nr <= ASSEMBLY_MAX_HANDLERS)
		emit_handlers(a, pt);
	restore = here(a);
	emit_restore(a);
	emit_copy(a, region, pt->addr);
	emit_look_up(a, detour, restore);
	emit_literals(a);
	detour->gate = a->addr + gate * INSN_SIZE;
	if (a->failed)
		return;
	a->words[test] |= (detour->look_up - (a->addr + test * INSN_SIZE)) / INSN_SIZE << 5;
	if (shut)
		a->words[gate] = assembly_branch(detour->gate, detour->look_up, &a->failed);
}

/* ---- making one ---- */

static const char no_memory[] = "there is no memory for a detour that a branch could go to";

/* Detours of the same place lie alike: another one would reach no farther. */
static const char too_far[] = "what the instruction leads to is too far from a detour";

/* It is as long wherever it is. */
static const char *place(struct assembly *a, struct arm64_detour *detour,
			 const struct probe_point *pt, const struct reach_region *region)
{
	int err;

	a->addr = pt->addr & PAGE_MASK;
	assemble(a, detour, pt, region);
	if (a->failed)
		return too_far;
	a->addr = host_run_alloc(a->nr * INSN_SIZE, pt->addr);
	detour->code = a->addr;
	if (!a->addr)
		return no_memory;
	assemble(a, detour, pt, region);
	err = a->failed ? 0 : assembly_write(a);
	if (!a->failed && !err)
		return NULL;
	host_slot_free(a->addr, NULL);
	return err ? no_memory : too_far;
}

static const char *make_detour(struct probe_point *pt, const struct reach_region *region)
{
	struct arm64_detour *detour = inject_failure() ? NULL :
				      kzalloc(sizeof(*detour), GFP_KERNEL);
	struct assembly *a = kmalloc(sizeof(*a), GFP_KERNEL);
	const char *why = no_memory;

	if (detour && a) {
		detour->addr = pt->addr;
		why = place(a, detour, pt, region);
	}
	kfree(a);
	if (why)
		kfree(detour);
	else
		pt->arch.detour = detour;
	return why;
}

/* ---- which places ---- */

static bool is_owned(void *unused, u64 start, u64 end)
{
	return host_ftrace_within(start, end) || host_patched(start, end);
}

static bool has_fixup(void *unused, u64 addr)
{
	return host_exception_entry(addr);
}

/* Returns NULL if it may be a jump. */
static const char *judge(struct reach_region *region, unsigned long addr)
{
	struct reach_facts facts = {
		.is_owned = is_owned,
		.has_fixup = has_fixup,
		.guarded = arm64_text_is_guarded(),
	};
	u8 bytes[INSN_SIZE];

	if (text_original(addr, bytes, sizeof(bytes)) < sizeof(bytes) || host_foreign_probe(addr))
		return text_foreign;
	return reach_reason_text(reach_region(region, bytes, sizeof(bytes), addr, &facts));
}

const char * const arch_jump_unknown = "it could not be found out";

const char *arch_jump_verdict(unsigned long addr, struct module *mod)
{
	struct reach_region region;

	return judge(&region, addr);
}

const char *arch_jump_prepare(struct probe_point *pt)
{
	struct reach_region region;
	const char *why;

	if (pt->arch.detour)
		return NULL;
	if (system_uses_ttbr0_pan())
		return "handlers would not be kept from user space's memory on this processor";
	why = judge(&region, pt->addr) ?: make_detour(pt, &region);
	if (why == too_far)
		point_judge(pt, why);
	return why;
}

/* The trap is as long as the jump: hits resume as before. */
void arch_jump_publish(struct probe_point *pt)
{
}

void arch_jump_discard(struct probe_point *pt)
{
	struct arm64_detour *detour = pt->arch.detour;

	if (!detour)
		return;
	pt->arch.detour = NULL;
	host_slot_free(detour->code, detour);
}

/* There is nothing behind the trap. */
bool arch_jump_fits(const struct probe_point *pt)
{
	return pt->arch.detour;
}

bool arch_jump_overwrites(const struct probe_point *pt, unsigned long addr)
{
	return false;
}

void arch_jump_forget_module(struct module *mod)
{
}

void arch_jump_exit(void)
{
}

/* ---- the text ---- */

const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr)
{
	*nr = point_is_armed(pt) ? INSN_SIZE : 0;
	return pt->arch.bytes;
}

static void make_edit(unsigned long addr, const void *word, struct text_edit *edit)
{
	edit->addr = addr;
	edit->len = INSN_SIZE;
	memcpy(edit->bytes, word, INSN_SIZE);
}

static u32 jump_word(const struct probe_point *pt)
{
	bool failed = false;

	return assembly_branch(pt->addr, pt->arch.detour->code, &failed);
}

void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit)
{
	u32 trap = ARM64_BRK(ARM64_IMM_POINT);

	make_edit(pt->addr, &trap, edit);
}

void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	u32 word;

	memcpy(&word, pt->arch.bytes, sizeof(word));
	if (jump)
		word = jump_word(pt);
	make_edit(pt->addr, &word, edit);
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	edit->addr = pt->addr;
	edit->len = 0;
}

void arch_edit_gate(const struct probe_point *pt, struct text_edit *edit)
{
	const struct arm64_detour *detour = pt->arch.detour;
	bool failed = false;
	u32 word = assembly_branch(detour->gate, detour->look_up, &failed);

	make_edit(detour->gate, &word, edit);
}

bool arch_point_intact(const struct probe_point *pt)
{
	u32 text = READ_ONCE(*(u32 *)pt->addr);

	if (!point_is_armed(pt))
		return host_text_is(pt->addr, pt->arch.bytes, INSN_SIZE);
	return text == (point_is_jump(pt) ? jump_word(pt) : ARM64_BRK(ARM64_IMM_POINT));
}

/**
 * arm64_detour_look_up() - a detour does not know what to call, or may not
 * @detour: the detour
 * @regs: registers, as behind a trap
 *
 * Whoever was on the way when the gate was shut is still a hit of the point, if
 * that lives.  The detour may have outlived it.
 *
 * Context: that of the probed function, interrupts off.
 */
asmlinkage void arm64_detour_look_up(struct arm64_detour *detour, struct pt_regs *regs)
{
	struct probe_point *pt = table_find(detour->addr);

	if (pt && point_is_armed(pt))
		dispatch_jump(pt, regs);
}
