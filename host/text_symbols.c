// SPDX-License-Identifier: GPL-2.0-only
/*
 * The symbols of the kernel's own text, in a form in which they are found fast.
 *
 * The kernel keeps names packed, and where one of them begins for one in 256: to find a name takes it
 * 20 000 instructions where names are sorted, the name of an address 2 000, and where its symbol begins
 * hundreds.  For a probe all of that is asked for, some of it several times.  But the kernel's own
 * symbols never change.  So the first walk through all of them, which is made when we are loaded, leaves
 * behind
 *
 *	where each begins, and whether its name is of a kind that matters: 4 bytes each
 *	a hash of each name with the address: 12 bytes each, where the kernel has sorted its
 *	symbols by name.  (For others there is symbol_index.c, which knows all symbols.)  Half of
 *	a kernel's names may be those of padding, which nobody asks for: they are left out
 *
 * A name that the kernel has not is taken for one that it has if 64 bits of hashes are the same, see
 * there.  What is not text, or is in a module, or that there was no memory for, the kernel is asked for.
 *
 * Written while we are loaded, before there is any probe, and only read from then on: in any context.
 */
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "host.h"
#include "inject.h"
#include "named.h"
#include "text_symbols.h"

/* All that is kept has at most this size, whatever the kernel is. */
#define MAX_SIZE	SZ_2M

/* Bytes of text for which it is known where among the symbols they are. */
#define BLOCK_BITS	10

#define CHAIN_BITS	14
#define NR_CHAINS	(1u << CHAIN_BITS)

/* More than most kernels have. */
#define FIRST_GUESS	65536

/* In place of an offset: a symbol that comes before all text. */
#define NOT_TEXT	U32_MAX

/**
 * struct noted - a symbol, in the order of the walk
 * @hash: of its name
 * @at: offset in the text, or NOT_TEXT
 * @tells: the name is of a kind that matters
 * @asked_for: somebody may ask for it by name
 */
struct noted {
	u64 hash;
	u32 at;
	bool tells;
	bool asked_for;
};

/* Of the walk. */
static struct {
	bool begun;
	bool is_on;
	bool by_name;
	struct noted *noted;
	unsigned int nr;
	unsigned int nr_asked_for;
	unsigned int max;
} walk;

/* Of the text. */
static unsigned long base, text_size;

/* Where the symbols of different addresses begin, ascending, and behind them where the text ends. */
static u32 *starts;
static unsigned int nr_starts;
/* For each block, the last of them that begins no later. */
static u32 *blocks;
/* A bit for each: the kernel is to be asked for the name. */
static unsigned long *telling;

/* Symbols by the hashes of their names: those of a chain are side by side, in the kernel's order. */
static u64 *hashes;
static u32 *offsets;
/* Where each chain ends.  It begins where the one before it ends. */
static u32 *ends;

/* What has been made. */
static bool have_addresses, have_names;

static u64 hash_of(const char *name)
{
	u64 hash = 0xcbf29ce484222325ull;	/* FNV-1a: each of its steps can be reversed */

	while (*name)
		hash = (hash ^ (u8)*name++) * 0x100000001b3ull;
	return hash;
}

static u32 *chain_of(u64 hash)
{
	return &ends[hash_64(hash, CHAIN_BITS)];
}

/* ---- the walk ---- */

static void *new_array(size_t nr, size_t size)
{
	return inject_failure() ? NULL : kvmalloc_array(nr, size, GFP_KERNEL | __GFP_NOWARN);
}

static void forget_walk(void)
{
	kvfree(walk.noted);
	walk.noted = NULL;
	walk.nr = walk.nr_asked_for = walk.max = 0;
	walk.is_on = false;
}

/**
 * text_symbols_begin() - a walk through all of the kernel's symbols begins
 * @by_name: look-ups by name are wanted, too
 *
 * The first walk is followed, all others are not.
 *
 * Context: process context, may sleep; no other walk is made meanwhile, if it is the first.
 */
void text_symbols_begin(bool by_name)
{
	unsigned long end;

	/* LTO adds suffixes to names, which the kernel strips, or not. */
	if (walk.begun || IS_ENABLED(CONFIG_LTO_CLANG))
		return;
	walk.begun = true;
	base = host_lookup("_stext");
	end = host_lookup("_etext");
	if (!base || end <= base || end - base >= NOT_TEXT)
		return;
	text_size = end - base;
	walk.by_name = by_name;
	walk.is_on = true;
}

static bool make_room(void)
{
	unsigned int max = walk.max ? 2 * walk.max : FIRST_GUESS;
	struct noted *more;

	if (walk.nr < walk.max)
		return true;
	more = new_array(max, sizeof(*more));
	if (!more)
		return false;
	if (walk.nr)
		memcpy(more, walk.noted, walk.nr * sizeof(*more));
	kvfree(walk.noted);
	walk.noted = more;
	walk.max = max;
	return true;
}

static void say_not_kept(void)
{
	pr_info("the kernel's %u symbols are not kept: look-ups by name are slower\n", walk.nr);
}

/* What is before a function, and no place for a probe. */
static bool is_front(const char *name)
{
	return str_has_prefix(name, "__pfx_") || str_has_prefix(name, "__cfi_");
}

/**
 * text_symbols_note() - the walk has come to a symbol
 * @name: its name
 * @addr: its address; they ascend
 *
 * Context: as text_symbols_begin().
 */
void text_symbols_note(const char *name, unsigned long addr)
{
	if (!walk.is_on || (addr >= base && addr - base >= text_size))
		return;
	if (!make_room()) {
		say_not_kept();
		forget_walk();
		return;
	}
	walk.noted[walk.nr++] = (struct noted){
		.hash = hash_of(name),
		.at = addr < base ? NOT_TEXT : addr - base,
		.tells = host_name_tells(name),
		.asked_for = !is_front(name),
	};
	walk.nr_asked_for += !is_front(name);
}

/* ---- what it leaves behind ---- */

/* Text comes behind all else, and begins with a symbol. */
static bool is_in_order(u32 before, u32 at)
{
	if (at == NOT_TEXT)
		return before == NOT_TEXT;
	return before == NOT_TEXT ? !at : at >= before;
}

/* Counts the different addresses.  Returns false if the walk was not by address, or met none. */
static bool count_starts(void)
{
	u32 before = NOT_TEXT;
	unsigned int i;

	for (i = 0; i < walk.nr; i++) {
		u32 at = walk.noted[i].at;

		if (!is_in_order(before, at))
			return false;
		nr_starts += at != before;
		before = at;
	}
	return nr_starts;
}

static size_t nr_blocks(void)
{
	return (text_size >> BLOCK_BITS) + 2;
}

static size_t size_of_addresses(void)
{
	return (nr_starts + 1 + nr_blocks()) * sizeof(u32) + BITS_TO_LONGS(nr_starts) * sizeof(long);
}

static size_t size_of_names(void)
{
	return walk.nr_asked_for * (sizeof(*hashes) + sizeof(*offsets)) + NR_CHAINS * sizeof(*ends);
}

/* Of several names of an address the first is the one that the kernel says. */
static void put_starts(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < walk.nr; i++) {
		const struct noted *noted = &walk.noted[i];

		if (noted->at == NOT_TEXT || (nr && starts[nr - 1] == noted->at))
			continue;
		if (noted->tells)
			__set_bit(nr, telling);
		starts[nr++] = noted->at;
	}
	starts[nr] = text_size;
}

static void put_blocks(void)
{
	unsigned int i, at = 0;

	for (i = 0; i < nr_blocks(); i++) {
		while (at + 1 < nr_starts && starts[at + 1] <= (u64)i << BLOCK_BITS)
			at++;
		blocks[i] = at;
	}
}

static bool make_addresses(void)
{
	if (!count_starts() || size_of_addresses() > MAX_SIZE)
		return false;
	starts = new_array(nr_starts + 1, sizeof(*starts));
	blocks = new_array(nr_blocks(), sizeof(*blocks));
	telling = inject_failure() ? NULL :
		  kvcalloc(BITS_TO_LONGS(nr_starts), sizeof(*telling), GFP_KERNEL | __GFP_NOWARN);
	if (!starts || !blocks || !telling)
		return false;
	put_starts();
	put_blocks();
	return true;
}

static void put_name(const struct noted *noted)
{
	u32 at = (*chain_of(noted->hash))++;

	hashes[at] = noted->hash;
	offsets[at] = noted->at;
}

/* The end of each chain moves on from its beginning. */
static void put_names(void)
{
	u32 i, sum = 0, length;

	for (i = 0; i < walk.nr; i++)
		if (walk.noted[i].asked_for)
			++*chain_of(walk.noted[i].hash);
	for (i = 0; i < NR_CHAINS; i++) {
		length = ends[i];
		ends[i] = sum;
		sum += length;
	}
	for (i = 0; i < walk.nr; i++)
		if (walk.noted[i].asked_for)
			put_name(&walk.noted[i]);
}

static bool make_names(void)
{
	if (!walk.by_name || size_of_addresses() + size_of_names() > MAX_SIZE)
		return false;
	hashes = new_array(walk.nr_asked_for, sizeof(*hashes));
	offsets = new_array(walk.nr_asked_for, sizeof(*offsets));
	ends = inject_failure() ? NULL :
	       kvcalloc(NR_CHAINS, sizeof(*ends), GFP_KERNEL | __GFP_NOWARN);
	if (!hashes || !offsets || !ends)
		return false;
	put_names();
	return true;
}

static void free_names(void)
{
	kvfree(hashes);
	kvfree(offsets);
	kvfree(ends);
	hashes = NULL;
	offsets = ends = NULL;
}

static void free_addresses(void)
{
	kvfree(starts);
	kvfree(blocks);
	kvfree(telling);
	starts = blocks = NULL;
	telling = NULL;
	nr_starts = 0;
}

/**
 * text_symbols_end() - the walk has ended
 * @whole: it has come to all symbols
 *
 * Context: as text_symbols_begin().
 */
void text_symbols_end(bool whole)
{
	bool addresses = walk.is_on && whole && make_addresses(), names = addresses && make_names();

	if (walk.is_on && names != walk.by_name)
		say_not_kept();
	if (walk.is_on && !addresses)
		free_addresses();
	if (walk.is_on && !names)
		free_names();
	forget_walk();
	if (addresses) {
		/* Who asks in an NMI meanwhile finds all or nothing. */
		smp_store_release(&have_addresses, true);
	}
	if (names) {
		/* As above. */
		smp_store_release(&have_names, true);
	}
}

/**
 * text_symbols_free() - forget all
 *
 * Context: process context, may sleep; nobody asks any more.
 */
void text_symbols_free(void)
{
	have_addresses = false;
	have_names = false;
	free_addresses();
	free_names();
}

/* ---- questions ---- */

/* Is it in text that is known?  Then which of the symbols it is in. */
static bool find(unsigned long addr, unsigned int *found)
{
	unsigned int first, last, mid;
	u32 at;

	/* Pairs with the release in text_symbols_end(). */
	if (!smp_load_acquire(&have_addresses) || addr - base >= text_size)
		return false;
	at = addr - base;
	first = blocks[at >> BLOCK_BITS];
	last = blocks[(at >> BLOCK_BITS) + 1];
	while (first < last) {
		mid = (first + last + 1) / 2;
		if (starts[mid] <= at)
			first = mid;
		else
			last = mid - 1;
	}
	*found = first;
	return true;
}

/**
 * text_symbols_bounds() - host_symbol_bounds(), if it is known here
 * @addr: any address
 * @start: the first byte of its symbol
 * @size: bytes up to the next symbol
 *
 * Context: any, NMI too.
 * Return: false if the kernel is to be asked.
 */
bool text_symbols_bounds(unsigned long addr, unsigned long *start, unsigned long *size)
{
	unsigned int found;

	if (!find(addr, &found))
		return false;
	*start = base + starts[found];
	*size = starts[found + 1] - starts[found];
	return true;
}

/**
 * text_symbols_are_silent() - is it known that host_name_tells() nothing of an address
 * @addr: any address
 *
 * Context: any.
 */
bool text_symbols_are_silent(unsigned long addr)
{
	unsigned int found;

	return find(addr, &found) && !test_bit(found, telling);
}

/**
 * text_symbols_have_names() - are symbols found by name here
 *
 * Context: any.
 */
bool text_symbols_have_names(void)
{
	/* Pairs with the release in text_symbols_end(). */
	return smp_load_acquire(&have_names);
}

/* Has only text that name?  If something else has, too, the kernel knows in which order they are. */
static bool is_text_only(u64 hash, u32 first, u32 end)
{
	bool any = false;

	for (; first < end; first++) {
		if (hashes[first] != hash)
			continue;
		if (offsets[first] == NOT_TEXT)
			return false;
		any = true;
	}
	return any;
}

/**
 * text_symbols_each() - go through the text that has a name, if it is known here
 * @name: the name
 * @fn: called for each, in the kernel's order, which begins with text; an error ends the walk
 * @data: passed to @fn
 *
 * Context: any that @fn can be called in.
 * Return: false if the kernel is to be asked; then @fn has not been called.
 */
bool text_symbols_each(const char *name, int (*fn)(void *data, unsigned long addr), void *data)
{
	const u32 *end;
	u64 hash;
	u32 i;

	if (!text_symbols_have_names())
		return false;
	hash = hash_of(name);
	end = chain_of(hash);
	i = end == ends ? 0 : end[-1];
	if (!is_text_only(hash, i, *end))
		return false;
	for (; i < *end; i++)
		if (hashes[i] == hash && fn(data, base + offsets[i]))
			break;
	return true;
}
