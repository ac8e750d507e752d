/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assembles code that saves all registers and calls C, where no register is free.
 */
#ifndef LKP_POWERPC_ASSEMBLY_H
#define LKP_POWERPC_ASSEMBLY_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include "../../host/host.h"
#include "reach.h"

/* What assembly_begin() makes: a pointer, and code. */
#define ASSEMBLY_ENTRY		8
#define ASSEMBLY_CALL_SIZE	(ASSEMBLY_ENTRY + 11 * INSN_SIZE)
#define ASSEMBLY_LINK_SIZE	8	/* of assembly_link() */
#define ASSEMBLY_EXIT_SIZE	(6 * INSN_SIZE)	/* of assembly_exit() */
#define ASSEMBLY_MAX_SIZE	(ASSEMBLY_LINK_SIZE + ASSEMBLY_CALL_SIZE + REACH_MAX_COPY +	\
				 ASSEMBLY_EXIT_SIZE)

/**
 * struct assembly - code that is being assembled
 * @bytes: the code
 * @nr: number of bytes so far
 * @addr: the address at which the code will run
 */
struct assembly {
	u8 bytes[ASSEMBLY_MAX_SIZE];
	unsigned int nr;
	unsigned long addr;
};

/* In bytes. */
static inline unsigned int assembly_size(const struct assembly *a)
{
	return a->nr;
}

void assembly_link(struct assembly *a, unsigned long addr);
bool assembly_begin(struct assembly *a, const void *calls, const void *pointer);
bool assembly_exit(struct assembly *a, unsigned long target);
int assembly_write(const struct assembly *a);

/**
 * struct powerpc_shared - code of trampoline.S that is copied to where it is in reach
 * @start: its first word
 * @load: POWERPC_LOAD_WORDS in it, to be replaced by a load of r12 with @calls
 * @end: what follows it
 * @calls: the function that it calls
 */
struct powerpc_shared {
	const u32 *start;
	const u32 *load;
	const u32 *end;
	const void *calls;
};

void powerpc_make_load(u32 *word, unsigned long value);
unsigned long powerpc_place(const struct powerpc_shared *shared, unsigned long near);
bool powerpc_is_in_hub(unsigned long addr);

extern const u32 powerpc_hub[], powerpc_hub_load[], powerpc_hub_end[];
extern const u32 powerpc_trap_jump[], powerpc_trap_load[], powerpc_trap_end[];
extern const u32 powerpc_nmi[], powerpc_nmi_load[], powerpc_nmi_end[];
extern const u32 powerpc_traces_jump[], powerpc_traces_load[], powerpc_traces_end[];

/*
 * Called by the C function: the hub returns to @addr, with all registers but r0, LR and r1 restored, and not
 * to the code that has called it.
 */
static __always_inline void assembly_return_to(struct pt_regs *regs, unsigned long addr)
{
	*(unsigned long *)((void *)regs + POWERPC_DETOUR_BACK - POWERPC_DETOUR_REGS) = addr;
}

/* Called by the C function: makes unwinders show the frame above as of code at @addr. */
static __always_inline void assembly_frame_is_of(struct pt_regs *regs, unsigned long addr)
{
	*(unsigned long *)((void *)regs + POWERPC_REGS_SIZE + POWERPC_FRAME_LR) = addr;
}

#endif /* LKP_POWERPC_ASSEMBLY_H */
