// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detours: what a branch in place of a trap leads to.
 *
 * One branch replaces one word, so it takes no more than a store, and it does
 * not matter where else execution may come to.  It must reach, though: detours
 * for the kernel image lie amid its text, see arch_borrow_text().
 *
 *	pointer to the description, the gate
 * entry:
 *	two frames; r0 and LR saved in the lower one
 *	bl hub			saves the rest, calls powerpc_detour_hit(),
 *				puts back all but these two
 *	LR, r0 and the stack pointer put back
 *	what does what the instruction did, and goes on behind it
 *
 * The hub is shared by all detours in its reach.  The gate is a word that
 * powerpc_detour_hit() reads once interrupts are off: who has seen it open is
 * waited for by a sync of all CPUs.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../core/dispatch.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"
#include "detour.h"
#include "reach.h"

#define HEAD_SIZE	16	/* pointer and gate */
#define GATE_OFFSET	8
#define CALL_WORDS	6	/* from the entry to behind the call of the hub */
#define MAX_CODE	(HEAD_SIZE + 11 * INSN_SIZE + REACH_MAX_COPY)
#define MAX_EDITS	DIV_ROUND_UP(MAX_CODE, sizeof_field(struct text_edit, bytes))

static_assert(HEAD_SIZE + CALL_WORDS * INSN_SIZE == POWERPC_DETOUR_BEFORE_BACK);

const char * const arch_jump_unknown = "there is no memory to judge it";

/* ---- hubs ---- */

#define MAX_HUBS	64
#define HUB_MAX_SIZE	512

static unsigned long hubs[MAX_HUBS];
static unsigned int nr_hubs;

static unsigned int hub_size(void)
{
	return (unsigned long)powerpc_hub_end - (unsigned long)powerpc_hub;
}

/**
 * powerpc_is_in_hub() - is an address in what detours share
 * @addr: any address
 *
 * Context: any.
 */
bool powerpc_is_in_hub(unsigned long addr)
{
	/* Of those that are counted the address is there. */
	unsigned int i, nr = smp_load_acquire(&nr_hubs);

	for (i = 0; i < nr; i++)
		if (addr - hubs[i] < hub_size())
			return true;
	return false;
}

/* In pieces that an edit can hold. */
static int write_code(unsigned long addr, const u8 *bytes, unsigned int size)
{
	struct text_edit edits[HUB_MAX_SIZE / sizeof_field(struct text_edit, bytes)];
	unsigned int done, some, nr = 0;

	for (done = 0; done < size; done += some) {
		some = min_t(unsigned int, size - done, sizeof(edits[0].bytes));
		edits[nr].addr = addr + done;
		edits[nr].len = some;
		memcpy(edits[nr++].bytes, bytes + done, some);
	}
	return host_text_write(edits, nr);
}

static int write_shared(unsigned long at, const struct powerpc_shared *shared)
{
	unsigned int size = (unsigned long)shared->end - (unsigned long)shared->start;
	unsigned int load = (unsigned long)shared->load - (unsigned long)shared->start;
	u8 *bytes = kmalloc(HUB_MAX_SIZE, GFP_KERNEL);
	int err = -ENOMEM;

	if (bytes && size <= HUB_MAX_SIZE) {
		memcpy(bytes, shared->start, size);
		powerpc_make_load((u32 *)(bytes + load), (unsigned long)shared->calls);
		err = write_code(at, bytes, size);
	}
	kfree(bytes);
	return err;
}

/**
 * powerpc_place() - make a copy of code that branches to it must reach
 * @shared: the code
 * @near: an address
 *
 * It stays until all memory of its kind goes: that waits for who is in any detour.
 *
 * Context: process context, may sleep.
 * Return: where it is; 0 if there is no memory that near.
 */
unsigned long powerpc_place(const struct powerpc_shared *shared, unsigned long near)
{
	unsigned long size = (unsigned long)shared->end - (unsigned long)shared->start;
	unsigned long at = host_run_alloc(size, near);

	if (at && write_shared(at, shared)) {
		host_slot_free(at, NULL);
		return 0;
	}
	return at;
}

static unsigned long new_hub(unsigned long near)
{
	static const struct powerpc_shared shared = {
		powerpc_hub, powerpc_hub_load, powerpc_hub_end, powerpc_detour_hit
	};
	unsigned long hub;

	if (nr_hubs == MAX_HUBS)
		return 0;
	hub = powerpc_place(&shared, near);
	if (!hub)
		return 0;
	hubs[nr_hubs] = hub;
	/* Who counts it finds its address. */
	smp_store_release(&nr_hubs, nr_hubs + 1);
	return hub;
}

static unsigned long hub_near(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < nr_hubs; i++)
		if (arch_in_reach(addr, hubs[i], hubs[i] + hub_size()))
			return hubs[i];
	return new_hub(addr);
}

/* ---- making one ---- */

#define WORD_STDU_R1	0xf8210001	/* stdu r1,...(r1) */
#define WORD_STD_R0	0xf8010000	/* std r0,...(r1) */
#define WORD_LD_R0	0xe8010000	/* ld r0,...(r1) */
#define WORD_ADDI_R1	0x38210000	/* addi r1,r1,... */
#define WORD_MFLR_R0	0x7c0802a6
#define WORD_MTLR_R0	0x7c0803a6
#define BIT_LINK	1

#define SAVED_R0	(POWERPC_DETOUR_REGS + POWERPC_REGS_GPR(0))
#define SAVED_LR	(POWERPC_DETOUR_REGS + POWERPC_REGS_LINK)

/* Code that is being assembled, for an address. */
struct assembly {
	u8 bytes[MAX_CODE];
	unsigned int nr;
	unsigned long addr;
};

static void emit(struct assembly *a, u32 word)
{
	memcpy(a->bytes + a->nr, &word, sizeof(word));
	a->nr += sizeof(word);
}

static bool emit_call(struct assembly *a, unsigned long target)
{
	u32 word;

	if (!reach_branch((u8 *)&word, a->addr + a->nr, target))
		return false;
	emit(a, word | BIT_LINK);
	return true;
}

static void emit_head(struct assembly *a, const struct powerpc_detour *detour, bool shut)
{
	memcpy(a->bytes, &detour, sizeof(detour));
	a->nr = GATE_OFFSET;
	emit(a, shut);
	emit(a, 0);
}

/* Behind the hub all is put back but what it takes to come back from there; the mark is wiped. */
static bool emit_call_of_hub(struct assembly *a, unsigned long hub)
{
	emit(a, WORD_STDU_R1 | (-POWERPC_DETOUR_ABOVE & 0xffff));
	emit(a, WORD_STDU_R1 | (-POWERPC_DETOUR_FRAME & 0xffff));
	emit(a, WORD_STD_R0 | SAVED_R0);
	emit(a, WORD_MFLR_R0);
	emit(a, WORD_STD_R0 | SAVED_LR);
	if (!emit_call(a, hub))
		return false;
	emit(a, WORD_LD_R0 | SAVED_LR);
	emit(a, WORD_MTLR_R0);
	emit(a, WORD_STD_R0 | POWERPC_DETOUR_MARK_AT);
	emit(a, WORD_LD_R0 | SAVED_R0);
	emit(a, WORD_ADDI_R1 | POWERPC_DETOUR_ROOM);
	return true;
}

static bool emit_copy(struct assembly *a, const struct reach_region *region, unsigned long from)
{
	unsigned int nr = reach_copy(region, a->bytes + a->nr, from, a->addr + a->nr);

	a->nr += nr;
	return nr;
}

/*
 * Those who keep books about interrupts must be told, which dispatch_jump()
 * does: on such kernels the gate is shut from the beginning.
 */
static bool gate_is_shut(unsigned int nr_handlers)
{
	return IS_ENABLED(CONFIG_TRACE_IRQFLAGS) || nr_handlers > POWERPC_MAX_HANDLERS;
}

static bool is_called(const struct kprobe *p)
{
	return p->pre_handler && !kprobe_disabled(p);
}

/* Returns how many there are. */
static unsigned int note_handlers(struct powerpc_detour *detour, const struct probe_point *pt)
{
	struct kprobe *p;
	unsigned int nr = 0;

	list_for_each_entry(p, &pt->probes, list) {
		if (!is_called(p))
			continue;
		if (nr < POWERPC_MAX_HANDLERS)
			detour->probes[nr] = p;
		nr++;
	}
	detour->nr = min_t(unsigned int, nr, POWERPC_MAX_HANDLERS);
	return nr;
}

static bool fill(struct powerpc_detour *detour, const struct probe_point *pt,
		 const struct reach_region *region)
{
	bool shut = gate_is_shut(note_handlers(detour, pt));
	struct assembly a = { .addr = detour->code };
	unsigned long hub = hub_near(detour->code);

	if (!hub)
		return false;
	emit_head(&a, detour, shut);
	return emit_call_of_hub(&a, hub) && emit_copy(&a, region, pt->addr) &&
	       !write_code(a.addr, a.bytes, a.nr);
}

static struct powerpc_detour *make_detour(struct probe_point *pt,
					  const struct reach_region *region)
{
	struct powerpc_detour *detour = inject_failure() ? NULL :
					kzalloc(sizeof(*detour), GFP_KERNEL);

	if (!detour)
		return NULL;
	detour->addr = pt->addr;
	detour->links = region->links;
	detour->code = host_run_alloc(MAX_CODE, pt->addr);
	detour->gate = (const u32 *)(detour->code + GATE_OFFSET);
	detour->entry = detour->code + HEAD_SIZE;
	if (detour->code && fill(detour, pt, region))
		return detour;
	if (detour->code)
		host_slot_free(detour->code, NULL);
	kfree(detour);
	return NULL;
}

/* ---- which places ---- */

static bool is_owned(void *unused, u64 start, u64 end)
{
	return host_foreign_probe(start) || host_ftrace_within(start, end) ||
	       host_patched(start, end);
}

static bool has_fixup(void *unused, u64 addr)
{
	return host_exception_entry(addr);
}

static enum reach_reason judge(unsigned long addr, struct reach_region *region)
{
	struct reach_facts facts = { .is_owned = is_owned, .has_fixup = has_fixup };
	unsigned long start, size;
	struct host_area area;
	u8 bytes[REACH_MAX_LENGTH];

	if (!host_symbol_bounds(addr, &start, &size))
		return REACH_END;
	size = min_t(unsigned long, start + size - addr, sizeof(bytes));
	point_original_text(addr, bytes, size);
	powerpc_detour_area(addr, &area);
	facts.detours = area.start;
	facts.detours_end = area.end;
	return reach_region(region, bytes, size, addr, &facts);
}

const char *arch_jump_verdict(unsigned long addr, struct module *mod)
{
	struct reach_region region;

	return reach_reason_text(judge(addr, &region));
}

const char *arch_jump_prepare(struct probe_point *pt)
{
	struct reach_region region;
	enum reach_reason reason;

	if (pt->arch.detour)
		return NULL;
	reason = judge(pt->addr, &region);
	if (reason != REACH_OK)
		return reach_reason_text(reason);
	pt->arch.detour = make_detour(pt, &region);
	return pt->arch.detour ? NULL : "there is no memory for a detour";
}

void arch_jump_discard(struct probe_point *pt)
{
	struct powerpc_detour *detour = pt->arch.detour;

	if (!detour)
		return;
	pt->arch.detour = NULL;
	host_slot_free(detour->code, detour);
}

/* Of a prefixed instruction a word is left behind the branch. */
bool arch_jump_fits(const struct probe_point *pt)
{
	return pt->arch.detour && host_text_is(pt->addr + INSN_SIZE, pt->arch.bytes + INSN_SIZE,
					       pt->arch.insn.length - INSN_SIZE);
}

/* Nobody goes on amid an instruction. */
bool arch_jump_overwrites(const struct probe_point *pt, unsigned long addr)
{
	return false;
}

void arch_jump_forget_module(struct module *mod)
{
}

void arch_jump_exit(void)
{
}

/* ---- the text ---- */

static void make_edit(unsigned long addr, const void *word, struct text_edit *edit)
{
	edit->addr = addr;
	edit->len = INSN_SIZE;
	memcpy(edit->bytes, word, INSN_SIZE);
}

static const u32 trap = POWERPC_TRAP;

const u8 *arch_point_covered(const struct probe_point *pt, unsigned int *nr)
{
	*nr = pt->armed ? INSN_SIZE : 0;
	return pt->arch.bytes;
}

void arch_edit_trap(const struct probe_point *pt, struct text_edit *edit)
{
	make_edit(pt->addr, &trap, edit);
}

void arch_edit_head(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	make_edit(pt->addr, pt->arch.bytes, edit);
	if (jump)
		reach_branch(edit->bytes, pt->addr, pt->arch.detour->entry);
}

void arch_edit_tail(const struct probe_point *pt, struct text_edit *edit, bool jump)
{
	edit->len = 0;
}

void arch_edit_gate(const struct probe_point *pt, struct text_edit *edit)
{
	const u32 shut = 1;

	make_edit((unsigned long)pt->arch.detour->gate, &shut, edit);
}

bool arch_point_intact(const struct probe_point *pt)
{
	u8 branch[INSN_SIZE];

	if (!pt->armed)
		return host_text_is(pt->addr, pt->arch.bytes, pt->arch.insn.length);
	if (!pt->jumping)
		return host_text_is(pt->addr, (const u8 *)&trap, INSN_SIZE);
	reach_branch(branch, pt->addr, pt->arch.detour->entry);
	return host_text_is(pt->addr, branch, INSN_SIZE);
}

/* ---- hits ---- */

/*
 * Whoever was on the way when the gate was shut is still a hit of the point, if
 * that lives.  The detour may have outlived it.
 */
static noinline void look_up(struct powerpc_detour *detour, struct pt_regs *regs)
{
	struct probe_point *pt = table_find(detour->addr);

	if (pt && READ_ONCE(pt->armed))
		dispatch_jump(pt, regs);
}

static __always_inline void call_handlers(struct powerpc_detour *detour, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < detour->nr; i++) {
		struct kprobe *p = detour->probes[i];

		dispatch_begin(p);
		p->pre_handler(p, regs);
	}
	dispatch_done();
}

/* In the frame above, where unwinders find who has called. */
static __always_inline unsigned long *caller_of(struct pt_regs *regs)
{
	return (void *)regs + POWERPC_REGS_SIZE + POWERPC_FRAME_LR;
}

/**
 * powerpc_detour_hit() - a branch has led to a detour
 * @detour: the detour
 * @regs: registers, as at a trap; what interrupts are is not yet among them
 *
 * User memory stays as accessible as the probed code has made it.
 *
 * Context: that of the probed function.
 */
asmlinkage void powerpc_detour_hit(struct powerpc_detour *detour, struct pt_regs *regs)
{
	unsigned long amr = mfspr(SPRN_AMR), flags;

	raw_local_irq_save(flags);
	regs->softe = flags;
	regs->nip = detour->addr;
	*caller_of(regs) = detour->addr;
	if (likely(!READ_ONCE(*detour->gate) && !dispatch_busy()))
		call_handlers(detour, regs);
	else
		look_up(detour, regs);
	if (detour->links)
		regs->link = detour->addr + INSN_SIZE;
	if (unlikely(mfspr(SPRN_AMR) != amr)) {
		mtspr(SPRN_AMR, amr);
		isync();
	}
	raw_local_irq_restore(flags);
}
