// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits at call sites of the function tracer: by copies of a trampoline of our own that
 * sites can reach, or by the kernel's where others are interested in the site, too,
 * and for fprobes.
 *
 * On a kernel with live patches its trampoline takes any other address to go on at for the
 * function of a patch: it is called, with r11 and r12 overwritten, and what to do
 * once it has returned is kept on a stack of its own.  Code that does not return
 * there would leave that behind at each hit, and a jprobe's function would not
 * even be found.  So there nobody leaves a site that is not ours alone.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "assembly.h"
#include "detour.h"

/* ---- trampolines of our own ---- */

enum { WAY_KERNELS, WAY_IMAGE, WAY_MODULES };

static const struct powerpc_shared shared = {
	powerpc_ftrace_entry, powerpc_ftrace_load, powerpc_ftrace_end, powerpc_ftrace_entered
};

static unsigned long trampolines[ARCH_NR_FTRACE_WAYS];

/* Where the kernel's begin: sites in the image must reach them to be led elsewhere and back. */
static unsigned long kernels[2];

static void place(unsigned int way)
{
	if (IS_ENABLED(CONFIG_PPC_FTRACE_OUT_OF_LINE))
		return;	/* There sites do not call what is at them. */
	if (way == WAY_MODULES) {
		trampolines[way] = powerpc_place(&shared, (unsigned long)powerpc_ftrace_entry);
		return;
	}
	kernels[0] = host_lookup("ftrace_caller");
	kernels[1] = host_lookup("ftrace_regs_caller");
	if (kernels[0] && kernels[1])
		trampolines[way] = powerpc_place(&shared, kernels[0]);
}

unsigned long arch_ftrace_trampoline(unsigned int way)
{
	if (way != WAY_KERNELS && !trampolines[way])
		place(way);
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
		return WAY_KERNELS;
	if (way == WAY_IMAGE && !(reaches(site, kernels[0]) && reaches(site, kernels[1])))
		return WAY_KERNELS;
	return way;
}

/**
 * powerpc_ftrace_entered() - our own trampoline has been called at a site
 * @regs: registers there, nip behind the site; the trampoline goes on at their nip
 *
 * Context: that of the function at whose entry the site is.
 */
asmlinkage void powerpc_ftrace_entered(struct pt_regs *regs)
{
	unsigned long nip = regs->nip;
	enum dispatched dispatched;
	struct handler_context ctx;

	/* The kernel says so where a CPU is about to leave it, or has not come yet. */
	if (unlikely(!this_cpu_get_ftrace_enabled()))
		return;
	arch_handlers_enter(&ctx);
	regs->softe = ctx.flags;
	dispatched = dispatch_ftrace(nip - INSN_SIZE, regs, nip);
	if (likely(dispatched == DISPATCHED))
		regs->nip = nip;
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
	if (likely(dispatched != HANDED_ON))
		arch_handlers_leave(&ctx);
}

unsigned long arch_traced_stub(unsigned int nr, void *data)
{
	return 0;
}

/* ---- the kernel's ---- */

static DEFINE_PER_CPU(bool, site_is_kept);

/**
 * powerpc_site_is_kept() - must the hit that is being served go on behind its site?
 *
 * Context: a pre_handler at a site of the tracer.
 */
bool powerpc_site_is_kept(void)
{
	return raw_cpu_read(site_is_kept);
}

/* A handler has chosen where to go on: that is nip, or else it was in vain. */
static void leave_as_told(struct pt_regs *regs, unsigned long site, unsigned long nip)
{
	if (!POWERPC_SITES_ARE_KEPT)
		return;
	pr_err_once("%pS: with live patches in the kernel, and others interested in the site, neither a handler nor a jprobe can lead away from a call site of the function tracer\n",
		    (void *)site);
	regs->nip = nip;
}

/*
 * The trampoline fills in no more than it restores.  Somebody who was called
 * before may have redirected the function: it stays so.
 */
void arch_ftrace_hit(unsigned long site, struct pt_regs *regs)
{
	unsigned long nip = regs->nip;
	enum dispatched dispatched;
	struct handler_context ctx;
	bool kept;

	arch_handlers_enter(&ctx);
	regs->softe = ctx.flags;
	regs->trap = 0;
	kept = raw_cpu_read(site_is_kept);
	raw_cpu_write(site_is_kept, POWERPC_SITES_ARE_KEPT);
	dispatched = dispatch_ftrace(site, regs, nip);
	raw_cpu_write(site_is_kept, kept);
	if (likely(dispatched == DISPATCHED))
		regs->nip = nip;
	else
		leave_as_told(regs, site, nip);
	/* Who has handed on keeps interrupts off until dispatch_resume(). */
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

/* ---- r13 in it ---- */

/*
 * r13 leads to the data of the CPU.  The kernel's trampoline puts it back with the
 * other registers, and a task that was preempted there may be on another CPU by then.
 * So while this module is loaded it leaves r13 alone: nobody in C changes that.
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

int arch_ftrace_init(void)
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

void arch_ftrace_exit(void)
{
	while (r13_load && powerpc_tries_again(write_word(r13_load, r13_word)))
		;
	r13_load = NULL;
}
