/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detour buffers: what a jump in place of a trap leads to, for all architectures.
 *
 * A detour buffer is made for one set of handlers and calls them directly.  Its
 * gate, once shut, sends every hit to detour_look_up() instead.  The gate is data, read
 * by each hit with interrupts off: see arch_shut_gate().
 *
 * An architecture provides, in its detour.h:
 *
 * struct detour	with at least
 *	struct host_owner owner	the first member
 *	unsigned long code	the address of the code
 *	unsigned long addr	the address of the probe point that it was made for
 *	u32 shut		the gate: not 0 if it is shut; or what arch_detour_shut() changes
 * struct assembly	code that is being assembled, and assembly_size() of it
 *
 * and the functions below whose names begin with arch_ or assembly_.  Where the jump
 * replaces a whole instruction, fixed.c makes the edits of the text, and the
 * architecture provides what fixed.h lists.
 *
 * Tasks may be in a detour buffer long after its point has been freed, so struct
 * detour is freed together with the code.
 */
#ifndef LKP_ARCH_DETOUR_H
#define LKP_ARCH_DETOUR_H

#include <linux/kprobes.h>
#include <linux/types.h>

#include "../core/core.h"
#include ARCH_DETOUR_H

/**
 * struct detour_site - what a detour buffer is made for
 * @pt: the probe point
 * @region: what the jump overwrites
 * @bytes: its original bytes
 */
struct detour_site {
	struct probe_point *pt;
	struct reach_region region;
	u8 bytes[REACH_MAX_LENGTH];
};

extern const char * const detour_no_memory;	/* may succeed later */
extern const char * const detour_too_far;	/* final for this point */

/**
 * arch_detour_obstacle() - are detours possible with this kernel on this processor
 *
 * Context: process context.
 * Return: NULL, or the reason why not.
 */
const char *arch_detour_obstacle(void);

/**
 * arch_detour_judge() - read the text at a point and judge it
 * @site: @region and @bytes are filled in
 * @addr: the point
 *
 * Context: kprobe_mutex held, may sleep.
 * Return: NULL; or why it can't become a jump, text_foreign if that is not final.
 */
const char *arch_detour_judge(struct detour_site *site, unsigned long addr);

/**
 * arch_detour_size() - the size of a detour buffer
 * @a: scratch; arch_detour_assemble(), which is called next, may find there what it needs
 * @detour: with addr set
 * @site: what it is made for
 *
 * Context: kprobe_mutex held, may sleep.
 * Return: bytes, the same at any address; 0 if something is out of reach.
 */
unsigned int arch_detour_size(struct assembly *a, struct detour *detour,
			      const struct detour_site *site);

/**
 * arch_detour_assemble() - assemble a detour buffer for its final address
 * @a: from arch_detour_size(); filled in
 * @detour: with addr and code set
 * @site: what it is made for
 *
 * Context: kprobe_mutex held, may sleep.
 * Return: NULL; detour_no_memory or detour_too_far.
 */
const char *arch_detour_assemble(struct assembly *a, struct detour *detour,
				 const struct detour_site *site);

/**
 * assembly_write() - write the code to the address where it will run
 * @a: complete
 *
 * Context: process context, may sleep.
 * Return: 0 or an error of host_text_write().
 */
int assembly_write(const struct assembly *a);

#ifndef arch_detour_lead
/**
 * arch_detour_lead() - have a jump that can't reach the code of a detour lead there
 * @detour: whose code has been written
 * @site: what it is made for
 *
 * Context: kprobe_mutex held, may sleep.
 * Return: NULL, or why that is not possible at present.
 */
static inline const char *arch_detour_lead(struct detour *detour, const struct detour_site *site)
{
	return NULL;
}

/* No jump leads to it any more.  Context: kprobe_mutex held. */
static inline void arch_detour_unlead(struct detour *detour)
{
}
#endif

#ifndef arch_detour_shut
/* Shuts the gate: see arch_shut_gate(). */
static inline void arch_detour_shut(struct detour *detour)
{
	WRITE_ONCE(detour->shut, 1);
}
#endif

/*
 * The handler that a detour buffer which is made now calls for this kprobe; NULL: it calls none.
 * Who makes one asks once for each: a client may clear it meanwhile, or set it.
 *
 * (No test: it would have to come between two instructions.)
 */
static inline kprobe_pre_handler_t detour_handler(const struct kprobe *p)
{
	return kprobe_disabled(p) ? NULL : READ_ONCE(p->pre_handler);
}

unsigned int detour_count_handlers(const struct probe_point *pt);
bool detour_gate_is_shut(const struct probe_point *pt);
bool detour_is_owned(void *unused, u64 start, u64 end);
bool detour_has_fixup(void *unused, u64 addr);
bool detour_has_post(const struct probe_point *pt);
asmlinkage bool detour_look_up(struct detour *detour, struct pt_regs *regs);

#endif /* LKP_ARCH_DETOUR_H */
