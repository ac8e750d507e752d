// SPDX-License-Identifier: GPL-2.0-only
/*
 * Relays.  Where a branch leads into the five bytes that a jump takes, a short jump takes two:
 * to a relay, a jump of five bytes to the detour, in padding near by that never runs.
 * reach_pads() says which padding that is, and who else has to do with it; relay_search.c finds it.
 *
 * A relay belongs to one detour, and is in the text for as long as that: it is written before
 * the detour is the point's, and retired with it.  A task may then be at it still, interrupted
 * or preempted between the two jumps.  So the padding gets back its own bytes when no task can
 * resume there, for which the optimiser waits as for the bytes of a jump.  (The code of the
 * detour is waited for in the same way, and no task comes to the relay later than to
 * that.)  Neither the short jump nor the relay is ever changed while tasks can come to it.
 *
 * So there is an order.  Relay, sync of all CPUs; a wait for tasks; trap, second byte, first
 * byte, each with a sync.  And back: gate, trap, second byte, first byte; a wait for tasks;
 * padding.  While the first byte is a trap, of ours or another's, nobody comes to the relay by
 * the jump.
 *
 * Several relays share a pad; cells and pads are found by their address, under kprobe_mutex.
 * Whoever changes one of these bytes asks for the others:
 *
 * - A trap of ours among the bytes of a relay (a nop in padding can be probed): the relay goes
 *   first, relays_vacate().  No relay comes to bytes that have a trap.
 * - A jump of ours that overwrites padding, behind a jump or a return: not while a relay is
 *   there (arch_jump_obstacle()), and no relay comes where a detour of such a point has been
 *   made.
 * - A probe of the built-in kprobes, a breakpoint of a debugger: there is no relay where one
 *   is, nor where a jump of theirs reaches.  One that comes later has a copy of a part of the
 *   relay, and writes that back.  So padding that has one keeps what is in it, and is tried
 *   again.  That harms nobody, as it never runs; if the module is unloaded before, it is left
 *   as it is.  A probe of theirs right at a relay is hit by each hit of ours, and executes the
 *   jump in its own way.
 * - Whoever reads text (core/original.c) finds the padding's own bytes, and what is under short
 *   jumps: arch_relays_uncover().  The built-in kprobes, which don't ask, find instructions
 *   that begin where those in the padding did (reach_pad_fill()), a jump to another function
 *   among them.  As long as we have traps, they lay no jump in that function (core/builtin.c).
 * - A module whose text goes: nothing is written back, relays_forget().  A live patch is in
 *   text of its own.  Jump labels, static calls and the tracer write to what is_owned_pad()
 *   asks for.
 * - What is in front of functions, which the kernel writes to or reads (calls counted with
 *   retbleed=stuff, types checked by FineIBT, hashes of kCFI, the tracer's
 *   -fpatchable-function-entry), is no padding here: size_for_pads(), and see reach_pad.c.
 *   Alternatives, returns and thunks are patched before we can look, in modules, too.
 * - Text of which the kernel makes copies that run (trampolines of the tracer, what kexec and
 *   hibernation leave by) is on the blacklist, so has no relays; in a copy of padding, too,
 *   none would run.
 * - An image for hibernation has the relays and the module.  kexec starts a kernel of its own.
 *
 * Who has an address in padding?  Nobody returns there: what a call returns to is a beginning
 * of code, which ends padding; so is a target in a table of exceptions, of jump labels, or in
 * data.  By name it belongs to the function in front of it.
 *
 * Interrupted at a relay, a task is at an address that the unwinder by ORC has no description
 * of: to objtool, padding is undefined.  A trace ends there, and is not reliable; that is never
 * wrong.  By frame pointers all is as at the probed instruction, but for the name.
 *
 * A direct jump needs no landing (IBT), and nothing returns to it (retpolines, ITS, call
 * depth).  A processor that goes on behind a return or an indirect jump by speculation finds an
 * int3 where there was one (reach_pad.c).
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/inject.h"
#include "../detour.h"
#include "relay.h"
#include "relay_pads.h"

const char * const relay_no_room = "the padding that a short jump reaches is in use";

/*
 * Relays without a detour: retired since the last wait for tasks began, before that, and before one
 * that has ended.  Guarded by kprobe_mutex.
 */
static LIST_HEAD(retired);
static LIST_HEAD(leaving);
static LIST_HEAD(waited);

/* ---- whose is a cell ---- */

/* Has a point of ours its trap in a range, or a detour with a jump over it? */
static bool is_probed(unsigned long from, unsigned long to)
{
	struct probe_point *pt;
	unsigned long at;

	for (at = from - ARCH_JUMP_SIZE + 1; at < to; at++) {
		pt = table_find(at);
		if (!pt || !point_is_armed(pt))
			continue;
		if (at >= from || (point_has_detour(pt) && point_jump_covers(pt, from))) {
			pt->blocks = true;
			return true;
		}
	}
	return false;
}

/*
 * Have the built-in kprobes a probe there, or where their jump would reach into it?  It may be
 * disabled, and become a jump later: they look at the text once only, when it is registered.  If
 * that is after a relay has come to the pad, it stays a trap (arch_relays_near()).
 */
static bool is_foreign(const struct reach_pad *at)
{
	return host_foreign_within(at->addr - ARCH_JUMP_SIZE + 1, at->addr + at->length);
}

static bool is_free(struct pad_search *search, const struct reach_pad *at, unsigned int cell)
{
	struct pad fresh = { .at = *at }, *pad = pad_find(at->addr) ?: &fresh;
	u8 before[REACH_PAD_MAX], after[REACH_PAD_MAX];
	struct relay relay = { };
	struct text_edit edit;

	if (is_foreign(at)) {
		search->hidden = true;
		return false;
	}
	if (pad->cells[cell])
		return false;
	pad_compose(pad, before);
	/* Where it leads to decides nothing but four of the bytes, which all may change. */
	relay.target = reach_pad_cell(at, cell) + REACH_RELAY_SIZE;
	pad->cells[cell] = &relay;
	pad_compose(pad, after);
	pad->cells[cell] = NULL;
	pad_differences(pad, before, after, &edit);
	return !is_probed(min_t(u64, edit.addr, reach_pad_cell(at, cell)),
			  max_t(u64, edit.addr + edit.len,
				reach_pad_cell(at, cell) + REACH_RELAY_SIZE));
}

static bool take_any(struct pad_search *search, const struct reach_pad *pad, unsigned int cell)
{
	return true;
}

static bool take_free(struct pad_search *search, const struct reach_pad *pad, unsigned int cell)
{
	return is_free(search, pad, cell);
}

/**
 * relay_room() - is there padding for the relay of a short jump
 * @addr: the short jump
 * @mod: the module whose text that is; NULL: the kernel's
 * @used_too: it may be in use
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: NULL; or relay_no_room, arch_jump_unknown or text_foreign, of which the last two are not
 * final.
 */
const char *relay_room(unsigned long addr, struct module *mod, bool used_too)
{
	struct pad_search search = {
		.from = addr,
		.mod = mod,
		.each = used_too ? take_any : take_free,
	};

	might_sleep();
	pads_search(&search);
	if (search.found)
		return NULL;
	if (search.failed)
		return arch_jump_unknown;
	return search.hidden ? text_foreign : relay_no_room;
}

/* ---- making and ending one ---- */

static bool place_relay(struct pad_search *search, const struct reach_pad *at, unsigned int cell)
{
	struct relay *relay = search->data;
	u8 before[REACH_PAD_MAX];
	int err;

	if (!is_free(search, at, cell))
		return false;
	relay->pad = pad_get(at);
	if (!relay->pad) {
		search->failed = true;
		return false;
	}
	relay->cell = cell;
	pad_compose(relay->pad, before);
	relay->pad->cells[cell] = relay;
	err = pad_write(relay->pad, before);
	if (!err)
		return true;
	/* What was written before the write was found to have failed is never run. */
	relay->pad->cells[cell] = NULL;
	pad_put(relay->pad);
	search->failed |= err == -ENOMEM;
	return false;
}

/**
 * relay_make() - write a relay
 * @relay: set to it
 * @addr: the short jump
 * @mod: the module whose text that is; NULL: the kernel's
 * @target: where it leads
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: NULL; detour_no_memory or relay_no_room.
 */
const char *relay_make(struct relay **relay, unsigned long addr, struct module *mod,
		       unsigned long target)
{
	struct pad_search search = { .from = addr, .mod = mod, .each = place_relay };
	struct relay *made = inject_failure() ? NULL : kzalloc(sizeof(*made), GFP_KERNEL);

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!made)
		return detour_no_memory;
	INIT_LIST_HEAD(&made->list);
	made->probed = addr;
	made->target = target;
	search.data = made;
	pads_search(&search);
	if (search.found) {
		*relay = made;
		return NULL;
	}
	kfree(made);
	return search.failed ? detour_no_memory : relay_no_room;
}

/**
 * relay_address() - where a relay is
 * @relay: the relay
 */
unsigned long relay_address(const struct relay *relay)
{
	return reach_pad_cell(&relay->pad->at, relay->cell);
}

/**
 * relay_is_intact() - is it in the text, and going to stay there
 * @relay: the relay
 *
 * Asked, too, under the locks of a change of text, before the short jump is written: a built-in
 * probe that was registered when there was no relay yet is found then.
 *
 * Context: kprobe_mutex held.
 */
bool relay_is_intact(const struct relay *relay)
{
	u8 bytes[REACH_RELAY_SIZE];
	unsigned long addr = relay_address(relay);

	return x86_make_branch(bytes, X86_JMP32, addr, relay->target) &&
	       host_text_is(addr, bytes, sizeof(bytes)) && !is_foreign(&relay->pad->at);
}

/**
 * relay_retire() - no jump leads to a relay any more
 * @relay: the relay
 *
 * Context: kprobe_mutex held.
 */
void relay_retire(struct relay *relay)
{
	lockdep_assert_held(&kprobe_mutex);
	list_add_tail(&relay->list, &retired);
	optimize_clean_up();
}

static void free_relay(struct relay *relay)
{
	list_del(&relay->list);
	relay->pad->cells[relay->cell] = NULL;
	pad_put(relay->pad);
	kfree(relay);
}

/*
 * The padding gets its bytes back: no task can come to the relay.  As for a new relay nobody else may
 * have what is there in a copy, or he would write that back one day.  At the end that is better than
 * a jump to what is gone.
 */
static bool take_back(struct relay *relay, bool at_end)
{
	struct pad *pad = relay->pad;
	unsigned long addr = pad->at.addr;
	u8 before[REACH_PAD_MAX];
	int err;

	pad_compose(pad, before);
	pad->cells[relay->cell] = NULL;
	err = is_foreign(&pad->at) && !at_end ? -EBUSY : pad_write(pad, before);
	pad->cells[relay->cell] = relay;
	relay->disputed = err == -EBUSY;
	if (err)
		return false;
	free_relay(relay);
	optimize_consider_between(addr - NEIGHBOURHOOD, addr + NEIGHBOURHOOD);
	return true;
}

static bool take_back_all(bool at_end)
{
	struct relay *relay, *next;
	bool all = true;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(relay, next, &waited, list)
		all &= take_back(relay, at_end);
	return all;
}

/**
 * arch_relays_begin() - tasks are about to be waited for
 * @done: cleared if there are relays that have to be tried again later
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: is there a relay that needs that?
 */
bool arch_relays_begin(bool *done)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	*done &= take_back_all(false);
	list_splice_tail_init(&retired, &leaving);
	return !list_empty(&leaving);
}

/**
 * arch_relays_end() - tasks have been waited for
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: false if there are relays that have to be tried again later.
 */
bool arch_relays_end(void)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	list_splice_tail_init(&leaving, &waited);
	return take_back_all(false);
}

static bool any_undisputed(const struct list_head *relays)
{
	const struct relay *relay;

	list_for_each_entry(relay, relays, list)
		if (!relay->disputed)
			return true;
	return false;
}

/**
 * arch_relays_settled() - has all padding that can get its bytes back got them
 *
 * Context: kprobe_mutex held.
 */
bool arch_relays_settled(void)
{
	lockdep_assert_held(&kprobe_mutex);
	return !any_undisputed(&retired) && !any_undisputed(&leaving) && !any_undisputed(&waited);
}

/* ---- who comes to its bytes ---- */

struct clearing {
	struct host_area range;
	struct list_head *todo;
};

static bool retire_pad(struct pad *pad, void *data)
{
	struct clearing *clearing = data;
	struct probe_point *pt;
	unsigned int i;

	if (!pad_changes_within(pad, &clearing->range))
		return false;
	for (i = 0; i < ARRAY_SIZE(pad->cells); i++) {
		if (!pad->cells[i] || !list_empty(&pad->cells[i]->list))
			continue;
		pt = table_find(pad->cells[i]->probed);
		if (pt && !point_has_tail(pt))
			optimize_forget(pt);
		else if (pt && list_empty(&pt->todo))
			list_add_tail(&pt->todo, clearing->todo);
	}
	return false;
}

/**
 * arch_relays_clear() - find the jumps whose relays have bytes of an instruction
 * @pt: a point there, which is about to be armed
 * @todo: list to which the others are added, by their todo
 *
 * Context: kprobe_mutex held, sleeps.
 */
void arch_relays_clear(struct probe_point *pt, struct list_head *todo)
{
	struct clearing clearing = {
		.range = { pt->addr, pt->addr + pt->arch.insn.length },
		.todo = todo,
	};

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	pads_any(clearing.range.start, clearing.range.end, retire_pad, &clearing);
}

/**
 * arch_relays_cover() - does a relay have a byte of an instruction
 * @pt: a point there
 *
 * Context: kprobe_mutex held.
 */
bool arch_relays_cover(const struct probe_point *pt)
{
	return relays_change(pt->addr, pt->addr + pt->arch.insn.length);
}

/**
 * arch_relays_vacate() - have the bytes of an instruction be its own
 * @pt: a point there, which is about to be armed; arch_relays_clear() was called for it, and the
 *	jumps that it has found were made traps
 *
 * Nops in padding are probed by those who probe everything, so tasks may be waited for with the
 * mutex held.
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -EBUSY if that can't be done.
 */
int arch_relays_vacate(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!arch_relays_cover(pt))
		return 0;
	list_splice_tail_init(&retired, &leaving);
	host_wait_for_preempted();
	arch_relays_end();
	return arch_relays_cover(pt) ? -EBUSY : 0;
}

/**
 * arch_relays_unblock() - queue the points that a probe in padding has blocked
 * @pt: its point, which is no longer armed
 *
 * Context: kprobe_mutex held.
 */
void arch_relays_unblock(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (pt->blocks)
		optimize_consider_between(pt->addr - NEIGHBOURHOOD, pt->addr + NEIGHBOURHOOD);
	pt->blocks = false;
}

/**
 * arch_jump_obstacle() - why the text allows no jump at present
 * @pt: a point for which arch_jump_verdict() returned NULL
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: a phrase that stands alone; NULL if there is no reason.
 */
const char *arch_jump_obstacle(struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (pt->arch.detour)
		return NULL;
	if (relays_change(pt->addr + 1, pt->addr + point_jump_size(pt)))
		return "another probe's jump leads over padding that a jump would overwrite";
	return pt->verdict == JUMP_SHORT ? relay_room(pt->addr, point_module(pt), false) : NULL;
}

/* ---- the end ---- */

/**
 * relays_forget() - the text of a module goes
 * @mod: the module, whose points are gone
 *
 * Context: kprobe_mutex held.
 */
void relays_forget(struct module *mod)
{
	struct list_head *lists[] = { &retired, &leaving, &waited };
	struct relay *relay, *next;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry_safe(relay, next, lists[i], list)
			if (within_module(relay->probed, mod))
				free_relay(relay);
}

/* For memory to be free again: some seconds. */
#define NR_TRIES	50
#define TRY_AGAIN_MS	100

/**
 * relays_exit() - have all padding get its bytes back
 *
 * Context: module exit; no point is left, and no module goes unseen yet.
 */
void relays_exit(void)
{
	struct relay *relay, *next;
	unsigned int tries;

	mutex_lock(&kprobe_mutex);
	list_splice_tail_init(&retired, &leaving);
	if (!list_empty(&leaving))
		host_wait_for_preempted();
	arch_relays_end();
	for (tries = 0; any_undisputed(&waited) && tries < NR_TRIES; tries++) {
		msleep(TRY_AGAIN_MS);
		take_back_all(false);
	}
	take_back_all(true);
	list_for_each_entry_safe(relay, next, &waited, list) {
		pr_warn("padding at %pS, which never runs, is not what it was\n",
			(void *)relay->pad->at.addr);
		free_relay(relay);
	}
	mutex_unlock(&kprobe_mutex);
}
