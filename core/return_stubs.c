// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stubs that replace return addresses, see return_stubs.h.
 *
 * The first block of them is in our own text.  If an instance finds none left, a further block is
 * made in executable memory that the trampoline is in reach of, as large as all others together.
 * So there are few blocks, and to look for the one that has an address is short.
 *
 * Blocks are found without a lock, in any context.  They stay until the module goes: then no hook
 * is left, so no stub is on a stack, and nobody who follows stacks asks us any more.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../host/inject.h"
#include "core.h"
#include "return_private.h"
#include "return_stubs.h"

/**
 * struct stub_block - stubs in a row
 * @base: the first one
 * @nr: how many
 * @owners: of each
 * @used: which have been taken
 * @free: how many have not
 * @next: where the search for one begins: what was given back rests
 *
 * The first three do not change; the others are guarded by return_hooks_mutex.
 */
struct stub_block {
	unsigned long base;
	unsigned int nr;
	struct return_call **owners;
	unsigned long *used;
	unsigned int free;
	unsigned int next;
};

/* No smaller ones are made, so there are never more; all are multiples, and so whole pages. */
#define MIN_BLOCK	32768u
#define MAX_BLOCKS	(1 + RETURN_STUBS_MAX / MIN_BLOCK)

struct return_call *return_stub_owners[ARCH_NR_RETURN_STUBS];
struct return_area return_stubs_area;

static struct stub_block blocks[MAX_BLOCKS];
static unsigned int nr_blocks;
static struct return_call *nobody;

/* By return_hooks_mutex; @starved_at is how many stubs there were when there was no memory last. */
static unsigned int nr_stubs, nr_refused, nr_starved, starved_at;

/* ---- finding them ---- */

/* The largest comes last. */
static const struct stub_block *block_of(unsigned long addr)
{
	/* Pairs with the release in publish(): a block that is counted is filled in. */
	unsigned int i = smp_load_acquire(&nr_blocks);

	while (i--)
		if (addr - blocks[i].base < (unsigned long)blocks[i].nr * ARCH_RETURN_STUB_SIZE)
			return &blocks[i];
	return NULL;
}

static unsigned int index_in(const struct stub_block *block, unsigned long addr)
{
	return (addr - block->base) / ARCH_RETURN_STUB_SIZE;
}

/**
 * return_stub_is_at() - is an address in the area of stubs in one of them
 * @addr: the address
 *
 * Context: any, NMI too.
 */
noinline bool return_stub_is_at(unsigned long addr)
{
	return return_stub_is_own(addr) || block_of(addr);
}

/**
 * return_stub_block() - the stubs among which an address is
 * @addr: any address
 * @block: set to where they are
 *
 * Context: any, NMI too.
 * Return: false if it is in no stub.
 */
bool return_stub_block(unsigned long addr, struct return_area *block)
{
	const struct stub_block *found = block_of(addr);

	if (!found)
		return false;
	block->start = found->base;
	block->end = found->base + (unsigned long)found->nr * ARCH_RETURN_STUB_SIZE;
	return true;
}

/**
 * return_stub_owner() - where the owner of a stub is noted
 * @addr: any address within the stub
 *
 * Context: any, NMI too.
 * Return: the place; NULL if that is no stub.
 */
struct return_call **return_stub_owner(unsigned long addr)
{
	const struct stub_block *block = block_of(addr);

	return block ? &block->owners[index_in(block, addr)] : NULL;
}

/* ---- more of them ---- */

/* By return_hooks_mutex.  Writes are done in large pieces, as each needs a mapping. */
static struct text_edit edits[256];

#define STUBS_OF_EDIT	(sizeof(edits[0].bytes) / ARCH_RETURN_STUB_SIZE)

static bool make_edit(struct text_edit *edit, unsigned long addr)
{
	unsigned int i;

	edit->addr = addr;
	edit->len = sizeof(edit->bytes);
	for (i = 0; i < STUBS_OF_EDIT; i++, addr += ARCH_RETURN_STUB_SIZE)
		if (!arch_make_return_stub(edit->bytes + i * ARCH_RETURN_STUB_SIZE, addr))
			return false;
	return true;
}

static int make_stubs(unsigned long addr, unsigned long end)
{
	unsigned int nr;
	int err = 0;

	lockdep_assert_held(&return_hooks_mutex);
	while (addr < end && !err) {
		for (nr = 0; addr < end && nr < ARRAY_SIZE(edits); nr++) {
			if (!make_edit(&edits[nr], addr))
				return -ERANGE;
			addr += sizeof(edits[nr].bytes);
		}
		err = host_text_write(edits, nr);
	}
	return err;
}

static void free_block(struct stub_block *block)
{
	if (block->base)
		host_memory_free(block->base, (unsigned long)block->nr * ARCH_RETURN_STUB_SIZE);
	kvfree(block->owners);
	bitmap_free(block->used);
	*block = (struct stub_block){ };
}

static void fill_owners(struct return_call **owners, unsigned int nr)
{
	while (nr--)
		owners[nr] = nobody;
}

/*
 * The first stub is never used.  Of a return address unwinders look up the byte before, which so is
 * one of ours, too.
 */
static int fill_block(struct stub_block *block, unsigned int nr)
{
	unsigned long size = (unsigned long)nr * ARCH_RETURN_STUB_SIZE;

	block->nr = nr;
	block->used = inject_failure() ? NULL : bitmap_zalloc(nr, GFP_KERNEL);
	block->owners = inject_failure() ? NULL :
			kvmalloc_array(nr, sizeof(block->owners[0]), GFP_KERNEL);
	if (!block->used || !block->owners)
		return -ENOMEM;
	fill_owners(block->owners, nr);
	__set_bit(0, block->used);
	block->free = nr - 1;
	block->base = host_memory_alloc(arch_return_trampoline(), size, false);
	return block->base ? make_stubs(block->base, block->base + size) : -ENOMEM;
}

static void publish(const struct stub_block *block)
{
	unsigned long end = block->base + (unsigned long)block->nr * ARCH_RETURN_STUB_SIZE;

	lockdep_assert_held(&return_hooks_mutex);
	WRITE_ONCE(nr_stubs, nr_stubs + block->free);
	/* Pairs with the acquire in block_of(). */
	smp_store_release(&nr_blocks, nr_blocks + 1);
	/* Who finds the area without the block finds no stub there, and none is used yet. */
	if (!return_stubs_area.end || block->base < return_stubs_area.start)
		WRITE_ONCE(return_stubs_area.start, block->base);
	if (end > return_stubs_area.end)
		WRITE_ONCE(return_stubs_area.end, end);
}

static int add_block(unsigned int nr)
{
	struct stub_block *block = &blocks[nr_blocks];
	int err;

	lockdep_assert_held(&return_hooks_mutex);
	err = nr_blocks < MAX_BLOCKS ? fill_block(block, nr) : -ENOSPC;
	if (!err)
		publish(block);
	else if (nr_blocks < MAX_BLOCKS)
		free_block(block);
	return err;
}

/**
 * return_stubs_made() - how many stubs there are, so that no chain of them is longer
 *
 * Context: any.
 */
unsigned int return_stubs_made(void)
{
	return READ_ONCE(nr_stubs);
}

static unsigned int count_free(void)
{
	unsigned int i, nr = 0;

	lockdep_assert_held(&return_hooks_mutex);
	for (i = 0; i < nr_blocks; i++)
		nr += blocks[i].free;
	return nr;
}

/* As many as there are, or as few as will do. */
static int grow(unsigned int missing)
{
	unsigned int least = round_up(missing + 1, MIN_BLOCK);
	unsigned int left = nr_stubs < RETURN_STUBS_MAX ? RETURN_STUBS_MAX - nr_stubs : 0;
	unsigned int most = max_t(unsigned int, least,
				  round_up(min_t(unsigned int, left, nr_stubs), MIN_BLOCK));

	if (!add_block(most))
		return 0;
	return most > least ? add_block(least) : -ENOMEM;
}

static int refuse(unsigned int *counter, int err)
{
	lockdep_assert_held(&return_hooks_mutex);
	WRITE_ONCE(*counter, *counter + 1);
	return err;
}

/**
 * return_stubs_reserve() - see that so many stubs can be taken
 * @nr: how many
 * @why: on error, the reason
 *
 * Context: return_hooks_mutex held, and until all are taken; sleeps.
 * Return: 0; -ENOSPC if there would be too many of them; -ENOMEM.
 */
int return_stubs_reserve(unsigned int nr, const char **why)
{
	unsigned int nr_free = count_free();

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	/* There may be some more, as they are made in whole blocks. */
	if (nr > RETURN_STUBS_MAX - (nr_stubs - nr_free)) {
		*why = "a million calls are followed at most, ask for fewer instances";
		return refuse(&nr_refused, -ENOSPC);
	}
	if (nr <= nr_free && !inject_failure())
		return 0;
	if (nr > nr_free && !grow(nr - nr_free))
		return 0;
	*why = "no executable memory in reach for so many instances, ask for fewer";
	WRITE_ONCE(starved_at, nr_stubs);
	return refuse(&nr_starved, -ENOMEM);
}

/**
 * return_stub_take() - take a stub
 *
 * Context: return_hooks_mutex held since return_stubs_reserve().
 * Return: the stub, whose owner is nobody.
 */
unsigned long return_stub_take(void)
{
	struct stub_block *block = blocks;
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	while (!block->free)
		block++;
	i = find_next_zero_bit(block->used, block->nr, block->next);
	if (i >= block->nr)
		i = find_first_zero_bit(block->used, block->nr);
	__set_bit(i, block->used);
	block->free--;
	block->next = i + 1;
	return block->base + (unsigned long)i * ARCH_RETURN_STUB_SIZE;
}

/**
 * return_stub_give() - give a stub back
 * @stub: the stub; its owner is nobody, or was never noted
 *
 * Context: return_hooks_mutex held.
 */
void return_stub_give(unsigned long stub)
{
	struct stub_block *block = (struct stub_block *)block_of(stub);

	lockdep_assert_held(&return_hooks_mutex);
	__clear_bit(index_in(block, stub), block->used);
	block->free++;
}

/**
 * return_stubs_refused() - how often there would have been too many stubs
 * @starved: set to how often there was no memory for more
 * @nr: set to how many there were then
 *
 * Context: any.
 */
unsigned int return_stubs_refused(unsigned int *starved, unsigned int *nr)
{
	*starved = READ_ONCE(nr_starved);
	*nr = READ_ONCE(starved_at);
	return READ_ONCE(nr_refused);
}

/**
 * return_stubs_init() - describe the stubs in our own text
 * @no_owner: the owner of stubs that no instance has
 *
 * Return: 0 or -ENOMEM.
 */
int return_stubs_init(struct return_call *no_owner)
{
	struct stub_block *own = &blocks[0];

	own->used = inject_failure() ? NULL : bitmap_zalloc(ARCH_NR_RETURN_STUBS, GFP_KERNEL);
	if (!own->used)
		return -ENOMEM;
	nobody = no_owner;
	own->base = (unsigned long)arch_return_stubs;
	/* objtool warns of addresses in text that are not valid targets of indirect branches. */
	OPTIMIZER_HIDE_VAR(own->base);
	own->nr = own->free = ARCH_NR_RETURN_STUBS;
	own->owners = return_stub_owners;
	fill_owners(own->owners, own->nr);
	mutex_lock(&return_hooks_mutex);
	publish(own);
	mutex_unlock(&return_hooks_mutex);
	return 0;
}

/**
 * return_stubs_exit() - free all stubs but our own, when no hook is left
 *
 * Context: process context, sleeps.
 */
void return_stubs_exit(void)
{
	might_sleep();
	while (nr_blocks > 1)
		free_block(&blocks[--nr_blocks]);
	bitmap_free(blocks[0].used);
}
