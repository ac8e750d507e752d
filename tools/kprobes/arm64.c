// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: relocations, call sites of the tracer, and verdicts.  A branch replaces
 * one instruction, so verdicts do not depend on branch targets.
 */
#include <elf.h>

#include "facts.h"

#define TWO_NOPS	0xd503201fd503201full
#define BTI_C		0xd503245f

/* Bytes of the word before a function that the tracer reads. */
#define TRACER_WORD	8

/* ---- relocations ---- */

static void put_bits(const struct place *place, u64 value, unsigned int shift, u32 mask)
{
	u32 word;

	memcpy(&word, place->at, sizeof(word));
	word = (word & ~mask) | ((u32)(value << shift) & mask);
	memcpy(place->at, &word, sizeof(word));
}

static bool is_word(unsigned int type)
{
	return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64;
}

static void relocate(const struct place *place)
{
	u64 relative = place->value - place->addr;
	u64 pages = (place->value & ~0xfffull) - (place->addr & ~0xfffull);

	switch (place->type) {
	case R_AARCH64_ABS64:
		memcpy(place->at, &place->value, sizeof(place->value));
		break;
	case R_AARCH64_PREL64:
		memcpy(place->at, &relative, sizeof(relative));
		break;
	case R_AARCH64_PREL32:
		memcpy(place->at, &relative, sizeof(u32));
		break;
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26:
		put_bits(place, relative >> 2, 0, 0x03ffffff);
		break;
	case R_AARCH64_CONDBR19:
		put_bits(place, relative >> 2, 5, 0x00ffffe0);
		break;
	case R_AARCH64_TSTBR14:
		put_bits(place, relative >> 2, 5, 0x0007ffe0);
		break;
	case R_AARCH64_ADR_PREL_PG_HI21:
		put_bits(place, pages >> 14, 5, 0x00ffffe0);
		put_bits(place, pages >> 12, 29, 0x60000000);
		break;
	}
}

/* ---- tables ---- */

static const struct table
	tracer = { "__mcount_loc", "__start_mcount_loc", "__stop_mcount_loc", 8 },
	/* The same table in a module. */
	patchable = { "__patchable_function_entries", NULL, NULL, 8 };

/*
 * From Linux 6.2 on there may be a word before a function, where the tracer finds whom the site calls.
 * Then the address in the table is that of this word, which is two nops in the file.
 */
static bool is_before_function(const struct image *image, u64 addr)
{
	const struct function *f = image_function(image, addr + TRACER_WORD);

	return f && f->addr == addr + TRACER_WORD && addr % TRACER_WORD == 0 &&
	       facts_word(image, addr) == TWO_NOPS;
}

/*
 * Two nops: the second becomes a call, the first prepares it, and is written once, when the kernel
 * starts or the module is loaded. A landing pad may precede them, but the address in the table is
 * that of the first nop, if it is not that of a word before the function.
 */
static void found_site(struct image *image, u64 entry)
{
	u64 addr = facts_word(image, entry);

	if (is_before_function(image, addr)) {
		addr += TRACER_WORD;
		if ((u32)facts_word(image, addr) == BTI_C)
			addr += INSN_SIZE;
	}
	facts_mark(image, addr + INSN_SIZE, TEXT_SITE);
	facts_mark_range(image, addr + INSN_SIZE, addr + 2 * INSN_SIZE, TEXT_TRACER);
}

static void read_tables(struct image *image, const struct mitigations *mitigations)
{
	(void)mitigations;
	facts_each_entry(image, &tracer, found_site);
	facts_each_entry(image, &patchable, found_site);
}

static void mark_black(struct image *image)
{
	static const char * const parts[][2] = {
		{ "__idmap_text_start", "__idmap_text_end" },
		{ "__hyp_idmap_text_start", "__hyp_idmap_text_end" },
		{ "__hyp_text_start", "__hyp_text_end" },
		{ "__hibernate_exit_text_start", "__hibernate_exit_text_end" },
		{ "__relocate_new_kernel_start", "__relocate_new_kernel_end" },
		{ "__entry_tramp_text_start", "__entry_tramp_text_end" },
		{ "__softirqentry_text_start", "__softirqentry_text_end" },
		{ "__inittext_begin", "__inittext_end" },
	};
	unsigned int i;

	for (i = 0; i < NR_LIST(parts); i++)
		facts_mark_between(image, parts[i][0], parts[i][1]);
}

/* ---- verdicts ---- */

struct facts_at {
	const struct image *image;
	u16 owners;
};

static const char *rule_text(enum rule rule)
{
	return rule == RULE_BOOT ? "what was patched at boot is patched no more" : NULL;
}

static bool is_owned(void *data, u64 start, u64 end)
{
	const struct facts_at *at = data;

	return facts_marked(at->image, start, end, at->owners);
}

static bool has_fixup(void *data, u64 addr)
{
	const struct facts_at *at = data;

	return facts_marked(at->image, addr, addr + 1, TEXT_FIXUP);
}

static u32 word_of(void *data, u64 addr)
{
	const struct section *s = data;
	u32 word;

	memcpy(&word, s->bytes + (addr - s->addr), sizeof(word));
	return word;
}

static bool is_data(const struct function *f, u64 addr)
{
	const struct insn_text text = {
		.word = word_of, .data = f->section,
		.start = f->section->addr, .end = f->section->addr + f->section->size,
		.function = f->addr, .function_end = f->addr + f->size,
	};

	return insn_is_data(&text, addr);
}

static const char *refusal(const struct function *f, u64 addr)
{
	const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);

	if (insn_in_exclusive(bytes, f->size, addr - f->addr))
		return "between an exclusive load and its store, which would always fail";
	if (insn_in_switch(bytes, f->size, addr - f->addr))
		return "between writes of TTBR1_EL1 and TTBR0_EL1, which belong together";
	if (insn_after_prefix(bytes, f->size, addr - f->addr))
		return "the instruction before it is a prefix of this one";
	if (is_data(f, addr))
		return "constant among the instructions, which code reads as data";
	return NULL;
}

static bool waits(void *data, u64 addr)
{
	const struct facts_at *at = data;
	const struct function *f = image_function(at->image, addr);

	return insn_before_wait(f->section->bytes + (f->addr - f->section->addr), f->size,
				addr - f->addr);
}

/* The kernel's banner names the compiler. */
static bool built_by_gcc(const struct image *image)
{
	static const char begin[] = "Linux version ";
	unsigned int i;
	u64 at;

	for (i = 0; i < image->nr_sections; i++) {
		const struct section *s = &image->sections[i];

		for (at = 0; s->bytes && !s->exec && at + 256 <= s->size; at++) {
			const u8 *text = s->bytes + at;

			if (*text != *begin || memcmp(text, begin, sizeof(begin) - 1))
				continue;
			for (; text < s->bytes + at + 250; text++)
				if (!memcmp(text, "gcc", 3))
					return true;
		}
	}
	return false;
}

/*
 * In guarded text, a function whose address is taken begins with a landing pad.
 * Text without any landing pad is not guarded.  Nor is that of kernels which gcc has built
 * (CONFIG_ARM64_BTI_KERNEL depends on !CC_IS_GCC), whose assembly has landing pads.
 */
static bool is_guarded(const struct image *image)
{
	static const struct image *asked;
	static bool guarded;
	struct insn insn;
	unsigned int i;

	if (asked == image)
		return guarded;
	asked = image;
	if (!image->module && built_by_gcc(image))
		return guarded;
	for (i = 0; i < image->nr_functions && !guarded; i++) {
		const struct function *f = &image->functions[i];
		const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);

		guarded = insn_decode(&insn, bytes, f->size) == INSN_OK &&
			  insn.class == INSN_NOP && insn.flags & INSN_LANDING;
	}
	return guarded;
}

static void judge_region(struct judgement *j, const struct image *image,
			 const struct function *f, u64 addr, unsigned int rules)
{
	struct facts_at at = { image, TEXT_OWNED };
	const struct reach_facts facts = { &at, is_owned, has_fixup, is_guarded(image), waits };
	u64 offset = addr - f->section->addr;

	if (rules & 1u << RULE_BOOT)
		at.owners &= ~TEXT_ALT;
	reach_region(&j->region, f->section->bytes + offset, f->addr + f->size - addr, addr,
		     &facts);
	j->verdict = j->region.reason == REACH_OK ? VERDICT_JUMP : VERDICT_TRAP;
}

const struct machine machine = {
	.elf = EM_AARCH64,
	.name = "arm64",
	.modules = 0xffff800000000000ull,
	.imports = 0xffff800004000000ull,
	.dynamic = true,
	.relative = R_AARCH64_RELATIVE,
	.skip = INSN_SIZE,
	.fixup_size = 12,
	.is_word = is_word,
	.relocate = relocate,
	.read_tables = read_tables,
	.mark_black = mark_black,
	.rule_text = rule_text,
	.refusal = refusal,
	.judge_region = judge_region,
};
