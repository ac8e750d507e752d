// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer.  They come through copies of our own
 * trampoline in reach of the sites, or through the kernel's trampoline if the site has
 * other users, and for fprobes.
 *
 * On a kernel with live patching, the kernel's trampoline takes any changed nip for
 * the function of a patch.  It overwrites r11 and r12, calls the address, and keeps its
 * return state on a separate stack.  Code that does not return there would leak that
 * state at each hit, and a jprobe's function would not even be found.  So on such
 * kernels no handler redirects a hit at a site with other users: arch_ftrace_is_kept().
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/code-patching.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "assembly.h"
#include "detour.h"
#include "insn.h"

/* ---- trampolines of our own ---- */

enum { WAY_KERNEL, WAY_IMAGE, WAY_MODULES };

static const struct powerpc_shared shared = {
	powerpc_ftrace_entry, powerpc_ftrace_load, powerpc_ftrace_end, powerpc_ftrace_entered
};

static unsigned long trampolines[ARCH_NR_FTRACE_WAYS];

/* The kernel's trampolines: sites in the image must reach them to be switched between both. */
static unsigned long kernel_trampolines[2];

static void place_trampoline(unsigned int way)
{
	if (IS_ENABLED(CONFIG_PPC_FTRACE_OUT_OF_LINE))
		return;	/* Sites do not call their trampoline directly. */
	if (way == WAY_MODULES) {
		trampolines[way] = powerpc_place(&shared, (unsigned long)powerpc_ftrace_entry);
		return;
	}
	kernel_trampolines[0] = host_lookup("ftrace_caller");
	kernel_trampolines[1] = host_lookup("ftrace_regs_caller");
	if (kernel_trampolines[0] && kernel_trampolines[1])
		trampolines[way] = powerpc_place(&shared, kernel_trampolines[0]);
}

unsigned long arch_ftrace_trampoline(unsigned int way)
{
	if (way != WAY_KERNEL && !trampolines[way])
		place_trampoline(way);
	return trampolines[way];
}

static bool reaches(unsigned long site, unsigned long to)
{
	return arch_in_reach(site, to, to + INSN_SIZE);
}

unsigned int arch_ftrace_way(unsigned long site)
{
	unsigned int way = is_vmalloc_addr((void *)site) ? WAY_MODULES : WAY_IMAGE;

	if (!trampolines[way] || !reaches(site, trampolines[way]))
		return WAY_KERNEL;
	if (way == WAY_IMAGE &&
	    !(reaches(site, kernel_trampolines[0]) && reaches(site, kernel_trampolines[1])))
		return WAY_KERNEL;
	return way;
}

/**
 * powerpc_ftrace_entered() - our own trampoline has been called at a site
 * @regs: registers there, nip after the site; the trampoline resumes at their nip
 *
 * Context: that of the function at whose entry the site is.
 */
asmlinkage void powerpc_ftrace_entered(struct pt_regs *regs)
{
	unsigned long nip = regs->nip;
	enum dispatched dispatched;
	struct handler_context ctx;

	/* The kernel clears this while a CPU goes offline or comes up. */
	if (unlikely(!this_cpu_get_ftrace_enabled()))
		return;
	arch_handlers_enter(&ctx);
	powerpc_note_access(regs, &ctx);
	regs->softe = ctx.flags;
	dispatched = dispatch_ftrace(nip - INSN_SIZE, regs, nip);
	if (likely(dispatched == DISPATCHED))
		regs->nip = nip;
	/* After a hand-on interrupts stay off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

/* The trap in a copy of powerpc_ftrace_entry(): r4 is the address after the site. */
void powerpc_site_missed(const struct pt_regs *regs)
{
	struct probe_point *pt = table_find(regs->gpr[4] - INSN_SIZE);

	if (pt && point_is_armed(pt) && this_cpu_get_ftrace_enabled())
		dispatch_miss(pt);
}

unsigned long arch_traced_stub(unsigned int nr, void *data)
{
	return 0;
}

/* All fprobes and kprobes on a function together have one trampoline of ours then. */
bool arch_fprobe_kprobes(void)
{
	return !IS_ENABLED(CONFIG_PPC_FTRACE_OUT_OF_LINE);
}

/* ---- the kernel's trampoline ---- */

/*
 * A handler that returns for the function takes the return address out of LR.  A tracer that is
 * called after us may replace it there and count on the return, the graph tracer does.  So
 * the return itself is made behind all of them.
 */
static void return_late(struct pt_regs *regs)
{
	if (regs->nip == regs->link)
		regs->nip = (unsigned long)powerpc_return;
}

/*
 * The trampoline fills in only what it restores.  A callback that ran before may have
 * redirected the function: its nip is kept.
 */
void arch_ftrace_hit(const struct ftrace_ops *ops, unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = regs->nip;
	enum dispatched dispatched;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	powerpc_note_access(regs, &ctx);
	regs->softe = ctx.flags;
	regs->trap = 0;
	dispatched = dispatch_ftrace_shared(ops, site, regs, nip);
	if (likely(dispatched == DISPATCHED))
		regs->nip = nip;
	else if (dispatched == DISPATCHED_ELSEWHERE)
		return_late(regs);
	/* After a hand-on interrupts stay off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

void arch_traced_hit(void *data, unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = regs->nip;
	struct handler_context ctx;

	arch_handlers_enter(&ctx);
	regs->softe = ctx.flags;
	regs->trap = 0;
	fprobe_hit(data, site, regs);
	regs->nip = nip;
	arch_handlers_leave(&ctx);
}

/* ---- r13 in the kernel's trampoline ---- */

/*
 * r13 points to the data of the CPU.  The kernel's trampoline restores it with the
 * other registers, but a task that was preempted there may be on another CPU by then.
 * So while this module is loaded the trampoline does not load r13: C code preserves it.
 */
#define WORD_NOP	0x60000000
#define IS_LOAD_OF_R13(word)	(((word) & 0xffff0003) == 0xe9a10000)	/* ld r13,...(r1) */
#define MAX_TRAMPOLINE	1024

static u32 *r13_load;
static u32 r13_word;

static u32 *find_load_of_r13(void)
{
	u32 *word = (u32 *)host_lookup("ftrace_regs_caller");
	unsigned int i;

	for (i = 0; word && i < MAX_TRAMPOLINE / INSN_SIZE; i++)
		if (IS_LOAD_OF_R13(word[i]))
			return &word[i];
	return NULL;
}

static int write_word(u32 *at, u32 word)
{
	struct text_edit edit = { .addr = (unsigned long)at, .len = INSN_SIZE };

	memcpy(edit.bytes, &word, sizeof(word));
	return host_text_replace(&edit, 1);
}

static int keep_r13(void)
{
	u32 *load = IS_ENABLED(CONFIG_PREEMPTION) ? find_load_of_r13() : NULL;
	int err;

	if (!load)
		return 0;
	r13_word = *load;
	err = write_word(load, WORD_NOP);
	if (!err)
		r13_load = load;
	return err;
}

static void restore_r13(void)
{
	while (r13_load && powerpc_tries_again(write_word(r13_load, r13_word)))
		;
	r13_load = NULL;
}

/* ---- the graph tracer ---- */

/*
 * Its callback does not read the return address from LR in the registers, but takes it as an
 * argument, which the trampoline has loaded before the first callback of a hit was called. What it
 * writes to LR is made of that.  So behind a callback that has replaced the return address, as ours
 * do for a call that they follow, the return would never come.
 *
 * So while this module is loaded the callback begins with a branch to a detour, which loads the
 * argument from LR.  That is the same address unless another callback has replaced it.
 *
 * The detour changes nothing else, and may be run on any stack, in any mode and with any
 * interrupts masked that the callback may.  Tasks may be preempted in it: it is freed as slots
 * are, which wait for those.  Who has a probe on the replaced word has a copy of the
 * branch; our own probes are refused there, and others are waited for.
 */
#define WORD_LD_R4_LINK	(0xe8860000 | POWERPC_REGS_LINK)	/* ld r4,...(r6) */

enum { GRAPH_LOAD, GRAPH_COPY, GRAPH_BACK, GRAPH_WORDS };

static struct text_edit graph_theirs, graph_ours;
static unsigned long graph_detour;	/* 0: the callback is as it was */

static bool runs_anywhere(u32 word)
{
	struct insn insn;

	if (insn_decode(&insn, &word, sizeof(word)) != INSN_OK)
		return false;
	return insn.class == INSN_SLOT || insn.class == INSN_NOP || insn.class == INSN_MFLR;
}

static bool assemble_graph_detour(struct text_edit *code, unsigned long entry, u32 word)
{
	u32 words[GRAPH_WORDS] = { WORD_LD_R4_LINK, word };
	const unsigned int back = GRAPH_BACK * INSN_SIZE;

	graph_theirs = (struct text_edit){ .addr = entry, .len = INSN_SIZE };
	memcpy(graph_theirs.bytes, &word, sizeof(word));
	graph_ours = graph_theirs;
	code->len = sizeof(words);
	memcpy(code->bytes, words, sizeof(words));
	return reach_branch(code->bytes + back, code->addr + back, entry + INSN_SIZE) &&
	       reach_branch(graph_ours.bytes, entry, code->addr);
}

/*
 * The branch may not stay when the detour goes.  Who has begun to place a probe there has a copy of
 * the branch before it can be found: when all tasks have run on the probe can be found, or is gone.
 */
static void restore_graph(void)
{
	while (graph_detour) {
		host_text_replace_if(&graph_theirs, graph_ours.bytes);
		host_wait_for_preempted();
		if (!host_text_replace_if(&graph_theirs, graph_theirs.bytes)) {
			host_slot_free(graph_detour, NULL);
			graph_detour = 0;
		} else {
			pr_notice_once("the graph tracer's callback can't be put back: waiting\n");
			msleep(50);
		}
	}
}

static bool write_graph_detour(struct text_edit *code, unsigned long entry, u32 word)
{
	return assemble_graph_detour(code, entry, word) && !host_text_write(code, 1);
}

static bool detour_graph(unsigned long entry)
{
	u32 word = READ_ONCE(*(u32 *)entry);
	struct text_edit code = { };
	int err = -EBUSY;

	if (!runs_anywhere(word) || host_patched(entry, entry + INSN_SIZE))
		return false;
	code.addr = host_run_alloc(GRAPH_WORDS * INSN_SIZE, entry);
	if (!code.addr)
		return false;
	if (write_graph_detour(&code, entry, word))
		err = host_text_replace_if(&graph_ours, graph_theirs.bytes);
	if (err == -EBUSY) {
		host_slot_free(code.addr, NULL);
		return false;
	}
	graph_detour = code.addr;
	/* After another error the branch may be there. */
	if (err)
		restore_graph();
	return !err;
}

/* Older kernels have no such function: their tracer reads LR behind all callbacks. */
static void mend_graph(void)
{
	unsigned long callback = host_lookup("ftrace_graph_func");

	if (callback && !detour_graph(ppc_function_entry((void *)callback)))
		pr_info("returns are lost where the graph tracer was first: its callback can't be changed\n");
}

int arch_ftrace_init(void)
{
	int err;

	might_sleep();
	err = keep_r13();
	if (!err)
		mend_graph();
	return err;
}

void arch_ftrace_exit(void)
{
	might_sleep();
	restore_graph();
	restore_r13();
}
