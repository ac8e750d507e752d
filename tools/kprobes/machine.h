/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an architecture adds: x86.c, arm64.c, powerpc.c.  The program is built once for each.
 */
#ifndef LKP_TOOLS_MACHINE_H
#define LKP_TOOLS_MACHINE_H

#include "image.h"

/* A relocation of a module: where, and the value that it is about. */
struct place {
	unsigned int type;
	u64 addr;
	u8 *at;
	u64 value;
};

/**
 * struct machine - an architecture
 * @elf: its number in an ELF header
 * @name: as people call it
 * @modules, @imports: where modules are said to be, and the symbols that they import
 * @dynamic: a kernel may be a shared object, whose relocations are @relative
 * @relative: type of those
 * @skip: bytes from what is no instruction to what may be one; 0: nobody knows
 * @fixup_size: bytes of an entry of the exception table
 * @relocate: applies a relocation, if it has an address of text in it
 * @read_symbols: finds those that a kernel carries for itself; or NULL
 * @read_tables: marks text by tables that others do not have
 * @note_insn: is told of each instruction; or NULL
 * @scan_functions: names all targets; or NULL, if nothing depends on them
 * @scan: names those of one function, see command_cross(); NULL as well then
 * @is_target: did a region fail since execution may come to its middle; or NULL
 * @mark_black: what must not be probed, besides what is so everywhere
 * @rule_text: what a rule says; NULL if there is no such rule
 * @refusal: why an instruction can't be probed where it is, besides what it is
 * @judge_region: fills in the region and the verdict of a point that can be probed
 */
struct machine {
	unsigned int elf;
	const char *name;
	u64 modules, imports;
	bool dynamic;
	unsigned int relative;
	unsigned int skip;
	unsigned int fixup_size;
	void (*relocate)(const struct place *place);
	bool (*read_symbols)(struct image *image);
	void (*read_tables)(struct image *image, const struct mitigations *mitigations);
	void (*note_insn)(struct function *f, const struct insn *insn, u64 ip);
	void (*scan_functions)(struct image *image);
	void (*scan)(const struct image *image, const struct function *f, void *data,
		     void (*target)(void *data, u64 addr));
	bool (*is_target)(const struct reach_region *region);
	void (*mark_black)(struct image *image);
	const char *(*rule_text)(enum rule rule);
	const char *(*refusal)(const struct function *f, u64 addr);
	void (*judge_region)(struct judgement *j, const struct image *image,
			     const struct function *f, u64 addr, unsigned int rules);
};

extern const struct machine machine;

#endif /* LKP_TOOLS_MACHINE_H */
