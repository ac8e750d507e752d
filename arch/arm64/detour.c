// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detour buffers: the targets of branches that replace traps.
 *
 * A detour buffer is made for one set of handlers and calls them directly, without
 * a lookup:
 *
 *	address				of the probed instruction: data, for stack traces
 * entry:
 *	stp x 17			struct pt_regs, as built by a trap
 *	msr daifset			masks interrupts, as a trap does
 *	gate shut or guard held? -> look up
 *	preemption count up
 *	guard = kprobe; call handler	for each
 *	guard = free
 *	preemption count down
 * restore:
 *	ldp x 16
 *	the copy of the instruction that the branch overwrites
 *	b to the next instruction of the function
 * look up:
 *	call detour_look_up
 *	b restore
 *	literals
 *
 * The branch is as long as the trap and as the instruction, so no task is ever in
 * the middle of what it overwrites.
 * There is no frame record of the probed function.  While there are detours, traces are hooked, and
 * add its address behind that of the detour: see traces.c.
 * The gate is data: a word of struct detour, read with interrupts off.  It says which per-CPU word
 * is tested, so that a shut gate and a held guard are one test.
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

/* Callee-saved registers: handlers preserve them.  The guard is at CPU + GUARD. */
#define CPU		19
#define GUARD		20
#define TASK		21
#define COUNT		22

#define ZERO		31	/* in place of a register that is stored */

/* add of an immediate, 32 bits */
#define ARM64_ADD32	0x11000000

/* What hits of a shut gate test. */
static DEFINE_PER_CPU(struct kprobe *, never_free) = GUARD_HELD;

void arm64_detour_shut(struct detour *detour)
{
	WRITE_ONCE(detour->guard, (unsigned long)&never_free);
}

static bool is_shut(const struct detour *detour)
{
	return detour->guard == (unsigned long)&never_free;
}

/* Read and written like the kernel's __preempt_count_add(), in struct task_struct. */
#define PREEMPT_COUNT	(offsetof(struct task_struct, thread_info) + \
			 offsetof(struct thread_info, preempt.count))
static_assert(PREEMPT_COUNT % 4 == 0 && PREEMPT_COUNT < 4096 * 4);

/* The guard is a register's offset from the CPU's memory: ldr and str with rt. */

static void emit_load_guard(struct assembly *a, unsigned int rt)
{
	emit(a, 0xf8606800 | GUARD << 16 | CPU << 5 | rt);
}

static void emit_store_guard(struct assembly *a, unsigned int rt)
{
	emit(a, 0xf8206800 | GUARD << 16 | CPU << 5 | rt);
}

/*
 * Reads the gate, and pc on the way.  The per-CPU offset is in tpidr_el2 or tpidr_el1.
 * Branches if the word is not NULL.  Returns the branch: its target is set later.
 */
static unsigned int emit_gate(struct assembly *a, const struct detour *detour)
{
	emit_literal(a, 4, (unsigned long)detour);
	emit_ldp(a, 2, GUARD, 4, offsetof(struct detour, addr));
	emit_save_pc(a);
	emit(a, (is_kernel_in_hyp_mode() ? 0xd53cd040 : 0xd538d080) | CPU);
	emit_load_guard(a, 2);
	emit(a, 0xb5000000 | 2);				/* cbnz x2, look up */
	return a->nr - 1;
}

static void emit_handler(struct assembly *a, const struct kprobe *p)
{
	kprobe_pre_handler_t handler = detour_handler(p);

	if (!handler)
		return;
	emit_literal(a, 0, (unsigned long)p);
	emit_store_guard(a, 0);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)handler);
}

/* raise_preempt_count() and lower_preempt_count(); handlers leave it as they find it. */

static void emit_store_count(struct assembly *a, unsigned int rt)
{
	emit(a, 0xb9000000 | PREEMPT_COUNT / 4 << 10 | TASK << 5 | rt);
}

static void emit_raise_count(struct assembly *a)
{
	emit(a, 0xd5384100 | TASK);				/* mrs x21, sp_el0 */
	emit(a, 0xb9400000 | PREEMPT_COUNT / 4 << 10 | TASK << 5 | COUNT);	/* ldr w22 */
	emit(a, ARM64_ADD32 | PREEMPT_OFFSET << 10 | COUNT << 5 | 2);
	emit_store_count(a, 2);
}

static void emit_handlers(struct assembly *a, const struct probe_point *pt)
{
	const struct kprobe *p;

	emit_raise_count(a);
	for_each_kprobe_at(p, pt)
		emit_handler(a, p);
	emit_store_guard(a, ZERO);
	emit_store_count(a, COUNT);
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

	detour->guard = (unsigned long)&hit_state;
	if (detour_gate_is_shut(nr))
		arm64_detour_shut(detour);
	assembly_begin(a, pt->addr);
	emit_save(a);
	gate = emit_gate(a, detour);
	if (nr && !is_shut(detour))
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
	return a->failed ? 0 : assembly_size(a);
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

/* Each begins with what saves the link register for the tracer: it can be copied anywhere. */
bool arch_fprobe_kprobes(void)
{
	return !arch_detour_obstacle();
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
