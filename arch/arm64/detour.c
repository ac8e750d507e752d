// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detour buffers: the targets of branches that replace traps.
 *
 * A detour buffer is made for one set of handlers and calls them directly, without
 * a lookup:
 *
 *	address				of the probed instruction: data, for stack traces
 * entry:
 *	sub sp; stp x 17		struct pt_regs, as built by a trap
 *	stp x29, address		frame record: unwinders find the probed function
 *	msr daifset			masks interrupts, as a trap does
 *	gate shut or guard held? -> look up
 *	preemption count up
 *	guard = kprobe; call handler	for each
 *	guard = free
 *	preemption count down
 * restore:
 *	ldp x 16; add sp
 *	the copy of the instruction that the branch overwrites
 *	b to the next instruction of the function
 * look up:
 *	call detour_look_up
 *	b restore
 *	literals
 *
 * The branch is as long as the trap and as the instruction, so no task is ever in
 * the middle of what it overwrites.
 * The gate is data: a word of struct detour, read with interrupts off.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <asm/cpufeature.h>
#include <asm/virt.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../fixed.h"
#include "assembly.h"

static_assert(offsetof(struct hit_state, running) == 0);

/* Callee-saved registers: handlers preserve them. */
#define GUARD		19
#define TASK		20

/* add and sub of an immediate, 32 bits */
#define ARM64_ADD32	0x11000000
#define ARM64_SUB32	0x51000000

/* Read and written like the kernel's __preempt_count_add(), in struct task_struct. */
#define PREEMPT_COUNT	(offsetof(struct task_struct, thread_info) + \
			 offsetof(struct thread_info, preempt.count))
static_assert(PREEMPT_COUNT % 4 == 0 && PREEMPT_COUNT < 4096 * 4);

/* Finds this CPU's guard.  The per-CPU offset is in tpidr_el2 or tpidr_el1. */
static void emit_find_guard(struct assembly *a)
{
	emit(a, (is_kernel_in_hyp_mode() ? 0xd53cd040 : 0xd538d080) | GUARD);
	emit_literal(a, 2, (unsigned long)&hit_state);
	emit(a, 0x8b020273);					/* add x19, x19, x2 */
}

/* Branches if the gate is shut or the guard held.  Returns the branch: its target is set later. */
static unsigned int emit_gate(struct assembly *a, const struct detour *detour)
{
	emit_literal(a, 3, (unsigned long)&detour->shut);
	emit(a, 0xb9400000 | 3 << 5 | 3);			/* ldr w3, the gate */
	emit_ldr(a, 2, GUARD, 0);
	emit(a, 0xaa030042);					/* orr x2, x2, x3 */
	emit(a, 0xb5000000 | 2);				/* cbnz x2, look up */
	return a->nr - 1;
}

static void emit_handler(struct assembly *a, const struct kprobe *p)
{
	emit_literal(a, 0, (unsigned long)p);
	emit_str(a, 0, GUARD);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)p->pre_handler);
}

/* raise_preempt_count() and lower_preempt_count() */
static void emit_find_task(struct assembly *a)
{
	emit(a, 0xd5384100 | TASK);				/* mrs x20, sp_el0 */
}

static void emit_change_preempt_count(struct assembly *a, u32 add_or_sub)
{
	emit(a, 0xb9400000 | PREEMPT_COUNT / 4 << 10 | TASK << 5 | 2);	/* ldr w2, the count */
	emit(a, add_or_sub | PREEMPT_OFFSET << 10 | 2 << 5 | 2);
	emit(a, 0xb9000000 | PREEMPT_COUNT / 4 << 10 | TASK << 5 | 2);	/* str */
}

static void emit_handlers(struct assembly *a, const struct probe_point *pt)
{
	const struct kprobe *p;

	emit_find_task(a);
	emit_change_preempt_count(a, ARM64_ADD32);
	for_each_kprobe_at(p, pt)
		if (detour_calls(p))
			emit_handler(a, p);
	emit_str(a, STACK, GUARD);				/* register 31 is zero here */
	emit_change_preempt_count(a, ARM64_SUB32);
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

static void emit_look_up(struct assembly *a, const struct detour *detour, unsigned long restore)
{
	emit_literal(a, 0, (unsigned long)detour);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)detour_look_up);
	emit(a, assembly_branch(here(a), restore, &a->failed));
}

static void assemble(struct assembly *a, struct detour *detour, const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	unsigned int nr = detour_count_handlers(pt), gate;
	unsigned long restore;

	detour->shut = detour_gate_is_shut(nr);
	assembly_begin(a, pt->addr);
	emit_save(a);
	emit_find_guard(a);
	gate = emit_gate(a, detour);
	if (nr && !detour->shut)
		emit_handlers(a, pt);
	restore = here(a);
	emit_restore(a);
	emit_copy(a, &site->region, pt->addr);
	if (!a->failed)
		a->words[gate] |= (a->nr - gate) << 5;
	emit_look_up(a, detour, restore);
	emit_literals(a);
}

/* The size does not depend on the address. */
unsigned int arch_detour_size(struct assembly *a, struct detour *detour,
			      const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	a->addr = site->pt->addr & PAGE_MASK;
	assemble(a, detour, site);
	return a->failed ? 0 : a->nr * INSN_SIZE;
}

const char *arch_detour_assemble(struct assembly *a, struct detour *detour,
				 const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	a->addr = detour->code;
	assemble(a, detour, site);
	return a->failed ? detour_too_far : NULL;
}

const char *arch_detour_obstacle(void)
{
	if (system_uses_ttbr0_pan())
		return "this CPU lacks PAN, so handlers could access user memory";
	return NULL;
}

const char *arch_detour_judge(struct detour_site *site, unsigned long addr)
{
	struct reach_facts facts = {
		.is_owned = detour_is_owned,
		.has_fixup = detour_has_fixup,
		.guarded = arm64_text_is_guarded(),
		.waits = arm64_before_wait,
	};

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (text_original(addr, site->bytes, sizeof(site->bytes)) < sizeof(site->bytes) ||
	    host_foreign_probe(addr))
		return text_foreign;
	return reach_reason_text(reach_region(&site->region, site->bytes, sizeof(site->bytes),
					      addr, &facts));
}
