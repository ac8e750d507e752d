// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM's world switch, on CPUs with VHE.
 *
 * There the kernel runs at EL2, and what enters and leaves a guest is ordinary text:
 * arch/arm64/kvm/hyp, built for that mode.  From the point where it installs KVM's vectors up to
 * where it takes them back, any exception is a panic of the hypervisor, and what calls a handler
 * without an exception runs with a guest's system registers.  Without VHE the same text is
 * there, but it does not run: its twin does, in sections that are refused in any case.
 *
 * The text has no section of its own, and the names and the number of its functions change with
 * every kernel; some are only reached through a table.  But its objects are linked one behind
 * the other:
 *
 *	timers, registers		__kvm_vcpu_run_vhe() calls these
 *	switch				callers of __guest_enter(), and what is in the table
 *	TLB, interrupt controller	called through the table
 *	entry, vectors			__guest_enter, __kvm_hyp_vector
 *	exceptions			__kvm_vcpu_run_vhe() calls these
 *
 * So all between the callers of __guest_enter and __kvm_hyp_vector belongs to it, and on both
 * sides all up to the functions nearby that any of it calls.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <asm/virt.h>

#include "../../core/core.h"
#include "insn.h"

/* It takes some 40 KiB.  More than this and it is not in one place. */
#define MAX_SWITCH	SZ_256K

/* The next function in it that is called directly is nearer than this. */
#define NEARBY		SZ_16K

/* The target of the direct branch or call at an address; 0 if there is none. */
static unsigned long branch_at(unsigned long addr)
{
	const u32 *at = (const u32 *)addr;
	u32 word = READ_ONCE(at[0]);

	if ((word & 0x7c000000) != 0x14000000 || insn_is_pointer(addr, READ_ONCE(at[1])))
		return 0;
	return addr + sign_extend64((u64)(word & 0x03ffffff) << 2, 27);
}

static void include(struct host_area *area, unsigned long start, unsigned long size)
{
	area->start = min(area->start, start);
	area->end = max(area->end, start + size);
}

/* Is a function that is not in the area near enough to belong to it? */
static bool is_nearby(const struct host_area *area, unsigned long start, unsigned long size)
{
	if (start < area->start)
		return area->start - start < NEARBY + size;
	return start >= area->end && start - area->end < NEARBY;
}

static bool include_function(struct host_area *area, unsigned long addr)
{
	unsigned long start, size;

	if (!host_symbol_bounds(addr, &start, &size))
		return false;
	include(area, start, size);
	return true;
}

static unsigned int include_callers(struct host_area *area, unsigned long function)
{
	unsigned long addr = function - MAX_SWITCH, end = function + MAX_SWITCH;
	unsigned int nr = 0;

	for (; addr < end; addr += INSN_SIZE)
		if (host_core_text(addr) && branch_at(addr) == function)
			nr += include_function(area, addr);
	return nr;
}

/* Extends an area by what it calls nearby.  Returns whether there was anything. */
static bool include_called(struct host_area *area)
{
	const struct host_area was = *area;
	unsigned long addr, start, size;

	for (addr = was.start; addr < was.end; addr += INSN_SIZE) {
		unsigned long target = branch_at(addr);

		if (target && (target < area->start || target >= area->end) &&
		    host_core_text(target) && host_symbol_bounds(target, &start, &size) &&
		    is_nearby(area, start, size))
			include(area, start, size);
	}
	return area->start != was.start || area->end != was.end;
}

static bool find_switch(struct host_area *area, unsigned long enter, unsigned long vector)
{
	*area = (struct host_area){ enter, enter };
	if (!include_function(area, enter) || !include_function(area, vector) ||
	    !include_callers(area, enter))
		return false;
	while (area->end - area->start <= MAX_SWITCH)
		if (!include_called(area))
			return true;
	return false;
}

/* A kernel without KVM has no such function, and one at EL1 does not run this one. */
bool arch_guest_switch(struct host_area *area)
{
	unsigned long enter, vector;

	might_sleep();
	if (!is_kernel_in_hyp_mode())
		return false;
	enter = host_lookup("__guest_enter");
	vector = host_lookup("__kvm_hyp_vector");
	if (!enter && !vector)
		return false;
	if (enter && vector && find_switch(area, enter, vector))
		return true;
	pr_warn("KVM's switch between host and guest was not found: do not probe it\n");
	return false;
}
