// SPDX-License-Identifier: GPL-2.0-only
/*
 * The symbols of a kernel without an ELF symbol table, read from kallsyms.  The
 * file does not say where its tables are; each table below is found by its
 * properties.
 *
 * A name is a string of tokens.  token_table has 256 tokens, token_index their
 * offsets.  The tokens of the digits are the digits themselves, in sequence.
 * Before token_table are, in this order: the number of symbols, the names, and
 * markers, the offset of each 256th name.  Older kernels align the tables to eight
 * bytes, newer ones to four.
 */
#include <stdlib.h>

#include "image.h"

#define NR_TOKENS	256

/* Names that are looked at before the search is given up: damaged tables have no end. */
#define MAX_STEPS	50000000

struct tables {
	const u8 *start, *end;		/* the section they are in */
	u64 addr;			/* its address */
	unsigned int alignment;
	const char *tokens;
	const char *token[NR_TOKENS];
	const u8 *index;		/* token_index */
	const u8 *count;		/* num_syms */
	u32 nr;
	const u8 *names;
	u32 steps;
	const u8 *offsets;
	u64 base;			/* 0: each offset is from its own place */
};

static u16 get16(const u8 *at)
{
	u16 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static u32 get32(const u8 *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static u64 get64(const u8 *at)
{
	u64 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* The section is aligned to more. */
static const u8 *aligned(const struct tables *t, const u8 *at)
{
	return at + (-(at - t->start) & (t->alignment - 1));
}

/* ---- the tokens ---- */

/* The token before the one at @at: it begins behind the last zero but one before @at. */
static const u8 *token_before(const struct tables *t, const u8 *at)
{
	if (at - t->start < 2)
		return NULL;
	for (at -= 2; at > t->start && *at; at--)
		;
	return at + 1;
}

static bool tokens_match_index(struct tables *t, const u8 *first)
{
	const u8 *at = first;
	unsigned int i;

	for (i = 0; i < NR_TOKENS; i++) {
		t->token[i] = (const char *)at;
		at += strnlen((const char *)at, t->end - at) + 1;
		if (at >= t->end)
			return false;
	}
	t->index = aligned(t, at);
	if (t->end - t->index < 2 * NR_TOKENS)
		return false;
	for (i = 0; i < NR_TOKENS; i++)
		if (get16(t->index + 2 * i) != t->token[i] - (const char *)first)
			return false;
	t->tokens = (const char *)first;
	return true;
}

/* There may be no separator before the first token, but it is aligned. */
static bool find_first(struct tables *t, const u8 *second)
{
	const u8 *first = second - 1;

	while (--first >= t->start && second - first < 128)
		if (aligned(t, first) == first && tokens_match_index(t, first))
			return true;
	return false;
}

static bool find_tokens(struct tables *t)
{
	static const char digits[20] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
	const u8 *at, *second;
	unsigned int i;

	for (at = t->start; at + sizeof(digits) <= t->end; at++) {
		if (memcmp(at, digits, sizeof(digits)))
			continue;
		for (second = at, i = '0'; second && i > 1; i--)
			second = token_before(t, second);
		if (second && find_first(t, second))
			return true;
	}
	return false;
}

/* ---- the names ---- */

/* The length of a name takes one byte, or two from 128 on. */
static const u8 *name_bytes(const u8 *at, unsigned int *len)
{
	*len = *at++;
	if (*len & 0x80)
		*len = (*len & 0x7f) | *at++ << 7;
	return at;
}

/* Do @nr names at @at end before the tokens, and do their markers follow? */
static bool are_names(struct tables *t, const u8 *at, u32 nr)
{
	const u8 *start = at, *end = (const u8 *)t->tokens;
	u32 i, second = 0;
	unsigned int len;

	for (i = 0; i < nr; i++) {
		if (i == 256)
			second = at - start;
		if (end - at < 2 || ++t->steps > MAX_STEPS)
			return false;
		at = name_bytes(at, &len);
		if (!len || len > end - at)
			return false;
		at += len;
	}
	at = aligned(t, at);
	return second && at + 8 <= end && !get32(at) && get32(at + 4) == second;
}

static bool find_names(struct tables *t)
{
	const u8 *at = aligned(t, (const u8 *)t->tokens);

	while (at - t->start >= t->alignment && t->steps <= MAX_STEPS) {
		u64 nr;

		at -= t->alignment;
		nr = t->alignment == 8 ? get64(at) : get32(at);

		if (nr < 1000 || nr > 4000000 || !are_names(t, at + t->alignment, nr))
			continue;
		t->count = at;
		t->nr = nr;
		t->names = at + t->alignment;
		return true;
	}
	return false;
}

/* ---- the addresses ---- */

/* Offsets below 0 are relative to the base, others are addresses of per-CPU data. */
static u64 address(const struct tables *t, u32 i)
{
	const u8 *at = t->offsets + 4 * (u64)i;
	s32 offset = get32(at);

	if (!t->base)
		return t->addr + (at - t->start) + (s64)offset;
	return offset < 0 ? t->base - 1 - (s64)offset : (u64)offset;
}

static bool in_kernel(u64 addr)
{
	return addr >> 32 == 0xffffffff;
}

/*
 * An offset for each symbol, and the base address of the offsets.  They are before
 * the number of symbols; from 6.4 on they are behind the tokens.  Without a base each
 * offset is from where it is stored.
 */
static bool find_offsets(struct tables *t)
{
	u64 size = ((u64)t->nr * 4 + 7) & ~7ull;

	if (t->count - t->start >= (s64)size + 8) {
		t->base = get64(t->count - 8);
		t->offsets = t->count - 8 - size;
		if (in_kernel(t->base))
			return true;
	}
	t->offsets = aligned(t, t->index + 2 * NR_TOKENS);
	if (t->offsets > t->end || (u64)(t->end - t->offsets) < size + 8)
		return false;
	t->base = get64(t->offsets + size);
	if (in_kernel(t->base))
		return true;
	t->base = 0;
	return in_kernel(address(t, 0)) && in_kernel(address(t, t->nr - 1));
}

static void add_names(struct image *image, const struct tables *t)
{
	const u8 *at = t->names;
	char name[1024];
	unsigned int len;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		size_t used = 0;

		for (at = name_bytes(at, &len); len; len--, at++) {
			size_t more = strlen(t->token[*at]);

			if (used + more >= sizeof(name))
				die("a symbol's name has no end");
			memcpy(name + used, t->token[*at], more);
			used += more;
		}
		name[used] = '\0';
		/* The first letter is the type. */
		if (used)
			image_add_symbol(image, address(t, i), name + 1);
	}
}

static bool find_tables(struct tables *t, const struct section *s, unsigned int alignment)
{
	*t = (struct tables){
		.start = s->bytes,
		.end = s->bytes + s->size,
		.addr = s->addr,
		.alignment = alignment,
	};
	return find_tokens(t) && find_names(t) && find_offsets(t);
}

bool kallsyms_read(struct image *image)
{
	const struct section *s = image_section(image, ".rodata");
	struct tables t;

	if (!s || !s->bytes || (!find_tables(&t, s, 8) && !find_tables(&t, s, 4)))
		return false;
	add_names(image, &t);
	return true;
}
