// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin for QEMU: lists the cache lines that each CPU of the guest reads and writes between two
 * marks (marks.h), be it by C or assembly, ours or the kernel's.  What the processor itself pushes
 * at an exception is not seen: that is on a stack.
 *
 * Arguments: out=FILE.  When the guest is off, FILE has a line for each case, CPU and line:
 *
 *   line CASE CPU ADDRESS STORES LOADS WHERE_STORED WHERE_LOADED
 *
 * with the address of the last instruction that did so, and for each case and CPU
 *
 *   marks CASE CPU BEGINNINGS ENDS
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "qemu_plugin.h"

EXPORTED int qemu_plugin_version = 1;

/* ---- what was accessed ---- */

#define MAX_CPUS	8
#define MAX_CASES	256
#define LINE_SIZE	64
#define BITS		16

struct line {
	uint64_t addr;
	unsigned int case_nr;	/* 0: the entry is free */
	unsigned int stores;
	unsigned int loads;
	uint64_t stored_by;
	uint64_t loaded_by;
};

/* Each CPU has its own, so that none waits for another. */
static struct cpu {
	bool counts;
	unsigned int begins[MAX_CASES];
	unsigned int ends[MAX_CASES];
	struct line lines[1 << BITS];
	unsigned int used;
} cpus[MAX_CPUS];

static unsigned int case_nr;
static const char *output;
static int (*mark_of)(const uint8_t *insn, size_t size);

static void give_up(const char *why)
{
	fprintf(stderr, "lines_plugin: %s\n", why);
	exit(1);
}

static struct line *find_line(struct cpu *cpu, uint64_t addr)
{
	uint64_t hash = (addr / LINE_SIZE + ((uint64_t)case_nr << 50)) * 0x9e3779b97f4a7c15;
	unsigned int i = hash >> (64 - BITS);

	while (cpu->lines[i].case_nr &&
	       (cpu->lines[i].case_nr != case_nr || cpu->lines[i].addr != addr))
		i = (i + 1) % (1 << BITS);
	if (!cpu->lines[i].case_nr && ++cpu->used > (1 << BITS) / 2)
		give_up("too many lines");
	cpu->lines[i].case_nr = case_nr;
	cpu->lines[i].addr = addr;
	return &cpu->lines[i];
}

static void note(struct cpu *cpu, uint64_t addr, bool store, uint64_t by)
{
	struct line *line = find_line(cpu, addr);

	if (store) {
		line->stores++;
		line->stored_by = by;
	} else {
		line->loads++;
		line->loaded_by = by;
	}
}

/* In real mode powerpc ignores the bits by which the kernel's other addresses differ from it. */
static uint64_t one_address(uint64_t addr)
{
	return addr >> 60 == 0xc ? addr & ~(0xfull << 60) : addr;
}

static void on_access(unsigned int nr, uint32_t info, uint64_t addr, void *by)
{
	struct cpu *cpu = &cpus[nr % MAX_CPUS];
	bool store = qemu_plugin_mem_is_store(info);
	uint64_t first, last;

	if (!cpu->counts)
		return;
	addr = one_address(addr);
	first = addr & -LINE_SIZE;
	last = (addr + (1u << qemu_plugin_mem_size_shift(info)) - 1) & -LINE_SIZE;
	note(cpu, first, store, (uintptr_t)by);
	if (last != first)
		note(cpu, last, store, (uintptr_t)by);
}

static void on_mark(unsigned int nr, void *mark)
{
	struct cpu *cpu = &cpus[nr % MAX_CPUS];

	if (nr >= MAX_CPUS)
		give_up("too many CPUs");
	switch ((uintptr_t)mark) {
	case MARK_CASE:
		if (++case_nr == MAX_CASES)
			give_up("too many cases");
		break;
	case MARK_BEGIN:
		cpu->begins[case_nr]++;
		cpu->counts = true;
		break;
	case MARK_END:
		cpu->ends[case_nr]++;
		cpu->counts = false;
		break;
	}
}

/* ---- the guest's instructions ---- */

static uint32_t word_at(const uint8_t *insn)
{
	return insn[0] | insn[1] << 8 | insn[2] << 16 | (uint32_t)insn[3] << 24;
}

static int mark_among(uint32_t difference, uint32_t unit)
{
	return difference % unit || difference / unit > MARK_END ? 0 : difference / unit;
}

static int mark_of_x86(const uint8_t *insn, size_t size)
{
	return size != 8 || word_at(insn) != MARK_X86 ? 0 :
	       mark_among(word_at(insn + 4) - MARK_X86_NUMBER, 1);
}

static int mark_of_arm64(const uint8_t *insn, size_t size)
{
	return size != 4 ? 0 : mark_among(word_at(insn) - MARK_ARM64, MARK_ARM64_UNIT);
}

static int mark_of_powerpc(const uint8_t *insn, size_t size)
{
	return size != 4 ? 0 : mark_among(word_at(insn) - MARK_POWERPC, 1);
}

static void on_translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uintptr_t at = qemu_plugin_insn_vaddr(insn);
		uintptr_t mark = mark_of(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));

		if (mark)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, CALLBACK_NO_REGS,
							       (void *)mark);
		else
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, CALLBACK_NO_REGS,
							 ACCESS_ANY, (void *)at);
	}
}

/* ---- the output ---- */

static void print_cpu(FILE *file, unsigned int nr)
{
	const struct cpu *cpu = &cpus[nr];
	unsigned int i;

	for (i = 1; i <= case_nr; i++)
		if (cpu->begins[i])
			fprintf(file, "marks %u %u %u %u\n", i, nr, cpu->begins[i], cpu->ends[i]);
	for (i = 0; i < 1 << BITS; i++) {
		const struct line *line = &cpu->lines[i];

		if (line->case_nr)
			fprintf(file, "line %u %u %" PRIx64 " %u %u %" PRIx64 " %" PRIx64 "\n",
				line->case_nr, nr, line->addr, line->stores, line->loads,
				line->stored_by, line->loaded_by);
	}
}

static void on_end(plugin_id id, void *data)
{
	FILE *file = fopen(output, "w");
	unsigned int i;

	(void)id;
	(void)data;
	if (!file)
		give_up("no output");
	for (i = 0; i < MAX_CPUS; i++)
		print_cpu(file, i);
	if (fclose(file))
		give_up("no output");
}

EXPORTED int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
				 char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	/* It stays until QEMU ends. */
	output = strdup(argv[0] + 4);
	mark_of = !strcmp(info->target_name, "x86_64") ? mark_of_x86 :
		  !strcmp(info->target_name, "aarch64") ? mark_of_arm64 : mark_of_powerpc;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return output ? 0 : -1;
}
