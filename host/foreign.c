// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes in text that another owner has written for a while: breakpoints and jumps
 * of the built-in kprobes, breakpoints of a debugger, and breakpoints that the
 * kernel uses to patch code that may be running.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/preempt.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"

/* Points to the kernel's dbg_io_ops, if known; *debugger_io is NULL while no debugger is there. */
static void **debugger_io;

/**
 * host_foreign_probe() - do the built-in kprobes have a probe at an address
 * @addr: any address
 *
 * The text there may still be the original one: the probe can be disabled, or
 * be called by the function tracer.
 *
 * Context: any.
 */
__kprobes bool host_foreign_probe(unsigned long addr)
{
	bool found;

	if (!import_has(get_kprobe))
		return false;
	preempt_disable();
	found = import_get_kprobe((void *)addr);
	preempt_enable();
	return found;
}

/**
 * host_foreign_within() - do the built-in kprobes have a probe in a range of text
 * @start: first byte, of an instruction
 * @end: behind the last
 *
 * Context: any.
 */
bool host_foreign_within(unsigned long start, unsigned long end)
{
	bool found = false;

	if (!import_has(get_kprobe))
		return false;
	preempt_disable();
	for (; start < end && !found; start += ARCH_TRAP_SIZE)
		found = import_get_kprobe((void *)start);
	preempt_enable();
	return found;
}

/* How the kernel's own struct kprobe begins, which our <linux/kprobes.h> hides. */
struct builtin_kprobe {
	struct hlist_node hlist;
	struct list_head list;
	unsigned long nmissed;
	void *addr;
};

/**
 * host_builtin_address() - where a built-in probe is
 * @kprobe: its struct kprobe or struct optimized_kprobe, which begins with that
 *
 * Context: any.
 */
unsigned long host_builtin_address(const void *kprobe)
{
	return (unsigned long)((const struct builtin_kprobe *)kprobe)->addr;
}

/* The debugger searches its whole table: it is asked only if it can have a breakpoint. */
static bool has_debugger(unsigned long addr)
{
	if (!import_has(kgdb_has_hit_break) || (debugger_io && !READ_ONCE(*debugger_io)))
		return false;
	return import_kgdb_has_hit_break(addr);
}

/**
 * host_debugger_at() - does the kernel's debugger have a breakpoint at an address
 * @addr: any address
 *
 * If so it keeps what was there before, and writes that back: when the breakpoint is removed, and
 * for as long as the machine is stopped in the debugger.  Then it reads anew what is there.
 *
 * Context: any.  Within host_text_lock() the answer stays true until that ends, but on x86-64 only:
 * there the debugger changes no text while somebody holds the lock.  Elsewhere it takes no lock, as
 * all CPUs are stopped then: who has changed text asks once more.
 */
bool host_debugger_at(unsigned long addr)
{
	return has_debugger(addr);
}

/* Under text_mutex no change is in flight.  If that is not known, each patch site may have one. */
static bool is_being_patched(unsigned long addr)
{
	return ARCH_PATCHED_BY_TRAP && !host_text_lock_works() && host_patched(addr, addr + 1);
}

/**
 * host_foreign_size() - how many bytes from an address on are not the original ones
 * @addr: in text
 * @bytes: what is there
 *
 * Bytes that count as original may still be a breakpoint of an owner that is not
 * known here: only control flow that leads there can tell it from padding.
 *
 * Context: process context, within host_text_lock(), under which @bytes were
 * read; may sleep.
 * Return: the size of a breakpoint or jump of the built-in kprobes, of the
 * debugger's breakpoint, or of one by which the kernel is patching; else 0.
 */
unsigned int host_foreign_size(unsigned long addr, const u8 *bytes)
{
	unsigned int size = arch_patch_size(bytes);

	might_sleep();
	host_text_assert_locked();
	if (!size || host_foreign_probe(addr))
		return size;
	if (size != ARCH_TRAP_SIZE)
		return 0;
	return has_debugger(addr) || is_being_patched(addr) ? size : 0;
}

/**
 * host_foreign_init() - find the kernel's debugger
 *
 * Return: 0.
 */
int host_foreign_init(void)
{
	debugger_io = (void **)host_lookup("dbg_io_ops");
	return 0;
}
