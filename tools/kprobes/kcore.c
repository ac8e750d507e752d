// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running kernel: its memory from /proc/kcore, its symbols from /proc/kallsyms.
 *
 * What is read is the text as it stands, patched for this processor.  The tables that the kernel
 * frees after boot are not there, so the tracer's call sites are found by their instruction, and what
 * the kernel's kprobes refuse is read from the file in which they list it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "facts.h"

#define KALLSYMS_PATH	"/proc/kallsyms"
#define BLACKLIST_PATH	"/sys/kernel/debug/kprobes/blacklist"

struct kcore {
	int fd;
	Elf64_Ehdr header;
	Elf64_Phdr *segments;
};

/* Stays open for kcore_peek(), once the kernel has been read. */
static struct kcore running = { .fd = -1 };

/* What has a table in a file has two symbols in memory. */
static const struct area {
	const char *name, *start, *end;
	bool exec;
} areas[] = {
	{ ".text", "_stext", "_etext", true },
	{ ".rodata", "__start_rodata", "__end_rodata", false },
	{ ".data", "_sdata", "_edata", false },
	{ "__bug_table", "__start___bug_table", "__stop___bug_table", false },
};

static void read_at(const struct kcore *core, void *to, size_t size, u64 offset)
{
	while (size) {
		ssize_t got = pread(core->fd, to, size, offset);

		if (got <= 0)
			die("%s: cannot be read at %llx: %s", KCORE_PATH,
			    (unsigned long long)offset, got ? strerror(errno) : "it ends");
		to = (char *)to + got;
		offset += got;
		size -= got;
	}
}

static void open_core(struct kcore *core)
{
	core->fd = open(KCORE_PATH, O_RDONLY | O_CLOEXEC);
	if (core->fd < 0)
		die("%s: %s (only root can read it, and not where the kernel is locked down; the file /boot/vmlinuz-* can be asked instead)",
		    KCORE_PATH, strerror(errno));
	read_at(core, &core->header, sizeof(core->header), 0);
	if (memcmp(core->header.e_ident, ELFMAG, SELFMAG) || core->header.e_type != ET_CORE)
		die("%s: is not the memory of a kernel", KCORE_PATH);
}

unsigned int kcore_machine(void)
{
	struct kcore core;

	open_core(&core);
	close(core.fd);
	return core.header.e_machine;
}

static void read_segments(struct kcore *core)
{
	size_t size = core->header.e_phnum * sizeof(*core->segments);

	core->segments = allocate(size);
	read_at(core, core->segments, size, core->header.e_phoff);
}

/* Where in the file that memory is; 0 if it is not all there. */
static u64 offset_of(const struct kcore *core, u64 addr, u64 size)
{
	unsigned int i;

	for (i = 0; i < core->header.e_phnum; i++) {
		const Elf64_Phdr *p = &core->segments[i];

		if (p->p_type == PT_LOAD && addr - p->p_vaddr < p->p_filesz &&
		    size <= p->p_filesz - (addr - p->p_vaddr))
			return p->p_offset + (addr - p->p_vaddr);
	}
	return 0;
}

static void read_memory(const struct kcore *core, struct section *s)
{
	u64 offset = offset_of(core, s->addr, s->size);

	if (!offset)
		die("%s: does not have the kernel's %s", KCORE_PATH, s->name);
	s->bytes = allocate(s->size);
	read_at(core, s->bytes, s->size, offset);
}

/*
 * Reads what is in none of the areas.  What is mapped nowhere reads as zeros.  False if no running
 * kernel was read, or it cannot be had.
 */
bool kcore_peek(u64 addr, void *to, size_t size)
{
	u64 offset = running.fd < 0 ? 0 : offset_of(&running, addr, size);

	return offset && pread(running.fd, to, size, offset) == (ssize_t)size;
}

static void add_area(struct image *image, const struct kcore *core, const struct area *area)
{
	struct section *s = &image->sections[image->nr_sections];

	s->name = area->name;
	s->addr = image_lookup(image, area->start);
	s->size = image_lookup(image, area->end) - s->addr;
	if (!s->addr || s->size > 1u << 30) {
		if (area->exec)
			die("%s: the kernel hides its addresses: become root, or set kernel.kptr_restrict to 0",
			    KALLSYMS_PATH);
		return;
	}
	read_memory(core, s);
	s->exec = area->exec;
	if (s->exec)
		s->text = allocate(s->size * sizeof(*s->text));
	image->nr_sections++;
}

/* There is none where the kernel has no kprobes, or no debugfs. */
static void read_blacklist(struct image *image)
{
	FILE *file = fopen(BLACKLIST_PATH, "re");
	unsigned long long start, end;
	char line[512];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx-%llx", &start, &end) == 2)
			facts_mark_range(image, start, end, TEXT_BLACK);
	fclose(file);
}

void kcore_open(struct image *image)
{
	unsigned int i;

	if (!machine.find_sites)
		die("the running kernel can be asked on x86-64 only: take its file");
	open_core(&running);
	read_segments(&running);
	memset(image, 0, sizeof(*image));
	image->running = true;
	image_read_symbols(image, KALLSYMS_PATH);
	image->sections = allocate(NR_LIST(areas) * sizeof(*image->sections));
	for (i = 0; i < NR_LIST(areas); i++)
		add_area(image, &running, &areas[i]);
	read_blacklist(image);
}
