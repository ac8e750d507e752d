/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a kernel or a module: its bytes at their addresses, its symbols,
 * and what its tables say about each byte of text.
 */
#ifndef LKP_TOOLS_IMAGE_H
#define LKP_TOOLS_IMAGE_H

/* Of the architecture; the Makefile sets the path. */
#include "reach.h"
#include "file.h"

/* Flags of a byte of text. */
#define TEXT_BOUNDARY	0x0001	/* an instruction begins here */
#define TEXT_PADDING	0x0002	/* behind a function's code */
#define TEXT_TARGET	0x0004	/* execution may branch here */
#define TEXT_FIXUP	0x0008	/* first byte of an instruction with an exception table entry */
#define TEXT_BLACK	0x0010	/* must not be probed */
#define TEXT_SITE	0x0020	/* first byte of a call site of the tracer */
#define TEXT_TRACER	0x0040	/* any byte of a call site of the tracer */
#define TEXT_LABEL	0x0080	/* a jump label */
#define TEXT_CALL	0x0100	/* a static call */
#define TEXT_BUG	0x0200	/* a BUG or WARN */
#define TEXT_ALT	0x0400	/* an alternative, patched when the kernel starts */
#define TEXT_BASE	0x0800	/* an indirect jump may add an offset to this address */
#define TEXT_OWNED	(TEXT_TRACER | TEXT_LABEL | TEXT_CALL | TEXT_BUG | TEXT_ALT)

struct section {
	const char *name;
	u64 addr;
	u64 size;
	u8 *bytes;
	bool exec;
	u16 *text;	/* TEXT_* of each byte, if exec */
};

struct symbol {
	u64 addr;
	char *name;
};

/* What lies between two symbols. */
struct function {
	u64 addr;
	u64 size;
	const char *name;
	struct section *section;
	bool proven;		/* reach_scan() knows all its targets */
	bool indirect;		/* has an indirect jump */
	bool returns_by_jump;	/* to a return thunk */
};

struct image {
	bool module;
	bool running;	/* the kernel that this runs on */
	struct section *sections;
	unsigned int nr_sections;
	struct symbol *symbols;		/* by address, in executable sections */
	unsigned int nr_symbols;
	struct function *functions;
	unsigned int nr_functions;
};

/* What the kernel leaves as built, on the machine in question. */
struct mitigations {
	bool return_thunks;	/* returns are jumps to a thunk; otherwise ret */
	bool retpolines;	/* indirect branches go through thunks; otherwise not */
};

/* image.c */
void image_open(struct image *image, const struct file *file);
void image_add_symbol(struct image *image, u64 addr, const char *name);
void image_read_symbols(struct image *image, const char *path);
struct section *image_section(const struct image *image, const char *name);
struct section *image_section_at(const struct image *image, u64 addr);
const char *image_name(const struct image *image);
u8 *image_bytes(const struct image *image, u64 addr, u64 size);
u16 *image_text(const struct image *image, u64 addr);
u64 image_lookup(const struct image *image, const char *name);
struct function *image_function(const struct image *image, u64 addr);

/* kcore.c: the running kernel, from /proc/kcore and /proc/kallsyms. */
#define KCORE_PATH	"/proc/kcore"

unsigned int kcore_machine(void);
void kcore_open(struct image *image);
bool kcore_peek(u64 addr, void *to, size_t size);

/* kallsyms.c: the kernel's own symbol table; false if there is none. */
bool kallsyms_read(struct image *image);

/* facts.c */
void facts_collect(struct image *image, const struct mitigations *mitigations);

/* judge.c */
enum rule {
	RULE_BRANCHES,	/* branches are copied */
	RULE_CALLS,	/* calls are copied */
	RULE_RETURNS,	/* a return thunk is no indirect jump */
	RULE_PROOF,	/* indirect jumps lead to whole addresses */
	RULE_PADDING,	/* padding behind a return may be overwritten */
	RULE_RELAYS,	/* a short jump may lead to a long one in padding */
	RULE_BOOT,	/* counter-check: alternatives count as owned */
	NR_RULES
};

#define ALL_RULES	((1u << NR_RULES) - 1)

enum verdict {
	VERDICT_JUMP,
	VERDICT_FTRACE,
	VERDICT_TRAP,
	VERDICT_REFUSED,
	NR_VERDICTS
};

struct judgement {
	enum verdict verdict;
	u64 addr;			/* where the probe would be: see entry_of() in judge.c */
	struct reach_region region;	/* if VERDICT_JUMP or VERDICT_TRAP */
	const char *why;		/* if VERDICT_REFUSED; or more than the region's reason */
};

void judge(struct judgement *j, const struct image *image, u64 addr, unsigned int rules);

/* The program's own. */
void *allocate(size_t size);
void warn(const char *format, ...);
_Noreturn void die(const char *format, ...);

#endif /* LKP_TOOLS_IMAGE_H */
