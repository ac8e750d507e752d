// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assembles code that saves all registers and calls C, where no register is free.
 *
 *	address that LR is set to in real mode; only in detours whose instruction sets it
 *	pointer that the hub passes on
 * entry:
 *	two frames; r0 and LR saved in the lower one
 *	bl hub			saves the rest, calls a C function,
 *				restores all but these two
 *	LR, r0 and the stack pointer restored
 *
 * All such code in reach of a hub shares it.  There is one for each C function.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/arch_host.h"
#include "assembly.h"

/* ---- hubs ---- */

#define MAX_HUBS	64
#define HUB_MAX_SIZE	512

/* Changed with kprobe_mutex held. */
static struct hub {
	unsigned long addr;
	const void *calls;
} hubs[MAX_HUBS];
static unsigned int nr_hubs;

static unsigned int hub_size(void)
{
	return (unsigned long)powerpc_hub_end - (unsigned long)powerpc_hub;
}

/**
 * powerpc_is_in_hub() - is an address in a hub
 * @addr: any address
 *
 * Context: any.
 */
bool powerpc_is_in_hub(unsigned long addr)
{
	/* Pairs with the release in new_hub(): a hub that is counted is filled in. */
	unsigned int i, nr = smp_load_acquire(&nr_hubs);

	for (i = 0; i < nr; i++)
		if (addr - hubs[i].addr < hub_size())
			return true;
	return false;
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
		err = host_text_write_code(at, bytes, size);
	}
	kfree(bytes);
	return err;
}

/**
 * powerpc_place() - copy code to where it is in reach of branches
 * @shared: the code
 * @near: an address that it must be in reach of
 *
 * The copy stays until all slots are freed, which waits for tasks in them.
 *
 * Context: process context, may sleep.
 * Return: its address; 0 if there is no memory in reach.
 */
unsigned long powerpc_place(const struct powerpc_shared *shared, unsigned long near)
{
	unsigned long size = (unsigned long)shared->end - (unsigned long)shared->start;
	unsigned long at;

	might_sleep();
	at = host_run_alloc(size, near);
	if (at && write_shared(at, shared)) {
		host_slot_free(at, NULL);
		return 0;
	}
	return at;
}

static unsigned long new_hub(const void *calls, unsigned long near)
{
	const struct powerpc_shared shared = {
		powerpc_hub, powerpc_hub_load, powerpc_hub_end, calls
	};
	unsigned long addr;

	lockdep_assert_held(&kprobe_mutex);
	addr = nr_hubs < MAX_HUBS ? powerpc_place(&shared, near) : 0;
	if (!addr)
		return 0;
	hubs[nr_hubs] = (struct hub){ addr, calls };
	/* Pairs with the acquire in powerpc_is_in_hub(): counted hubs are filled in. */
	smp_store_release(&nr_hubs, nr_hubs + 1);
	return addr;
}

static unsigned long hub_near(const void *calls, unsigned long addr)
{
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < nr_hubs; i++)
		if (hubs[i].calls == calls &&
		    arch_in_reach(addr, hubs[i].addr, hubs[i].addr + hub_size()))
			return hubs[i].addr;
	return new_hub(calls, addr);
}

/* ---- code ---- */

#define WORD_STDU_R1	0xf8210001	/* stdu r1,...(r1) */
#define WORD_STD_R0	0xf8010000	/* std r0,...(r1) */
#define WORD_LD_R0	0xe8010000	/* ld r0,...(r1) */
#define WORD_ADDI_R1	0x38210000	/* addi r1,r1,... */
#define WORD_MFLR_R0	0x7c0802a6
#define WORD_MTLR_R0	0x7c0803a6
#define BIT_LINK	1
#define CALL_WORDS	6	/* from the entry to the return from the hub */

#define SAVED_R0	(POWERPC_DETOUR_REGS + POWERPC_REGS_GPR(0))
#define SAVED_LR	(POWERPC_DETOUR_REGS + POWERPC_REGS_LINK)

static_assert(ASSEMBLY_ENTRY + CALL_WORDS * INSN_SIZE == POWERPC_DETOUR_BEFORE_BACK);
static_assert(ASSEMBLY_LINK_SIZE == POWERPC_DETOUR_LINKS);
static_assert(ARCH_SLOT_SIZE % (2 * POWERPC_DETOUR_LINKS) == 0 &&
	      !(POWERPC_DETOUR_BEFORE_BACK & POWERPC_DETOUR_LINKS));

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

/* What follows the return from the hub. */
static void emit_back(struct assembly *a)
{
	emit(a, WORD_LD_R0 | SAVED_LR);
	emit(a, WORD_MTLR_R0);
	emit(a, WORD_STD_R0 | POWERPC_DETOUR_MARK_AT);
	emit(a, WORD_LD_R0 | SAVED_R0);
	emit(a, WORD_ADDI_R1 | POWERPC_DETOUR_ROOM);
}

static void emit_head(struct assembly *a, const void *pointer)
{
	memcpy(a->bytes + a->nr, &pointer, sizeof(pointer));
	a->nr += ASSEMBLY_ENTRY;
}

/**
 * assembly_link() - begin with the address that LR is set to where nothing can be called
 * @a: empty, with @addr; assembly_begin() follows
 * @addr: the address
 */
void assembly_link(struct assembly *a, unsigned long addr)
{
	memcpy(a->bytes, &addr, sizeof(addr));
	a->nr = ASSEMBLY_LINK_SIZE;
}

/**
 * assembly_begin() - begin with a call of a C function
 * @a: with @addr, the address at which it will run
 * @calls: the function; its arguments are @pointer and a struct pt_regs with all registers
 *	except nip and softe; what it leaves there is restored, except nip, softe, MSR and r1
 * @pointer: its first argument
 *
 * The hub restores all registers except r0, LR and r1.  The code after it restores those,
 * and clears the mark.
 *
 * Context: kprobe_mutex held, may sleep.
 * Return: false if no hub is in reach and there is no memory for one.
 */
bool assembly_begin(struct assembly *a, const void *calls, const void *pointer)
{
	unsigned long hub;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	hub = hub_near(calls, a->addr);
	emit_head(a, pointer);
	emit(a, WORD_STDU_R1 | (-POWERPC_DETOUR_ABOVE & 0xffff));
	emit(a, WORD_STDU_R1 | (-POWERPC_DETOUR_FRAME & 0xffff));
	emit(a, WORD_STD_R0 | SAVED_R0);
	emit(a, WORD_MFLR_R0);
	emit(a, WORD_STD_R0 | SAVED_LR);
	if (!hub || !emit_call(a, hub))
		return false;
	emit_back(a);
	return true;
}

/**
 * assembly_exit() - what the hub may return to as well: it goes on elsewhere
 * @a: from assembly_begin()
 * @target: where
 *
 * Return: false if that is not in reach.
 */
bool assembly_exit(struct assembly *a, unsigned long target)
{
	u32 word;

	emit_back(a);
	if (!reach_branch((u8 *)&word, a->addr + a->nr, target))
		return false;
	emit(a, word);
	return true;
}

/**
 * assembly_write() - write the code to where it will run
 * @a: complete
 *
 * Context: process context, may sleep.
 * Return: 0 or an error of host_text_write().
 */
int assembly_write(const struct assembly *a)
{
	might_sleep();
	return host_text_write_code(a->addr, a->bytes, a->nr);
}
