// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines, from information for debuggers, with elfutils' libdw.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.h"
#include "debuginfo.h"

/* The last colon, behind which there is a number, and before which a name of a source file. */
static const char *line_colon(const char *place)
{
	const char *colon = strrchr(place, ':');

	if (!colon || colon - place < 3 || colon[-2] != '.' || !strchr("chsS", colon[-1]) ||
	    !isdigit((unsigned char)colon[1]) || colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	return colon;
}

bool lines_is_line(const char *place)
{
	return line_colon(place);
}

#ifdef HAVE_DW

#include <elfutils/libdwfl.h>

/**
 * struct search - a line that is looked for
 * @file: the source file, or the end of its name
 * @line: the line
 * @address: the first place of it; 0: none yet
 * @module: where that is
 * @next: the first line behind it that has code; 0: none
 */
struct search {
	const char *file;
	u64 line;
	u64 address;
	Dwfl_Module *module;
	u64 next;
};

/* The information about the running kernel, where distributions have it. */
static char *find_vmlinux(void)
{
	static const char * const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/vmlinux-%s", "/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s",
	};
	struct utsname name;
	unsigned int i;
	char *path;

	if (uname(&name))
		return NULL;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *format = strdup(places[i]), *hole = format ? strstr(format, "%s") : NULL;

		if (!hole)
			return NULL;
		*hole = '\0';
		path = text_of("%s%s%s", format, name.release, hole + 2);
		free(format);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* fs/read_write.c is also the end of /usr/src/linux/fs/read_write.c. */
static bool is_file(const char *name, const char *wanted)
{
	size_t length = strlen(name), end = strlen(wanted);

	if (length < end || strcmp(name + length - end, wanted))
		return false;
	return length == end || *wanted == '/' || name[length - end - 1] == '/';
}

static void look_at(struct search *search, Dwfl_Module *module, Dwarf_Line *line, u64 bias)
{
	const char *name = dwarf_linesrc(line, NULL, NULL);
	Dwarf_Addr address;
	bool begins;
	int number;

	if (!name || dwarf_lineno(line, &number) || dwarf_lineaddr(line, &address) ||
	    dwarf_linebeginstatement(line, &begins) || !begins || number <= 0 ||
	    (u64)number < search->line || !is_file(name, search->file))
		return;
	if ((u64)number > search->line) {
		if (!search->next || (u64)number < search->next)
			search->next = number;
		return;
	}
	address += bias;
	if (!search->address || address < search->address) {
		search->address = address;
		search->module = module;
	}
}

static void look_at_unit(struct search *search, Dwfl_Module *module, Dwarf_Die *unit, u64 bias)
{
	Dwarf_Lines *lines;
	size_t nr, i;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return;
	for (i = 0; i < nr; i++)
		look_at(search, module, dwarf_onesrcline(lines, i), bias);
}

static int look_at_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
			  void *data)
{
	struct search *search = data;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	(void)user;
	(void)name;
	(void)start;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		look_at_unit(search, module, unit, bias);
	return DWARF_CB_OK;
}

/* Of the running kernel: a note of the owner GNU, of type 3. */
static bool kernel_has_id(const unsigned char *id, int size)
{
	char *path = sys_path("kernel/notes");
	FILE *file = fopen(path, "re");
	unsigned char notes[65536];
	size_t got, i;

	free(path);
	if (!file || size <= 0)
		return true;
	got = fread(notes, 1, sizeof(notes), file);
	fclose(file);
	for (i = 0; i + size <= got; i++)
		if (!memcmp(notes + i, id, size))
			return true;
	return false;
}

static void check_kernel(const struct spec *spec, const char *path, Dwfl_Module *module)
{
	const unsigned char *id;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &id, &address);

	if (!kernel_has_id(id, size))
		spec_fail(spec, spec->place_column, "%s is of another kernel", path);
}

/* How many functions have this name?  One that has two symbols is one. */
static unsigned int nr_of_name(Dwfl_Module *module, const char *name)
{
	int nr = dwfl_module_getsymtab(module), i;
	unsigned int found = 0;
	GElf_Addr address, first = 0;
	GElf_Sym symbol;

	for (i = 0; i < nr; i++) {
		const char *other = dwfl_module_getsym_info(module, i, &symbol, &address, NULL,
							    NULL, NULL);

		if (!other || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || strcmp(other, name))
			continue;
		if (!found || address != first)
			found++;
		if (found == 1)
			first = address;
	}
	return found;
}

/* Of several functions of a name the kernel would take the first one. */
static char *place_at(const struct spec *spec, const struct search *search, const char *of_module)
{
	GElf_Off offset;
	GElf_Sym symbol;
	unsigned int nr;
	const char *name = dwfl_module_addrinfo(search->module, search->address, &offset, &symbol,
						NULL, NULL, NULL);

	if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
		spec_fail(spec, spec->place_column, "this line is in no function");
	nr = nr_of_name(search->module, name);
	if (nr > 1)
		spec_fail(spec, spec->place_column,
			  "this line is in %s, and %u functions have that name: use an address",
			  name, nr);
	return offset ? text_of("%s%s+0x%llx", of_module, name, (unsigned long long)offset) :
			text_of("%s%s", of_module, name);
}

static Dwfl *open_debuginfo(const struct spec *spec, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl || !dwfl_report_offline(dwfl, "", path, -1) ||
	    dwfl_report_end(dwfl, NULL, NULL))
		spec_fail(spec, spec->place_column, "%s can't be read: %s", path, dwfl_errmsg(-1));
	return dwfl;
}

static char *find(const struct spec *spec, const struct run *run, struct search *search,
		  const char *of_module)
{
	char *path = run->debuginfo ? text_of("%s", run->debuginfo) : find_vmlinux(), *place;
	Dwfl *dwfl;

	if (!path || (*of_module && !run->debuginfo))
		spec_fail(spec, spec->place_column, "there is no information about lines of %s",
			  *of_module ? "this module: use --debuginfo" :
			  "this kernel: use --debuginfo");
	dwfl = open_debuginfo(spec, path);
	dwfl_getmodules(dwfl, look_at_module, search, 0);
	if (!search->address && search->next)
		spec_fail(spec, spec->place_column,
			  "this line has no code; the next one that has is %llu",
			  (unsigned long long)search->next);
	if (!search->address)
		spec_fail(spec, spec->place_column, "%s has no code of such a line", path);
	if (!run->dry && !*of_module)
		check_kernel(spec, path, search->module);
	place = place_at(spec, search, of_module);
	dwfl_end(dwfl);
	free(path);
	return place;
}

/* A file's name has no colon, so what is before one is a module. */
char *lines_find(const struct spec *spec, const struct run *run)
{
	const char *colon = line_colon(spec->place), *first = strchr(spec->place, ':');
	const char *begin = first < colon ? first + 1 : spec->place;
	char *file = strndup(begin, colon - begin), *place;
	char *of_module = strndup(spec->place, begin - spec->place);
	struct search search = { .file = file };

	if (!file || !of_module)
		die("out of memory");
	if (parse_number(colon + 1, 10, INT32_MAX, &search.line) || !search.line)
		spec_fail(spec, spec->place_column, "this is no line");
	if (spec->returns)
		spec_fail(spec, spec->place_column, "a line does not return");
	place = find(spec, run, &search, of_module);
	free(file);
	free(of_module);
	return place;
}

#else

char *lines_find(const struct spec *spec, const struct run *run)
{
	(void)run;
	spec_fail(spec, spec->place_column,
		  "this kprobes was built without libdw: write SYMBOL+OFFSET, and no line");
}

#endif
