// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the built-in kprobes from laying a jump over a branch target that they cannot see.
 *
 * Before a built-in probe becomes a jump, the kernel reads the whole function for branches
 * into the bytes of that jump.  It does not know our traps and jumps.  It decodes them as
 * they are, and may go on in the middle of an instruction.  So it misses the branches that
 * they cover, and perhaps some behind them.
 *
 * That is done by one function, once in the life of a built-in probe, under text_mutex.  While
 * we have traps, a probe of our own is at its entry.  If one of ours is in the text of the
 * probed function, that function returns an error, and the built-in probe stays a trap.
 *
 * What was decided earlier was decided on original text, and stays right.  No trap of ours
 * can come while the kernel reads, since that takes text_mutex, too.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/printk.h>

#include "core.h"

static bool placed;	/* guarded by kprobe_mutex */

/* Where a jump replaces one instruction, no branch leads into it. */
static bool builtin_looks_for_branches(void)
{
	return KPROBES_SIDE_BY_SIDE && IS_ENABLED(CONFIG_OPTPROBES) &&
	       ARCH_JUMP_SIZE > ARCH_TRAP_SIZE;
}

/**
 * builtin_hooked() - the function of the kernel at which we may have a probe of our own
 *
 * Return: its name; NULL on a kernel where there is no need.
 */
const char *builtin_hooked(void)
{
	return builtin_looks_for_branches() ? HOST_BUILTIN_PREPARE : NULL;
}

/* If in doubt, yes: then the built-in probe is only slower than it could be. */
static bool has_our_trap(unsigned long addr)
{
	const struct probe_point *pt;
	unsigned long first, size, at;

	if (!host_text_is_locked() || !host_symbol_bounds(addr, &first, &size))
		return true;
	for (at = first; at < first + size; at += ARCH_TRAP_SIZE) {
		pt = table_find(at);
		if (pt && pt->mechanism == POINT_TRAP && point_is_armed(pt))
			return true;
	}
	return arch_relays_near(first, first + size);
}

/* On entry of int arch_prepare_optimized_kprobe(struct optimized_kprobe *op, ...). */
static int before_prepare(struct kprobe *p, struct pt_regs *regs)
{
	if (!has_our_trap(host_builtin_address((void *)arch_argument(regs, 0))))
		return 0;
	arch_return_from(regs, -EILSEQ);
	return 1;
}

static struct kprobe prepare_probe = {
	.pre_handler = before_prepare,
};

/* Looking it up by name is slow. */
static unsigned long prepare_start;	/* guarded by kprobe_mutex */

static int place_probe(void)
{
	int err = -ENOENT;

	prepare_start = prepare_start ?: host_lookup(HOST_BUILTIN_PREPARE);
	if (prepare_start) {
		prepare_probe.addr = (kprobe_opcode_t *)address_behind_tracer(prepare_start);
		err = probe_add_internal(&prepare_probe);
	}
	if (err)
		pr_err("no probe at %s(): jumps of the built-in kprobes would not be safe beside ours (error %d)\n",
		       HOST_BUILTIN_PREPARE, err);
	return err;
}

/**
 * builtin_collides() - would a trap of ours and a built-in probe write over each other
 * @addr: where the trap is to be
 *
 * A built-in probe right before it may get a jump that buries it, even if it is disabled at
 * present.  Such a jump never leaves the function.
 *
 * Context: process context.
 */
bool builtin_collides(unsigned long addr)
{
	unsigned long from = addr - (ARCH_JUMP_SIZE - ARCH_TRAP_SIZE), start, size;

	if (!host_foreign_within(from, addr + 1))
		return false;
	if (host_symbol_bounds(addr, &start, &size))
		from = max(from, start);
	return host_foreign_within(from, addr + 1);
}

static bool has_other_trap(struct list_head *todo)
{
	const struct probe_point *pt;

	list_for_each_entry(pt, todo, todo)
		if (pt->mechanism == POINT_TRAP && pt != prepare_probe.point)
			return true;
	return false;
}

/**
 * builtin_restrain() - points are about to be armed
 * @todo: the points, linked by their todo
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or the error of placing our probe; then no trap may be armed.
 */
int builtin_restrain(struct list_head *todo)
{
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (placed || !builtin_looks_for_branches() || !has_other_trap(todo))
		return 0;
	err = place_probe();
	placed = !err;
	return err;
}

static bool has_other_armed_trap(void)
{
	const struct probe_point *pt;

	list_for_each_entry(pt, &points_list, all)
		if (pt->mechanism == POINT_TRAP && pt != prepare_probe.point &&
		    point_is_armed(pt))
			return true;
	return false;
}

/**
 * builtin_unrestrain() - points have been disarmed
 *
 * Context: kprobe_mutex held, sleeps.
 */
void builtin_unrestrain(void)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!placed || has_other_armed_trap())
		return;
	/* First, as it comes back here. */
	placed = false;
	probe_remove_internal(&prepare_probe);
}
