// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's symbols by name, for kernels that have not sorted them so.
 *
 * There each look-up goes through all symbols, and expands the name of each: milliseconds, and our
 * initialisation asks for more than a hundred names.  So the symbols are gone through when we are
 * loaded, and a hash of each name is kept with the address.  The names themselves would take three
 * times the memory.  A name that the kernel has not is taken for one that it has if 64 bits of
 * hashes are the same: with 200 000 symbols that is once in 10^14 such names.
 *
 * Where the kernel has no walk over its symbols either, the index is of what a walk through its text
 * by address finds: one name for each place.  All others, of data and the second names of places,
 * are left to the kernel's look-up.
 *
 * Written while we are loaded, before anybody else looks a name up, and only read from then on.
 */
#include <linux/bits.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "host.h"
#include "inject.h"
#include "symbol_index.h"

#define INDEX_BITS	16
#define NR_CHAINS	BIT(INDEX_BITS)

/**
 * struct index_entry - one symbol
 * @low: a hash; the symbols with the same INDEX_BITS of it are side by side
 * @high: another hash
 * @addr: its address
 */
struct index_entry {
	u32 low;
	u32 high;
	unsigned long addr;
};

static struct index_entry *entries;
/* Where each chain ends.  It begins where the one before it ends. */
static u32 *ends;
static bool index_exists, index_is_whole;

static u32 low_hash(const char *name, size_t len)
{
	return full_name_hash(NULL, name, len);
}

/* Of another kind, so that names which have one hash in common need not have the other. */
static u32 high_hash(const char *name, size_t len)
{
	return jhash(name, len, 0);
}

static u32 *chain_of(u32 low)
{
	return &ends[low & (NR_CHAINS - 1)];
}

static void count_symbol(void *data, const struct module *mod, const char *name,
			 unsigned long addr)
{
	++*chain_of(low_hash(name, strlen(name)));
}

/* In the kernel's order, which is by address: the end of a chain moves on from its beginning. */
static void put_symbol(void *data, const struct module *mod, const char *name,
		       unsigned long addr)
{
	size_t len = strlen(name);
	u32 low = low_hash(name, len);

	entries[(*chain_of(low))++] = (struct index_entry){
		.low = low,
		.high = high_hash(name, len),
		.addr = addr,
	};
}

/* Turns the lengths of chains into where they begin. */
static u32 lengths_to_begins(void)
{
	u32 sum = 0, i, length;

	for (i = 0; i < NR_CHAINS; i++) {
		length = ends[i];
		ends[i] = sum;
		sum += length;
	}
	return sum;
}

/**
 * host_index_build() - make the index
 * @walk: goes through all symbols of the kernel
 * @whole: it does; false: through those that are text only
 *
 * If there is no memory for it there is none, and look-ups are slow.
 *
 * Context: process context, sleeps; once, before other look-ups.
 */
void host_index_build(int (*walk)(host_symbol_fn fn, void *data), bool whole)
{
	u32 nr;

	/* LTO adds suffixes to names; only the kernel's own look-up knows how to strip them. */
	if (IS_ENABLED(CONFIG_LTO_CLANG) || inject_failure())
		return;
	ends = kvcalloc(NR_CHAINS, sizeof(*ends), GFP_KERNEL);
	if (!ends || walk(count_symbol, NULL))
		return host_index_free();
	nr = lengths_to_begins();
	entries = inject_failure() ? NULL : kvmalloc_array(nr, sizeof(*entries), GFP_KERNEL);
	if (!entries)
		return host_index_free();
	index_exists = !walk(put_symbol, NULL);
	index_is_whole = index_exists && whole;
}

/**
 * host_index_free() - free the index
 *
 * Context: process context, may sleep; nobody looks a name up any more.
 */
void host_index_free(void)
{
	index_exists = false;
	index_is_whole = false;
	kvfree(entries);
	kvfree(ends);
	entries = NULL;
	ends = NULL;
}

/**
 * host_index_exists() - is there an index
 */
bool host_index_exists(void)
{
	return index_exists;
}

/**
 * host_index_is_whole() - does it have all symbols
 */
bool host_index_is_whole(void)
{
	return index_is_whole;
}

/**
 * host_index_each() - go through the kernel image's symbols that have a name
 * @name: the name
 * @fn: called for each, in the kernel's order; an error ends the walk
 * @data: passed to @fn
 *
 * To be called only if host_index_exists().
 *
 * Context: any.
 */
void host_index_each(const char *name, int (*fn)(void *data, unsigned long addr), void *data)
{
	size_t len = strlen(name);
	u32 low = low_hash(name, len), high = high_hash(name, len);
	const u32 *end = chain_of(low);
	u32 i;

	for (i = end == ends ? 0 : end[-1]; i < *end; i++)
		if (entries[i].low == low && entries[i].high == high && fn(data, entries[i].addr))
			return;
}
