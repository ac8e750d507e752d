// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making and discarding detour buffers, for all architectures: detour.h.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../host/arch_host.h"
#include "../core/dispatch.h"
#include "../core/profile.h"
#include "../host/inject.h"
#include "detour.h"

static_assert(offsetof(struct detour, owner) == 0);

const char * const detour_no_memory = "no memory for a detour buffer";

/* Final: another detour buffer for the same place would reach no farther. */
const char * const detour_too_far =
	"what the instruction refers to is too far from a detour buffer";

/* ---- handlers ---- */

/**
 * detour_count_handlers() - count the handlers that a detour buffer would call
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 */
unsigned int detour_count_handlers(const struct probe_point *pt)
{
	const struct kprobe *p;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	for_each_kprobe_at(p, pt)
		nr += !!detour_handler(p);
	return nr;
}

/**
 * detour_has_post() - is a detour buffer to have post handlers run
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 */
bool detour_has_post(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return pt->has_post;
}

/*
 * Faults in the handlers of these are told to them.  Such handlers are begun as dispatch_faulted()
 * wants it, and a fault of a guarded copy is told if that is in a slot: their hits are looked up.
 */
static bool has_fault_handler(const struct probe_point *pt)
{
	const struct kprobe *p;

	for_each_kprobe_at(p, pt)
		if (p->fault_handler)
			return true;
	return false;
}

/**
 * detour_gate_is_shut() - is a new detour buffer to send every hit to detour_look_up()
 * @pt: the point that it is made for
 *
 * lockdep and the irq tracer must be told when interrupts are masked.
 * dispatch_jump() tells them, code in a detour buffer does not.  Nor does that count hits.
 *
 * Context: kprobe_mutex held.
 */
bool detour_gate_is_shut(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return IS_ENABLED(CONFIG_TRACE_IRQFLAGS) || profile_on || has_fault_handler(pt) ||
	       detour_count_handlers(pt) > DETOUR_MAX_HANDLERS;
}

/* ---- facts about the text ---- */

/**
 * detour_is_owned() - struct reach_facts.is_owned for the running kernel
 * @unused: not used
 * @start: first byte
 * @end: one past the last byte
 *
 * Context: kprobe_mutex held.
 */
bool detour_is_owned(void *unused, u64 start, u64 end)
{
	lockdep_assert_held(&kprobe_mutex);
	return host_ftrace_within(start, end) || host_patched(start, end) ||
	       traces_within(start, end);
}

/**
 * detour_has_fixup() - struct reach_facts.has_fixup for the running kernel
 * @unused: not used
 * @addr: address of an instruction
 *
 * Context: any.
 */
bool detour_has_fixup(void *unused, u64 addr)
{
	return host_has_fixup(addr);
}

/* ---- making one ---- */

static const char *place(struct assembly *a, struct detour *detour, const struct detour_site *site)
{
	unsigned int size = arch_detour_size(a, detour, site);
	const char *why;

	if (!size)
		return detour_too_far;
	detour->code = host_run_alloc(size, detour->addr);
	if (!detour->code)
		return detour_no_memory;
	why = arch_detour_assemble(a, detour, site);
	/* A client may have set a handler since the size was asked for. */
	if (!why && (assembly_size(a) > size || assembly_write(a)))
		why = detour_no_memory;
	why = why ?: arch_detour_lead(detour, site);
	if (why)
		host_slot_free(detour->code, NULL);
	return why;
}

static const char *make_detour(struct probe_point *pt, const struct detour_site *site)
{
	static struct assembly scratch;		/* guarded by kprobe_mutex */
	struct detour *detour = inject_failure() ? NULL : kzalloc(sizeof(*detour), GFP_KERNEL);
	const char *why;

	lockdep_assert_held(&kprobe_mutex);
	if (!detour)
		return detour_no_memory;
	detour->addr = pt->addr;
	why = place(&scratch, detour, site);
	if (why) {
		kfree(detour);
		return why;
	}
	/* A hit that finds it finds all of it: arch_leave_jump(). */
	smp_store_release(&pt->arch.detour, detour);
	/* Before its handlers can take a trace. */
	traces_hold();
	return NULL;
}

const char *arch_jump_prepare(struct probe_point *pt)
{
	struct detour_site site = { .pt = pt };
	const char *why;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (pt->arch.detour)
		return NULL;
	why = arch_detour_obstacle() ?: arch_detour_judge(&site, pt->addr);
	if (why)
		return why;
	why = make_detour(pt, &site);
	if (why == detour_too_far)
		point_judge(pt, why, false);
	return why;
}

void arch_shut_gate(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	arch_detour_shut(pt->arch.detour);
}

void arch_jump_discard(struct probe_point *pt)
{
	struct detour *detour = pt->arch.detour;

	lockdep_assert_held(&kprobe_mutex);
	if (!detour)
		return;
	WRITE_ONCE(pt->arch.detour, NULL);
	arch_jump_publish(pt);
	arch_detour_unlead(detour);
	host_slot_free(detour->code, &detour->owner);
	traces_release();
}

/**
 * detour_look_up() - handle a hit that came through a shut gate or found the guard held
 * @detour: the detour
 * @regs: registers, as a trap would have left them
 *
 * The gate may have been shut while this hit was on its way.  It still counts as a
 * hit of the point if the point exists; the detour may have outlived it.
 *
 * Context: that of the probed function, interrupts off.
 * Return: as dispatch_jump().
 */
asmlinkage bool detour_look_up(struct detour *detour, struct pt_regs *regs)
{
	struct probe_point *pt = table_find(detour->addr);

	return pt && point_is_armed(pt) && dispatch_jump(pt, regs);
}
