// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text as the kernel means it: the one reader of instructions.
 *
 * Bytes in text have several owners.  What the reader does with those of each:
 *
 *	our probe points	their traps and jumps are undone, and what these have in padding
 *	built-in kprobes	bytes under their breakpoints and jumps are not known
 *	a debugger		bytes under its breakpoints are not known
 *	the kernel, while it	not seen, since text is read under the lock for patching;
 *	patches code		not known, where that lock can't be found
 *	the function tracer	a site stays a single instruction, its call or a nop:
 *				text_function() makes it the nop
 *	jump labels, static	stay a single instruction, the one that is in force;
 *	calls, alternatives	host_patched() says where they are
 *
 * A foreign breakpoint looks like the traps that compilers put behind the end of a flow
 * of instructions.  Only a walk can tell them apart, see is_padding().
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "core.h"

const char * const text_foreign = "another tool's probe or breakpoint is in the way";

/* This many traps in a row are padding, not breakpoints. */
#define PADDING_RUN	(TEXT_AHEAD / 2)
static_assert(ARCH_MAX_INSN_SIZE <= PADDING_RUN);

/* ---- owners ---- */

static void uncover(const struct probe_point *pt, unsigned long addr, u8 *to, size_t len)
{
	unsigned int i, nr;
	const u8 *bytes = arch_point_covered(pt, &nr);

	for (i = 0; i < nr; i++)
		if (pt->addr + i - addr < len)
			to[pt->addr + i - addr] = bytes[i];
}

/*
 * Does a jump of the built-in kprobes at @at reach to @addr?  What is there is looked at first, as that is
 * quicker; but not in the page before, which may not be there.
 */
static bool is_foreign_jump_to(unsigned long at, unsigned long addr)
{
	if (at >= (addr & PAGE_MASK) && arch_patch_size((u8 *)at) <= addr - at)
		return false;
	return host_foreign_probe(at) && host_foreign_size(at, (u8 *)at) > addr - at;
}

/* Undoes a jump of ours that begins before the text and reaches into it; false if foreign. */
static bool uncover_beginning(unsigned long addr, u8 *to, size_t len)
{
	struct probe_point *pt;
	unsigned long at;

	for (at = addr - ARCH_JUMP_SIZE + ARCH_TRAP_SIZE; at != addr; at += ARCH_TRAP_SIZE) {
		pt = table_find(at);
		if (pt && point_is_armed(pt))
			uncover(pt, addr, to, len);
		else if (is_foreign_jump_to(at, addr))
			return false;
	}
	return true;
}

#ifndef arch_next_patch

/* The next offset from @i on where a trap or a jump may begin; or one behind the last of them. */
static size_t arch_next_patch(const u8 *bytes, size_t i, size_t len)
{
	while (i + ARCH_TRAP_SIZE <= len && !arch_patch_size(bytes + i))
		i += ARCH_TRAP_SIZE;
	return i;
}

#endif

/**
 * text_original() - read text as it is without traps and jumps
 * @addr: where; an instruction may begin there
 * @to: all of it is written; bytes that are not known are copied as they are
 * @len: how many bytes; at most up to the end of the function
 *
 * Context: kprobe_mutex held, sleeps; the module that the text belongs to may
 * not vanish meanwhile.
 * Return: how many bytes from @addr on are known; @len if all of them are.
 */
size_t text_original(unsigned long addr, u8 *to, size_t len)
{
	size_t known = len, i;

	lockdep_assert_held(&kprobe_mutex);
	host_text_lock();
	memcpy(to, (const void *)addr, len);
	arch_relays_uncover(addr, to, len);
	if (!uncover_beginning(addr, to, len))
		known = 0;
	for (i = arch_next_patch(to, 0, len); i + ARCH_TRAP_SIZE <= len;
	     i = arch_next_patch(to, i + ARCH_TRAP_SIZE, len)) {
		unsigned int size = arch_patch_size(to + i);
		struct probe_point *pt = size ? table_find(addr + i) : NULL;

		if (pt && point_is_armed(pt))
			uncover(pt, addr, to, len);
		else if (size && host_foreign_size(addr + i, to + i))
			known = min(known, i);
	}
	host_text_unlock();
	return known;
}

/* ---- walking ---- */

/* Is a trap padding, which is never executed? */
static bool is_padding(const u8 *bytes, size_t avail, bool flow_ended)
{
	size_t run = min_t(size_t, avail, PADDING_RUN), i;

	if (flow_ended)
		return true;
	for (i = 1; i < run && bytes[i] == bytes[0]; i++)
		;
	return i >= run;
}

static bool is_own_trap(unsigned long addr)
{
#ifdef ARCH_OWN_TRAPS
	return arch_is_own_trap(addr);
#else
	return false;
#endif
}

/*
 * Steps over the instruction at @walk->at.  Of the @avail bytes, which are all up to the end of
 * the function or more than PADDING_RUN, the first @known are original.
 */
static int step_over(struct text_walk *walk, struct arch_step *step, const u8 *bytes, size_t known,
		     size_t avail)
{
	unsigned long addr = walk->at;

	if (!known)
		return -EBUSY;
	*step = (struct arch_step){ };
	if (!arch_step_over(step, bytes, known, addr))
		return known < min_t(size_t, avail, ARCH_MAX_INSN_SIZE) ? -EBUSY : -EILSEQ;
	if (step->trap && !is_padding(bytes, avail, walk->flow_ended) && !is_own_trap(addr))
		return -EBUSY;
	walk->at += step->length;
	if (step->filler)
		walk->filler_end = walk->at + step->filler;
	walk->flow_ended = step->ends_flow ||
			   (walk->flow_ended && (step->trap || addr < walk->filler_end));
	return 0;
}

#ifdef ARCH_SKIPS_PLAIN

/* Steps over instructions that step_over() passes in any case, of those that are known. */
static void skip_plain(struct text_walk *walk, unsigned long goal)
{
	size_t at = walk->at - walk->from, to;

	if (walk->at < walk->filler_end)
		return;
	to = arch_skip_plain(walk->bytes, walk->known, at, goal - walk->from);
	if (to != at)
		walk->flow_ended = false;
	walk->at = walk->from + to;
}

#else

static void skip_plain(struct text_walk *walk, unsigned long goal)
{
}

#endif

#ifndef arch_text_end
#define arch_text_end(at, end)	(end)
#endif

/**
 * text_walk_begin() - begin a walk over instructions
 * @walk: filled in; the caller may set its flow_ended
 * @at: where an instruction begins
 * @end: of the function that it is in, as its symbol says
 *
 * Context: as text_original().
 */
void text_walk_begin(struct text_walk *walk, unsigned long at, unsigned long end)
{
	walk->at = at;
	walk->end = arch_text_end(at, end);
	walk->flow_ended = false;
	walk->filler_end = 0;
	walk->from = at;
	walk->len = 0;
	walk->known = 0;
}

/* Who does not go on behind @goal needs no more of what is there. */
static void look_ahead(struct text_walk *walk, unsigned long goal)
{
	size_t rest = walk->end - walk->at;

	if (walk->from + walk->len - walk->at >= min_t(size_t, rest, TEXT_AHEAD))
		return;
	walk->from = walk->at;
	walk->len = min3(rest, goal - walk->at + TEXT_AHEAD, sizeof(walk->bytes));
	walk->known = text_original(walk->from, walk->bytes, walk->len);
}

/**
 * text_walk_step() - step over the next instruction
 * @walk: the walk, which is not at its end; on success, goes on to what follows
 * @step: on success, filled in
 *
 * Context: as text_original().
 * Return: 0; -EILSEQ if there is no valid instruction; -EBUSY if that is not known, as a
 * foreign breakpoint or jump is there.
 */
int text_walk_step(struct text_walk *walk, struct arch_step *step)
{
	size_t done;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	look_ahead(walk, walk->end);
	done = walk->at - walk->from;
	return step_over(walk, step, walk->bytes + done, walk->known > done ? walk->known - done : 0,
			 walk->len - done);
}

/**
 * text_walk_to() - step over all instructions before an address
 * @walk: the walk
 * @addr: up to the end of the function
 *
 * On success @walk is at the first instruction that does not begin before @addr, on error at the
 * one that can't be stepped over.
 *
 * Context: as text_original().
 * Return: as text_walk_step().
 */
int text_walk_to(struct text_walk *walk, unsigned long addr)
{
	struct arch_step step;
	int err = 0;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	while (walk->at < addr && !err) {
		look_ahead(walk, addr);
		skip_plain(walk, addr);
		if (walk->at < addr)
			err = text_walk_step(walk, &step);
	}
	return err;
}

/**
 * text_walk_ahead() - copy the text that a walk has come to
 * @walk: the walk
 * @to: written, up to the end of the function
 * @size: how many bytes; at most TEXT_AHEAD
 *
 * Context: as text_original().
 * Return: how many bytes from there on are known.
 */
size_t text_walk_ahead(struct text_walk *walk, u8 *to, size_t size)
{
	size_t done;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (walk->at >= walk->end)
		return 0;
	look_ahead(walk, walk->at);
	done = walk->at - walk->from;
	memcpy(to, walk->bytes + done, min(size, walk->len - done));
	return walk->known > done ? min(size, walk->known - done) : 0;
}

#ifdef ARCH_SITE_NOP

/* Makes a call of the function tracer the nop that it stands for, wherever it leads. */
static void hide_tracer(unsigned long start, u8 *to, size_t size)
{
	static const u8 nop[] = ARCH_SITE_NOP;
	unsigned long site = host_ftrace_location(start);

	if (site && site - start + sizeof(nop) <= size)
		memcpy(to + (site - start), nop, sizeof(nop));
}

/**
 * text_function() - read a whole function as it is without traps and jumps
 * @start: its first byte
 * @to: written
 * @size: how many bytes
 *
 * A call of the function tracer is read as the nop that it stands for.  Traps that are left may be
 * padding: text_trap_is_stray().
 *
 * Context: as text_original().
 * Return: false if some of its bytes are not known.
 */
bool text_function(unsigned long start, u8 *to, size_t size)
{
	if (text_original(start, to, size) < size)
		return false;
	hide_tracer(start, to, size);
	return true;
}

/**
 * text_trap_is_stray() - is a trap that execution reaches a breakpoint that nobody here knows
 * @bytes: from the trap on, as text_function() has read it
 * @avail: how many bytes, up to the function's end
 * @addr: of the trap
 *
 * Context: any.
 */
bool text_trap_is_stray(const u8 *bytes, size_t avail, unsigned long addr)
{
	return !is_padding(bytes, avail, false) && !is_own_trap(addr);
}

#endif /* ARCH_SITE_NOP */
