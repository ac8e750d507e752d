// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text at probe points, where a breakpoint and a jump are one word each: fixed.h.
 *
 * One store arms, disarms or places the jump.  Only the first word is ever written, so no
 * task can be in the middle of what the jump overwrites.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "../host/host.h"
#include "fixed.h"

const char * const arch_jump_unknown = "no memory to examine the text";

const char *arch_jump_verdict(unsigned long addr, struct module *mod, bool *is_short)
{
	struct detour_site site = { };

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	*is_short = false;
	return arch_detour_judge(&site, addr);
}

/* The second word of a prefixed instruction stays in the text behind the jump. */
bool arch_jump_fits(const struct probe_point *pt)
{
	return pt->arch.detour && host_text_is(pt->addr + INSN_SIZE, pt->arch.bytes + INSN_SIZE,
					       pt->arch.insn.length - INSN_SIZE);
}

void arch_jump_forget_module(struct module *mod)
{
}

void arch_jump_exit(void)
{
}

/* The jump is as long as the trap, so hits resume as before. */
void arch_jump_publish(struct probe_point *pt)
{
}

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

static const u32 trap = ARCH_TRAP_WORD;

void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit)
{
	make_edit(pt->addr, &trap, edit);
}

void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	make_edit(pt->addr, pt->arch.bytes, edit);
	if (jump)
		reach_branch(edit->bytes, pt->addr, arch_detour_entry(pt->arch.detour));
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	edit->addr = pt->addr;
	edit->len = 0;
}

bool arch_point_intact(const struct probe_point *pt)
{
	u8 branch[INSN_SIZE];

	if (!point_is_armed(pt))
		return host_text_is(pt->addr, pt->arch.bytes, pt->arch.insn.length);
	if (!point_is_jump(pt))
		return host_text_is(pt->addr, (const u8 *)&trap, INSN_SIZE);
	reach_branch(branch, pt->addr, arch_detour_entry(pt->arch.detour));
	return host_text_is(pt->addr, branch, INSN_SIZE);
}
