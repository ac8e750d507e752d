// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a vmlinux or a module.  A module gets addresses, and its relocations
 * are applied, as when it is loaded.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image.h"

/* Where the kernel puts modules, and where we say that the symbols are that they import. */
#define MODULES_BASE	0xffffffffc0000000ull
#define IMPORTS_BASE	0xffffffff81000000ull
#define IMPORT_SIZE	16

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

/* Per-CPU data begin at 0 in a kernel, and what has no bytes has nothing to say. */
static bool has_bytes(const struct image *image, const GElf_Shdr *header)
{
	return header->sh_flags & SHF_ALLOC && header->sh_type != SHT_NOBITS && header->sh_size &&
	       (image->module || header->sh_addr);
}

static void load_section(struct image *image, struct section *s, Elf_Scn *scn, u64 *place)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	GElf_Shdr header;

	gelf_getshdr(scn, &header);
	s->size = header.sh_size;
	s->addr = header.sh_addr;
	if (image->module && header.sh_flags & SHF_ALLOC) {
		*place = (*place + 4095) & ~4095ull;
		s->addr = *place;
		*place += header.sh_size;
	}
	if (!has_bytes(image, &header))
		return;
	if (!data || data->d_size != header.sh_size)
		die("section %s is cut off", s->name);
	s->bytes = allocate(s->size);
	memcpy(s->bytes, data->d_buf, s->size);
	s->exec = header.sh_flags & SHF_EXECINSTR;
	if (s->exec)
		s->text = allocate(s->size * sizeof(*s->text));
}

static void load_sections(struct image *image, Elf *elf)
{
	u64 place = MODULES_BASE;
	Elf_Scn *scn = NULL;
	size_t nr, names;

	if (elf_getshdrnum(elf, &nr) || elf_getshdrstrndx(elf, &names))
		die("no section headers");
	image->sections = allocate(nr * sizeof(*image->sections));
	image->nr_sections = nr;
	while ((scn = elf_nextscn(elf, scn))) {
		struct section *s = &image->sections[elf_ndxscn(scn)];
		GElf_Shdr header;

		gelf_getshdr(scn, &header);
		s->name = strdup(elf_strptr(elf, names, header.sh_name));
		load_section(image, s, scn, &place);
	}
	/* The empty one has no name of its own. */
	image->sections[0].name = "";
}

/* ---- symbols ---- */

void image_add_symbol(struct image *image, u64 addr, const char *name)
{
	/* Room grows in powers of two. */
	if (!(image->nr_symbols & (image->nr_symbols - 1))) {
		size_t max = image->nr_symbols ? 2 * image->nr_symbols : 1;

		image->symbols = realloc(image->symbols, max * sizeof(*image->symbols));
		if (!image->symbols)
			die("out of memory");
	}
	image->symbols[image->nr_symbols++] = (struct symbol){ addr, strdup(name) };
}

/* Symbols that are imported get an address each. */
static u64 symbol_address(const struct image *image, const GElf_Sym *sym, unsigned int index)
{
	if (sym->st_shndx == SHN_UNDEF)
		return IMPORTS_BASE + (u64)index * IMPORT_SIZE;
	if (!image->module || sym->st_shndx >= image->nr_sections)
		return sym->st_value;
	return image->sections[sym->st_shndx].addr + sym->st_value;
}

static Elf_Scn *find_scn(Elf *elf, Elf64_Word type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn))) {
		gelf_getshdr(scn, &header);
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
	gelf_getshdr(scn, &header);
	for (i = 1; gelf_getsym(elf_getdata(scn, NULL), i, &sym); i++) {
		unsigned int type = GELF_ST_TYPE(sym.st_info);
		const char *name = elf_strptr(elf, header.sh_link, sym.st_name);

		if (type == STT_SECTION || type == STT_FILE || !name || !*name)
			continue;
		/* A kernel imports nothing. */
		if (sym.st_shndx == SHN_UNDEF && !image->module)
			continue;
		image_add_symbol(image, symbol_address(image, &sym, i), name);
	}
}

/* System.map, or what /proc/kallsyms says to root: address, type, name. */
void image_read_symbols(struct image *image, const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long addr;
	char line[512], name[256];

	if (!file)
		die("%s: cannot be read", path);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &addr, name) == 2 && !strchr(line, '['))
			image_add_symbol(image, addr, name);
	fclose(file);
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
	u64 place = s->addr + rela->r_offset;
	u8 *at = s->bytes + rela->r_offset;
	u32 value32;

	if (rela->r_offset + 4 > s->size)
		die("a relocation of %s lies outside", s->name);
	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_64:
		memcpy(at, &value, sizeof(value));
		return;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= place;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		break;
	default:
		return;		/* what has no address of text in it */
	}
	value32 = value;
	memcpy(at, &value32, sizeof(value32));
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
		gelf_getshdr(scn, &header);
		if (header.sh_type == SHT_RELA && header.sh_info < image->nr_sections)
			relocate_section(image, elf, scn, &header);
	}
}

void image_open(struct image *image, const char *path)
{
	int fd = open(path, O_RDONLY);
	GElf_Ehdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &header))
		die("%s: cannot be read as ELF", path);
	if (header.e_machine != EM_X86_64 ||
	    (header.e_type != ET_EXEC && header.e_type != ET_REL))
		die("%s: neither a vmlinux nor a module for x86-64", path);
	memset(image, 0, sizeof(*image));
	image->module = header.e_type == ET_REL;
	load_sections(image, elf);
	load_symbols(image, elf);
	if (image->module)
		relocate(image, elf);
	elf_end(elf);
	close(fd);
}
