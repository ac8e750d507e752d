// SPDX-License-Identifier: GPL-2.0-only
/*
 * What core/traces.c and core/walk.c need of arm64.  Modules may be too far away for a call from
 * the kernel's text, so each leads to a veneer within reach.
 *
 * The kernel's walk goes from frame record to frame record, and hands on the addresses only.  Of
 * an address of ours the records may have to be known, too: so the walk is done again, up to there.
 * The kernel has read each of these records just before, but may have gone elsewhere by rules that
 * are not known here, or the task runs meanwhile.  So everything is read with care, and what is
 * found may be wrong.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/imports_c.h"
#include "../slot.h"
#include "assembly.h"
#include "emulate.h"
#include "reach.h"

/* ---- the calls ---- */

#define BL_BIT	0x80000000	/* turns a b into a bl */

/*
 * Who follows stacks: for the client of a trace, for printing, for perf, for /proc/PID/wchan; and
 * who lets one be printed.
 */
const char * const arch_traces_askers[] = {
	"stack_trace_save", "stack_trace_save_tsk", "stack_trace_save_regs",
	"stack_trace_save_tsk_reliable", "dump_backtrace", "perf_callchain_kernel",
	"return_address", "profile_pc", "__get_wchan",
#ifdef LKP_HAVE_FRAME_META
	"show_stack", "show_regs",
#endif
	NULL
};

const char * const arch_traces_must[] = { "stack_trace_save_tsk_reliable", NULL };

#ifdef LKP_HAVE_FRAME_META

struct printing {
	const char *loglvl;
	bool begins_here;	/* with print_backtrace() */
};

/* As the kernel prints it, but for the marks that say how it has found a line. */
static bool print_line(void *data, unsigned long addr)
{
	struct printing *printing = data;

	if (!printing->begins_here)
		_printk("%s %pSb\n", printing->loglvl, (void *)addr);
	printing->begins_here = false;
	return true;
}

/* The stack of a task that ends may be freed, but for one's own. */
static bool hold_stack(struct task_struct *task)
{
	return task == current || (import_has(put_task_stack) && try_get_task_stack(task));
}

static void release_stack(struct task_struct *task)
{
	if (task != current)
		import_put_task_stack(task);
}

/* In place of dump_backtrace(), which has a walk of its own. */
static void print_backtrace(struct pt_regs *regs, struct task_struct *task, const char *loglvl)
{
	struct printing printing = { .loglvl = loglvl };

	if (regs && user_mode(regs))
		return;
	task = task ?: current;
	if (!hold_stack(task))
		return;
	printing.begins_here = task == current && !regs;
	_printk("%sCall trace:\n", loglvl);
	traces_walk(print_line, &printing, task, regs);
	release_stack(task);
}

#endif

/* From 5.17 until then the function that prints calls the first one. */
const struct traces_call arch_traces_calls[] = {
	{ "arch_stack_walk", traces_walk },
	{ "arch_stack_walk_reliable", traces_walk_reliable },
#ifdef LKP_HAVE_FRAME_META
	{ "dump_backtrace", print_backtrace },
#endif
	{ }
};

/* For each of them.  Guarded by kprobe_mutex. */
static struct veneer {
	const void *to;
	unsigned long addr;
} veneers[ARRAY_SIZE(arch_traces_calls) - 1];

const char arch_traces_without[] =
	"have stubs of ours for return addresses: the calls that follow stacks are not known";

static unsigned long make_veneer(unsigned long near, const void *to)
{
	unsigned long addr = host_run_alloc(ARM64_VENEER_SIZE, near);

	if (!addr)
		return 0;
	if (arch_bind_veneer((void *)addr, (unsigned long)to)) {
		host_slot_free(addr, NULL);
		return 0;
	}
	host_text_sync();
	return addr;
}

static unsigned long veneer_to(const void *to, unsigned long near)
{
	struct veneer *veneer = veneers;

	lockdep_assert_held(&kprobe_mutex);
	while (veneer->to && veneer->to != to)
		veneer++;
	veneer->to = to;
	if (!veneer->addr)
		veneer->addr = make_veneer(near, to);
	return veneer->addr;
}

/* A call at the end of a function is a b. */
bool arch_traces_make_call(struct text_edit *edit, const void *to)
{
	unsigned long veneer;
	struct insn insn;
	u32 word = 0;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	if (insn_decode(&insn, edit->bytes, INSN_SIZE) != INSN_OK ||
	    (insn.class != INSN_BL && insn.class != INSN_B))
		return false;
	veneer = veneer_to(to, edit->addr);
	if (!veneer || !reach_branch((u8 *)&word, edit->addr, veneer))
		return false;
	word |= insn.class == INSN_BL ? BL_BIT : 0;
	memcpy(edit->bytes, &word, sizeof(word));
	return true;
}

void arch_traces_end(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(veneers); i++)
		if (veneers[i].addr)
			host_slot_free(veneers[i].addr, NULL);
}

/* ---- frame records ---- */

#define FRAME_OFFSET	offsetof(struct pt_regs, stackframe)

/* A word of the kernel's memory, if there is one.  What is allocated may have a tag, with KASAN. */
static bool peek(unsigned long addr, unsigned long *word)
{
	return is_ttbr1_addr(addr) && IS_ALIGNED(addr, sizeof(*word)) &&
	       emulate_load(addr, word, sizeof(*word));
}

static bool peek_regs(unsigned long regs, struct arch_frames *frames)
{
	return peek(regs + offsetof(struct pt_regs, pc), &frames->pc) &&
	       peek(regs + offsetof(struct pt_regs, sp), &frames->sp) &&
	       peek(regs + offsetof(struct pt_regs, regs[29]), &frames->record) &&
	       peek(regs + offsetof(struct pt_regs, regs[ARM64_LINK_REGISTER]), &frames->lr);
}

/* Are there registers of an exception around a record?  Also those that stubs save. */
#ifdef LKP_HAVE_FRAME_META

static bool has_regs(unsigned long record, unsigned long fp, unsigned long lr)
{
	return !fp && !lr;
}

#else

static bool has_regs(unsigned long record, unsigned long fp, unsigned long lr)
{
	unsigned long pc, saved_fp;

	return peek(record - FRAME_OFFSET + offsetof(struct pt_regs, pc), &pc) && pc == lr &&
	       peek(record - FRAME_OFFSET + offsetof(struct pt_regs, regs[29]), &saved_fp) &&
	       saved_fp == fp;
}

#endif

/**
 * arch_frames_begin() - the walk is at the first address
 * @frames: filled in
 * @task: whose stack it is
 * @regs: where to begin; or NULL
 * @caller: the frame of the function that lets the kernel walk from there; else not used
 *
 * Context: any, NMI too.
 */
void arch_frames_begin(struct arch_frames *frames, const struct task_struct *task,
		       const struct pt_regs *regs, unsigned long caller)
{
	*frames = (struct arch_frames){ .record = caller };
	if (regs)
		*frames = (struct arch_frames){
			.record = regs->regs[29],
			.pc = regs->pc,
			.lr = regs->regs[ARM64_LINK_REGISTER],
			.sp = regs->sp,
		};
	else if (task != current)
		frames->record = thread_saved_fp((struct task_struct *)task);
	if (task != current)
		frames->stack = (unsigned long)task_stack_page(task);
}

/*
 * A task that runs meanwhile changes the records, to any value, and what is read there may be
 * a device: the kernel's own walk does not leave the stack either.
 */
static bool is_on_stack(const struct arch_frames *frames, unsigned long record)
{
	return !frames->stack ||
	       record - frames->stack <= THREAD_SIZE - 2 * sizeof(record);
}

/**
 * arch_frames_next() - the walk comes to the next address
 * @frames: changed
 *
 * Context: any, NMI too.
 */
void arch_frames_next(struct arch_frames *frames)
{
	unsigned long record = frames->record, stack = frames->stack, fp, lr;
	bool is_known = is_on_stack(frames, record);

	*frames = (struct arch_frames){ .stack = stack };
	if (!is_known || !peek(record, &fp) || !peek(record + sizeof(fp), &lr))
		return;
	frames->record = fp;
	if (has_regs(record, fp, lr) && !peek_regs(record - FRAME_OFFSET, frames))
		*frames = (struct arch_frames){ .stack = stack };
}

/* ---- what interrupted places in our text stand for ---- */

/* A stub for post handlers makes one, with the registers around it; a detour makes none. */
static bool has_own_record(const struct arch_frames *frames, unsigned long run)
{
	unsigned long record = frames->record, regs = record - FRAME_OFFSET;
	unsigned long fp, lr, pc, saved_fp;

	return is_on_stack(frames, record) && peek(record, &fp) &&
	       peek(record + sizeof(fp), &lr) && lr == assembly_stands_for(run) &&
	       peek(regs + offsetof(struct pt_regs, pc), &pc) && pc == lr &&
	       peek(regs + offsetof(struct pt_regs, regs[29]), &saved_fp) && saved_fp == fp;
}

/* Has it called a function?  Until the link register is restored. */
static bool has_called(const struct arch_frames *frames, unsigned long run)
{
	bool unused;

	return host_slot_around(frames->lr, &unused) == run;
}

static void place_of_call(const struct arch_frames *frames, unsigned long run,
			  struct arch_place *place)
{
	place->addr = arch_detour_frame();
	if (!has_own_record(frames, run))
		place->caller = assembly_stands_for(run);
}

/* The memory is not freed, but may be used anew: whatever is found is looked at. */
static unsigned long probed_by_slot(unsigned long slot)
{
	unsigned long pt = READ_ONCE(*(unsigned long *)(slot + SLOT_OWNER_OFFSET)), its_slot, addr;

	if (!peek(pt + offsetof(struct probe_point, arch.slot), &its_slot) || its_slot != slot ||
	    !peek(pt + offsetof(struct probe_point, addr), &addr))
		return 0;
	return addr;
}

/* Has the copied instruction run?  What follows it in the slot does no more than go on. */
static bool is_behind_copy(unsigned long pc, unsigned long slot)
{
	return (pc - slot) % ARCH_SLOT_COPY_SIZE >= INSN_SIZE;
}

/* There, and behind one instruction, the link register has what the function returns to. */
static bool is_entry(unsigned long addr)
{
	unsigned long start, size;

	return host_symbol_bounds(addr, &start, &size) &&
	       addr - start <= (arm64_text_is_guarded() ? INSN_SIZE : 0);
}

static void place_in_slot(const struct arch_frames *frames, unsigned long slot, bool is_run,
			  struct arch_place *place)
{
	unsigned long addr = is_run ? assembly_stands_for(slot) : probed_by_slot(slot);

	if (!addr) {
		place->addr = frames->lr;	/* a veneer has been called */
		return;
	}
	if (is_run && (has_called(frames, slot) || has_own_record(frames, slot))) {
		place_of_call(frames, slot, place);
		return;
	}
	place->addr = addr;
	if (!is_run && is_behind_copy(frames->pc, slot))
		place->addr += INSN_SIZE;
	/* The instruction may be the one that signs it. */
	if (is_entry(addr))
		place->caller = arch_return_in(&frames->lr);
}

static bool is_in_trampoline(unsigned long addr)
{
	return addr >= arm64_return_places.start && addr < arm64_return_places.end;
}

/* Where the function's caller is in no record: in x30, see trampoline.S. */
static unsigned long return_in_trampoline(const struct arch_frames *frames)
{
	if (frames->pc == arm64_return_places.start)
		return frames->lr - ARCH_RETURN_STUB_SIZE;
	if (frames->pc >= arm64_return_places.recorded && frames->pc < arm64_return_places.restored)
		return 0;
	return frames->lr;
}

/**
 * arch_frames_place() - what to name in place of an address in our text
 * @frames: where the walk is
 * @addr: the address; no stub
 * @place: filled in
 *
 * Context: any, NMI too; preemption off.
 */
void arch_frames_place(const struct arch_frames *frames, unsigned long addr,
		       struct arch_place *place)
{
	bool is_run = false;
	unsigned long slot = host_slot_around(addr, &is_run);

	*place = (struct arch_place){ .addr = addr };
	if (slot && addr == frames->pc)
		place_in_slot(frames, slot, is_run, place);
	else if (slot && is_run)
		place_of_call(frames, slot, place);
	else if (addr == frames->pc && is_in_trampoline(addr))
		place->caller = return_in_trampoline(frames);
}
