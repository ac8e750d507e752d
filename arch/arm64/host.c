// SPDX-License-Identifier: GPL-2.0-only
/*
 * What host/ needs from arm64.
 */
#include <linux/arm-smccc.h>
#include <linux/bits.h>
#include <linux/dmi.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/hypervisor.h>
#include <asm/memory.h>
#include <asm/virt.h>

#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "../../host/imports_c.h"
#include "reach.h"

#ifdef CONFIG_CPU_BIG_ENDIAN
#error "instructions are written as words of a little-endian kernel"
#endif

int arch_init(void)
{
	return 0;
}

static bool machine_is_qemu(void)
{
	struct device_node *node;

	if (of_machine_is_compatible("linux,dummy-virt") || dmi_name_in_vendors("QEMU"))
		return true;
	node = of_find_compatible_node(NULL, NULL, "qemu,fw-cfg-mmio");
	of_node_put(node);
	return node;
}

/*
 * The ID registers are those of the emulated model, so they do not tell.  A QEMU
 * machine uses emulation or KVM, and KVM identifies itself.  The same machine under
 * another hypervisor counts as emulated, which only costs time.
 */
bool arch_cpu_is_emulated(void)
{
#ifdef ARM_SMCCC_KVM_FUNC_FEATURES
	if (kvm_arm_hyp_service_available(ARM_SMCCC_KVM_FUNC_FEATURES))
		return false;
#endif
	return machine_is_qemu();
}

/*
 * The kernel's own text may be mapped in blocks, which older kernels can't look up; all other text
 * is in the vmalloc area, or mapped by pages as that is.  Our own is written first, when nothing
 * can be imported yet.
 */
struct page *arch_text_page(unsigned long addr)
{
	unsigned long last = addr | ~PAGE_MASK;

	if (!within_module(addr, THIS_MODULE) &&
	    (import_core_kernel_text(addr) || import_core_kernel_text(last)))
		return phys_to_page(__pa_symbol(addr));
	if (is_vmalloc_addr((void *)addr) || (addr >= MODULES_VADDR && addr < MODULES_END))
		return vmalloc_to_page((void *)addr);
	return NULL;
}

void arch_sync_core(void *unused)
{
	isb();
}

/*
 * May this instruction be replaced, or replace another, while CPUs run it?  The
 * architecture allows B, BL, BRK, HVC, ISB, NOP, SMC and SVC; B, BL, BRK and NOP occur.
 */
static bool may_change_live(u32 word)
{
	return (word & 0x7c000000) == 0x14000000 || (word & 0xffe0001f) == 0xd4200000 ||
	       word == ARM64_NOP;
}

bool arch_edit_is_safe_live(const struct text_edit *edit)
{
	u32 word;

	if (edit->len != sizeof(word) || !IS_ALIGNED(edit->addr, sizeof(word)))
		return false;
	memcpy(&word, edit->bytes, sizeof(word));
	return may_change_live(word) && may_change_live(READ_ONCE(*(u32 *)edit->addr));
}

/* ---- memory near text ---- */

/* Extends an area by another one, if a branch then still spans the whole of it. */
static void extend_area(struct host_area *area, const struct host_area *other)
{
	unsigned long start = min(area->start, other->start), end = max(area->end, other->end);

	if (end - start < REACH_JUMP_RANGE) {
		area->start = start;
		area->end = end;
	}
}

/* Takes no reference: even a short one could make a concurrent unload fail. */
static void extend_by_module(struct host_area *area)
{
	struct host_area text;
	struct module *mod;

	preempt_disable();
	mod = import___module_text_address(area->start);
	if (mod && host_text_area(mod, &text))
		extend_area(area, &text);
	preempt_enable();
}

/* Looked up once, as the lookup is slow. */
static void extend_by_kernel(struct host_area *area)
{
	static struct host_area text;

	if (text.end || host_text_area(NULL, &text))
		extend_area(area, &text);
}

/*
 * The text that memory near an address must reach, and be reached from.  The copy
 * of a call goes where the call goes: in a module to its other functions, to
 * its veneers, and directly to the kernel's text if all of that is in reach.
 */
static struct host_area area_around(unsigned long near)
{
	struct host_area area = { near, near };

	extend_by_module(&area);
	extend_by_kernel(&area);
	return area;
}

bool arch_in_reach(unsigned long near, unsigned long start, unsigned long end)
{
	struct host_area area = area_around(near);

	return max(area.end, end) - min(area.start, start) < REACH_JUMP_RANGE;
}

void arch_near_text_range(unsigned long near, unsigned long *start, unsigned long *end)
{
	struct host_area area = area_around(near);

	*start = max_t(unsigned long, PAGE_ALIGN(area.end - REACH_JUMP_RANGE) + PAGE_SIZE,
		       MODULES_VADDR);
	*end = min_t(unsigned long, (area.start & PAGE_MASK) + REACH_JUMP_RANGE - PAGE_SIZE,
		     VMALLOC_END);
}

/* ---- veneers ---- */

#define SCRATCH		16

/* adrp x16; add x16; br x16: over 4 GiB either way. */
int arch_bind_veneer(void *veneer, unsigned long target)
{
	struct text_edit edit = { .addr = (unsigned long)veneer, .len = ARM64_VENEER_SIZE };
	s64 pages = (s64)(target >> 12) - (s64)(edit.addr >> 12);
	u32 code[3];

	if (pages < -(1 << 20) || pages >= 1 << 20)
		return -ERANGE;
	code[0] = 0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5 | SCRATCH;
	code[1] = 0x91000000 | (target & 0xfff) << 10 | SCRATCH << 5 | SCRATCH;
	code[2] = 0xd61f0000 | SCRATCH << 5;
	memcpy(edit.bytes, code, sizeof(code));
	return host_text_write(&edit, 1);
}

/* ---- stacks ---- */

/* Is the frame record behind the registers that of an exception in kernel mode? */
#ifdef LKP_HAVE_FRAME_META

/*
 * The kernel's entry makes a record of zeroes, and of a number that says what it is.  A trap that
 * was made to resume in a slot may have left such a record, too.
 */
static bool is_exception_record(const struct pt_regs *regs)
{
	return !regs->stackframe.record.fp && !regs->stackframe.record.lr &&
	       regs->stackframe.type == FRAME_META_TYPE_PT_REGS;
}

static void set_exception_record(struct pt_regs *regs)
{
}

#else

/*
 * It holds the same pc.  A trap that was made to resume in a slot may have left saved registers
 * in what is now a function's frame: their frame record holds the address of the trap instead.
 */
static bool is_exception_record(const struct pt_regs *regs)
{
	return regs->stackframe[1] == regs->pc;
}

static void set_exception_record(struct pt_regs *regs)
{
	regs->stackframe[1] = regs->pc;
}

#endif

/*
 * A task was interrupted in a slot if the word is a saved pc, followed by a pstate
 * of kernel mode, and by the frame record of an exception.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end)
{
	const struct pt_regs *regs = (void *)word - offsetof(struct pt_regs, pc);
	unsigned long mode;

	if ((void *)(&regs->stackframe + 1) > (void *)end || word[1] >> 33 ||
	    !is_exception_record(regs))
		return false;
	mode = word[1] & PSR_MODE_MASK;
	return mode == PSR_MODE_EL1h || mode == PSR_MODE_EL2h;
}

void arch_stack_word_resume_at(unsigned long *word, unsigned long addr)
{
	struct pt_regs *regs = (void *)word - offsetof(struct pt_regs, pc);

	WRITE_ONCE(regs->pc, addr);
	set_exception_record(regs);
}

unsigned long arch_task_stack_pointer(struct task_struct *task)
{
	return thread_saved_sp(task);
}
