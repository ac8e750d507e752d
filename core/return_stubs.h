/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stubs that replace return addresses: which addresses are stubs, and whose they are.
 */
#ifndef LKP_RETURN_STUBS_H
#define LKP_RETURN_STUBS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "../host/arch_host.h"

struct return_call;

#define RETURN_STUBS_OWN_SIZE	(ARCH_NR_RETURN_STUBS * ARCH_RETURN_STUB_SIZE)

/* Of all probes together, in our text and in memory that is added. */
#define RETURN_STUBS_MAX	(1u << 20)

/**
 * struct return_area - a range of addresses
 * @start: the first byte
 * @end: behind the last
 */
struct return_area {
	unsigned long start;
	unsigned long end;
};

/*
 * The smallest area in which all stubs are; other text may be in it, too.  Both ends only move
 * apart, and each by itself: what was in the area, is.  Assembly reads it.
 */
extern struct return_area return_stubs_area;

/* The owners of the stubs in our text. */
extern struct return_call *return_stub_owners[ARCH_NR_RETURN_STUBS];

bool return_stub_is_at(unsigned long addr);
bool return_stub_block(unsigned long addr, struct return_area *block);
struct return_call **return_stub_owner(unsigned long addr);
int return_stubs_reserve(unsigned int nr, const char **why);
unsigned long return_stub_take(void);
void return_stub_give(unsigned long stub);
unsigned int return_stubs_made(void);
unsigned int return_stubs_refused(unsigned int *starved, unsigned int *nr);
int return_stubs_init(struct return_call *no_owner);
void return_stubs_exit(void);

/*
 * For hits, which must not save registers for a call: other text of modules may be in the area, too.
 * Nearly all that is asked of is the kernel's text, which no area has.
 */
static __always_inline bool return_address_may_be_stub(unsigned long addr)
{
	return addr >= READ_ONCE(return_stubs_area.start) && addr < READ_ONCE(return_stubs_area.end);
}

/* In any context, NMI too. */
static inline bool return_address_is_stub(unsigned long addr)
{
	return return_address_may_be_stub(addr) && return_stub_is_at(addr);
}

/* In our own text, or in memory that has no name? */
static inline bool return_stub_is_own(unsigned long addr)
{
	return addr - (unsigned long)arch_return_stubs < RETURN_STUBS_OWN_SIZE;
}

#endif /* LKP_RETURN_STUBS_H */
