// SPDX-License-Identifier: GPL-2.0-only
/*
 * What core/traces.c needs of x86-64; the code that is called is in trampoline.S.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/stddef.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"

static_assert(offsetof(struct traces_known, start) == X86_TRACES_START);
static_assert(offsetof(struct traces_known, size) == X86_TRACES_SIZE);
static_assert(offsetof(struct traces_known, foreign) == X86_TRACES_FOREIGN);

/* The two unwinders, and who prints a stack word by word, which compilers may put together. */
const char * const arch_traces_askers[] = {
	"unwind_next_frame", "update_stack_state", "__unwind_start", "__show_trace_log_lvl",
	"show_trace_log_lvl", NULL
};

/* Who prints a stack asks the second one first, and skips what is none. */
const struct traces_call arch_traces_calls[] = {
	{ "ftrace_graph_ret_addr", x86_return_address },
	{ "__kernel_text_address", traces_is_text },
	{ }
};

const char arch_traces_without[] =
	"end where they meet probes: the kernel does not ask for return addresses";

void arch_traces_end(void)
{
}

bool arch_traces_make_call(struct text_edit *edit, const void *to)
{
	return edit->len == X86_BRANCH32_SIZE && edit->bytes[0] == X86_CALL32 &&
	       x86_make_branch(edit->bytes, X86_CALL32, edit->addr, (unsigned long)to);
}
