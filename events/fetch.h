/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fills a record with the values of a probe's arguments.
 *
 * fetch.c is pure code.  What it asks of the machine is declared here: functions of machine.c, or
 * of a unit test.  A hit runs them, so none of them sleeps, faults or takes a lock.
 */
#ifndef LKP_EVENTS_FETCH_H
#define LKP_EVENTS_FETCH_H

#include "definition.h"

/* A string's place in the record and its length, as the kernel's __data_loc has them. */
static inline u32 data_location(unsigned int at, unsigned int length)
{
	return length << 16 | at;
}

static inline unsigned int data_location_at(u32 location)
{
	return location & 0xffff;
}

static inline unsigned int data_location_length(u32 location)
{
	return location >> 16;
}

/**
 * struct fetched - where the values of a hit come from
 * @regs: the registers, opaque to the pure code
 * @ip: the first address in the record: of the probe, or of the function that returns
 * @return_ip: the second one, of a return
 * @kept: of a return: arguments of the function, kept since it was entered
 */
struct fetched {
	void *regs;
	unsigned long ip;
	unsigned long return_ip;
	const unsigned long *kept;
};

/**
 * fetch_register() - a register
 * @regs: those of the hit
 * @place: of definition_find_register() or definition_find_argument()
 */
static inline unsigned long fetch_register(void *regs, unsigned int place)
{
	return *(unsigned long *)((char *)regs + place);
}

/* Buffers need not be aligned. */
static inline u8 *fetch_put(u8 *to, u64 value)
{
	memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

/**
 * fetch_registers() - fill a record with whole registers
 * @def: what it holds; nothing but registers
 * @from: where that comes from
 * @record: @def->fixed bytes; the first RECORD_COMMON_SIZE are not written to
 *
 * The most frequent case by far.  Each value is right behind the one before.
 *
 * Context: any, NMI too.
 */
static inline void fetch_registers(const struct definition *def, const struct fetched *from,
				   u8 *record)
{
	const struct argument *arg, *end = def->args + def->nr_args;
	u8 *to = fetch_put(record + RECORD_COMMON_SIZE, from->ip);

	if (definition_is_return(def))
		to = fetch_put(to, from->return_ip);
	for (arg = def->args; arg < end; arg++)
		to = fetch_put(to, fetch_register(from->regs, arg->value));
}

void fetch_plain(const struct definition *def, const struct fetched *from, u8 *record);
unsigned int fetch_record(const struct definition *def, const struct fetched *from, u8 *record);

/* Of the machine. */
unsigned long fetch_function_argument(void *regs, unsigned int n);
unsigned long fetch_return_value(void *regs);
unsigned long fetch_stack_pointer(void *regs);
/* 0, or -EFAULT; then @to may have been written to. */
int fetch_memory(void *to, unsigned long from, size_t size, bool user);
/* Both write a string with its NUL, and return the size of both. */
size_t fetch_comm(char *to, size_t room);
size_t fetch_symbol_name(char *to, size_t room, unsigned long address);

#endif /* LKP_EVENTS_FETCH_H */
