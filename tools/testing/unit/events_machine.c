// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that events/ wants of a machine.
 */
#include <stdio.h>

#include "events_machine.h"

#define PLACE_OF(n)	((int)offsetof(struct events_machine, registers[n]))

struct events_machine *events_machine;

int definition_find_register(const char *name, size_t length)
{
	if (length != 2 || name[0] != 'r' || name[1] < '0' || name[1] >= '0' + NR_REGISTERS)
		return -1;
	return PLACE_OF(name[1] - '0');
}

/* The second one is in r0, and no other in a register. */
int definition_find_argument(unsigned int n)
{
	return n == 1 ? PLACE_OF(0) : -1;
}

unsigned long fetch_function_argument(void *regs, unsigned int n)
{
	events_machine = regs;
	return 100 + n;
}

unsigned long fetch_return_value(void *regs)
{
	return fetch_register(regs, PLACE_OF(0));
}

unsigned long fetch_stack_pointer(void *regs)
{
	return fetch_register(regs, PLACE_OF(NR_REGISTERS - 1));
}

int fetch_memory(void *to, unsigned long from, size_t size, bool user)
{
	unsigned long start = user ? USER_MEMORY : KERNEL_MEMORY;

	events_machine->reads++;
	if (from < start || from - start > MEMORY_SIZE || size > MEMORY_SIZE - (from - start))
		return -1;
	memcpy(to, (user ? events_machine->user : events_machine->kernel) + (from - start), size);
	return 0;
}

size_t fetch_comm(char *to, size_t room)
{
	return snprintf(to, room, "%.*s", (int)room - 1, "task") + 1;
}

size_t fetch_symbol_name(char *to, size_t room, unsigned long address)
{
	char name[40];

	snprintf(name, sizeof(name), "symbol+0x%lx", address);
	return snprintf(to, room, "%.*s", (int)room - 1, name) + 1;
}
