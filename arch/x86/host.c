// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that host/ requires of x86-64.
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
#include <asm/processor-flags.h>
#include <asm/segment.h>
#include <asm/sync_core.h>

#include "../../host/arch_host.h"
#include "../../host/host.h"
#include "probe.h"

/* Read by the emulator; written before any probe can be hit. */
bool x86_has_five_levels __ro_after_init;

/*
 * The assembly code here masks interrupts by the processor's IF flag, which is not
 * what masks them in a Xen PV guest.
 */
int arch_init(void)
{
	x86_has_five_levels = __read_cr4() & X86_CR4_LA57;
	if (!boot_cpu_has(X86_FEATURE_XENPV))
		return 0;
	pr_err("Xen PV guests are not supported\n");
	return -ENODEV;
}

#define HYPERVISOR_LEAF	0x40000000

/*
 * QEMU's TCG puts its name in the hypervisor leaf, or leaves it empty if it is told to
 * hide.  TCG is not detected through a hypervisor that runs inside it.
 */
bool arch_cpu_is_emulated(void)
{
	unsigned int max = HYPERVISOR_LEAF, name[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	/* The header that declares cpuid() is another in each kernel. */
	asm volatile("cpuid" : "+a" (max), "=b" (name[0]), "=c" (name[1]), "=d" (name[2]));
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

union wide {
	u64 half[2];
	u8 bytes[16];
};

/* Is it there as expected, and so replaced; if not, @old is what is there. */
static bool exchange_wide(union wide *place, union wide *old, const union wide *new)
{
	bool done;

	asm volatile("lock cmpxchg16b %[place]"
		     : [place] "+m" (*place), "+a" (old->half[0]), "+d" (old->half[1]),
		       "=@ccz" (done)
		     : "b" (new->half[0]), "c" (new->half[1])
		     : "memory");
	return done;
}

/* In many kernels the call for breakpoints has its four bytes in two words, but in one pair. */
bool arch_store_at_once(void *to, const struct text_edit *edit)
{
	union wide *place = PTR_ALIGN_DOWN(to, sizeof(*place)), old = {}, new;
	unsigned long offset = to - (void *)place;

	if (!boot_cpu_has(X86_FEATURE_CX16) || offset + edit->len > sizeof(*place))
		return false;
	do {
		new = old;
		memcpy(new.bytes + offset, edit->bytes, edit->len);
	} while (!exchange_wide(place, &old, &new));
	return true;
}

/* Image and modules share the last 2 GiB of the address space: each reaches all of it. */
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
 * The most that the processor leaves free between a frame and the stack of what it interrupts:
 * it aligns the frame, with FRED to 64 bytes, and FRED leaves as many, and two words of its own.
 */
#define MAX_FRAME_GAP	(64 + 64 + 2 * sizeof(unsigned long))

/*
 * Is the word the ip in a frame of the processor?  CS alone does not tell: where a function
 * leaves a word of its frame unused, an earlier frame's may still be there.
 */
static bool is_interrupt_frame(const unsigned long *word, const unsigned long *end)
{
	const unsigned long *behind = word + 5;

	return behind <= end && !(host_stack_word(word + 1) & SEGMENT_RPL_MASK) &&
	       host_stack_word(word + 2) & X86_EFLAGS_FIXED &&
	       host_stack_word(word + 3) - (unsigned long)behind <= MAX_FRAME_GAP;
}

/*
 * A word counts if it is the address in the frame of a task that was interrupted there, or the
 * return address of the stub that a slot calls.
 */
bool arch_stack_word_resumes(const unsigned long *word, const unsigned long *end)
{
	return is_interrupt_frame(word, end) || x86_is_stub_return(host_stack_word(word));
}

void arch_stack_word_resume_at(unsigned long *word, unsigned long addr)
{
	WRITE_ONCE(*word, addr);
}

unsigned long arch_task_stack_pointer(struct task_struct *task)
{
	return task->thread.sp;
}
