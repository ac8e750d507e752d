/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine for events/fetch.c: some registers, and two small memories.
 */
#ifndef LKP_UNIT_EVENTS_MACHINE_H
#define LKP_UNIT_EVENTS_MACHINE_H

#include "../../../events/fetch.h"

#define NR_REGISTERS	4
#define MEMORY_SIZE	8192

/* Where the memories are; nothing is around them. */
#define KERNEL_MEMORY	0xffff888000010000ul
#define USER_MEMORY	0x7f0000010000ul

/**
 * struct events_machine - what a hit finds
 * @registers: r0 to r3; r3 is the stack pointer
 * @kernel: the kernel's memory
 * @user: the task's memory
 * @reads: how often memory was read
 */
struct events_machine {
	unsigned long registers[NR_REGISTERS];
	u8 kernel[MEMORY_SIZE];
	u8 user[MEMORY_SIZE];
	unsigned int reads;
};

/* fetch_memory() is not told whose registers they are. */
extern struct events_machine *events_machine;

#endif /* LKP_UNIT_EVENTS_MACHINE_H */
