// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a vmlinux or a module.  A module gets addresses, and its relocations
 * are applied, as when it is loaded.
 */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

/* Bytes of address space per imported symbol. */
#define IMPORT_SIZE	16

/* Control characters in a damaged file stay away from the terminal, and quotes from JSON. */
static char *copy_name(const char *name)
{
	char *copy = strdup(name), *at;

	if (!copy)
		die("out of memory");
	for (at = copy; *at; at++)
		if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
			*at = '?';
	return copy;
}

/* ---- sections ---- */

struct section *image_section(const struct image *image, const char *name)
{
	unsigned int i;

	for (i = 0; i < image->nr_sections; i++)
		if (image->sections[i].size && !strcmp(image->sections[i].name, name))
			return &image->sections[i];
	return NULL;
}

struct section *image_section_at(const struct image *image, u64 addr)
{
	unsigned int i;

	for (i = 0; i < image->nr_sections; i++) {
		struct section *s = &image->sections[i];

		if (s->bytes && addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

/* As a place may be qualified with it. */
const char *image_name(const struct image *image)
{
	const struct section *s = image->module ? image_section(image, ".modinfo") : NULL;
	u64 at = 0;

	while (s && s->bytes && at < s->size) {
		const char *entry = (const char *)s->bytes + at;
		size_t len = strnlen(entry, s->size - at);

		if (len < s->size - at && !strncmp(entry, "name=", 5))
			return entry + 5;
		at += len + 1;
	}
	return image->module ? "(no name)" : "vmlinux";
}

u8 *image_bytes(const struct image *image, u64 addr, u64 size)
{
	struct section *s = image_section_at(image, addr);

	return s && size <= s->size - (addr - s->addr) ? s->bytes + (addr - s->addr) : NULL;
}

u16 *image_text(const struct image *image, u64 addr)
{
	struct section *s = image_section_at(image, addr);

	return s && s->exec ? &s->text[addr - s->addr] : NULL;
}

/* Skips per-CPU data, which begin at 0 in a kernel, and sections without bytes. */
static bool has_bytes(const struct image *image, const GElf_Shdr *header)
{
	return header->sh_flags & SHF_ALLOC && header->sh_type != SHT_NOBITS && header->sh_size &&
	       (image->module || header->sh_addr);
}

static void get_header(Elf_Scn *scn, GElf_Shdr *header)
{
	if (!gelf_getshdr(scn, header))
		die("a section's header is damaged: %s", elf_errmsg(-1));
}

/* libelf does not look whether a section lies within the file, or in the address space. */
static void check_section(const struct section *s, const GElf_Shdr *header,
			  const struct file *file)
{
	if (header->sh_offset > file->size || s->size > file->size - header->sh_offset)
		die("%s: truncated: section %s should end at byte %llu of %zu", file->path, s->name,
		    (unsigned long long)(header->sh_offset + s->size), file->size);
	if (s->addr + s->size < s->addr)
		die("%s: damaged: section %s is beyond the last address", file->path, s->name);
}

static void load_section(struct image *image, struct section *s, Elf_Scn *scn, u64 *place,
			 const struct file *file)
{
	GElf_Shdr header;
	Elf_Data *data;

	get_header(scn, &header);
	s->size = header.sh_size;
	s->addr = header.sh_addr;
	if (image->module && header.sh_flags & SHF_ALLOC) {
		*place = (*place + 4095) & ~4095ull;
		s->addr = *place;
		*place += header.sh_size;
	}
	if (!has_bytes(image, &header))
		return;
	check_section(s, &header, file);
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size != header.sh_size)
		die("%s: damaged: section %s cannot be read", file->path, s->name);
	s->bytes = allocate(s->size);
	memcpy(s->bytes, data->d_buf, s->size);
	/* Linux 7.2 has data that are marked as text. */
	s->exec = header.sh_flags & SHF_EXECINSTR && strncmp(s->name, ".data", 5);
	if (s->exec)
		s->text = allocate(s->size * sizeof(*s->text));
}

static void load_sections(struct image *image, Elf *elf, const struct file *file)
{
	u64 place = machine.modules;
	Elf_Scn *scn = NULL;
	size_t nr, names;

	if (elf_getshdrnum(elf, &nr) || elf_getshdrstrndx(elf, &names) ||
	    !nr || nr > file->size / sizeof(Elf64_Shdr))
		die("%s: has no section headers", file->path);
	image->sections = allocate(nr * sizeof(*image->sections));
	image->nr_sections = nr;
	while ((scn = elf_nextscn(elf, scn))) {
		struct section *s = &image->sections[elf_ndxscn(scn)];
		const char *name;
		GElf_Shdr header;

		get_header(scn, &header);
		name = elf_strptr(elf, names, header.sh_name);
		s->name = copy_name(name ? name : "");
		load_section(image, s, scn, &place, file);
	}
	/* libelf does not visit the null section. */
	image->sections[0].name = "";
}

/* ---- symbols ---- */

void image_add_symbol(struct image *image, u64 addr, const char *name)
{
	/* The array grows in powers of two. */
	if (!(image->nr_symbols & (image->nr_symbols - 1))) {
		size_t max = image->nr_symbols ? 2 * image->nr_symbols : 1;

		image->symbols = realloc(image->symbols, max * sizeof(*image->symbols));
		if (!image->symbols)
			die("out of memory");
	}
	image->symbols[image->nr_symbols++] = (struct symbol){ addr, copy_name(name) };
}

/* Each imported symbol gets an address. */
static u64 symbol_address(const struct image *image, const GElf_Sym *sym, unsigned int index)
{
	if (sym->st_shndx == SHN_UNDEF)
		return machine.imports + (u64)index * IMPORT_SIZE;
	if (!image->module || sym->st_shndx >= image->nr_sections)
		return sym->st_value;
	return image->sections[sym->st_shndx].addr + sym->st_value;
}

static Elf_Scn *find_scn(Elf *elf, Elf64_Word type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn))) {
		get_header(scn, &header);
		if (header.sh_type == type)
			return scn;
	}
	return NULL;
}

static void load_symbols(struct image *image, Elf *elf)
{
	Elf_Scn *scn = find_scn(elf, SHT_SYMTAB);
	GElf_Shdr header;
	GElf_Sym sym;
	unsigned int i;

	if (!scn)
		return;
	get_header(scn, &header);
	for (i = 1; gelf_getsym(elf_getdata(scn, NULL), i, &sym); i++) {
		unsigned int type = GELF_ST_TYPE(sym.st_info);
		const char *name = elf_strptr(elf, header.sh_link, sym.st_name);

		if (type == STT_SECTION || type == STT_FILE || !name || !*name)
			continue;
		/* $x and $d only mark code and data. */
		if (name[0] == '$')
			continue;
		/* A kernel imports nothing. */
		if (sym.st_shndx == SHN_UNDEF && !image->module)
			continue;
		image_add_symbol(image, symbol_address(image, &sym, i), name);
	}
}

/* System.map, or /proc/kallsyms as root reads it: address, type, name.  No module's. */
static bool symbol_of(const char *line, unsigned long long *addr, char *name)
{
	return strspn(line, "0123456789abcdef") == 16 && !strchr(line, '[') &&
	       sscanf(line, "%llx %*c %255s", addr, name) == 2;
}

void image_read_symbols(struct image *image, const char *path)
{
	unsigned int before = image->nr_symbols;
	FILE *file = fopen(path, "r");
	unsigned long long addr;
	char line[512], name[256];

	if (!file)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (symbol_of(line, &addr, name))
			image_add_symbol(image, addr, name);
	if (ferror(file))
		die("%s: %s", path, strerror(errno));
	fclose(file);
	/* Debian's /boot/System.map has one line, which says where the real one is. */
	if (image->nr_symbols < before + 2)
		die("%s: is not a list of symbols, as System.map and /proc/kallsyms are", path);
}

u64 image_lookup(const struct image *image, const char *name)
{
	unsigned int i;

	for (i = 0; i < image->nr_symbols; i++)
		if (!strcmp(image->symbols[i].name, name))
			return image->symbols[i].addr;
	return 0;
}

struct function *image_function(const struct image *image, u64 addr)
{
	unsigned int low = 0, high = image->nr_functions;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;
		struct function *f = &image->functions[mid];

		if (addr - f->addr < f->size)
			return f;
		if (addr < f->addr)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* ---- a module's relocations ---- */

static void relocate_one(struct section *s, const GElf_Rela *rela, u64 value)
{
	struct place place = { .type = GELF_R_TYPE(rela->r_info), .value = value };
	u64 size = machine.is_word(place.type) ? sizeof(u64) : sizeof(u32);

	if (size > s->size || rela->r_offset > s->size - size)
		die("damaged: a relocation of %s lies outside of it", s->name);
	place.addr = s->addr + rela->r_offset;
	place.at = s->bytes + rela->r_offset;
	machine.relocate(&place);
}

static void relocate_section(struct image *image, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header)
{
	struct section *s = &image->sections[header->sh_info];
	Elf_Data *relas = elf_getdata(scn, NULL);
	Elf_Data *syms = elf_getdata(elf_getscn(elf, header->sh_link), NULL);
	GElf_Rela rela;
	GElf_Sym sym;
	int i;

	for (i = 0; s->bytes && gelf_getrela(relas, i, &rela); i++) {
		unsigned int index = GELF_R_SYM(rela.r_info);

		if (gelf_getsym(syms, index, &sym))
			relocate_one(s, &rela, symbol_address(image, &sym, index) + rela.r_addend);
	}
}

static void relocate(struct image *image, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn))) {
		get_header(scn, &header);
		if (header.sh_type == SHT_RELA && header.sh_info < image->nr_sections)
			relocate_section(image, elf, scn, &header);
	}
}

/* A relocatable kernel: the addresses in its data are the addends. */
static void apply_relative(struct image *image, Elf *elf)
{
	Elf_Scn *scn = find_scn(elf, SHT_RELA);
	GElf_Rela rela;
	u8 *at;
	int i;

	for (i = 0; scn && gelf_getrela(elf_getdata(scn, NULL), i, &rela); i++) {
		u64 value = rela.r_addend;

		at = image_bytes(image, rela.r_offset, sizeof(value));
		if (at && GELF_R_TYPE(rela.r_info) == machine.relative)
			memcpy(at, &value, sizeof(value));
	}
}

static bool is_kernel(const GElf_Ehdr *header)
{
	return header->e_type == ET_EXEC || (machine.dynamic && header->e_type == ET_DYN);
}

/* The section headers are at the end of most files, so those that were cut off lack them. */
static void check_headers(const struct file *file)
{
	Elf64_Ehdr header;

	memcpy(&header, file->bytes, sizeof(header));
	if (header.e_shoff > file->size ||
	    (u64)header.e_shnum * header.e_shentsize > file->size - header.e_shoff)
		die("%s: truncated: its section headers should be at byte %llu of %zu", file->path,
		    (unsigned long long)header.e_shoff, file->size);
}

/* The caller has called file_machine(), which has looked at the header's size. */
void image_open(struct image *image, const struct file *file)
{
	GElf_Ehdr header;
	Elf *elf;

	check_headers(file);
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)file->bytes, file->size);
	if (!elf || !gelf_getehdr(elf, &header))
		die("%s: cannot be read as ELF: %s", file->path, elf_errmsg(-1));
	if (header.e_machine != machine.elf || (!is_kernel(&header) && header.e_type != ET_REL))
		die("%s: neither a vmlinux nor a module for %s", file->path, machine.name);
	memset(image, 0, sizeof(*image));
	image->module = header.e_type == ET_REL;
	load_sections(image, elf, file);
	load_symbols(image, elf);
	if (image->module)
		relocate(image, elf);
	else if (header.e_type == ET_DYN)
		apply_relative(image, elf);
	elf_end(elf);
}
