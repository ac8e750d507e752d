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
 *	guard = kprobe; call handler; not 0? -> left	for each
 *	post handlers? call dispatch_jump_post -> arm64_resume
 *	guard = free
 *	preemption count down
 * restore:
 *	ldp x 16
 *	the copy of the instruction that the branch overwrites
 *	b to the next instruction of the function
 * left:
 *	call dispatch_jump_left -> arm64_resume
 * look up:
 *	call detour_look_up
 *	it goes on there? -> restore
 *	-> arm64_resume
 *	literals
 *
 * The branch is as long as the trap and as the instruction, so no task is ever in
 * the middle of what it overwrites.
 * There is no frame record of the probed function.  While there are detours, traces are hooked, and
 * add its address behind that of the detour: see traces.c.
 * A hit with post handlers, or whose handler has chosen another path, goes on as in a trap: by an
 * exception return (arm64_resume()), at the copy in the point's slot, behind what was emulated, or where the
 * handler chose.
 * The gate is data: a word of struct detour, read with interrupts off.  It says which per-CPU word
 * is tested, so that a shut gate and a held guard are one test.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../fixed.h"
#include "assembly.h"
#include "entry.h"

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

/**
 * struct branches - conditional branches to one place that comes later
 * @at: their words
 * @nr: how many
 */
struct branches {
	unsigned int at[DETOUR_MAX_HANDLERS];
	unsigned int nr;
};

static void land(struct assembly *a, const struct branches *branches)
{
	unsigned int i;

	for (i = 0; i < branches->nr && !a->failed; i++)
		a->words[branches->at[i]] |= (a->nr - branches->at[i]) << 5;
}

/*
 * Reads the gate, and pc on the way.  The per-CPU offset is in tpidr_el2 or tpidr_el1.
 * Branches if the word is not NULL.
 */
static void emit_gate(struct assembly *a, const struct detour *detour, struct branches *look_up)
{
	emit_literal(a, 4, (unsigned long)detour);
	emit_ldp(a, 2, GUARD, 4, offsetof(struct detour, addr));
	emit_save_pc(a);
	emit(a, (is_kernel_in_hyp_mode() ? 0xd53cd040 : 0xd538d080) | CPU);
	emit_load_guard(a, 2);
	look_up->at[look_up->nr++] = a->nr;
	emit(a, 0xb5000000 | 2);				/* cbnz x2, look up */
}

/* A client may set a handler while this is done, but not make it more of them than there is room for. */
static void emit_test(struct assembly *a, struct branches *left)
{
	if (left->nr == ARRAY_SIZE(left->at)) {
		a->failed = true;
		return;
	}
	left->at[left->nr++] = a->nr;
	emit(a, 0x35000000);					/* cbnz w0, left */
}

static void emit_handler(struct assembly *a, const struct kprobe *p, struct branches *left)
{
	kprobe_pre_handler_t handler = detour_handler(p);

	if (!handler)
		return;
	emit_literal(a, 0, (unsigned long)p);
	emit_store_guard(a, 0);
	emit_add(a, 1, STACK, 0);
	emit_call(a, (unsigned long)handler);
	if (!registered_kind(p)->goes_on)
		emit_test(a, left);
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

/* Goes on as the registers say, behind one of dispatch_jump_left() and dispatch_jump_post(). */
static void emit_leave(struct assembly *a, const struct probe_point *pt, unsigned long function)
{
	emit_literal(a, 0, (unsigned long)pt);
	emit_add(a, 1, STACK, 0);
	emit_call(a, function);
	emit_call(a, (unsigned long)arm64_resume);
}

static void emit_handlers(struct assembly *a, const struct probe_point *pt, struct branches *left)
{
	const struct kprobe *p;

	emit_raise_count(a);
	for_each_kprobe_at(p, pt)
		emit_handler(a, p, left);
	if (detour_has_post(pt)) {
		emit_leave(a, pt, (unsigned long)dispatch_jump_post);
		return;
	}
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
	/* tbz w0, #0, restore */
	emit(a, 0x36000000 | ((restore - here(a)) / INSN_SIZE & 0x3fff) << 5);
	emit_call(a, (unsigned long)arm64_resume);
}

static void assemble(struct assembly *a, struct detour *detour, const struct detour_site *site)
{
	const struct probe_point *pt = site->pt;
	bool serves = detour_count_handlers(pt) || detour_has_post(pt);
	struct branches left = { }, look_up = { };
	unsigned long restore;

	detour->guard = (unsigned long)&hit_state;
	if (detour_gate_is_shut(pt))
		arm64_detour_shut(detour);
	assembly_begin(a, pt->addr);
	emit_save(a);
	emit_gate(a, detour, &look_up);
	if (serves && !is_shut(detour))
		emit_handlers(a, pt, &left);
	restore = here(a);
	emit_restore(a);
	emit_copy(a, &site->region, pt->addr);
	land(a, &left);
	if (left.nr)
		emit_leave(a, pt, (unsigned long)dispatch_jump_left);
	land(a, &look_up);
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

/**
 * arch_copied_in_detour() - whose copy, in a detour, is at an address
 * @addr: where a load or store has faulted
 *
 * All others that a detour has are of its own stack.  The memory is not freed, but may be used anew: who is
 * found is looked up.
 *
 * Context: any.
 * Return: the address of the probed instruction; 0 if it is no detour's.
 */
unsigned long arch_copied_in_detour(unsigned long addr)
{
	bool is_run = false;
	unsigned long code = host_slot_around(addr, &is_run);

	return code && is_run ? assembly_stands_for(code) : 0;
}

/* ---- going on as registers say ---- */

/* PSTATE.DIT, whether time depends on data: a task may have it set.  Not all kernels touch it. */
#define DIT_REGISTER	sys_reg(3, 3, 4, 2, 5)
/* And SSBS, whether loads may overtake stores. */
#define SSBS_REGISTER	sys_reg(3, 3, 4, 2, 6)

static bool has_dit, reads_ssbs;

void arm64_resume_init(void)
{
	might_sleep();
	has_dit = cpu_have_named_feature(DIT);
	reads_ssbs = cpu_have_named_feature(SSBS);
}

/*
 * Where processors have SSBS and do not let it be read, the kernel does not write it either: it is what the
 * last exception has set it to.
 */
static __always_inline u64 ssbs_now(void)
{
	if (reads_ssbs)
		return read_sysreg_s(SSBS_REGISTER) & PSR_SSBS_BIT;
	return read_sysreg(sctlr_el1) & SCTLR_ELx_DSSBS ? PSR_SSBS_BIT : 0;
}

/* What handlers can't change, and registers that were saved by no exception do not have. */
static __always_inline u64 modes_now(void)
{
	return (has_dit ? read_sysreg_s(DIT_REGISTER) & PSR_DIT_BIT : 0) | ssbs_now();
}

/**
 * arm64_resume_state() - what arm64_resume() does in C: what the kernel does before it returns to its own
 * @regs: with which execution goes on
 *
 * Context: all exceptions masked.
 * Return: pstate for the processor.
 */
asmlinkage __kprobes u64 arm64_resume_state(struct pt_regs *regs)
{
	u64 pstate = (regs->pstate & ~(u64)(PSR_DIT_BIT | PSR_SSBS_BIT)) | modes_now();

	if (system_uses_ttbr0_pan()) {
		arm64_reopen_user(regs);
		pstate &= ~(u64)PSR_PAN_BIT;	/* processors without PAN do not know it */
	} else {
		arm64_limit_leave(arm64_limit(regs));
	}
	if (system_uses_irq_prio_masking()) {
		write_sysreg_s(arm64_pmr(regs), SYS_ICC_PMR_EL1);
		pmr_sync();
	}
	return pstate;
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
