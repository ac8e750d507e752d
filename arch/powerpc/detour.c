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
 *	exit: where there are post handlers, if all hits go on at one place, as at the copy in the slot
 *	what follows the call, and a branch to there
 *
 * A hit with post handlers, or whose handler has chosen another path, goes on as in a trap.  Instead of behind
 * the call the hub returns to that exit, to where a jprobe's function is entered, or to a trap that puts all
 * registers back.
 *
 * The gate is a word of struct detour that powerpc_detour_hit() reads with interrupts off.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/stddef.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../fixed.h"
#include "../slot.h"
#include "assembly.h"
#include "emulate.h"

/* ---- making one ---- */

static bool emit_copy(struct assembly *a, const struct reach_region *region, unsigned long from)
{
	unsigned int nr = reach_copy(region, a->bytes + a->nr, from, a->addr + a->nr);

	a->nr += nr;
	return nr;
}

/* A client may have set a handler since they were counted: then there may be more than fit. */
static void record_handlers(struct detour *detour, const struct probe_point *pt)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	for_each_kprobe_at(p, pt) {
		kprobe_pre_handler_t handler = detour_handler(p);

		if (!handler)
			continue;
		if (detour->nr == DETOUR_MAX_HANDLERS)
			detour->shut = 1;
		else
			detour->calls[detour->nr++] = (struct detour_call){ p, handler };
	}
}

/* Where all hits with post handlers go on, before these or behind them; 0: it differs. */
static unsigned long goes_on_at(const struct probe_point *pt)
{
	if (!detour_has_post(pt))
		return 0;
	return pt->arch.insn.class == INSN_SLOT ? slot_copy(pt, SLOT_COPY_POST) : pt->arch.resume;
}

/* Failure is no error: hits leave by a trap. */
static void emit_exit(struct assembly *a, struct detour *detour)
{
	unsigned long exit = a->addr + a->nr, to = goes_on_at(detour->pt);

	if (!to || !assembly_exit(a, to))
		return;
	detour->exit = exit;
	detour->exit_to = to;
}

unsigned int arch_detour_size(struct assembly *a, struct detour *detour,
			      const struct detour_site *site)
{
	lockdep_assert_held(&kprobe_mutex);
	return (site->region.links ? ASSEMBLY_LINK_SIZE : 0) + ASSEMBLY_CALL_SIZE +
	       reach_copy_size(&site->region, detour->addr) +
	       (goes_on_at(site->pt) ? ASSEMBLY_EXIT_SIZE : 0);
}

const char *arch_detour_assemble(struct assembly *a, struct detour *detour,
				 const struct detour_site *site)
{
	detour->pt = site->pt;
	detour->shut = detour_gate_is_shut(site->pt);
	detour->has_post = detour_has_post(site->pt);
	record_handlers(detour, site->pt);
	*a = (struct assembly){ .addr = detour->code };
	detour->links = site->region.links;
	if (detour->links)
		assembly_link(a, detour->addr + INSN_SIZE);
	if (!assembly_begin(a, powerpc_detour_hit, detour))
		return detour_no_memory;
	detour->copy = a->addr + a->nr;
	if (!emit_copy(a, &site->region, detour->addr))
		return detour_no_memory;
	emit_exit(a, detour);
	return NULL;
}

/* Other code in slots begins with something else: what is no address of memory, or of another structure. */
static const struct detour *detour_at(unsigned long code, unsigned int links)
{
	unsigned long detour = READ_ONCE(*(unsigned long *)(code + links)), its_code;

	return virt_addr_valid((void *)detour) && IS_ALIGNED(detour, sizeof(long)) &&
	       emulate_load(detour + offsetof(struct detour, code), &its_code, sizeof(its_code)) &&
	       its_code == code ? (void *)detour : NULL;
}

/**
 * arch_copied_in_detour() - whose copy, in a detour, is at an address
 * @addr: where a load or store has faulted
 *
 * All others that a detour has are of its own stack.  Who is found is looked up.
 *
 * Context: any.
 * Return: the address of the probed instruction; 0 if it is no detour's.
 */
unsigned long arch_copied_in_detour(unsigned long addr)
{
	bool unused;
	unsigned long code = host_slot_around(addr, &unused);
	const struct detour *detour;

	if (!code)
		return 0;
	detour = detour_at(code, 0) ?: detour_at(code, ASSEMBLY_LINK_SIZE);
	return detour ? detour->addr : 0;
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

/* Not inline: the other way needs no registers to be saved for it. */
static noinline bool leave(struct detour *detour, struct pt_regs *regs,
			   void (*function)(struct probe_point *pt, struct pt_regs *regs))
{
	function(detour->pt, regs);
	return true;
}

/* Returns true if the hit goes on as @regs say. */
static __always_inline bool call_handlers(struct detour *detour, struct pt_regs *regs)
{
	unsigned int i;

	raise_preempt_count();
	for (i = 0; i < detour->nr; i++) {
		const struct detour_call call = detour->calls[i];

		dispatch_begin(call.p);
		if (unlikely(call.handler(call.p, regs)))
			return leave(detour, regs, dispatch_jump_left);
	}
	if (unlikely(detour->has_post))
		return leave(detour, regs, dispatch_jump_post);
	dispatch_done();
	lower_preempt_count();
	return false;
}

static __always_inline bool has_moved_stack(const struct pt_regs *regs)
{
	return regs->gpr[1] != (unsigned long)regs - POWERPC_DETOUR_REGS + POWERPC_DETOUR_ROOM;
}

static unsigned long way_to(const struct detour *detour, unsigned long nip)
{
	if (detour->exit && nip == detour->exit_to)
		return detour->exit;
	if (nip == (unsigned long)powerpc_jprobe_enter)
		return (unsigned long)powerpc_jprobe_jumped;
	if (nip == (unsigned long)powerpc_jprobe_enter_no_args)
		return (unsigned long)powerpc_jprobe_jumped_no_args;
	return (unsigned long)powerpc_detour_left;
}

/*
 * Has the hub return to where the hit goes on, as @regs say if it @leads elsewhere: with what it does not
 * restore as @regs say, too.  Only a trap can go to any place with any registers.
 */
static noinline void lead(const struct detour *detour, struct pt_regs *regs, bool leads)
{
	if (!leads)
		regs->nip = detour->copy;
	assembly_return_to(regs, has_moved_stack(regs) ? (unsigned long)powerpc_detour_left :
							way_to(detour, regs->nip));
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
	bool leads;

	arch_handlers_enter(&ctx);
	powerpc_note_access(regs, &ctx);
	regs->softe = ctx.flags;
	regs->nip = detour->addr;
	assembly_frame_is_of(regs, detour->addr);
	if (likely(!READ_ONCE(detour->shut) && !dispatch_busy()))
		leads = call_handlers(detour, regs);
	else
		leads = detour_look_up(detour, regs);
	if (!leads && detour->links)
		regs->link = detour->addr + INSN_SIZE;
	if (unlikely(leads || has_moved_stack(regs))) {
		lead(detour, regs, leads);
		/* Maybe with interrupts off, up to a place that puts them back. */
		ctx.flags = regs->softe;
	}
	arch_handlers_leave(&ctx);
}

/**
 * powerpc_trap_left() - the trap at powerpc_detour_left()
 * @regs: registers there; filled with those that handlers left, behind a jump or in a stub
 *
 * Context: that trap.
 */
void powerpc_trap_left(struct pt_regs *regs)
{
	struct pt_regs *saved = (void *)regs->gpr[1] + POWERPC_DETOUR_REGS;

	*(unsigned long *)(regs->gpr[1] + POWERPC_DETOUR_MARK_AT) = 0;
	powerpc_put_back(regs, saved);
	powerpc_resume_at(regs, regs->nip);
}
