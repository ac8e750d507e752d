// SPDX-License-Identifier: GPL-2.0-only
/*
 * powerpc, 64 bits and little-endian: relocations, call sites of the tracer, feature
 * sections, and verdicts.  A branch replaces one word, so verdicts do not depend
 * on branch targets; but its range is small.
 */
#include <elf.h>

#include "facts.h"

/* ---- relocations ---- */

/* A call from code without a TOC; <elf.h> may lack it. */
#ifndef R_PPC64_REL24_NOTOC
#define R_PPC64_REL24_NOTOC	116
#endif

static void put_bits(const struct place *place, u64 value, u32 mask)
{
	u32 word;

	memcpy(&word, place->at, sizeof(word));
	word = (word & ~mask) | ((u32)value & mask);
	memcpy(place->at, &word, sizeof(word));
}

static bool is_word(unsigned int type)
{
	return type == R_PPC64_ADDR64 || type == R_PPC64_REL64;
}

static void relocate(const struct place *place)
{
	u64 relative = place->value - place->addr;

	switch (place->type) {
	case R_PPC64_ADDR64:
		memcpy(place->at, &place->value, sizeof(place->value));
		break;
	case R_PPC64_REL64:
		memcpy(place->at, &relative, sizeof(relative));
		break;
	case R_PPC64_REL32:
		memcpy(place->at, &relative, sizeof(u32));
		break;
	case R_PPC64_REL24:
	case R_PPC64_REL24_NOTOC:
		put_bits(place, relative, 0x03fffffc);
		break;
	case R_PPC64_REL14:
		put_bits(place, relative, 0xfffc);
		break;
	}
}

/* ---- tables ---- */

static const struct table
	tracer = { "__mcount_loc", "__start_mcount_loc", "__stop_mcount_loc", 8 },
	/* Code that runs soft-masked, and code that an exception restarts elsewhere. */
	masked = { "__soft_mask_table", NULL, NULL, 16 },
	restarted = { "__restart_table", NULL, NULL, 24 },
	/* Code that the kernel removes or replaces, depending on the processor. */
	features[] = {
		{ "__ftr_fixup", NULL, NULL, 48 }, { "__mmu_ftr_fixup", NULL, NULL, 48 },
		{ "__fw_ftr_fixup", NULL, NULL, 48 },
	},
	barriers = { "__lwsync_fixup", NULL, NULL, 8 };

/* bl _mcount, which becomes a nop when the kernel starts. */
static void found_site(struct image *image, u64 entry)
{
	static const u8 nop[INSN_SIZE] = { 0x00, 0x00, 0x00, 0x60 };
	u64 addr = facts_word(image, entry);
	u8 *bytes = image_bytes(image, addr, sizeof(nop));

	if (!bytes || !image_text(image, addr))
		return;
	memcpy(bytes, nop, sizeof(nop));
	facts_mark(image, addr, TEXT_SITE);
	facts_mark_range(image, addr, addr + sizeof(nop), TEXT_TRACER);
}

/* What sets up the TOC pointer, which callers with the same pointer leave out. */
static unsigned int landing_pad(const struct function *f)
{
	const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);
	u32 words[2];

	if (f->size <= sizeof(words))
		return 0;
	memcpy(words, bytes, sizeof(words));
	if (words[0] == 0xe84cfff8)
		return words[1] == 0x7c426214 ? sizeof(words) : 0;
	return (words[0] >> 16 == 0x3c4c || words[0] >> 16 == 0x3c40) &&
	       words[1] >> 16 == 0x3842 ? sizeof(words) : 0;
}

static void found_window(struct image *image, u64 entry)
{
	facts_mark_range(image, facts_word(image, entry), facts_word(image, entry + 8),
			 TEXT_BLACK);
}

/* mask, value, and the distances of start and end from the entry */
static void found_feature(struct image *image, u64 entry)
{
	facts_mark_range(image, entry + facts_word(image, entry + 16),
			 entry + facts_word(image, entry + 24), TEXT_ALT);
}

static void found_barrier(struct image *image, u64 entry)
{
	u64 addr = entry + facts_word(image, entry);

	facts_mark_range(image, addr, addr + INSN_SIZE, TEXT_ALT);
}

static void read_tables(struct image *image, const struct mitigations *mitigations)
{
	unsigned int i;

	(void)mitigations;
	facts_each_entry(image, &tracer, found_site);
	facts_each_entry(image, &masked, found_window);
	facts_each_entry(image, &restarted, found_window);
	for (i = 0; i < NR_LIST(features); i++)
		facts_each_entry(image, &features[i], found_feature);
	facts_each_entry(image, &barriers, found_barrier);
}

/* Vectors, and early code in real mode. */
static void mark_black(struct image *image)
{
	const struct section *s = image_section(image, ".head.text");

	if (s)
		facts_mark_range(image, s->addr, s->addr + s->size, TEXT_BLACK);
	facts_mark_between(image, "__softirqentry_text_start", "__softirqentry_text_end");
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

static bool is_data(const struct function *f)
{
	struct insn insn;

	return insn_decode(&insn, f->section->bytes + (f->addr - f->section->addr),
			   f->size) == INSN_INVALID;
}

static bool is_in_table(const u8 *bytes, u64 at)
{
	size_t first = insn_table_begin(bytes, at);

	return first && insn_jumps_by_table(bytes + first - INSN_SIZE);
}

static const char *refusal(const struct function *f, u64 addr)
{
	const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);

	if (insn_in_reservation(bytes, f->size, addr - f->addr))
		return "between a load-reserve and its conditional store, which would always fail";
	if (is_data(f) || is_in_table(bytes, addr - f->addr))
		return "constant among the instructions, which code reads as data";
	return NULL;
}

/*
 * Detour buffers are in the padding between a kernel's read-only data and its init
 * text, which is mapped executable.  Near a module memory is allocated.
 */
static void find_detours(const struct image *image, struct reach_facts *facts)
{
	u64 start = 0, end = image_lookup(image, "__init_begin");
	unsigned int i;

	if (image->module) {
		facts->detours = machine.modules;
		facts->detours_end = machine.imports;
		return;
	}
	if (!end)
		return;
	for (i = 0; i < image->nr_sections; i++) {
		const struct section *s = &image->sections[i];

		if (s->bytes && s->addr < end && s->addr + s->size > start)
			start = s->addr + s->size;
	}
	facts->detours = start;
	facts->detours_end = end;
}

static void judge_region(struct judgement *j, const struct image *image,
			 const struct function *f, u64 addr, unsigned int rules)
{
	struct facts_at at = { image, TEXT_OWNED };
	struct reach_facts facts = {
		.data = &at, .is_owned = is_owned, .has_fixup = has_fixup,
	};
	static struct reach_facts found;
	static const struct image *asked;
	u64 offset = addr - f->section->addr;

	if (asked != image) {
		asked = image;
		find_detours(image, &found);
	}
	facts.detours = found.detours;
	facts.detours_end = found.detours_end;
	if (rules & 1u << RULE_BOOT)
		at.owners &= ~TEXT_ALT;
	reach_region(&j->region, f->section->bytes + offset, f->addr + f->size - addr, addr,
		     &facts);
	j->verdict = j->region.reason == REACH_OK ? VERDICT_JUMP : VERDICT_TRAP;
}

const struct machine machine = {
	.elf = EM_PPC64,
	.name = "powerpc (64 bits, little-endian)",
	.modules = 0xc008000000000000ull,
	.imports = 0xc008000001000000ull,
	.skip = INSN_SIZE,
	.entry_pad = 16,
	.fixup_size = 8,
	.is_word = is_word,
	.relocate = relocate,
	.read_tables = read_tables,
	.landing_pad = landing_pad,
	.mark_black = mark_black,
	.rule_text = rule_text,
	.refusal = refusal,
	.judge_region = judge_region,
};
