// SPDX-License-Identifier: GPL-2.0-only
/*
 * What core/traces.c needs of arm64.  Modules may be too far away for a call from the kernel's
 * text, so each leads to a veneer within reach.
 */
#include <linux/kernel.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "reach.h"

#define BL_BIT	0x80000000	/* turns a b into a bl */

/* There is one, for the only function in arch_traces_calls.  Guarded by kprobe_mutex. */
static unsigned long veneer;

/* Who follows stacks: for the client of a trace, for printing, for perf, for /proc/PID/wchan. */
const char * const arch_traces_askers[] = {
	"stack_trace_save", "stack_trace_save_tsk", "stack_trace_save_regs", "dump_backtrace",
	"perf_callchain_kernel", "return_address", "profile_pc", "__get_wchan", NULL
};

const struct traces_call arch_traces_calls[] = {
	{ "arch_stack_walk", traces_walk },
	{ }
};

static_assert(ARRAY_SIZE(arch_traces_calls) == 2);

const char arch_traces_without[] =
	"have stubs of ours for return addresses: the calls that follow stacks are not known";

static bool make_veneer(unsigned long near, const void *to)
{
	unsigned long addr = host_run_alloc(ARM64_VENEER_SIZE, near);

	if (!addr)
		return false;
	if (arch_bind_veneer((void *)addr, (unsigned long)to)) {
		host_slot_free(addr, NULL);
		return false;
	}
	host_text_sync();
	veneer = addr;
	return true;
}

/* A call at the end of a function is a b. */
bool arch_traces_make_call(struct text_edit *edit, const void *to)
{
	struct insn insn;
	u32 word = 0;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (insn_decode(&insn, edit->bytes, INSN_SIZE) != INSN_OK ||
	    (insn.class != INSN_BL && insn.class != INSN_B))
		return false;
	if (!veneer && !make_veneer(edit->addr, to))
		return false;
	if (!reach_branch((u8 *)&word, edit->addr, veneer))
		return false;
	word |= insn.class == INSN_BL ? BL_BIT : 0;
	memcpy(edit->bytes, &word, sizeof(word));
	return true;
}

void arch_traces_end(void)
{
	if (veneer)
		host_slot_free(veneer, NULL);
	veneer = 0;
}
