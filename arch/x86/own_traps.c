// SPDX-License-Identifier: GPL-2.0-only
/*
 * Breakpoints that the kernel was built with, which execution passes.
 *
 * They look like those of another tool.  The one kind known is in the function that restarts the
 * machine: it takes the interrupt table away, and then a breakpoint is a triple fault.  Another
 * tool's breakpoint directly behind that call would be in its place, and as long as it.
 */
#include <linux/lockdep.h>
#include <linux/string.h>

#include "../../core/core.h"

static const char restarts[] = "native_machine_emergency_restart";

/* Is the instruction before an address a call of a function? */
static bool is_behind_call(unsigned long addr, const char *name)
{
	unsigned long call = addr - X86_BRANCH32_SIZE;
	u8 bytes[X86_BRANCH32_SIZE];
	struct insn insn;

	if (text_original(call, bytes, sizeof(bytes)) < sizeof(bytes) ||
	    insn_decode(&insn, bytes, sizeof(bytes)) != INSN_OK)
		return false;
	return insn.class == INSN_CALL && insn.length == sizeof(bytes) &&
	       arch_called_function(insn_branch_target(&insn, call)) == host_lookup(name);
}

bool arch_is_own_trap(unsigned long addr)
{
	struct host_symbol sym;

	lockdep_assert_held(&kprobe_mutex);
	return host_symbol_at(addr, &sym) && !strcmp(sym.name, restarts) &&
	       addr - sym.start >= X86_BRANCH32_SIZE && is_behind_call(addr, "idt_invalidate");
}
