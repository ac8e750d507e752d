// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which function a call leads to, where the kernel has changed all its calls.
 */
#include <asm/cpufeature.h>
#include <linux/lockdep.h>

#include "../../core/core.h"
#include "probe.h"

#ifdef X86_FEATURE_CALL_DEPTH

#define GS_PREFIX	0x65

/*
 * Is this the instruction that counts a call, the last one before a function, and the only one of
 * the padding there?  It shifts a variable of this CPU.
 */
static bool counts_call(unsigned long addr, unsigned long end)
{
	u8 bytes[INSN_MAX_LENGTH];
	size_t known = text_original(addr, bytes, sizeof(bytes));
	struct insn insn;

	return known && bytes[0] == GS_PREFIX && insn_decode(&insn, bytes, known) == INSN_OK &&
	       addr + insn.length == end;
}

/*
 * With retbleed=stuff each call within the kernel leads to such an instruction, which is in a
 * symbol of its own, or at the end of the one before the function.
 */
unsigned long x86_called_function(unsigned long target)
{
	unsigned long start, size;

	lockdep_assert_held(&kprobe_mutex);
	if (!boot_cpu_has(X86_FEATURE_CALL_DEPTH) || !host_symbol_bounds(target, &start, &size) ||
	    start == target || !counts_call(target, start + size))
		return target;
	return start + size;
}

#else

unsigned long x86_called_function(unsigned long target)
{
	return target;
}

#endif
