// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detour buffers: the targets of branches that replace traps.
 *
 * One branch replaces one word, so one store is enough, and branch targets in the
 * function need not be known.  The buffer must be in reach, though: those for the
 * kernel image lie within its text, see arch_borrow_text().
 *
 *	a call of powerpc_detour_hit(): see assembly.c
 *	the copy of the instruction, and a branch to the next one
 *
 * The gate is a word of struct detour that powerpc_detour_hit() reads with interrupts off.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../fixed.h"
#include "assembly.h"

/* ---- making one ---- */

static bool emit_copy(struct assembly *a, const struct reach_region *region, unsigned long from)
{
	unsigned int nr = reach_copy(region, a->bytes + a->nr, from, a->addr + a->nr);

	a->nr += nr;
	return nr;
}

/* Returns how many there are, which may be more than fit. */
static unsigned int record_handlers(struct detour *detour, const struct probe_point *pt)
{
	struct kprobe *p;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	for_each_kprobe_at(p, pt) {
		kprobe_pre_handler_t handler = detour_handler(p);

		if (!handler)
			continue;
		if (nr < DETOUR_MAX_HANDLERS)
			detour->calls[nr] = (struct detour_call){ p, handler };
		nr++;
	}
	detour->nr = min_t(unsigned int, nr, DETOUR_MAX_HANDLERS);
	return nr;
}

unsigned int arch_detour_size(struct assembly *a, struct detour *detour,
			      const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	return (site->region.links ? ASSEMBLY_LINK_SIZE : 0) + ASSEMBLY_CALL_SIZE +
	       reach_copy_size(&site->region, detour->addr);
}

const char *arch_detour_assemble(struct assembly *a, struct detour *detour,
				 const struct detour_site *site)
{
	record_handlers(detour, site->pt);
	detour->shut = detour_gate_is_shut(site->pt);
	*a = (struct assembly){ .addr = detour->code };
	detour->links = site->region.links;
	if (detour->links)
		assembly_link(a, detour->addr + INSN_SIZE);
	if (!assembly_begin(a, powerpc_detour_hit, detour) ||
	    !emit_copy(a, &site->region, detour->addr))
		return detour_no_memory;
	return NULL;
}

/* ---- which places ---- */

const char *arch_detour_obstacle(void)
{
	return NULL;
}

const char *arch_detour_judge(struct detour_site *site, unsigned long addr)
{
	struct reach_facts facts = { .is_owned = detour_is_owned, .has_fixup = detour_has_fixup };
	unsigned long start, size;
	struct host_area area;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (!host_symbol_bounds(addr, &start, &size))
		return reach_reason_text(REACH_END);
	size = min_t(unsigned long, start + size - addr, sizeof(site->bytes));
	if (!text_original(addr, site->bytes, size) || host_foreign_probe(addr))
		return text_foreign;
	powerpc_detour_area(addr, &area);
	facts.detours = area.start;
	facts.detours_end = area.end;
	return reach_reason_text(reach_region(&site->region, site->bytes, size, addr, &facts));
}

/* ---- hits ---- */

static __always_inline void call_handlers(struct detour *detour, struct pt_regs *regs)
{
	unsigned int i;

	raise_preempt_count();
	for (i = 0; i < detour->nr; i++) {
		const struct detour_call call = detour->calls[i];

		dispatch_begin(call.p);
		call.handler(call.p, regs);
	}
	dispatch_done();
	lower_preempt_count();
}

/*
 * In real mode neither this module's text nor the data of clients can be reached: the hub has
 * done what the copy needs, and no handler runs.
 */
void powerpc_detour_missed(const struct pt_regs *regs)
{
	const struct detour *detour = (void *)regs->gpr[3];
	struct probe_point *pt = table_find(detour->addr);

	if (pt && point_is_armed(pt))
		dispatch_miss(pt);
}

/**
 * powerpc_detour_hit() - a branch to a detour buffer was taken
 * @detour: the detour
 * @regs: registers, as at a trap, except nip and softe, which are set here
 *
 * Context: that of the probed function.
 */
asmlinkage void powerpc_detour_hit(struct detour *detour, struct pt_regs *regs)
{
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	regs->softe = ctx.flags;
	regs->nip = detour->addr;
	assembly_frame_is_of(regs, detour->addr);
	if (likely(!READ_ONCE(detour->shut) && !dispatch_busy()))
		call_handlers(detour, regs);
	else
		detour_look_up(detour, regs);
	if (detour->links)
		regs->link = detour->addr + INSN_SIZE;
	arch_handlers_leave(&ctx);
}
