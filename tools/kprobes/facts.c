// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a file's tables and code say of its text: where instructions begin,
 * where execution may come to, and who owns what.
 */
#include <stdlib.h>

#include "image.h"

#define NR_LIST(list)	(sizeof(list) / sizeof((list)[0]))

static bool begins_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static void mark(const struct image *image, u64 addr, unsigned int flag)
{
	u16 *text = image_text(image, addr);

	if (text)
		*text |= flag;
}

static void mark_range(const struct image *image, u64 start, u64 end, unsigned int flag)
{
	for (; start < end; start++)
		mark(image, start, flag);
}

/* ---- functions ---- */

static int by_address(const void *a, const void *b)
{
	const struct symbol *sa = a, *sb = b;

	return sa->addr < sb->addr ? -1 : sa->addr > sb->addr;
}

static void add_function(struct image *image, const struct symbol *sym, struct section *s)
{
	struct function *last = image->nr_functions ?
				&image->functions[image->nr_functions - 1] : NULL;

	if (last && last->addr == sym->addr)
		return;
	if (last && last->section == s)
		last->size = sym->addr - last->addr;
	image->functions[image->nr_functions++] = (struct function){
		.addr = sym->addr, .size = s->addr + s->size - sym->addr,
		.name = sym->name, .section = s,
	};
}

/* From each symbol to the next, as the kernel itself takes it. */
static void find_functions(struct image *image)
{
	unsigned int i;

	qsort(image->symbols, image->nr_symbols, sizeof(*image->symbols), by_address);
	image->functions = allocate(image->nr_symbols * sizeof(*image->functions));
	for (i = 0; i < image->nr_symbols; i++) {
		struct section *s = image_section_at(image, image->symbols[i].addr);

		if (s && s->exec)
			add_function(image, &image->symbols[i], s);
	}
}

/* ---- tables ---- */

/* A table: a section of its own, or between two symbols. */
struct table {
	const char *section;
	const char *start, *end;
	unsigned int entry;
};

static const struct table tables[] = {
#define TABLE_FIXUPS	(&tables[0])
	{ "__ex_table", NULL, NULL, 12 },
#define TABLE_LABELS	(&tables[1])
	{ "__jump_table", "__start___jump_table", "__stop___jump_table", 16 },
#define TABLE_CALLS	(&tables[2])
	{ ".static_call_sites", "__start_static_call_sites", "__stop_static_call_sites", 8 },
#define TABLE_TRACER	(&tables[3])
	{ "__mcount_loc", "__start_mcount_loc", "__stop_mcount_loc", 8 },
#define TABLE_BUGS	(&tables[4])
	{ "__bug_table", NULL, NULL, 12 },
#define TABLE_ALTS	(&tables[5])
	{ ".altinstructions", NULL, NULL, 12 },
#define TABLE_RETURNS	(&tables[6])
	{ ".return_sites", NULL, NULL, 4 },
#define TABLE_PV	(&tables[7])
	{ ".parainstructions", NULL, NULL, 16 },
#define TABLE_RETPOLINES (&tables[8])
	{ ".retpoline_sites", NULL, NULL, 4 },
};

static bool find_table(const struct image *image, const struct table *table, u64 *start, u64 *end)
{
	const struct section *s = image_section(image, table->section);

	*start = s ? s->addr : 0;
	*end = s ? s->addr + s->size : 0;
	if (!s && table->start) {
		*start = image_lookup(image, table->start);
		*end = image_lookup(image, table->end);
	}
	return *start < *end;
}

static void each_entry(struct image *image, const struct table *table,
		       void (*found)(struct image *image, u64 entry))
{
	u64 at, end;

	if (!find_table(image, table, &at, &end))
		return;
	if ((end - at) % table->entry)
		die("%s does not have entries of %u bytes", table->section, table->entry);
	for (; at < end; at += table->entry)
		found(image, at);
}

/* An address that is kept as its distance from where it is kept. */
static u64 relative(const struct image *image, u64 at)
{
	const u8 *bytes = image_bytes(image, at, 4);
	s32 distance = 0;

	if (bytes)
		memcpy(&distance, bytes, sizeof(distance));
	return at + (u64)(s64)distance;
}

static u64 word(const struct image *image, u64 at)
{
	const u8 *bytes = image_bytes(image, at, 8);
	u64 value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static void found_fixup(struct image *image, u64 entry)
{
	mark(image, relative(image, entry), TEXT_FIXUP);
	mark(image, relative(image, entry + 4), TEXT_TARGET);
}

/* The instruction there, however long. */
static void mark_insn(struct image *image, u64 addr, unsigned int flag)
{
	struct section *s = image_section_at(image, addr);
	struct insn insn;

	if (s && s->exec && insn_decode(&insn, s->bytes + (addr - s->addr),
					s->size - (addr - s->addr)) == INSN_OK)
		mark_range(image, addr, addr + insn.length, flag);
}

static void found_label(struct image *image, u64 entry)
{
	mark_insn(image, relative(image, entry), TEXT_LABEL);
	mark(image, relative(image, entry + 4), TEXT_TARGET);
}

static void found_call(struct image *image, u64 entry)
{
	u64 addr = relative(image, entry);

	mark_range(image, addr, addr + 5, TEXT_CALL);
}

static void found_bug(struct image *image, u64 entry)
{
	mark_insn(image, relative(image, entry), TEXT_BUG);
}

static void found_alternative(struct image *image, u64 entry)
{
	const u8 *bytes = image_bytes(image, entry, 12);
	u64 addr = relative(image, entry);

	mark_range(image, addr, addr + bytes[10], TEXT_ALT);
}

static void found_site(struct image *image, u64 entry)
{
	static const u8 nop[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u64 addr = word(image, entry);
	u8 *bytes = image_bytes(image, addr, 5);

	if (!bytes || !image_text(image, addr))
		return;
	memcpy(bytes, nop, sizeof(nop));
	mark(image, addr, TEXT_SITE);
	mark_range(image, addr, addr + 5, TEXT_TRACER);
}

/* jmp return_thunk becomes ret, as where no mitigation is needed. */
static void found_return(struct image *image, u64 entry)
{
	u8 *bytes = image_bytes(image, relative(image, entry), 5);

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
	u64 addr = relative(image, entry);
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

static void read_tables(struct image *image, const struct mitigations *mitigations)
{
	each_entry(image, TABLE_FIXUPS, found_fixup);
	each_entry(image, TABLE_LABELS, found_label);
	each_entry(image, TABLE_CALLS, found_call);
	each_entry(image, TABLE_BUGS, found_bug);
	each_entry(image, TABLE_ALTS, found_alternative);
	each_entry(image, TABLE_TRACER, found_site);
	if (!mitigations->return_thunks)
		each_entry(image, TABLE_RETURNS, found_return);
	if (!mitigations->retpolines)
		each_entry(image, TABLE_RETPOLINES, found_retpoline);
}

/* ---- addresses in data ---- */

/* These name text, but nothing ever goes there because of it. */
static const struct table * const lists_of_sites[] = { TABLE_TRACER, TABLE_PV };

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
		/* Few are, and it takes long to find out. */
		if (value >> 31 == 0x1ffffffff && !is_list_of_sites(spans, s->addr + at))
			mark(image, value, TEXT_TARGET);
	}
}

static void read_all_data(struct image *image)
{
	struct span spans[NR_LIST(lists_of_sites)];
	unsigned int i;

	for (i = 0; i < NR_LIST(lists_of_sites); i++)
		find_table(image, lists_of_sites[i], &spans[i].start, &spans[i].end);
	for (i = 0; i < image->nr_sections; i++)
		if (image->sections[i].bytes && !image->sections[i].exec)
			read_data(image, &image->sections[i], spans);
}

/* ---- code ---- */

/* Few enough to go through, as only jumps out of a function ask. */
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

bool facts_is_indirect_thunk(const struct image *image, u64 addr)
{
	(void)image;
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
		if (is_return_thunk(sym->name) && nr_return_thunks < NR_LIST(return_thunks))
			return_thunks[nr_return_thunks++] = sym->addr;
	}
}

static void note_target(void *data, u64 addr)
{
	mark(data, addr, TEXT_TARGET);
}

static bool is_indirect_thunk(void *data, u64 addr)
{
	return facts_is_indirect_thunk(data, addr);
}

static void note_base(void *data, u64 addr)
{
	mark(data, addr, TEXT_BASE);
}

static void note_jump(struct function *f, const struct insn *insn, u64 ip)
{
	u64 target = insn_branch_target(insn, ip);

	if (insn->class == INSN_JMP_IND)
		f->indirect = true;
	if (insn->class != INSN_JMP && insn->class != INSN_JCC)
		return;
	if (is_one_of(indirect_thunks, nr_indirect_thunks, target))
		f->indirect = true;
	if (is_one_of(return_thunks, nr_return_thunks, target))
		f->returns_by_jump = true;
}

static bool is_padding(const struct insn *insn)
{
	return insn->class == INSN_NOP || insn->refuse == INSN_REFUSE_BREAKPOINT;
}

/* Mark where instructions begin, and those that are but padding at the end. */
static void walk_function(struct function *f)
{
	u16 *text = f->section->text + (f->addr - f->section->addr);
	const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);
	struct insn insn;
	u64 at = 0, code = 0;

	for (; at < f->size; at += insn.length) {
		if (insn_decode(&insn, bytes + at, f->size - at) != INSN_OK)
			break;
		text[at] |= TEXT_BOUNDARY;
		note_jump(f, &insn, f->addr + at);
		if (!is_padding(&insn))
			code = at + insn.length;
	}
	for (; code < at; code++)
		text[code] |= TEXT_PADDING;
}

static void scan_functions(struct image *image)
{
	const struct reach_scan scan = { image, note_target, is_indirect_thunk, note_base };
	unsigned int i;

	for (i = 0; i < image->nr_functions; i++) {
		struct function *f = &image->functions[i];

		walk_function(f);
		f->proven = reach_scan(&scan, f->section->bytes + (f->addr - f->section->addr),
				       f->size, f->addr);
	}
}

/* An address inside was taken by another function, for a jump to near it. */
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

/* ---- what must not be probed ---- */

static void mark_between(struct image *image, const char *start, const char *end)
{
	mark_range(image, image_lookup(image, start), image_lookup(image, end), TEXT_BLACK);
}

static void mark_sections(struct image *image)
{
	static const char * const names[] = {
		".noinstr.text", ".kprobes.text", ".static_call.text", ".entry.text",
		".cpuidle.text", ".init.text", ".exit.text", ".altinstr_replacement",
		".altinstr_aux",
	};
	unsigned int i;

	for (i = 0; i < NR_LIST(names); i++) {
		const struct section *s = image_section(image, names[i]);

		if (s)
			mark_range(image, s->addr, s->addr + s->size, TEXT_BLACK);
	}
}

static void mark_black(struct image *image)
{
	unsigned int i;

	mark_sections(image);
	mark_between(image, "__noinstr_text_start", "__noinstr_text_end");
	mark_between(image, "__entry_text_start", "__entry_text_end");
	mark_between(image, "__irqentry_text_start", "__irqentry_text_end");
	mark_between(image, "__cpuidle_text_start", "__cpuidle_text_end");
	mark_between(image, "__kprobes_text_start", "__kprobes_text_end");
	mark_between(image, "__indirect_thunk_start", "__indirect_thunk_end");
	mark_between(image, "__static_call_text_start", "__static_call_text_end");
	for (i = 0; i < image->nr_functions; i++) {
		const struct function *f = &image->functions[i];

		if (begins_with(f->name, "__cfi_") || begins_with(f->name, "__pfx_"))
			mark_range(image, f->addr, f->addr + f->size, TEXT_BLACK);
	}
}

void facts_collect(struct image *image, const struct mitigations *mitigations)
{
	find_functions(image);
	find_thunks(image);
	read_tables(image, mitigations);
	read_all_data(image);
	scan_functions(image);
	distrust_bases(image);
	mark_black(image);
}
