/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions to probe whose instructions are known to the byte.
 */
#ifndef TARGET_H
#define TARGET_H

#include <linux/linkage.h>
#include <linux/types.h>

#ifdef CONFIG_X86_64
#include "target_x86.h"
#endif
#ifdef CONFIG_ARM64
#include "target_arm64.h"
#endif
#ifdef CONFIG_PPC64
#include "target_powerpc.h"
#endif

/**
 * struct target - a function written in assembly
 * @fn: it takes two arguments and returns a number
 * @at: bytes from its beginning to the instruction to be probed
 * @next: bytes from its beginning to the instruction that runs next
 */
struct target {
	long (*fn)(long a, long b);
	unsigned long at;
	unsigned long next;
};

/* Where the type of a function is before it, in a kernel that checks types. */
#ifndef ASM_TYPE
#define ASM_TYPE(name)	""
#define ASM_TYPE_SIZE	0
#endif

/* Labels for the body of a TARGET().  They are no symbols: the function is not cut in two. */
#define AT(name)	".L" #name "_at:\n"
#define NEXT(name)	".L" #name "_next:\n"

/* The code has a function name_fn, in which are AT() and NEXT(), each once. */
#define TARGET_IN(name, code)							\
asm(".pushsection .text\n"							\
    code									\
    ".popsection\n"								\
    ".pushsection .rodata\n"							\
    ".balign 8\n"								\
    #name ": .quad " #name "_fn\n"						\
    ".quad .L" #name "_at - " #name "_fn\n"					\
    ".quad .L" #name "_next - " #name "_fn\n"					\
    ".popsection\n");								\
extern const struct target name

/* With less there is no padding between functions. */
#ifndef TARGET_ALIGN
#define TARGET_ALIGN	"16"
#endif

/* The body holds AT() and NEXT(), each once, and ends before the return. */
#define TARGET(name, body)							\
TARGET_IN(name,									\
    ".balign " TARGET_ALIGN "\n"						\
    ASM_TYPE(#name "_fn")							\
    ".type " #name "_fn, @function\n"						\
    #name "_fn:\n"								\
    ASM_LANDING									\
    body									\
    ASM_RETURN									\
    ".size " #name "_fn, . - " #name "_fn\n")

/* What a trap or a jump begins with. */
static inline text_unit target_unit(const struct target *target)
{
	return READ_ONCE(*(text_unit *)((void *)target->fn + target->at));
}

static inline void *target_at(const struct target *target)
{
	return (void *)target->fn + target->at;
}

static inline void *target_next(const struct target *target)
{
	return (void *)target->fn + target->next;
}

#endif /* TARGET_H */
