// SPDX-License-Identifier: GPL-2.0-only
/*
 * What core/traces.c needs of x86-64; the code that is called is in trampoline.S.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <asm/unwind.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/imports_c.h"
#include "../detour.h"

static_assert(offsetof(struct return_area, start) == 0);
static_assert(offsetof(struct return_area, end) == 8);
static_assert(offsetof(struct traces_known, start) == X86_TRACES_START);
static_assert(offsetof(struct traces_known, size) == X86_TRACES_SIZE);
static_assert(offsetof(struct traces_known, foreign) == X86_TRACES_FOREIGN);

/*
 * The two unwinders, and who prints a stack word by word, which compilers may put together.  And who
 * hands on the addresses that the unwinder finds: for its client, for live patching, for perf, for
 * /proc/PID/wchan; and who prints registers.  The first one has the call of orc_find().
 */
const char * const arch_traces_askers[] = {
	"unwind_next_frame", "update_stack_state", "__unwind_start", "__show_trace_log_lvl",
	"show_trace_log_lvl", "arch_stack_walk", "arch_stack_walk_reliable",
	"perf_callchain_kernel", "__get_wchan", "show_iret_regs",
#ifndef CONFIG_UNWINDER_ORC
	"unwind_get_return_address",
#endif
	NULL
};

const char * const arch_traces_must[] = {
#ifdef CONFIG_UNWINDER_FRAME_POINTER
	"unwind_next_frame", "update_stack_state", "__unwind_start",
#endif
	NULL
};

/*
 * The unwinder asks orc_find() of each address: we have bound our veneer to it.  Read in any context;
 * once true, it stays.
 */
static bool orc_is_asked;

bool arch_traces_slots(void)
{
	return READ_ONCE(orc_is_asked) || !IS_ENABLED(CONFIG_UNWINDER_ORC);
}

/* A return address behind which a handler was called. */
unsigned long arch_detour_frame(void)
{
	return x86_detour_places.called;
}

/* Of those in our text the unwinder has a description: that nothing is known. */
static bool is_nameless_stub(unsigned long addr)
{
	return return_address_is_stub(addr) && !return_stub_is_own(addr);
}

/**
 * x86_traces_place() - what an address stands for, to who follows stacks
 * @addr: any address
 *
 * Context: any, NMI too; preemption off.
 * Return: in place of one in a slot or a detour, an address in the probed code or in x86_detour at
 * which the stack is the same; in place of one in a stub the first stub of our text; otherwise @addr, as also if that can't be told.
 */
asmlinkage unsigned long x86_traces_place(unsigned long addr)
{
	unsigned long start, place = 0;
	bool is_run;

	if (is_nameless_stub(addr))
		return (unsigned long)arch_return_stubs + addr % ARCH_RETURN_STUB_SIZE;
	start = host_slot_around(addr, &is_run);
	if (start)
		place = is_run ? x86_detour_place(start, addr) : x86_slot_place(start, addr);
	return place ?: addr;
}

static bool is_in_detour_frame(unsigned long place)
{
	return place >= x86_detour_places.entered && place <= x86_detour_places.end;
}

/*
 * The unwinder by ORC finds what is behind a return address by itself, and asks for a description
 * then.  The one by frame pointers asks here for the address of an interrupt, too, and goes by
 * the frame pointer at that time.  Where that is still the probed code's, what is pushed
 * does not tell who that is, so it is named here.
 */
unsigned long arch_traces_return(unsigned long addr)
{
	unsigned long start, place;
	bool is_run;

	if (IS_ENABLED(CONFIG_UNWINDER_ORC))
		return host_in_run(addr) ? arch_detour_frame() : addr;
	place = x86_traces_place(addr);
	if (!is_in_detour_frame(place) || place == x86_detour_places.saved)
		return place;
	start = host_slot_around(addr, &is_run);
	return start ? x86_detour_probed(start) : addr;
}

/*
 * In place of show_ip(): the address has no name, so say what it is.  Registers are printed by an
 * oops, a warning, and for the interrupts in a trace.
 */
static void show_ip_and_place(struct pt_regs *regs, const char *level)
{
	unsigned long start, place;
	bool is_run;

	import_show_ip(regs, level);
	if (is_nameless_stub(regs->ip))
		pr_warn("RIP is in the stub of a return\n");
	start = host_slot_around(regs->ip, &is_run);
	place = start ? x86_traces_place(regs->ip) : regs->ip;
	if (place == regs->ip)
		return;
	if (is_in_detour_frame(place))
		pr_warn("RIP is in the detour from %pS\n", (void *)x86_detour_probed(start));
	else
		pr_warn("RIP is in the copy of %pS\n", (void *)place);
}

#ifdef CONFIG_UNWINDER_ORC
/* As x86_orc_find() asks, before anything is called: modules have traces, too. */
static bool may_be_in_slot(unsigned long addr)
{
	return addr - (unsigned long)arch_slots < ARCH_NR_SLOTS * ARCH_SLOT_SIZE ||
	       traces_in_area(addr) || return_address_may_be_stub(addr);
}

/* All calls for these are here, and not inline: the other way needs no registers to be saved. */
static noinline unsigned long name_in_module(struct unwind_state *state)
{
	unsigned long addr = state->ip, place;

	if (unwind_done(state))
		return 0;
	preempt_disable_notrace();
	place = x86_traces_place(addr);
	preempt_enable_notrace();
	return place != addr ? place : unwind_get_return_address(state);
}

/*
 * In place of unwind_get_return_address(), for each frame.  The unwinder has read the address
 * of an interrupt itself.  Nearly all are the kernel's own text, below all modules.
 */
static unsigned long name_of(struct unwind_state *state)
{
	if (likely(state->ip < MODULES_VADDR || !may_be_in_slot(state->ip)))
		return unwind_get_return_address(state);
	return name_in_module(state);
}
#else
static unsigned long name_of(struct unwind_state *state)
{
	return 0;
}
#endif

/*
 * Who prints a stack asks the second one first, and skips what is none.  By frame pointers a stub is
 * as good as any address; by ORC it ends a trace, which is then not reliable.
 */
const struct traces_call arch_traces_calls[] = {
	{ "ftrace_graph_ret_addr", x86_return_address },
	{ "__kernel_text_address", traces_is_text },
	{ "orc_find", x86_orc_find, .last = true },
	{ "unwind_get_return_address", name_of },
	{ "show_ip", show_ip_and_place },
	{ }
};

const char arch_traces_without[] =
	"end where they meet probes: the kernel does not ask for return addresses";

void arch_traces_end(void)
{
}

static bool bind_orc_find(const struct text_edit *call)
{
	s32 distance;

	memcpy(&distance, call->bytes + 1, sizeof(distance));
	if (arch_bind_veneer(x86_orc_find_theirs, call->addr + X86_BRANCH32_SIZE + distance))
		return false;
	WRITE_ONCE(orc_is_asked, true);
	return true;
}

bool arch_traces_make_call(struct text_edit *edit, const void *to)
{
	if (edit->len != X86_BRANCH32_SIZE || edit->bytes[0] != X86_CALL32)
		return false;
	if (to == x86_orc_find && !bind_orc_find(edit))
		return false;
	/* Who is not told what a slot is would guess behind it. */
	if (to == name_of && !orc_is_asked)
		return false;
	return x86_make_branch(edit->bytes, X86_CALL32, edit->addr, (unsigned long)to);
}
