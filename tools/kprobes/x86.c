// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: its tables, its thunks and branch targets; and the verdict on a probe
 * without one of the rules of reach.c.
 */
#include <elf.h>
#include <stdlib.h>

#include "facts.h"

/* ---- relocations ---- */

static bool is_word(unsigned int type)
{
	return type == R_X86_64_64;
}

static void relocate(const struct place *place)
{
	u64 value = place->value;
	u32 value32;

	switch (place->type) {
	case R_X86_64_64:
		memcpy(place->at, &value, sizeof(value));
		return;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= place->addr;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		break;
	default:
		return;		/* does not hold an address of text */
	}
	value32 = value;
	memcpy(place->at, &value32, sizeof(value32));
}

/* ---- tables ---- */

static const struct table
	calls = { ".static_call_sites", "__start_static_call_sites", "__stop_static_call_sites",
		  8 },
	tracer = { "__mcount_loc", "__start_mcount_loc", "__stop_mcount_loc", 8 },
	returns = { ".return_sites", NULL, NULL, 4 },
	pv = { ".parainstructions", NULL, NULL, 16 },
	retpolines = { ".retpoline_sites", NULL, NULL, 4 };

static void found_call(struct image *image, u64 entry)
{
	u64 addr = facts_relative(image, entry);

	facts_mark_range(image, addr, addr + 5, TEXT_CALL);
}

static void found_site(struct image *image, u64 entry)
{
	static const u8 nop[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u64 addr = facts_word(image, entry);
	u8 *bytes = image_bytes(image, addr, 5);

	if (!bytes || !image_text(image, addr))
		return;
	memcpy(bytes, nop, sizeof(nop));
	facts_mark(image, addr, TEXT_SITE);
	facts_mark_range(image, addr, addr + 5, TEXT_TRACER);
}

/* jmp return_thunk becomes ret, as on CPUs that need no mitigation. */
static void found_return(struct image *image, u64 entry)
{
	u8 *bytes = image_bytes(image, facts_relative(image, entry), 5);

	if (!bytes || bytes[0] != 0xe9)
		return;
	bytes[0] = 0xc3;
	memset(bytes + 1, 0xcc, 4);
}

static const struct symbol *symbol_at(const struct image *image, u64 addr, const char *prefix)
{
	unsigned int i;

	for (i = 0; i < image->nr_symbols; i++)
		if (image->symbols[i].addr == addr && begins_with(image->symbols[i].name, prefix))
			return &image->symbols[i];
	return NULL;
}

/* The register that a thunk is for; -1 if it is none. */
static int thunk_register(const struct image *image, u64 addr)
{
	static const char * const names[16] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	const char *prefix = "__x86_indirect_thunk_";
	const struct symbol *sym = symbol_at(image, addr, prefix);
	int i;

	for (i = 0; sym && i < 16; i++)
		if (!strcmp(sym->name + strlen(prefix), names[i]))
			return i;
	return -1;
}

/* call thunk or jmp thunk becomes call or jmp through the register, and nops. */
static void found_retpoline(struct image *image, u64 entry)
{
	static const u8 nop3[] = { 0x0f, 0x1f, 0x00 }, nop2[] = { 0x66, 0x90 };
	u64 addr = facts_relative(image, entry);
	u8 *at = image_bytes(image, addr, 5);
	u8 bytes[5] = { 0xff };
	struct insn insn;
	int reg;

	if (!at || insn_decode(&insn, at, 5) != INSN_OK || insn.length != 5 ||
	    (insn.class != INSN_CALL && insn.class != INSN_JMP))
		return;
	reg = thunk_register(image, insn_branch_target(&insn, addr));
	if (reg < 0)
		return;
	bytes[1] = (insn.class == INSN_CALL ? 0xd0 : 0xe0) | (reg & 7);
	if (reg >= 8) {
		memmove(bytes + 1, bytes, 2);
		bytes[0] = 0x41;
		memcpy(bytes + 3, nop2, sizeof(nop2));
	} else {
		memcpy(bytes + 2, nop3, sizeof(nop3));
	}
	memcpy(at, bytes, sizeof(bytes));
}

static const u8 endbr[4] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* Or one of the nops by which the kernel replaces an endbr64 that is not needed. */
static unsigned int landing_pad(const struct function *f)
{
	static const u8 nops[][4] = { { 0x66, 0x0f, 0x1f, 0x00 }, { 0x0f, 0x1f, 0x40, 0xd6 } };
	const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);

	if (f->size <= sizeof(endbr))
		return 0;
	return !memcmp(bytes, endbr, 4) || !memcmp(bytes, nops[0], 4) ||
	       !memcmp(bytes, nops[1], 4) ? sizeof(endbr) : 0;
}

/*
 * In a running kernel, which has freed that table, a nop of five bytes at a function's entry is a
 * site: behind the landing pad, if that is there.  Compilers put no other nop there.
 */
static void find_sites(struct image *image)
{
	static const u8 nop[5] = { 0x0f, 0x1f, 0x44, 0, 0 };
	unsigned int i;

	for (i = 0; i < image->nr_functions; i++) {
		const struct function *f = &image->functions[i];
		const u8 *bytes = image_bytes(image, f->addr, sizeof(endbr) + sizeof(nop));
		u64 skip = landing_pad(f);

		if (!bytes || memcmp(bytes + skip, nop, sizeof(nop)))
			continue;
		facts_mark(image, f->addr + skip, TEXT_SITE);
		facts_mark_range(image, f->addr + skip, f->addr + skip + sizeof(nop), TEXT_TRACER);
	}
}

static void find_thunks(const struct image *image);
static void read_all_data(struct image *image);

static void read_tables(struct image *image, const struct mitigations *mitigations)
{
	find_thunks(image);
	facts_each_entry(image, &calls, found_call);
	facts_each_entry(image, &tracer, found_site);
	if (!mitigations->return_thunks)
		facts_each_entry(image, &returns, found_return);
	if (!mitigations->retpolines)
		facts_each_entry(image, &retpolines, found_retpoline);
	read_all_data(image);
}

/* ---- addresses in data ---- */

/* Tables with addresses of text that execution never branches to. */
static const struct table * const lists_of_sites[] = { &tracer, &pv };

struct span {
	u64 start, end;
};

static bool is_list_of_sites(const struct span *spans, u64 addr)
{
	unsigned int i;

	for (i = 0; i < NR_LIST(lists_of_sites); i++)
		if (addr - spans[i].start < spans[i].end - spans[i].start)
			return true;
	return false;
}

static void read_data(struct image *image, const struct section *s, const struct span *spans)
{
	u64 at, value;

	for (at = 0; at + 8 <= s->size; at += 8) {
		memcpy(&value, s->bytes + at, 8);
		/* Few values pass the first check; the second one is slow. */
		if (value >> 31 == 0x1ffffffff && !is_list_of_sites(spans, s->addr + at))
			facts_mark(image, value, TEXT_TARGET);
	}
}

static void read_all_data(struct image *image)
{
	struct span spans[NR_LIST(lists_of_sites)];
	unsigned int i;

	for (i = 0; i < NR_LIST(lists_of_sites); i++)
		facts_find_table(image, lists_of_sites[i], &spans[i].start, &spans[i].end);
	for (i = 0; i < image->nr_sections; i++)
		if (image->sections[i].bytes && !image->sections[i].exec)
			read_data(image, &image->sections[i], spans);
}

/* ---- code ---- */

/*
 * Bytes in front of each function that the kernel keeps for itself, if it has such symbols:
 * CONFIG_FUNCTION_PADDING_BYTES.
 */
#define FUNCTION_PADDING	16

static bool pads_functions;

/* Searched linearly: only jumps out of a function are looked up. */
static u64 indirect_thunks[128], return_thunks[16];
static unsigned int nr_indirect_thunks, nr_return_thunks;

static bool is_one_of(const u64 *list, unsigned int nr, u64 addr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (list[i] == addr)
			return true;
	return false;
}

static bool names_indirect_thunk(u64 addr)
{
	return is_one_of(indirect_thunks, nr_indirect_thunks, addr);
}

static bool is_return_thunk(const char *name)
{
	static const char * const names[] = {
		"__x86_return_thunk", "retbleed_return_thunk", "srso_return_thunk",
		"srso_alias_return_thunk", "its_return_thunk", "call_depth_return_thunk",
	};
	unsigned int i;

	for (i = 0; i < NR_LIST(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void find_thunks(const struct image *image)
{
	unsigned int i;

	for (i = 0; i < image->nr_symbols; i++) {
		const struct symbol *sym = &image->symbols[i];

		if (begins_with(sym->name, "__x86_indirect_") &&
		    nr_indirect_thunks < NR_LIST(indirect_thunks))
			indirect_thunks[nr_indirect_thunks++] = sym->addr;
		pads_functions |= begins_with(sym->name, "__pfx_");
		if (is_return_thunk(sym->name) && nr_return_thunks < NR_LIST(return_thunks))
			return_thunks[nr_return_thunks++] = sym->addr;
	}
}

/* The running kernel keeps indirect branches and returns to where this processor predicts them. */
static bool mitigates_its;

/*
 * A running kernel may have made thunks outside of its text, which have no names: where processors
 * mispredict indirect branches in one half of each cache line (ITS).  As in the module, what is a
 * jump to where a register points is one.
 */
static bool is_outside_thunk(u64 addr)
{
	struct insn insn;
	u8 bytes[3];

	if (!kcore_peek(addr, bytes, sizeof(bytes)) ||
	    insn_decode(&insn, bytes, sizeof(bytes)) != INSN_OK ||
	    insn.class != INSN_JMP_IND || insn.flags & INSN_HAS_MEM)
		return false;
	mitigates_its = true;
	return true;
}

static bool leads_to_thunk(const struct section *text, u64 addr)
{
	return names_indirect_thunk(addr) ||
	       (addr - text->addr >= text->size && is_outside_thunk(addr));
}

/* The state of a scan of functions. */
struct survey {
	struct image *image;
	const struct section *text;
};

static void note_target(void *data, u64 addr)
{
	facts_mark(((struct survey *)data)->image, addr, TEXT_TARGET);
}

static bool is_indirect_thunk(void *data, u64 addr)
{
	return leads_to_thunk(((struct survey *)data)->text, addr);
}

static void note_base(void *data, u64 addr)
{
	facts_mark(((struct survey *)data)->image, addr, TEXT_BASE);
}

static void note_jump(struct function *f, const struct insn *insn, u64 ip)
{
	u64 target = insn_branch_target(insn, ip);

	if (insn->class == INSN_JMP_IND)
		f->indirect = true;
	if (insn->class != INSN_JMP && insn->class != INSN_JCC)
		return;
	if (leads_to_thunk(f->section, target))
		f->indirect = true;
	if (is_one_of(return_thunks, nr_return_thunks, target))
		f->returns_by_jump = true;
}

static void prove_functions(struct image *image)
{
	struct survey survey = { .image = image };
	const struct reach_scan scan = {
		.data = &survey,
		.target = note_target,
		.taken = note_target,
		.is_indirect_thunk = is_indirect_thunk,
		.base = note_base,
	};
	unsigned int i;

	for (i = 0; i < image->nr_functions; i++) {
		struct function *f = &image->functions[i];

		survey.text = f->section;
		f->proven = reach_scan(&scan, f->section->bytes + (f->addr - f->section->addr),
				       f->size, f->addr);
	}
}

/* Another function takes an address inside this one, for a jump relative to it. */
static bool has_base(const struct function *f)
{
	const u16 *text = f->section->text + (f->addr - f->section->addr);
	u64 at;

	for (at = 1; at < f->size; at++)
		if (text[at] & TEXT_BASE)
			return true;
	return false;
}

static void distrust_bases(struct image *image)
{
	unsigned int i;

	for (i = 0; i < image->nr_functions; i++)
		if (has_base(&image->functions[i]))
			image->functions[i].proven = false;
}

static void scan_functions(struct image *image)
{
	prove_functions(image);
	distrust_bases(image);
}

static bool no_thunk(void *data, u64 addr)
{
	(void)data;
	(void)addr;
	return false;
}

static void scan(const struct image *image, const struct function *f, void *data,
		 void (*target)(void *data, u64 addr))
{
	const struct reach_scan told = {
		.data = data,
		.target = target,
		.taken = target,
		.is_indirect_thunk = no_thunk,
	};

	reach_scan(&told, image_bytes(image, f->addr, f->size), f->size, f->addr);
}

static bool failed_for_target(const struct reach_region *region)
{
	return region->reason == REACH_TARGET;
}

static void mark_black(struct image *image)
{
	facts_mark_between(image, "__indirect_thunk_start", "__indirect_thunk_end");
	facts_mark_between(image, "__static_call_text_start", "__static_call_text_end");
}

/* ---- verdicts ---- */

struct facts_at {
	const struct image *image;
	const struct function *function;
	bool known;	/* all targets in the function */
	u16 owners;
};

static const char *rule_text(enum rule rule)
{
	static const char * const texts[NR_RULES] = {
		[RULE_BRANCHES] = "branches are copied",
		[RULE_CALLS] = "calls are copied",
		[RULE_RETURNS] = "a return thunk is no indirect jump",
		[RULE_PROOF] = "an indirect jump leads to a whole address",
		[RULE_PADDING] = "padding may be overwritten",
		[RULE_RELAYS] = "a short jump leads to a long one in padding",
		[RULE_BOOT] = "what was patched at boot is patched no more",
	};

	return texts[rule];
}

static bool is_target(void *data, u64 addr)
{
	const struct facts_at *at = data;
	u16 *text = image_text(at->image, addr);

	if (!at->known && addr - at->function->addr < at->function->size)
		return true;
	return text && *text & TEXT_TARGET;
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

static bool is_known(const struct function *f, unsigned int rules)
{
	if (!f->proven)
		return false;
	if (f->indirect && !(rules & 1u << RULE_PROOF))
		return false;
	return !f->returns_by_jump || rules & 1u << RULE_RETURNS;
}

static bool has_class(const struct reach_region *region, u32 classes)
{
	unsigned int i;

	for (i = 0; i < region->nr; i++)
		if (classes >> region->insns[i].class & 1)
			return true;
	return false;
}

/* Does the region need one of the rules that are left out? */
static enum reach_reason without(const struct reach_region *region, unsigned int rules,
				 unsigned int size)
{
	u32 branches = 1u << INSN_JMP | 1u << INSN_JCC | 1u << INSN_LOOP;
	u32 calls = 1u << INSN_CALL | 1u << INSN_CALL_IND;

	if (!(rules & 1u << RULE_BRANCHES) && has_class(region, branches))
		return REACH_NO_COPY;
	if (!(rules & 1u << RULE_CALLS) && has_class(region, calls))
		return REACH_CALL;
	if (!(rules & 1u << RULE_PADDING) && region->length < size)
		return REACH_END;
	return REACH_OK;
}

/* ---- relays ---- */

struct pad_search {
	u64 from;	/* the short jump */
	bool found;
};

static bool has_cell(void *data, const struct reach_pad *pad)
{
	struct pad_search *search = data;
	unsigned int i;

	for (i = 0; i < reach_pad_cells(pad) && !search->found; i++)
		search->found = reach_short_reaches(search->from, reach_pad_cell(pad, i));
	return !search->found;
}

/*
 * The size of a function without what belongs to the next one, in front of it, if no symbol tells:
 * as in arch/x86/relay.c.
 */
static u64 size_for_pads(const struct image *image, const struct function *f)
{
	static const char * const front[] = { "__pfx_", "__cfi_" };
	const struct function *next = image_function(image, f->addr + f->size);
	unsigned int i;

	for (i = 0; i < NR_LIST(front); i++) {
		if (begins_with(f->name, front[i]))
			return 0;
		if (next && begins_with(next->name, front[i]))
			return f->size;
	}
	if (!pads_functions)
		return f->size;
	return f->size > FUNCTION_PADDING ? f->size - FUNCTION_PADDING : 0;
}

static void search_function(struct pad_search *search, const struct image *image,
			    const struct function *f, unsigned int rules)
{
	struct facts_at at = { image, f, is_known(f, rules), TEXT_OWNED | TEXT_BLACK };
	const struct reach_facts facts = { &at, is_target, is_owned, has_fixup, NULL };

	if (rules & 1u << RULE_BOOT)
		at.owners &= ~TEXT_ALT;
	reach_pads(&facts, f->section->bytes + (f->addr - f->section->addr),
		   size_for_pads(image, f), f->addr, reach_pads_from(search->from),
		   reach_pads_to(search->from), has_cell, search);
}

static bool has_pad(const struct image *image, u64 addr, unsigned int rules)
{
	struct pad_search search = { .from = addr };
	const struct section *text = image_section_at(image, addr);
	const struct function *f;
	u64 at = reach_pads_from(addr);

	if (at < text->addr)
		at = text->addr;
	while (at < reach_pads_to(addr) && !search.found) {
		f = image_function(image, at);
		if (!f || f->section != text)
			return false;
		search_function(&search, image, f, rules);
		at = f->addr + f->size;
	}
	return search.found;
}

/* Is there a short jump instead? */
static bool is_relayed(struct reach_region *region, const struct image *image,
		       const struct function *f, u64 addr, const struct reach_facts *facts,
		       unsigned int rules)
{
	const u8 *bytes = f->section->bytes + (addr - f->section->addr);

	return rules & 1u << RULE_RELAYS &&
	       reach_short_region(region, bytes, f->addr + f->size - addr, addr, facts) ==
	       REACH_OK && !without(region, rules, REACH_SHORT_SIZE) &&
	       has_pad(image, addr, rules);
}

static void judge_region(struct judgement *j, const struct image *image,
			 const struct function *f, u64 addr, unsigned int rules)
{
	struct facts_at at = { image, f, is_known(f, rules), TEXT_OWNED };
	const struct reach_facts facts = { &at, is_target, is_owned, has_fixup, NULL };
	u64 offset = addr - f->section->addr;
	struct reach_region short_region;

	if (rules & 1u << RULE_BOOT)
		at.owners &= ~TEXT_ALT;
	reach_region(&j->region, f->section->bytes + offset, f->addr + f->size - addr, addr,
		     &facts);
	if (j->region.reason == REACH_OK)
		j->region.reason = without(&j->region, rules, REACH_JUMP_SIZE);
	if (j->region.reason != REACH_OK &&
	    is_relayed(&short_region, image, f, addr, &facts, rules))
		j->region = short_region;
	if (j->region.reason == REACH_OK && mitigates_its &&
	    has_class(&j->region, 1u << INSN_JMP_IND | 1u << INSN_CALL_IND | 1u << INSN_RET)) {
		j->region.reason = REACH_NO_COPY;
		j->why = "the copy of an indirect branch would escape the kernel's mitigation of ITS";
	}
	j->verdict = j->region.reason == REACH_OK ? VERDICT_JUMP : VERDICT_TRAP;
}

const struct machine machine = {
	.elf = EM_X86_64,
	.name = "x86-64",
	.modules = 0xffffffffc0000000ull,
	.imports = 0xffffffff81000000ull,
	.entry_pad = 4,
	.fixup_size = 12,
	.is_word = is_word,
	.relocate = relocate,
	.read_symbols = kallsyms_read,
	.read_tables = read_tables,
	.find_sites = find_sites,
	.landing_pad = landing_pad,
	.note_insn = note_jump,
	.scan_functions = scan_functions,
	.scan = scan,
	.is_target = failed_for_target,
	.mark_black = mark_black,
	.rule_text = rule_text,
	.judge_region = judge_region,
};
