// SPDX-License-Identifier: GPL-2.0-only
/*
 * What host/ asks of arm64.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/arm-smccc.h>
#include <linux/bits.h>
#include <linux/dmi.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/preempt.h>
#include <linux/printk.h>
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

static bool machine_is_qemus(void)
{
	struct device_node *node;

	if (of_machine_is_compatible("linux,dummy-virt") || dmi_name_in_vendors("QEMU"))
		return true;
	node = of_find_compatible_node(NULL, NULL, "qemu,fw-cfg-mmio");
	of_node_put(node);
	return node;
}

/*
 * The processor's own registers are those of the model that is emulated.  But
 * in a machine of QEMU's it is emulated or KVM's, and KVM answers to its name.
 * That other hypervisors have such machines, too, only costs time.
 */
bool arch_cpu_is_emulated(void)
{
	return machine_is_qemus() && !kvm_arm_hyp_service_available(ARM_SMCCC_KVM_FUNC_FEATURES);
}

/* Kernel and modules alike are mapped where vmalloc() has its memory, or as it maps it. */
struct page *arch_text_page(unsigned long addr)
{
	bool mapped = is_vmalloc_addr((void *)addr) || (addr >= MODULES_VADDR && addr < MODULES_END);

	return mapped ? vmalloc_to_page((void *)addr) : NULL;
}

void arch_sync_core(void *unused)
{
	isb();
}

/*
 * Those that may be exchanged for each other while a CPU runs them; B, BL, BRK,
 * HVC, ISB, NOP, SMC and SVC says the architecture, these are what we meet.
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

/* Takes in another area, if a branch still goes from anywhere in both to anywhere else. */
static void take_in(struct host_area *area, const struct host_area *other)
{
	unsigned long start = min(area->start, other->start), end = max(area->end, other->end);

	if (end - start < REACH_JUMP_RANGE) {
		area->start = start;
		area->end = end;
	}
}

/* Without a reference: whoever unloads the module must not find it in use for a moment. */
static void take_in_module(struct host_area *area)
{
	struct host_area text;
	struct module *mod;

	preempt_disable();
	mod = import___module_text_address(area->start);
	if (mod && host_text_area(mod, &text))
		take_in(area, &text);
	preempt_enable();
}

/* Looked up once, as that takes long. */
static void take_in_kernel(struct host_area *area)
{
	static struct host_area text;

	if (text.end || host_text_area(NULL, &text))
		take_in(area, &text);
}

/*
 * What memory near an address is to reach, and to be reached from.  The copy of
 * a call leads to wherever the call did: in a module to other functions of it,
 * to its veneers, and straight to the kernel's text if all of that is near.
 */
static struct host_area area_around(unsigned long near)
{
	struct host_area area = { near, near };

	take_in_module(&area);
	take_in_kernel(&area);
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

/* From where the kernel saves pc, in words, to where its frame record has the same. */
#define PC_TO_RECORD	((offsetof(struct pt_regs, stackframe) + sizeof(u64) -	\
			  offsetof(struct pt_regs, pc)) / sizeof(unsigned long))

/*
 * A task was interrupted in a slot: the word is where its registers were saved,
 * what follows is the state of the processor, in the kernel, and the frame
 * record behind them says the same.  A trap that we have led to a slot may
 * have left registers, too, in what is a function's frame by now: there the
 * record says where the trap was.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end)
{
	unsigned long mode;

	if (word + PC_TO_RECORD >= end || word[1] >> 33 || word[PC_TO_RECORD] != *word)
		return false;
	mode = word[1] & PSR_MODE_MASK;
	return mode == PSR_MODE_EL1h || mode == PSR_MODE_EL2h;
}

unsigned long arch_task_stack_pointer(struct task_struct *task)
{
	return thread_saved_sp(task);
}
