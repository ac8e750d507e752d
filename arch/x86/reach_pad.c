// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padding that never runs, where a jump of two bytes finds a relay: reach_pads() of reach.h.
 * Pure code, see ../pure.h.
 *
 * Compilers and linkers leave int3 and nops behind a jump or a return, up to where something is
 * aligned: a loop, or the next function.  That nothing leads there is known by the same proof as
 * for the padding that a jump overwrites: all targets in the function are known, and none of them
 * is in the padding, from its beginning to the end of what is used of it.
 *
 * Who else has to do with padding:
 *
 * - A jump that is patched into a nop, as a jump label is: then what is behind it runs.  Such a
 *   jump ends nothing here (is_owned).  Nor is what the kernel patches used, be it that it is no
 *   more than int3 at present: of a static call that returns, four of its five bytes are.
 * - What the kernel has patched as it started, or as the module was loaded (returns, retpolines,
 *   alternatives), it patches no more: the padding that this has left is as good as any.
 * - The first int3 behind a return or an indirect jump may be there for processors that go on
 *   behind it speculatively: it stays.  They do so behind a direct jump as well, but no kernel
 *   puts anything there.
 * - In front of a function there may be what belongs to it: nops that the kernel writes a count of
 *   calls or a check of types to, even while it runs, or the hash of its type.  Where a symbol
 *   (__pfx_, __cfi_) does not tell, the caller gives the size up to there only.
 */
#include "reach.h"

#if REACH_PAD_MAX < INSN_MAX_LENGTH
#error "a nop may be longer than a pad"
#endif

/* The state of a search. */
struct search {
	const struct reach_facts *facts;
	const u8 *bytes;
	size_t size;
	u64 addr;
	u64 from;
	u64 to;
	bool (*each)(void *data, const struct reach_pad *pad);
	void *data;
	bool ended;
};

static bool is_target(const struct search *s, size_t at)
{
	return s->facts->is_target(s->facts->data, s->addr + at);
}

static bool is_owned(const struct search *s, size_t from, size_t to)
{
	return s->facts->is_owned(s->facts->data, s->addr + from, s->addr + to);
}

/* Decodes what is there; an endbr is a nop, too, but there for those who come. */
static bool decode(const struct search *s, size_t at, struct insn *insn)
{
	return insn_decode(insn, s->bytes + at, s->size - at) == INSN_OK;
}

static bool may_be_endbr(const struct search *s, size_t at)
{
	return s->bytes[at] == 0xf3;
}

/*
 * The length of a piece of padding; 0 if this is none.  Zeros are left alone: to who decodes them
 * they are instructions.
 */
static unsigned int piece_length(const struct search *s, size_t at)
{
	struct insn insn;

	if (s->bytes[at] == 0xcc)
		return 1;
	if (!decode(s, at, &insn) || may_be_endbr(s, at) || insn.class != INSN_NOP)
		return 0;
	return insn.length;
}

static void hand_over(struct search *s, const struct reach_pad *pad)
{
	size_t at = pad->addr - s->addr;

	if (pad->length < REACH_RELAY_SIZE || pad->addr + pad->length <= s->from ||
	    pad->addr >= s->to || s->ended || is_owned(s, at, at + pad->length))
		return;
	s->ended = !s->each(s->data, pad);
}

/* Makes pads of whole pieces. */
static void divide(struct search *s, size_t at, size_t end)
{
	struct reach_pad pad = { .addr = s->addr + at };
	unsigned int length;

	for (; at < end; at += length) {
		length = piece_length(s, at);
		if (pad.length + length > REACH_PAD_MAX) {
			hand_over(s, &pad);
			pad = (struct reach_pad){ .addr = s->addr + at };
		}
		memcpy(pad.bytes + pad.length, s->bytes + at, length);
		pad.length += length;
	}
	hand_over(s, &pad);
}

static bool has_target(const struct search *s, size_t at, size_t end)
{
	for (; at < end; at++)
		if (is_target(s, at))
			return true;
	return false;
}

/* Returns where a run of padding ends: before a target, or what is no padding. */
static size_t end_of_run(const struct search *s, size_t at)
{
	unsigned int length;

	while (at < s->size && !is_target(s, at)) {
		length = piece_length(s, at);
		if (!length)
			break;
		at += length;
	}
	return at;
}

/*
 * Code behind padding is reached somehow.  If no target is known there, the scan has missed it, and
 * may have missed one in the padding; so if one is within an instruction.
 */
static bool is_dead(const struct search *s, size_t at, size_t end)
{
	return (end == s->size || is_target(s, end)) && !has_target(s, at, end);
}

static bool may_be_speculated(const struct insn *insn)
{
	return insn->class == INSN_RET || insn->class == INSN_JMP_IND;
}

/* Takes the padding behind what ends the flow.  Returns where it ends. */
static size_t take_run(struct search *s, const struct insn *insn, size_t at)
{
	size_t end = end_of_run(s, at), begin = at - insn->length;
	bool in_reach = s->addr + end > s->from && s->addr + at < s->to;

	if (!in_reach || end - at < REACH_RELAY_SIZE || !is_dead(s, at, end) ||
	    is_owned(s, begin, at))
		return end;
	divide(s, at + (may_be_speculated(insn) && s->bytes[at] == 0xcc), end);
	return end;
}

static bool ends_flow(const struct insn *insn)
{
	return insn->class == INSN_JMP || insn->class == INSN_JMP_IND || insn->class == INSN_RET;
}

/* What it hides may be of any length: what seems to follow need be no instruction. */
static bool is_stray(const struct search *s, size_t at)
{
	return s->bytes[at] == 0xcc && s->facts->is_stray &&
	       s->facts->is_stray(s->facts->data, s->bytes + at, s->size - at, s->addr + at);
}

void reach_pads(const struct reach_facts *facts, const u8 *bytes, size_t size, u64 addr, u64 from,
		u64 to, bool (*each)(void *data, const struct reach_pad *pad), void *data)
{
	struct search s = { facts, bytes, size, addr, from, to, each, data, false };
	size_t at = 0, end = to <= addr ? 0 : to - addr < size ? to - addr : size;
	unsigned int check;
	struct insn insn;

	while (at < end && !s.ended) {
		/* Most end no flow, and are no traps. */
		at = insn_skip_flowing(bytes, size, at, end);
		if (at >= end || is_stray(&s, at) || !decode(&s, at, &insn))
			break;
		check = insn_check_off(bytes + at, size - at);
		at += check ?: insn.length;
		if (!check && ends_flow(&insn))
			at = take_run(&s, &insn, at);
	}
}

bool reach_may_be_pad(const u8 *bytes, size_t avail)
{
	struct insn insn;

	return bytes[0] == 0xcc || insn_decode(&insn, bytes, avail) != INSN_OK ||
	       insn.class == INSN_NOP;
}

static unsigned int first_used(unsigned int used, unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		if (used >> from / REACH_RELAY_SIZE & 1)
			break;
	return from;
}

void reach_pad_fill(const struct reach_pad *pad, unsigned int used, u8 *to)
{
	unsigned int at, length;
	struct insn insn;

	memcpy(to, pad->bytes, pad->length);
	/* Bytes behind the last cell are in none. */
	used &= (1u << reach_pad_cells(pad)) - 1;
	for (at = 0; at < pad->length; at += length) {
		length = 1;
		if (pad->bytes[at] == 0xcc)
			continue;
		if (insn_decode(&insn, pad->bytes + at, pad->length - at) == INSN_OK)
			length = insn.length;
		if (first_used(used, at, at + length) < at + length)
			memset(to + at, 0x90, length);
	}
}
