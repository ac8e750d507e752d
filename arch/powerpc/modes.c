// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds code in which a trap can't be taken, whatever its name: code that runs in real mode,
 * in the other byte order or with a guest's registers, and code that keeps values where a trap
 * overwrites them.
 *
 * Some instructions are found only there.  Labels divide hand-written code, so what execution
 * reaches from it without a call belongs to it, too.  So does the C code around an instruction
 * that stops the CPU, which may come back in real mode, and the C code that KVM and the handler of
 * hypervisor maintenance interrupts call there, or between the way to a guest's address space and
 * the way back.
 *
 * On POWER8 and before, KVM serves hypercalls in real mode, and takes a trap there for the end of
 * the machine.  Their handlers are linked one behind the other.  All that they call is found where
 * it can happen, however ordinary a function it is: a page table walk, say.
 *
 * All text is read as it is: our own probes are never on such instructions.  A built-in kprobe
 * may hide an access to a register, but none of the others.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/swab.h>
#include <asm/cputable.h>
#include <asm/mmu.h>
#include <asm/reg.h>

#include "../../core/black_walk.h"
#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "../../host/inject.h"

static const char why_mode[] =
	"runs in real mode or in the other byte order, or changes to that";
static const char why_saved[] = "function loads registers that a trap would overwrite";
static const char why_guest[] = "function changes to the address space of a guest";
static const char why_hypercall[] = "KVM calls the function in real mode on this machine";
static const char why_vectors[] = "function has vector registers in use, which handlers may use, too";

#define WORD_RFID	0x4c000024u
#define WORD_HRFID	0x4c000224u
#define WORD_RFSCV	0x4c0000a4u

/* ---- instructions ---- */

static bool stops_cpu(u32 word)
{
	switch (word) {
	case 0x4c0002e4:	/* stop */
	case 0x4c000324:	/* doze */
	case 0x4c000364:	/* nap */
	case 0x4c0003a4:	/* sleep */
	case 0x4c0003e4:	/* rvwinkle */
		return true;
	default:
		return false;
	}
}

/* In the other byte order, too: no instruction has that word. */
static bool returns(u32 word)
{
	return word == WORD_RFID || word == WORD_HRFID || word == WORD_RFSCV ||
	       word == swab32(WORD_RFID) || word == swab32(WORD_HRFID);
}

/* treclaim. and trechkpt. exchange all registers. */
static bool exchanges_registers(u32 word)
{
	word &= 0xffe0ffff;
	return word == 0x7c00075d || word == 0x7c0007dd;
}

static const char *register_reason(u32 word)
{
	if (exchanges_registers(word))
		return why_saved;
	if ((word & 0xfc0007ff) != 0x7c0003a6)	/* mtspr */
		return NULL;
	switch ((word >> 16 & 31) | (word >> 6 & 0x3e0)) {
	case SPRN_SRR0:
	case SPRN_SRR1:
	case SPRN_HSRR0:
	case SPRN_HSRR1:
		return why_saved;
	case SPRN_LPID:
		return why_guest;
	default:
		return NULL;
	}
}

/* Why no trap can be taken in the function that has this instruction. */
static const char *word_reason(u32 word)
{
	return returns(word) || stops_cpu(word) ? why_mode : register_reason(word);
}

/* The target of a direct branch; 0 if it is none. */
static unsigned long branch_target(unsigned long at, bool calls)
{
	u32 word = *(u32 *)at;
	long distance;

	if (word >> 26 == 18)
		distance = (long)(word & 0x03fffffc) << 38 >> 38;
	else if (word >> 26 == 16)
		distance = (s16)(word & 0xfffc);
	else
		return 0;
	if (word & 2 || (word & 1) != calls)
		return 0;
	return at + distance;
}

/* Traps, and zeros as in the tables behind functions, end it, too. */
static bool ends_flow(u32 word)
{
	u32 branch = word & 0xfe8007ff;

	return !word || returns(word) || arch_patch_size((u8 *)&word) ||
	       branch == 0x4e800020 || branch == 0x4e800420;	/* blr, bctr */
}

static bool is_call_or_nop(u32 word)
{
	return word == 0x60000000 || (word & 0xfc000001) == 0x48000001;
}

/*
 * Does execution reach @addr from the word before it?  Not if the words before it are the
 * alternatives that the assembler puts behind a function's end.
 */
static bool flows_into(unsigned long addr)
{
	const u32 *word = (const u32 *)addr;
	int i;

	for (i = -4; i < 0; i++)
		if (ends_flow(word[i]))
			return false;
	return !is_call_or_nop(word[-1]);
}

/* ---- functions ---- */

#define MAX_FOUND	512
#define MAX_IDLE	8
#define MAX_LOADS	256

/* The handlers of hypercalls take some 20 KiB.  Further apart, they are not in one place. */
#define MAX_HANDLERS	SZ_256K

/**
 * enum found_as - how a function was found
 * @BY_HAND: hand-written, and may flow into its neighbours
 * @CALLED: C code that runs in real mode
 * @CALLED_BY_HANDLER: the same, called where a guest's hypercall is served
 * @CALLED_FOR_GUEST: an ordinary function that is called there
 */
enum found_as { BY_HAND, CALLED, CALLED_BY_HANDLER, CALLED_FOR_GUEST };

/**
 * struct modes - functions of the kernel image that run in another mode
 * @text: of the image
 * @handlers: of hypercalls in real mode, with what belongs to them
 * @serves: does this machine run those
 * @nr: number of functions
 * @nr_idle: number of functions that stop the CPU
 * @nr_loads: number of functions that write registers, which is the lesser reason
 * @idle: where those that stop the CPU begin
 * @found: the functions
 * @loads: those that write registers, and the reason
 */
struct modes {
	struct host_area text;
	struct host_area handlers;
	bool serves;
	unsigned int nr;
	unsigned int nr_idle;
	unsigned int nr_loads;
	unsigned long idle[MAX_IDLE];
	struct {
		struct host_area at;
		enum found_as as;
	} found[MAX_FOUND];
	struct {
		struct host_area at;
		const char *why;
	} loads[MAX_LOADS];
};

static bool find_function(unsigned long addr, struct host_area *f)
{
	unsigned long size;

	if (!host_symbol_bounds(addr, &f->start, &size))
		return false;
	f->end = f->start + size;
	return true;
}

static bool is_within(const struct host_area *area, unsigned long addr)
{
	return addr >= area->start && addr < area->end;
}

static bool is_found(const struct modes *modes, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < modes->nr; i++)
		if (is_within(&modes->found[i].at, addr))
			return true;
	return false;
}

static void find(struct modes *modes, unsigned long addr, enum found_as as)
{
	struct host_area f;

	if (!is_within(&modes->text, addr) || is_found(modes, addr) || modes->nr == MAX_FOUND ||
	    !find_function(addr, &f) || f.end > modes->text.end)
		return;
	modes->found[modes->nr].at = f;
	modes->found[modes->nr++].as = as;
}

static void find_idle(struct modes *modes, unsigned long addr)
{
	struct host_area f;

	if (modes->nr_idle < MAX_IDLE && find_function(addr, &f))
		modes->idle[modes->nr_idle++] = f.start;
}

/* By prefixes, as much of it is static.  What else they call is called in any mode. */
static const char * const followed[] = {
	"kvm", "icp_rm_", "xics_rm_", "hmi_", "wait_for_tb_resync", "wait_for_subcore_guest_exit",
	"store_fp_state", "store_vr_state",
};

/* The same where a function changes to a guest's address space and back. */
static const char * const followed_in_guest[] = {
	"kvm", "switch_pmu_to_", "switch_mmu_to_", "check_need_tlb_flush", "flush_guest_tlb",
	"save_clear_", "radix_clear_slb", "slb_clear_invalidate_partition", "load_vcpu_state",
	"store_vcpu_state", "load_spr_state", "store_spr_state", "restore_p9_host_os_sprs",
	"accumulate_time", "freeze_pmu", "store_fp_state", "store_vr_state", "timer_rearm_host_dec",
};

static bool begins_with_any(const char *name, const char * const *prefixes, unsigned int nr)
{
	while (nr--)
		if (!strncmp(name, prefixes[nr], strlen(prefixes[nr])))
			return true;
	return false;
}

/* Not called there, or only where interrupts are unmasked. */
static const char * const not_for_guests[] = {
	"_mcount", "ftrace_", "__traceiter_", "arch_local_irq_restore",
};

/* Is all that this function calls called while a guest's hypercall is served? */
static bool is_for_guests(const struct modes *modes, unsigned int i)
{
	return modes->serves && (modes->found[i].as >= CALLED_BY_HANDLER ||
				 is_within(&modes->handlers, modes->found[i].at.start));
}

static void find_called(struct modes *modes, unsigned long addr, unsigned int by)
{
	bool for_guest = is_for_guests(modes, by);
	struct host_symbol sym;

	if (is_found(modes, addr) || !host_symbol_at(addr, &sym))
		return;
	if (is_within(&modes->handlers, addr) ||
	    begins_with_any(sym.name, followed, ARRAY_SIZE(followed)))
		find(modes, addr, for_guest ? CALLED_BY_HANDLER : CALLED);
	else if (for_guest && !black_walk_avoids(&sym) &&
		 !begins_with_any(sym.name, not_for_guests, ARRAY_SIZE(not_for_guests)))
		find(modes, addr, CALLED_FOR_GUEST);
}

static void find_targets(struct modes *modes, unsigned int i)
{
	const struct host_area f = modes->found[i].at;
	bool by_hand = modes->found[i].as == BY_HAND;
	unsigned long at, jump, call;

	for (at = f.start; at < f.end; at += INSN_SIZE) {
		jump = branch_target(at, false);
		call = branch_target(at, true);
		if (jump && by_hand && !is_within(&f, jump))
			find(modes, jump, BY_HAND);
		else if (jump && !is_within(&f, jump))
			find_called(modes, jump, i);
		if (call)
			find_called(modes, call, i);
	}
}

/* Does the code before a function end in a branch into its middle?  The compiler makes none. */
static bool branches_into(const struct host_area *f)
{
	unsigned long target = branch_target(f->start - INSN_SIZE, false);

	return target != f->start && is_within(f, target);
}

static void find_neighbours(struct modes *modes, const struct host_area *f)
{
	if (f->start >= modes->text.start + 4 * INSN_SIZE &&
	    (flows_into(f->start) || branches_into(f)))
		find(modes, f->start - INSN_SIZE, BY_HAND);
	if (f->end < modes->text.end && flows_into(f->end))
		find(modes, f->end, BY_HAND);
}

/*
 * KVM's handlers in real mode, and what is linked between them, are ordinary C code.  Since POWER9
 * KVM has a way to guests that leaves it in virtual mode.
 */
static void find_handlers(struct modes *modes, unsigned long table, unsigned int nr)
{
	const s32 *entry = (const s32 *)table;
	struct host_area all = { table, table + nr * sizeof(*entry) }, f;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!entry[i] || !find_function(table + entry[i], &f))
			continue;
		all.start = min(all.start, f.start);
		all.end = max(all.end, f.end);
	}
	if (all.end - all.start > MAX_HANDLERS)
		return;
	modes->handlers = all;
	modes->serves = cpu_has_feature(CPU_FTR_HVMODE) && !cpu_has_feature(CPU_FTR_ARCH_300);
}

/* Hypercalls that are served in real mode: the table has their distances from itself. */
static void find_hypercalls(struct modes *modes)
{
	unsigned long table = host_lookup("hcall_real_table");
	unsigned long end = host_lookup("hcall_real_table_end");
	const s32 *entry = (const s32 *)table;
	unsigned int i, nr;

	if (!table || end < table)
		return;
	nr = (end - table) / sizeof(*entry);
	find_handlers(modes, table, nr);
	for (i = 0; i < nr; i++)
		if (entry[i])
			find(modes, table + entry[i], CALLED);
}

static void find_callers_of_idle(struct modes *modes)
{
	unsigned long at, target;
	unsigned int i;

	for (at = modes->text.start; at < modes->text.end; at += INSN_SIZE) {
		target = branch_target(at, true);
		for (i = 0; target && i < modes->nr_idle; i++)
			if (target == modes->idle[i])
				find(modes, at, CALLED);
	}
}

static void find_load(struct modes *modes, unsigned long addr, const char *why)
{
	unsigned int nr = modes->nr_loads;

	if (nr && is_within(&modes->loads[nr - 1].at, addr)) {
		/* The greater reason, as it holds for what is called there, too. */
		if (why == why_guest)
			modes->loads[nr - 1].why = why;
		return;
	}
	if (nr == MAX_LOADS || !find_function(addr, &modes->loads[nr].at))
		return;
	modes->loads[nr].why = why;
	modes->nr_loads++;
}

static bool is_load(const struct modes *modes, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < modes->nr_loads; i++)
		if (is_within(&modes->loads[i].at, addr))
			return true;
	return false;
}

static void find_in_guest(struct modes *modes, unsigned long addr)
{
	struct host_symbol sym;

	if (!addr || !is_within(&modes->text, addr) || is_load(modes, addr) ||
	    !host_symbol_at(addr, &sym))
		return;
	if (begins_with_any(sym.name, followed_in_guest, ARRAY_SIZE(followed_in_guest)))
		find_load(modes, addr, why_guest);
}

/* What is found is appended, so what it calls is found, too. */
static void find_all_in_guest(struct modes *modes)
{
	unsigned long at;
	unsigned int i;

	for (i = 0; i < modes->nr_loads; i++) {
		const struct host_area f = modes->loads[i].at;

		if (modes->loads[i].why != why_guest)
			continue;
		for (at = f.start; at < f.end; at += INSN_SIZE) {
			find_in_guest(modes, branch_target(at, true));
			find_in_guest(modes, branch_target(at, false));
		}
	}
}

static void scan_words(struct modes *modes)
{
	const char *why;
	unsigned long at;

	for (at = modes->text.start; at < modes->text.end; at += INSN_SIZE) {
		u32 word = *(u32 *)at;

		why = word_reason(word);
		if (!why)
			continue;
		if (stops_cpu(word))
			find_idle(modes, at);
		if (why == why_mode)
			find(modes, at, BY_HAND);
		else
			find_load(modes, at, why);
	}
}

/* What is found is appended, so what it calls is found, too. */
static void find_all(struct modes *modes)
{
	unsigned int i;

	find_all_in_guest(modes);
	find_callers_of_idle(modes);
	find_hypercalls(modes);
	find(modes, host_lookup("hmi_exception_realmode"), CALLED);
	for (i = 0; i < modes->nr; i++) {
		find_targets(modes, i);
		if (modes->found[i].as == BY_HAND)
			find_neighbours(modes, &modes->found[i].at);
	}
}

static int add_found(const struct modes *modes, blacklist_fn add)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < modes->nr && !err; i++)
		err = add(modes->found[i].at.start, modes->found[i].at.end,
			  modes->found[i].as == CALLED_FOR_GUEST ? why_hypercall : why_mode);
	for (i = 0; i < modes->nr_loads && !err; i++)
		err = add(modes->loads[i].at.start, modes->loads[i].at.end, modes->loads[i].why);
	return err;
}

/*
 * maddhd, maddhdu and maddld have the opcode of vectors, but work on general registers.  Words of jump
 * tables have neither opcode, and floating-point registers no handler uses.
 */
static bool is_vector_arithmetic(u32 word)
{
	u32 opcode = word >> 26, extended = word & 0x3f;

	return opcode == 60 ||
	       (opcode == 4 && extended != 48 && extended != 49 && extended != 51);
}

/* lvx; lvsl and lvsr, which say how to shift */
static bool loads_vector(u32 word)
{
	const u32 lvx = 0x7c0000ce, lvsl = 0x7c00000c, lvsr = 0x7c00004c;
	u32 bits = word & 0xfc0007ff;

	return bits == lvx || bits == lvsl || bits == lvsr;
}

/*
 * Thousands of bytes are compared by vector registers.  The rest of the function, which all callers run,
 * can be probed.
 */
static int add_comparison(blacklist_fn add)
{
	unsigned long addr = host_lookup("memcmp"), first = 0, last = 0, at;
	struct host_area f;

	if (!addr || !find_function(addr, &f))
		return 0;
	for (at = f.start; at + INSN_SIZE <= f.end; at += INSN_SIZE) {
		u32 word = *(u32 *)at;

		if (!is_vector_arithmetic(word) && !loads_vector(word))
			continue;
		first = first ?: at;
		last = at;
	}
	return first ? add(first, last + INSN_SIZE, why_vectors) : 0;
}

/*
 * An error in the SLB, which is there with hashed page tables, is cleared in an early machine check, in
 * real mode.  Until then a trap, as it is served in the kernel's own mode, comes upon the error again.  In
 * a partition this is called before; memcpy(), which is too, is refused anyway.
 */
static const char * const before_slb[] = { "memset" };

static int add_before_slb(blacklist_fn add)
{
	struct host_area f;
	unsigned int i;
	int err = 0;

	if (radix_enabled() || cpu_has_feature(CPU_FTR_HVMODE))
		return 0;
	for (i = 0; i < ARRAY_SIZE(before_slb) && !err; i++)
		if (find_function(host_lookup(before_slb[i]), &f))
			err = add(f.start, f.end, why_mode);
	return err;
}

/*
 * What handlers of exceptions call first and last, by a header's inline functions.  The compiler may
 * make functions of them, one in each object file, all of the same name.  A trap there comes before
 * the state of the exception is saved, or for ever.
 */
static const char * const wrappers[] = {
	"interrupt_enter_prepare", "interrupt_exit_prepare", "interrupt_async_enter_prepare",
	"interrupt_async_exit_prepare", "interrupt_nmi_enter_prepare", "interrupt_nmi_exit_prepare",
	/* Where the kernel has the entry that architectures share. */
	"arch_interrupt_enter_prepare", "arch_interrupt_exit_prepare",
	"arch_interrupt_async_enter_prepare", "arch_interrupt_async_exit_prepare",
	"arch_interrupt_nmi_enter_prepare", "arch_interrupt_nmi_exit_prepare",
};

/* What may be in modules may be built in. */
bool arch_blacklist_every(const char *name)
{
	return begins_with_any(name, wrappers, ARRAY_SIZE(wrappers)) || blacklist_has_for_modules(name);
}

int arch_blacklist_find(blacklist_fn add)
{
	struct modes *modes;
	int err;

	might_sleep();
	modes = inject_failure() ? NULL : kvzalloc(sizeof(*modes), GFP_KERNEL);
	if (!modes)
		return -ENOMEM;
	if (host_text_area(NULL, &modes->text))
		scan_words(modes);
	find_all(modes);
	err = add_found(modes, add) ?: add_comparison(add) ?: add_before_slb(add);
	if (modes->nr == MAX_FOUND || modes->nr_loads == MAX_LOADS)
		pr_warn("too many functions run in real mode: some may be missing from the blacklist\n");
	kvfree(modes);
	return err;
}

/**
 * powerpc_mode_reason() - why no trap can be taken in a function of a module
 * @start: the function
 * @size: of it
 *
 * What is in the kernel image is on the blacklist.
 *
 * Context: process context; the module may not vanish meanwhile.
 * Return: a phrase that stands alone; NULL if it can.
 */
const char *powerpc_mode_reason(unsigned long start, unsigned long size)
{
	unsigned long at;
	const char *why = NULL;

	for (at = ALIGN(start, INSN_SIZE); at + INSN_SIZE <= start + size && !why; at += INSN_SIZE)
		why = word_reason(*(u32 *)at);
	return why;
}
