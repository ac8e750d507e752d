// SPDX-License-Identifier: GPL-2.0-only
/*
 * What host/ needs from 64-bit Power.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/interrupt.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "assembly.h"
#include "detour.h"
#include "probe.h"

#define BRANCH_RANGE	0x2000000ul	/* either way */

int arch_init(void)
{
	if (IS_ENABLED(CONFIG_CPU_LITTLE_ENDIAN) && IS_ENABLED(CONFIG_PPC_BOOK3S_64))
		return 0;
	pr_err("only little-endian server processors can be served\n");
	return -ENODEV;
}

static bool machine_is_qemu(void)
{
	struct device_node *root = of_find_node_by_path("/");
	const char *model = of_get_property(root, "model", NULL);
	bool found = model && strstr(model, "qemu");

	of_node_put(root);
	return found || of_machine_is_compatible("qemu,pseries") ||
	       of_machine_is_compatible("qemu,powernv");
}

static bool hypervisor_is_kvm(void)
{
	struct device_node *node = of_find_node_by_path("/hypervisor");
	bool is = node && of_device_is_compatible(node, "linux,kvm");

	of_node_put(node);
	return is;
}

/* The processor's ID registers are those of the emulated model; the device tree tells. */
bool arch_cpu_is_emulated(void)
{
	return machine_is_qemu() && !hypervisor_is_kvm();
}

struct page *arch_text_page(unsigned long addr)
{
	if (is_vmalloc_addr((void *)addr))
		return vmalloc_to_page((void *)addr);
	return virt_addr_valid((void *)addr) ? virt_to_page((void *)addr) : NULL;
}

void arch_sync_core(void *unused)
{
	isync();
}

/* Modules are in the vmalloc area, so there is memory near them; near the image there is none. */
void arch_near_text_range(unsigned long near, unsigned long *start, unsigned long *end)
{
	*start = *end = VMALLOC_START;
	if (near < VMALLOC_START || near >= VMALLOC_END)
		return;
	*start = max(VMALLOC_START, near - BRANCH_RANGE);
	*end = min(VMALLOC_END, near + BRANCH_RANGE);
}

bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end)
{
	return start - near + BRANCH_RANGE < 2 * BRANCH_RANGE &&
	       end - near + BRANCH_RANGE < 2 * BRANCH_RANGE;
}

/* ---- padding within the kernel's text ---- */

/*
 * Between the kernel's read-only data and its init text there are megabytes of
 * zeros, so that the two can have different pages of the largest size.  They
 * are mapped as text is, and never freed.
 */
static struct host_area spare;
static unsigned long spare_used;

#define MAX_SPARE	SZ_64M
#define SPARE_MARGIN	SZ_64K	/* the data before it may end in zeros, too */

static void find_spare(void)
{
	unsigned long end = host_lookup("__init_begin") ?: host_lookup("_sinittext");
	unsigned long text = host_lookup("_etext"), at;

	spare_used = 0;
	spare = (struct host_area){ end, end };
	if (!text || end <= text || end - text < 2 * SPARE_MARGIN)
		return;
	end = ALIGN_DOWN(end, SZ_64K);
	for (at = end; at > text && at > end - MAX_SPARE; at -= sizeof(u64))
		if (*(u64 *)(at - sizeof(u64)))
			break;
	at = ALIGN(at, SZ_64K) + SPARE_MARGIN;
	if (at < end)
		spare = (struct host_area){ at, end };
}

/**
 * powerpc_detour_area() - where detour buffers for an address may be
 * @near: the address
 * @area: filled in; empty if there is no memory in reach
 */
void powerpc_detour_area(unsigned long near, struct host_area *area)
{
	if (!spare.end)
		find_spare();
	arch_near_text_range(near, &area->start, &area->end);
	if (area->start == area->end)
		*area = spare;
}

unsigned long arch_borrow_text(unsigned long near, unsigned long size)
{
	unsigned long base;

	if (!spare.end)
		find_spare();
	base = spare.start + spare_used;
	if (spare.end - base < size || !arch_in_reach(near, base, base + size))
		return 0;
	spare_used += size;
	return base;
}

/**
 * powerpc_tries_again() - should a failed attempt to restore kernel text be repeated?
 * @err: what it returned
 *
 * Only a lack of memory is temporary.  Giving up would leave the text changed for good.
 *
 * Context: process context, sleeps before it returns true.
 */
bool powerpc_tries_again(int err)
{
	might_sleep();
	if (err != -ENOMEM)
		return false;
	pr_err_once("no memory to put back the kernel's text: trying on\n");
	msleep(100);
	return true;
}

static struct text_edit zeros[256];	/* as pools: by slots_mutex, or at module exit */

/* Called for all at module exit, or for the last one if it could not be used. */
void arch_return_text(unsigned long addr, unsigned long size)
{
	unsigned long at = addr, end = addr + size;
	unsigned int nr;

	might_sleep();
	while (at < end) {
		for (nr = 0; at < end && nr < ARRAY_SIZE(zeros); nr++) {
			zeros[nr] = (struct text_edit){ .addr = at, .len = sizeof(zeros[0].bytes) };
			at += sizeof(zeros[0].bytes);
		}
		while (powerpc_tries_again(host_text_fill(zeros, nr)))
			;
	}
	if (end == spare.start + spare_used)
		spare_used -= size;
}

/* ---- text that is patched at run time ---- */

/*
 * Barriers and flushes against speculation, which the kernel patches in and out on
 * request.  Each table entry holds the distance from itself to one of them.
 */
struct switched {
	const char *start;	/* symbols at the table's beginning and end */
	const char *end;
	unsigned int words;	/* that are patched at each place */
};

static const struct switched switched[] = {
	{ "__start___barrier_nospec_fixup", "__stop___barrier_nospec_fixup", 1 },
	{ "__start___uaccess_flush_fixup", "__stop___uaccess_flush_fixup", 4 },
	{ "__start___entry_flush_fixup", "__stop___entry_flush_fixup", 3 },
	{ "__start___scv_entry_flush_fixup", "__stop___scv_entry_flush_fixup", 3 },
	{ "__start___rfi_flush_fixup", "__stop___rfi_flush_fixup", 3 },
	{ "__start___stf_entry_barrier_fixup", "__stop___stf_entry_barrier_fixup", 3 },
	{ "__start___stf_exit_barrier_fixup", "__stop___stf_exit_barrier_fixup", 6 },
};

/* Guarded by kprobe_mutex; looked up once, as the tables do not move. */
static struct { const long *from, *to; } tables[ARRAY_SIZE(switched)];
static bool tables_found;

static void find_tables(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(switched); i++) {
		tables[i].from = (const long *)host_lookup(switched[i].start);
		tables[i].to = (const long *)host_lookup(switched[i].end);
		if (!tables[i].from)
			tables[i].to = NULL;
	}
	tables_found = true;
}

/**
 * powerpc_is_switched() - does the kernel patch an instruction at run time
 * @addr: its address
 *
 * False if the kernel's symbols do not include its data.
 *
 * Context: kprobe_mutex held, as arch_point_refusal() asserts.
 */
bool powerpc_is_switched(unsigned long addr)
{
	const long *place;
	unsigned int i;

	if (!tables_found)
		find_tables();
	for (i = 0; i < ARRAY_SIZE(switched); i++)
		for (place = tables[i].from; place < tables[i].to; place++)
			if (addr - ((unsigned long)place + *place) < switched[i].words * INSN_SIZE)
				return true;
	return false;
}

/* ---- veneers ---- */

#define VENEER_LOAD	(6 * INSN_SIZE)		/* where in a veneer the address is loaded */

/**
 * powerpc_make_load() - assemble a load of r12
 * @word: where its POWERPC_LOAD_WORDS are written: lis, ori, sldi, oris, ori
 * @value: the value to load
 */
void powerpc_make_load(u32 *word, unsigned long value)
{
	word[0] = 0x3d800000 | (value >> 48);
	word[1] = 0x618c0000 | (value >> 32 & 0xffff);
	word[2] = 0x798c07c6;
	word[3] = 0x658c0000 | (value >> 16 & 0xffff);
	word[4] = 0x618c0000 | (value & 0xffff);
}

int arch_bind_veneer(void *veneer, unsigned long target)
{
	struct text_edit edit = { .addr = (unsigned long)veneer + VENEER_LOAD };
	u32 words[POWERPC_LOAD_WORDS];

	edit.len = sizeof(words);
	powerpc_make_load(words, target);
	memcpy(edit.bytes, words, sizeof(words));
	return host_text_write(&edit, 1);
}

/* ---- stacks ---- */

/* Are these registers in the frame of a kernel exception on this stack? */
static bool is_exception_frame(const struct pt_regs *regs, const unsigned long *end)
{
	unsigned long frame = (unsigned long)regs - POWERPC_EXCEPTION_REGS;
	unsigned long base = (unsigned long)end - THREAD_SIZE;

	if (frame < base || (void *)(regs + 1) > (void *)end)
		return false;
	return *(unsigned long *)(frame + POWERPC_EXCEPTION_MARK_AT) == STACK_FRAME_REGS_MARKER &&
	       *(unsigned long *)frame == regs->gpr[1] && !user_mode(regs);
}

/* Is the word in the frame of a detour, at this offset? */
static bool is_in_detour_frame(const unsigned long *word, unsigned int offset,
			       const unsigned long *end)
{
	const void *mark = (void *)word - offset + POWERPC_DETOUR_MARK_AT;

	return mark >= (void *)end - THREAD_SIZE && mark < (void *)end &&
	       *(unsigned long *)mark == POWERPC_DETOUR_MARK;
}

static bool is_fault(const struct pt_regs *regs)
{
	switch (TRAP(regs)) {
	case INTERRUPT_DATA_STORAGE:
	case INTERRUPT_DATA_SEGMENT:
	case INTERRUPT_INST_STORAGE:
	case INTERRUPT_INST_SEGMENT:
	/* The kernel does the access in place of the instruction, and may fault on it. */
	case INTERRUPT_ALIGNMENT:
		return true;
	default:
		return false;
	}
}

/*
 * Behind the stub of a return, say, which nothing has waited for; or in a slot, as a fault there
 * was resolved after the wait.  Traps are made to resume in our own text only with interrupts off,
 * so they are not preempted there: these are leftovers.
 */
static bool is_preempted(const struct pt_regs *regs)
{
	return IS_ENABLED(CONFIG_PREEMPTION) && TRAP(regs) != INTERRUPT_PROGRAM;
}

/*
 * A task was interrupted in a slot or a detour buffer if the word is the nip in a valid
 * exception frame.  If it was interrupted in a hub, its return address is in the detour's
 * frame or still in LR.
 *
 * After a wait for all preempted tasks, a task that is in a slot is asleep in a fault, or was
 * until just now.  Other frames are leftovers of traps that were made to resume in a slot, in what
 * may be another function's frame by now.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end)
{
	const struct pt_regs *regs = container_of(word, struct pt_regs, nip);

	if (host_waits_for_preempted())
		return is_exception_frame(regs, end) && (is_fault(regs) || is_preempted(regs));
	if (is_exception_frame(regs, end) || is_in_detour_frame(word, POWERPC_DETOUR_BACK, end))
		return true;
	regs = container_of(word, struct pt_regs, link);
	return is_exception_frame(regs, end) && powerpc_is_in_hub(regs->nip);
}

/* A return to a task that has slept does not trust SRR0: the switch to it has said so. */
void arch_stack_word_resume_at(unsigned long *word, unsigned long addr)
{
	WRITE_ONCE(*word, addr);
}

unsigned long arch_task_stack_pointer(struct task_struct *task)
{
	return task->thread.ksp;
}
