/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of functions that the kernel does not export, of which a test is told the address.
 */
#ifndef HIDDEN_H
#define HIDDEN_H

#include <linux/linkage.h>
#include <linux/objtool.h>

/*
 * HIDDEN(fn_t, var): var is a variable of the file that has the address of a function of this
 * type, which is called by ENTER(fn_t, var)(...).  On x86-64 it may have no landing pad (IBT), and
 * nothing that shows its type (kCFI): it is entered by a return, which needs neither.
 */
#ifdef CONFIG_X86_64
#define HIDDEN(fn_t, var)							\
asm(".pushsection .text\n"							\
    ".type enter_" #var ", @function\n"						\
    "enter_" #var ":\n"								\
    "push " #var "(%rip)\n"							\
    ASM_RET									\
    ".size enter_" #var ", . - enter_" #var "\n"				\
    ".popsection\n");								\
extern fn_t enter_##var;							\
STACK_FRAME_NON_STANDARD(enter_##var)
#define ENTER(fn_t, var)	enter_##var
#else
#define HIDDEN(fn_t, var)	struct hidden_##var
#define ENTER(fn_t, var)	(*(fn_t *)(var))
#endif

#endif /* HIDDEN_H */
