// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks the text of a file by its tables and code: where instructions begin,
 * where execution may branch to, and which bytes the kernel patches or reads.
 */
#include <stdlib.h>

#include "facts.h"

bool begins_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

void facts_mark(const struct image *image, u64 addr, unsigned int flag)
{
	u16 *text = image_text(image, addr);

	if (text)
		*text |= flag;
}

void facts_mark_range(const struct image *image, u64 start, u64 end, unsigned int flag)
{
	unsigned int i;

	/* A damaged table may name a range of any size: only what is in the file is gone through. */
	for (i = 0; i < image->nr_sections; i++) {
		const struct section *s = &image->sections[i];
		u64 at = start > s->addr ? start - s->addr : 0;

		if (!s->exec || end <= s->addr)
			continue;
		for (; at < s->size && at < end - s->addr; at++)
			s->text[at] |= flag;
	}
}

/* Has a byte there one of these flags? */
bool facts_marked(const struct image *image, u64 start, u64 end, unsigned int flags)
{
	u16 *text;

	for (; start < end; start++) {
		text = image_text(image, start);
		if (text && *text & flags)
			return true;
	}
	return false;
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

/* A function extends from its symbol to the next one, as in the kernel. */
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

/* Tables that are the same on all architectures. */
static const struct table
	fixups = { "__ex_table", "__start___ex_table", "__stop___ex_table", 0 },
	labels = { "__jump_table", "__start___jump_table", "__stop___jump_table", 16 },
	bugs = { "__bug_table", "__start___bug_table", "__stop___bug_table", 0 };

bool facts_find_table(const struct image *image, const struct table *table, u64 *start, u64 *end)
{
	const struct section *s = image_section(image, table->section);

	*start = s ? s->addr : 0;
	*end = s ? s->addr + s->size : 0;
	if (!s && table->start) {
		*start = image_lookup(image, table->start);
		*end = image_lookup(image, table->end);
	}
	return *start < *end && image_bytes(image, *start, *end - *start);
}

void facts_each_entry(struct image *image, const struct table *table,
		      void (*found)(struct image *image, u64 entry))
{
	u64 at, end;

	if (!facts_find_table(image, table, &at, &end))
		return;
	if ((end - at) % table->entry)
		die("%s does not have entries of %u bytes", table->section, table->entry);
	for (; at < end; at += table->entry)
		found(image, at);
}

/* An address that is stored as an offset from its own place. */
u64 facts_relative(const struct image *image, u64 at)
{
	const u8 *bytes = image_bytes(image, at, 4);
	s32 distance = 0;

	if (bytes)
		memcpy(&distance, bytes, sizeof(distance));
	return at + (u64)(s64)distance;
}

u64 facts_word(const struct image *image, u64 at)
{
	const u8 *bytes = image_bytes(image, at, 8);
	u64 value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static void found_fixup(struct image *image, u64 entry)
{
	facts_mark(image, facts_relative(image, entry), TEXT_FIXUP);
	facts_mark(image, facts_relative(image, entry + 4), TEXT_TARGET);
}

/* The instruction there, however long. */
static void mark_insn(struct image *image, u64 addr, unsigned int flag)
{
	struct section *s = image_section_at(image, addr);
	struct insn insn;

	if (s && s->exec && insn_decode(&insn, s->bytes + (addr - s->addr),
					s->size - (addr - s->addr)) == INSN_OK)
		facts_mark_range(image, addr, addr + insn.length, flag);
}

static void found_label(struct image *image, u64 entry)
{
	mark_insn(image, facts_relative(image, entry), TEXT_LABEL);
	facts_mark(image, facts_relative(image, entry + 4), TEXT_TARGET);
}

static void found_bug(struct image *image, u64 entry)
{
	mark_insn(image, facts_relative(image, entry), TEXT_BUG);
}

/* Where a warning has arguments, its entry is handed over: nobody looks for the place in it. */
static void found_bug_with_format(struct image *image, u64 entry)
{
	if (!(facts_word(image, entry + 8) >> 48 & 0x10))
		found_bug(image, entry);
}

/* An entry begins with a place in text.  That of init text may be gone. */
static bool are_bugs(const struct image *image, u64 start, u64 end, unsigned int entry)
{
	u64 at, nr = (end - start) / entry, right = 0;

	if ((end - start) % entry)
		return false;
	for (at = start; at < end; at += entry)
		right += image_text(image, facts_relative(image, at)) != NULL;
	return 2 * right > nr;
}

/* Newer kernels have the format of the message in it; some have no file and line. */
static void read_bugs(struct image *image)
{
	static const unsigned int sizes[] = { 12, 16, 8 };
	struct table sized = bugs;
	unsigned int i;
	u64 start, end;

	if (!facts_find_table(image, &bugs, &start, &end))
		return;
	for (i = 0; i < NR_LIST(sizes) && !sized.entry; i++)
		if (are_bugs(image, start, end, sizes[i]))
			sized.entry = sizes[i];
	if (sized.entry)
		facts_each_entry(image, &sized, sized.entry == 16 ? found_bug_with_format : found_bug);
	else
		warn("the layout of %s is not known: no place counts as a BUG", bugs.section);
}

/*
 * An entry has the place of an instruction, the place of its replacement, flags, and the lengths
 * of both.  The flags have grown with time.
 */
static const struct layout {
	unsigned int entry, length;
} layouts[] = { { 12, 10 }, { 13, 10 }, { 14, 12 } };

/*
 * Do all entries replace something by what is there to replace text?  It is text itself but for a
 * few, which are in data.
 */
static bool has_layout(const struct image *image, const struct section *s,
		       const struct section *replacements, const struct layout *layout)
{
	u64 at, addr, strays = 0;

	if (s->size % layout->entry)
		return false;
	for (at = s->addr; at < s->addr + s->size; at += layout->entry) {
		addr = facts_relative(image, at + 4);
		strays += !image_text(image, facts_relative(image, at));
		/* One without a replacement may point to the end. */
		if (replacements && addr - replacements->addr > replacements->size)
			return false;
	}
	return strays * layout->entry * 100 <= s->size;
}

static void read_alternatives(struct image *image)
{
	const struct section *s = image_section(image, ".altinstructions");
	const struct section *replacements = image_section(image, ".altinstr_replacement");
	const struct layout *layout = layouts;
	u64 at, addr;

	if (!s || !s->bytes)
		return;
	while (layout < layouts + NR_LIST(layouts) &&
	       !has_layout(image, s, replacements, layout))
		layout++;
	if (layout == layouts + NR_LIST(layouts)) {
		warn("the layout of %s is not known: no place counts as patched at boot", s->name);
		return;
	}
	for (at = 0; at < s->size; at += layout->entry) {
		addr = facts_relative(image, s->addr + at);
		facts_mark_range(image, addr, addr + s->bytes[at + layout->length], TEXT_ALT);
	}
}

static void read_tables(struct image *image)
{
	struct table sized = fixups;

	sized.entry = machine.fixup_size;
	facts_each_entry(image, &sized, found_fixup);
	facts_each_entry(image, &labels, found_label);
	read_bugs(image);
	read_alternatives(image);
}

/* ---- code ---- */

static bool is_padding(const struct insn *insn)
{
	return insn->class == INSN_NOP || insn->refuse == INSN_REFUSE_BREAKPOINT;
}

/* Marks where instructions begin, and the padding at the end. */
static void walk_function(struct function *f)
{
	u16 *text = f->section->text + (f->addr - f->section->addr);
	const u8 *bytes = f->section->bytes + (f->addr - f->section->addr);
	struct insn insn;
	u64 at = 0, code = 0;

	for (; at < f->size; at += insn.length ? insn.length : machine.skip) {
		if (insn_decode(&insn, bytes + at, f->size - at) != INSN_OK) {
			if (!machine.skip)
				break;
			continue;
		}
		text[at] |= TEXT_BOUNDARY;
		if (machine.note_insn)
			machine.note_insn(f, &insn, f->addr + at);
		if (!is_padding(&insn))
			code = at + insn.length;
	}
	for (; code < at && code < f->size; code++)
		text[code] |= TEXT_PADDING;
}

static void walk_functions(struct image *image)
{
	unsigned int i;

	for (i = 0; i < image->nr_functions; i++)
		walk_function(&image->functions[i]);
}

/* ---- what must not be probed ---- */

/* The functions that the kernel's own kprobes refuse. */
static const struct table blacklist = {
	"_kprobe_blacklist", "__start_kprobe_blacklist", "__stop_kprobe_blacklist", 8
};

void facts_mark_between(struct image *image, const char *start, const char *end)
{
	facts_mark_range(image, image_lookup(image, start), image_lookup(image, end), TEXT_BLACK);
}

static void mark_sections(struct image *image)
{
	static const char * const names[] = {
		".noinstr.text", ".kprobes.text", ".static_call.text", ".entry.text",
		".irqentry.text", ".cpuidle.text", ".init.text", ".exit.text",
		".altinstr_replacement", ".altinstr_aux",
	};
	unsigned int i;

	for (i = 0; i < NR_LIST(names); i++) {
		const struct section *s = image_section(image, names[i]);

		if (s)
			facts_mark_range(image, s->addr, s->addr + s->size, TEXT_BLACK);
	}
}

static void found_black(struct image *image, u64 entry)
{
	const struct function *f = image_function(image, facts_word(image, entry));

	if (f)
		facts_mark_range(image, f->addr, f->addr + f->size, TEXT_BLACK);
}

static void mark_black(struct image *image)
{
	unsigned int i;

	mark_sections(image);
	facts_mark_between(image, "__noinstr_text_start", "__noinstr_text_end");
	facts_mark_between(image, "__entry_text_start", "__entry_text_end");
	facts_mark_between(image, "__irqentry_text_start", "__irqentry_text_end");
	facts_mark_between(image, "__cpuidle_text_start", "__cpuidle_text_end");
	facts_mark_between(image, "__kprobes_text_start", "__kprobes_text_end");
	facts_each_entry(image, &blacklist, found_black);
	for (i = 0; i < image->nr_functions; i++) {
		const struct function *f = &image->functions[i];

		if (begins_with(f->name, "__cfi_") || begins_with(f->name, "__pfx_"))
			facts_mark_range(image, f->addr, f->addr + f->size, TEXT_BLACK);
	}
}

void facts_collect(struct image *image, const struct mitigations *mitigations)
{
	find_functions(image);
	read_tables(image);
	machine.read_tables(image, mitigations);
	if (image->running)
		machine.find_sites(image);
	walk_functions(image);
	if (machine.scan_functions)
		machine.scan_functions(image);
	mark_black(image);
	machine.mark_black(image);
}
