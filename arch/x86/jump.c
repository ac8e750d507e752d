// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jumps in the text: where there can be one, of five bytes or of two, and the edits that make and
 * undo it.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../detour.h"
#include "relay.h"
#include "relay_pads.h"

/* ---- facts about the text ---- */

static bool is_target(void *unused, u64 addr)
{
	return x86_targets_has(addr);
}

static const struct reach_facts facts = {
	.is_target = is_target,
	.is_owned = detour_is_owned,
	.has_fixup = detour_has_fixup,
};

static bool never(void *unused, u64 addr)
{
	return false;
}

static bool never_within(void *unused, u64 start, u64 end)
{
	return false;
}

/* For a place that was judged before: only its instructions are needed. */
static const struct reach_facts known_facts = {
	.is_target = never,
	.is_owned = never_within,
	.has_fixup = never,
};

/* How much text, from a probe point on, belongs to its function and is known. */
struct extent {
	size_t size;
	size_t known;
};

static struct extent read_region(unsigned long addr, u8 bytes[REACH_MAX_LENGTH])
{
	struct extent text = { };
	unsigned long start, size;

	if (host_symbol_bounds(addr, &start, &size))
		text.size = min_t(unsigned long, start + size - addr, REACH_MAX_LENGTH);
	memset(bytes, X86_INT3, REACH_MAX_LENGTH);
	text.known = text_original(addr, bytes, text.size);
	return text;
}

/* Might the region be complete if all of the text were known? */
static bool is_cut_short(const struct reach_region *region, struct extent text)
{
	return text.known < text.size &&
	       (region->reason == REACH_END || region->reason == REACH_UNDECODABLE);
}

static bool __maybe_unused has_any(const struct reach_region *region, unsigned long classes)
{
	unsigned int i;

	for (i = 0; i < region->nr; i++)
		if (BIT(region->insns[i].class) & classes)
			return true;
	return false;
}

static const char *mitigation_obstacle(const struct reach_region *region)
{
	/*
	 * On processors with the flaw ITS the kernel leaves indirect branches only in the upper
	 * half of a cache line, and returns nowhere.  A detour's copy may be anywhere.
	 */
#ifdef X86_FEATURE_INDIRECT_THUNK_ITS
	if (boot_cpu_has(X86_FEATURE_INDIRECT_THUNK_ITS) &&
	    has_any(region, BIT(INSN_JMP_IND) | BIT(INSN_CALL_IND) | BIT(INSN_RET)))
		return "the copy of an indirect branch would escape the kernel's mitigation of ITS";
#endif
	/*
	 * With retbleed=stuff each called function counts how many of the processor's predicted
	 * returns are in use.  The copy of a call is none.
	 */
#ifdef X86_FEATURE_CALL_DEPTH
	if (boot_cpu_has(X86_FEATURE_CALL_DEPTH) &&
	    has_any(region, BIT(INSN_CALL) | BIT(INSN_CALL_IND)))
		return "the copy of a call would escape the kernel's count of calls";
#endif
	return NULL;
}

/* What no longer depends on the rules of reach.c. */
static const char *others_obstacle(unsigned long addr, const struct reach_region *region,
				   size_t size)
{
	size = max_t(size_t, region->length, size);
	return host_foreign_within(addr, addr + size) ? text_foreign : mitigation_obstacle(region);
}

/*
 * The place that was found fit last, and what is there: arch_detour_judge() is asked next, and need not
 * read and decode it again.  Others may have changed the text since, as they may until the jump is written:
 * then it is compared, under the kernel's lock, and they are asked for (collides() of core/arm.c).
 *
 * Guarded by kprobe_mutex; between x86_jump_begin() and x86_jump_end() only, in which that is held.
 */
static struct judged {
	bool lasts;
	unsigned long addr;	/* 0: none */
	struct reach_region region;
	u8 bytes[REACH_MAX_LENGTH];
} judged;

static void keep_judged(bool lasts)
{
	lockdep_assert_held(&kprobe_mutex);
	judged.lasts = lasts;
	judged.addr = 0;
	pads_remember(lasts);
}

void x86_jump_begin(void)
{
	keep_judged(true);
}

void x86_jump_end(void)
{
	keep_judged(false);
}

/* Where a long jump is not possible, and @why. */
static const char *short_verdict(unsigned long addr, struct module *mod, size_t known,
				 const char *why)
{
	const char *room;

	if (reach_short_region(&judged.region, judged.bytes, known, addr, &facts) != REACH_OK)
		return why;
	room = relay_room(addr, mod, true);
	if (room)
		return room == relay_no_room ? why : room;
	return others_obstacle(addr, &judged.region, REACH_SHORT_SIZE);
}

static const char *verdict(unsigned long addr, struct module *mod, bool *is_short)
{
	struct reach_region *region = &judged.region;
	struct extent text = read_region(addr, judged.bytes);

	reach_region(region, judged.bytes, text.known, addr, &facts);
	if (region->reason == REACH_OK)
		return others_obstacle(addr, region, REACH_JUMP_SIZE);
	if (is_cut_short(region, text))
		return text_foreign;
	*is_short = true;
	return short_verdict(addr, mod, text.known, reach_reason_text(region->reason));
}

const char *arch_jump_verdict(unsigned long addr, struct module *mod, bool *is_short)
{
	const char *why = x86_targets_know(addr, mod);

	*is_short = false;
	judged.addr = 0;
	why = why ?: verdict(addr, mod, is_short);
	if (!why && judged.lasts)
		judged.addr = addr;
	return why;
}

const char *arch_detour_obstacle(void)
{
	return NULL;
}

const char *arch_detour_judge(struct detour_site *site, unsigned long addr)
{
	size_t known;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (judged.addr == addr) {
		site->region = judged.region;
		memcpy(site->bytes, judged.bytes, sizeof(site->bytes));
		return NULL;
	}
	known = read_region(addr, site->bytes).known;
	if (site->pt->verdict == JUMP_SHORT)
		reach_short_region(&site->region, site->bytes, known, addr, &known_facts);
	else
		reach_region(&site->region, site->bytes, known, addr, &known_facts);
	return reach_reason_text(site->region.reason);
}

bool arch_jump_fits(const struct probe_point *pt)
{
	const struct detour *detour = pt->arch.detour;

	return detour && host_text_is(pt->addr + 1, detour->covered + 1, detour->jump - 1) &&
	       (!detour->relay || relay_is_intact(detour->relay));
}

void arch_jump_forget_module(struct module *mod)
{
	relays_forget(mod);
	x86_targets_forget(mod);
}

void arch_jump_exit(void)
{
	relays_exit();
	x86_targets_exit();
}

/* ---- the text ---- */

static void assemble_jump(const struct probe_point *pt, u8 *bytes)
{
	const struct detour *detour = pt->arch.detour;

	if (detour->relay) {
		bytes[0] = X86_JMP8;
		bytes[1] = relay_address(detour->relay) - (pt->addr + REACH_SHORT_SIZE);
		return;
	}
	x86_make_branch(bytes, X86_JMP32, pt->addr, detour->code + DETOUR_ENTRY_AT);
}

const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr)
{
	*nr = point_has_tail(pt) ? pt->arch.detour->jump : point_is_armed(pt);
	return point_has_tail(pt) ? pt->arch.detour->covered : pt->arch.bytes;
}

void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit)
{
	edit->addr = pt->addr;
	edit->len = 1;
	edit->bytes[0] = X86_INT3;
}

void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	u8 bytes[REACH_JUMP_SIZE];

	if (jump)
		assemble_jump(pt, bytes);
	edit->addr = pt->addr;
	edit->len = 1;
	edit->bytes[0] = jump ? bytes[0] : pt->arch.bytes[0];
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	u8 bytes[REACH_JUMP_SIZE];

	memcpy(bytes, pt->arch.detour->covered, sizeof(bytes));
	if (jump)
		assemble_jump(pt, bytes);
	edit->addr = pt->addr + 1;
	edit->len = pt->arch.detour->jump - 1;
	memcpy(edit->bytes, bytes + 1, edit->len);
}

bool arch_point_intact(const struct probe_point *pt)
{
	const u8 *text = (const u8 *)pt->addr;
	u8 jump[REACH_JUMP_SIZE];

	/* Our trap must be removed even if the bytes behind it have changed. */
	if (!point_is_armed(pt))
		return host_text_is(pt->addr, pt->arch.bytes, pt->arch.insn.length);
	if (!point_has_tail(pt))
		return text[0] == X86_INT3;
	assemble_jump(pt, jump);
	return text[0] == (point_is_jump(pt) ? jump[0] : X86_INT3) &&
	       host_text_is(pt->addr + 1, jump + 1, pt->arch.detour->jump - 1);
}
