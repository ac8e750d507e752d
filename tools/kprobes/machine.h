/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of an architecture: x86.c, arm64.c, powerpc.c.  The program is built once for each.
 */
#ifndef LKP_TOOLS_MACHINE_H
#define LKP_TOOLS_MACHINE_H

#include "image.h"

/* A relocation of a module: its place and its value. */
struct place {
	unsigned int type;
	u64 addr;
	u8 *at;
	u64 value;
};

/**
 * struct machine - an architecture
 * @elf: its number in an ELF header
 * @name: its usual name
 * @modules, @imports: addresses assumed for modules, and for the symbols that they import
 * @dynamic: a kernel may be a shared object, whose relocations are @relative
 * @relative: type of those relocations
 * @skip: distance from an undecodable word to the next possible instruction; 0: unknown
 * @entry_pad: the largest offset of a call site of the tracer that stands for the entry of a
 *	function; 0: none does.  As ARCH_ENTRY_AT_SITE and ARCH_FTRACE_SITE_BEHIND in the module.
 * @fixup_size: bytes of an entry of the exception table
 * @is_word: is a relocation one of eight bytes?  All others have at most four.
 * @relocate: applies a relocation, if its value is an address of text
 * @read_symbols: reads the kernel's own symbol table; or NULL
 * @read_tables: marks text by the tables of this architecture only
 * @find_sites: finds the call sites of the tracer in a running kernel; NULL: not possible
 * @landing_pad: how much of a function's beginning a probe on its entry passes over; or NULL
 * @note_insn: called for each instruction; or NULL
 * @scan_functions: marks all branch targets; NULL if verdicts do not depend on them
 * @scan: reports the targets of one function, see command_cross(); NULL in the same case
 * @is_target: did a region fail because execution may come to its middle; or NULL
 * @mark_black: marks what must not be probed on this architecture only
 * @rule_text: describes a rule; NULL if there is no such rule
 * @refusal: why the place of an instruction forbids a probe, whatever the instruction
 * @judge_region: sets the region and the verdict of a point that can be probed
 */
struct machine {
	unsigned int elf;
	const char *name;
	u64 modules, imports;
	bool dynamic;
	unsigned int relative;
	unsigned int skip;
	unsigned int entry_pad;
	unsigned int fixup_size;
	bool (*is_word)(unsigned int type);
	void (*relocate)(const struct place *place);
	bool (*read_symbols)(struct image *image);
	void (*read_tables)(struct image *image, const struct mitigations *mitigations);
	void (*find_sites)(struct image *image);
	unsigned int (*landing_pad)(const struct function *f);
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
