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
	"unwind_next_frame", "update_stack_state", "__show_trace_log_lvl", "show_trace_log_lvl",
	NULL
};

bool arch_traces_call(struct text_edit *edit)
{
	unsigned long to = (unsigned long)x86_return_address;

	/* objtool warns about a constant address next to the function. */
	OPTIMIZER_HIDE_VAR(to);
	return edit->len == X86_BRANCH32_SIZE && edit->bytes[0] == X86_CALL32 &&
	       x86_make_branch(edit->bytes, X86_CALL32, edit->addr, to);
}
