// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that are in detours, and come out of them: which of the copies there belongs to which
 * instruction, and where stack and registers are as in which code.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../detour.h"

/* ---- leaving one ---- */

/**
 * x86_lead_around() - lead execution around the bytes of a jump
 * @detour: of the jump, or of the trap that becomes one
 * @regs: whose ip an instruction or a handler has set
 *
 * In the text there is nothing but the jump, from its second byte on.  To its first byte a handler
 * may go: the instruction is run again then, and the probe hit.
 *
 * Context: that of a hit, interrupts off.
 */
void x86_lead_around(const struct detour *detour, struct pt_regs *regs)
{
	const struct copy_map *map = x86_copy_map(detour->code);
	unsigned long at = regs->ip - detour->addr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(map->starts) && at < detour->region; i++)
		if (map->starts[i].original == at)
			regs->ip = detour->copies + map->starts[i].copy;
}

/**
 * x86_lead_around_all() - the same for the jumps of all points
 * @regs: whose ip a handler has set
 *
 * Who makes a jump knows the branches of the text, and not where handlers lead.  As interrupts are
 * off, a point that is found stays until this hit ends (table_wait()).  Its detour is waited for as
 * by any task that is in one.  If it has none yet, the task is behind the text's next bytes before
 * those become a jump's, as any task that was within them.
 *
 * Context: as x86_lead_around().
 */
void x86_lead_around_all(struct pt_regs *regs)
{
	const unsigned long ip = regs->ip;
	const struct detour *detour;
	struct probe_point *pt;
	unsigned int i;

	for (i = 1; i < ARCH_JUMP_SIZE && regs->ip == ip; i++) {
		pt = table_find(ip - i);
		detour = pt ? READ_ONCE(pt->arch.detour) : NULL;
		if (detour)
			x86_lead_around(detour, regs);
	}
}

/* ---- describing one ---- */

/* A copied call pushes its return address, and then it is as at the entry of what is called. */
static bool is_behind_push(const u8 *copy, unsigned int at)
{
	return copy[0] == X86_PUSH32 && at >= X86_BRANCH32_SIZE;
}

static unsigned long place_in_copies(const u8 *copies, const struct copy_map *map,
				     unsigned long addr, unsigned int at)
{
	struct copy_start start = { 0, 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(map->starts) && map->starts[i].copy <= at; i++)
		start = map->starts[i];
	return is_behind_push(copies + start.copy, at - start.copy) ? x86_detour_places.entered :
								      addr + start.original;
}

/**
 * x86_detour_probed() - the probed instruction that a detour is for
 * @detour: its code
 *
 * Context: any, NMI too.
 * Return: its address, from the operand of the push at the entry.
 */
unsigned long x86_detour_probed(unsigned long detour)
{
	s32 ip;

	memcpy(&ip, (const u8 *)detour + DETOUR_ENTRY_AT + 1, sizeof(ip));
	return (long)ip - 1;
}

/*
 * In code that emit_save() has made: @at bytes behind its beginning, at which all is as at @place
 * in the probed code.
 */
static unsigned long place_in_save(unsigned long place, unsigned int at)
{
	unsigned int pushed = x86_detour_places.saved - x86_detour_places.entered;

	if (!at)
		return place;
	at -= X86_BRANCH32_SIZE;
	return at < pushed ? x86_detour_places.entered + at : x86_detour_places.saved;
}

static unsigned long place_in_guarded(unsigned long addr, const struct copy_map *map,
				      unsigned int at)
{
	unsigned int length = map->starts[0].original;

	return at < length ? addr : place_in_save(addr + length, at - length);
}

/*
 * The registers stay on the stack.  Below them are the flags, before the instruction and behind it.
 * In between the frame pointer is that of the probed code: to who follows those, "called" is not
 * "saved".
 */
static unsigned long place_in_place(const struct copy_map *map, unsigned int at)
{
	unsigned int behind = DETOUR_POPPED_AT + 2 * GENERAL_SIZE + map->starts[0].original +
			      FRAME_POINTER_SIZE;

	if ((at >= DETOUR_PUSHED_AT && at < DETOUR_POPPED_AT) || at == behind + 1)
		return x86_detour_places.pushed;
	return at < behind ? x86_detour_places.called : x86_detour_places.saved;
}

/* Where all registers are restored; 0: this is no detour. */
static unsigned int restore_in(const u8 *code)
{
	s32 restore;

	memcpy(&restore, code + DETOUR_RESTORE_FROM - sizeof(restore), sizeof(restore));
	restore += DETOUR_RESTORE_FROM;
	if (code[DETOUR_ENTRY_AT] != X86_PUSH32)
		return 0;
	return restore > (s32)DETOUR_ENTRY_AT && restore < DETOUR_MAX ? restore : 0;
}

/* From there to the copies. */
static unsigned int restore_size(void)
{
	return x86_detour_places.end - x86_detour_places.called;
}

/**
 * arch_copied_in_detour() - whose copy, in a detour, is at an address
 * @addr: of an instruction that has faulted
 *
 * A task may still be in a detour that its point has given up, so nobody but the code is asked.  A
 * nop has no copy.  That of a call is two instructions: see arch_detour_tells_faults().
 *
 * Context: any.
 * Return: the address of the probed instruction; 0 if @addr is not that of its copy.
 */
unsigned long arch_copied_in_detour(unsigned long addr)
{
	bool is_run = false;
	unsigned long detour = host_slot_around(addr, &is_run);
	const struct copy_map *map = x86_copy_map(detour);
	unsigned int restore;

	if (!detour || !is_run)
		return 0;
	restore = restore_in((const u8 *)detour);
	if (!restore || addr != detour + restore + restore_size() || !map->starts[0].copy)
		return 0;
	return x86_detour_probed(detour);
}

/**
 * x86_detour_place() - where stack and registers are as at an address in a detour
 * @detour: its code
 * @at: an address in it
 *
 * Nothing but code is read: the struct detour may be freed meanwhile.  If the code is, too, and
 * there is other code, the answer is wrong.
 *
 * Context: any, NMI too.
 * Return: an address in the probed code or in x86_detour; 0 if there is none.
 */
unsigned long x86_detour_place(unsigned long detour, unsigned long at)
{
	const u8 *code = (const u8 *)detour;
	const struct copy_map *map = x86_copy_map(detour);
	unsigned long probed = x86_detour_probed(detour);
	unsigned int restore = restore_in(code), offset = at - detour;

	if (!restore)
		return 0;
	if (offset < DETOUR_ENTRY_AT)
		return x86_detour_places.saved;
	if (map->in_place && offset >= map->in_place && offset < restore)
		return place_in_place(map, offset - map->in_place);
	if (map->guarded && offset >= map->guarded && offset < restore)
		return place_in_guarded(probed, map, offset - map->guarded);
	if (offset < restore)
		return place_in_save(probed, offset - DETOUR_ENTRY_AT);
	offset -= restore;
	if (offset < restore_size())
		return x86_detour_places.called + offset;
	offset -= restore_size();
	return place_in_copies(code + restore + restore_size(), map, probed, offset);
}
