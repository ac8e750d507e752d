// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detours: what a branch in place of a trap leads to.
 *
 * One branch replaces one word, so it takes no more than a store, and it does
 * not matter where else execution may come to.  It must reach, though: detours
 * for the kernel image lie amid its text, see arch_borrow_text().
 *
 *	the gate, a call of powerpc_detour_hit(): see assembly.c
 *	what does what the instruction did, and goes on behind it
 *
 * The gate is a word that powerpc_detour_hit() reads once interrupts are off: who has
 * seen it open is waited for by a sync of all CPUs.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"
#include "assembly.h"
#include "detour.h"

const char * const arch_jump_unknown = "there is no memory to judge it";

/* ---- making one ---- */

static bool emit_copy(struct assembly *a, const struct reach_region *region, unsigned long from)
{
	unsigned int nr = reach_copy(region, a->bytes + a->nr, from, a->addr + a->nr);

	a->nr += nr;
	return nr;
}

/*
 * Those who keep books about interrupts must be told, which dispatch_jump()
 * does: on such kernels the gate is shut from the beginning.
 */
static bool gate_is_shut(unsigned int nr_handlers)
{
	return IS_ENABLED(CONFIG_TRACE_IRQFLAGS) || nr_handlers > POWERPC_MAX_HANDLERS;
}

static bool is_called(const struct kprobe *p)
{
	return p->pre_handler && !kprobe_disabled(p);
}

/* Returns how many there are. */
static unsigned int note_handlers(struct powerpc_detour *detour, const struct probe_point *pt)
{
	struct kprobe *p;
	unsigned int nr = 0;

	list_for_each_entry(p, &pt->probes, list) {
		if (!is_called(p))
			continue;
		if (nr < POWERPC_MAX_HANDLERS)
			detour->probes[nr] = p;
		nr++;
	}
	detour->nr = min_t(unsigned int, nr, POWERPC_MAX_HANDLERS);
	return nr;
}

static bool fill(struct powerpc_detour *detour, const struct probe_point *pt,
		 const struct reach_region *region)
{
	bool shut = gate_is_shut(note_handlers(detour, pt));
	struct assembly a = { .addr = detour->code };

	return assembly_begin(&a, powerpc_detour_hit, detour, shut) &&
	       emit_copy(&a, region, pt->addr) && !assembly_write(&a);
}

static struct powerpc_detour *make_detour(struct probe_point *pt,
					  const struct reach_region *region)
{
	struct powerpc_detour *detour = inject_failure() ? NULL :
					kzalloc(sizeof(*detour), GFP_KERNEL);

	if (!detour)
		return NULL;
	detour->addr = pt->addr;
	detour->links = region->links;
	detour->code = host_run_alloc(ASSEMBLY_CALL_SIZE + reach_copy_size(region, pt->addr),
				      pt->addr);
	detour->gate = (const u32 *)(detour->code + ASSEMBLY_WORD);
	detour->entry = detour->code + ASSEMBLY_ENTRY;
	if (detour->code && fill(detour, pt, region))
		return detour;
	if (detour->code)
		host_slot_free(detour->code, NULL);
	kfree(detour);
	return NULL;
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
static const char *judge(unsigned long addr, struct reach_region *region)
{
	struct reach_facts facts = { .is_owned = is_owned, .has_fixup = has_fixup };
	unsigned long start, size;
	struct host_area area;
	u8 bytes[REACH_MAX_LENGTH];

	if (!host_symbol_bounds(addr, &start, &size))
		return reach_reason_text(REACH_END);
	size = min_t(unsigned long, start + size - addr, sizeof(bytes));
	if (!text_original(addr, bytes, size) || host_foreign_probe(addr))
		return text_foreign;
	powerpc_detour_area(addr, &area);
	facts.detours = area.start;
	facts.detours_end = area.end;
	return reach_reason_text(reach_region(region, bytes, size, addr, &facts));
}

const char *arch_jump_verdict(unsigned long addr, struct module *mod)
{
	struct reach_region region;

	return judge(addr, &region);
}

const char *arch_jump_prepare(struct probe_point *pt)
{
	struct reach_region region;
	const char *why;

	if (pt->arch.detour)
		return NULL;
	why = judge(pt->addr, &region);
	if (why)
		return why;
	pt->arch.detour = make_detour(pt, &region);
	return pt->arch.detour ? NULL : "there is no memory for a detour";
}

/* The trap is as long as the jump: hits resume as before. */
void arch_jump_publish(struct probe_point *pt)
{
}

void arch_jump_discard(struct probe_point *pt)
{
	struct powerpc_detour *detour = pt->arch.detour;

	if (!detour)
		return;
	pt->arch.detour = NULL;
	host_slot_free(detour->code, detour);
}

/* Of a prefixed instruction a word is left behind the branch. */
bool arch_jump_fits(const struct probe_point *pt)
{
	return pt->arch.detour && host_text_is(pt->addr + INSN_SIZE, pt->arch.bytes + INSN_SIZE,
					       pt->arch.insn.length - INSN_SIZE);
}

/* Nobody goes on amid an instruction. */
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

static void make_edit(unsigned long addr, const void *word, struct text_edit *edit)
{
	edit->addr = addr;
	edit->len = INSN_SIZE;
	memcpy(edit->bytes, word, INSN_SIZE);
}

static const u32 trap = POWERPC_TRAP;

const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr)
{
	*nr = point_is_armed(pt) ? INSN_SIZE : 0;
	return pt->arch.bytes;
}

void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit)
{
	make_edit(pt->addr, &trap, edit);
}

void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	make_edit(pt->addr, pt->arch.bytes, edit);
	if (jump)
		reach_branch(edit->bytes, pt->addr, pt->arch.detour->entry);
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	edit->len = 0;
}

void arch_edit_gate(const struct probe_point *pt, struct text_edit *edit)
{
	const u32 shut = 1;

	make_edit((unsigned long)pt->arch.detour->gate, &shut, edit);
}

bool arch_point_intact(const struct probe_point *pt)
{
	u8 branch[INSN_SIZE];

	if (!point_is_armed(pt))
		return host_text_is(pt->addr, pt->arch.bytes, pt->arch.insn.length);
	if (!point_is_jump(pt))
		return host_text_is(pt->addr, (const u8 *)&trap, INSN_SIZE);
	reach_branch(branch, pt->addr, pt->arch.detour->entry);
	return host_text_is(pt->addr, branch, INSN_SIZE);
}

/* ---- hits ---- */

/*
 * Whoever was on the way when the gate was shut is still a hit of the point, if
 * that lives.  The detour may have outlived it.
 */
static noinline void look_up(struct powerpc_detour *detour, struct pt_regs *regs)
{
	struct probe_point *pt = table_find(detour->addr);

	if (pt && point_is_armed(pt))
		dispatch_jump(pt, regs);
}

static __always_inline void call_handlers(struct powerpc_detour *detour, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < detour->nr; i++) {
		struct kprobe *p = detour->probes[i];

		dispatch_begin(p);
		p->pre_handler(p, regs);
	}
	dispatch_done();
}

/**
 * powerpc_detour_hit() - a branch has led to a detour
 * @detour: the detour
 * @regs: registers, as at a trap; what interrupts are is not yet among them
 *
 * Context: that of the probed function.
 */
asmlinkage void powerpc_detour_hit(struct powerpc_detour *detour, struct pt_regs *regs)
{
	struct handler_context ctx;

	powerpc_keep_access(&ctx);
	arch_handlers_enter(&ctx);
	regs->softe = ctx.flags;
	regs->nip = detour->addr;
	assembly_frame_is_of(regs, detour->addr);
	if (likely(!READ_ONCE(*detour->gate) && !dispatch_busy()))
		call_handlers(detour, regs);
	else
		look_up(detour, regs);
	if (detour->links)
		regs->link = detour->addr + INSN_SIZE;
	powerpc_restore_access(&ctx);
	arch_handlers_leave(&ctx);
}
