// SPDX-License-Identifier: GPL-2.0-only
/*
 * What host/ asks of x86-64.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/segment.h>
#include <asm/sync_core.h>

#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "probe.h"

/*
 * What is written here in assembly turns interrupts off and on by the flag that
 * the processor has for it, which is not where a Xen PV guest has its own.
 */
int arch_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_XENPV))
		return 0;
	pr_err("a paravirtualised guest of Xen's cannot be served\n");
	return -ENODEV;
}

#define HYPERVISOR_LEAF	0x40000000

/*
 * QEMU's TCG gives itself a name where hypervisors do, or has none if it is told to
 * hide.  A hypervisor within an emulated machine is not seen through.
 */
bool arch_cpu_is_emulated(void)
{
	unsigned int max, name[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	cpuid(HYPERVISOR_LEAF, &max, &name[0], &name[1], &name[2]);
	return !name[0] || !memcmp(name, "TCGTCGTCGTCG", sizeof(name));
}

struct page *arch_text_page(unsigned long addr)
{
	if (addr >= MODULES_VADDR && addr < MODULES_END)
		return vmalloc_to_page((void *)addr);
	if (is_vmalloc_addr((void *)addr))
		return vmalloc_to_page((void *)addr);
	return virt_addr_valid(addr) ? virt_to_page(addr) : NULL;
}

void arch_sync_core(void *unused)
{
	sync_core();
}

/* The last 2 GiB of the address space hold the image and the modules: all reach all. */
void arch_near_text_range(unsigned long near, unsigned long *start, unsigned long *end)
{
	*start = MODULES_VADDR;
	*end = MODULES_END;
}

int arch_bind_veneer(void *veneer, unsigned long target)
{
	struct text_edit edit = { .addr = (unsigned long)veneer, .len = X86_BRANCH32_SIZE };

	if (!x86_make_branch(edit.bytes, X86_JMP32, edit.addr, target))
		return -ERANGE;
	return host_text_write(&edit, 1);
}

/*
 * Either a task was interrupted in a slot, and CS lies behind the address in
 * its trap frame, or it is in the stub that a slot calls, and the address is
 * where that would return to.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end)
{
	if (word + 1 < end && word[1] == __KERNEL_CS)
		return true;
	return x86_is_stub_return(*word);
}

unsigned long arch_task_stack_pointer(struct task_struct *task)
{
	return task->thread.sp;
}
